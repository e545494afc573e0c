"""The page stands alone, carries its marks, and draws what is there and nothing between."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from typing import ClassVar
from xml.etree import ElementTree as ET

import pytest
from rentmark.backtest import hedge, read_rent, render_report
from rentmark.backtest.report.axes import dollars
from rentmark.contracts import CONTRACTS
from rentmark.drawing.svg import (
    Frame,
    band,
    month_ticks,
    nice_ticks,
    runs,
    spread_labels,
    steps,
    text,
    value_range,
)

from .making import BENCHMARK, EVERY_DAY, LATER, days_from, make_book, make_tape, monthly_case, run, wander

RENTS, REFERENCES = monthly_case(wander(40, seed=3), wander(40, seed=5))


def daily_report(**options):
    days = days_from(date(2023, 1, 1), 1_130)
    walk = wander(len(days), seed=9)
    return run(
        {day: value + 250_000 for day, value in zip(days, walk, strict=True)},
        dict(zip(days, walk, strict=True)),
        contract=options.pop("contract", EVERY_DAY),
        gpu_hours="240",
        **options,
    )


class Outline(HTMLParser):
    """Tags and attributes of a page, checked for balance."""

    VOID: ClassVar = {"meta", "rect", "line", "circle", "path", "polygon"}

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID or tag == "rect":  # a rectangle with a hover title has an end tag
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def outline(page):
    reader = Outline()
    reader.feed(page)
    assert reader.open == []
    return reader.seen


@pytest.mark.parametrize("build", [lambda: run(RENTS, REFERENCES), daily_report])
def test_the_page_stands_alone_and_needs_no_script(build):
    page = render_report(build())
    seen = outline(page)
    assert ("html", {"lang": "en"}) in seen
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in seen}
    assert not any(key in attrs for _, attrs in seen for key in ("src", "href", "srcset", "onclick"))
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # a name, not a request
    assert "url(" not in page
    assert "@import" not in page
    assert len(page.encode()) < 3_000_000


def test_every_plot_is_well_formed_and_tells_those_who_cannot_see_it():
    page = render_report(daily_report())
    plots = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert len(plots) == 7
    for plot in plots:
        root = ET.fromstring(plot)
        assert root.get("role") == "img"
        assert len(root.get("aria-label")) > 40
        assert "NaN" not in plot
        assert "inf" not in plot


def test_the_page_opens_with_the_verdict_and_ends_its_first_page_with_the_evidence():
    report = run(RENTS, REFERENCES, gpus=8)
    page = render_report(report, command="rentmark hedge rent.csv --benchmark invented-list --gpus 8")
    assert page.index(f"VERDICT: {report.verdict.name.upper()}") < page.index("Monthly swing")
    assert "40 common dates, 39 monthly changes, 15 out of sample; rows used 40, refused 0" in page
    assert "rentmark hedge rent.csv --benchmark invented-list --gpus 8" in page
    assert report.rent.digest in page
    for item in report.not_covered:
        assert item in page


def test_what_a_user_wrote_is_escaped():
    name = "<script>alert('&')</script>.csv"
    tape = make_tape(REFERENCES, methodology="<b>m</b>")
    lines = "\n".join(f"{day},{rate / 1e6}" for day, rate in RENTS.items())
    book = read_rent(f"date,rate_usd_per_gpu_hour\n{lines}\n2026-01-01,<i>x</i>\n".encode(), name)
    page = render_report(hedge(book, tape, benchmark=BENCHMARK, now=LATER), command='"><script>')
    assert "<script" not in page
    assert "<b>m</b>" not in page
    assert "<i>x</i>" not in page
    assert "&lt;i&gt;x&lt;/i&gt;" in page


def marked(**changes):
    tape = [replace(row, **changes) for row in make_tape(REFERENCES)]
    report = hedge(make_book(RENTS), tape, benchmark=BENCHMARK, now=LATER, contract=CONTRACTS["cme-gpu1"])
    return render_report(report)


@pytest.mark.parametrize(
    ("mark", "changes"),
    [
        ("SIMULATED", {"simulated": True}),
        ("RECONSTRUCTED", {"reconstructed": True}),
        ("CANDIDATE", {"published_at": None, "origin": None}),
        ("BACKCAST", {"origin": "backcast"}),
        ("PROXY", {}),
    ],
)
def test_a_mark_stands_on_the_strip_and_on_every_section(mark, changes):
    page = marked(**changes)
    assert f'class="strip {mark}"' in page
    headings = page.split('<div class="page">')[1].split("<h2>")[1:-1]
    assert headings
    assert all(f'class="badge {mark}"' in heading for heading in headings)


def test_unmarked_prices_carry_no_mark():
    page = render_report(daily_report())
    assert 'class="strip' not in page
    assert 'class="badge' not in page


def test_simulated_plots_carry_it_across_and_backcast_ones_on_the_ground():
    simulated = re.findall(r"<svg.*?</svg>", marked(simulated=True), flags=re.DOTALL)
    assert all('class="watermark"' in plot for plot in simulated)
    assert "backcast throughout" in marked(origin="backcast")


def test_backcast_history_ends_at_the_date_it_is_live_from():
    tape = make_tape(REFERENCES)
    mixed = [replace(row, origin="backcast") for row in tape[:30]] + tape[30:]
    report = hedge(make_book(RENTS), mixed, benchmark=BENCHMARK, now=LATER)
    assert report.live_from == tape[30].date
    assert f"live from {tape[30].date}" in render_report(report)


def test_a_change_of_methodology_is_a_labelled_vertical():
    tape = make_tape(REFERENCES)
    changed = tape[:20] + [
        replace(row, methodology_hash="9" * 64, methodology_version="2.0.0") for row in tape[20:]
    ]
    page = render_report(hedge(make_book(RENTS), changed, benchmark=BENCHMARK, now=LATER))
    assert 'class="change"' in page
    assert "invented 2.0.0" in page


def test_a_short_history_renders_with_dashes_and_reasons():
    rents, references = monthly_case(wander(3), wander(3, seed=2))
    page = render_report(run(rents, references))
    assert "VERDICT: TOO SHORT" in page
    assert "0 out-of-sample months, 12 needed" in page


def test_one_common_date_renders():
    day = date(2026, 1, 15)
    page = render_report(run({day: 3_000_000}, {day: 2_000_000}))
    assert "VERDICT: TOO SHORT" in page


FRAME = Frame(0, 100, 0, 100, date(2026, 1, 1).toordinal(), date(2026, 1, 11).toordinal(), 0, 10)


def test_a_day_is_drawn_to_the_next_and_nothing_across_a_gap():
    days = [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 5)]
    assert runs(days) == [(0, 2), (2, 3)]
    assert steps(FRAME, days, [2, 4, 4], "x") == '<path class="x" d="M0 80H10V60H20M40 60H50"/>'


def test_a_band_is_one_closed_outline_per_run():
    days = [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 5)]
    drawn = band(FRAME, days, [1, 2, 3], [4, 5, 6], "b")
    assert drawn.count("<polygon") == 2
    assert 'points="0,60 10,60 10,50 20,50 20,80 10,80 10,90 0,90"' in drawn


def test_ticks_are_round_and_inside():
    assert nice_ticks(2.37, 4.12) == [2.5, 3.0, 3.5, 4.0]
    assert nice_ticks(-60_000, 45_000) == [-50_000, 0, 50_000][:2]
    assert nice_ticks(3, 3) == [3]


def test_months_are_ticked_at_their_first_day_and_not_too_often():
    found = month_ticks(date(2023, 5, 8), date(2026, 7, 31), about=6)
    assert all(day.day == 1 for day in found)
    assert 2 <= len(found) <= 7


def test_an_axis_far_from_zero_is_cut_and_says_so():
    assert value_range([2.5, 2.6])[0] > 0
    assert value_range([0.2, 2.6])[0] == 0
    rents, references = monthly_case([9_000_000, 9_250_000] * 20, [8_750_000, 9_000_000] * 20)
    assert "axis from $8.72" in render_report(run(rents, references))
    rents, references = monthly_case([9_000_000, 250_000] * 20, [8_750_000, 9_000_000] * 20)
    prices = re.findall(r"<svg.*?</svg>", render_report(run(rents, references)), flags=re.DOTALL)[1]
    assert "axis from" not in prices


def test_labels_never_overlap_and_stay_inside():
    placed = spread_labels([50, 52, 51], 20, 0, 100)
    assert placed[0] < placed[2] < placed[1]  # the order of what they name
    ordered = sorted(placed)
    assert all(later - earlier >= 20 for earlier, later in pairwise(ordered))
    assert all(0 <= each <= 100 for each in placed)


def test_words_in_plots_are_escaped_and_figures_have_a_true_minus():
    assert "&lt;b&gt;" in text(0, 0, "<b>")
    assert (dollars(-23_700), dollars(0), dollars(2.5), dollars(150)) == ("−$23.7k", "$0", "$2.50", "$150")


def test_hovering_a_date_names_its_figures():
    report = run(RENTS, REFERENCES)
    first = report.common[0]
    page = render_report(report)
    assert f"<title>{first.date}: rent ${first.rent_micros / 1e6:.6f}, {BENCHMARK}" in page


def test_the_same_report_renders_to_the_same_bytes():
    report = run(RENTS, REFERENCES)
    assert render_report(report) == render_report(report)


def test_days_are_one_apart():
    assert runs([date(2026, 1, 1) + timedelta(days=n) for n in range(5)]) == [(0, 5)]
