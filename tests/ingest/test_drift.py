"""Drift: what changed against the batches of a source before, and what of it is an alarm."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.drift import (
    PROFILE_COLUMNS,
    Counts,
    Drift,
    Profile,
    drift_note,
    drift_of_counts,
    drift_of_sellers,
    drifts_noted,
    profiles_of,
)
from rentmark.records.schemas import OBSERVATION_SCHEMA

DAY = date(2026, 8, 14)
AT = datetime(2026, 8, 14, 6, tzinfo=UTC)
SCHEMA = pa.schema([OBSERVATION_SCHEMA.field(name) for name in PROFILE_COLUMNS])


def rows(*offers: tuple[str, str, int], day: int = 0, source: str = "invented", **more: object) -> pa.Table:
    made = [
        {
            "kind": "offer", "pricing": "on_demand", "source": source, "chip": chip, "seller": seller,
            "observed_at": AT + timedelta(days=day), "price_micros": price, **more,
        }
        for chip, seller, price in offers
    ]  # fmt: skip
    return pa.Table.from_pylist(made, schema=SCHEMA)


def profile(prices: dict[str, float], chip: str = "H100", day: date = DAY) -> Profile:
    return Profile(day, {(chip, seller): price for seller, price in prices.items()})


def codes(drifts: list[Drift]) -> list[tuple[str, str]]:
    return [(drift.code, drift.level) for drift in drifts]


def test_a_profile_is_the_median_of_each_seller_and_chip():
    table = rows(("H100", "a", 3), ("H100", "a", 5), ("H100", "b", 9), ("A100", "a", 1), ("H100", "a", 4))
    assert profiles_of(table) == {
        "invented": Profile(DAY, {("H100", "a"): 4.0, ("H100", "b"): 9.0, ("A100", "a"): 1.0})
    }


def test_a_profile_is_of_the_last_day_of_each_source_alone():
    table = pa.concat_tables(
        [rows(("H100", "a", 3)), rows(("H100", "b", 4), day=1), rows(("H100", "c", 5), source="other")]
    )
    found = profiles_of(table)
    assert found["invented"] == Profile(DAY + timedelta(days=1), {("H100", "b"): 4.0})
    assert found["other"] == Profile(DAY, {("H100", "c"): 5.0})


def test_trades_and_spot_prices_are_in_no_profile():
    assert profiles_of(rows(("H100", "a", 3), kind="trade")) == {}
    assert profiles_of(rows(("H100", "a", 3), pricing="spot")) == {}
    assert profiles_of(SCHEMA.empty_table()) == {}


@given(
    st.lists(
        st.tuples(st.sampled_from(["H100", "A100"]), st.sampled_from("abc"), st.integers(1, 40).map(lambda n: n * 250_000)),
        min_size=1, max_size=30,
    )
)  # fmt: skip
def test_the_medians_are_those_of_the_statistics_module(offers: list[tuple[str, str, int]]):
    import statistics

    expected: dict[tuple[str, str], list[int]] = {}
    for chip, seller, price in offers:
        expected.setdefault((chip, seller), []).append(price)
    found = profiles_of(rows(*offers))["invented"].medians
    assert found == {key: float(statistics.median(prices)) for key, prices in expected.items()}


def test_nothing_is_said_where_nothing_changed():
    before = profile({"a": 3, "b": 4, "c": 5})
    assert drift_of_sellers("s", before, before) == []


def test_a_few_sellers_gone_are_a_notice_and_many_an_alarm():
    before = profile(dict.fromkeys("abcdefgh", 3))
    few = drift_of_sellers("s", before, profile(dict.fromkeys("bcdefgh", 3)))
    assert codes(few) == [("sellers_vanished", "notice")]
    assert few[0].sentence == "s: 1 of 8 sellers of the last batch are absent: a."
    many = drift_of_sellers("s", before, profile(dict.fromkeys("cdefgh", 3)))
    assert codes(many) == [("sellers_vanished", "alarm")]


def test_new_sellers_are_a_notice_and_are_named():
    found = drift_of_sellers("s", profile({"a": 3}), profile({"a": 3, "b": 4}))
    assert codes(found) == [("sellers_appeared", "notice")]
    assert "b" in found[0].sentence
    crowd = profile({"a": 3} | {f"new-{n:02d}": 3 for n in range(40)})
    assert "and 28 more" in drift_of_sellers("s", profile({"a": 3}), crowd)[0].sentence


def test_a_median_that_jumps_because_its_sellers_changed_is_an_alarm():
    """As seen: a collector changed its source, and the median jumped with no market move."""
    before = profile({"a": 2.0, "b": 2.1, "c": 2.2, "d": 4.0, "e": 4.1})
    now = profile({"d": 4.0, "e": 4.1, "f": 4.2, "g": 4.3})
    found = drift_of_sellers("s", before, now)
    assert ("median_jumps_with_sellers", "alarm") in codes(found)
    assert "the 2 sellers of both batches moved +0.0 %" in found[-1].sentence


def test_a_market_that_moves_with_its_sellers_is_no_alarm():
    before = profile({"a": 2.0, "b": 2.1, "c": 2.2})
    assert drift_of_sellers("s", before, profile({"a": 3.0, "b": 3.1, "c": 3.2})) == []
    moved = drift_of_sellers("s", before, profile({"a": 3.0, "b": 3.1, "c": 3.2, "d": 3.1}))
    assert codes(moved) == [("sellers_appeared", "notice")]


def test_a_chip_of_few_sellers_has_no_median_to_jump():
    found = drift_of_sellers("s", profile({"a": 2.0, "b": 2.0}), profile({"b": 2.0, "c": 9.0, "d": 9.0}))
    assert "median_jumps_with_sellers" not in dict(codes(found))


def test_an_older_batch_is_not_held_against_a_newer_one():
    before = profile({"a": 3, "b": 4}, day=DAY)
    assert drift_of_sellers("s", before, profile({"c": 9}, day=DAY - timedelta(days=1))) == []


def test_counts_are_compared_from_three_batches_on():
    usual = [Counts(100, 0), Counts(110, 1), Counts(90, 0)]
    assert drift_of_counts("vast", usual[:2], Counts(1, 1)) == []
    assert drift_of_counts("vast", usual, Counts(51, 0)) == []
    assert codes(drift_of_counts("vast", usual, Counts(49, 0))) == [("record_count", "alarm")]
    assert codes(drift_of_counts("vast", usual, Counts(201, 0))) == [("record_count", "alarm")]


@pytest.mark.parametrize(("rejected", "fires"), [(5, False), (6, True), (30, True)])
def test_a_share_of_rejects_beyond_the_usual_is_an_alarm(rejected: int, fires: bool):
    usual = [Counts(100, 1)] * 5
    found = drift_of_counts("vast", usual, Counts(100, rejected))
    assert codes(found) == ([("reject_share", "alarm")] if fires else [])
    dirty = [Counts(100, 20)] * 5
    assert drift_of_counts("vast", dirty, Counts(100, 30)) == []


@given(st.sampled_from(["alarm", "notice"]), st.text(max_size=40))
def test_what_is_noted_is_read_back(level, sentence: str):
    drift = Drift("record_count", level, sentence)
    assert drifts_noted(["a note", drift_note(drift), "drift: no", "drift alarm"]) == [drift]


def test_percentages_have_a_true_minus():
    found = drift_of_sellers(
        "s", profile({"a": 4.0, "b": 4.0, "c": 4.0}), profile({"d": 2.0, "e": 2.0, "f": 2.0})
    )
    assert "−50.0 %" in found[-1].sentence
