"""Days of a contract month: known span only, no warning, no clock."""

from __future__ import annotations

import subprocess
import sys
import warnings
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import (
    CONTRACTS,
    business_days,
    contract_months,
    fixing_days,
    hours_in_month,
    last_trade_date,
    unit_gpu_hours,
)
from rentmark.records import RentmarkError, UsageError
from rentmark.records.exchange_days import exchange_days

from .making import own_contract

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]


@pytest.mark.parametrize(
    ("month", "hours"),
    [
        ("2026-02", 672),
        ("2028-02", 696),
        ("2100-02", 672),
        ("2026-03", 744),
        ("2026-09", 720),
        ("2026-12", 744),
    ],
)
def test_hours_are_those_of_utc_days_whatever_the_season(month, hours):
    assert hours_in_month(month) == hours


def test_a_lot_over_the_hours_of_a_month_counts_its_gpus():
    assert unit_gpu_hours(own_contract(), "2026-02") == 8 * 672


@pytest.mark.parametrize("month", ["2026-13", "2026", "08-2026", "", "2026-8-1", "august"])
@pytest.mark.parametrize("spec", [CME, ICE])
def test_what_is_no_month_is_refused_in_one_sentence(spec, month):
    for ask in (fixing_days, last_trade_date, unit_gpu_hours):
        with pytest.raises(UsageError, match="is not a month"):
            ask(spec, month)


@pytest.mark.parametrize("month", ["1999-12", "2051-01"])
def test_a_month_outside_the_calendars_span_is_refused_naming_the_span(month):
    with pytest.raises(RentmarkError, match="XNYS is known from 2000-01-01 to 2050-12-31"):
        fixing_days(CME, month)


def test_a_calendar_that_ends_early_says_where():
    # XSHG's holidays are announced year by year; exchange_calendars bounds it.
    with pytest.raises(RentmarkError, match=r"XSHG is known from .* to 20[234]"):
        business_days("XSHG", date(2050, 1, 1), date(2050, 1, 31))


def test_an_unknown_calendar_is_refused_in_one_sentence():
    with pytest.raises(UsageError, match="calendar is 'NYSEX', which exchange_calendars does not know"):
        fixing_days(own_contract(averaging="business_days", calendar="NYSEX"), "2026-08")


def test_a_calendar_the_library_fails_to_build_is_refused_in_one_sentence(monkeypatch):
    import exchange_calendars

    def fail(*args, **kwargs):
        raise NotImplementedError("implemented by subclasses")

    monkeypatch.setattr(exchange_calendars, "get_calendar", fail)
    with pytest.raises(RentmarkError, match="calendar BROKEN cannot be built"):
        business_days("BROKEN", date(2026, 1, 1), date(2026, 1, 31))


def test_building_a_calendar_warns_of_nothing():
    exchange_days.cache_clear()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert len(fixing_days(CME, "2026-07")) == 22
    assert told == []


def test_importing_the_room_loads_neither_pandas_nor_exchange_calendars():
    code = (
        "import sys, rentmark.contracts;"
        "print([m for m in ('pandas','numpy','exchange_calendars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@settings(deadline=None)
@given(year=st.integers(2000, 2050), number=st.integers(1, 12))
def test_fixing_days_ascend_inside_their_month_and_last_trade_is_a_business_day(year, number):
    month = f"{year:04d}-{number:02d}"
    for spec in (CME, ICE):
        days = fixing_days(spec, month)
        assert list(days) == sorted(set(days))
        assert {(day.year, day.month) for day in days} == {(year, number)}
    # fifteen in September 2001, when the exchange stayed closed from the 11th to the 14th
    assert 15 <= len(fixing_days(CME, month)) <= 23
    assert all(day.weekday() < 5 for day in fixing_days(CME, month))
    assert last_trade_date(CME, month) == last_trade_date(ICE, month) == fixing_days(CME, month)[-1]


def test_last_trade_may_be_the_last_fixing_day():
    assert last_trade_date(own_contract(), "2026-05") == date(2026, 5, 31)


@pytest.mark.parametrize(
    ("count", "sentence"),
    [(0, "ask for at least 1"), (-3, "ask for at least 1"), (37, "37 months of cme-gpu1 .* 36 are listed")],
)
def test_a_board_longer_than_listed_or_empty_is_refused(count, sentence):
    with pytest.raises(UsageError, match=sentence):
        contract_months(CME, "2026-08", count)


def test_a_board_of_unknown_length_must_be_asked_with_a_count():
    with pytest.raises(UsageError, match="unknown; say how many"):
        contract_months(own_contract(), "2026-08")
    assert contract_months(own_contract(), "2026-12", 2) == ("2026-12", "2027-01")
