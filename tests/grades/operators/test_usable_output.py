"""What an hour yields at a target speed: interpolated, clamped, unreachable or refused, and priced."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from rentmark.grades.operators import (
    Bounds,
    compare_stacks,
    read_serving_file,
    stack_outputs,
    steffen,
    usd_micros_per_million,
)
from rentmark.records import RentmarkError

from .serving_made import STACK, row

CURVE = [row(20, 4000), row(50, 2000), row(100, 1000), row(150, 400)]
SAMPLE = "dsr1_8k1k_all_hw_sample.csv"


def only(rows, target, bounds=None):
    (found,) = stack_outputs(rows, target, bounds)
    return found


def test_between_knots_the_output_is_splined_over_the_knots_of_the_total():
    """The output rises and falls along the frontier; its knots are still those of the total throughput."""
    rows = [row(20, 4000, 100), row(50, 2000, 300), row(100, 1000, 200)]
    found = only(rows, 60)
    assert found.output == steffen([20, 50, 100], [100, 300, 200], 60)
    assert found.total == steffen([20, 50, 100], [4000, 2000, 1000], 60)
    assert (found.flag, found.reason, len(found.knots)) == (None, None, 3)
    assert found.readings.linear == pytest.approx(280)
    assert found.readings.low <= found.readings.log_linear <= found.readings.high


def test_below_the_curve_the_slowest_knot_stands_and_is_flagged():
    found = only(CURVE, 10)
    assert (found.output, found.flag, found.readings) == (500, "clamped_low", None)
    assert "below the slowest knot, 20.0" in found.reason


def test_above_the_curve_nothing_is_reached():
    found = only(CURVE, 150.1)
    assert (found.output, found.total, found.flag) == (0, 0, "unreachable")
    assert "150.0" in found.reason


def test_at_the_end_of_the_curve_the_knot_itself_is_the_answer():
    assert (only(CURVE, 150).output, only(CURVE, 150).flag) == (50, None)
    assert (only(CURVE, 20).output, only(CURVE, 20).flag) == (500, None)


def test_one_row_is_no_curve():
    found = only([row(100, 400)], 80)
    assert (found.output, found.flag) == (None, "too_few_rows")
    assert found.reason == "one row is no curve; widen the dates or the bounds"
    beaten = only([row(100, 400), row(90, 300)], 80)
    assert (
        beaten.reason
        == "2 rows leave one on the frontier, and one is no curve; widen the dates or the bounds"
    )


def test_bounds_leave_rows_out_before_the_frontier_is_drawn():
    slow_start = [replace(r, median_ttft_seconds=5.0 if r is CURVE[1] else 0.5) for r in CURVE]
    found = only(slow_start, 60, Bounds(ttft_seconds=1.0))
    assert (found.rows, found.rows_out_of_bounds, len(found.knots)) == (4, 1, 3)
    none = only(CURVE, 60, Bounds(p99_interactivity=1.0))
    assert (none.flag, none.reason) == (
        "too_few_rows",
        "no row meets the bounds; widen the dates or the bounds",
    )


def test_few_knots_and_a_wide_gap_are_warned_of():
    assert only([row(x, 8000 / x) for x in (50, 60, 70, 80)], 65).warnings == ()
    assert only(CURVE, 75).warnings == (
        "no knot between 50.0 and 100.0 tokens/s per user; the value is rough",
    )
    assert only(CURVE[:3], 100).warnings == ("3 knots carry the curve; the value is rough",)


def test_a_join_of_months_is_stated():
    joined = [*CURVE[:3], replace(CURVE[3], date=date(2026, 2, 6))]
    found = only(joined, 99)
    assert found.dates == (date(2026, 2, 6), date(2026, 5, 19))
    assert found.warnings[0].startswith("joins rows of 2026-02 and 2026-05")


def test_input_is_unknown_where_one_knot_does_not_state_it():
    stated = [
        replace(r, input_tokens_per_second_per_gpu=r.total_tokens_per_second_per_gpu * 0.8) for r in CURVE
    ]
    assert only(stated, 50).input == pytest.approx(1600)
    assert only([*stated[:3], CURVE[3]], 50).input is None


@pytest.mark.parametrize(
    ("rows", "target", "said"),
    [
        (CURVE, 0, "The target is 0 tokens/s per user; it must be above 0 and finite."),
        (CURVE, float("nan"), "The target is nan"),
        (CURVE, float("inf"), "The target is inf"),
        (
            [*CURVE, row(10, 10, model="other")],
            50,
            "several models (invented, other); choose one with --model",
        ),
        ([*CURVE, row(10, 10, isl=1024)], 50, "several input lengths (1024, 8192); choose one with --isl"),
        ([*CURVE, row(10, 10, osl=8192)], 50, "several output lengths"),
    ],
)
def test_what_can_not_be_asked_is_one_sentence(rows, target, said):
    with pytest.raises(RentmarkError) as refused:
        stack_outputs(rows, target)
    assert said in refused.value.sentence


def test_a_million_tokens_cost_the_rent_over_the_millions_of_an_hour():
    """$3.60 an hour at 1,000 tokens/s is 3.6 million tokens an hour: a dollar a million."""
    assert usd_micros_per_million(3_600_000, 1000.0) == 1_000_000
    assert usd_micros_per_million(3_600_000, 0.0) is None


def test_two_stacks_are_compared_whichever_is_named_first():
    other = [replace(r, stack=STACK._replace(framework="rival")) for r in CURVE]
    faster = [
        replace(r, output_tokens_per_second_per_gpu=r.output_tokens_per_second_per_gpu * 1.5) for r in other
    ]
    engine, rival = stack_outputs([*CURVE, *faster], 100)
    for found in (compare_stacks(engine, rival), compare_stacks(rival, engine)):
        assert (found.more.stack.framework, found.less.stack.framework) == ("rival", "engine")
        assert found.output_ratio == pytest.approx(1.5)
        assert found.rent_per_token_ratio == pytest.approx(1 / 1.5)
        assert (found.linear_ratio, found.log_linear_ratio) == (pytest.approx(1.5), pytest.approx(1.5))


def test_no_ratio_is_given_against_nothing_and_different_months_are_said():
    other = [replace(r, stack=STACK._replace(framework="rival"), date=date(2026, 2, 6)) for r in CURVE]
    engine, rival = stack_outputs([*CURVE, *other], 100)
    warned = compare_stacks(engine, rival).warnings
    assert any("of different months (2026-05 against 2026-02)" in said for said in warned)
    beyond, _ = stack_outputs([*CURVE, *other], 500)
    with pytest.raises(RentmarkError, match="engine/none has no output at the target"):
        compare_stacks(beyond, rival)


@pytest.fixture(scope="module")
def b200(shared_data):
    """B200 FP4 rows of the shared sample between two dates, at 100 tokens/s per user, by stack name."""
    rows = read_serving_file((shared_data / "operators" / SAMPLE).read_bytes(), SAMPLE).rows
    chosen = [r for r in rows if (r.stack.hardware, r.stack.precision) == ("b200", "fp4")]

    def between(first: date, last: date):
        found = stack_outputs([r for r in chosen if first <= r.date <= last], 100)
        return {each.stack.name: each for each in found}

    return between


MAY = (date(2026, 5, 1), date(2026, 5, 31))


def test_the_shared_sample_gives_the_published_figures_of_may_2026(b200):
    """Figures: field notes on operators, worked examples from this sample."""
    may = b200(*MAY)
    sglang, trt = may["sglang/none"], may["trt/none"]
    assert sglang.output == pytest.approx(120.41, abs=0.005)
    assert trt.output == pytest.approx(189.85, abs=0.005)
    assert usd_micros_per_million(2_600_000, sglang.output) == pytest.approx(6_000_000, abs=5_000)
    assert usd_micros_per_million(2_600_000, trt.output) == pytest.approx(3_800_000, abs=5_000)
    both = compare_stacks(sglang, trt)
    assert both.more is trt
    assert both.output_ratio == pytest.approx(1.58, abs=0.005)
    assert both.rent_per_token_ratio == pytest.approx(0.63, abs=0.005)
    assert (len(sglang.knots), len(trt.knots)) == (5, 4)
    assert any("no knot between 72.5 and 124.3" in said for said in trt.warnings)
    assert trt.readings.linear == pytest.approx(192.86, abs=0.005)
    assert trt.readings.log_linear == pytest.approx(176.60, abs=0.005)


def test_steffens_own_end_slopes_would_give_another_figure(b200):
    """188.76 with Steffen's ends, 189.85 with d3's (field notes): the ends are what the dashboards draw."""
    knots = b200(*MAY)["trt/none"].knots
    x = [k.median_interactivity for k in knots]
    y = [k.output_tokens_per_second_per_gpu for k in knots]
    h, s = x[3] - x[2], (y[3] - y[2]) / (x[3] - x[2])
    h1, s1 = x[2] - x[1], (y[2] - y[1]) / (x[2] - x[1])
    # Steffen 1990, equation 24 at the right end, and the interior slope beside it
    own = s * (1 + h / (h + h1)) - s1 * h / (h + h1)
    own = 0.0 if own * s <= 0 else (2 * s if abs(own) > 2 * abs(s) else own)
    p = (s1 * h + s * h1) / (h + h1)
    inner = -2 * min(abs(s1), abs(s), abs(p) / 2)
    t = (100 - x[2]) / h
    value = (
        (2 * t**3 - 3 * t**2 + 1) * y[2]
        + (t**3 - 2 * t**2 + t) * h * inner
        + (3 * t**2 - 2 * t**3) * y[3]
        + (t**3 - t**2) * h * own
    )
    assert value == pytest.approx(188.76, abs=0.005)


def test_speculation_in_may_alone_is_unreachable_and_a_join_says_that_it_is_one(b200):
    alone = b200(*MAY)["trt/mtp"]
    assert (alone.output, alone.flag) == (0, "unreachable")
    assert alone.knots[-1].median_interactivity == pytest.approx(52.1, abs=0.05)
    assert alone.dates == (date(2026, 5, 19),)
    joined = b200(date(2026, 2, 1), MAY[1])["trt/mtp"]
    assert joined.output == pytest.approx(283.8, abs=0.05)
    assert usd_micros_per_million(2_600_000, joined.output) == pytest.approx(2_550_000, abs=5_100)
    assert joined.warnings[0].startswith("joins rows of 2026-02 and 2026-05")
    mixed = compare_stacks(joined, b200(*MAY)["trt/none"])
    assert mixed.output_ratio == pytest.approx(1.49, abs=0.006)
    assert any("of different months" in said for said in mixed.warnings)


def test_february_like_for_like(b200):
    february = b200(date(2026, 2, 1), date(2026, 2, 28))
    assert compare_stacks(february["trt/mtp"], february["trt/none"]).output_ratio == pytest.approx(
        1.75, abs=0.005
    )
