"""Several legs dealt as one: strips, calendar and inter-grade spreads, stack-and-roll.

Owns how a package is made of contract months, what it is priced at beside marks, and what rolling a
position brings. Every leg is an ordinary order of the account; nothing here is priced without a mark
of its own.
"""

from __future__ import annotations

from .packages import (
    Leg,
    Package,
    PackagePrice,
    calendar_spread,
    inter_grade_spread,
    package_orders,
    price_package,
    strip,
)
from .stack_and_roll import Keep, RollStep, StackAndRoll, stack_and_roll

__all__ = [
    "Keep",
    "Leg",
    "Package",
    "PackagePrice",
    "RollStep",
    "StackAndRoll",
    "calendar_spread",
    "inter_grade_spread",
    "package_orders",
    "price_package",
    "stack_and_roll",
    "strip",
]
