"""Settlement: what counts, what is missing, which price may stand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS, Certificate, MissingDay, certify, fixing_days
from rentmark.records import RentmarkError, UsageError, day_start

from .making import (
    BENCHMARK,
    LATER,
    ask,
    days_between,
    make_fixing,
    make_tape,
    month_tape,
    own_contract,
    view_of,
)

CME, ICE = CONTRACTS["cme-gpu1"], CONTRACTS["ice-hpr"]
AUGUST = days_between(date(2026, 8, 1), date(2026, 8, 22))


@pytest.mark.parametrize(("spec", "fixings", "expected"), [(CME, 15, 21), (ICE, 22, 31)])
def test_fixings_of_the_first_to_the_22nd_of_august_2026_are_a_determination_without_a_price(
    spec, fixings, expected
):
    done = ask(spec, "2026-08", make_tape(AUGUST, origin="backcast"))
    assert (done.status, done.fixings, done.expected) == ("determination", fixings, expected)
    assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, None)
    assert done.coverage == Fraction(fixings, expected)
    assert done.withheld == ("determination",)
    assert done.origin == "backcast"


def test_july_2026_without_its_first_two_days_needs_a_certificate():
    tape = month_tape(CME, "2026-07", 3_148_250)
    for day in (date(2026, 7, 1), date(2026, 7, 2)):
        del tape[day]
    done = ask(CME, "2026-07", tape)
    assert (done.status, done.fixings, done.expected, done.longest_gap) == ("certify", 20, 22, 2)
    assert done.missing == (
        MissingDay(date=date(2026, 7, 1), reason="no_tape_row"),
        MissingDay(date=date(2026, 7, 2), reason="no_tape_row"),
    )
    assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, 3_148_250)
    assert done.withheld == ("certificate_needed",)


def test_a_friday_and_the_following_monday_are_two_business_days_in_a_row():
    tape = month_tape(CME, "2026-12")
    for day in (date(2026, 12, 10), date(2026, 12, 11), date(2026, 12, 14)):
        del tape[day]
    assert ask(CME, "2026-12", tape).longest_gap == 3


@pytest.mark.parametrize(
    ("changes", "counted", "reason"),
    [
        ({"status": "OK"}, True, None),
        ({"status": "THIN"}, True, None),
        ({"status": "CARRIED"}, False, "carried"),
        ({"status": "GAP", "value_micros": None, "rule": "no_match"}, False, "no_match"),
    ],
)
def test_ok_and_thin_count_carried_and_gap_are_missing_with_their_reason(changes, counted, reason):
    day = date(2026, 12, 10)
    tape = month_tape(CME, "2026-12")
    tape[day] = make_fixing(day, **changes)
    done = ask(CME, "2026-12", tape)
    line = next(line for line in done.days if line.date == day)
    assert (line.counted, line.reason) == (counted, reason)
    assert done.status == ("settled" if counted else "certify")


def test_carried_counts_only_where_the_contract_says_so():
    tape = month_tape(own_contract(), "2026-12", status="CARRIED", value_micros=2_000_000)
    assert ask(own_contract(counts_carried=True), "2026-12", tape).final_settlement_price_micros == 2_000_000
    assert ask(own_contract(), "2026-12", tape).status == "determination"


@pytest.mark.parametrize(
    ("first", "price"),
    [(3_000_000, 3_000_010), (3_000_001, 3_000_010), (3_000_002, 3_000_012)],
)
def test_a_mean_ending_in_half_a_micro_dollar_rounds_to_the_even_one(first, price):
    # twenty fixings rising by a micro-dollar: the mean is first + 9.5
    tape = {d: make_fixing(d, first + n) for n, d in enumerate(fixing_days(CME, "2028-02"))}
    assert ask(CME, "2028-02", tape).final_settlement_price_micros == price


def test_a_contract_of_two_decimals_rounds_once_from_the_exact_mean():
    # mean 3.0050005 of 30 days: first to six decimals 3.005000 and then to even would give 3.00
    tape = {
        d: make_fixing(d, 3_005_000 + (n % 2)) for n, d in enumerate(fixing_days(own_contract(), "2026-11"))
    }
    spec = own_contract(final_price_decimals=2)
    assert ask(own_contract(), "2026-11", tape).final_settlement_price_micros == 3_005_000
    assert ask(spec, "2026-11", tape).final_settlement_price_micros == 3_010_000


def test_backcast_leaves_an_indicative_price_even_when_certified_and_says_why():
    tape = month_tape(CME, "2026-07", origin="backcast")
    for day in (date(2026, 7, 1), date(2026, 7, 2)):
        del tape[day]
    open_month = ask(CME, "2026-07", tape)
    assert open_month.withheld == ("certificate_needed", "backcast")
    word = certify(open_month, who=" the index committee ", reason="checked", certified_at=LATER)
    done = ask(CME, "2026-07", tape, certificate=word)
    assert (done.status, done.certified_by, done.certified_reason) == (
        "settled",
        "the index committee",
        "checked",
    )
    assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, 3_000_000)
    assert done.withheld == ("backcast",)
    assert done.price_micros == 3_000_000


def test_a_certificate_counts_from_its_own_time_and_for_its_own_price_only():
    tape = month_tape(CME, "2026-07")
    del tape[date(2026, 7, 1)]
    word = certify(ask(CME, "2026-07", tape), who="the index committee", reason="checked", certified_at=LATER)
    early = ask(CME, "2026-07", tape, certificate=word, now=LATER - timedelta(days=1))
    assert (early.status, early.withheld) == ("certify", ("certificate_needed",))
    tape[date(2026, 7, 6)] = make_fixing(date(2026, 7, 6), 9_000_000)
    moved = ask(CME, "2026-07", tape, certificate=word)
    assert (moved.status, moved.withheld) == ("certify", ("certificate_differs",))
    assert moved.certified_by is None


def test_a_certificate_of_no_stated_price_certifies_the_mean_there_is():
    tape = month_tape(CME, "2026-07")
    del tape[date(2026, 7, 1)]
    word = Certificate(
        contract="cme-gpu1",
        month="2026-07",
        benchmark=BENCHMARK,
        who="the index committee",
        reason="checked",
        certified_at=LATER,
    )
    assert ask(CME, "2026-07", tape, certificate=word).final_settlement_price_micros == 3_000_000


def test_a_certificate_changes_nothing_of_a_month_that_does_not_need_it():
    word = Certificate(
        contract="cme-gpu1",
        month="2026-07",
        benchmark=BENCHMARK,
        who="the index committee",
        reason="checked",
        certified_at=LATER,
    )
    whole = month_tape(CME, "2026-07")
    assert ask(CME, "2026-07", whole, certificate=word) == ask(CME, "2026-07", whole)
    assert ask(CME, "2026-07", {}, certificate=word).status == "determination"


@pytest.mark.parametrize("status", ["settled", "determination", "accruing"])
def test_only_a_month_that_needs_it_can_be_certified(status):
    tape = month_tape(CME, "2026-07") if status != "determination" else {}
    now = datetime(2026, 7, 10, tzinfo=UTC) if status == "accruing" else LATER
    done = ask(CME, "2026-07", tape, now=now)
    assert done.status == status
    with pytest.raises(RentmarkError, match=f"has status {status}; only a month"):
        certify(done, who="the index committee", reason="checked", certified_at=LATER)


def test_a_certificate_needs_a_name_and_a_reason():
    tape = month_tape(CME, "2026-07")
    del tape[date(2026, 7, 1)]
    done = ask(CME, "2026-07", tape)
    for who, reason in (("", "checked"), ("R", "  ")):
        with pytest.raises(RentmarkError, match="give both"):
            certify(done, who=who, reason=reason, certified_at=LATER)


def test_candidates_and_restatements_leave_only_an_indicative_price():
    candidates = month_tape(CME, "2026-07", origin=None, published_at=None)
    done = ask(CME, "2026-07", candidates)
    assert (done.withheld, done.origin) == (("candidate",), "backcast")
    assert (done.final_settlement_price_micros, done.indicative_price_micros) == (None, 3_000_000)
    restated = month_tape(CME, "2026-07")
    restated[date(2026, 7, 6)] = make_fixing(
        date(2026, 7, 6), revision=1, published_at=datetime(2026, 9, 1, tzinfo=UTC)
    )
    done = ask(CME, "2026-07", restated)
    assert (done.restated, done.withheld) == (True, ("restated",))
    assert done.final_settlement_price_micros is None


def test_a_revision_published_within_the_month_is_as_published():
    tape = month_tape(CME, "2026-07")
    tape[date(2026, 7, 6)] = make_fixing(
        date(2026, 7, 6), 3_022_000, revision=1, published_at=datetime(2026, 7, 20, tzinfo=UTC)
    )
    done = ask(CME, "2026-07", tape)
    assert (done.restated, done.final_settlement_price_micros) == (False, 3_001_000)


def test_the_month_accrues_until_its_last_fixing_is_effective_to_the_microsecond():
    tape = month_tape(CME, "2026-07")
    last = datetime(2026, 8, 1, tzinfo=UTC)
    assert ask(CME, "2026-07", tape, now=last - timedelta(microseconds=1)).status == "accruing"
    assert ask(CME, "2026-07", tape, now=last).status == "settled"


def test_a_cut_off_before_midnight_settles_the_month_at_the_cut_off():
    day = date(2026, 7, 31)
    cut_off = datetime(2026, 7, 31, 20, tzinfo=UTC)
    tape = month_tape(CME, "2026-07")
    tape[day] = make_fixing(day, effective_at=cut_off, published_at=cut_off)
    done = ask(CME, "2026-07", tape, now=cut_off)
    assert (done.status, done.effective_at) == ("settled", cut_off)


def test_an_absent_last_fixing_is_waited_for_as_long_as_the_others_took():
    lagged = {
        day: make_fixing(day, effective_at=day_start(day) + timedelta(days=2))
        for day in fixing_days(CME, "2026-07")[:-1]
    }
    last = datetime(2026, 8, 2, tzinfo=UTC)  # the end of 31 July and a day's publication lag
    waiting = ask(CME, "2026-07", lagged, now=last - timedelta(hours=1))
    assert (waiting.status, waiting.effective_at) == ("accruing", last)
    assert ask(CME, "2026-07", lagged, now=last).status == "certify"


def test_an_accruing_month_with_fixings_missing_averages_those_it_will_have():
    days = fixing_days(CME, "2026-08")
    tape = {day: make_fixing(day, 3_000_000) for day in days[:10]}
    del tape[days[3]]
    tape[days[9]] = make_fixing(days[9], 3_110_000)
    done = ask(CME, "2026-08", tape, now=day_start(days[9]) + timedelta(days=1))
    view = view_of(done)
    assert (done.status, done.elapsed, done.fixings) == ("accruing", 10, 9)
    assert (view.known, view.remaining, view.total, view.already_missing) == (9, 11, 20, 1)
    assert view.on_course == "certify"
    assert view.expectation_date == days[9]
    # (8 × 3.00 + 3.11 + 11 × 3.11)/20 = 61.32/20
    assert view.fair_value_exact == 3_066_000
    assert {day.weight for day in done.days if day.counted} == {Fraction(1, 20)}
    assert {day.state for day in done.days[10:]} == {"pending"}


def test_before_the_month_the_last_fixing_of_another_day_is_the_expectation():
    sunday = date(2026, 8, 2)
    tape = {
        date(2026, 7, 30): make_fixing(date(2026, 7, 30), 2_900_000),
        sunday: make_fixing(sunday, 2_500_000),
    }
    done = ask(CME, "2026-08", tape, now=datetime(2026, 8, 3, 12, tzinfo=UTC))
    view = view_of(done)
    assert (view.known, view.expectation_micros, view.expectation_date) == (0, 2_500_000, sunday)
    assert view.fair_value_exact == 2_500_000
    assert view.delta == 1
    assert view.known_mean_micros is None


def test_a_month_on_course_to_determination_says_so_while_it_accrues():
    days = fixing_days(CME, "2026-08")
    now = day_start(days[9]) + timedelta(days=1)
    view = view_of(ask(CME, "2026-08", make_tape(days[4:10]), now=now))
    assert (view.on_course, view.already_missing) == ("determination", 4)


def test_with_nothing_known_there_is_no_fair_value():
    done = ask(CME, "2026-08", {}, now=datetime(2026, 7, 1, tzinfo=UTC))
    assert (done.status, done.origin, view_of(done).fair_value_micros) == ("accruing", None, None)


def test_proxy_is_false_only_for_the_official_benchmark_at_settlement_grade():
    own = own_contract(official_benchmark=BENCHMARK)
    tape = month_tape(own, "2026-12")
    assert not ask(own, "2026-12", tape).proxy
    assert ask(own_contract(), "2026-12", tape).proxy_reason == f"{BENCHMARK} stands in for an invented index"
    assert ask(own, "2026-12", tape, proxy=True).proxy
    assert not ask(own_contract(), "2026-12", tape, proxy=False).proxy
    weak = month_tape(own, "2026-12", settlement_grade=False)
    ungraded = f"{BENCHMARK} is not of settlement grade"
    for stated in (None, False):
        assert ask(own, "2026-12", weak, proxy=stated).proxy_reason == ungraded
    both = ask(own, "2026-12", weak, proxy=True)
    assert both.proxy_reason == f"{BENCHMARK} stands in for an invented index; {ungraded}"


@pytest.mark.parametrize("mark", ["simulated", "reconstructed"])
def test_one_marked_fixing_marks_the_settlement_and_one_of_another_month_does_not(mark):
    tape = month_tape(CME, "2026-12")
    assert not getattr(ask(CME, "2026-12", tape), mark)
    tape[date(2026, 11, 3)] = make_fixing(date(2026, 11, 3), **{mark: True})
    assert not getattr(ask(CME, "2026-12", tape), mark)
    tape[date(2026, 12, 3)] = make_fixing(date(2026, 12, 3), **{mark: True})
    assert getattr(ask(CME, "2026-12", tape), mark)


def test_an_expectation_taken_from_a_simulated_day_makes_the_view_simulated():
    tape = {date(2026, 7, 30): make_fixing(date(2026, 7, 30), simulated=True)}
    assert ask(CME, "2026-08", tape, now=datetime(2026, 8, 1, tzinfo=UTC)).simulated


@pytest.mark.parametrize(
    ("tape", "changes", "sentence"),
    [
        ({date(2026, 7, 1): make_fixing(date(2026, 7, 2))}, {}, "the fixing of 2026-07-02 is filed under 2026-07-01"),
        ({date(2026, 7, 1): make_fixing(date(2026, 7, 1), benchmark="other")}, {}, "belongs to other, not to invented"),
        ({}, {"now": datetime(2026, 8, 1)}, "states no time zone"),
        (
            {date(2026, 7, 1): make_fixing(date(2026, 7, 1), revision=1, published_at=LATER)},
            {"now": datetime(2026, 7, 9, tzinfo=UTC)},
            "revision 1, not yet published at 2026-07-09",
        ),
        (
            {},
            {"certificate": Certificate(
                contract="ice-hpr", month="2026-07", benchmark=BENCHMARK, who="the index committee", reason="r", certified_at=LATER
            )},
            "the certificate is for ice-hpr 2026-07",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_settled_is_refused_in_one_sentence(tape, changes, sentence):
    with pytest.raises(UsageError, match=sentence):
        ask(CME, "2026-07", tape, **changes)


VALUES = st.one_of(st.none(), st.integers(4, 40).map(lambda quarter: quarter * 250_000))


@settings(deadline=None)
@given(values=st.lists(VALUES, min_size=22, max_size=22), factor=st.integers(2, 5))
def test_a_price_lies_within_its_fixings_and_scales_with_them(values, factor):
    days = fixing_days(CME, "2026-12")
    tape = {day: make_fixing(day, value) for day, value in zip(days, values, strict=True)}
    scaled = {d: make_fixing(d, None if v is None else v * factor) for d, v in zip(days, values, strict=True)}
    done, larger = ask(CME, "2026-12", tape), ask(CME, "2026-12", scaled)
    known = [value for value in values if value is not None]
    assert (done.fixings, done.expected) == (len(known), 22)
    assert len(done.missing) + done.fixings == done.expected
    assert larger.status == done.status
    assert (done.price_micros is None) == (done.status == "determination")
    if done.price_micros is not None and larger.price_micros is not None:
        assert min(known) <= done.price_micros <= max(known)
        assert abs(larger.price_micros - factor * done.price_micros) <= factor
        assert (done.final_settlement_price_micros is None) == bool(done.withheld)
