"""Warnings: limits with a diminishing balance, accountability, open interest, stale marks, a ceased index."""

from __future__ import annotations

from datetime import date

import pytest
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import DayMark, alerts_on, limit_alerts, mark_alerts
from rentmark.contracts.account.limits import new_alerts
from rentmark.contracts.account.rules import WarningRules

from tests.contracts.making import own_contract

from .made import days_from, make_view

CME = CONTRACTS["cme-gpu1"]
RULES = WarningRules()


def codes(lots, day, spec=CME):
    return [
        (alert.code, alert.month) for alert in limit_alerts(spec, lots, day) if alert.code != "reportable"
    ]


def test_the_spot_limit_holds_from_three_business_days_before_the_last_trade():
    # August 2026: last trade Monday 31; three business days before it is Wednesday 26
    assert codes({"2026-08": 200_000}, date(2026, 8, 25)) == [
        ("single_month_accountability", "2026-08"),
        ("all_months_accountability", None),
    ]
    assert ("spot_limit", "2026-08") in codes({"2026-08": 200_000}, date(2026, 8, 26))


def test_a_diminishing_balance_counts_only_what_has_not_fixed():
    # after the 26th 18 of 21 fixings are in: 3/21 of 52,500 lots are 7,500, of 52,507 a lot more
    assert ("spot_limit", "2026-08") not in codes({"2026-08": 52_500}, date(2026, 8, 26))
    assert ("spot_limit", "2026-08") in codes({"2026-08": 52_507}, date(2026, 8, 26))
    (spot,) = [
        a for a in limit_alerts(CME, {"2026-08": -60_000}, date(2026, 8, 26)) if a.code == "spot_limit"
    ]
    assert "counted as -8571.43 under the diminishing balance" in spot.sentence


def test_accountability_adds_months_net_and_the_reportable_level_takes_lots_as_they_are():
    day = date(2026, 8, 3)
    assert codes({"2026-10": 15_000, "2026-11": 7_500}, day) == []
    assert codes({"2026-10": 15_001, "2026-11": 7_500}, day) == [
        ("single_month_accountability", "2026-10"),
        ("all_months_accountability", None),
    ]
    assert codes({"2026-10": 14_000, "2026-11": -14_000}, day) == []
    reportable = [a.sentence for a in limit_alerts(CME, {"2026-10": 25, "2026-11": 24}, day)]
    assert reportable == ["cme-gpu1 2026-10: 25 lots are reportable from 25 lots on."]


def test_unknown_limits_warn_of_nothing():
    assert limit_alerts(CONTRACTS["ice-hpr"], {"2026-10": 10**6}, date(2026, 8, 3)) == []
    assert limit_alerts(own_contract(), {"2026-10": 10**6}, date(2026, 8, 3)) == []


@pytest.mark.parametrize(
    ("day", "interest", "expected"),
    [
        (date(2026, 8, 14), None, []),
        (date(2026, 8, 14), 100, []),  # exactly 10 %
        (date(2026, 8, 14), 99, ["open_interest"]),
        (date(2026, 8, 18), 100, []),  # four days old
        (date(2026, 8, 19), 100, ["stale_mark"]),
        (date(2026, 8, 19), 0, ["stale_mark", "open_interest"]),
    ],
)
def test_a_large_share_of_what_is_open_and_an_old_mark_are_warned_of(day, interest, expected):
    marks = {date(2026, 8, 14): DayMark(settle_micros=3_000_000, open_interest=interest)}
    found = mark_alerts(("cme-gpu1", "2026-10"), -10, marks, day, RULES)
    assert [alert.code for alert in found] == expected
    assert all(alert.sentence.endswith(".") for alert in found)


def test_a_month_without_a_mark_and_a_ceased_index_are_said():
    view = make_view(dict.fromkeys(days_from(date(2026, 8, 1), 10), 3_000_000), ended_on=date(2026, 8, 10))
    found = alerts_on(
        {"cme-gpu1": CME},
        {("cme-gpu1", "2026-10"): 5, ("cme-gpu1", "2026-11"): 0},
        {},
        {"cme-gpu1": view},
        day=date(2026, 8, 11),
        rules=RULES,
    )
    assert [(alert.code, alert.month) for alert in found] == [("index_ceased", None), ("no_mark", "2026-10")]
    assert found[0].sentence.startswith("invented-list ceased on 2026-08-10: cme-gpu1 has no index to fix on")


def test_a_warning_is_said_once_while_it_lasts():
    marks = {date(2026, 8, 14): DayMark(settle_micros=3_000_000)}
    key = ("cme-gpu1", "2026-10")
    first = mark_alerts(key, 1, marks, date(2026, 8, 20), RULES)
    second = mark_alerts(key, 1, marks, date(2026, 8, 21), RULES)
    assert new_alerts((), first) == tuple(first)
    assert new_alerts(first, second) == ()
