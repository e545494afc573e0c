"""The simulated market: reproducible, marked as simulated, dirty where it means to be, and never ahead of itself."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest.simulated import (
    B200_LAUNCH_DAY,
    CHIPS,
    DEFAULT_DAYS,
    DEFAULT_FIRST_DAY,
    DEFAULT_OUTAGE_DAYS,
    LICENSE,
    RENT_KINDS,
    SOURCE,
    SimulatedMarket,
    SimulatedPayload,
    rent_series,
)
from rentmark.records import UsageError

Rows = list[dict[str, str]]
ON_DEMAND = ("on_demand", "secure")  # "secure" is a data-centre host's on-demand price


def rows_of(payload: SimulatedPayload) -> Rows:
    return list(csv.DictReader(io.StringIO(payload.payload.decode())))


@pytest.fixture(scope="module")
def market() -> SimulatedMarket:
    return SimulatedMarket()


@pytest.fixture(scope="module")
def offers(market) -> dict[date, Rows]:
    return {day: rows_of(market.payloads(day)[0]) for day in market.days if day not in market.outage_days}


@pytest.fixture(scope="module")
def trades(market) -> dict[date, Rows]:
    return {day: rows_of(market.payloads(day)[1]) for day in market.days if day not in market.outage_days}


def test_the_bytes_of_a_day_are_pinned(market):
    # Computed by this code with the default seed. A change here changes every demo: say so in the CHANGELOG.
    digests = [hashlib.sha256(payload.payload).hexdigest() for payload in market.payloads(date(2026, 8, 14))]
    assert digests == [
        "c802651f4c7e5cc2a89baf122b491adeebd49f7ea11404a910a6ff187c16a4e2",
        "ec6d21b81d47bd145358ac9632a7279a48df94422fff50f07770bf433dfe9bc6",
    ]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    day = DEFAULT_FIRST_DAY + timedelta(days=30)
    one, again, other = (SimulatedMarket(seed, days=40).payloads(day) for seed in (3, 3, 4))
    assert one == again
    assert [a.payload != b.payload for a, b in zip(one, other, strict=True)] == [True, True]


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**31), start=st.dates(date(2023, 6, 1), date(2026, 6, 1)), days=st.integers(1, 40)
)
def test_no_day_knows_of_a_later_one(seed, start, days):
    short = SimulatedMarket(seed, start, days)
    longer = SimulatedMarket(seed, start, days + 25)
    for day in short.days:
        assert short.payloads(day) == longer.payloads(day)


def test_the_default_window_spans_thirty_seven_months_and_ends_in_the_middle_of_one(market):
    months = {(day.year, day.month) for day in market.days}
    assert len(months) == 37
    assert (market.first_day, market.last_day) == (date(2023, 9, 1), date(2026, 9, 15))
    assert len(market.days) == DEFAULT_DAYS


def test_an_outage_day_has_no_payload_and_every_other_day_has_both_feeds(market):
    for day in market.days:
        feeds = [payload.feed_id for payload in market.payloads(day)]
        assert feeds == ([] if day in DEFAULT_OUTAGE_DAYS else ["tabular", "trades"])


def test_the_outage_is_two_consecutive_midweek_days_of_the_last_whole_month(market):
    first, second = sorted(DEFAULT_OUTAGE_DAYS)
    assert second - first == timedelta(days=1)
    assert {first.weekday(), second.weekday()} <= {1, 2, 3}
    last_whole_month = market.last_day.replace(day=1) - timedelta(days=1)
    assert {(day.year, day.month) for day in (first, second)} == {
        (last_whole_month.year, last_whole_month.month)
    }


def test_everything_says_simulated(market, offers, trades):
    for payload in market.payloads(date(2025, 5, 5)):
        assert payload.origin_name.startswith("simulated-")
        assert "2025-05-05" in payload.origin_name
    for day in (market.first_day, date(2025, 10, 4), market.last_day):
        for row in offers[day] + trades[day]:
            assert (row["simulated"], row["source"], row["license"]) == ("true", SOURCE, LICENSE)
            assert row["seller"].startswith("sim-")
    assert "simulated" in LICENSE
    assert "simulated" in SOURCE


def test_prices_are_plain_positive_decimals_and_totals_are_exact(offers, trades):
    for rows in offers.values():
        for row in rows:
            price, total = (
                _ten_thousandths(row[name]) for name in ("price_per_gpu_hour", "price_usd_per_hour_total")
            )
            assert price > 1_000 or (price == 0 and row["pricing"] == "spot")
            assert total == price * int(row["gpu_count"])
    for rows in trades.values():
        for row in rows:
            assert _ten_thousandths(row["price_usd_per_gpu_hour"]) > 1_000
            assert int(row["gpu_hours"]) > 0


def _ten_thousandths(text: str) -> int:
    whole, decimals = text.split(".")
    assert len(decimals) == 4
    return int(whole) * 10_000 + int(decimals)


def test_a_day_has_about_a_hundred_and_twenty_offers_and_twenty_to_forty_trades(offers, trades):
    assert all(90 <= len(rows) <= 160 for rows in offers.values())
    assert all(20 <= sum(row["status"] == "new" for row in rows) <= 40 for rows in trades.values())
    assert 27 <= np.mean([len(rows) for rows in trades.values()]) <= 33


def test_every_day_has_enough_sellers_of_the_grade_a_demo_settles_on(offers):
    counts = [
        len({row["seller"] for row in rows if row["gpu_model"] == "H100" and row["pricing"] in ON_DEMAND})
        for rows in offers.values()
    ]
    assert min(counts) >= 10
    assert len(set(counts)) > 2  # sellers enter and leave


def test_every_day_has_h100_trades_of_several_sellers_and_buyers(trades):
    for rows in trades.values():
        h100 = [row for row in rows if row["chip"] == "H100" and row["status"] == "new"]
        assert len(h100) >= 5
        assert len({row["seller"] for row in h100}) >= 3
        assert len({row["buyer"] for row in h100}) >= 3


def test_the_months_a_demo_settles_have_trades_of_three_sellers_of_the_strict_grade_every_day(trades):
    for day, rows in trades.items():
        strict = [row for row in rows if (row["chip"], row["form_factor"]) == ("H100", "SXM5")]
        sellers = {row["seller"] for row in strict if (row["status"], row["pricing"]) == ("new", "on_demand")}
        assert day < date(2026, 6, 1) or len(sellers) >= 3, day


def _days_listed(offers: dict[date, Rows], seller: str) -> list[date]:
    return [day for day, rows in offers.items() if any(row["seller"] == seller for row in rows)]


def test_sellers_enter_and_leave_on_their_days(offers):
    assert _days_listed(offers, "sim-neocloud-04")[-1] == date(2025, 1, 31)
    assert _days_listed(offers, "sim-neocloud-09")[0] == date(2024, 5, 6)
    assert len({row["seller"] for rows in offers.values() for row in rows}) == 25


def test_a_collector_repeats_a_sellers_price_marked_and_then_the_seller_falls_silent(offers):
    def rows(day: date) -> Rows:
        return [row for row in offers[day] if row["seller"] == "sim-neocloud-06"]

    last = {row["sku"] + row["region"]: row["price_per_gpu_hour"] for row in rows(date(2025, 10, 2))}
    for day in (date(2025, 10, 3), date(2025, 10, 4), date(2025, 10, 5)):
        assert {row["carried_by_source"] for row in rows(day)} == {"true"}
        assert {row["sku"] + row["region"]: row["price_per_gpu_hour"] for row in rows(day)} == last
    assert rows(date(2025, 10, 6)) == []
    assert rows(date(2025, 10, 26)) == []
    assert {row["carried_by_source"] for row in rows(date(2025, 10, 27))} == {"false"}


def test_the_new_chip_is_offered_and_traded_from_its_launch_only(offers, trades):
    for day in (B200_LAUNCH_DAY - timedelta(days=1), B200_LAUNCH_DAY, date(2026, 9, 15)):
        launched = day >= B200_LAUNCH_DAY
        assert any(row["gpu_model"] == "B200" for row in offers[day]) is launched
    assert all(row["chip"] != "B200" for day, rows in trades.items() if day < B200_LAUNCH_DAY for row in rows)
    assert {row["chip"] for rows in trades.values() for row in rows} == set(CHIPS)


def test_some_h100_offers_leave_the_form_factor_unstated(offers):
    forms = Counter(row["form_factor"] for row in offers[date(2026, 1, 5)] if row["gpu_model"] == "H100")
    assert set(forms) == {"SXM5", ""}


def test_europe_costs_more_and_later_more_still(offers):
    def ratio(day: date) -> float:
        prices = {
            row["region"]: float(row["price_per_gpu_hour"])
            for row in offers[day]
            if (row["seller"], row["sku"], row["pricing"]) == ("sim-neocloud-01", "h100-sxm-8x", "on_demand")
        }
        return prices["eu-north"] / prices["us-east"]

    assert ratio(date(2024, 6, 3)) == pytest.approx(1.062, abs=0.01)
    assert ratio(date(2026, 6, 3)) == pytest.approx(1.116, abs=0.01)


def _list_median(offers: dict[date, Rows]) -> dict[date, float]:
    values = {}
    for day, rows in offers.items():
        by_seller = defaultdict(list)
        for row in rows:
            if row["gpu_model"] == "H100" and row["pricing"] in ON_DEMAND:
                by_seller[row["seller"]].append(float(row["price_per_gpu_hour"]))
        values[day] = median(median(prices) for prices in by_seller.values())
    return values


def test_list_prices_stand_still_on_most_days(offers):
    values = list(_list_median(offers).values())
    assert 0.6 < np.mean(np.diff(values) == 0) < 0.95


def test_list_prices_lag_the_latent_price(market, offers):
    listed = _list_median(offers)
    latent = dict(zip(market.days, market.latent_usd_per_gpu_hour("H100"), strict=True))
    days = list(listed)
    index, price = (np.log([series[day] for day in days]) for series in (listed, latent))
    moves_index, moves_price = (series[14:] - series[:-14] for series in (index, price))

    def correlation(lag: int) -> float:
        return float(np.corrcoef(moves_index[lag:], moves_price[: len(moves_price) - lag])[0, 1])

    assert correlation(7) > correlation(0) + 0.02
    assert correlation(7) > 0.7


def test_trades_scatter_below_list(offers, trades):
    standing = {
        (day, row["seller"], row["region"], row["gpu_model"], row["form_factor"]): float(
            row["price_per_gpu_hour"]
        )
        for day, rows in offers.items()
        for row in rows
        if row["gpu_count"] == "8" and row["pricing"] != "spot"
    }
    ratios = [
        float(row["price_usd_per_gpu_hour"])
        / standing[day, row["seller"], row["region"], row["chip"], row["form_factor"]]
        for day, rows in trades.items()
        for row in rows
        if row["status"] == "new"
    ]
    assert max(ratios) <= 1.0
    assert 0.90 < np.mean(ratios) < 0.99
    assert 0.01 < np.std(ratios) < 0.10


def test_amendments_speak_of_an_earlier_reported_trade_and_come_later(trades):
    first: dict[str, tuple[date, dict[str, str]]] = {}
    amended = Counter()
    for day, rows in trades.items():
        for row in rows:
            if row["status"] == "new":
                assert row["trade_id"] not in first
                first[row["trade_id"]] = (day, row)
                assert row["executed_at"] == row["reported_at"]
            else:
                amended[row["status"]] += 1
                told, original = first[row["trade_id"]]
                assert timedelta(days=1) <= day - told <= timedelta(days=7)
                assert row["executed_at"] == original["executed_at"]
                assert row["reported_at"] > original["reported_at"]
                same = ("seller", "buyer", "chip", "gpu_count", "gpu_hours", "start_at", "end_at", "region")
                assert [row[name] for name in same] == [original[name] for name in same]
                lower = float(row["price_usd_per_gpu_hour"]) < float(original["price_usd_per_gpu_hour"])
                assert lower is (row["status"] == "corrected")
    assert 300 < amended["corrected"] < 700
    assert 150 < amended["cancelled"] < 400


def test_what_was_traded_in_an_outage_is_never_reported(trades):
    lost = {day.strftime("sim-%Y%m%d") for day in DEFAULT_OUTAGE_DAYS}
    assert not any(row["trade_id"][:12] in lost for rows in trades.values() for row in rows)


def test_times_lie_in_their_day_and_hours_fit_their_span(offers, trades):
    for day, rows in offers.items():
        assert {row["observed_at"][:10] for row in rows} == {str(day)}
    for day, rows in trades.items():
        previous = datetime.min.replace(tzinfo=UTC)
        for row in rows:
            if row["status"] == "new":
                executed, start, end = (
                    datetime.fromisoformat(row[name]) for name in ("executed_at", "start_at", "end_at")
                )
                assert executed.date() == day
                assert previous <= executed < end
                previous = executed
                assert (end - start) / timedelta(hours=1) * int(row["gpu_count"]) == int(row["gpu_hours"])


def test_no_offer_is_an_exact_repeat(offers):
    key = ("seller", "sku", "form_factor", "gpu_count", "minimum_gpus", "machine", "region", "pricing")
    for rows in offers.values():
        assert len({tuple(row[name] for name in key) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [({"seed": -1}, "seed is -1"), ({"days": 0}, "days is 0")],
)
def test_a_wrong_argument_is_one_plain_sentence(arguments, said):
    with pytest.raises(UsageError, match=said):
        SimulatedMarket(**arguments)


def test_a_day_or_a_chip_outside_the_market_is_refused_by_name(market):
    with pytest.raises(UsageError, match="2026-09-16 is outside the simulated market"):
        market.payloads(date(2026, 9, 16))
    with pytest.raises(UsageError, match="chip is 'H200'"):
        market.latent_usd_per_gpu_hour("H200")


def _rates(payload: bytes) -> dict[date, float]:
    rows = csv.DictReader(io.StringIO(payload.decode()))
    return {date.fromisoformat(row["date"]): float(row["rate_usd_per_gpu_hour"]) for row in rows}


def test_a_rent_has_a_row_a_day_for_all_gpus(market):
    rows = list(csv.DictReader(io.StringIO(rent_series().decode())))
    assert list(rows[0]) == ["date", "rate_usd_per_gpu_hour", "gpu_hours"]
    assert [row["date"] for row in rows] == [str(day) for day in market.days]
    assert {row["gpu_hours"] for row in rows} == {str(512 * 24)}
    assert rent_series() == rent_series()
    assert rent_series(seed=1) != rent_series(seed=2)
    assert rent_series(days=400, gpus=8).splitlines()[-1].endswith(b",192")


def _monthly_changes(series: dict[date, float], days: list[date]) -> np.ndarray:
    months = defaultdict(list)
    for day in days:
        months[day.year, day.month].append(series[day])
    return np.diff([np.mean(values) for values in months.values()])


@pytest.mark.parametrize(("kind", "low", "high"), [("own_provider", 0.4, 0.9), ("market", 0.8, 1.0)])
def test_a_rent_follows_the_list_median_as_far_as_its_kind_says(offers, kind, low, high):
    listed, rent = _list_median(offers), _rates(rent_series(kind))
    days = [day for day in listed if day in rent]
    changes = [_monthly_changes(series, days) for series in (listed, rent)]
    assert len(changes[0]) == 36  # enough for a verdict: 24 to learn, 12 to judge
    assert low < np.corrcoef(changes)[0, 1] ** 2 < high


def test_a_rent_reprices_rarely_and_a_fixed_one_never():
    own, fixed = (list(_rates(rent_series(kind)).values()) for kind in ("own_provider", "fixed"))
    assert 0.9 < np.mean(np.diff(own) == 0) < 0.99
    assert len(set(fixed)) == 1


def test_an_unknown_rent_is_refused_with_the_known_kinds():
    with pytest.raises(UsageError, match=", ".join(RENT_KINDS)):
        rent_series("monthly")
    with pytest.raises(UsageError, match="gpus is 0"):
        rent_series(gpus=0)
