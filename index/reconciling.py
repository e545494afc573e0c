"""Reconciling: whether what was printed is what its own working comes to, figure by figure, to the micro-dollar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..records import Fixing, format_micros
from .ballot import Ballot, input_digest
from .gates import Gate
from .methodology import Methodology
from .state import State

if TYPE_CHECKING:
    from .explain import Explanation


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One figure worked again beside the printed one. ``sentence`` says what was added up."""

    what: str
    worked: str
    printed: str
    sentence: str

    @property
    def agrees(self) -> bool:
        """Whether the two are the same text: prices to the micro-dollar, digests to the last digit."""
        return self.worked == self.printed


def reconciled(told: Explanation, ballots: Sequence[Ballot], rules: Methodology) -> tuple[Reconciled, ...]:
    """Every printed figure of a fixing against its working: value, steps, observations, votes, inputs and state.

    ``ballots`` are those of its window. A value that a person set is held against nothing.
    """
    fixing = told.fixing
    held = [*_value(told), _inputs(fixing, ballots), *_counts(told)]
    if rules.reads_state:
        held.append(_state(fixing, told.state))
    return tuple(held)


def _value(told: Explanation) -> list[Reconciled]:
    fixing, outcome = told.fixing, told.outcome
    printed = _price(fixing.value_micros)
    if fixing.judgement is not None:
        return []
    if fixing.status == "CARRIED":
        before = [r for r in told.state.recent if r.date == fixing.carried_from]
        worked = _price(before[-1].value_micros) if before else "none"
        return [Reconciled("value", worked, printed, f"the value of {fixing.carried_from}, carried")]
    steps = () if outcome is None else outcome.steps
    lines = []
    for number, made in enumerate(steps, 1):
        place = f"step {number}, {made.name}"
        lines.append(
            Reconciled(
                f"step {number}", str(made.worked), str(made.result), f"{place}: worked from its terms"
            )
        )
    if not steps:
        why = "no vote" if outcome is None else "no step, as a hard gate or the caps refused"
        return [Reconciled("value", "none", printed, why)]
    last = steps[-1]
    return [*lines, Reconciled("value", _price(int(last.result)), printed, f"the last step, {last.name}")]


def _inputs(fixing: Fixing, ballots: Sequence[Ballot]) -> Reconciled:
    sentence = f"digest over {len(ballots):,} votes before any screen"
    return Reconciled("input_digest", input_digest(ballots), fixing.input_digest, sentence)


def _counts(told: Explanation) -> list[Reconciled]:
    """The funnel: rows of the window, those in, the votes they make, and the weight of these."""
    fixing, outcome = told.fixing, told.outcome
    n_rows, n_in = len(told.observations), told.funnel.get("in", 0)
    parts = " + ".join(f"{count:,} {code}" for code, count in told.funnel.items()) or "none"
    held = [
        Reconciled(
            "window", str(sum(told.funnel.values())), str(n_rows), f"{parts}: observations of the window"
        )
    ]
    votes = () if outcome is None else outcome.votes
    added = sum(vote.n_observations for vote in votes)
    held.append(
        Reconciled("observations", str(n_in), str(added), "observations in, and those behind the votes")
    )
    if fixing.tier is not None and fixing.carried_from is None:
        held.append(Reconciled("n_observations", str(added), str(fixing.n_observations), "behind the votes"))
        held.append(Reconciled("n_votes", str(len(votes)), str(fixing.n_votes), "votes that stand"))
    for part in (
        () if outcome is None else outcome.parts or (outcome,)
    ):  # a blend weighs the votes of each tier
        if part.votes:
            weight, total = sum(vote.weight for vote in part.votes), part.votes[0].total_weight
            held.append(Reconciled("weight", str(weight), str(total), f"weights of the {part.tier} votes"))
    return held


def _state(fixing: Fixing, state: State) -> Reconciled:
    import json

    details: dict[str, Any] = json.loads(fixing.details) if fixing.details else {}
    sealed = str(details.get("state", "none"))
    return Reconciled(
        "state", state.digest, sealed, "what the rules read of earlier fixings, and what is sealed of it"
    )


def _price(micros: int | None) -> str:
    return "none" if micros is None else format_micros(micros)


def short_by(gate: Gate) -> int | float:
    """How far a gate was from being met, in its own unit; 0 where it was."""
    if gate.met:
        return 0
    away = gate.found - gate.needed if gate.at_most else gate.needed - gate.found
    return away if isinstance(away, int) else float(away)


def failing(gate: Gate) -> str:
    """How far an unmet gate was, in words."""
    found, needed = (v if isinstance(v, int) else f"{float(v):.6f}" for v in (gate.found, gate.needed))
    away = short_by(gate)
    by = away if isinstance(away, int) else f"{away:.6f}"
    if gate.at_most:
        return f"{gate.code}: {found} where {needed} is allowed, {by} too much"
    return f"{gate.code}: {found} where {needed} are needed, {by} short"
