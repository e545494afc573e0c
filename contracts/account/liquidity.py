"""Liquidity at risk: the cash a position may have to find within n days, by replaying the index.

A path is the index's own steps, one common fixing date after another, laid on today's marks; its draw
is the most the account has paid out, net, at the end of any of its days. ``historical`` replays every
window of n steps there has been (they overlap); ``bootstrap`` draws paths from the steps in blocks of
random length (stationary bootstrap, Politis & Romano 1994). Lots, remaining shares and marks stay
as they are today, and no month expires on the way: modelled, and said so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ...records import Refusal, quantise
from .index_view import Change, IndexView, joint_changes
from .margin import HeldMonth, percent_text

LiquidityMethod = Literal["historical", "bootstrap"]
MEAN_BLOCK = 5
DRAWS = 5_000
SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LiquidityAtRisk:
    """The peak draw of a position over ``days`` steps, in micro-dollars.

    ``at_quantile_micros`` is the draw that at least ``quantile`` of the paths do not exceed, None with
    a ``reason`` where too few paths hold it; ``worst_micros`` the largest of all, ``worst_from`` the
    fixing date its steps began on (None for drawn paths). ``paths`` counts them.
    """

    method: LiquidityMethod
    days: int
    quantile: Decimal
    paths: int
    at_quantile_micros: int | None
    worst_micros: int
    worst_from: date | None
    seed: int | None
    sentence: str
    reason: str | None = None


def liquidity_at_risk(
    held: Sequence[HeldMonth],
    views: Mapping[str, IndexView],
    day: date,
    *,
    days: int,
    quantile: Decimal = Decimal("0.99"),
    method: LiquidityMethod = "historical",
    lookback_changes: int = 500,
    draws: int = DRAWS,
    seed: int = SEED,
) -> LiquidityAtRisk | Refusal:
    """The worst peak draw over the next ``days`` fixing dates, from the steps known at the end of ``day``.

    A refusal where a contract has no benchmark, or there are fewer steps than days.
    """
    legs = [leg for leg in held if leg.lots]
    if not legs:
        return Refusal("no_lots", "no lots are held, so nothing can be drawn")
    contracts = sorted({leg.spec.id for leg in legs})
    missing = [contract for contract in contracts if contract not in views]
    if missing:
        return Refusal("no_benchmark", f"no benchmark is named for {missing[0]}")
    steps = joint_changes([views[each] for each in contracts], day, horizon=1, limit=lookback_changes)
    if len(steps) < days:
        return Refusal("too_short", f"{days} fixing dates are asked for and {len(steps)} steps are known")
    if method == "historical":
        return _historical(legs, steps, days, quantile)
    return _bootstrap(legs, steps, days, quantile, draws=draws, seed=seed)


def _historical(
    legs: Sequence[HeldMonth], steps: Sequence[Change], days: int, quantile: Decimal
) -> LiquidityAtRisk:
    found: list[tuple[int, date]] = []
    for start in range(len(steps) - days + 1):
        window = steps[start : start + days]
        draw = 0
        for step in window:
            gain = sum(
                leg.change_micros(window[0].values[leg.spec.id][0], step.values[leg.spec.id][1])
                for leg in legs
            )
            draw = max(draw, -gain)
        found.append((draw, window[0].first))
    ordered = sorted(draw for draw, _ in found)
    worst, worst_from = max(found, key=lambda each: each[0])
    at_quantile = _at(ordered, quantile)
    return LiquidityAtRisk(
        method="historical",
        days=days,
        quantile=quantile,
        paths=len(found),
        at_quantile_micros=at_quantile,
        worst_micros=worst,
        worst_from=worst_from,
        seed=None,
        sentence=f"modelled: {len(found)} overlapping windows of {days} fixing dates of the benchmark's own changes",
        reason=None if at_quantile is not None else _few(quantile, len(found)),
    )


def _bootstrap(
    legs: Sequence[HeldMonth],
    steps: Sequence[Change],
    days: int,
    quantile: Decimal,
    *,
    draws: int,
    seed: int,
) -> LiquidityAtRisk:
    import numpy as np

    generator = np.random.default_rng(seed)
    count = len(steps)
    places = generator.integers(count, size=(draws, days))
    goes_on = generator.random((draws, days)) > 1 / MEAN_BLOCK
    for step in range(1, days):
        places[:, step] = np.where(goes_on[:, step], (places[:, step - 1] + 1) % count, places[:, step])
    gains = np.zeros((draws, days))
    for contract in sorted({leg.spec.id for leg in legs}):
        ratios = np.array([step.values[contract][1] / step.values[contract][0] for step in steps])
        levels = np.cumprod(ratios[places], axis=1) - 1
        worth = sum(
            leg.mark_micros * float(leg.remaining_share) * leg.unit_gpu_hours * leg.lots
            for leg in legs
            if leg.spec.id == contract
        )
        gains += levels * worth
    ordered = [quantise(float(draw)) for draw in np.sort(np.maximum(0.0, -gains.min(axis=1)))]
    at_quantile = _at(ordered, quantile)
    return LiquidityAtRisk(
        method="bootstrap",
        days=days,
        quantile=quantile,
        paths=draws,
        at_quantile_micros=at_quantile,
        worst_micros=ordered[-1],
        worst_from=None,
        seed=seed,
        sentence=(
            f"modelled: {draws} paths of {days} steps drawn from {count} of the benchmark's own, "
            f"in blocks of mean length {MEAN_BLOCK}, seed {seed}"
        ),
        reason=None if at_quantile is not None else _few(quantile, draws),
    )


def _at(ordered: Sequence[int], quantile: Decimal) -> int | None:
    """The k-th smallest, k = ⌈q·n⌉; None where n(1 − q) < 1, so that it would only be the largest."""
    if len(ordered) * (1 - Fraction(quantile)) < 1:
        return None
    return ordered[math.ceil(Fraction(quantile) * len(ordered)) - 1]


def _few(quantile: Decimal, paths: int) -> str:
    needed = math.ceil(1 / (1 - Fraction(quantile)))
    return f"{percent_text(quantile)} needs {needed} paths, there are {paths}"
