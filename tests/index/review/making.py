"""Invented days for the tests of the review. All sellers and prices are invented."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from rentmark.index import Ballot, Benchmark, Day, build_fixings
from rentmark.index.state import states_on_tape

from tests.index.making import DAY, ballot, benchmark, in_order, windows_for

NEXT = DAY + timedelta(days=1)
MEDIAN = benchmark()


def votes(**prices: str) -> list[Ballot]:
    """One vote for each seller."""
    return in_order(ballot(seller, price) for seller, price in prices.items())


def trade(seller: str, price: str, gpu_hours: int, number: int, **changes: Any) -> Ballot:
    """A vote that is one trade."""
    return ballot(seller, price, tier="trade", gpu_seconds=gpu_hours * 3600, observation_id=number, **changes)


def days(rules: Benchmark, panel: dict[date, Sequence[Ballot]] | Sequence[Sequence[Ballot]]) -> list[Day]:
    """Days fixed by these rules, in order, from the ballots of each date; a list begins on DAY."""
    if not isinstance(panel, dict):
        panel = {DAY + timedelta(days=n): held for n, held in enumerate(panel)}
    windows = windows_for(rules, min(panel), max(panel))
    fixings = build_fixings(
        rules,
        {day: list(held) for day, held in panel.items()},
        windows,
        archive_holds=lambda day: bool(panel.get(day)),
        published={},
        reconstructed=False,
    )
    states = states_on_tape(rules.methodology, fixings)
    return [
        Day(window, tuple(panel.get(window.date, ())), fixing, states[fixing.date, 0])
        for window, fixing in zip(windows, fixings, strict=True)
    ]
