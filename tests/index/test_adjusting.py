"""Adjusting: a near-miss enters the panel at its restated price, exactly, by dated factors, within the cap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from fractions import Fraction
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.grades.adjustment import LARGEST_CAP, LARGEST_TERM, restate_row, usable_adjustments
from rentmark.index import Benchmark, explain, meeting_grade
from rentmark.index.adjusting import (
    DENOMINATOR,
    LARGEST_ADJUSTED_MICROS,
    NUMERATOR,
    STEPS,
    UNADJUSTED,
    times_half_even,
)
from rentmark.index.panel import REFUSAL
from rentmark.records import UsageError, round_fraction

from .drawing import large_archive
from .making import DAY, NOON, World, benchmark, hours, offer, usd, windows_for

FACTOR = {
    "field": "form_factor",
    "from": "PCIe",
    "to": "SXM",
    "factor": "1.18",
    "effective_from": "2026-01-01",
}
SXM = {"form_factor": ["SXM"], "pricing": "on_demand"}


def schedule(*factors: dict[str, Any], cap: str = "1.75") -> dict[str, Any]:
    return {"cap": cap, "factors": [{**FACTOR, **factor} for factor in factors]}


def adjusting(
    *factors: dict[str, Any], grade: dict[str, Any] | None = None, cap: str = "1.75", **rules: Any
) -> Benchmark:
    return benchmark(grade or SXM, adjustments=schedule(*factors, cap=cap), **rules)


COUNTRY = {"field": "country", "from": "DE", "to": "US", "factor": "1.02"}
NODE = {"field": "gpu_count", "from": 1, "to": 8, "factor": "1.05"}
ETHERNET = {"field": "interconnect", "from": "Ethernet", "to": "NVLink", "factor": "1.5"}
EVERYTHING = adjusting(
    {},
    {"from": "NVL", "factor": "1.1"},
    COUNTRY,
    {**COUNTRY, "from": "FR", "factor": "103/101"},
    NODE,
    {**NODE, "from": 2, "factor": "0.9"},
    ETHERNET,
    {"field": "term_months", "from": 1, "to": 12, "factor": "0.7", "effective_through": "2026-07-07"},
    grade={
        "form_factor": ["SXM", "unstated"],
        "countries": ["US"],
        "min_gpus": 8,
        "max_gpus": 8,
        "interconnect": ["NVLink", "InfiniBand"],
        "term_months": [12],
    },
)


def test_a_near_miss_votes_at_its_restated_price_beside_the_good(world):
    rows = [
        offer(seller="alpha", price_micros=usd("3.00")),
        offer(seller="beta", form_factor="PCIe", price_micros=usd("2.50")),
        offer(seller="gamma", form_factor="NVL", price_micros=usd("2.50")),
    ]
    ballots = world(rows).ballots(adjusting({}))[DAY]
    # 2.50 × 1.18 = 2.95; NVL has no factor and stays out
    assert [(b.seller, b.value_micros) for b in ballots] == [("beta", usd("2.95")), ("alpha", usd("3.00"))]
    assert world(rows).fixing(adjusting({})).value_micros == usd("2.975")


def test_what_an_offer_does_not_say_is_never_adjusted(world):
    rows = [offer(form_factor=None), offer(seller="beta", form_factor="PCIe")]
    assert world(rows).refusals(adjusting({})) == ["form_factor", None]


def test_factors_multiply_and_the_price_is_rounded_once(world):
    grade = {**SXM, "countries": ["US"]}
    rows = [offer(form_factor="PCIe", country="DE", price_micros=1_250_001)]
    factors = ({"factor": "1.001"}, {**COUNTRY, "factor": "1.001"})
    (ballot,) = world(rows).ballots(adjusting(*factors, grade=grade))[DAY]
    # 1,250,001 × 1.002001 = 1,252,502.252…; rounding after each factor would give 1,252,502 too
    assert ballot.value_micros == round(Fraction(1_250_001) * Fraction("1.001") ** 2)
    # a tie: 2.5 micro-dollars go to the even 2
    (tie,) = world([offer(form_factor="PCIe", price_micros=2)]).ballots(adjusting({"factor": "1.25"}))[DAY]
    assert tie.value_micros == 2
    (odd,) = world([offer(form_factor="PCIe", price_micros=6)]).ballots(adjusting({"factor": "1.25"}))[DAY]
    assert odd.value_micros == 8


@pytest.mark.parametrize(
    ("factor", "refusal"),
    [
        ("1.75", None),
        ("1.750001", "adjustment_cap"),
        ("4/7", None),
        ("0.571428", "adjustment_cap"),
        ("2", "adjustment_cap"),
    ],
)
def test_the_cap_bounds_the_cumulative_factor_from_both_sides(world, factor, refusal):
    rows = [offer(form_factor="PCIe")]
    assert world(rows).refusals(adjusting({"factor": factor})) == [refusal]


def test_the_cap_is_of_the_product_and_may_be_set(world):
    grade = {**SXM, "interconnect": ["NVLink"]}
    rows = [
        offer(seller="alpha", form_factor="PCIe", interconnect="Ethernet"),
        offer(seller="beta", form_factor="PCIe", interconnect="NVLink"),
        offer(seller="gamma", form_factor="SXM", interconnect="Ethernet"),
    ]
    both = ({"factor": "1.2"}, ETHERNET)  # 1.2 × 1.5 = 1.8
    assert world(rows).refusals(adjusting(*both, grade=grade)) == ["adjustment_cap", None, None]
    assert world(rows).refusals(adjusting(*both, grade=grade, cap="1.8")) == [None, None, None]


def test_a_factor_is_in_force_on_the_days_it_says(world):
    dated = {"factor": "1.18", "effective_from": "2026-07-08", "effective_through": "2026-07-08"}
    midnight = datetime(2026, 7, 8, tzinfo=UTC)
    seen = [midnight - hours(1), midnight, midnight + hours(23), midnight + hours(24)]
    rows = [offer(form_factor="PCIe", sku=f"k{n}", observed_at=at) for n, at in enumerate(seen)]
    rules = adjusting(dated)
    windows = windows_for(rules, date(2026, 7, 7), date(2026, 7, 9))
    marks = world(rows).marked(rules, windows)
    codes = {number: code for (_, number), code in marks.items()}
    assert [codes[row["observation_id"]] for row in rows] == ["form_factor", None, None, "form_factor"]


def test_the_next_factor_takes_over_the_day_after(world):
    first = {"factor": "1.2", "effective_through": "2026-07-07"}
    second = {"factor": "1.3", "effective_from": "2026-07-08"}
    rules = adjusting(first, second)
    rows = [offer(form_factor="PCIe", price_micros=usd("1.00"))]
    assert world(rows).fixing(rules).value_micros == usd("1.30")


def test_a_factor_of_another_chip_or_for_another_good_does_nothing(world):
    rows = [offer(form_factor="PCIe")]
    assert world(rows).refusals(adjusting({"chip": "A100"})) == ["form_factor"]
    assert world(rows).refusals(adjusting({"to": "NVL"})) == ["form_factor"]
    # the grade admits the near-miss as it is
    both = adjusting({}, grade={"form_factor": ["SXM", "PCIe"]})
    assert world([offer(form_factor="PCIe", price_micros=usd("2.00"))]).fixing(both).value_micros == usd(
        "2.00"
    )


def test_a_schedule_changes_the_hash_and_reads_back():
    plain, adjusted = benchmark(SXM), adjusting({})
    assert plain.methodology_hash != adjusted.methodology_hash
    assert adjusted.methodology_hash != adjusting({"factor": "1.19"}).methodology_hash
    assert Benchmark.from_resolved(adjusted.name, adjusted.resolved()) == adjusted


def test_two_ways_to_restate_one_offer_are_refused():
    with pytest.raises(UsageError, match="PCIe both to SXM and to NVL, and the grade admits both"):
        usable_adjustments(
            adjusting({}, {"to": "NVL"}, grade={"form_factor": ["SXM", "NVL"]}).methodology.adjustments,
            benchmark({"form_factor": ["SXM", "NVL"]}).grade,
        )


def test_explain_shows_the_steps_the_product_and_both_prices(world):
    grade = {**SXM, "countries": ["US"]}
    rows = [
        offer(seller="alpha", form_factor="PCIe", country="DE", price_micros=usd("2.00")),
        offer(seller="beta", country="US", price_micros=usd("3.00")),
        offer(seller="gamma", form_factor="PCIe", country="US", chip="H200"),
        offer(seller="delta", form_factor="NVL", country="US", price_micros=usd("1.00")),
    ]
    rules = adjusting({}, COUNTRY, {"from": "NVL", "factor": "1.9"}, grade=grade)
    archive = world(rows)
    shown = {row["seller"]: row for row in archive.explained(rules)}
    alpha = shown["alpha"]
    assert alpha[STEPS] == "form_factor PCIe to SXM ×1.18; country DE to US ×1.02; "
    assert Fraction(alpha[NUMERATOR], alpha[DENOMINATOR]) == Fraction("1.18") * Fraction("1.02")
    assert (alpha[UNADJUSTED], alpha["price_micros"]) == (usd("2.00"), usd("2.4072"))
    assert (shown["beta"][STEPS], shown["beta"]["price_micros"]) == (None, usd("3.00"))
    # a row that another rule left out takes no step
    assert (shown["gamma"][REFUSAL], shown["gamma"][STEPS]) == ("chip", None)
    # beyond the cap: out by rule, at the price it was seen, with the steps that lead there
    assert (shown["delta"][REFUSAL], shown["delta"]["price_micros"]) == ("adjustment_cap", usd("1.00"))
    assert shown["delta"][STEPS] == "form_factor NVL to SXM ×1.9; "
    window = windows_for(rules)[0]
    explanation = explain(
        rules, archive.fixing(rules), window, archive.ballots(rules)[DAY], archive.explained(rules)
    )
    assert explanation.funnel == {"chip": 1, "adjustment_cap": 1, "in": 2}


def test_without_a_schedule_explain_shows_null(world):
    (row,) = world([offer()]).explained(benchmark())
    assert {row[name] for name in (STEPS, NUMERATOR, DENOMINATOR, UNADJUSTED)} == {None}


def test_a_build_covers_the_days_on_which_only_a_near_miss_was_seen(engine):
    rows = [
        offer(observed_at=NOON),
        offer(form_factor="PCIe", observed_at=NOON + hours(24)),
        offer(form_factor="NVL", observed_at=NOON + hours(48)),
    ]
    archive = World(engine, rows)
    table = engine.memory(archive.table, "archive_of_near_misses")
    found = engine.to_arrow(meeting_grade(table, adjusting({}))).to_pylist()
    assert found == [{"first": NOON, "last": NOON + hours(24)}]


def expected_marks(rows: Sequence[dict[str, Any]], rules: Benchmark) -> dict[int, tuple[bool, int]]:
    """(in by grade and cap, price) of each row by plain Python: first principles, one row at a time."""
    found = {}
    grade = rules.grade
    assert rules.methodology.adjustments is not None
    usable = usable_adjustments(rules.methodology.adjustments, grade)
    for row in rows:
        restatement = restate_row(rules.methodology.adjustments, usable, row)
        meets = restatement is not None and restatement.within_cap and row["chip"] == grade.chip
        price = row["price_micros"] if restatement is None else restatement.factor * row["price_micros"]
        found[row["observation_id"]] = (meets, round_fraction(Fraction(price)))
    return found


def test_a_large_archive_is_restated_as_row_by_row(world):
    chance = Random(7)
    rows = []
    for number, row in enumerate(large_archive(11, 1_500)):
        if row["kind"] == "trade" or row["carried_by_source"] or row["rights"] == "forbidden":
            continue
        changed = {
            "form_factor": chance.choice(("SXM", "PCIe", "NVL", "OAM", None)),
            "country": chance.choice(("US", "DE", "FR", None)),
            "gpu_count": chance.choice((8, 8, 1, 2, 4)),
            "interconnect": chance.choice(("NVLink", "InfiniBand", "Ethernet")),
            "term_months": chance.choice((12, 12, 1)),
            "machine": None,
            "tier": "listed",
            "sku": f"k{number}",
        }
        keep = {k: v for k, v in row.items() if k not in ("observation_id", "content_check", *changed)}
        rows.append(offer(**keep, **changed))
    windows = windows_for(EVERYTHING, date(2026, 7, 7), date(2026, 7, 9))
    archive = world(rows)
    marks = archive.marked(EVERYTHING, windows)
    expected = expected_marks(rows, EVERYTHING)
    restated = {
        row["observation_id"]: row["price_micros"]
        for window in windows
        for row in archive.explained(EVERYTHING, window)
    }
    assert {n: code is None for (_, n), code in marks.items()} == {
        n: meets for n, (meets, _) in expected.items()
    }
    assert {n: restated[n] for n, (meets, _) in expected.items() if meets} == {
        n: price for n, (meets, price) in expected.items() if meets
    }
    # the archive reaches what it is for
    assert set(marks.values()) >= {None, "adjustment_cap", "form_factor", "country", "min_gpus"}
    assert sum(meets for meets, _ in expected.values()) > 20


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.integers(0, LARGEST_ADJUSTED_MICROS) | st.integers(0, 40).map(lambda n: 250_000 * n),
            st.integers(1, LARGEST_TERM - 1) | st.integers(1, 2_000),
            st.integers(1, LARGEST_TERM - 1) | st.integers(1, 2_000),
        ).filter(lambda row: row[0] * row[1] // row[2] <= LARGEST_CAP * LARGEST_ADJUSTED_MICROS),
        min_size=1,
        max_size=40,
    )
)
def test_the_engine_multiplies_as_exact_fractions_do(engine, rows):
    prices, numerators, denominators = (pa.array(column, pa.int64()) for column in zip(*rows, strict=True))
    places = pa.array(range(len(rows)))
    table = engine.memory(
        pa.table({"at": places, "p": prices, "n": numerators, "d": denominators}), "products"
    )
    said = engine.to_arrow(table.select("at", product=times_half_even(table.p, table.n, table.d)))
    assert said.sort_by("at")["product"].to_pylist() == [round(Fraction(p * n, d)) for p, n, d in rows]
