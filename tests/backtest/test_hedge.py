"""A hedge run answers with a verdict, its documented keys, and a reason beside every null."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.backtest import NOT_COVERED, hedge, read_rent
from rentmark.contracts import CONTRACTS
from rentmark.records import RentmarkError, UsageError

from .making import (
    BENCHMARK,
    EVERY_DAY,
    LATER,
    days_from,
    make_book,
    make_fixing,
    make_tape,
    monthly_case,
    run,
    wander,
)

RENTS, REFERENCES = monthly_case(wander(40, seed=3), wander(40, seed=5))


def test_the_documented_keys_are_all_there():
    row = run(RENTS, REFERENCES).to_json()
    for kind in ("observation", "monthly", "hedge"):
        assert {
            "ratio", "ratio_low", "ratio_high", "r_squared", "n",
            "ratio_without_most_influential", "influential_date", "share_unchanged",
        } <= row["regression"][kind].keys()  # fmt: skip
    for method in ("naive", "ols"):
        assert {
            "in_sample", "walk_forward", "walk_forward_low", "walk_forward_high", "out_of_sample_months",
        } <= row["effectiveness"][method].keys()  # fmt: skip
    assert {"mean", "sd", "p5", "p50", "p95"} <= row["basis"].keys()
    assert {
        "proxy", "simulated", "reconstructed", "origin", "fixing_state", "method", "verdict", "sentence",
    } <= row.keys()  # fmt: skip
    json.dumps(row, allow_nan=False)


def nulls_without_reason(value, path=""):
    """Paths of nulls in an object that holds no reason of its own."""
    found = []
    if isinstance(value, dict):
        if any(each is None for each in value.values()) and not value.get("reason"):
            found.append(path)
        for key, each in value.items():
            found += nulls_without_reason(each, f"{path}.{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            found += nulls_without_reason(each, f"{path}[{number}]")
    return found


@pytest.mark.parametrize("contract", [None, EVERY_DAY, CONTRACTS["ice-hpr"]])
@pytest.mark.parametrize("gpu_hours", [None, "24"])
@pytest.mark.parametrize("count", [3, 40])
def test_every_null_has_a_reason_beside_it(contract, gpu_hours, count):
    days = days_from(date(2025, 1, 1), count * 5)
    reference = dict(zip(days, wander(len(days), seed=5), strict=True))
    rates = dict(zip(days, wander(len(days), seed=3), strict=True))
    row = run(rates, reference, contract=contract, gpu_hours=gpu_hours).to_json()
    # A month says what it lacks in its own reason; `expected` is null wherever there is no contract.
    assert nulls_without_reason(row) == []


def test_prices_are_six_decimal_strings_and_statistics_numbers():
    row = run(RENTS, REFERENCES, gpus=8).to_json()
    month = row["months"][-1]
    for price in (month["entry_price"], month["settlement_price"], month["rent"], month["unhedged_bill"]):
        assert len(price.split(".")[1]) == 6
    assert isinstance(row["regression"]["hedge"]["ratio"], float)
    assert isinstance(row["basis"]["mean"], float)


def test_the_same_input_gives_the_same_bytes():
    first, second = (json.dumps(run(RENTS, REFERENCES, gpus=8).to_json()) for _ in range(2))
    assert first == second


def test_a_short_history_is_too_short_and_still_reports():
    rents, references = monthly_case(wander(12), wander(12, seed=2))
    report = run(rents, references)
    assert report.verdict.name == "too short"
    assert (
        report.sentence
        == "Too short to say whether this hedge covers your rent: 11 monthly changes, 36 needed."
    )
    assert report.swing is None
    assert report.regressions["monthly"].ratio is not None


def test_a_constant_rent_has_nothing_to_hedge():
    rents, references = monthly_case([2_000_000] * 40, wander(40))
    report = run(rents, references, role="provider")
    assert report.verdict.name == "nothing to hedge"
    assert report.sentence == (
        "Nothing to hedge: your rental revenue is fixed until 2025-04-15; any lots would add risk."
    )
    assert report.regressions["monthly"].share_unchanged == 1.0


def test_lots_that_would_add_risk_to_a_constant_rent_are_named():
    rents, references = monthly_case([2_000_000] * 40, wander(40))
    report = run(rents, references, contract=EVERY_DAY, gpus=10, ratio_method="naive")
    assert report.next_month.lots == 74  # 10 GPUs for the 744 hours of May, lots of 100
    assert report.sentence.endswith("74 lots would add risk.")


def test_a_rent_that_is_the_reference_is_covered():
    walk = wander(60, seed=9)
    rents, references = monthly_case([value + 1_000_000 for value in walk], walk)
    report = run(rents, references)
    assert report.verdict.name == "covers"
    assert report.regressions["hedge"].ratio == pytest.approx(1.0)
    # A constant premium of a dollar: all level, no risk.
    assert (report.basis.mean, report.basis.sd) == (1.0, 0.0)


def test_invoices_have_no_observation_regression_and_say_so():
    lines = ["start,end,amount_usd,gpu_hours"]
    for number, value in enumerate(wander(40, seed=3)):
        year, month = 2022 + number // 12, number % 12 + 1
        lines.append(f"{year}-{month:02d}-01,{year}-{month:02d}-28,{value / 1e6 * 1000},1000")
    report = hedge(
        read_rent("\n".join(lines).encode(), "bills.csv"),
        make_tape(REFERENCES),
        benchmark=BENCHMARK,
        now=LATER,
    )
    observation = report.regressions["observation"]
    assert (observation.ratio, observation.n) == (None, 0)
    assert "invoices" in observation.reason
    assert report.regressions["monthly"].n == 39
    assert report.programme[0].bill_micros is not None


@pytest.mark.parametrize(
    ("factor", "asks"),
    [(100, "in cents"), (8, "per 8-GPU node"), (1, None), (3, None), (30, None)],
)
def test_a_rent_in_another_unit_is_asked_about_and_used_as_written(factor, asks):
    rents, references = monthly_case([value * factor for value in REFERENCES.values()], REFERENCES.values())
    report = run(rents, references)
    questions = [note for note in report.notes if "or correct?" in note]
    assert [asks in note for note in questions] == ([] if asks is None else [True])
    assert report.common[0].rent_micros == REFERENCES[report.common[0].date] * factor


def test_marks_follow_the_fixings():
    tape = make_tape(REFERENCES)
    plain = hedge(make_book(RENTS), tape, benchmark=BENCHMARK, now=LATER, contract=EVERY_DAY)
    assert plain.marks == ()
    assert (plain.proxy, plain.origin, plain.fixing_state) == (False, "live", "published")
    candidates = [replace(row, published_at=None, origin=None) for row in tape]
    assert hedge(make_book(RENTS), candidates, benchmark=BENCHMARK, now=LATER).marks == ("CANDIDATE", "PROXY")
    late = [replace(row, origin="backcast", simulated=True, reconstructed=True) for row in tape]
    other = hedge(make_book(RENTS), late, benchmark=BENCHMARK, now=LATER, contract=CONTRACTS["cme-gpu1"])
    assert other.marks == ("SIMULATED", "RECONSTRUCTED", "BACKCAST", "PROXY")
    assert other.proxy_for == CONTRACTS["cme-gpu1"].official_underlying
    assert other.live_from is None


def test_what_a_rental_hedge_does_not_cover_is_always_listed():
    for role in ("buyer", "provider"):
        listed = run(RENTS, REFERENCES, role=role).to_json()["not_covered"]
        assert listed == list(NOT_COVERED[role])
        for risk in ("failed deployment", "breach", "does not pay", "unused hours"):
            assert any(risk in each for each in listed)


def test_refused_rows_are_counted_and_listed():
    book = read_rent(b"date,rate_usd_per_gpu_hour\n2022-01-15,3\n2022-02-15,x\n2022-03-15,4\n", "rent.csv")
    row = hedge(book, make_tape(REFERENCES), benchmark=BENCHMARK, now=LATER).to_json()["rent"]
    assert (row["rows_read"], row["rows_used"], row["rows_refused"]) == (3, 2, 1)
    assert row["refused"][0]["sentence"].startswith("rent.csv line 3: ")


def test_later_fixings_and_later_rents_are_not_seen():
    now = datetime(2024, 1, 1, tzinfo=UTC)
    report = run(RENTS, REFERENCES, now=now)
    assert report.common[-1].date < now.date()
    assert any("rent dates after 2024-01-01 were not used" in note for note in report.notes)


def test_restated_dates_are_counted_apart():
    tape = make_tape(REFERENCES)
    late = replace(
        tape[5], revision=1, value_micros=99_000_000, published_at=datetime(2029, 1, 1, tzinfo=UTC)
    )
    report = hedge(make_book(RENTS), [*tape, late], benchmark=BENCHMARK, now=LATER)
    assert report.common == run(RENTS, REFERENCES).common
    assert any("1 dates were restated later" in note for note in report.notes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ratio_method": "magic"}, "method is 'magic'; known methods: naive, ols."),
        ({"gpus": 0}, "gpus is 0; it must be at least 1."),
        ({"entry_premium_percent": Decimal(-100)}, "it must be above -100 %"),
        ({"entry_premium_percent": Decimal("NaN")}, "it must be above -100 %"),
    ],
)
def test_wrong_usage_is_one_sentence(options, says):
    with pytest.raises(UsageError, match=says):
        run(RENTS, REFERENCES, **options)


def test_no_fixing_and_no_common_date_say_what_to_do():
    with pytest.raises(RentmarkError, match="run `rentmark index build invented-list` first"):
        run(RENTS, {date(2022, 1, 15): None})
    with pytest.raises(
        RentmarkError, match=r"2022-01-15 to 2025-04-15.*2021-01-15 to 2021-01-15.*share no date"
    ):
        run(RENTS, {date(2021, 1, 15): 1_000_000})
    other = [make_fixing(date(2022, 1, 15), benchmark="another")]
    with pytest.raises(RentmarkError, match="no fixing with a value"):
        hedge(make_book(RENTS), other, benchmark=BENCHMARK, now=LATER)


GRID = st.integers(4, 24).map(lambda quarter: quarter * 250_000)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(GRID, GRID), min_size=40, max_size=40), st.sampled_from([2, 5]))
def test_scaling_the_rent_scales_the_ratios_and_leaves_the_effectiveness(rows, factor):
    rents, references = monthly_case([a for a, _ in rows], [b for _, b in rows])
    plain = run(rents, references)
    scaled = run({day: factor * rate for day, rate in rents.items()}, references)
    for kind in ("observation", "monthly", "hedge"):
        one, other = plain.regressions[kind], scaled.regressions[kind]
        assert (one.ratio is None) == (other.ratio is None)
        if one.ratio is not None:
            assert other.ratio == pytest.approx(factor * one.ratio, abs=1e-6)
    one, other = plain.effectiveness["ols"], scaled.effectiveness["ols"]
    if one.walk_forward is not None:
        assert other.walk_forward == pytest.approx(one.walk_forward, abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(GRID, GRID), min_size=40, max_size=40))
def test_a_constant_premium_on_the_rent_changes_no_ratio_and_no_verdict(rows):
    rents, references = monthly_case([a for a, _ in rows], [b for _, b in rows])
    plain = run(rents, references)
    dearer = run({day: rate + 1_000_000 for day, rate in rents.items()}, references)
    assert dearer.regressions == plain.regressions
    assert dearer.effectiveness == plain.effectiveness
    assert dearer.verdict == plain.verdict
