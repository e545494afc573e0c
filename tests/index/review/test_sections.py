"""The quiet sections of a review, each on a small panel worked by hand: coverage, shares, spells, panels, spread, tape."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from rentmark.index import Day
from rentmark.index.review.concentration import concentration
from rentmark.index.review.coverage import coverage
from rentmark.index.review.influence import influence
from rentmark.index.review.panels import panels
from rentmark.index.review.replaying import replay
from rentmark.index.review.revisions import revisions
from rentmark.index.review.spread import NO_TRADES, list_to_transacted
from rentmark.index.review.stickiness import stickiness

from tests.index.making import DAY, ballot, benchmark, in_order, usd
from tests.index.review.making import MEDIAN, days, trade, votes

TWO = benchmark(min_sellers=2, thin_sellers=3)


def test_coverage_counts_states_and_the_longest_gap():
    full, thin, gap = votes(a="1.00", b="2.00", c="3.00"), votes(a="1.00", b="2.00"), votes(a="1.00")
    made = coverage(days(TWO, [full, gap, gap, thin, [], full]))
    assert made.counts == {"OK": 2, "THIN": 1, "CARRIED": 0, "GAP": 3}
    assert made.rules == {"min_sellers": 2, "thin_sellers": 1, "empty_window": 1}
    assert (made.observed, made.longest_gap, made.longest_gap_from) == (0.5, 2, DAY + timedelta(days=1))
    assert (made.fewest_sellers, made.fewest_sellers_on, made.median_sellers) == (
        2,
        DAY + timedelta(days=3),
        3,
    )
    assert [month.month for month in made.months] == ["2026-07"]
    with pytest.raises(ValueError, match="without a fixing date"):
        coverage([])


def test_concentration_is_of_the_weight_by_name():
    rules = benchmark(vote=["seller", "region"], weights="vote")
    panel = in_order(
        [
            ballot("a", "1.00", region="x", venues=("m",), aggregators=("g",)),
            ballot("a", "1.10", region="y", venues=("m",), aggregators=("g",)),
            ballot("b", "2.00", region="x", venues=("m", "n")),
            ballot("c", "3.00", region="x"),
        ]
    )
    made = days(rules, [panel])
    sellers = concentration(rules, made, "seller").days[0]
    assert (sellers.top, sellers.top_share, sellers.n_names) == ("a", 0.5, 3)
    assert sellers.hhi == pytest.approx(2500 + 625 + 625)  # by hand: 50² + 25² + 25²
    venues = concentration(rules, made, "venue")
    # b is split over m and n: m holds 50 + 12.5, n 12.5, c is a venue of its own
    assert dict(venues.largest) == pytest.approx({"m": 0.625, "c": 0.25, "n": 0.125})
    through = concentration(rules, made, "aggregator")
    assert through.named
    assert dict(through.largest) == {"(direct)": 0.5, "g": 0.5}
    assert not concentration(MEDIAN, days(MEDIAN, [votes(a="1.00")]), "aggregator").named


def test_stickiness_by_hand():
    made = stickiness(
        MEDIAN,
        days(
            MEDIAN,
            [
                votes(a="1.00", b="2.00", c="3.00"),
                votes(a="1.00", b="2.50", c="3.00"),
                votes(a="1.00", b="2.50"),
                votes(a="1.00", b="2.00", c="3.00"),
            ],
        ),
    )
    # pairs: 3 + 2 + 2; unchanged: a and c, a and b, a
    assert [(d.n_common, d.n_unchanged) for d in made.days] == [(3, 2), (2, 2), (2, 1)]
    assert made.share_unchanged == pytest.approx(5 / 7)
    assert made.implied_spell == pytest.approx(-1 / math.log(5 / 7))
    # the one spell with both ends in sight is b at 2.50, two dates; the rest are cut off by the period or an absence
    assert (made.n_spells, made.median_spell, made.n_open_spells) == (1, 2.0, 5)
    assert {s.seller: (s.n_changes, s.longest_spell) for s in made.sellers} == {
        "a": (0, 4),
        "b": (2, 2),
        "c": (0, 2),
    }
    assert made.value_unchanged == pytest.approx(0)


def test_a_matched_panel_stays_where_only_the_panel_changed():
    made = panels(
        MEDIAN,
        days(
            MEDIAN,
            [
                votes(a="2.00", b="4.00"),
                votes(a="2.00", b="4.00", c="6.00"),
                votes(a="2.20", b="4.40", c="6.60"),
            ],
        ),
    )
    # by hand: c's coming lifts 3.00 to 4.00 and no price; then every price is up a tenth
    assert [m.change_micros for m in made.moves] == [usd("1.00"), usd("0.40")]
    assert [m.price_micros for m in made.moves] == [0, usd("0.40")]
    assert made.level == pytest.approx(4.4 / 3 - 1)
    assert made.matched == pytest.approx(0.1)
    assert (made.n_moves, made.by_panel, made.n_unexplained) == (2, 1, 0)
    assert made.largest_panel_move.entered == ("c",)


def test_a_matched_move_is_a_share_of_those_who_stayed():
    made = panels(MEDIAN, days(MEDIAN, [votes(a="2.00", b="4.00", c="9.00"), votes(a="3.00", b="4.50")]))
    # a and b were at 3.00 and are at 3.75: up a quarter, whatever c was
    assert made.matched == pytest.approx(0.25)
    assert made.moves[0].left == ("c",)


def test_votes_without_a_name_have_no_matched_panel():
    rules = benchmark(vote=["observation"])
    panel = [[ballot("a", "2.00", observation_id=1)], [ballot("a", "3.00", observation_id=2)]]
    made = panels(rules, days(rules, panel))
    assert (made.level, made.matched, made.n_unexplained) == (0.5, None, 1)
    assert made.moves[0].reason == "each observation is a vote of its own, so no vote is in both days"


def test_panels_of_nothing():
    assert panels(MEDIAN, []).level is None
    one = panels(MEDIAN, days(MEDIAN, [votes(a="1.00")]))
    assert (one.level, one.n_moves, one.first_micros) == (None, 0, usd("1.00"))


def test_influence_ranks_who_moved_it_and_who_is_needed():
    rules = benchmark(min_sellers=2)
    made = influence(
        rules,
        days(
            rules, [votes(a="2.00", b="3.00"), votes(a="2.00", b="4.00"), votes(a="2.00", b="4.00", c="4.50")]
        ),
    )
    assert (made.n_moves, made.n_by_one, made.n_needed) == (2, 1, 2)
    by_name = {s.seller: s for s in made.sellers}
    assert (by_name["c"].n_moved_it, by_name["a"].n_needed, by_name["c"].n_needed) == (1, 2, 0)
    assert made.largest_move.change == pytest.approx(1 / 3)  # from 3.00 to 4.00, when c came
    # on the last day 4.00 is the middle; without c it is 3.00, without a 4.25
    assert (made.largest.seller, made.largest.move) == ("c", pytest.approx(-0.25))


def test_list_to_transacted():
    listed, traded = votes(a="3.00", b="4.00"), [trade("x", "2.00", 10, 1), trade("y", "2.80", 30, 2)]
    made = list_to_transacted({DAY: [*listed, *traded], DAY + timedelta(days=1): listed})
    # half of 40 hours is reached at 2.80; the list stands at 3.50, a quarter above
    assert (made.median_spread, made.n_trade_days, made.gpu_hours) == (pytest.approx(0.25), 1, 40.0)
    assert made.days[0].trade_micros == usd("2.80")
    assert list_to_transacted({DAY: listed}).reason == NO_TRADES
    assert "both" in list_to_transacted({DAY: traded}).reason


def published(day: Day, revision: int = 0, **changes) -> object:
    at = datetime(2026, 7, 20 + revision, tzinfo=UTC)
    return replace(day.fixing, revision=revision, published_at=at, origin="backcast", **changes)


def test_revisions_hold_each_row_against_the_one_it_replaced():
    made = days(MEDIAN, [votes(a="2.00"), votes(a="4.00")])
    tape = [
        published(made[0]),
        published(made[1]),
        published(made[0], 1, value_micros=usd("2.10"), reason="a late file"),
        published(made[0], 2, value_micros=None, status="GAP"),
    ]
    found = revisions(tape, date(2026, 7, 1), date(2026, 7, 31))
    assert (found.n_published, len(found.rows), found.n_backcast) == (2, 2, 2)
    assert [(r.revision, r.change_micros) for r in found.rows] == [(1, usd("0.10")), (2, None)]
    assert found.mean_absolute == pytest.approx(0.05)
    assert found.largest.reason == "a late file"
    assert revisions(tape, date(2026, 8, 1), date(2026, 8, 31)).n_published == 0


def test_a_replay_finds_the_row_that_does_not_follow():
    rules = benchmark(fallback="carry", carry_days=1, min_sellers=2, matched_days=3)
    made = days(rules, [votes(a="1.00", b="2.00"), votes(a="1.00"), [], votes(a="1.00", b="2.00", c="2.00")])
    assert [day.fixing.status for day in made] == ["OK", "CARRIED", "GAP", "OK"]
    assert replay(rules, made).differences == ()
    forged = [replace(made[0], fixing=replace(made[0].fixing, value_micros=usd("9.99"))), *made[1:]]
    found = replay(rules, forged)
    assert [(d.field, d.on_tape) for d in found.differences] == [("value_micros", "9.990000")]
    assert "3 of 4 rows reproduce" in found.sentence
    other = replay(benchmark(min_sellers=1), made)
    assert (other.n_rows, other.n_other_rules) == (0, 4)
