"""From ballots to a fixing: waterfall of tiers, gates, estimator, fallback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..records import (
    STATUSES_OBSERVED,
    Fixing,
    Refusal,
    Status,
    Vote,
    percentile_half_even,
    round_to_decimals,
)
from .ballot import Ballot, count, input_digest
from .estimators import ESTIMATORS
from .gates import Counts, Gate, first_unmet, gates
from .methodology import Benchmark
from .weights import integer_weights, largest_share
from .windows import Window

SETTLEMENT_VENUES = 2
"""Fewest venues behind a settlement-grade value (definitions: default 2 for settlement grade)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one tier's ballots came to: weighed votes, gates asked, and a value or a refusal."""

    tier: str
    votes: tuple[Vote, ...]
    gates: tuple[Gate, ...]
    counts: Counts
    value_micros: int | None
    refusal: Refusal | None

    @property
    def thin_rule(self) -> str | None:
        """The first soft gate that is not met, where there is a value."""
        gate = first_unmet(list(self.gates), hard=False)
        return None if gate is None else gate.code


def weigh(benchmark: Benchmark, tier: str, ballots: Sequence[Ballot]) -> tuple[Vote, ...]:
    """Give each ballot its integer weight."""
    weights = integer_weights(
        benchmark.methodology, tier, [b.seller for b in ballots], [b.gpu_seconds for b in ballots]
    )
    total = sum(weights)
    return tuple(
        Vote(
            seller=b.seller,
            region=b.region,
            trade_id=None if b.observation_id is None else str(b.observation_id),
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


def evaluate(benchmark: Benchmark, tier: str, ballots: Sequence[Ballot]) -> Outcome:
    """Ask the gates of one tier's ballots and, if all hard ones are met, estimate the value."""
    methodology = benchmark.methodology
    counts = count(list(ballots))
    asked = gates(methodology, tier, counts)
    votes = weigh(benchmark, tier, ballots)
    unmet = first_unmet(asked, hard=True)
    value: int | None = None
    refusal: Refusal | None = None
    if unmet is not None:
        refusal = Refusal(unmet.code, f"{unmet.code} {unmet.found}<{unmet.needed}")
    else:
        estimated = ESTIMATORS[methodology.estimator].estimate(
            [v.value_micros for v in votes], [v.weight for v in votes]
        )
        if isinstance(estimated, Refusal):
            refusal = estimated
        else:
            value = round_to_decimals(estimated, methodology.decimals)
    return Outcome(tier, votes, tuple(asked), counts, value, refusal)


def decide(benchmark: Benchmark, ballots: Sequence[Ballot]) -> Outcome | None:
    """The waterfall: the first tier of ``inputs`` with a value; else the last tier that had votes.

    None when no tier has a vote.
    """
    last: Outcome | None = None
    for tier in benchmark.methodology.inputs:
        of_tier = [b for b in ballots if b.tier == tier]
        if not of_tier:
            continue
        outcome = evaluate(benchmark, tier, of_tier)
        if outcome.value_micros is not None:
            return outcome
        last = outcome
    return last


def make_fixing(
    benchmark: Benchmark,
    window: Window,
    ballots: Sequence[Ballot],
    *,
    archive_holds_day: bool,
    earlier: Fixing | None,
    reconstructed: bool,
) -> Fixing:
    """The fixing of one date.

    ``earlier`` is the latest fixing with a value of its own (OK or THIN) before this date, which
    a carry may repeat. ``archive_holds_day`` tells ``no_match`` from ``empty_window``.
    """
    methodology = benchmark.methodology
    outcome = decide(benchmark, ballots)
    base = Fixing(
        benchmark=benchmark.name,
        date=window.date,
        value_micros=None,
        status="GAP",
        rule=None,
        tier=None,
        n_observations=0,
        n_sellers=0,
        n_votes=0,
        n_venues=0,
        gpu_seconds=0,
        p25_micros=None,
        p75_micros=None,
        top_weight=None,
        carried_from=None,
        methodology=benchmark.methodology_name,
        methodology_version=methodology.version,
        methodology_hash=benchmark.methodology_hash,
        input_digest=input_digest(list(ballots)),
        effective_at=window.effective_at,
        simulated=any(b.simulated for b in ballots),
        reconstructed=reconstructed,
        rights="unknown" if any(b.rights_unknown for b in ballots) else "allowed",
        settlement_grade=False,
    )
    if outcome is None:
        rule = "no_match" if archive_holds_day else "empty_window"
        return _fall_back(benchmark, replace(base, rule=rule), earlier)
    values = [v.value_micros for v in outcome.votes]
    counted = replace(
        base,
        tier=outcome.tier,
        n_observations=outcome.counts.n_observations,
        n_sellers=outcome.counts.n_sellers,
        n_votes=outcome.counts.n_votes,
        n_venues=outcome.counts.n_venues,
        gpu_seconds=outcome.counts.gpu_seconds,
        top_weight=largest_share([v.seller for v in outcome.votes], [v.weight for v in outcome.votes]),
    )
    if outcome.value_micros is None:
        refused = outcome.refusal.code if outcome.refusal is not None else None
        return _fall_back(benchmark, replace(counted, rule=refused), earlier)
    status: Status = "OK" if outcome.thin_rule is None else "THIN"
    return replace(
        counted,
        value_micros=outcome.value_micros,
        status=status,
        rule=outcome.thin_rule,
        p25_micros=percentile_half_even(values, 25),
        p75_micros=percentile_half_even(values, 75),
        settlement_grade=outcome.tier != "listed" and outcome.counts.n_venues >= SETTLEMENT_VENUES,
    )


def _fall_back(benchmark: Benchmark, gap: Fixing, earlier: Fixing | None) -> Fixing:
    """Leave the gap, or repeat the last OK or THIN value where the methodology carries, at most n days."""
    methodology = benchmark.methodology
    if methodology.fallback != "carry" or earlier is None or earlier.status not in STATUSES_OBSERVED:
        return gap
    age_days = (gap.date - earlier.date).days
    if age_days > methodology.carry_days:
        return gap
    return replace(
        gap,
        value_micros=earlier.value_micros,
        status="CARRIED",
        tier=earlier.tier,
        carried_from=earlier.date,
        simulated=gap.simulated or earlier.simulated,
        rights="unknown" if "unknown" in (gap.rights, earlier.rights) else gap.rights,
    )
