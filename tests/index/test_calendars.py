"""Calendars and samples: weekly and exchange days, what a build covers, and how far a value moves with the hour."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from rentmark.index import Methodology, dates_covering, is_fixing_date, windows_between
from rentmark.index.calendars import skipped_days
from rentmark.records import RentmarkError

from .making import LATER, NOON, benchmark, hours, offer, trade, usd


def rules(**changes: Any) -> Methodology:
    return Methodology.read({"version": "1", "inputs": ["listed"], **changes}, "[methodologies.m]")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fixing_dates(asked: Methodology, first: date, last: date) -> list[date]:
    return [w.date for w in windows_between(asked, first, last, LATER)]


def test_a_weekly_calendar_fixes_its_weekday_and_with_a_cut_off_collects_the_week():
    friday = rules(calendar="weekly", weekday="friday", cutoff="16:00 Europe/London")
    assert [d.day for d in fixing_dates(friday, date(2026, 7, 1), date(2026, 7, 31))] == [3, 10, 17, 24, 31]
    window = windows_between(friday, date(2026, 7, 10), date(2026, 7, 10), LATER)[0]
    assert window.start == utc("2026-07-03T15:00") + timedelta(microseconds=1)
    assert window.end == utc("2026-07-10T15:00") + timedelta(microseconds=1)


def test_business_days_of_an_exchange_leave_its_holidays_out():
    nyse = rules(calendar="XNYS", cutoff="16:00 America/New_York")
    # Independence Day 2026 is a Saturday and kept on Friday the 3rd (New York Stock Exchange, holidays and hours)
    assert not is_fixing_date(nyse, date(2026, 7, 3))
    window = windows_between(nyse, date(2026, 7, 6), date(2026, 7, 6), LATER)[0]
    assert window.start == utc("2026-07-02T20:00") + timedelta(microseconds=1)
    # 22 business days in July and 21 in August 2026 (XNYS)
    assert len(fixing_dates(nyse, date(2026, 7, 1), date(2026, 7, 31))) == 22
    assert len(fixing_dates(nyse, date(2026, 8, 1), date(2026, 8, 31))) == 21


def test_a_day_outside_a_named_calendar_is_refused_with_its_span():
    with pytest.raises(RentmarkError, match="calendar XNYS is known from 2000-01-01 to 2050-12-31"):
        is_fixing_date(rules(calendar="XNYS"), date(1999, 12, 31))


def test_the_skipped_hours_of_a_zone_are_those_of_its_clock_changes():
    skipped = skipped_days(2, 30, "America/New_York")
    assert date(2026, 3, 8) in skipped
    assert len(skipped) == 21
    assert skipped_days(16, 0, "America/New_York") == ()
    assert skipped_days(2, 30, "UTC") == ()


@pytest.mark.parametrize(
    ("calendar", "first", "last", "dates"),
    [
        # a cut-off in the afternoon of New York: what is seen after it belongs to the next date
        ({"cutoff": "16:00 America/New_York"}, "2026-07-07T19:00", "2026-07-09T21:00", (7, 10)),
        # an evening of Los Angeles is the next UTC day, and belongs to the date of the evening
        ({"cutoff": "23:00 America/Los_Angeles"}, "2026-07-08T05:00", "2026-07-09T06:00", (7, 8)),
        ({"cutoff": "16:00 UTC", "calendar": "weekdays"}, "2026-07-10T17:00", "2026-07-11T12:00", (13, 13)),
        (
            {"cutoff": "16:00 UTC", "calendar": "weekly", "weekday": "friday"},
            "2026-07-04T00:00",
            "2026-07-13T00:00",
            (10, 17),
        ),
        ({"cutoff": "16:00 UTC", "calendar": "XNYS"}, "2026-07-03T12:00", "2026-07-06T15:00", (6, 6)),
        ({}, "2026-07-07T00:00", "2026-07-09T23:59", (7, 9)),
        # a look-back reaches further and is no reason to fix later dates
        ({"lookback_hours": 72, "cutoff": "16:00 UTC"}, "2026-07-07T12:00", "2026-07-07T12:00", (7, 7)),
    ],
)
def test_a_build_covers_the_dates_of_the_first_and_the_last_observation(calendar, first, last, dates):
    found = dates_covering(rules(**calendar), utc(first), utc(last))
    assert found is not None
    assert tuple(d.day for d in found) == dates


# Sampling


def test_a_value_is_made_once_more_from_each_part_of_the_window(world):
    made = benchmark(snapshots=4)
    rows = [
        offer(seller=s, observed_at=datetime(2026, 7, 8, hour, 30, tzinfo=UTC), price_micros=usd(p))
        for hour, prices in ((1, ("2.00", "4.00")), (8, ("2.00", "5.00")), (13, ("2.20",)))
        for s, p in zip(("alpha", "beta"), prices, strict=False)
    ]
    fixing = world(rows).fixing(made)
    # the level is of the latest state of each offer: 2.20 and 5.00
    assert fixing.value_micros == usd("3.60")
    # worked by hand: 3.00, 3.50, 2.20 and nothing; sd of the three is 0.655744
    assert json.loads(fixing.details or "{}") == {
        "sampling": {
            "snapshots": 4,
            "with_value": 3,
            "low": "2.200000",
            "high": "3.500000",
            "standard_deviation": "0.655744",
        }
    }


def test_parts_of_a_window_ask_the_same_rules(world):
    made = benchmark(snapshots=2, min_sellers=2)
    rows = [
        offer(seller="alpha", observed_at=NOON - hours(6)),
        offer(seller="beta", observed_at=NOON - hours(6), price_micros=usd("4.00")),
        offer(seller="alpha", observed_at=NOON + hours(6)),
    ]
    sampling = json.loads(world(rows).fixing(made).details or "{}")["sampling"]
    assert (sampling["with_value"], sampling["low"], sampling["standard_deviation"]) == (1, "3.500000", None)


def test_sampling_leaves_the_level_and_its_counts_as_they_are(world):
    rows = [
        offer(seller=s, observed_at=NOON + hours(h), price_micros=usd(f"{h + 9}.00"))
        for h in (-6, 0, 6)
        for s in "ab"
    ]
    plain, sampled = (world(rows).fixing(benchmark(**more)) for more in ({}, {"snapshots": 3}))
    for name in ("value_micros", "n_votes", "n_observations", "n_sellers", "top_weight"):
        assert getattr(plain, name) == getattr(sampled, name)
    assert plain.input_digest != sampled.input_digest


def test_partitions_of_a_window_read_the_time_of_each_trade(world):
    made = benchmark(
        inputs=["trade"],
        vote=["observation"],
        weights="volume",
        estimator="partitioned_volume_weighted_median",
        partitions=24,
    )
    rows = [
        trade(f"t{n}", observed_at=datetime(2026, 7, 8, hour, minute, tzinfo=UTC), price_micros=usd(p))
        for n, (hour, minute, p) in enumerate(
            ((0, 0, "2.00"), (0, 59, "2.00"), (0, 30, "9.00"), (23, 59, "4.00"))
        )
    ]
    fixing = world(rows).fixing(made)
    # worked by hand: the first hour comes to 2.00, the last to 4.00, the 22 between are empty
    assert fixing.value_micros == usd("3.00")
    assert json.loads(fixing.details or "{}")["partitions"] == {"with_trades": 2, "of": 24}


def test_the_age_of_a_vote_is_that_of_its_latest_observation(world):
    made = benchmark(recency=0.5, weights="vote", estimator="mean")
    rows = [
        offer(seller="alpha", observed_at=datetime(2026, 7, 8, 0, tzinfo=UTC), price_micros=usd("2.00")),
        offer(seller="beta", observed_at=datetime(2026, 7, 8, 12, tzinfo=UTC), price_micros=usd("4.00")),
    ]
    # worked by hand: weights ½ and ¾, so (1 + 3) / 1¼ = 3.20
    assert world(rows).fixing(made).value_micros == usd("3.20")


def test_votes_carry_what_rules_ask_of_them_and_nothing_else(world):
    rows = [
        offer(aggregator="one", gpus_available=8),
        offer(aggregator="two", gpus_available=4, sku="k1"),
        offer(seller="beta"),
    ]
    (plain,) = world(rows).ballots(benchmark()).values()
    assert {(b.aggregators, b.capacity, b.instant, b.buyer) for b in plain} == {((), None, None, None)}
    asked = benchmark(cap_aggregator=0.9, weights="capacity", recency=0.5)
    (read,) = world(rows).ballots(asked).values()
    assert {b.seller: (b.aggregators, b.capacity) for b in read} == {
        "alpha": (("one", "two"), 12),
        "beta": ((), None),
    }
    assert [b.content() for b in read] == [b.content() for b in plain]


def test_by_sku_a_seller_has_one_vote_for_each_product(world):
    rows = [
        offer(sku="k1"),
        offer(sku="k2", price_micros=usd("4.00")),
        offer(sku=None, name_as_written="H100", price_micros=usd("5.00")),
    ]
    (votes,) = world(rows).ballots(benchmark(vote=["seller", "sku"])).values()
    assert [(b.sku, b.value_micros) for b in votes] == [
        ("k1", usd("3.00")),
        ("k2", usd("4.00")),
        ("H100|SXM|80", usd("5.00")),
    ]
