"""Verification by a third party: a published CSV, its rules and a copy of the archive; no workspace, no database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..records import Fixing, LedgerEntry, RentmarkError, digest_of, format_instant
from ..store import ObservationFile, RawArchive
from ..store.files import file_digest, path_inside
from ..store.observations import count_corrections, read_columns, read_identities
from ..store.tape import chain_problems
from .auditing import Verification, check_batch
from .building import Reader
from .bundle import MANIFEST, RULES, ManifestDocument, beside, read_manifest, read_rules
from .core import open_engine
from .input_files import read_input_file
from .published_csv import read_tape_csv
from .rebuilding import rebuild_and_compare

LEAD = "archive/"
"""What leads the paths of a manifest, which are relative to a workspace."""


class HandedStore:
    """A copy of an archive with its books as files: answers what verification asks of a store."""

    def __init__(
        self, archive: Path, manifest: ManifestDocument, rules: dict[str, Any], rows: Sequence[Fixing]
    ) -> None:
        self.archive = archive
        self.manifest = manifest
        self.simulated = manifest.simulated
        self._rules = {**manifest.mappings, **rules}
        self._rows = rows
        self._raw = RawArchive(archive / "raw")

    def observation_files(
        self, as_of: datetime | None = None, months: Sequence[str] | None = None
    ) -> list[ObservationFile]:
        """Files of batches recorded by then that no batch recorded by then supersedes, by month and batch."""
        known = [b for b in self.manifest.batches if as_of is None or b.recorded_at <= as_of]
        replaced = {b.supersedes for b in known}
        counting = {b.batch_id for b in known} - replaced
        chosen = [
            f for f in self.manifest.files if f.batch_id in counting and (months is None or f.month in months)
        ]
        return sorted(chosen, key=lambda f: (f.month, f.batch_id))

    def file_paths(self, files: Iterable[ObservationFile]) -> list[Path]:
        """Where files lie; all were held against their digests before."""
        return [self.path(file) for file in files]

    def path(self, file: ObservationFile) -> Path:
        """Where a file of the manifest lies in the copy."""
        return path_inside(self.archive, file.path.removeprefix(LEAD))

    def ledger(self, as_of: datetime | None = None) -> list[LedgerEntry]:
        """The batches of the manifest."""
        return [b for b in self.manifest.batches if as_of is None or b.recorded_at <= as_of]

    def methodology(self, methodology_hash: str) -> dict[str, Any]:
        """Rules or a mapping by hash; raises RentmarkError where they were not handed over."""
        if methodology_hash not in self._rules:
            raise RentmarkError(f"Nothing of hash {methodology_hash} was handed over; ask for it.")
        held: dict[str, Any] = self._rules[methodology_hash]
        return held

    def tape_sequence(self, benchmark: str) -> list[Fixing]:
        """The published rows of a benchmark, in their order."""
        return [row for row in self._rows if row.benchmark == benchmark]

    def get_payload(self, digest: str) -> bytes:
        """A payload, checked against its digest."""
        return self._raw.get(digest)

    def batch_identities(self, batch_id: int) -> set[tuple[int, int]]:
        """Identity and content check of every observation of a batch."""
        return read_identities(self.path(f) for f in self.manifest.files if f.batch_id == batch_id)

    def archived_duplicates(self, batch_id: int) -> int:
        """Duplicates of a batch that repeat what the archive held then."""
        return next(b.duplicates_archived for b in self.manifest.batches if b.batch_id == batch_id)


@dataclass(frozen=True, slots=True)
class Handed:
    """What was handed over, as evidence."""

    store: HandedStore


def verify_published(
    published: Path,
    archive: Path,
    *,
    rules: Path | None = None,
    manifest: Path | None = None,
    names: Sequence[str] = (),
    level: int = 1,
) -> Verification:
    """Make every row of a published CSV again from a copy of the archive, and compare.

    ``rules`` and ``manifest`` are looked for beside the CSV where they are not given. Level 2 reads every raw
    payload again, too. Raises RentmarkError where a file is missing or can't be read as what it should be.
    """
    rows = read_tape_csv(_text(published, "published CSV"), published.name)
    unknown = [name for name in names if name not in {row.benchmark for row in rows}]
    if unknown:
        held = ", ".join(sorted({row.benchmark for row in rows})) or "none"
        raise RentmarkError(f"{published} holds no rows of {unknown[0]}; it holds {held}.")
    rules_file, manifest_file = rules or beside(published, RULES), manifest or beside(published, MANIFEST)
    stated = read_rules(_text(rules_file, "rules file"), rules_file.name)
    books = read_manifest(_text(manifest_file, "manifest"), manifest_file.name)
    store = HandedStore(_archive_folder(archive), books, stated, rows)
    chosen = list(names) or list(dict.fromkeys(row.benchmark for row in rows))
    damaged = check_archive(store, rows)
    problems = list(damaged)
    batches: list[LedgerEntry] = store.ledger() if level == 2 else []
    tapes: list[list[Fixing]] = []
    checked = 0
    for name in chosen:
        tape = store.tape_sequence(name)
        checked += len(tape)
        problems += [p.sentence for p in chain_problems(name, enumerate(tape, 1))]
        wrong, usable = _rules_problems(tape, stated, rules_file.name)
        problems += wrong
        if not damaged:  # a damaged archive can't be rebuilt from; the damage is the finding
            tapes.append(usable)
    with open_engine() as engine:
        differences = rebuild_and_compare(Handed(store), Reader(Handed(store), engine, few_rows=0), tapes)
    checks = tuple(check_batch(Handed(store), entry) for entry in batches if not damaged)
    return Verification(checked, tuple(differences), tuple(problems), checks)


def check_archive(store: HandedStore, rows: Sequence[Fixing]) -> list[str]:
    """Files that are missing or altered, whose clocks are not the stated ones, or that the manifest leaves out."""
    import pyarrow.compute as pc

    problems = []
    recorded = {b.batch_id: b.recorded_at for b in store.manifest.batches}
    for file in store.manifest.files:
        where, path = f"{file.path} of batch {file.batch_id}", store.path(file)
        try:
            found = file_digest(path)
        except OSError:
            problems.append(f"{where} is missing from {store.archive}; ask for a whole copy.")
            continue
        if found != file.sha256:
            problems.append(
                f"{where} was altered: its SHA-256 is {found}, the manifest says {file.sha256}; ask for a whole copy."
            )
            continue
        told = read_columns(path, ["recorded_at", "observed_at", "trade_status"])
        span = pc.min_max(told["observed_at"]).as_py()
        stated, held = (file.first_observed_at, file.last_observed_at), (span["min"], span["max"])
        if stated != held:
            ranges = (" to ".join(format_instant(instant) for instant in each) for each in (stated, held))
            problems.append(
                f"{where}: the manifest says it was observed from {', its rows say '.join(ranges)}."
            )
        corrections = count_corrections(told["trade_status"])
        if corrections != file.corrections:
            problems.append(
                f"{where}: the manifest counts {file.corrections:,} corrections of trades, its rows hold {corrections:,}."
            )
        stamped = set(told["recorded_at"].unique().to_pylist())
        if stamped != {recorded.get(file.batch_id)}:
            said = recorded.get(file.batch_id)
            problems.append(
                f"{where}: the manifest says it was recorded at {said and format_instant(said)}, its rows say "
                f"{', '.join(sorted(format_instant(s) for s in stamped))}."
            )
    return problems + _left_out(store, rows)


def _left_out(store: HandedStore, rows: Sequence[Fixing]) -> list[str]:
    """Files of the archive that a row could have seen and the manifest does not name."""
    last_seen = max((row.built_as_of for row in rows if row.built_as_of is not None), default=None)
    named = {store.path(file) for file in store.manifest.files}
    problems = []
    for path in sorted((store.archive / "observations").glob("month=*/*.parquet")):
        if path in named or last_seen is None:
            continue
        stamps = read_columns(path, ["recorded_at"])["recorded_at"].to_pylist()
        if stamps and min(stamps) <= last_seen:
            problems.append(
                f"{path.relative_to(store.archive).as_posix()} was recorded at {format_instant(min(stamps))}, before the "
                "last row was made, and the manifest does not name it."
            )
    return problems


def _rules_problems(
    tape: Sequence[Fixing], stated: dict[str, Any], where: str
) -> tuple[list[str], list[Fixing]]:
    """Rows whose rules were not handed over or are not what the rows say, told once per hash; and the other rows."""
    problems, wrong = [], set()
    for row in tape:
        made_by = row.methodology_hash
        if made_by in wrong:
            continue
        count = sum(other.methodology_hash == made_by for other in tape)
        told = f"{count:,} rows of {row.benchmark} were made under {row.methodology} {row.methodology_version}, hash {made_by}"
        if made_by not in stated:
            problems.append(f"{told}; {where} holds no rules of that hash.")
            wrong.add(made_by)
        elif digest_of(stated[made_by]) != made_by:
            problems.append(
                f"{told}; what {where} holds under it has hash {digest_of(stated[made_by])}: it was altered."
            )
            wrong.add(made_by)
    return problems, [row for row in tape if row.methodology_hash not in wrong]


def _archive_folder(folder: Path) -> Path:
    """The folder that holds ``observations``: as given, or the ``archive`` inside it."""
    for place in (folder, folder / "archive"):
        if (place / "observations").is_dir():
            return place
    raise RentmarkError(
        f"{folder} holds no folder observations; give a copy of the folder archive of a workspace."
    )


def _text(path: Path, what: str) -> str:
    try:
        return read_input_file(path, what).decode("utf-8")
    except UnicodeDecodeError:
        raise RentmarkError(f"{path} is no UTF-8 text; get a whole copy.") from None
