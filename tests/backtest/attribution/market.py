"""An invented market whose truth is known: offers with common and own movements, and a benchmark for any grade."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from datetime import date

from rentmark.grades import Grade
from rentmark.records import median_half_even

from tests.backtest.making import days_from

FIRST = date(2024, 1, 1)
DAYS = days_from(FIRST, 730)
SELLERS = tuple(f"seller-{letter}" for letter in "abcdefg")
REGIONS = ("north", "south", "east", "west", "middle")
FORMS = ("SXM", "PCIe")
TERMS: tuple[tuple[str, int | None], ...] = (("on_demand", None), ("reserved", 12))
OWN_SELLER, OWN_REGION = SELLERS[0], REGIONS[0]
REFERENCE = Grade.read({"chip": "H100", "form_factor": ["SXM"], "pricing": "on_demand"}, "[grades.invented]")

Offer = tuple[str, str, str, tuple[str, int | None]]
Path = list[int]


def walk(seed: int, step: int, start: int = 0, floor: int | None = None) -> Path:
    """A walk in micro-USD by day, on a grid of a cent."""
    draw = random.Random(seed)
    level, path = start, []
    for _ in DAYS:
        level += draw.choice((-1, 0, 0, 1)) * step
        level = level if floor is None else max(level, floor)
        path.append(level)
    return path


COMMON = walk(1, 40_000, 4_000_000, 2_000_000)
"""What every price has in common: about four dollars."""


class Market:
    """Offers of every seller, region, form and term: a common path, a fixed level of their own, and drifts."""

    def __init__(self, drifts: Mapping[Callable[[Offer], bool], Path] | None = None) -> None:
        self.drifts = dict(drifts or {})
        self.asked: list[Grade] = []
        self._made: dict[tuple[Grade, int], dict[date, int]] = {}
        draw = random.Random(2)
        self.levels: dict[Offer, int] = {
            offer: draw.randrange(-30, 31) * 10_000
            for offer in itertools.product(SELLERS, REGIONS, FORMS, TERMS)
        }

    def path(self, offer: Offer) -> dict[date, int]:
        """The price of an offer by date."""
        return dict(zip(DAYS, self._path(offer), strict=True))

    def benchmark_for(self, grade: Grade) -> dict[date, int]:
        """The median of the offers that meet a grade, by date."""
        self.asked.append(grade)
        key = (grade, id(self.levels))
        if key not in self._made:
            paths = [self._path(offer) for offer in self.levels if _meets(grade, offer)]
            self._made[key] = {
                day: median_half_even(sorted(prices))
                for day, prices in zip(DAYS, zip(*paths, strict=True), strict=False)
            }
        return self._made[key]

    def _path(self, offer: Offer) -> list[int]:
        drifts = [path for meets, path in self.drifts.items() if meets(offer)]
        level = self.levels[offer]
        return [sum(parts) + level for parts in zip(COMMON, *drifts, strict=True)]


def _meets(grade: Grade, offer: Offer) -> bool:
    seller, region, form, (pricing, term) = offer
    return (
        (grade.sellers is None or seller in grade.sellers)
        and (grade.regions is None or region in grade.regions)
        and (grade.exclude_regions is None or region not in grade.exclude_regions)
        and (grade.form_factor is None or form in grade.form_factor)
        and (grade.pricing is None or pricing == grade.pricing)
        and (grade.term_months is None or term in grade.term_months)
    )
