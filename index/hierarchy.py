"""Hierarchy of inputs: which tier gives the value, and what the others say beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..records import TIERS
from .ballot import Ballot, count
from .estimators import Term
from .estimators.steps import step
from .evaluation import Outcome, evaluate, rounding
from .exact import exact
from .methodology import Benchmark
from .state import EMPTY, State
from .windows import Window

BLEND, POOL = "blend", "pool"
"""What stands as the tier of a value that several tiers made."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a day came to: the ``outcome`` that counts, None without a vote, and what each tier came to alone."""

    outcome: Outcome | None
    tiers: tuple[Outcome, ...]

    @property
    def levels(self) -> dict[str, int]:
        """The value of each tier that has one, micro-USD."""
        return {o.tier: o.value_micros for o in self.tiers if o.value_micros is not None}


def decide(benchmark: Benchmark, ballots: Sequence[Ballot], window: Window, state: State = EMPTY) -> Decision:
    """Which tier's value counts, by the methodology's ``hierarchy``.

    ``waterfall``: the first of ``inputs`` with a value, else the last that had votes names the rule.
    ``first``: the first of ``inputs`` alone; the others only stand beside it. ``blend``: the mean of the
    tiers' values by their stated shares, over those that have one. ``pool``: the votes of all tiers as
    one, weighed by ``tier_weights``.
    """
    rules = benchmark.methodology
    by_tier = {tier: [b for b in ballots if b.tier == tier] for tier in rules.inputs}
    if rules.hierarchy == POOL:
        if not any(by_tier.values()):
            return Decision(None, ())
        pooled = sorted((b for held in by_tier.values() for b in held), key=lambda b: b.order)
        return Decision(evaluate(benchmark, POOL, pooled, window, state), ())
    asked = {tier: evaluate(benchmark, tier, held, window, state) for tier, held in by_tier.items() if held}
    tiers = tuple(asked.values())
    if not tiers:
        return Decision(None, ())
    valued = [outcome for outcome in tiers if outcome.value_micros is not None]
    if rules.hierarchy == "first":
        first = rules.inputs[0]
        return Decision(asked.get(first) or evaluate(benchmark, first, [], window, state), tiers)
    if rules.hierarchy == BLEND and len(valued) > 1:
        return Decision(_blended(benchmark, valued), tiers)
    return Decision(valued[0] if valued else tiers[-1], tiers)


def _blended(benchmark: Benchmark, valued: Sequence[Outcome]) -> Outcome:
    """The blend of the tiers that have a value, each with its steps before the one that joins them."""
    rules = benchmark.methodology
    shares = {tier: exact(share) for tier, share in (rules.blend or {}).items()}
    parts = [(outcome, shares[tier]) for tier in TIERS for outcome in valued if outcome.tier == tier]
    terms = [Term(f"{o.tier} level", Fraction(o.value_micros or 0), share) for o, share in parts]
    joined = step("blend of the tiers by their stated shares", "mean", terms)
    last = rounding(rules, joined.result)
    whole = sum((share for _, share in parts), Fraction(0))
    return Outcome(
        tier=BLEND,
        votes=tuple(v for o, _ in parts for v in o.votes),
        gates=tuple(g for o, _ in parts for g in o.gates),
        counts=count([b for o, _ in parts for b in o.standing]),
        value_micros=int(last[-1].result),
        refusal=None,
        ballots=tuple(b for o, _ in parts for b in o.ballots),
        screened=tuple(s for o, _ in parts for s in o.screened),
        notes=tuple(f"{o.tier}: {note}" for o, _ in parts for note in o.notes),
        caps=tuple(line for o, _ in parts for line in o.caps),
        parts=tuple(o for o, _ in parts),
        part_shares=tuple(share / whole for _, share in parts),
        work=lambda: (*(s for o, _ in parts for s in o.steps), joined, *last),
    )
