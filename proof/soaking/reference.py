"""The same year with nobody in the way: in one process, on a clock that is always right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from rentmark.records import LedgerEntry
from rentmark.workspace import Workspace, build, publish, watch_alarms
from rentmark.workspace.building import Reader
from rentmark.workspace.config import FILE_NAME, read_configuration
from rentmark.workspace.ingesting import Arrived, ingest_payload

from .market import BENCHMARKS, FIRST, MENDED, RULES, Market

COLLECTED_AT = time(6, 5)
"""When cron collects a day: in the morning after it."""
RETRIED_AFTER = timedelta(minutes=61)
"""When cron comes again."""

BatchKey = tuple[str, str]
"""SHA-256 of a payload, and the hash of the mapping it was read with."""
Counts = tuple[int, int, int, int]
"""Records, accepted, rejected, duplicates."""


@dataclass(frozen=True)
class Reference:
    """What an undisturbed year comes to: batches by day, fixings, alarms of both kinds."""

    batches: tuple[dict[BatchKey, Counts], ...]
    drift: frozenset[tuple[str, date]]
    fixings: dict[str, tuple[str, ...]]
    alarms: frozenset[tuple[str, str, date]]


class _Stepping:
    """A clock that stands where it was put."""

    def __init__(self) -> None:
        self.instant = morning_after(FIRST - timedelta(days=1))

    def now(self) -> datetime:
        return self.instant

    def real_now(self) -> datetime:
        return self.instant


def morning_after(day: date) -> datetime:
    """When a day is collected."""
    return datetime.combine(day + timedelta(days=1), COLLECTED_AT, UTC)


def undisturbed(root: Path, market: Market, tell: Callable[[str], object] = lambda _: None) -> Reference:
    """Live the days of the story one after the other. ``tell`` hears of every thirtieth."""
    clock = _Stepping()
    text = RULES.replace("ADDRESS", "http://127.0.0.1:9")
    workspace = Workspace.create(root, database_url=None, text=text, clock=clock)
    batches: list[dict[BatchKey, Counts]] = []
    mapping = None
    with workspace.engine(threads=1) as engine:
        for number in range(market.story.days):
            if number % 30 == 0:
                tell(f"undisturbed: day {number + 1} of {market.story.days}")
            clock.instant = morning_after(market.story.day(number))
            before = len(workspace.store.ledger())
            pages = market.payloads(number)
            for name in pages:
                feed = {"offers": "tabular", "trades": "trades"}[name]
                arrived = Arrived(received_at=clock.instant, fetched_from=name, dates_payload=True)
                used = mapping if name == "offers" else None
                ingest_payload(workspace, feed, name, pages[name], mapping=used, arrived=arrived)
                if number == market.story.changed and name == "offers":
                    workspace = _mended(workspace)
                    mapping = workspace.configuration.mapping("changed")
                    ingest_payload(workspace, feed, name, pages[name], mapping=mapping, arrived=arrived)
            batches.append({key_of(entry): counts_of(entry) for entry in workspace.store.ledger()[before:]})
            reader = Reader(workspace, engine)
            for benchmark in BENCHMARKS:
                build(workspace, benchmark, reader=reader)
                publish(workspace, benchmark, actor="reference")
    found = watch_alarms(workspace, since=str(FIRST))
    made = Reference(
        batches=tuple(batches),
        drift=frozenset(drift_of(workspace.store.ledger(), market)),
        fixings={name: fixings_of(workspace, name) for name in BENCHMARKS},
        alarms=frozenset((each.kind, each.subject, each.date) for each in found.alarms),
    )
    workspace.store.close()
    return made


def _mended(workspace: Workspace) -> Workspace:
    file = workspace.root / FILE_NAME
    mend(file)
    return replace(workspace, configuration=read_configuration(file))


def mend(file: Path) -> None:
    """What a person does to the rules when the feed has changed its columns."""
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("[collect.offers]", MENDED), encoding="utf-8")


def key_of(entry: LedgerEntry) -> BatchKey:
    """What makes a batch the same batch."""
    return entry.payload_digest, entry.mapping_hash


def counts_of(entry: LedgerEntry) -> Counts:
    """What a batch came to."""
    return entry.records, entry.accepted, entry.rejected, entry.duplicates


def fixings_of(workspace: Workspace, name: str) -> tuple[str, ...]:
    """Every published row in append order; clocks and links left out."""
    return tuple(
        f"{f.date} {f.revision} {f.status} {f.rule} {f.value_micros} {f.n_sellers} {f.input_digest} {f.methodology_hash}"
        for f in workspace.store.tape_sequence(name)
    )


def drift_of(entries: list[LedgerEntry], market: Market) -> set[tuple[str, date]]:
    """The drift alarms that the ledger keeps, by the day whose payload they came with."""
    from rentmark.ingest.drift import drifts_noted
    from rentmark.records import sha256_hex

    days = {
        sha256_hex(payload): market.story.day(number)
        for number in range(market.story.days)
        for payload in market.payloads(number).values()
    }
    return {
        (change.code, days[entry.payload_digest])
        for entry in entries
        for change in drifts_noted(entry.notes)
        if change.level == "alarm"
    }
