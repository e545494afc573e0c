"""The review whole: its checks, its verdict in sentences, and a page that opens without a script or a network."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from rentmark.index.review.page import render_review
from rentmark.index.review.parallel import parallel
from rentmark.index.review.principles import Check, Provenance
from rentmark.index.review.principles_table import PRINCIPLES, THRESHOLDS
from rentmark.index.review.review import Material, Review, review
from rentmark.index.review.verdict import verdict, verdict_word

from tests.index.making import DAY, benchmark
from tests.index.review.making import MEDIAN, days, votes

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
PANEL = [
    votes(a="2.00", b="3.00", c="4.00"),
    votes(a="2.00", b="3.10", c="4.00", d="6.00"),
    votes(a="2.00"),
    votes(a="2.00", b="3.10", c="4.00"),
]
RULES = benchmark(min_sellers=2)


def made(rules=RULES, panel=None, *, problems=(), sequence=(), **changes) -> Review:
    held = [replace(day, **changes) for day in days(rules, PANEL if panel is None else panel)]
    ballots = {day.window.date: day.ballots for day in held}
    other = {day.window.date: day for day in days(MEDIAN, PANEL if panel is None else panel)}
    return review(
        Material(
            benchmark=rules,
            days=held,
            sequence=sequence,
            tiers=ballots,
            ballots_of=lambda _: ballots,
            provenance=Provenance(1, date(2026, 7, 1), tuple(problems)),
            parallel=parallel(rules, held, MEDIAN, other, names=("strict & old", "<loose>")),
        )
    )


@pytest.fixture(scope="module")
def whole() -> Review:
    return made()


def page(of: Review, marks=("BACKCAST",)) -> str:
    return render_review(
        of,
        marks=marks,
        live_from=None,
        attributions=["a source & its <licence>"],
        made_at=NOON,
        command="rentmark x",
    )


def named(of: Review, name: str) -> Check:
    return next(check for check in of.checks if check.name == name)


def test_every_principle_is_checked_or_attested_and_titled():
    assert [p.number for p in PRINCIPLES] == list(range(1, 20))
    assert all(p.title and p.attest.endswith(".") for p in PRINCIPLES)


def test_checks_hold_the_figures_against_the_bounds(whole):
    computed = {check.principle for check in whole.checks}
    assert computed == {p.number for p in PRINCIPLES if p.computed}
    assert (named(whole, "top_seller_share").result, named(whole, "top_seller_share").found) == (
        "not met",
        pytest.approx(1 / 3),
    )
    coverage = named(whole, "coverage")
    assert (coverage.result, coverage.found, coverage.threshold) == ("not met", 0.75, THRESHOLDS["coverage"])
    assert named(whole, "min_sellers").result == "not met"
    assert named(whole, "thinnest_sellers").found == 3
    assert named(whole, "leave_one_out").evidence.startswith("Without ")
    assert named(whole, "affiliates").result == "cannot be computed"
    assert named(whole, "restatement").result == "cannot be computed"
    assert named(whole, "replay").result == "met"
    assert named(whole, "aggregator_share").evidence == "No vote names an aggregator."
    assert all(check.evidence.endswith(".") for check in whole.checks)


def test_damage_in_the_archive_fails_the_check():
    assert named(made(problems=("payload x is missing.",)), "provenance").result == "not met"


def test_the_verdict_counts_what_can_be_computed(whole):
    failed = sum(check.result == "not met" for check in whole.checks)
    computed = sum(check.result != "cannot be computed" for check in whole.checks)
    assert verdict_word(whole) == f"{failed} of {computed} checks not met"
    said = " ".join(verdict(whole))
    assert "3 of 4 dates have a value of their own (min_sellers 1)." in said
    assert "No trades here, so no volume or list-to-trade spread." in said
    # 3.00 to 3.10; a, b and c alone: the middle goes 3.00 to 3.10, and stays
    assert "the value went $3.000 to $3.100 (+3.3 %)" in said
    assert "went +3.3 %. The rest" in said


class Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag not in {"meta", "rect", "line", "circle", "path", "polygon", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in {"rect", "line", "circle", "path", "polygon"}:
            assert self.open.pop() == tag


def test_the_page_opens_without_a_script_or_a_network(whole):
    text = page(whole)
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert not {"script", "link", "img", "iframe"} & outline.tags
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert len(text) < 3_000_000
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(drawings) >= 6
    for drawing in drawings:
        ET.fromstring(drawing)
    assert text == page(whole), "the same review gives the same bytes"


def test_what_a_person_wrote_is_escaped(whole):
    text = page(whole)
    assert "&lt;loose&gt;" in text
    assert "<loose>" not in text
    assert "a source &amp; its &lt;licence&gt;" in text


def test_marks_stand_on_top_and_on_every_section(whole):
    text = page(whole, ("SIMULATED", "BACKCAST"))
    assert '<div class="strip SIMULATED"' in text
    assert text.count('class="badge SIMULATED"') >= 8
    assert "Prices here come from a simulated market" in text
    simulated = made(panel=[[replace(b, simulated=True) for b in day] for day in PANEL])
    assert 'class="watermark"' in page(simulated)
    assert 'class="watermark"' not in text


def test_backcast_ground_ends_where_values_are_live():
    held = made()
    rows = [
        replace(day, fixing=replace(day.fixing, origin="backcast" if n < 2 else "live"))
        for n, day in enumerate(held.days)
    ]
    assert f"live from {DAY + timedelta(days=3)}" not in page(held)
    assert f"live from {DAY + timedelta(days=2)}" in page(replace(held, days=tuple(rows)))


def test_a_period_of_gaps_is_a_page_that_says_so():
    bare = made(benchmark(min_sellers=9))
    text = page(bare)
    assert "— no date has a value" in text
    assert "0 of 4 dates have a value of their own (min_sellers 4)." in " ".join(verdict(bare))
    assert named(bare, "top_seller_share").result == "cannot be computed"
    assert bare.parallel is not None
    assert (bare.parallel.n_both, bare.parallel.n_only_other) == (0, 4)
