"""Explain and verify: from a printed value back to the bytes it came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ..index import (
    Before,
    Benchmark,
    Difference,
    Explanation,
    explain,
    explained_rows,
    window_of,
)
from ..ingest import FEEDS, FeedContext, parse_payload, read_mapping, split_reading
from ..records import Fixing, LedgerEntry, RentmarkError
from .building import Reader
from .core import Workspace
from .evidence import Evidence
from .ingesting import NO_MAPPING, version_of
from .reader_pool import open_reader
from .rebuilding import rebuild_and_compare
from .rows import difference_row
from .rulebook import benchmark_on
from .showing import fixings_shown
from .states import date_before, nearest_value, state_behind
from .views import AsOf

if TYPE_CHECKING:
    from ..store import ChainProblem, Store


def explain_fixing(workspace: Workspace, name: str, day: date, *, as_of: AsOf | None = None) -> Explanation:
    """Everything behind one fixing, as far as it was known when it was built."""
    rows = fixings_shown(workspace, name, as_of=as_of)
    fixing = next((f for f in rows if f.date == day), None)
    if fixing is None:
        raise RentmarkError(f"{name} has no row on {day}; rows run from {rows[0].date} to {rows[-1].date}.")
    benchmark = benchmark_of(workspace, fixing)
    asked = [row for row in (date_before(fixing, rows), fixing) if row is not None]
    with open_reader(workspace) as reader:
        windows, ballots = [], []
        for row in asked:
            window = window_of(benchmark.methodology, row.date, row.built_as_of or workspace.store.now())
            files = reader.files(seen_until=window.seen_until, reconstructed=row.reconstructed)
            held = reader.ballots(benchmark, [window], files, reconstructed=row.reconstructed)
            windows.append(window)
            ballots.append(held.get(row.date, []))
        corrected = reader.bind(benchmark, files, window.start, window.end)
        rows_in = explained_rows(
            benchmark, window, reader.engine, corrected=corrected, reconstructed=fixing.reconstructed
        )
    states = [state_behind(workspace, benchmark, row, rows) for row in asked]
    before = Before(windows[0], ballots[0], states[0]) if len(asked) > 1 else None
    sources = {(row["payload_digest"], row["recorded_at"]) for row in rows_in}
    return explain(
        benchmark,
        fixing,
        windows[-1],
        ballots[-1],
        rows_in,
        state=states[-1],
        before=before,
        payloads=[e for e in workspace.store.ledger() if (e.payload_digest, e.recorded_at) in sources],
        nearest=nearest_value(fixing, rows),
    )


def benchmark_of(workspace: Workspace, fixing: Fixing) -> Benchmark:
    """The rules a fixing was made under: the recorded ones once published, else today's."""
    if fixing.published_at is None:
        as_of = None if fixing.built_as_of is None else AsOf(fixing.built_as_of, fixing.reconstructed)
        return benchmark_on(workspace, fixing.benchmark, fixing.date, as_of=as_of)
    return Benchmark.from_resolved(fixing.benchmark, workspace.store.methodology(fixing.methodology_hash))


@dataclass(frozen=True, slots=True)
class BatchCheck:
    """Level 2 for one payload: identical, parser_changed with how many differ, or damaged."""

    batch_id: int
    origin_name: str
    result: str
    added: int
    removed: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found. ``problems`` are damaged or missing bytes and broken links of the chain."""

    rows_checked: int
    differences: tuple[Difference, ...]
    problems: tuple[str, ...]
    batches: tuple[BatchCheck, ...]

    @property
    def passed(self) -> bool:
        """True when nothing differs; a changed parser is reported, not a failure."""
        damaged = any(b.result == "damaged" for b in self.batches)
        return not self.differences and not self.problems and not damaged


def verify(workspace: Workspace, names: list[str] | None = None, *, level: int = 1) -> Verification:
    """Level 1: rebuild every tape row from the archive. Level 2: also re-parse every raw payload."""
    store = workspace.store
    chosen = names or store.benchmarks()
    problems = [problem.sentence for problem in store.check_files()]
    problems += [problem.sentence for problem in _check_books(store)]
    tapes: list[list[Fixing]] = []
    checked = 0
    for name in chosen:
        chain = store.check_chain(name)
        problems += [problem.sentence for problem in chain]
        if any(problem.code == "row_unreadable" for problem in chain):
            continue
        rows = store.tape(name, revisions="all")
        checked += len(rows)
        if not problems:  # a damaged archive can't be rebuilt from; the damage is the finding
            tapes.append(rows)
    with workspace.engine() as engine:
        reader = Reader(workspace, engine, few_rows=0)  # what was counted by hand is held against the engine
        differences = rebuild_and_compare(workspace, reader, tapes)
    batches = tuple(check_batch(workspace, entry) for entry in store.ledger()) if level == 2 else ()
    return Verification(checked, tuple(differences), tuple(problems), batches)


def _check_books(store: Store) -> list[ChainProblem]:
    """Places of the tape, and seals and links of certificates, governance and blotter, that do not hold."""
    from ..store.blotter import check_blotter
    from ..store.check import check_rules, check_tape_places
    from ..store.governance import check_governance

    places = [*check_tape_places(store.database), *check_rules(store.database)]
    return [*places, *store.check_certificates(), *check_governance(store), *check_blotter(store)]


def check_batch(workspace: Evidence, entry: LedgerEntry) -> BatchCheck:
    """Parse a raw payload again and compare with what the archive holds of it."""
    store = workspace.store
    feed = FEEDS.get(entry.feed)
    if feed is None:
        sentence = f"{entry.origin_name}: feed {entry.feed} is not in this version."
        return BatchCheck(entry.batch_id, entry.origin_name, "parser_changed", 0, 0, sentence)
    try:
        payload = store.get_payload(entry.payload_digest)
    except RentmarkError as error:
        return BatchCheck(entry.batch_id, entry.origin_name, "damaged", 0, 0, error.sentence)
    reading = None
    if entry.mapping_hash != NO_MAPPING:
        reading = read_mapping(store.methodology(entry.mapping_hash), "The recorded mapping")
    mapping, parameters = split_reading(reading)
    context = FeedContext(
        payload_digest=entry.payload_digest,
        received_at=entry.received_at,
        origin_name=entry.origin_name,
        mapping=mapping,
        parameters=parameters,
    )
    batch = parse_payload(entry.feed, payload, context)
    columns = [batch.observations[c].to_pylist() for c in ("observation_id", "content_check")]
    again = set(zip(*columns, strict=True))
    held = store.batch_identities(entry.batch_id)
    # what the archive held already when this payload came was left out then, and is no difference now
    removed, added = len(held - again), len(again - held) - store.archived_duplicates(entry.batch_id)
    if removed == 0 and added == 0 and (batch.records, batch.rejected) == (entry.records, entry.rejected):
        sentence = f"{entry.origin_name}: identical."
        return BatchCheck(entry.batch_id, entry.origin_name, "identical", 0, 0, sentence)
    result = "damaged" if feed.version == version_of(entry) else "parser_changed"
    sentence = (
        f"{entry.origin_name}: {result.replace('_', ' ')}: {added} observations more and {removed} fewer than "
        f"recorded (feed {entry.feed} {entry.feed_version}, now {feed.version})."
    )
    return BatchCheck(entry.batch_id, entry.origin_name, result, added, removed, sentence)


def verification_row(result: Verification, level: int) -> dict[str, Any]:
    """The documented JSON of `index verify`."""
    return {
        "level": level,
        "passed": result.passed,
        "rows_checked": result.rows_checked,
        "differences": [difference_row(d) for d in result.differences],
        "problems": list(result.problems),
        "batches": [
            {
                "batch_id": b.batch_id,
                "origin_name": b.origin_name,
                "result": b.result,
                "added": b.added,
                "removed": b.removed,
                "sentence": b.sentence,
            }
            for b in result.batches
        ],
    }
