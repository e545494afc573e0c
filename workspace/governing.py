"""Governing: what is held, what was decided and by whom, and the end of a benchmark."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..index.governing import Hold, refuse_one_person
from ..index.rule_words import percent
from ..records import Fixing, RentmarkError, format_instant, format_micros, micros_from_text, parse_date
from .core import Workspace
from .rulebook import Cessation, cessation, spans
from .views import AsOf

if TYPE_CHECKING:
    from ..store.governance import GovernanceEvent


@dataclass(frozen=True, slots=True)
class HeldFixing:
    """A fixing kept off the tape: its value, what it moved against, and who published when it was held."""

    benchmark: str
    date: dt.date
    value_micros: int
    status: str
    last_date: dt.date
    last_value_micros: int
    limit: str
    input_digest: str
    methodology_hash: str
    actor: str
    held_at: datetime

    @property
    def move(self) -> float:
        """The move as a share of the last value."""
        return self.value_micros / self.last_value_micros - 1

    @property
    def sentence(self) -> str:
        """The hold in one sentence with its remedy."""
        return (
            f"HELD {self.benchmark} {self.date}: {format_micros(self.value_micros)} moves {self.move:+.1%} against "
            f"{format_micros(self.last_value_micros)} of {self.last_date}, beyond {percent(self.limit)}; a second "
            f"person releases it with `rentmark index release {self.benchmark} {self.date}`."
        )

    def is_of(self, candidate: Fixing) -> bool:
        """Whether a candidate is the very one that was held."""
        held = (self.value_micros, self.status, self.input_digest, self.methodology_hash)
        names = ("value_micros", "status", "input_digest", "methodology_hash")
        return held == tuple(getattr(candidate, name) for name in names)


def hold_content(hold: Hold) -> dict[str, str]:
    """What is recorded of a hold: the same for the same candidate against the same last value."""
    fixing = hold.fixing
    return {
        "value": format_micros(fixing.value_micros or 0),
        "status": fixing.status,
        "last_date": hold.last_date.isoformat(),
        "last_value": format_micros(hold.last_value_micros),
        "limit": hold.limit,
        "input_digest": fixing.input_digest,
        "methodology_hash": fixing.methodology_hash,
    }


def open_holds(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> list[HeldFixing]:
    """Fixings of a benchmark that were held by then and are not on the tape, by date."""
    from ..store.governance import governance_events

    instant = None if as_of is None else as_of.instant
    events = {e.date: e for e in governance_events(workspace.store, name, "hold", instant)}
    if not events:
        return []
    printed = {f.date for f in workspace.store.tape(name, as_of=instant)}
    return [
        _held(e) for _, e in sorted(events.items(), key=lambda item: str(item[0])) if e.date not in printed
    ]


def _held(event: GovernanceEvent) -> HeldFixing:
    content = event.content
    assert event.date is not None
    assert event.recorded_at is not None
    return HeldFixing(
        benchmark=event.subject,
        date=event.date,
        value_micros=micros_from_text(content["value"]),
        status=content["status"],
        last_date=parse_date(content["last_date"]),
        last_value_micros=micros_from_text(content["last_value"]),
        limit=content["limit"],
        input_digest=content["input_digest"],
        methodology_hash=content["methodology_hash"],
        actor=event.actor,
        held_at=event.recorded_at,
    )


def cease(
    workspace: Workspace,
    name: str,
    *,
    last_date: date,
    notice: str,
    actor: str,
    approved_by: str,
    successor: str | None = None,
) -> Cessation:
    """Announce the end of a benchmark: nothing is fixed or published after ``last_date``.

    Raises RentmarkError where it has ceased already, later fixings are published, the notice is shorter than
    ``cessation_notice_days``, one person alone acts, or the successor is unknown.
    """
    from ..store.governance import GovernanceEvent, add_event

    methodology = spans(workspace, name)[-1].benchmark.methodology
    if not notice.strip():
        raise RentmarkError("A cessation needs a notice; add --notice.")
    refuse_one_person(actor, approved_by)
    if successor is not None:
        workspace.configuration.versions_of(successor)
        if successor == name:
            raise RentmarkError(f"--successor {successor} is the benchmark that ends; name another.")
    known = cessation(workspace, name)
    if known is not None:
        raise RentmarkError(
            f"{name} is announced to cease after {known.last_date} already; an announcement is not changed."
        )
    later = [f.date for f in workspace.store.tape(name) if f.date > last_date]
    if later:
        raise RentmarkError(
            f"{name} has published fixings up to {max(later)}; --last-date can't be before that, and is {last_date}."
        )
    today = workspace.store.now().date()
    days = methodology.cessation_notice_days
    if days is not None and last_date < today + timedelta(days=days):
        raise RentmarkError(
            f"{name} promises {days} days of notice (cessation_notice_days); the earliest --last-date is "
            f"{today + timedelta(days=days)}, not {last_date}."
        )
    content: dict[str, Any] = {"last_date": last_date.isoformat()}
    if successor is not None:
        content["successor"] = successor
    add_event(
        workspace.store,
        GovernanceEvent(
            kind="cessation",
            subject=name,
            date=last_date,
            content=content,
            actor=actor,
            approved_by=approved_by,
            reason=notice,
        ),
    )
    announced = cessation(workspace, name)
    assert announced is not None
    return announced


def governance_log(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> list[dict[str, Any]]:
    """Everything decided about a benchmark in the order of recording: the documented JSON of `index log`.

    Holds, corrections not made, versions and cessation are events of their own; releases, overrides and
    restatements are rows of the tape.
    """
    from ..store.governance import governance_events

    instant = None if as_of is None else as_of.instant
    methodology = workspace.configuration.benchmarks[name].methodology
    events = governance_events(workspace.store, name, None, instant)
    events += governance_events(workspace.store, methodology, "version", instant)
    rows = [_event_row(event) for event in events]
    held = {(e.date, e.recorded_at) for e in events if e.kind == "hold"}
    for row in workspace.store.tape_sequence(name):
        if row.published_at is None or (instant is not None and row.published_at > instant):
            continue
        kind = _kind_of(row, held)
        if kind is not None:
            rows.append(_tape_row(row, kind))
    return sorted(rows, key=lambda row: row["recorded_at"])


def _kind_of(row: Fixing, held: set[tuple[date | None, datetime | None]]) -> str | None:
    if row.judgement is not None:
        return "override"
    if row.revision > 0:
        return "restatement"
    if row.approved_by is not None and any(day == row.date for day, _ in held):
        return "release"
    return None


def _event_row(event: GovernanceEvent) -> dict[str, Any]:
    assert event.recorded_at is not None
    return {
        "recorded_at": format_instant(event.recorded_at),
        "kind": event.kind,
        "date": None if event.date is None else event.date.isoformat(),
        "revision": None,
        "value": event.content.get("value"),
        "value_before": event.content.get("last_value"),
        "actor": event.actor,
        "approved_by": event.approved_by,
        "reason": event.reason or event.kind,
        "row_digest": event.row_digest,
    }


def _tape_row(row: Fixing, kind: str) -> dict[str, Any]:
    assert row.published_at is not None
    return {
        "recorded_at": format_instant(row.published_at),
        "kind": kind,
        "date": row.date.isoformat(),
        "revision": row.revision,
        "value": None if row.value_micros is None else format_micros(row.value_micros),
        "value_before": None,
        "actor": row.actor,
        "approved_by": row.approved_by,
        "reason": row.judgement or row.reason or kind,
        "row_digest": row.row_digest,
    }


def hold_rows(holds: Sequence[HeldFixing]) -> list[dict[str, Any]]:
    """The documented JSON of held fixings."""
    return [
        {
            "benchmark": held.benchmark,
            "date": held.date.isoformat(),
            "value": format_micros(held.value_micros),
            "status": held.status,
            "last_date": held.last_date.isoformat(),
            "last_value": format_micros(held.last_value_micros),
            "move": round(held.move, 10),
            "hold_move": held.limit,
            "actor": held.actor,
            "held_at": format_instant(held.held_at),
            "sentence": held.sentence,
        }
        for held in holds
    ]


def cessation_row(end: Cessation | None) -> dict[str, Any] | None:
    """The documented JSON of an announced end, None where a benchmark goes on."""
    if end is None:
        return None
    return {
        "last_date": end.last_date.isoformat(),
        "notice": end.notice,
        "successor": end.successor,
        "actor": end.actor,
        "approved_by": end.approved_by,
        "announced_at": format_instant(end.announced_at),
        "sentence": cessation_sentence(end),
    }


def cessation_sentence(end: Cessation) -> str:
    """The end of a benchmark in one sentence."""
    follows = f" It is followed by {end.successor}." if end.successor else ""
    return (
        f"{end.benchmark} ceases after {end.last_date} (announced {end.announced_at.date()} by {end.actor}, approved by "
        f"{end.approved_by}): {end.notice.rstrip('.')}.{follows}"
    )
