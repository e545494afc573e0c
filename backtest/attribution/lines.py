"""The lines of an attribution, in their order, and what each one says."""

from __future__ import annotations

from typing import Literal

LineName = Literal[
    "volume",
    "provider",
    "region",
    "grade",
    "term",
    "cross_index",
    "methodology",
    "averaging",
    "day_count",
    "hedge_ratio",
    "rounding",
    "roll",
    "fees",
    "unexplained",
]

NAMED_LINES: tuple[LineName, ...] = (
    "volume",
    "provider",
    "region",
    "grade",
    "term",
    "cross_index",
    "methodology",
    "averaging",
    "day_count",
    "hedge_ratio",
    "rounding",
    "roll",
    "fees",
)
"""The causes in the forward order; the reverse order is this one backwards."""

RENT_LINES: tuple[LineName, ...] = ("provider", "region", "grade", "term", "cross_index")
"""Causes on the side of the rent: how it moved apart from the market the hedge is on."""
HEDGE_LINES: tuple[LineName, ...] = ("methodology", "averaging")
"""Causes on the side of the index: how it moved apart from that market."""

LABELS: dict[LineName, str] = {
    "volume": "Volume",
    "provider": "Provider",
    "region": "Region",
    "grade": "Grade",
    "term": "Term",
    "cross_index": "Cross-index",
    "methodology": "Methodology",
    "averaging": "Averaging",
    "day_count": "Day count",
    "hedge_ratio": "Hedge ratio",
    "rounding": "Rounding",
    "roll": "Roll",
    "fees": "Fees",
    "unexplained": "Unexplained",
}

MEANINGS: dict[LineName, str] = {
    "volume": "hours used beside the hours planned, at the price of the month",
    "provider": "your provider's price moved apart from the other providers'",
    "region": "your region's price moved apart from the reference's",
    "grade": "your grade's price moved apart from the reference's",
    "term": "your term's price moved apart from the reference's",
    "cross_index": "your rent follows another index than the hedge",
    "methodology": "the index changed its rules inside the month",
    "averaging": "the settlement averages other days than those you paid for, or starts from another day",
    "day_count": "one number of lots in months of different length",
    "hedge_ratio": "the position held other than one hour for each hour exposed",
    "rounding": "whole lots in place of exact ones",
    "roll": "entry above or below the last fixing, and what rolling paid",
    "fees": "exchange and clearing fees",
    "unexplained": "what the data can't separate",
}
