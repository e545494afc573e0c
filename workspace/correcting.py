"""Correct: a restatement from the archive, or a value that a person sets, each a revision with its reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from ..index import Benchmark, build_fixings, windows_between
from ..index.governing import Correction, correction, judged, refuse_one_person
from ..records import Fixing, RentmarkError, format_instant, format_micros
from .building import Reader
from .core import Workspace
from .publishing import origin_of, refuse_stale
from .resolving import with_ratings
from .rulebook import Span, cessation, span_on, spans


def restate(
    workspace: Workspace,
    name: str,
    day: date,
    *,
    reason: str,
    actor: str,
    approved_by: str | None = None,
) -> Fixing:
    """Append a revision of one date from the archive as it stands, under the rules it was published with.

    Raises RentmarkError when nothing changed, and, with a record of it, when the error policy lets the
    published value stand: under ``republication_threshold`` or after ``republication_window_days``.
    """
    if not reason.strip():
        raise RentmarkError("A restatement needs a reason; add --reason.")
    if approved_by is not None:
        refuse_one_person(actor, approved_by)
    workspace.configuration.versions_of(name)
    rows = [f for f in workspace.store.tape(name, revisions="all") if f.date == day]
    if not rows:
        raise RentmarkError(f"{name} has no published fixing on {day}; publish it first.")
    if rows[-1].judgement is not None and approved_by is None:
        raise RentmarkError(
            f"{name} on {day} stands by the judgement of {rows[-1].actor} and {rows[-1].approved_by}; "
            "a second person approves what takes its place: add --approved-by."
        )
    benchmark = _rules_of(workspace, name, rows[-1])
    seen_until = workspace.store.now()
    made = _made(workspace, benchmark, day, seen_until)
    change = correction(rows[-1], made)
    if change.nothing:
        raise RentmarkError(
            f"Nothing to restate: {name} on {day} comes to the same value from the same inputs."
        )
    _refuse_by_policy(workspace, benchmark, change, rows[0], reason=reason, actor=actor)
    made = replace(made, reason=reason, actor=actor, approved_by=approved_by)
    return _append(workspace, benchmark, made, seen_until)


def override(
    workspace: Workspace,
    name: str,
    day: date,
    *,
    value_micros: int | None,
    reason: str,
    actor: str,
    approved_by: str,
) -> Fixing:
    """Put a judged value, or none, in place of what the rules give; a second person approves.

    On a published date it is a revision, under the same error policy as a restatement; else the first print.
    Raises RentmarkError for a date that has no fixing or whose cut-off has not passed.
    """
    if not reason.strip():
        raise RentmarkError("An override needs a reason; add --reason.")
    refuse_one_person(actor, approved_by)
    rules = spans(workspace, name)
    if rules[0].benchmark.research:
        raise RentmarkError(
            f"{name} is a research benchmark: nothing of it is published, so nothing is overridden."
        )
    end = cessation(workspace, name)
    if end is not None and day > end.last_date:
        raise RentmarkError(
            f"{name} has ceased; its last fixing date is {end.last_date}, and {day} is later."
        )
    rows = [f for f in workspace.store.tape(name, revisions="all") if f.date == day]
    benchmark = _rules_of(workspace, name, rows[-1]) if rows else span_on(rules, day).benchmark
    seen_until = workspace.store.now()
    made = judged(_made(workspace, benchmark, day, seen_until), value_micros)
    if rows:
        change = correction(rows[-1], made)
        if rows[-1].judgement == reason and rows[-1].value_micros == value_micros:
            raise RentmarkError(f"Nothing to override: {name} on {day} stands at that value by judgement.")
        _refuse_by_policy(workspace, benchmark, change, rows[0], reason=reason, actor=actor)
    made = replace(
        made, judgement=reason, reason=reason if rows else None, actor=actor, approved_by=approved_by
    )
    return _append(workspace, benchmark, made, seen_until)


def _rules_of(workspace: Workspace, name: str, row: Fixing) -> Benchmark:
    """The rules that a published row is corrected under: those it was published with.

    Where the file still states them, what grows beside them (catalogue, ratings) is taken as of now.
    """
    recorded = Benchmark.from_resolved(name, workspace.store.methodology(row.methodology_hash))
    today = span_on(spans(workspace, name), row.date).benchmark
    then, now = recorded.resolved(), today.resolved()
    if all(then[part] == now[part] for part in ("grade", "grade_name", "methodology", "methodology_name")):
        return today
    if recorded.grade.rating is None:
        return recorded
    return with_ratings(workspace, replace(recorded, recorded=None), None)


def _made(workspace: Workspace, benchmark: Benchmark, day: date, seen_until: datetime) -> Fixing:
    """What the rules give for a date from the archive as it stands."""
    windows = windows_between(benchmark.methodology, day, day, seen_until)
    if not windows:
        raise RentmarkError(
            f"{benchmark.name} has no fixing on {day}: it is no fixing date, or its cut-off has not passed at "
            f"{format_instant(seen_until)}."
        )
    with workspace.engine() as engine:
        reader = Reader(workspace, engine)
        files = reader.files(seen_until=seen_until, reconstructed=False)
        return build_fixings(
            benchmark,
            reader.ballots(benchmark, windows, files, reconstructed=False),
            windows,
            archive_holds=reader.archive_holds(benchmark, windows, files, reconstructed=False),
            published={f.date: f for f in workspace.store.tape(benchmark.name) if f.date < day},
            reconstructed=False,
            simulated=workspace.store.simulated,
            absent_sources=reader.absent_sources(benchmark, windows, files, reconstructed=False),
        )[0]


def _refuse_by_policy(
    workspace: Workspace, benchmark: Benchmark, change: Correction, first: Fixing, *, reason: str, actor: str
) -> None:
    """Let the published value stand where the error policy says so: record it, and raise RentmarkError."""
    methodology, before, after = benchmark.methodology, change.before, change.after
    window = methodology.republication_window_days
    assert first.published_at is not None
    closed_at = None if window is None else first.published_at + timedelta(days=window)
    if closed_at is not None and workspace.store.now() > closed_at:
        why = (
            f"the republication window of {window} days closed at {format_instant(closed_at)} "
            "(republication_window_days)"
        )
    elif not change.material(methodology):
        moved = "no change of the value" if change.move is None else f"{float(change.move):+.3%}"
        why = f"{moved} is under the threshold of {methodology.republication_threshold} (republication_threshold)"
    else:
        return
    _record_correction(workspace, before, after, why=why, reason=reason, actor=actor)
    raise RentmarkError(
        f"{before.benchmark} on {before.date} stands at {_shown(before)}: {why}; the correction to {_shown(after)} is "
        "recorded and not made."
    )


def _record_correction(
    workspace: Workspace, before: Fixing, after: Fixing, *, why: str, reason: str, actor: str
) -> None:
    from ..store.governance import GovernanceEvent, add_event, governance_events

    content = {
        "value": None if after.value_micros is None else format_micros(after.value_micros),
        "last_value": None if before.value_micros is None else format_micros(before.value_micros),
        "revision": before.revision,
        "input_digest": after.input_digest,
        "why": why.partition(" closed")[0],
    }
    event = GovernanceEvent(
        kind="correction",
        subject=before.benchmark,
        date=before.date,
        content=content,
        actor=actor,
        reason=f"{reason} (not made: {why})",
    )
    known = governance_events(workspace.store, before.benchmark, "correction")
    if not any((e.date, dict(e.content)) == (event.date, content) for e in known):
        add_event(workspace.store, event)


def _shown(fixing: Fixing) -> str:
    return f"GAP {fixing.rule}" if fixing.value_micros is None else format_micros(fixing.value_micros)


def _append(workspace: Workspace, benchmark: Benchmark, made: Fixing, seen_until: datetime) -> Fixing:
    """Append one row of a date after whatever stands of it."""
    workspace.store.save_methodology(benchmark.methodology_hash, benchmark.resolved())
    span = Span(benchmark, workspace.configuration.versions_of(benchmark.name)[0], None, None)

    def make(tape: list[Fixing], published_at: datetime) -> list[Fixing]:
        refuse_stale([span], tape, [made])
        latest = max((f.revision for f in tape if f.date == made.date), default=-1)
        origin = origin_of(benchmark, made, published_at)
        return [replace(made, built_as_of=seen_until, revision=latest + 1, origin=origin)]

    return workspace.store.append_fixings(make, benchmark.name)[0]
