"""The bundle: a tape with all that someone else needs to make it again, in files that need no database.

``tape.csv`` holds the published rows, ``tape.rules.json`` the resolved rules by their hash, ``tape.manifest.json`` which
files of the archive were committed when. With a copy of the folder ``archive`` these three suffice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from ..records import LedgerEntry, RentmarkError, UsageError, format_instant, parse_instant
from ..store import ObservationFile
from ..store.manifest import every_file
from .core import Workspace
from .ingesting import NO_MAPPING
from .input_files import write_text_file
from .published_csv import tape_csv

T = TypeVar("T")

RULES, MANIFEST = ".rules.json", ".manifest.json"
RULES_FORMAT, MANIFEST_FORMAT = "rentmark-rules-1", "rentmark-manifest-1"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written. ``archive`` is None where the archive was not copied."""

    rows: int
    benchmarks: tuple[str, ...]
    tape: Path
    rules: Path
    manifest: Path
    archive: Path | None
    batches: int
    files: int


@dataclass(frozen=True, slots=True)
class ManifestDocument:
    """Which payloads were read when, and which files hold what was read."""

    simulated: bool
    batches: tuple[LedgerEntry, ...]
    files: tuple[ObservationFile, ...]
    mappings: Mapping[str, Any]


def beside(tape: Path, ending: str) -> Path:
    """The file of a bundle that stands beside the tape."""
    return tape.with_name(tape.name.removesuffix(".csv") + ending)


def export_bundle(
    workspace: Workspace, names: Sequence[str], path: Path, *, archive: Path | None = None
) -> Exported:
    """Write the tapes of benchmarks to ``path`` with rules and manifest beside it, and copy the archive if asked.

    Raises UsageError for another kind of file, RentmarkError for a benchmark without a tape, for an archive
    folder that is there already, and where a file can't be written.
    """
    if path.suffix.lower() != ".csv":
        raise UsageError(f"--output {path.name}: write a name that ends in .csv.")
    store = workspace.store
    rows = []
    for name in names:
        tape = store.tape_sequence(name)
        if not tape:
            raise RentmarkError(f"Nothing of {name} is published; run `rentmark index publish {name}` first.")
        rows += tape
    ledger = store.ledger()
    files = every_file(store.database)
    hashes = sorted({row.methodology_hash for row in rows})
    mapped = sorted({entry.mapping_hash for entry in ledger} - {NO_MAPPING})
    rules = {"format": RULES_FORMAT, "methodologies": {h: store.methodology(h) for h in hashes}}
    manifest = {
        "format": MANIFEST_FORMAT,
        "simulated": store.simulated,
        "batches": [_plain(entry) for entry in ledger],
        "files": [_plain(file) for file in files],
        "mappings": {h: store.methodology(h) for h in mapped},
    }
    written = beside(path, RULES), beside(path, MANIFEST)
    if archive is not None:
        _copy_archive(workspace.root / "archive", archive)
    write_text_file(path, tape_csv(rows))
    for place, document in zip(written, (rules, manifest), strict=True):
        write_text_file(place, json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return Exported(len(rows), tuple(names), path, *written, archive, len(ledger), len(files))


def _copy_archive(source: Path, target: Path) -> None:
    """Copy payloads and observations; what stopped commands left is not part of it."""
    if target.exists():
        raise RentmarkError(f"{target} is there already; name a new folder for the copy of the archive.")
    try:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("stray", ".*"))
    except (OSError, shutil.Error) as error:
        raise RentmarkError(f"The archive can't be copied to {target}: {error}.") from None


def _plain(held: LedgerEntry | ObservationFile) -> dict[str, Any]:
    values = {field.name: getattr(held, field.name) for field in fields(held)}
    return {name: format_instant(v) if isinstance(v, datetime) else v for name, v in values.items()}


def read_rules(text: str, where: str) -> dict[str, Any]:
    """Resolved rules by their hash. Raises RentmarkError for a file that is no such thing."""
    document = _document(text, where, RULES_FORMAT)
    held = document.get("methodologies")
    if not isinstance(held, dict):
        raise RentmarkError(
            f"{where} holds no methodologies; give the .rules.json of `rentmark index export`."
        )
    return held


def read_manifest(text: str, where: str) -> ManifestDocument:
    """The manifest of an archive. Raises RentmarkError for a file that is no such thing."""
    document = _document(text, where, MANIFEST_FORMAT)
    try:
        return ManifestDocument(
            simulated=document["simulated"],
            batches=tuple(_held(LedgerEntry, row) for row in document["batches"]),
            files=tuple(_held(ObservationFile, row) for row in document["files"]),
            mappings=document["mappings"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RentmarkError(f"{where} can't be read as a manifest ({error}); get a whole copy.") from None


def _held(kind: type[T], row: Mapping[str, Any]) -> T:
    """A record from its plain values: instants read, lists made tuples."""
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        value = row[field.name]
        if "datetime" in str(field.type) and value is not None:
            value = parse_instant(value)
        values[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def _document(text: str, where: str, kind: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise RentmarkError(f"{where} is no JSON ({error}); get a whole copy.") from None
    if not isinstance(document, dict) or document.get("format") != kind:
        found = document.get("format") if isinstance(document, dict) else None
        raise RentmarkError(f"{where} is not of format {kind} but {found}; give the file that export wrote.")
    return document
