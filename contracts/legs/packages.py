"""Packages of contract months: what each is made of, and its price per GPU-hour at stated marks.

A strip is the same lots in consecutive months, priced at the GPU-hour-weighted mean of its months. A
calendar spread is long the near month and short the far one, an inter-grade spread long one contract
and short another in the same month; both are priced as the first leg less the second, per GPU-hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

from ...records import UsageError, round_fraction
from ..account.fills import AccountOrder
from ..account.marks import MarkBook, mark_of
from ..account.trades import MonthKey
from ..calendars import bounds_of, unit_gpu_hours
from ..listing import contract_months
from ..spec import ContractSpec

PackageKind = Literal["strip", "calendar_spread", "inter_grade_spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """Signed lots in one contract month, and the GPU-hours of one of them."""

    contract: str
    month: str
    lots: int
    unit_gpu_hours: int

    @property
    def key(self) -> MonthKey:
        """Contract and month."""
        return self.contract, self.month

    @property
    def gpu_hours(self) -> int:
        """Signed GPU-hours of the leg."""
        return self.lots * self.unit_gpu_hours


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Legs dealt as one."""

    kind: PackageKind
    legs: tuple[Leg, ...]

    @property
    def residual_gpu_hours(self) -> int:
        """Signed GPU-hours of all legs together: 0 in an even spread, the whole of a strip."""
        return sum(leg.gpu_hours for leg in self.legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagePrice:
    """What a package stands at: exact, in micro-dollars per GPU-hour, with each leg's mark.

    ``worth_micros`` is Σ lots × unit × mark, the notional it stands for, signed. ``modelled`` says that
    any of the marks is a model's.
    """

    day: date
    price: Fraction
    leg_marks_micros: tuple[int, ...]
    worth_micros: int
    modelled: bool

    @property
    def price_micros(self) -> int:
        """The price rounded half-even to a micro-dollar."""
        return round_fraction(self.price)


def strip(spec: ContractSpec, first: str, count: int, lots: int) -> Package:
    """The same lots in ``count`` months of the listing from ``first`` on; raises as ``contract_months``."""
    _whole(lots, "a strip")
    legs = tuple(_leg(spec, month, lots) for month in contract_months(spec, first, count))
    return Package(kind="strip", legs=legs)


def calendar_spread(spec: ContractSpec, near: str, far: str, lots: int) -> Package:
    """Long ``lots`` of the near month and short as many of the far one.

    Raises UsageError where the months are not in order.
    """
    _whole(lots, "a calendar spread")
    if bounds_of(near) >= bounds_of(far):
        raise UsageError(f"a calendar spread of {near} against {far} has no far month; name a later one.")
    return Package(kind="calendar_spread", legs=(_leg(spec, near, lots), _leg(spec, far, -lots)))


def inter_grade_spread(
    spec: ContractSpec, against: ContractSpec, month: str, lots: int, *, hours_ratio: Fraction | int = 1
) -> Package:
    """Long ``lots`` of one contract and short another in the same month, ``hours_ratio`` of its GPU-hours.

    At 1 both legs are the same GPU-hours; the ratio of two marks makes them the same money. The second
    leg is rounded half-even to whole lots. Raises UsageError where that leaves none, or both contracts
    are one.
    """
    _whole(lots, "an inter-grade spread")
    if spec.id == against.id:
        raise UsageError(f"an inter-grade spread of {spec.id} against itself is none; name another contract.")
    long = _leg(spec, month, lots)
    other = unit_gpu_hours(against, month)
    short = -round_fraction(Fraction(long.gpu_hours) * Fraction(hours_ratio) / other)
    if short == 0:
        raise UsageError(
            f"{lots} lots of {spec.id} are less than half a lot of {against.id}; take more lots."
        )
    return Package(
        kind="inter_grade_spread",
        legs=(long, Leg(contract=against.id, month=month, lots=short, unit_gpu_hours=other)),
    )


def price_package(package: Package, marks: MarkBook, day: date) -> PackagePrice:
    """Price a package at the marks of a day; raises RentmarkError naming a leg and day without one."""
    found = [mark_of(marks, leg.key, day, f"a {package.kind.replace('_', ' ')}") for leg in package.legs]
    prices = tuple(mark.settle_micros for mark in found)
    worth = sum(leg.gpu_hours * price for leg, price in zip(package.legs, prices, strict=True))
    if package.kind == "strip":
        price = Fraction(worth, sum(leg.gpu_hours for leg in package.legs))
    else:
        price = Fraction(prices[0] - prices[1])
    return PackagePrice(
        day=day,
        price=price,
        leg_marks_micros=prices,
        worth_micros=worth,
        modelled=any(mark.modelled for mark in found),
    )


def package_orders(package: Package, day: date, order_id: str) -> tuple[AccountOrder, ...]:
    """The orders that deal a package on a day, one per leg, each with an id of its own."""
    return tuple(
        AccountOrder(
            order_id=f"{order_id}-{number}",
            contract=leg.contract,
            month=leg.month,
            day=day,
            lots=leg.lots,
            strategy=package.kind.replace("_", "-"),
        )
        for number, leg in enumerate(package.legs, start=1)
    )


def _leg(spec: ContractSpec, month: str, lots: int) -> Leg:
    return Leg(contract=spec.id, month=month, lots=lots, unit_gpu_hours=unit_gpu_hours(spec, month))


def _whole(lots: int, what: str) -> None:
    if isinstance(lots, bool) or not isinstance(lots, int) or lots == 0:
        raise UsageError(f"{what} of {lots!r} lots is none; lots are whole numbers other than 0.")
