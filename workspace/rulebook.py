"""The rulebook: which rules apply to which fixing dates of a benchmark, as known at an instant."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..index import Benchmark, Window, dates_covering, windows_between
from ..index.versions import MethodologyVersion
from ..records import Fixing, RentmarkError, format_instant, micros_from_text, parse_date
from .core import Workspace
from .resolving import with_ratings
from .views import AsOf

if TYPE_CHECKING:
    from ..store.governance import GovernanceEvent

ONE_DAY = timedelta(days=1)
FIRST_VERSION = "first version"


@dataclass(frozen=True, slots=True)
class Span:
    """A benchmark under one version of its methodology, and the fixing dates it applies to.

    ``first`` None is from the beginning, ``last`` None without an end.
    """

    benchmark: Benchmark
    version: MethodologyVersion
    first: date | None
    last: date | None

    def holds(self, day: date) -> bool:
        """Whether a fixing date falls under it."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    def windows(self, first: date, last: date, seen_until: datetime) -> list[Window]:
        """The windows of its fixing dates between two whose cut-off is not after ``seen_until``."""
        start = first if self.first is None else max(first, self.first)
        end = last if self.last is None else min(last, self.last)
        return windows_between(self.benchmark.methodology, start, end, seen_until)


def spans(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> list[Span]:
    """The versions of a benchmark's rules that are known as of then, oldest first, each with its dates.

    A version counts from the day it was announced and, in a strict view, from when this workspace first
    published under it. The last one ends with the benchmark, where that has ceased. Raises RentmarkError
    for an unknown benchmark.
    """
    configuration = workspace.configuration
    known = known_versions(workspace, name, as_of)
    ended_on = None if (end := cessation(workspace, name, as_of)) is None else end.last_date
    found = []
    for number, version in enumerate(known):
        following = known[number + 1].effective_from if number + 1 < len(known) else None
        last = ended_on if following is None else following - ONE_DAY
        if last is not None and ended_on is not None:
            last = min(last, ended_on)
        benchmark = with_ratings(workspace, configuration.benchmark(name, version), as_of)
        found.append(Span(benchmark, version, version.effective_from, last))
    return found


def known_versions(workspace: Workspace, name: str, as_of: AsOf | None = None) -> list[MethodologyVersion]:
    """The versions of the rules of a benchmark that were known as of then, oldest first."""
    listed = workspace.configuration.versions_of(name)
    if len(listed) == 1:
        return [listed[0]]
    instant = workspace.store.now() if as_of is None else as_of.instant
    recorded = {}
    if as_of is not None and not as_of.reconstructed:
        methodology = workspace.configuration.benchmarks[name].methodology
        recorded = {e.content["version"]: e for e in version_events(workspace, methodology)}
    later = [v for v in listed[1:] if v.counts_at(instant) and _recorded_by(recorded.get(v.version), instant)]
    return [listed[0], *later]


def span_on(found: Sequence[Span], day: date) -> Span:
    """The span that a fixing date falls under: after the end of a benchmark, its last one."""
    return next((span for span in found if span.holds(day)), found[-1])


def benchmark_on(workspace: Workspace, name: str, day: date, *, as_of: AsOf | None = None) -> Benchmark:
    """The rules of a benchmark for one fixing date, as known as of then."""
    return span_on(spans(workspace, name, as_of=as_of), day).benchmark


def span_dates(found: Sequence[Span], first: datetime, last: datetime) -> tuple[date, date] | None:
    """The fixing dates to which a first and a last instant belong, under the first and the last rules."""
    ends = [dates_covering(span.benchmark.methodology, first, last) for span in (found[0], found[-1])]
    return None if ends[0] is None or ends[1] is None else (ends[0][0], ends[1][1])


@dataclass(frozen=True, slots=True)
class Cessation:
    """The announced end of a benchmark: its last fixing date, why, what follows, and who decided."""

    benchmark: str
    last_date: date
    notice: str
    successor: str | None
    actor: str
    approved_by: str
    announced_at: datetime


def cessation(workspace: Workspace, name: str, as_of: AsOf | None = None) -> Cessation | None:
    """The end of a benchmark as announced by then, or None where it goes on."""
    from ..store.governance import governance_events

    instant = None if as_of is None else as_of.instant
    found = governance_events(workspace.store, name, "cessation", instant)
    if not found:
        return None
    event = found[-1]
    assert event.recorded_at is not None
    assert event.approved_by is not None
    return Cessation(
        benchmark=name,
        last_date=parse_date(event.content["last_date"]),
        notice=event.reason or "",
        successor=event.content.get("successor"),
        actor=event.actor,
        approved_by=event.approved_by,
        announced_at=event.recorded_at,
    )


def held_levels(
    workspace: Workspace, name: str, rules: Sequence[Span], as_of: AsOf | None
) -> dict[date, int]:
    """The values that were held by then and are not on the tape, micro-USD by date; none where nothing holds."""
    if all(span.benchmark.methodology.hold_move is None for span in rules):
        return {}
    if as_of is not None and as_of.reconstructed:
        return {}
    from ..store.governance import governance_events

    instant = None if as_of is None else as_of.instant
    events = governance_events(workspace.store, name, "hold", instant)
    return levels_held(events, {row.date for row in workspace.store.tape(name, as_of=instant)})


def levels_held(events: Iterable[GovernanceEvent], printed: Container[date]) -> dict[date, int]:
    """The last value held of each date that is not printed, micro-USD."""
    return {
        event.date: micros_from_text(event.content["value"])
        for event in events
        if event.kind == "hold" and event.date is not None and event.date not in printed
    }


def version_events(workspace: Workspace, methodology: str) -> list[GovernanceEvent]:
    """The versions of a methodology as this workspace recorded them when it first published under them."""
    from ..store.governance import governance_events

    return governance_events(workspace.store, methodology, "version")


def new_version_events(workspace: Workspace, name: str, actor: str) -> list[GovernanceEvent]:
    """What to record of announced versions that are not on record yet.

    Raises RentmarkError for a version on record whose rules or dates have been edited since.
    """
    from ..store.governance import GovernanceEvent

    listed = workspace.configuration.versions_of(name)
    if len(listed) == 1:
        return []
    methodology = workspace.configuration.benchmarks[name].methodology
    on_record = {event.content["version"]: event for event in version_events(workspace, methodology)}
    now = workspace.store.now()
    new = []
    for version in listed:
        event = on_record.get(version.version)
        if event is not None:
            if event.content["rules_digest"] != version.rules_digest:
                raise RentmarkError(
                    f"Version {version.version} of {methodology} is on record with other rules or dates; "
                    f"put it back and add a new [[methodologies.{methodology}.versions]] in its place."
                )
            continue
        if not version.counts_at(now):
            continue
        content = {
            "version": version.version,
            "effective_from": version.effective_from,
            "announced_on": version.announced_on,
            "changes": version.changes,
            "rules_digest": version.rules_digest,
        }
        new.append(
            GovernanceEvent(
                kind="version",
                subject=methodology,
                date=version.effective_from,
                content={key: None if value is None else str(value) for key, value in content.items()},
                actor=actor,
                reason=version.changes or FIRST_VERSION,
            )
        )
    return new


def _recorded_by(event: GovernanceEvent | None, instant: datetime) -> bool:
    """A version that nothing was published under yet has its announcement alone."""
    return event is None or (event.recorded_at is not None and event.recorded_at <= instant)


def finality_hours(workspace: Workspace, name: str, fixing: Fixing) -> int:
    """After how many hours a published fixing is final, by the version it was made under."""
    listed = workspace.configuration.versions_of(name)
    version = next((v for v in listed if v.version == fixing.methodology_version), listed[-1])
    return version.methodology.finality_hours


def version_rows(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    """The documented JSON of `index versions`: the changelog of a benchmark's rules, oldest first."""
    methodology = workspace.configuration.benchmarks[name].methodology
    on_record = {event.content["version"]: event for event in version_events(workspace, methodology)}
    counts: dict[str, list[date]] = {}
    for row in workspace.store.tape(name):
        counts.setdefault(row.methodology_version, []).append(row.date)
    listed = workspace.configuration.versions_of(name)
    today = workspace.store.now()
    rows = []
    for number, version in enumerate(listed):
        dates = counts.get(version.version, [])
        event = on_record.get(version.version)
        recorded_at = None if event is None or event.recorded_at is None else event.recorded_at
        rows.append(
            {
                "version": version.version,
                "effective_from": None
                if version.effective_from is None
                else version.effective_from.isoformat(),
                "announced_on": None if version.announced_on is None else version.announced_on.isoformat(),
                "known": version.counts_at(today),
                "changes": version.changes or FIRST_VERSION,
                "rules_changed": changed_keys(listed[number - 1], version) if number else [],
                "methodology_hash": with_ratings(
                    workspace, workspace.configuration.benchmark(name, version), None
                ).methodology_hash,
                "published": len(dates),
                "first_date": min(dates).isoformat() if dates else None,
                "last_date": max(dates).isoformat() if dates else None,
                "recorded_at": None if recorded_at is None else format_instant(recorded_at),
            }
        )
    return rows


def changed_keys(before: MethodologyVersion, after: MethodologyVersion) -> list[str]:
    """The keys that differ between two versions, each with its values, as ``min_sellers: 3 → 4``."""
    then, now = (v.methodology.model_dump(mode="json") for v in (before, after))
    return [
        f"{key}: {_written(then[key])} → {_written(now[key])}"
        for key in now
        if key != "version" and then[key] != now[key]
    ]


def _written(value: Any) -> str:
    return (
        "none"
        if value is None
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )
