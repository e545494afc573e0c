"""Evaluation: one tier's ballots of a day screened, weighed, gated and estimated, with every step kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from ..records import Refusal, Vote, round_fraction, round_to_decimals, to_microseconds
from .ballot import Ballot, count
from .caps import CapLine
from .estimators import Earlier, Parameters, Slate, Step, Term
from .estimators.steps import step
from .exact import exact
from .gates import Counts, Gate, dispersion_of, first_unmet, gates, reopening_gate
from .methodology import Benchmark, Methodology
from .screens import Screened, screened
from .state import EMPTY, State
from .weights import capped_weights, integer_weights
from .windows import Window


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one tier's ballots came to: weighed votes, gates asked, and a value or a refusal.

    ``beside`` is what the estimator publishes with it. ``parts`` are the tiers of a blend, and
    ``part_shares`` what each weighs in it. ``pending_days`` counts the days in a row on
    which every gate was met while the way out of a gap was not yet over.
    """

    tier: str
    votes: tuple[Vote, ...]
    gates: tuple[Gate, ...]
    counts: Counts
    value_micros: int | None
    refusal: Refusal | None
    ballots: tuple[Ballot, ...] = ()
    screened: tuple[Screened, ...] = ()
    notes: tuple[str, ...] = ()
    caps: tuple[CapLine, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Outcome, ...] = ()
    part_shares: tuple[Fraction, ...] = ()
    pending_days: int = 0
    work: Callable[[], tuple[Step, ...]] = field(default=tuple, compare=False, repr=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The arithmetic from the votes to the value, worked out when it is asked for."""
        return self.work()

    @property
    def top_share(self) -> Fraction | None:
        """The largest share of the weight that one seller holds, or None without weight."""
        held: dict[str, Fraction] = {}
        for part, share in zip(self.parts, self.part_shares, strict=True):
            weights = weights_by_seller(part.votes)
            for seller, weight in weights.items():
                held[seller] = held.get(seller, Fraction(0)) + share * Fraction(weight, weights.total())
        if held:
            return max(held.values())
        weights = weights_by_seller(self.votes)
        return Fraction(max(weights.values()), weights.total()) if weights.total() else None

    @property
    def thin_rule(self) -> str | None:
        """The first soft gate that is not met, where there is a value."""
        gate = first_unmet(self.gates, hard=False)
        return None if gate is None else gate.code

    @property
    def standing(self) -> tuple[Ballot, ...]:
        """The ballots that were not screened."""
        gone = {id(s.ballot) for s in self.screened}
        return tuple(b for b in self.ballots if id(b) not in gone)


def weights_by_seller(votes: Sequence[Vote]) -> Counter[str]:
    """The weight that each seller holds."""
    weights: Counter[str] = Counter()
    for vote in votes:
        weights[vote.seller] += vote.weight
    return weights


def weigh(
    methodology: Methodology, tier: str, ballots: Sequence[Ballot], window: tuple[int, int]
) -> tuple[tuple[Vote, ...], tuple[CapLine, ...], Refusal | None]:
    """Give each ballot its integer weight; where the caps can't be met, the weights before them, and why."""
    weights = integer_weights(methodology, tier, ballots, window)
    held = capped_weights(methodology, ballots, weights)
    lines: tuple[CapLine, ...] = ()
    refusal = held if isinstance(held, Refusal) else None
    if not isinstance(held, Refusal):
        weights, lines = held
    total = sum(weights)
    votes = tuple(
        Vote(
            seller=b.seller,
            region=b.region,
            sku=b.sku,
            tier=b.tier,
            observation_id=b.observation_id,
            value_micros=b.value_micros,
            weight=weight,
            total_weight=total,
            n_observations=b.n_observations,
            gpu_seconds=b.gpu_seconds,
            venues=len(b.venues),
            content_xor=f"{b.content_xor & (2**64 - 1):016x}",
        )
        for b, weight in zip(ballots, weights, strict=True)
    )
    return votes, lines, refusal


def evaluate(
    benchmark: Benchmark, tier: str, ballots: Sequence[Ballot], window: Window, state: State = EMPTY
) -> Outcome:
    """Screen one tier's ballots, ask the gates of what stands and, if all hard ones are met, estimate the value."""
    rules = benchmark.methodology
    screening = screened(rules, tier, window.date, ballots, state)
    counts = count(screening.standing)
    dispersion = _dispersion(rules, tier, screening.standing, window, state)
    asked = gates(rules, tier, counts, dispersion=dispersion, in_gap=state.in_gap)
    span = (to_microseconds(window.start), to_microseconds(window.end))
    votes, lines, infeasible = weigh(rules, tier, screening.standing, span)
    unmet = first_unmet(asked, hard=True)
    pending = 0
    if unmet is None and state.in_gap and infeasible is None:
        last = reopening_gate(rules, state.last.pending_days if state.last else 0)
        if last is not None:
            asked.insert(sum(gate.hard for gate in asked), last)
            unmet = None if last.met else last
            pending = 0 if last.met else int(last.found)
    value: int | None = None
    beside: Mapping[str, Any] = {}
    slate = Slate(
        prices=tuple(v.value_micros for v in votes),
        weights=tuple(v.weight for v in votes),
        ids=tuple(b.id for b in screening.standing),
        instants=tuple(b.instant or span[0] for b in screening.standing),
        window=span,
        history=_history(rules, tier, window, state),
        parameters=parameters_of(rules),
    )
    refusal = Refusal(unmet.code, unmet.sentence) if unmet is not None else infeasible
    if refusal is None:
        estimated = _estimated(rules, slate)
        if isinstance(estimated, Refusal):
            refusal = estimated
        else:
            found, beside = estimated
            value = round_to_decimals(round_fraction(found), rules.decimals)
            if value <= 0:
                value = None
                refusal = Refusal("rounds_to_zero", f"{rules.decimals} decimals leave nothing of the value")
    return Outcome(
        tier=tier,
        votes=votes,
        gates=tuple(asked),
        counts=counts,
        value_micros=value,
        refusal=refusal,
        ballots=tuple(ballots),
        screened=screening.screened,
        notes=screening.notes,
        caps=lines,
        beside=beside,
        pending_days=pending,
        work=tuple if value is None else partial(_steps, rules, slate),
    )


def _estimated(rules: Methodology, slate: Slate) -> tuple[Fraction, Mapping[str, Any]] | Refusal:
    """The exact value and what stands beside it."""
    rule = rules.rule
    if rule.value is not None and sum(slate.weights) > 0:
        return rule.value(slate), {}
    made = rule.work(slate)
    return made if isinstance(made, Refusal) else (made.value, made.beside)


def _steps(rules: Methodology, slate: Slate) -> tuple[Step, ...]:
    made = rules.rule.work(slate)
    return () if isinstance(made, Refusal) else (*made.steps, *rounding(rules, made.value))


def rounding(rules: Methodology, value: Fraction) -> tuple[Step, ...]:
    """The one rounding to a micro-dollar, and that to the decimals of the methodology where they are fewer."""
    first = step("rounded half-even to a millionth of a dollar", "round", [Term("value", value)], Fraction(1))
    if rules.decimals == 6:
        return (first,)
    unit = Fraction(10 ** (6 - rules.decimals))
    return (
        first,
        step(f"rounded half-even to {rules.decimals} decimals", "round", [Term("value", first.result)], unit),
    )


def parameters_of(rules: Methodology) -> Parameters:
    """The keys of a methodology that its estimator reads."""
    return Parameters(
        tail=None if rules.tail is None else exact(rules.tail),
        partitions=rules.partitions,
        spread_floor=None if rules.spread_floor is None else exact(rules.spread_floor),
        splice=rules.splice,
        min_sellers=rules.min_sellers,
    )


def _history(rules: Methodology, tier: str, window: Window, state: State) -> tuple[Earlier, ...]:
    if "history" not in rules.rule.reads:
        return ()
    return state.history(tier, window.date, rules.memory_days or 0)


def _dispersion(
    rules: Methodology, tier: str, standing: Sequence[Ballot], window: Window, state: State
) -> Fraction | None:
    if rules.max_dispersion is None:
        return None
    days = [[b.value_micros for b in standing]]
    if rules.dispersion_days > 1:
        days += [list(e.votes.values()) for e in state.history(tier, window.date, rules.dispersion_days - 1)]
    return dispersion_of(days)
