"""Distance: votes too far from the median, measured in logarithms so that cheap and dear are as far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from ...records import format_micros, round_fraction
from ..estimators.steps import DIGITS, decimal_of, ln
from ..exact import exact
from ..methodology import Methodology
from ..parts import Screen
from .base import Found, Screened, Sitting, eliminate, middle_of, ratio_apart

CONSISTENT = Decimal("1.482602218505602")
"""1/Φ⁻¹(¾): makes the median absolute deviation estimate the standard deviation of a normal sample
(Hampel 1974; Iglewicz & Hoaglin 1993, chapter 3)."""


def robust_distance(methodology: Methodology, sitting: Sitting) -> Found:
    """Votes whose robust z in logarithms is above ``robust_z``; where the MAD is zero, beyond the ratio band.

    z = |ln p − median ln p| / max(1.4826·MAD, ln(1 + floor)). With a MAD of zero more than half of the votes
    are equal and z means nothing: then a vote is out if it is more than ``band`` times the median, or
    less than one ``band``-th. The furthest goes first, and the rest are measured again.
    """
    screen = methodology.screen
    if screen is None or screen.robust_z is None or len(sitting.ballots) < screen.min_votes:
        return Found()
    prices = {place: b.value_micros for place, b in enumerate(sitting.ballots)}
    limit, band = decimal_of(exact(screen.robust_z)), exact(screen.band)
    least = ln(1 + exact(screen.floor))

    def beyond(standing: Mapping[int, int]) -> Mapping[int, Fraction | Decimal]:
        centre, spread = centre_and_mad(list(standing.values()))
        if not spread:
            middle = middle_of(list(standing.values()))
            ratios = {n: ratio_apart(Fraction(price), middle) for n, price in standing.items()}
            return {n: ratio for n, ratio in ratios.items() if ratio > band}
        scale = max(DIGITS.multiply(CONSISTENT, spread), least)
        z = {n: DIGITS.divide(_off(price, centre), scale) for n, price in standing.items()}
        return {n: far for n, far in z.items() if far > limit}

    gone = eliminate(prices, beyond, screen.min_votes)
    out = [
        Screened(sitting.ballots[n], "robust_distance", _said(prices[n], far, screen))
        for n, far in gone.items()
    ]
    return Found(tuple(out), (_measured([p for n, p in prices.items() if n not in gone], screen),))


def centre_and_mad(prices: Sequence[int]) -> tuple[Decimal, Decimal]:
    """The median of the logarithms of prices, and the median absolute deviation from it."""
    logs = sorted(ln(Fraction(price)) for price in prices)
    centre = _middle(logs)
    return centre, _middle(sorted(abs(DIGITS.subtract(log, centre)) for log in logs))


def _middle(ordered: Sequence[Decimal]) -> Decimal:
    half = len(ordered) // 2
    return DIGITS.divide(DIGITS.add(ordered[half], ordered[-half - 1]), Decimal(2))


def _off(price: int, centre: Decimal) -> Decimal:
    return abs(DIGITS.subtract(ln(Fraction(price)), centre))


def _said(price: int, far: Fraction | Decimal, screen: Screen) -> str:
    if isinstance(far, Fraction):
        return (
            f"{format_micros(price)} is {float(far):.4f} times off the median, beyond the band {screen.band}"
        )
    return f"{format_micros(price)} has a robust z of {far:.4f}, above {screen.robust_z}"


def _measured(prices: Sequence[int], screen: Screen) -> str:
    _, spread = centre_and_mad(prices)
    middle = format_micros(round_fraction(middle_of(prices)))
    if not spread:
        return f"{len(prices)} votes stand around {middle}; MAD 0, so the ratio band {screen.band} decides"
    return f"{len(prices)} votes stand around {middle}; MAD {spread:.6f} in logarithms"
