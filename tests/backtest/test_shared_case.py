"""The renter of A100s in us-central1, hedged on the other regions: the figures of the definitions."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pandas as pd
import pytest
from rentmark.backtest import hedge, read_rent, render_report
from rentmark.records import median_half_even, micros_from_text

from .making import BENCHMARK, make_fixing, rent_text

GCP = "offers/gcp_gpu_prices_2022-02_2026-07.csv.gz"
SKU = "a2-highgpu-1g"
HOME = "us-central1"


@pytest.fixture(scope="module")
def report(shared_data):
    path = shared_data / GCP
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    rows = rows[(rows["sku"] == SKU) & (rows["pricing"] == "spot")]
    rows = rows.assign(
        date=rows["observed_at"].str[:10], micros=rows["price_per_gpu_hour"].map(micros_from_text)
    )
    home = rows[rows["region"] == HOME].groupby("date")["micros"].last()
    reference = {}
    for day, group in rows[rows["region"] != HOME].groupby("date"):
        votes = [median_half_even(sorted(each)) for _, each in group.groupby(["seller", "region"])["micros"]]
        if len(votes) >= 3:
            reference[day] = median_half_even(sorted(votes))
    rent = read_rent(rent_text({date.fromisoformat(d): int(v) for d, v in home.items()}), "rent.csv")
    tape = [
        make_fixing(date.fromisoformat(d), v, origin=None, published_at=None) for d, v in reference.items()
    ]
    return hedge(rent, tape, benchmark=BENCHMARK, now=datetime(2026, 8, 1, tzinfo=UTC))


def near(value, digits=4):
    return pytest.approx(value, abs=0.51 * 10**-digits)


# Golden: issue figures computed twice, independently, on the shared file (statsmodels HAC and by hand).


def test_there_are_189_common_dates(report):
    assert len(report.common) == 189
    assert report.marks == ("CANDIDATE", "PROXY")


def test_the_observation_regression(report):
    found = report.regressions["observation"]
    assert (found.ratio, found.r_squared, found.n) == (near(0.1793), near(0.0694), 188)
    assert (found.ratio_low, found.ratio_high) == (near(-0.212, 3), near(0.571, 3))
    assert found.share_unchanged == near(0.952, 3)
    assert found.influential_date == date(2023, 8, 10)
    assert found.ratio_without_most_influential == near(-0.1019)


def test_the_monthly_regression(report):
    found = report.regressions["monthly"]
    assert (found.ratio, found.r_squared, found.n) == (near(0.2113), near(0.1059), 38)
    assert (found.ratio_low, found.ratio_high) == (near(-0.174, 3), near(0.596, 3))


def test_the_hedge_regression(report):
    found = report.regressions["hedge"]
    assert (found.ratio, found.r_squared, found.n) == (near(0.2665), near(0.2197), 38)


def test_the_effectiveness_and_the_verdict(report):
    naive, ols = report.effectiveness["naive"], report.effectiveness["ols"]
    assert (naive.in_sample, naive.walk_forward) == (near(-1.370, 3), near(-2.456, 3))
    assert (ols.in_sample, ols.walk_forward) == (near(0.106, 3), near(-0.452, 3))
    assert naive.out_of_sample_months == ols.out_of_sample_months == 14
    assert ols.walk_forward_low < 0 < ols.walk_forward_high
    assert report.verdict.name == "not shown"


def test_the_first_sentence_says_that_it_would_not_have_covered_the_rent(report):
    assert report.sentence.startswith("On this evidence the hedge would not have covered your rent: ")
    assert report.sentences[1].startswith(
        "What moved: the reference stepped −37.9 % on 2026-06-11; your price moved +1.8 %."
    )
    assert "no stable level (ADF p above 0.99)" in report.sentences[1]
    page = render_report(report)
    assert page.index("would not have covered your rent") < page.index("<svg")


def test_the_basis_has_no_stable_level_and_its_breaks_are_descriptive(report):
    assert report.stationarity.p_value >= 0.99
    assert not report.stationarity.stable
    found = report.breakdown
    assert found.descriptive
    assert found.shifts[0].by_bic == found.shifts[0].by_lwz == (date(2026, 1, 22),)
    assert found.shifts[1].partitions[5] == (
        date(2023, 8, 10), date(2025, 11, 6), date(2026, 1, 22), date(2026, 4, 2), date(2026, 6, 11),
    )  # fmt: skip
    (case,) = found.cases
    assert case.causes == ("own rent",)
    assert (case.own_move, case.reference_move) == (near(0.1500), near(-0.0826))
    assert found.price_shape.maximum_date == date(2026, 7, 22)
    assert "no half-life" in found.price_shape.reason
