"""Calibrating a factor: pairs of one seller at one time, one voice a seller, fixed ratios told apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades import Factor, Grade
from rentmark.grades.calibrate import (
    Calibration,
    calibrate,
    mean_interval,
    median_interval,
    pair_columns,
    price_pairs,
    suggested_factor,
)
from rentmark.records.schemas import OBSERVATION_SCHEMA
from rentmark.store.engines.duckdb import DuckDBEngine

NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
H100 = Grade(chip="H100", form_factor=("SXM",), pricing="on_demand")


def step(**changes: Any) -> Factor:
    values = {
        "field": "form_factor",
        "from": "PCIe",
        "to": "SXM",
        "factor": "1",
        "effective_from": date(2026, 1, 1),
    }
    return Factor.model_validate({**values, **changes})


STEP = step()


def pairs(*rows: tuple[str, float, float]) -> pa.Table:
    """(seller, price of the near-miss, price of the good) in dollars, one pair a day."""
    return pa.table(
        {
            "seller": pa.array([row[0] for row in rows], pa.string()),
            "day": pa.array([NOON.date() + timedelta(days=n) for n in range(len(rows))], pa.date32()),
            "from_twice": pa.array([round(row[1] * 2_000_000) for row in rows], pa.int64()),
            "to_twice": pa.array([round(row[2] * 2_000_000) for row in rows], pa.int64()),
        }
    )


def verdicts(found: Calibration) -> dict[str, str]:
    return {spread.seller: spread.verdict for spread in found.sellers}


def test_one_ratio_a_seller_by_hand():
    found = calibrate(
        STEP,
        pairs(
            ("a", 2.0, 2.4), ("a", 2.0, 2.5), ("a", 2.0, 2.6),  # median 1.25
            ("b", 1.0, 1.0), ("b", 1.0, 1.21),  # geometric middle of 1 and 1.21: 1.1
            ("c", 4.0, 6.0),  # 1.5
        ),
    )  # fmt: skip
    assert [spread.ratio for spread in found.sellers] == pytest.approx([1.25, 1.1, 1.5])
    assert found.median is not None
    assert found.mean is not None
    assert found.median.value == pytest.approx(1.25)
    # (1.25 × 1.1 × 1.5)^(1/3)
    assert found.mean.value == pytest.approx(2.0625 ** (1 / 3))
    assert (found.pairs, found.sellers_used, found.pairs_administered) == (6, 3, 0)
    assert (found.first_day, found.last_day) == (date(2026, 7, 8), date(2026, 7, 13))
    assert suggested_factor(found) == "1.250"
    assert found.median.low is None
    assert found.median.reason == "3 sellers; an interval of the median needs 6"


def test_a_seller_that_lists_every_day_speaks_once():
    daily = [("a", 2.0, 3.0 + n / 100) for n in range(300)]
    once = [("b", 2.0, 2.0), ("c", 2.0, 2.2)]
    found = calibrate(STEP, pairs(*daily, *once))
    assert found.median is not None
    assert found.median.value == pytest.approx(1.1)


def test_a_fixed_ratio_over_moving_prices_is_administered_flagged_and_left_out():
    prices = (1.0, 1.25, 1.5, 2.75, 4.0)
    formula = [("formula", price, round(price * 1.5, 2)) for price in prices]
    market = [("market", price, price * (1.1 + n / 20)) for n, price in enumerate(prices)]
    found = calibrate(STEP, pairs(*formula, *market))
    assert verdicts(found) == {"formula": "administered", "market": "market"}
    assert (found.pairs, found.pairs_administered, found.sellers_used) == (5, 5, 1)
    assert found.median is not None
    assert found.median.value == pytest.approx(1.2)


def test_a_ratio_that_never_had_to_hold_is_undetermined_and_counts():
    sticky = [("sticky", 2.0, 2.5)] * 30
    nearly = [("nearly", 2.0 + n / 200, 2.5 + n / 200) for n in range(5)]
    assert verdicts(calibrate(STEP, pairs(*sticky, *nearly))) == {
        "sticky": "undetermined",
        "nearly": "undetermined",
    }


def test_a_ratio_that_is_the_same_on_all_products_of_a_seller_is_administered():
    of_the_good = pairs(("linear", 3.0, 3.0), ("market", 3.0, 2.9), ("single", 3.0, 3.1))
    elsewhere = [("linear", 2.0, 2.0), ("linear", 1.0, 1.0), ("market", 2.0, 2.0), ("market", 1.0, 1.1)]
    rows = [("linear", 3.0, 3.0), ("market", 3.0, 2.9), ("single", 3.0, 3.1), *elsewhere]
    found = calibrate(STEP, of_the_good, pairs(*rows))
    assert verdicts(found) == {"linear": "administered", "market": "market", "single": "undetermined"}
    # the ratio and the pairs are those of the good alone
    assert [(s.pairs, s.distinct_pairs) for s in found.sellers] == [(1, 3), (1, 3), (1, 1)]
    assert (found.pairs, found.pairs_administered) == (2, 1)


def test_where_every_seller_is_administered_there_is_no_estimate():
    found = calibrate(STEP, pairs(*(("a", price, price * 2) for price in (1.0, 2.0, 3.0))))
    assert (found.median, found.mean, suggested_factor(found)) == (None, None, None)
    assert (found.pairs, found.pairs_administered) == (0, 3)


def test_the_mean_interval_is_students():
    logs = np.log(np.array([1.1, 1.2, 1.25, 1.3]))
    found = mean_interval(logs)
    assert found.value == pytest.approx((1.1 * 1.2 * 1.25 * 1.3) ** 0.25)
    sd = float(np.std(logs, ddof=1))
    # t(0.975, 3) = 3.182446 (any table of Student's t)
    assert found.low == pytest.approx(math.exp(math.log(found.value) - 3.182446 * sd / 2), rel=1e-6)
    assert found.high == pytest.approx(math.exp(math.log(found.value) + 3.182446 * sd / 2), rel=1e-6)
    assert mean_interval(logs[:1]).low is None


@pytest.mark.parametrize(
    ("count", "rank", "coverage"),
    [
        # Conover 1999, table A3 (binomial, p = 1/2): 1 − 2·P(B ≤ rank − 1)
        (5, None, None),
        (6, 1, 1 - 2 / 64),
        (9, 2, 1 - 2 * 10 / 512),
        (12, 3, 1 - 2 * (1 + 12 + 66) / 4096),
        (25, 8, 0.9567),
    ],
)
def test_the_median_interval_lies_between_ordered_sellers(count, rank, coverage):
    values = np.log(np.arange(1, count + 1, dtype=np.float64))
    found = median_interval(values)
    if rank is None:
        assert (found.low, found.high, found.coverage) == (None, None, None)
    else:
        assert (found.low, found.high) == (pytest.approx(rank), pytest.approx(count + 1 - rank))
        assert found.coverage == pytest.approx(coverage, abs=5e-5)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    chance = Random(3)
    trials, truth, inside = 400, math.log(1.2), {"median": 0, "mean": 0}
    for _ in range(trials):
        logs = np.sort(np.array([truth + chance.gauss(0, 0.1) for _ in range(12)]))
        for name, found in (("median", median_interval(logs)), ("mean", mean_interval(logs))):
            assert found.low is not None
            assert found.high is not None
            inside[name] += found.low <= math.exp(truth) <= found.high
    # the binomial spread of 400 trials at 95 % is about 1.1 points
    assert 0.92 <= inside["mean"] / trials <= 0.98
    assert 0.93 <= inside["median"] / trials <= 0.99


prices = st.integers(1, 40).map(lambda n: n / 4)
some_pairs = st.lists(st.tuples(st.sampled_from("abcdefg"), prices, prices), min_size=1, max_size=40)


@given(some_pairs, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, chance):
    table = pairs(*rows)
    order = list(range(len(rows)))
    chance.shuffle(order)
    assert calibrate(STEP, table.take(order)) == calibrate(STEP, table)


@given(some_pairs)
def test_the_way_back_is_the_inverse(rows):
    there = calibrate(STEP, pairs(*rows))
    back = calibrate(STEP, pairs(*((seller, to, near) for seller, near, to in rows)))
    ratios = {s.seller: s.ratio for s in there.sellers}
    assert {s.seller: 1 / s.ratio for s in back.sellers} == pytest.approx(ratios)


@given(some_pairs, st.integers(2, 9))
def test_a_change_of_currency_changes_nothing(rows, rate):
    there = calibrate(STEP, pairs(*rows))
    scaled = calibrate(STEP, pairs(*((seller, near * rate, to * rate) for seller, near, to in rows)))
    assert verdicts(scaled) == verdicts(there)
    assert [s.ratio for s in scaled.sellers] == pytest.approx([s.ratio for s in there.sellers])


# Which prices make a pair

OFFER: dict[str, Any] = {
    "kind": "offer", "tier": "listed", "source": "invented", "seller": "alpha", "observed_at": NOON,
    "known_at": NOON, "chip": "H100", "form_factor": "SXM", "memory_gb": 80, "gpu_count": 8,
    "price_micros": 3_000_000, "currency": "USD", "price_basis": "instance", "pricing": "on_demand",
    "service": "vm", "region": "us-1", "country": "US", "carried_by_source": False, "rights": "allowed",
    "simulated": False, "payload_digest": "0" * 64,
}  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


def found_pairs(
    engine: DuckDBEngine,
    rows: Sequence[dict[str, Any]],
    grade: Grade = H100,
    of: Factor = STEP,
    *,
    all_products: bool = False,
) -> list[tuple[str, str, str]]:
    """(seller, price of the near-miss, price of the good) of each pair in dollars."""
    filled = [
        {name: {**OFFER, **row, "position": n, "observation_id": n, "content_check": n}.get(name) for name in OBSERVATION_SCHEMA.names}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    table = engine.memory(pa.Table.from_pylist(filled, schema=OBSERVATION_SCHEMA), "offers")
    found = engine.to_arrow(price_pairs(table, grade, of, all_products=all_products)).to_pylist()
    return sorted(
        (
            row["seller"],
            str(Fraction(row["from_twice"], 2_000_000)),
            str(Fraction(row["to_twice"], 2_000_000)),
        )
        for row in found
    )


PCIE = {"form_factor": "PCIe", "price_micros": 2_000_000}


def test_one_sellers_two_prices_of_one_day_are_a_pair(engine):
    later = NOON + timedelta(hours=11)
    assert found_pairs(engine, [{}, {**PCIE, "observed_at": later}]) == [("alpha", "2", "3")]


def test_several_prices_of_a_side_speak_through_their_median(engine):
    rows = [{}, *({**PCIE, "sku": f"k{n}", "price_micros": n * 1_000_000} for n in (1, 2))]
    assert found_pairs(engine, rows) == [("alpha", "3/2", "3")]


@pytest.mark.parametrize(
    "change",
    [
        {"seller": "beta"},
        {"observed_at": NOON + timedelta(days=1)},
        {"region": "us-2"},
        {"gpu_count": 1},
        {"memory_gb": 94},
        {"price_basis": "gpu_only"},
        {"service": "bare_metal"},
        {"tier": "executable"},
        {"source": "second"},
        {"venue": "floor"},
        {"minimum_gpus": 64},
        {"tenancy": "single"},
        {"pricing": "spot"},
        {"chip": "H200"},
        {"carried_by_source": True},
        {"suspect": "price_outside_band"},
        {"rights": "forbidden"},
        {"kind": "trade", "tier": "trade"},
    ],
)
def test_prices_that_differ_in_anything_else_are_no_pair(engine, change):
    assert found_pairs(engine, [{}, {**PCIE, **change}]) == []


def test_what_follows_from_a_field_may_differ(engine):
    assert found_pairs(engine, [{"interconnect": "NVLink"}, PCIE]) == [("alpha", "2", "3")]
    country = step(field="country", **{"from": "DE", "to": "US"})
    abroad = {"country": "DE", "region": "eu-1", "price_micros": 2_500_000}
    grade = Grade(chip="H100", countries=("US",))
    assert found_pairs(engine, [{}, abroad], grade, country) == [("alpha", "5/2", "3")]
    assert "region" not in pair_columns(country)
    assert "region" in pair_columns(STEP)


def test_all_products_of_a_seller_make_pairs_that_show_how_it_prices(engine):
    node = step(field="gpu_count", **{"from": 1, "to": 8})
    rows = [
        {**product, "gpu_count": count, "price_micros": price}
        for product, price in (({}, 3_000_000), ({"chip": "H200", "memory_gb": 141}, 4_000_000))
        for count in (1, 8)
    ]
    assert found_pairs(engine, rows, H100, node) == [("alpha", "3", "3")]
    across = found_pairs(engine, rows, H100, node, all_products=True)
    assert across == [("alpha", "3", "3"), ("alpha", "4", "4")]


def test_a_grade_that_does_not_ask_of_the_field_is_calibrated_too(engine):
    node = step(field="gpu_count", **{"from": 1, "to": 8})
    assert found_pairs(engine, [{}, {"gpu_count": 1, "price_micros": 3_500_000}], H100, node) == [
        ("alpha", "7/2", "3")
    ]


def test_a_known_truth_is_found_again(engine):
    """A simulated market: eleven sellers whose spread is 1.2 with noise, and one with a price formula."""
    chance = Random(5)
    rows: list[dict[str, Any]] = []
    for number in range(12):
        spread = 1.2 * math.exp(chance.gauss(0, 0.05))
        level = 2_000_000
        for day in range(30):
            level = round(level * math.exp(chance.gauss(0, 0.02)))
            ratio = 1.6 if number == 11 else spread * math.exp(chance.gauss(0, 0.02))
            seen = {"seller": f"s{number:02d}", "observed_at": NOON + timedelta(days=day)}
            rows.append({**seen, "form_factor": "PCIe", "price_micros": level})
            rows.append({**seen, "price_micros": round(level * ratio)})
    filled = [
        {name: {**OFFER, **row, "position": n, "observation_id": n, "content_check": n}.get(name) for name in OBSERVATION_SCHEMA.names}
        for n, row in enumerate(rows)
    ]  # fmt: skip
    table = engine.memory(pa.Table.from_pylist(filled, schema=OBSERVATION_SCHEMA), "market")
    found = calibrate(STEP, engine.to_arrow(price_pairs(table, H100, STEP)))
    assert {s for s, verdict in verdicts(found).items() if verdict == "administered"} == {"s11"}
    assert (found.pairs, found.pairs_administered, found.sellers_used) == (330, 30, 11)
    for interval in (found.median, found.mean):
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= 1.2 <= interval.high
        assert interval.high - interval.low < 0.2
