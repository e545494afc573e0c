"""Publish and release: candidates onto the tape, and those kept off it until a second person has looked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from ..index import Benchmark, first_stale
from ..index.governing import Hold, refuse_one_person, rules_changed, split_held
from ..index.rule_words import percent
from ..records import Fixing, Origin, RentmarkError, format_micros
from ..store.places import Place, append_in_place, candidate_hashes, first_unpublished, tape_places
from ..store.standing import candidate_marks
from .building import Reader, build_several
from .core import Workspace
from .governing import HeldFixing, hold_content, open_holds
from .rulebook import Span, levels_held, new_version_events, span_on, spans
from .views import LATEST

if TYPE_CHECKING:
    from ..store.governance import GovernanceEvent


def publish(workspace: Workspace, name: str, *, through: date | None = None, actor: str) -> list[Fixing]:
    """Append candidates up to a date to the tape as revision 0; dates already there stay as they are.

    What moves beyond ``hold_move`` is held instead (``governing.open_holds``), and what has a publication
    time that is still to come is left for later. Raises RentmarkError for a research benchmark, for
    candidates made under other rules than today's, for rules that were edited without a new version, and
    for sources whose rights are unknown.
    """
    store = workspace.store
    with store.database.one_state():
        rules = spans(workspace, name)
        if rules[0].benchmark.research:
            raise RentmarkError(
                f"{name} is a research benchmark: it may be built and studied, not published."
            )
        hashes = candidate_hashes(store, name, LATEST)
        if not hashes:
            raise RentmarkError(f"Nothing to publish for {name}; run `rentmark index build {name}` first.")
        if not _made_under(workspace, name, rules, hashes):
            raise RentmarkError(
                f"The rules of {name} changed since it was built; run `rentmark index build {name}` again."
            )
        now = store.now()
        places = tape_places(store, name)
        first_new = first_unpublished(store, name, LATEST)
        candidates = [] if first_new is None else store.candidates(name, LATEST, first_new)
    end = rules[-1].last
    standing = {place.date for place in places}
    due = [
        f
        for f in candidates
        if (through is None or f.date <= through)
        and (end is None or f.date <= end)
        and (span_on(rules, f.date).benchmark.methodology.publication_time is None or f.effective_at <= now)
    ]
    fresh = [f for f in due if f.date not in standing]
    unknown = [f.date for f in fresh if f.rights == "unknown"]
    if unknown:
        raise RentmarkError(
            f"{name} on {unknown[0]} rests on a source whose rights for index use are unknown; state them "
            "(a license column or rights in the mapping) or name other sources in the grade."
        )
    for span in _spans_of(rules, fresh):
        _refuse_edited_rules(workspace, span.benchmark, places)
        workspace.store.save_methodology(span.benchmark.methodology_hash, span.benchmark.resolved())
    versions = new_version_events(workspace, name, actor) if fresh else []
    _record(workspace, versions)
    methodologies = {span.benchmark.methodology_hash: span.benchmark.methodology for span in rules}

    def signed(fixing: Fixing, published_at: datetime) -> Fixing:
        origin = origin_of(span_on(rules, fixing.date).benchmark, fixing, published_at)
        return replace(fixing, origin=origin, actor=actor)

    if not any(m.reads_state or m.hold_move for m in methodologies.values()):

        def make(tape: list[Place], published_at: datetime) -> list[Fixing]:
            current = {place.date for place in tape}
            return [signed(f, published_at) for f in due if f.date not in current]

        return append_in_place(workspace.store, name, make)

    def decide(
        tape: list[Fixing], events: list[GovernanceEvent], published_at: datetime
    ) -> tuple[list[Fixing], list[GovernanceEvent]]:
        current = {f.date: f for f in tape}  # in append order, so the latest revision of a date stands
        new = [f for f in due if f.date not in current]
        printed, holds = split_held(
            current, new, lambda f: methodologies[f.methodology_hash], levels_held(events, current)
        )
        refuse_stale(rules, tape, printed)
        return [signed(f, published_at) for f in printed], _hold_events(holds, events, actor)

    if any(methodology.hold_move for methodology in methodologies.values()):
        from ..store.governance import govern

        return govern(workspace.store, name, decide)[0]
    return workspace.store.append_fixings(lambda tape, at: decide(tape, [], at)[0], name)


def _made_under(workspace: Workspace, name: str, rules: Sequence[Span], hashes: set[str]) -> bool:
    """Whether the candidates, of these hashes, were each made under the rules that apply to its date."""
    if len(rules) == 1:
        return hashes == {rules[0].benchmark.methodology_hash}
    marks = candidate_marks(workspace.store.database, name, LATEST)
    return all(m.methodology_hash == span_on(rules, m.date).benchmark.methodology_hash for m in marks)


def release(
    workspace: Workspace, name: str, day: date, *, reason: str, actor: str, approved_by: str
) -> Fixing:
    """Publish a held fixing as it was held, approved by a second person.

    ``approved_by`` is another than ``actor`` and than who published when it was held. Raises
    RentmarkError where nothing is held, one person alone acts, or the candidate has changed since.
    """
    if not reason.strip():
        raise RentmarkError("A release needs a reason; add --reason.")
    held = held_on(workspace, name, day)
    refuse_one_person(actor, approved_by, held.actor)
    candidate = next((f for f in workspace.store.candidates(name, LATEST) if f.date == day), None)
    if candidate is None or not held.is_of(candidate):
        raise RentmarkError(
            f"The candidate of {name} on {day} is not the one that was held; run `rentmark index build {name}` "
            f"and `rentmark index publish {name}` to hold what it comes to now."
        )
    rules = spans(workspace, name)
    benchmark = span_on(rules, day).benchmark
    workspace.store.save_methodology(benchmark.methodology_hash, benchmark.resolved())
    ready = replace(candidate, actor=actor, approved_by=approved_by, reason=reason)

    def make(tape: list[Fixing], published_at: datetime) -> list[Fixing]:
        if any(f.date == day for f in tape):
            raise RentmarkError(
                f"{name} on {day} stands on the tape already; `rentmark index show` prints it."
            )
        refuse_stale(rules, tape, [candidate])
        return [replace(ready, origin=origin_of(benchmark, candidate, published_at))]

    return workspace.store.append_fixings(make, name)[0]


def held_on(workspace: Workspace, name: str, day: date) -> HeldFixing:
    """The fixing of a date that is held. Raises RentmarkError where none is."""
    workspace.configuration.versions_of(name)
    held = next((h for h in open_holds(workspace, name) if h.date == day), None)
    if held is None:
        raise RentmarkError(f"{name} has no held fixing on {day}; `rentmark index holds` lists what is held.")
    return held


def refuse_stale(rules: Sequence[Span], tape: Sequence[Fixing], candidates: Sequence[Fixing]) -> None:
    """Raise RentmarkError for a candidate that read other earlier fixings than those that now stand."""
    stands = list(tape)
    for span in _spans_of(rules, candidates):
        ours = [f for f in candidates if span_on(rules, f.date) is span]
        stale = first_stale(span.benchmark, stands, ours)
        if stale is not None:
            name = span.benchmark.name
            raise RentmarkError(
                f"{name} on {stale.date} was built on earlier fixings that have changed since; "
                f"run `rentmark index build {name}` again."
            )
        stands += ours


def build_and_publish(
    workspace: Workspace,
    names: Sequence[str],
    *,
    only: tuple[date, date] | None = None,
    actor: str,
    threads: int | None = None,
) -> int:
    """Build and publish several benchmarks with one engine; returns how many fixings were published."""
    published = 0
    with workspace.engine(threads=threads) as engine:
        build_several(workspace, names, only=only, reader=Reader(workspace, engine))
    with workspace.store.database.flushed_together():
        for name in names:
            published += len(publish(workspace, name, actor=actor))
    return published


def origin_of(benchmark: Benchmark, fixing: Fixing, published_at: datetime) -> Origin:
    """Live when published within the grace period after it became effective, else backcast."""
    grace = timedelta(hours=benchmark.methodology.publication_grace_hours)
    return "live" if published_at <= fixing.effective_at + grace else "backcast"


def _spans_of(rules: Sequence[Span], fixings: Sequence[Fixing]) -> list[Span]:
    """The spans that any of these dates fall under, oldest first."""
    if len(rules) == 1:
        return list(rules) if fixings else []
    used = {id(span_on(rules, f.date)) for f in fixings}
    return [span for span in rules if id(span) in used]


def _refuse_edited_rules(workspace: Workspace, benchmark: Benchmark, tape: Sequence[Place]) -> None:
    """Raise RentmarkError where rows under this very version were published under other rules."""
    part = rules_changed(tape, benchmark, workspace.store.methodology)
    if part is None:
        return
    version = benchmark.methodology.version
    what = {"grade": f"[grades.{benchmark.grade_name}]", "grade_name": "the grade"}.get(
        part, f"[methodologies.{benchmark.methodology_name}]"
    )
    raise RentmarkError(
        f"{what} was edited, and {benchmark.name} has published fixings under version {version} as it was; "
        f"put it back, or add [[methodologies.{benchmark.methodology_name}.versions]] with a new version and "
        "the date it takes effect."
    )


def _record(workspace: Workspace, events: Sequence[GovernanceEvent]) -> None:
    """Keep the versions that are published under for the first time."""
    if not events:
        return
    from ..store.governance import add_event

    for event in events:
        add_event(workspace.store, event)


def _hold_events(
    holds: Sequence[Hold], known: Sequence[GovernanceEvent], actor: str
) -> list[GovernanceEvent]:
    """What to record of holds that are not on record as they stand."""
    from ..store.governance import GovernanceEvent

    latest = {event.date: event.content for event in known if event.kind == "hold"}
    return [
        GovernanceEvent(
            kind="hold",
            subject=hold.fixing.benchmark,
            date=hold.fixing.date,
            content=content,
            actor=actor,
            reason=(
                f"{format_micros(hold.fixing.value_micros or 0)} moves {float(hold.move):+.1%} against "
                f"{format_micros(hold.last_value_micros)} of {hold.last_date}, beyond {percent(hold.limit)}"
            ),
        )
        for hold in holds
        if latest.get(hold.fixing.date) != (content := hold_content(hold))
    ]
