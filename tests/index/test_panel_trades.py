"""Trades: the latest version known counts, once, whole, and never before it was known."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from rentmark.index import CORRECTION_COLUMNS, Window, windows_between

from .making import DAY, LATER, NOON, World, benchmark, hours, offer, trade, usd, windows_for

TRADES = benchmark(inputs=["trade"])
NEXT_DAY = date(2026, 7, 9)
IN_AUGUST = NOON + hours(24 * 30)


def amended(status: str = "corrected", **changes: Any) -> dict[str, Any]:
    """A later version of trade t1, known and recorded a day after it."""
    return trade(
        **{"trade_status": status, "known_at": NOON + hours(25), "recorded_at": NOON + hours(26), **changes}
    )


def days(first: date, last: date, seen_until: Any = LATER) -> list[Window]:
    return windows_between(TRADES.methodology, first, last, seen_until)


def test_a_correction_supersedes_the_first_report(world):
    archive = world([trade(), amended(price_micros=usd("2.00"))])
    assert archive.refusals(TRADES) == ["trade_superseded", None]
    assert archive.fixing(TRADES).value_micros == usd("2.00")


def test_a_cancelled_trade_is_out_with_all_its_versions(world):
    rows = [trade(), amended(price_micros=usd("2.00")), amended("cancelled", recorded_at=NOON + hours(30))]
    assert world(rows).refusals(TRADES) == ["trade_superseded", "trade_superseded", "trade_cancelled"]


def test_of_two_corrections_the_later_known_one_counts(world):
    rows = [
        amended(price_micros=usd("2.00"), known_at=NOON + hours(50), recorded_at=NOON + hours(51)),
        amended(price_micros=usd("1.00"), known_at=NOON + hours(30), recorded_at=NOON + hours(31)),
        trade(),
    ]
    assert world(rows).refusals(TRADES) == [None, "trade_superseded", "trade_superseded"]


def test_versions_recorded_in_one_batch_are_ordered_by_when_they_were_known_and_then_by_status(world):
    batch = NOON + hours(72)
    rows = [
        trade(recorded_at=batch),
        amended(price_micros=usd("2.00"), known_at=NOON + hours(20), recorded_at=batch),
        amended(price_micros=usd("1.00"), known_at=NOON + hours(10), recorded_at=batch),
    ]
    assert world(rows).refusals(TRADES) == ["trade_superseded", None, "trade_superseded"]
    stamp: dict[str, Any] = {"known_at": NOON + hours(1), "recorded_at": batch}
    same = [amended("cancelled", **stamp), amended(**stamp, price_micros=usd("2.00")), trade(**stamp)]
    assert world(same).refusals(TRADES) == ["trade_cancelled", "trade_superseded", "trade_superseded"]


@pytest.mark.parametrize("status", ["corrected", "cancelled"])
def test_a_first_report_loaded_after_its_amendment_does_not_come_back(world, status):
    rows = [amended(status, price_micros=usd("2.00")), trade(recorded_at=NOON + hours(500))]
    marks = world(rows).refusals(TRADES)
    assert marks == [None if status == "corrected" else "trade_cancelled", "trade_superseded"]


@pytest.mark.parametrize("reconstructed", [False, True], ids=["strict", "reconstructed"])
def test_a_correction_to_an_earlier_time_is_not_older_than_what_it_corrects(world, reconstructed):
    # without a stamp of its own a correction is known from the time of the trade it now states
    rows = [trade(), amended(observed_at=NOON - hours(30), known_at=NOON - hours(29))]
    marks = world(rows).marked(TRADES, days(date(2026, 7, 7), NEXT_DAY), reconstructed=reconstructed)
    assert sorted(marks.items()) == [
        ((date(2026, 7, 7), rows[1]["observation_id"]), None),
        ((DAY, rows[0]["observation_id"]), "trade_superseded"),
    ]


def test_a_correction_that_changes_the_chip_takes_the_trade_out_of_the_grade(world):
    archive = world([trade(), amended(chip="H200"), trade("t2", price_micros=usd("2.00"))])
    assert archive.refusals(TRADES) == ["trade_superseded", "chip", None]
    assert archive.fixing(TRADES).value_micros == usd("2.00")


def test_a_correction_that_changes_the_chip_brings_the_trade_into_the_grade(world):
    assert world([trade(chip="H200"), amended()]).refusals(TRADES) == ["chip", None]


def test_a_correction_that_changes_the_seller_moves_the_vote(world):
    fixing = world([trade(seller="alpha"), amended(seller="beta")]).fixing(TRADES)
    assert (fixing.n_sellers, fixing.n_observations) == (1, 1)


def test_a_correction_moves_a_trade_into_another_window(world):
    archive = world([trade(), amended(observed_at=NOON + hours(24))])
    fixings = archive.fixings(TRADES, days(DAY, NEXT_DAY))
    assert [(f.date, f.status, f.n_observations) for f in fixings] == [(DAY, "GAP", 0), (NEXT_DAY, "OK", 1)]


def test_a_correction_moves_a_trade_into_another_month_through_the_corrections(world):
    away = amended(observed_at=IN_AUGUST, known_at=IN_AUGUST + hours(1), recorded_at=IN_AUGUST + hours(2))
    july = world([trade()], corrections=[away])
    assert july.refusals(TRADES) == ["trade_superseded"]
    assert july.fixing(TRADES).rule == "no_match"
    august = world([away], corrections=[away])
    assert august.fixings(TRADES, days(IN_AUGUST.date(), IN_AUGUST.date()))[0].n_observations == 1


def test_a_first_report_loaded_late_counts_in_no_month_when_its_correction_moved_it(world):
    # each month is read alone: only the correction is handed to the other
    away = amended(observed_at=IN_AUGUST, known_at=IN_AUGUST + hours(1), recorded_at=IN_AUGUST + hours(2))
    late = trade(recorded_at=IN_AUGUST + hours(100))
    july = world([late], corrections=[away])
    august = world([away], corrections=[away])
    assert july.refusals(TRADES) == ["trade_superseded"]
    assert august.refusals(TRADES, days(IN_AUGUST.date(), IN_AUGUST.date())) == [None]


def test_a_cancellation_from_another_month_takes_the_trade_out(world):
    away = amended("cancelled", observed_at=IN_AUGUST, recorded_at=IN_AUGUST + hours(2))
    assert world([trade()], corrections=[away]).refusals(TRADES) == ["trade_superseded"]


def test_a_correction_handed_in_twice_counts_once(world):
    rows = [trade(), amended(price_micros=usd("2.00"))]
    archive = world(rows, corrections=rows)
    assert archive.refusals(TRADES) == ["trade_superseded", None]


def test_a_correction_counts_only_from_when_it_was_recorded(world):
    archive = world([trade(), amended(price_micros=usd("2.00"), recorded_at=NOON + hours(100))])
    before = archive.fixings(TRADES, windows_for(TRADES, seen_until=NOON + hours(99)))[0]
    at = archive.fixings(TRADES, windows_for(TRADES, seen_until=NOON + hours(100)))[0]
    assert (before.value_micros, at.value_micros) == (usd("3.00"), usd("2.00"))


def test_a_correction_counts_only_from_when_it_was_known_where_the_view_is_reconstructed(world):
    row = amended(price_micros=usd("2.00"), known_at=NOON + hours(100), recorded_at=NOON + hours(5_000))
    archive = world([trade(recorded_at=NOON + hours(5_000)), row])
    asked = [windows_for(TRADES, seen_until=NOON + hours(at)) for at in (99, 100)]
    values = [archive.fixings(TRADES, w, reconstructed=True)[0].value_micros for w in asked]
    assert values == [usd("3.00"), usd("2.00")]
    assert archive.fixings(TRADES, asked[0])[0].status == "GAP"


def test_a_cancellation_from_another_month_is_not_seen_before_it_was_recorded(world):
    away = amended("cancelled", observed_at=IN_AUGUST, recorded_at=IN_AUGUST + hours(2))
    archive = world([trade()], corrections=[away])
    early = windows_for(TRADES, seen_until=IN_AUGUST + hours(1))
    assert archive.fixings(TRADES, early)[0].n_observations == 1


def test_two_equal_trades_of_one_second_both_count(world):
    fixing = world([trade("t1"), trade("t2")]).fixing(TRADES)
    assert (fixing.n_observations, fixing.gpu_seconds) == (2, 7_200)


def test_an_older_trade_of_the_day_is_no_older_state(world):
    rows = [trade("t1", observed_at=NOON - hours(9)), trade("t2")]
    assert world(rows).refusals(TRADES) == [None, None]


def test_trades_without_an_identity_never_supersede_each_other(world):
    rows = [trade(None), trade(None, trade_status="corrected", price_micros=usd("2.00"))]
    assert world(rows).refusals(TRADES) == [None, None]


def test_of_two_first_reports_of_one_trade_in_one_window_the_later_counts(world):
    rows = [trade(), trade(price_micros=usd("2.00"), recorded_at=NOON + hours(100))]
    archive = world(rows)
    assert archive.refusals(TRADES) == ["trade_superseded", None]
    early = windows_for(TRADES, seen_until=NOON + hours(99))
    assert archive.fixings(TRADES, early)[0].value_micros == usd("3.00")


def test_two_first_reports_of_one_identity_in_two_windows_are_two_trades_whatever_is_read(world):
    # asked apart, each month has its own file, and a first report is handed to no other month
    july = trade()
    august = trade(observed_at=IN_AUGUST, known_at=IN_AUGUST + hours(1), recorded_at=IN_AUGUST + hours(2))
    together = world([july, august])
    asked = [*days(DAY, DAY), *days(IN_AUGUST.date(), IN_AUGUST.date())]
    at_once = [f.n_observations for f in together.fixings(TRADES, asked)]
    apart = [
        world([row]).fixings(TRADES, [w])[0].n_observations
        for row, w in zip((july, august), asked, strict=True)
    ]
    assert at_once == apart == [1, 1]


def test_a_correction_still_takes_both_first_reports_out(world):
    late = trade(observed_at=NOON + hours(24), recorded_at=NOON + hours(30))
    rows = [trade(), late, amended(price_micros=usd("2.00"), recorded_at=NOON + hours(40))]
    marks = world(rows).marked(TRADES, days(DAY, NEXT_DAY))
    assert sorted((d.day, code or "in") for (d, _), code in marks.items()) == [
        (8, "in"),
        (8, "trade_superseded"),
        (9, "trade_superseded"),
    ]


def test_an_identity_belongs_to_its_source(world):
    rows = [trade(), amended("cancelled", source="second")]
    assert world(rows).refusals(TRADES) == [None, "trade_cancelled"]


def test_a_trade_of_a_part_of_a_machine_is_not_a_smaller_size_of_it(world):
    made = benchmark(inputs=["trade", "listed"])
    rows = [
        trade("t1", machine="m1", gpu_count=1),
        trade("t2", machine="m1", gpu_count=8),
        offer(machine="m1", gpu_count=8),
        offer(machine="m1", gpu_count=4),
    ]
    archive = world(rows)
    assert archive.refusals(made) == [None, None, None, "smaller_size_of_machine"]
    assert archive.fixing(made).n_observations == 2


def test_a_trade_votes_on_the_day_it_was_executed_with_all_its_hours(world):
    long = trade(gpu_seconds=3_600 * 24 * 90, start_at=NOON + hours(24), end_at=NOON + hours(24 * 91))
    fixings = world([long]).fixings(TRADES, days(DAY, NEXT_DAY))
    assert [(f.status, f.gpu_seconds) for f in fixings] == [("OK", 3_600 * 24 * 90), ("GAP", 0)]


def test_the_grade_filters_trades_by_term(world):
    made = benchmark({"term_months": [1]}, inputs=["trade"])
    assert world([trade("t1", term_months=1), trade("t2", term_months=12)]).refusals(made) == [
        None,
        "term_months",
    ]


def test_only_amendments_are_handed_from_month_to_month(engine):
    rows = [trade(), amended(), amended("cancelled", recorded_at=NOON + hours(30)), offer()]
    events = World(engine, [], corrections=rows).corrections
    assert events is not None
    assert tuple(events.column_names) == CORRECTION_COLUMNS
    assert sorted(events["trade_status"].to_pylist()) == ["cancelled", "corrected"]
