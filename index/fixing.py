"""From ballots to a fixing: hierarchy of tiers, gates, estimator, fallback, and what is sealed beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..records import Fixing, Status, percentile_half_even
from .ballot import Ballot, input_digest
from .details import details_of
from .evaluation import Outcome, evaluate
from .hierarchy import Decision, decide
from .methodology import Benchmark
from .sampling import sampled
from .state import EMPTY, State
from .weights import six_decimals
from .windows import Window

SETTLEMENT_VENUES = 2
"""Fewest venues behind a settlement-grade value (definitions: default 2 for settlement grade)."""

__all__ = ["Decision", "Outcome", "decide", "evaluate", "make_fixing"]


def make_fixing(
    benchmark: Benchmark,
    window: Window,
    ballots: Sequence[Ballot],
    *,
    archive_holds_day: bool,
    state: State = EMPTY,
    reconstructed: bool,
    simulated: bool = False,
    absent_sources: Sequence[str] = (),
) -> Fixing:
    """The fixing of one date: a function of its ballots and of the ``state`` that its rules read.

    ``archive_holds_day`` tells ``no_match`` from ``empty_window``. ``simulated`` marks a day of a
    simulated workspace, which may have no vote that could say so. Rights are those of the tiers that gave
    the value. Ballots of a part of the window (``slice``) serve the sampling beside the level alone.
    ``absent_sources`` are those of ``outage_sources`` from which nothing came: then there is no value of the day.
    """
    methodology = benchmark.methodology
    whole = [b for b in ballots if b.slice == 0]
    decision = decide(benchmark, whole, window, state)
    outcome = decision.outcome
    used = () if outcome is None else outcome.ballots
    chained = state.recent if "history" in methodology.rule.reads else ()
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
        input_digest=input_digest(ballots),
        effective_at=window.effective_at,
        simulated=simulated or any(b.simulated for b in used) or any(r.simulated for r in chained),
        reconstructed=reconstructed,
        rights="unknown"
        if any(b.rights_unknown for b in used) or any(r.rights == "unknown" for r in chained)
        else "allowed",
        settlement_grade=False,
        details=details_of(methodology, window, decision, state, sampled(benchmark, ballots, window, state)),
    )
    if absent_sources:
        outage = replace(base, rule="feed_outage")
        return _carry_or_leave(outage, state, methodology.outage_carry_days)
    if outcome is None:
        rule = "no_match" if archive_holds_day else "empty_window"
        return _fall_back(benchmark, replace(base, rule=rule), state)
    values = sorted(v.value_micros for v in outcome.votes)
    counted = replace(
        base,
        tier=outcome.tier,
        n_observations=outcome.counts.n_observations,
        n_sellers=outcome.counts.n_sellers,
        n_votes=outcome.counts.n_votes,
        n_venues=outcome.counts.n_venues,
        gpu_seconds=outcome.counts.gpu_seconds,
        top_weight=None if outcome.top_share is None else six_decimals(outcome.top_share),
    )
    if outcome.value_micros is None:
        refused = outcome.refusal.code if outcome.refusal is not None else None
        return _fall_back(benchmark, replace(counted, rule=refused), state)
    status: Status = "OK" if outcome.thin_rule is None else "THIN"
    listed_only = {vote.tier for vote in outcome.votes} == {"listed"}
    return replace(
        counted,
        value_micros=outcome.value_micros,
        status=status,
        rule=outcome.thin_rule,
        p25_micros=percentile_half_even(values, 25),
        p75_micros=percentile_half_even(values, 75),
        settlement_grade=not listed_only and outcome.counts.n_venues >= SETTLEMENT_VENUES,
    )


def _fall_back(benchmark: Benchmark, gap: Fixing, state: State) -> Fixing:
    """Leave the gap, or repeat the last OK or THIN value where the methodology carries, at most n days."""
    methodology = benchmark.methodology
    return _carry_or_leave(gap, state, methodology.carry_days if methodology.fallback == "carry" else 0)


def _carry_or_leave(gap: Fixing, state: State, most_days: int) -> Fixing:
    earlier = state.carried(gap.date, most_days) if most_days else None
    if earlier is None:
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
