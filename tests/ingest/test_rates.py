"""Dated series: no price is converted at a rate of its own future, and no block time is guessed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest import read_mapping, sidecars, with_sidecars
from rentmark.ingest.columns import Bad
from rentmark.ingest.rates import BlockClock, BlockTimes, Rate, RateBook, RateSeries
from rentmark.records import UsageError, to_microseconds


def at(text: str) -> int:
    return to_microseconds(datetime.fromisoformat(text).astimezone(UTC))


def book(values: dict[str, Any], **more: Any) -> RateBook:
    return RateBook(RateSeries.read({"source": "invented", "values": values, **more}, "[test]"))


@pytest.mark.parametrize(
    ("moment", "rate"),
    [
        ("2026-08-14T23:59:59.999999+00:00", None),  # a rate for a day is not known before the day is over
        ("2026-08-15T00:00:00+00:00", "1.10"),
        ("2026-08-15T06:00:00+00:00", "1.10"),
        ("2026-08-15T12:00:00+00:00", "1.20"),  # one for an instant is known at the instant
        ("2026-08-19T12:00:00+00:00", "1.20"),  # 96 hours later
        ("2026-08-19T12:00:00.000001+00:00", None),
    ],
)
def test_the_rate_is_the_latest_known_and_not_too_old(moment: str, rate: str | None) -> None:
    found = book({"2026-08-14": "1.10", "2026-08-15T14:00:00+02:00": 1.20}).at(at(moment))
    if rate is None:
        assert isinstance(found, Bad)
        assert found.reason == "missing_rate"
    else:
        assert isinstance(found, Rate)
        assert found.value == Fraction(rate)


def test_a_rate_says_its_number_its_source_and_its_day() -> None:
    found = book({"2026-08-14": "1.0874"}).at(at("2026-08-15T00:00:00+00:00"))
    assert isinstance(found, Rate)
    assert found.note == "1.0874 (invented, 2026-08-14)"


@given(st.lists(st.integers(0, 60), min_size=1, unique=True), st.integers(0, 70 * 24))
def test_no_rate_is_used_before_it_was_known(days: list[int], hours: int) -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    rates = {(first + timedelta(days=day)).date().isoformat(): str(day + 1) for day in days}
    moment = first + timedelta(hours=hours)
    found = book(rates, max_age_hours=24 * 366).at(to_microseconds(moment))
    known = [day for day in days if first + timedelta(days=day + 1) <= moment]
    if known:
        assert isinstance(found, Rate)
        assert found.value == max(known) + 1
    else:
        assert isinstance(found, Bad)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "state either file or values"),
        ({"2026-08-14": "0"}, "write a positive decimal"),
        ({"2026-08-14": "1,10"}, "write a positive decimal"),
        ({"2026-08-14": "nan"}, "write a positive decimal"),
        ({"yesterday": "1.1"}, "not an ISO 8601 time"),
        ({"2026-08-14T06:00:00": "1.1"}, "states no time zone"),
    ],
)
def test_a_series_that_cannot_be_used_is_refused_in_one_sentence(
    values: dict[str, str], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        RateSeries.read({"source": "invented", "values": values}, "[mappings.x.fx.EUR]")


def clock(values: dict[str, str]) -> BlockClock:
    return BlockClock(BlockTimes.read({"source": "invented", "values": values}, "[test]"))


def test_block_times_are_interpolated_and_never_extrapolated() -> None:
    times = clock({"1000": "2026-08-14T00:00:00Z", "1600": "2026-08-14T01:00:00Z"})
    assert times.at(1000) == at("2026-08-14T00:00:00+00:00")
    assert times.at(1600) == at("2026-08-14T01:00:00+00:00")
    assert times.at(1300) == at("2026-08-14T00:30:00+00:00")
    assert times.at(999) is None
    assert times.at(1601) is None


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 500)), min_size=2, max_size=8))
def test_a_higher_block_is_never_earlier(steps: list[tuple[int, int]]) -> None:
    height, moment, values = 100, datetime(2026, 8, 14, tzinfo=UTC), {}
    for blocks, seconds in steps:
        values[str(height)] = moment.isoformat()
        height, moment = height + blocks, moment + timedelta(seconds=seconds)
    found = [clock(values).at(block) for block in range(100, max(map(int, values)) + 1)]
    assert None not in found
    assert found == sorted(found, key=lambda one: one or 0)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"1000": "2026-08-14T01:00:00Z", "1600": "2026-08-14T01:00:00Z"}, "must have a later time"),
        ({"ten": "2026-08-14T01:00:00Z"}, "not a block height"),
        ({"1000": "2026-08-14T01:00:00"}, "states no time zone"),
    ],
)
def test_block_times_that_cannot_be_are_refused(values: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        BlockTimes.read({"source": "invented", "values": values}, "[test]")


VERDA = {"feed": "verda", "observed_at": "2026-08-14T06:00:00Z"}


def test_a_series_in_a_file_is_the_same_as_one_in_place() -> None:
    apart = read_mapping({**VERDA, "fx": {"EUR": {"source": "invented", "file": "eur.csv"}}}, "[mappings.v]")
    beside = read_mapping(
        {**VERDA, "fx": {"EUR": {"source": "invented", "values": {"2026-08-13": "1.10"}}}}, "[mappings.v]"
    )
    assert apart is not None
    assert sidecars(apart) == ("eur.csv",)  # type: ignore[arg-type]
    whole = with_sidecars(apart, {"eur.csv": "at,value\n2026-08-13, 1.10\n\n"}.__getitem__)  # type: ignore[arg-type]
    assert whole == beside
    assert whole.mapping_hash() == beside.mapping_hash()
    assert sidecars(whole) == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("at,value\n", "eur.csv holds no rows below its header"),
        ("at,value\n2026-08-13,1.1,x\n", "eur.csv has 3 columns in line 2"),
        ("at,value\n2026-08-13,1.1\n2026-08-13,1.2\n", "eur.csv states 2026-08-13 twice"),
        ("at,value\n2026-08-13,1;1\n", "eur.csv has values"),
    ],
)
def test_a_file_that_is_no_series_is_refused_by_its_name(text: str, sentence: str) -> None:
    apart = read_mapping({**VERDA, "fx": {"EUR": {"source": "invented", "file": "eur.csv"}}}, "[mappings.v]")
    with pytest.raises(UsageError, match=sentence):
        with_sidecars(apart, lambda _: text)  # type: ignore[arg-type]
