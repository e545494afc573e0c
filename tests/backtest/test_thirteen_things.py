"""The page holds what a freight or power trader looks for, by the heading it stands under."""

from __future__ import annotations

import html
import re

import pytest
from rentmark.backtest import render_report

from tests.backtest.test_report import daily_report

WANTED = {
    "unhedged against hedged, as a distribution": ("Monthly bill as a distribution", "worst 5 %"),
    "ratios with intervals": ("Ratios", "95 % fixed-b"),
    "lots by month": ("Month by month", "lots"),
    "effectiveness in sample, walking forward, and naive": ("Effectiveness by method", "naive, h = 1"),
    "basis": ("Basis", "5 %"),
    "the moving part and its half-life": ("Premium and moving part", "half-life"),
    "the bad months": ("Bad months, unseen", "made it worse"),
    "methods compared": ("Methods compared", "no hedge"),
    "profit at three entries": ("Futures P&L by entry price", "−10"),
    "the margin path": ("Variation account", "modelled"),
    "delta inside the month": ("Delta inside the month", "delta left"),
    "screens in the standard's words": ("Accounting screens", "IFRS 9 dropped it"),
    "breaks": ("Tests of breaks", "size"),
    "vintage, version, coverage, fallback": ("Vintage and coverage", "days filled by a fallback"),
}


@pytest.fixture(scope="module")
def parts():
    """The text under each heading of a page."""
    page = render_report(daily_report())
    found = {}
    for part in page.split("<h2>")[1:]:
        words = html.unescape(re.sub(r"<[^>]+>", " ", part))
        found[words.strip()] = words
    return found


@pytest.mark.parametrize("thing", WANTED)
def test_a_trader_finds_it(parts, thing):
    heading, words = WANTED[thing]
    under = [text for title, text in parts.items() if title.startswith(heading)]
    assert under, f"no section begins with {heading!r}"
    assert any(words in text for text in under)
