"""Rent per million accepted tokens: bill over output, or an hour's rent over what an hour gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rentmark.backtest import render_report
from rentmark.backtest.cost_view import OPEN_RISK, cost_view, read_output_figures
from rentmark.backtest.rent_study import RentStudy
from rentmark.records import RentmarkError

from .making import monthly_case, run, wander

RENTS, REFERENCES = monthly_case(wander(40, seed=3), wander(40, seed=5))


def figures(*rows, header="month,accepted_tokens_millions"):
    return read_output_figures("\n".join([header, *rows, ""]).encode(), "output.csv")


def test_a_bill_over_accepted_tokens():
    report = run(RENTS, REFERENCES, gpus=8)
    one = report.programme[-1]
    (cost,) = cost_view(report, figures(f"{one.month},500")).months
    assert cost.unhedged_micros == round(one.bill_micros / 500)
    assert cost.hedged_micros == {p: round(v / 500) for p, v in one.hedged_bill_micros.items()}


def test_an_hours_rent_over_what_an_hour_gives_needs_no_hours():
    report = run(RENTS, REFERENCES)
    one = report.programme[-1]
    found = cost_view(
        report, figures(f"{one.month},2000000,0.5", header="month,tokens_per_gpu_hour,acceptance")
    )
    (cost,) = found.months
    assert cost.unhedged_micros == one.rate_micros  # a million accepted tokens an hour
    assert cost.accepted_millions is None
    assert "per GPU-hour" in cost.reason
    assert found.to_json()["sentence"] == OPEN_RISK


def test_a_month_before_the_first_position_has_its_rent_alone_and_says_why():
    report = run(RENTS, REFERENCES, gpus=8)
    early = report.months[0].month
    (cost,) = cost_view(report, figures(f"{early},500")).months
    assert cost.unhedged_micros is not None
    assert cost.hedged_micros is None
    assert "no position was simulated" in cost.reason


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-13,5", "YYYY-MM"),
        ("2026-01,", "state accepted_tokens_millions"),
        ("2026-01,0", "above zero"),
        ("2026-01,many", "plain decimal"),
    ],
)
def test_a_row_without_output_is_refused_in_a_sentence(row, said):
    found = figures("2025-01,5", row)
    (reject,) = found.rejects
    assert said in reject.sentence


def test_a_share_above_one_and_a_month_told_twice_are_refused():
    header = "month,tokens_per_gpu_hour,acceptance"
    with pytest.raises(RentmarkError, match="above 0 and at most 1"):
        figures("2025-01,5,1.5", header=header)
    with pytest.raises(RentmarkError, match="no usable month"):
        figures("2025-01,5", "2025-01,6")


def test_the_report_says_that_output_stays_open():
    report = run(RENTS, REFERENCES, gpus=8)
    view = cost_view(report, figures(f"{report.programme[-1].month},500", "2020-01,3"))
    page = render_report(replace(report, rent_study=RentStudy(cost_view=view)))
    assert "Rent per million accepted tokens" in page
    assert OPEN_RISK in page
    assert "no rent of that month was compared" in page
