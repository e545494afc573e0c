"""The board: a month joins what it knows with what a model expects, and marks stand beside it."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from rentmark.contracts import CONTRACTS, fixing_days
from rentmark.contracts.curve import (
    FlatModel,
    OUModel,
    Premium,
    SchwartzSmith,
    board_marks,
    contract_board,
    fit_ou,
    fit_schwartz_smith,
    marks_known_at,
    series_of,
)
from rentmark.contracts.curve.board import board_months
from rentmark.contracts.curve.models import weighted_mean
from rentmark.contracts.curve.telling import board_row_to_json, model_to_json
from rentmark.contracts.paths import simulate_curve_panel
from rentmark.records import Refusal, day_start

from .curve_making import make_mark
from .making import BENCHMARK, days_between, make_fixing, make_tape, own_contract

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]


def board(spec, tape, today, *, model=None, months=None, marks=None):
    known = {day: row for day, row in tape.items() if day < today}
    series = series_of(BENCHMARK, known.values())
    return contract_board(
        spec,
        months or board_months(spec, today, 3),
        known,
        benchmark=BENCHMARK,
        as_of=day_start(today),
        model=model or FlatModel(series),
        marks=marks or {},
    )


def rising(first, last, step=10_000):
    return {d: make_fixing(d, 3_000_000 + step * n) for n, d in enumerate(days_between(first, last))}


def test_a_flat_path_is_worth_itself_in_every_month():
    tape = make_tape(days_between(date(2026, 7, 1), date(2026, 8, 14)), 3_250_000)
    rows = board(CME, tape, date(2026, 8, 14)).rows
    assert [row.month for row in rows] == ["2026-08", "2026-09", "2026-10"]
    assert {row.modelled_micros for row in rows} == {3_250_000}


def test_the_share_still_to_fix_is_n_minus_k_over_n_exactly_on_every_day():
    tape = make_tape(days_between(date(2026, 7, 1), date(2026, 8, 31)), 3_250_000)
    days = fixing_days(CME, "2026-08")
    for known, day in enumerate(days):
        row = board(CME, tape, day, months=["2026-08"]).rows[0]
        assert row.parallel_delta == Fraction(len(days) - known, len(days))


def test_an_accruing_month_is_known_fixings_and_the_last_one_on():
    tape = rising(date(2026, 8, 1), date(2026, 8, 31))
    row = board(CME, tape, date(2026, 8, 24), months=["2026-08"]).rows[0]
    # days 3 to 7, 10 to 14, 17 to 21 are known: day d is worth 3.00 + 0.01·(d − 1); the last known fixing
    # is Sunday the 23rd's 3.22: (15 × 3.00 + 0.01 × (180 − 15) + 6 × 3.22)/21 = (45 + 1.65 + 19.32)/21
    assert row.modelled_micros == round(65_970_000 / 21)
    assert (row.fixings_to_come, row.settlement.fixings) == (6, 15)
    assert row.spot_delta == pytest.approx(6 / 21)


def test_the_board_converges_to_the_settlement_on_the_last_day():
    tape = rising(date(2026, 8, 1), date(2026, 8, 31))
    last = board(CME, tape, date(2026, 8, 31), months=["2026-08"]).rows[0]
    after = board(CME, tape, date(2026, 9, 1), months=["2026-08"]).rows[0]
    settled = after.settlement.final_settlement_price_micros
    assert settled is not None
    assert after.modelled_micros == settled
    assert after.spot_delta == 0
    # one fixing is left and the flat model is a day's step off it: a 21st of 0.01
    assert last.modelled_micros == pytest.approx(settled - 10_000 / 21, abs=1)


def test_a_month_whose_fixings_are_all_known_needs_no_model():
    tape = rising(date(2026, 8, 1), date(2026, 8, 31))
    refusal = Refusal("too_short", "wait for more.")
    made = board(CME, tape, date(2026, 9, 1), model=refusal, months=["2026-08", "2026-09"])
    assert made.rows[0].modelled_micros == made.rows[0].settlement.final_settlement_price_micros
    assert (made.rows[1].modelled_micros, made.rows[1].reason) == (None, "wait for more.")
    row = board_row_to_json(made, made.rows[1])
    assert (row["modelled"], row["reason"]) == (None, "wait for more.")
    assert model_to_json(made.model, "ou")["refusal"] == "too_short"


def test_a_month_without_any_fixing_says_so():
    tape = make_tape(days_between(date(2026, 6, 1), date(2026, 6, 30)))
    row = board(CME, tape, date(2026, 9, 1), months=["2026-08"]).rows[0]
    assert (row.modelled_micros, row.reason) == (None, "every fixing of the month is missing")


def test_day_weights_weigh_on_the_board_too():
    spec = own_contract(averaging="day_weighted", calendar="XNYS", last_trade="last_business_day")
    tape = make_tape(days_between(date(2026, 7, 1), date(2026, 8, 31)), 3_250_000)
    row = board(spec, tape, date(2026, 8, 24), months=["2026-08"]).rows[0]
    assert row.parallel_delta == Fraction(8, 31)


def test_a_fitted_model_is_averaged_over_the_days_to_come():
    days = days_between(date(2026, 3, 1), date(2026, 8, 13))
    tape = {d: make_fixing(d, 3_000_000 + 1_000 * (n % 40) * (40 - n % 40)) for n, d in enumerate(days)}
    model = fit_ou(series_of(BENCHMARK, tape.values()))
    assert isinstance(model, OUModel)
    row = board(ICE, tape, date(2026, 8, 14), model=model, months=["2026-10"]).rows[0]
    expected = model.expected(fixing_days(ICE, "2026-10"))
    assert row.modelled_micros == pytest.approx(weighted_mean(expected, [1] * 31) * 1e6, abs=1)
    assert row.spot_delta is not None
    assert 0 < row.spot_delta < 1


def test_marks_stand_beside_the_model_and_their_absence_has_a_reason():
    tape = make_tape(days_between(date(2026, 7, 1), date(2026, 8, 14)), 3_250_000)
    rows = [
        make_mark(date(2026, 8, 12), "2026-09", bid_micros=3_100_000),
        make_mark(date(2026, 8, 13), "2026-10"),
    ]
    marks = board_marks(marks_known_at(rows, None), date(2026, 8, 14))
    made = board(CME, tape, date(2026, 8, 14), marks=marks)
    front, near, far = (board_row_to_json(made, row) for row in made.rows)
    assert (front["mark"], front["mark_reason"]) == (None, "no mark of this month is known")
    assert (near["mark"], near["mark_date"], near["mark_stale"]) == ("3.120000", "2026-08-12", True)
    assert (near["bid"], near["ask"], near["ask_reason"]) == (
        "3.100000",
        None,
        "the settlements file gives none",
    )
    assert far["mark_stale"] is False
    assert near["premium"]["reason"] == "expectation, premium unidentified"


def test_a_curve_panel_puts_the_premium_on_the_board():
    truth = SchwartzSmith(
        kappa=3.0, sigma_chi=0.35, sigma_xi=0.20, rho=0.3, mu_xi=-0.15, lambda_chi=0.10, mu_xi_star=-0.20
    )
    first = date(2026, 1, 5)
    made = simulate_curve_panel(
        truth, ICE, first, days=150, months=4, start_usd=2.8, noise_fixings=0.005, noise_marks=0.01, seed=4
    )
    pairs = zip(made.series.dates, made.series.value_micros, strict=True)
    tape = {day: make_fixing(day, micros, simulated=True) for day, micros in pairs}
    series = series_of(BENCHMARK, tape.values())
    model = fit_schwartz_smith(series, made.settles, ICE)
    assert not isinstance(model, Refusal)
    found = board(ICE, tape, series.dates[-1] + timedelta(days=1), model=model, months=["2026-07"])
    row = found.rows[0]
    assert isinstance(row.premium, Premium)
    assert row.modelled_micros is not None
    assert row.expectation_micros is not None
    ratio = row.modelled_micros / row.expectation_micros - 1
    assert 100 * ratio == pytest.approx(row.premium.percent, abs=0.05)
    told = board_row_to_json(found, row)["premium"]
    assert told["low"] < told["percent"] < told["high"]
    assert model_to_json(model, "schwartz-smith")["premium_identified"] is True


def test_the_board_of_a_balance_is_the_one_that_begins_tomorrow():
    assert board_months(CONTRACTS["ffa-like-balmo"], date(2026, 8, 13)) == ("2026-08-14",)
    assert len(board_months(CONTRACTS["kalshi-like-h100"], date(2026, 8, 13))) == 12
    assert len(board_months(CME, date(2026, 8, 13))) == 36


def test_nothing_that_is_not_known_yet_moves_the_board():
    calm = make_tape(days_between(date(2026, 7, 1), date(2026, 8, 31)), 3_250_000)
    wild = calm | make_tape(days_between(date(2026, 8, 14), date(2026, 8, 31)), 99_000_000)
    one, other = (board(CME, tape, date(2026, 8, 14)) for tape in (calm, wild))
    assert one.rows == other.rows
