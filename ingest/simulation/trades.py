"""Executed trades: deals below list, some corrected and some cancelled days later.

A buyer wants a chip, compares two open listings of it and takes the cheaper. It bargains from the standing list
price towards what the good is worth in the market that day, gets a discount, and never pays above list: so
executed prices lie closer together than list prices, move before them, and scatter below them. Buyers and
sellers are invented.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np

from .quotes import LICENSE, LISTINGS, QUOTES, SOURCE, ListPrices, region_effect
from .scenario import CHIPS, Chip
from .stable import Floats, dollars, exponential, stream, uniforms

TRADE_COLUMNS = (
    "trade_id", "executed_at", "reported_at", "seller", "buyer", "chip", "form_factor", "memory_gb",
    "gpu_count", "gpu_hours", "start_at", "end_at", "price_usd_per_gpu_hour", "status", "region", "pricing",
    "source", "license", "simulated",
)  # fmt: skip

SLOTS_PER_DAY = 40
STEADY_SLOTS = 20
BUYERS = 12
CORRECTED_SHARE = 0.015
CANCELLED_SHARE = 0.008
LONGEST_DELAY_DAYS = 5

_PURPOSE = 4
_WEEKDAY_CHANCE = 0.6
_WEEKEND_CHANCE = 0.2
_BARGAINED_SHARE = 0.8
_LARGEST_DISCOUNT = 0.08
_GPU_COUNTS = (8, 8, 16, 16, 32, 64)
_HOURS = (24, 48, 72, 168)
_DRAWS = 12
_CHIP_SHARES: tuple[tuple[Chip, float], ...] = (("H100", 0.6), ("A100", 0.25), ("B200", 0.15))
"""What buyers want; before B200 is offered those who would want it take H100."""


@dataclass(frozen=True, slots=True)
class Trade:
    """One executed deal as first reported. Prices count $0.0001 per GPU-hour."""

    trade_id: str
    executed_at: datetime
    listing: int
    buyer: str
    gpu_count: int
    hours: int
    price: int


@dataclass(frozen=True, slots=True)
class Amendment:
    """A later word on a trade: corrected (the new price) or cancelled."""

    trade: Trade
    status: str
    price: int
    due: date


_TRADED = tuple(
    number for number, listing in enumerate(LISTINGS) if listing.pricing != "spot" and listing.gpu_count == 8
)


class TradeTape:
    """The deals of every day and what was said of them later.

    ``silent_days`` are days of a collector outage: their deals are never reported, and amendments due on
    one are reported on the next day that has a report.
    """

    def __init__(self, seed: int, first_day: date, lists: ListPrices, silent_days: frozenset[date]) -> None:
        days = len(lists.prices)
        self._first_day = first_day
        self._silent = silent_days
        self._draws = uniforms(stream(seed, _PURPOSE), days, SLOTS_PER_DAY, _DRAWS)
        self._lists = lists
        self._deal_prices = _deal_prices(first_day, lists)
        self._trades: list[list[Trade]] = []
        self._amendments: dict[date, list[Amendment]] = {}
        for number in range(days):
            trades, amendments = self._day(number)
            self._trades.append(trades)
            for amendment in amendments:
                self._amendments.setdefault(amendment.due, []).append(amendment)

    def trades_on(self, day: date) -> list[Trade]:
        """The deals executed on a day, in the order of their execution."""
        return self._trades[(day - self._first_day).days]

    def amendments_on(self, day: date) -> list[Amendment]:
        """The corrections and cancellations reported on a day."""
        return self._amendments.get(day, [])

    def _day(self, number: int) -> tuple[list[Trade], list[Amendment]]:
        day = self._first_day + timedelta(days=number)
        if day in self._silent:
            return [], []
        standing = self._lists.active[number] & ~self._lists.carried[number]
        offered: dict[Chip, list[int]] = {chip: [] for chip in CHIPS}
        for listing in _TRADED:
            if standing[LISTINGS[listing].quote]:
                offered[QUOTES[LISTINGS[listing].quote].good.chip].append(listing)
        chance = _WEEKDAY_CHANCE if day.weekday() < 5 else _WEEKEND_CHANCE
        drawn = enumerate(self._draws[number].tolist())
        made = [draw for slot, draw in drawn if slot < STEADY_SLOTS or draw[0] < chance]
        made.sort(key=lambda draw: draw[1])
        trades, amendments = [], []
        for place, draw in enumerate(made):
            trade = self._trade(number, day, place, draw, offered)
            trades.append(trade)
            amendment = self._amendment(day, trade, draw)
            if amendment is not None:
                amendments.append(amendment)
        return trades, amendments

    def _trade(
        self, number: int, day: date, place: int, draw: list[float], offered: dict[Chip, list[int]]
    ) -> Trade:
        listings = offered[_wanted_chip(draw[10])] or offered["H100"]
        seen = [listings[int(share * len(listings))] for share in (draw[2], draw[11])]
        listing = min(seen, key=lambda candidate: float(self._deal_prices[number, candidate]))
        listed = int(self._lists.prices[number, listing])
        kept = 1.0 - _LARGEST_DISCOUNT * draw[3] * draw[4]  # small discounts are common, large ones rare
        price = min(listed, max(1, round(float(self._deal_prices[number, listing]) * kept)))
        second = int(draw[1] * 86_399)
        return Trade(
            trade_id=f"sim-{day:%Y%m%d}-{place:02d}",
            executed_at=datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=second),
            listing=listing,
            buyer=f"buyer-{1 + int(draw[5] * BUYERS):02d}",
            gpu_count=_GPU_COUNTS[int(draw[6] * len(_GPU_COUNTS))],
            hours=_HOURS[int(draw[7] * len(_HOURS))],
            price=price,
        )

    def _amendment(self, day: date, trade: Trade, draw: list[float]) -> Amendment | None:
        if draw[8] >= CORRECTED_SHARE + CANCELLED_SHARE:
            return None
        due = day + timedelta(days=1 + int(draw[9] * LONGEST_DELAY_DAYS))
        while due in self._silent:
            due += timedelta(days=1)
        if draw[8] < CORRECTED_SHARE:
            # The deal had been booked at its price before a rebate of 3 %.
            return Amendment(trade, "corrected", max(1, round(trade.price * 0.97)), due)
        return Amendment(trade, "cancelled", trade.price, due)


def _wanted_chip(draw: float) -> Chip:
    reached = 0.0
    for chip, share in _CHIP_SHARES:
        reached += share
        if draw < reached:
            return chip
    return _CHIP_SHARES[0][0]


def _deal_prices(first_day: date, lists: ListPrices) -> Floats:
    """Prices before discounts (days, listings) in $0.0001: list, moved a share of its gap to the market."""
    days = len(lists.prices)
    prices = np.empty((days, len(LISTINGS)))
    for column, listing in enumerate(LISTINGS):
        logs = lists.log_list[:, listing.quote] + _BARGAINED_SHARE * lists.log_gap[:, listing.quote]
        prices[:, column] = exponential(logs + region_effect(listing.region, first_day, days)) * 10_000.0
    return prices


def _row(trade: Trade, reported_at: datetime, status: str, price: int) -> str:
    listing = LISTINGS[trade.listing]
    quote = QUOTES[listing.quote]
    start = (trade.executed_at + timedelta(hours=1)).replace(minute=0, second=0)
    end = start + timedelta(hours=trade.hours)
    pricing = "on_demand" if listing.pricing == "secure" else listing.pricing
    return (
        f"{trade.trade_id},{_stamp(trade.executed_at)},{_stamp(reported_at)},{quote.seller.name},{trade.buyer},"
        f"{quote.good.chip},{quote.good.form_factor},{quote.good.memory_gb},{trade.gpu_count},"
        f"{trade.gpu_count * trade.hours},{_stamp(start)},{_stamp(end)},{dollars(price)},{status},"
        f"{listing.region},{pricing},{SOURCE},{LICENSE},true"
    )


def _stamp(instant: datetime) -> str:
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}"


def trades_csv(day: date, trades: list[Trade], amendments: list[Amendment]) -> bytes:
    """One day's trades as CSV in the layout of the ``trades`` feed, with ``simulated`` true.

    New trades are reported as they execute; amendments of earlier trades follow at 18:00 UTC, repeating the
    trade with its new status and price.
    """
    rows = [",".join(TRADE_COLUMNS)]
    rows += [_row(trade, trade.executed_at, "new", trade.price) for trade in trades]
    reported = datetime(day.year, day.month, day.day, 18, tzinfo=UTC)
    rows += [_row(change.trade, reported, change.status, change.price) for change in amendments]
    return ("\n".join(rows) + "\n").encode()
