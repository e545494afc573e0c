"""Positions as a limit counts them: with a diminishing balance they shrink as fixings accrue.

The part of an averaging future that has fixed can no longer move, so an exchange that diminishes
the balance counts ``lots × (weight of the fixings to come)/(weight of all)``, exactly.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from .calendars import fixing_weights, spot_limit_first_day
from .spec import ContractSpec


def remaining_share(spec: ContractSpec, month: str, after: date) -> Fraction:
    """The share of a contract month's fixings that come after a day: 1 before the first, 0 after the last."""
    weights = fixing_weights(spec, month)
    to_come = sum(weight for day, weight in weights.items() if day > after)
    return Fraction(to_come, sum(weights.values()))


def counted_lots(spec: ContractSpec, month: str, lots: int, at_close_of: date) -> Fraction:
    """The lots that count against a limit at the close of a day; all of them without a diminishing balance.

    An unknown rule diminishes nothing: the larger count is the one that can't mislead.
    """
    if spec.limits is None or not spec.limits.diminishing_balance:
        return Fraction(lots)
    return lots * remaining_share(spec, month, at_close_of)


def spot_limit_holds(spec: ContractSpec, month: str, on: date) -> bool:
    """Whether the spot-month limit is in force on a day; False where no date is known."""
    first = spot_limit_first_day(spec, month)
    return first is not None and on >= first
