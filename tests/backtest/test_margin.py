"""The variation account: modelled on flat marks, paid in cents, ending where the futures end."""

from __future__ import annotations

from datetime import date

from rentmark.backtest.margin import _marks
from rentmark.records import divide_half_even

from .making import EVERY_DAY, days_from, make_tape, run, wander


def margin_of(report):
    assert report.margin is not None, report.margin_reason
    return report.margin


def fall_and_rise(**options):
    """Entered at 1.00 on 31 January; February falls to 0.50 for 14 days and ends at 1.50 for 14."""
    days = days_from(date(2026, 1, 1), 59)
    reference = {
        day: 1_000_000 if day.month == 1 else 500_000 if day.day <= 14 else 1_500_000 for day in days
    }
    return run(
        dict.fromkeys(days, 2_000_000) | {days[0]: 2_250_000}, reference, ratio_method="naive", **options
    )


def test_the_account_falls_to_the_flat_mark_and_comes_back_by_settlement():
    report = fall_and_rise(contract=EVERY_DAY, gpu_hours="100")
    margin = margin_of(report)
    (month,) = report.programme
    assert month.lots == 28
    # At the low every remaining fixing is marked at 0.50: 28 lots of 100 hours lose 0.50 each.
    assert margin.peak_draw_micros[0] == 1_400_000_000
    assert margin.peak_date == date(2026, 2, 1)
    assert margin.variation_micros[0][0] == 0
    assert margin.variation_micros[0][-1] == month.pnl_micros[0] == 0


def test_a_dearer_entry_draws_more():
    margin = margin_of(fall_and_rise(contract=EVERY_DAY, gpu_hours="100"))
    assert margin.peak_draw_micros[-10] < margin.peak_draw_micros[0] < margin.peak_draw_micros[10]


def test_a_provider_pays_when_prices_rise():
    margin = margin_of(fall_and_rise(contract=EVERY_DAY, gpu_hours="100", role="provider"))
    # Gains 1,400 while prices are low, then hands all of it back: no net payment, but a fall of as much.
    assert (margin.peak_draw_micros[0], margin.peak_date) == (0, None)
    assert margin.largest_fall_micros[0] == 1_400_000_000
    # Sold 10 % lower, the same path starts and ends 280 down.
    assert margin.peak_draw_micros[-10] == 280_000_000


def test_the_path_ends_at_the_sum_of_the_months_to_the_cent():
    days = days_from(date(2026, 1, 1), 181)
    walk = dict(zip(days, wander(181, seed=4), strict=True))
    report = run(
        {day: value + 250_000 for day, value in walk.items()},
        walk,
        ratio_method="naive",
        contract=EVERY_DAY,
        gpu_hours="33.3",
    )
    margin = margin_of(report)
    for premium, path in margin.variation_micros.items():
        total = sum(divide_half_even(each.pnl_micros[premium], 10_000) * 10_000 for each in report.programme)
        assert path[-1] == total
    assert len(report.programme) == 5
    assert margin.to_json()["modelled"] is True
    assert "not published" in margin.to_json()["reason"]


def test_without_a_contract_or_lots_there_is_no_account_and_a_reason():
    bare = fall_and_rise(gpu_hours="100")
    assert bare.margin is None
    assert (
        bare.to_json()["peak_margin"]["reason"] == "no contract was named, so there is no account to margin"
    )
    per_hour = fall_and_rise(contract=EVERY_DAY)
    assert per_hour.margin is None
    assert "no lots" in per_hour.margin_reason


def test_a_contract_weighed_by_days_is_marked_by_their_weights():
    """January 2026 in weekdays: a Friday stands for three days, New Year's Day for the fixing before it."""
    spec = EVERY_DAY.model_copy(update={"averaging": "day_weighted", "calendar": "XNYS"})
    days = days_from(date(2025, 12, 1), 62)
    reference = {day: 1_000_000 if day < date(2026, 1, 9) else 2_000_000 for day in days}
    report = run(dict.fromkeys(days, 2_000_000) | {days[0]: 2_250_000}, reference, contract=spec,
                 gpu_hours="100", ratio_method="naive")  # fmt: skip
    (month,) = [each for each in report.months if each.month == "2026-01"]
    fixings = {row.date: row for row in make_tape(reference)}
    marks = _marks(spec, month, fixings)
    # known by the end of the 8th: the fixings of 31 December (for the 1st) and 2, 5, 6, 7, 8 January at 1.00
    # (8 days); after Friday the 9th at 2.00 the rest is taken to be 2.00 too: 8 days at 1.00, 23 at 2.00
    assert marks[date(2026, 1, 8)] == 1_000_000
    assert marks[date(2026, 1, 9)] == divide_half_even(8 * 1_000_000 + 23 * 2_000_000, 31)
    assert marks[max(marks)] == month.settlement_micros == divide_half_even(54_000_000, 31)
