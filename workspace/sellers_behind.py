"""Who stands behind a fixing: its sellers by price, since when each asks that price, and who was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ..index.review import Day
from ..index.review.days import Stand, outcome_of, stands
from ..records import RentmarkError, micros_from_text
from .auditing import benchmark_of
from .core import Workspace
from .reader_pool import open_reader
from .review_days import days_behind
from .rows import price
from .showing import fixings_shown
from .views import AsOf

LOOKBACK_FIXINGS = 31
"""How far back a price is followed; one that has stood longer says so."""


def panel_sellers(workspace: Workspace, name: str, day: date, *, as_of: AsOf | None = None) -> dict[str, Any]:
    """The sellers that voted on a date, cheapest first, and those of the fixing before that did not.

    ``since`` is the first of the consecutive fixings at which the seller stood at this price;
    ``since_or_earlier`` where that is as far as it was followed. Raises RentmarkError where there is no row.
    """
    shown = fixings_shown(workspace, name, as_of=as_of)
    place = next((i for i, row in enumerate(shown) if row.date == day), None)
    if place is None:
        raise RentmarkError(f"{name} has no row on {day}; rows run from {shown[0].date} to {shown[-1].date}.")
    fixing = shown[place]
    asked = list(shown[max(0, place - LOOKBACK_FIXINGS) : place + 1])
    benchmark = benchmark_of(workspace, fixing)
    with open_reader(workspace) as reader:
        days = days_behind(workspace, reader, benchmark, asked, shown, aggregators=False)
    stood = [stands(outcome_of(benchmark, each)) for each in days]
    now = stood[-1]
    ranked = sorted(now, key=lambda seller: (now[seller].price_micros, seller))
    return {
        "benchmark": name,
        "date": day.isoformat(),
        "sellers": [
            {
                "seller": seller,
                "rank": rank,
                "price": price(now[seller].price_micros),
                **_since(seller, stood, days),
                "came": len(stood) > 1 and seller not in stood[-2],
            }
            for rank, seller in enumerate(ranked, start=1)
        ],
        "out": _out(stood, days),
        "followed_from": asked[0].date.isoformat(),
    }


def _since(seller: str, stood: Sequence[Mapping[str, Stand]], days: Sequence[Day]) -> dict[str, Any]:
    """From when on the seller stood at today's price without a break."""
    first = len(stood) - 1
    while first > 0 and seller in stood[first - 1] and stood[first - 1][seller] == stood[-1][seller]:
        first -= 1
    return {"since": days[first].window.date.isoformat(), "since_or_earlier": first == 0 and len(stood) > 1}


def _out(stood: Sequence[Mapping[str, Stand]], days: Sequence[Day]) -> list[dict[str, Any]]:
    """Sellers of the fixings looked at that do not stand on the last one, each with its last price and date."""
    gone: dict[str, dict[str, Any]] = {}
    for held, day in zip(stood, days, strict=True):
        for seller, stand in held.items():
            gone[seller] = {
                "seller": seller,
                "last_price": price(stand.price_micros),
                "last_date": day.window.date.isoformat(),
            }
    return [row for seller, row in sorted(gone.items()) if seller not in stood[-1]]


def votes_around(votes: Sequence[Mapping[str, Any]], value: str | None) -> list[int]:
    """Which votes (by place) a value lies on or between: those at it, else the nearest below and above.

    Of a median these are the middle ones.
    """
    if value is None or not votes:
        return []
    level = micros_from_text(value)
    prices = [micros_from_text(vote["value"]) for vote in votes]
    if level in prices:
        return [i for i, each in enumerate(prices) if each == level]
    below = max((p for p in prices if p < level), default=None)
    above = min((p for p in prices if p > level), default=None)
    return [i for i, each in enumerate(prices) if each in (below, above)]
