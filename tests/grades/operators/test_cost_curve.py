"""Position on a cost curve is relative: rank and percentile by capacity, at two dates, and who is under water."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import (
    Producer,
    cost_curve_svg,
    curve_of,
    exits,
    moves,
    read_producers_file,
)
from rentmark.records import RentmarkError

BEFORE, AFTER = date(2026, 1, 1), date(2026, 7, 1)


def producer(
    name: str, full: float, capacity: float = 1, cash: float | None = None, on: date = AFTER
) -> Producer:
    return Producer(
        date=on,
        name=name,
        capacity=F(capacity),
        full_micros=round(full * 1_000_000),
        cash_micros=None if cash is None else round(cash * 1_000_000),
    )


FIVE = [
    producer("amber", 1.00, 10, 0.50),
    producer("basalt", 1.50, 40, 1.40),
    producer("cinder", 2.00, 20, 0.75),
    producer("dune", 2.00, 20, 1.00),
    producer("ember", 3.00, 10, 1.25),
]
"""Invented: 100 units of capacity."""


def places(curve):
    return [
        (b.producer.name, b.rank, float(b.percentile), float(b.capacity_from), float(b.capacity_to))
        for b in curve.bars
    ]


def test_bars_stand_by_cost_and_are_as_wide_as_capacity():
    assert places(curve_of(FIVE, AFTER, "full")) == [
        ("amber", 1, 10, 0, 10),
        ("basalt", 2, 50, 10, 50),
        ("cinder", 3, 90, 50, 70),
        ("dune", 3, 90, 70, 90),
        ("ember", 5, 100, 90, 100),
    ]
    assert [b.producer.name for b in curve_of(FIVE, AFTER, "cash").bars] == [
        "amber",
        "cinder",
        "dune",
        "ember",
        "basalt",
    ]


def test_quartiles_and_percentiles_are_weighted_by_capacity():
    full = curve_of(FIVE, AFTER, "full")
    assert [full.percentile_micros(p) for p in (10, 11, 25, 50, 51, 75, 90, 91, 100)] == [
        round(dollars * 1_000_000) for dollars in (1, 1.5, 1.5, 1.5, 2, 2, 2, 3, 3)
    ]


def test_who_is_under_water_and_how_capacity_leaves_as_the_price_falls():
    """At $1.80 three do not earn their capital; none leaves before the price is below its cash cost."""
    full, cash = curve_of(FIVE, AFTER, "full"), curve_of(FIVE, AFTER, "cash")
    assert [b.producer.name for b in full.above(1_800_000)] == ["ember", "dune", "cinder"]
    assert [b.producer.name for b in full.above(3_000_000)] == []
    assert cash.above(1_800_000) == ()
    assert [(e.below_micros, e.producers, e.gone, e.share) for e in exits(cash)] == [
        (1_400_000, ("basalt",), 40, F(4, 10)),
        (1_250_000, ("ember",), 50, F(5, 10)),
        (1_000_000, ("dune",), 70, F(7, 10)),
        (750_000, ("cinder",), 90, F(9, 10)),
        (500_000, ("amber",), 100, 1),
    ]


def test_a_cost_that_is_unknown_is_not_put_on_the_curve():
    some = [producer("amber", 1.00, 10), producer("basalt", 2.00, 30, 1.00)]
    cash = curve_of(some, AFTER, "cash")
    assert [b.producer.name for b in cash.bars] == ["basalt"]
    assert [p.name for p in cash.unknown] == ["amber"]
    none = curve_of(some[:1], AFTER, "cash")
    assert (none.bars, none.capacity, none.percentile_micros(50), exits(none)) == ((), 0, None, ())


def moved(own: tuple[float, float], rival: tuple[float, float]):
    """The move of "own" beside one rival, both of one unit of capacity."""
    stated = [
        producer("own", own[0], on=BEFORE),
        producer("rival", rival[0], on=BEFORE),
        producer("own", own[1]),
        producer("rival", rival[1]),
    ]
    found = moves(curve_of(stated, BEFORE, "full"), curve_of(stated, AFTER, "full"))
    return {move.name: move for move in found}


def test_a_producer_that_improved_can_lose_its_place():
    """Field notes: own cost falls 10 to 8 while a rival's falls 12 to 6: from the cheaper to the dearer one."""
    own = moved((10, 8), (12, 6))["own"]
    assert (own.before.rank, own.after.rank) == (1, 2)
    assert (own.before.percentile, own.after.percentile) == (50, 100)
    assert (own.improved, own.gained_place, own.lost_place) == (True, False, True)


def test_the_mirror_of_it_begins_dearer_and_ends_cheaper():
    """As one write-up prints the rival, 6 to 12: the same fall from 10 to 8 now gains a place."""
    found = moved((10, 8), (6, 12))
    own, rival = found["own"], found["rival"]
    assert (own.before.rank, own.after.rank) == (2, 1)
    assert (own.before.percentile, own.after.percentile) == (100, 50)
    assert (own.improved, own.gained_place, own.lost_place) == (True, True, False)
    assert (rival.improved, rival.gained_place, rival.lost_place) == (False, False, True)


def test_a_producer_of_one_date_only_has_no_move():
    stated = [producer("amber", 1, on=BEFORE), producer("basalt", 1)]
    basalt, amber = moves(curve_of(stated, BEFORE, "full"), curve_of(stated, AFTER, "full"))
    assert (basalt.name, basalt.improved, basalt.lost_place) == ("basalt", None, None)
    assert (amber.name, amber.after) == ("amber", None)


def test_a_date_that_nobody_states_names_those_that_are():
    with pytest.raises(RentmarkError, match=r"No producer is stated for 2026-01-01; dates: 2026-07-01\."):
        curve_of(FIVE, BEFORE, "full")


PRODUCERS = st.lists(
    st.tuples(st.integers(1, 8).map(lambda q: q * 0.25), st.integers(1, 5)), min_size=1, max_size=8
).map(lambda rows: [producer(f"p{n}", cost, capacity) for n, (cost, capacity) in enumerate(rows)])


@given(PRODUCERS, st.randoms())
def test_the_curve_rises_covers_all_capacity_and_does_not_depend_on_the_order_of_lines(producers, shuffle):
    curve = curve_of(producers, AFTER, "full")
    assert [b.cost_micros for b in curve.bars] == sorted(p.full_micros for p in producers)
    assert curve.capacity == sum(p.capacity for p in producers)
    assert all(
        left.capacity_to == right.capacity_from
        for left, right in zip(curve.bars, curve.bars[1:], strict=False)
    )
    assert curve.bars[-1].percentile == 100
    for bar in curve.bars:
        cheaper = sum((p.capacity for p in producers if p.full_micros <= bar.cost_micros), F(0))
        assert bar.percentile == 100 * cheaper / curve.capacity
        assert bar.rank == 1 + sum(p.full_micros < bar.cost_micros for p in producers)
    again = list(producers)
    shuffle.shuffle(again)
    assert curve_of(again, AFTER, "full") == curve
    assert sum((e.capacity for e in exits(curve)), F(0)) == curve.capacity


HEADER = "date,producer,capacity,full_cost,cash_cost"


def read(*lines: str, header: str = HEADER, product: str | None = None):
    return read_producers_file("\n".join([header, *lines]).encode(), "producers.csv", product)


def test_costs_are_read_stated_or_added_up_from_parts():
    assert read("2026-07-01,amber,10,1.00,0.50", "2026-07-01,basalt,2.5,1.5,") == (
        producer("amber", 1, 10, 0.5),
        producer("basalt", 1.5, 2.5),
    )
    parts = "date,producer,capacity,power,colocation,staff,depreciation,interest"
    assert read("2026-07-01,amber,10,0.20,0.20,0.10,0.40,0.10", header=parts) == (
        producer("amber", 1, 10, 0.5),
    )


def test_one_product_is_chosen():
    header = f"{HEADER},product"
    lines = ("2026-07-01,amber,1,1,,B200 hour", "2026-07-01,basalt,1,2,,H100 hour")
    assert [p.name for p in read(*lines, header=header, product="H100 hour")] == ["basalt"]
    with pytest.raises(RentmarkError, match="choose one with --product"):
        read(*lines, header=header)
    with pytest.raises(RentmarkError, match="holds no producers of product 'A100 hour'"):
        read(*lines, header=header, product="A100 hour")


BAD = {
    "zero capacity": (
        "2026-07-01,amber,0,1,",
        "capacity is 0; a producer without capacity has no bar; leave it out.",
    ),
    "no capacity": ("2026-07-01,amber,,1,", "capacity is blank"),
    "negative capacity": ("2026-07-01,amber,-1,1,", "capacity is -1, below 0"),
    "negative cost": (
        "2026-07-01,amber,1,-1,",
        "full_cost is -1, below 0; costs and capacities are 0 or more.",
    ),
    "cash above full": ("2026-07-01,amber,1,1,2", "cash cost 2 is above full cost 1, which contains it"),
    "no cost": ("2026-07-01,amber,1,,", "no cost can be told: full_cost is blank, and so is power"),
    "not a number": ("2026-07-01,amber,1,cheap,", "full_cost is 'cheap'; write a plain number."),
    "underscores": ("2026-07-01,amber,1_0,1,", "capacity is '1_0'; write a plain number."),
    "not finite": ("2026-07-01,amber,1,nan,", "full_cost is 'nan'; write a finite number"),
    "beyond measure": ("2026-07-01,amber,1e999999,1,", "capacity is '1e999999'; write a finite number"),
    "more than 64 bits": ("2026-07-01,amber,1,1e20,", "is larger than a 64-bit count"),
    "no name": ("2026-07-01,,1,1,", "producer is blank; name it."),
    "no date": ("July,amber,1,1,", "date: 'July' is not a date"),
    "twice": ("2026-07-01,Opal,1,2,", "Opal on 2026-07-01 stands at producers.csv line 2 too; keep one."),
    "cut off": ("2026-07-01,amber,1", "does not have 5 cells"),
}


@pytest.mark.parametrize(("line", "said"), BAD.values(), ids=BAD)
def test_a_bad_line_refuses_the_file_in_one_sentence(line, said):
    """A producer left out would move all others."""
    with pytest.raises(RentmarkError) as refused:
        read("2026-07-01,opal,1,1,", line)
    assert said in refused.value.sentence
    assert refused.value.sentence.startswith("producers.csv line 3")


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b"", "has no column date"),
        (b"date,producer,capacity,colour\n", "has an unknown column colour"),
        (HEADER.encode(), "holds no producers"),
        (b"\xff", "is not UTF-8"),
        (b'date,producer,capacity\n"', "can't be read as CSV"),
        (b"date,producer,capacity,full_cost,power\n2026-07-01,a,1,1,1\n", "both stated"),
        (
            b"date,producer,capacity,full_cost,basis\n2026-07-01,a,1,1,x\n2026-07-01,b,1,1,y\n",
            "restate costs to one basis",
        ),
    ],
)
def test_what_is_no_producers_file_is_said(payload, said):
    with pytest.raises(RentmarkError, match=said):
        read_producers_file(payload, "producers.csv")


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_producers_or_one_sentence(payload):
    for whole in (payload, f"{HEADER}\n2026-07-01,amber,1,1,\n".encode() + payload):
        try:
            assert read_producers_file(whole, "producers.csv")
        except RentmarkError as refused:
            assert refused.sentence.startswith("producers.csv")  # noqa: PT017


def rectangles(svg: str, kind: str):
    root = ET.fromstring(svg)
    return [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("class") == kind]


def test_the_plot_draws_bars_in_proportion_to_capacity_and_cost():
    svg = cost_curve_svg(curve_of(FIVE, AFTER, "full"), price_micros=1_800_000, product="invented hour")
    bars = rectangles(svg, "capital")
    widths = [float(bar.get("width")) for bar in bars]
    heights = [float(bar.get("height")) for bar in bars]
    for width, height, each in zip(widths, heights, FIVE, strict=True):
        # coordinates have one decimal
        assert width / widths[0] == pytest.approx(float(each.capacity) / 10, abs=0.01)
        assert height / heights[0] == pytest.approx(each.full_micros / 1_000_000, abs=0.01)
    assert len(rectangles(svg, "cash")) == 5
    assert len(rectangles(svg, "under")) == 3
    assert svg == cost_curve_svg(
        curve_of(FIVE, AFTER, "full"), price_micros=1_800_000, product="invented hour"
    )


def test_the_plot_needs_nothing_beside_it_and_what_a_user_wrote_is_escaped():
    named = [producer('<script src="x">&', 1, 5, 0.5), producer("basalt", 2, 95)]
    svg = cost_curve_svg(curve_of(named, AFTER, "full"))
    ET.fromstring(svg)
    assert "<script" not in svg
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    assert "url(" not in svg
    assert "axis" in svg
    with pytest.raises(ValueError, match="holds no producer"):
        cost_curve_svg(curve_of(named[1:], AFTER, "cash"))
