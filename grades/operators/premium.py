"""What a tier costs: prices of rated operators on one grade and date against those of a reference tier.

For each date on which both tiers have a seller, a seller's log price is held against the middle of the two
tiers' means of that day; each seller then counts once, with the mean of its days. The premium is the
difference of the two tiers' means over sellers, with Welch's interval (Welch 1947, Biometrika 34, 28) on
Student's t, because the sellers are the sample and the days of one seller are not independent.

Nothing here shows a cause. Where price is a criterion of the rating itself, comparing price by rating is
circular, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

LEAST_SELLERS = 3
"""Sellers a tier needs for an interval. Ours: below it, nearly any premium would be inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPrice:
    """One seller's price on one date, on one grade, with its operator's tier on that date."""

    date: date
    seller: str
    tier: str
    price_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPremium:
    """A tier against the reference. ``premium`` 0.10 is ten percent dearer; None where ``reason`` says why."""

    tier: str
    reference: str
    sellers: tuple[str, ...]
    reference_sellers: tuple[str, ...]
    dates: int
    premium: float | None
    premium_low: float | None
    premium_high: float | None
    reason: str | None
    interval_reason: str | None


def tier_premiums(
    prices: Iterable[RatedPrice], tiers: Sequence[str], reference: str, confidence: float = 0.95
) -> list[TierPremium]:
    """Each tier that has prices against ``reference``, in the order of ``tiers``.

    A seller's several prices on one date count as their mean of logs. A seller whose tier changes counts in
    each tier on its own days. Raises ValueError for a price that is not positive.
    """
    by_tier: dict[str, dict[date, dict[str, list[float]]]] = {}
    for price in prices:
        if price.price_micros <= 0:
            raise ValueError(
                f"{price.seller} on {price.date}: a price of {price.price_micros} has no logarithm"
            )
        day = by_tier.setdefault(price.tier, {}).setdefault(price.date, {})
        day.setdefault(price.seller, []).append(math.log(price.price_micros))
    means = {
        tier: {day: {s: math.fsum(v) / len(v) for s, v in sellers.items()} for day, sellers in days.items()}
        for tier, days in by_tier.items()
    }
    return [
        _premium(tier, means[tier], reference, means.get(reference, {}), confidence)
        for tier in tiers
        if tier != reference and tier in means
    ]


_Days = dict[date, dict[str, float]]


def _premium(tier: str, days: _Days, reference: str, others: _Days, confidence: float) -> TierPremium:
    common = sorted(days.keys() & others.keys())
    mine, theirs = _seller_means(days, others, common), _seller_means(others, days, common)
    value = low = high = None
    reason = interval_reason = None
    if not common:
        reason = interval_reason = f"no date has sellers of both {tier} and {reference}"
    else:
        difference = _mean(mine.values()) - _mean(theirs.values())
        value = math.expm1(difference)
        if min(len(mine), len(theirs)) < LEAST_SELLERS:
            interval_reason = (
                f"{len(mine)} and {len(theirs)} sellers; an interval needs {LEAST_SELLERS} of each"
            )
        else:
            half = _welch_half_width(list(mine.values()), list(theirs.values()), confidence)
            low, high = math.expm1(difference - half), math.expm1(difference + half)
    return TierPremium(
        tier=tier,
        reference=reference,
        sellers=tuple(sorted(mine)),
        reference_sellers=tuple(sorted(theirs)),
        dates=len(common),
        premium=value,
        premium_low=low,
        premium_high=high,
        reason=reason,
        interval_reason=interval_reason,
    )


def _seller_means(days: _Days, others: _Days, common: Sequence[date]) -> dict[str, float]:
    """Each seller's mean distance from the middle of the two tiers over the common dates."""
    found: dict[str, list[float]] = {}
    for day in common:
        middle = (_mean(days[day].values()) + _mean(others[day].values())) / 2
        for seller, value in days[day].items():
            found.setdefault(seller, []).append(value - middle)
    return {seller: _mean(values) for seller, values in found.items()}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)


def _welch_half_width(one: Sequence[float], other: Sequence[float], confidence: float) -> float:
    """Half the width of Welch's interval of a difference of means; 0 where both sides are constant."""
    from scipy import stats

    parts = []
    for values in (one, other):
        centre = _mean(values)
        variance = math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)
        parts.append((variance / len(values), len(values) - 1))
    total = parts[0][0] + parts[1][0]
    if total == 0:
        return 0.0
    freedom = total**2 / math.fsum(share**2 / degrees for share, degrees in parts)
    return float(stats.t.ppf((1 + confidence) / 2, freedom)) * math.sqrt(total)
