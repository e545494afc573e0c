"""A settlements file: good rows become marks, every bad one a plain sentence, and gaps are said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS
from rentmark.contracts.curve import join_marks, read_settlements, unmarked_days
from rentmark.records import MARK_REASONS, RentmarkError

from .curve_making import HEADER, RECEIVED, make_mark, settlements
from .making import own_contract

SPECS = {**CONTRACTS, "own": own_contract(daily_price_limit_micros=500_000)}
GOOD = "2026-08-14,cme-gpu1,2026-09,3.12,3.10,3.15,12,240,2026-08-14T21:00:00Z"


def read(*rows: str, header: str = HEADER):
    return read_settlements(settlements(*rows, header=header), "s.csv", SPECS, RECEIVED)


def join(*rows: str, standing=()):
    return join_marks(read(*rows), standing, SPECS)


def test_a_good_row_becomes_a_mark():
    (row,) = read(GOOD).rows
    assert row.mark == make_mark(
        date(2026, 8, 14),
        bid_micros=3_100_000,
        ask_micros=3_150_000,
        volume=12,
        open_interest=240,
        recorded_at=None,
    )


def test_absent_columns_and_blanks_are_unknown():
    (row,) = read("2026-08-14,cme-gpu1,2026-09,3.12", header="trade_date,contract,month,settle").rows
    assert row.mark.prices == (3_120_000, None, None, None, None)
    assert read("2026-08-14,cme-gpu1,2026-09,3.12").rows[0].mark == row.mark


def test_the_header_may_be_written_with_spaces_capitals_and_a_byte_order_mark():
    header = "Trade Date,Contract,Month,Settle,Open Interest"
    payload = b"\xef\xbb\xbf" + settlements("2026-08-14,cme-gpu1,2026-09,3.12,5", header=header)
    (row,) = read_settlements(payload, "s.csv", SPECS, RECEIVED).rows
    assert row.mark.open_interest == 5


@pytest.mark.parametrize(
    ("written", "vintage"),
    [
        ("", datetime(2026, 8, 15, tzinfo=UTC)),
        ("2026-08-14", datetime(2026, 8, 15, tzinfo=UTC)),
        ("2026-08-17", datetime(2026, 8, 18, tzinfo=UTC)),
        ("2026-08-14T17:00:00-04:00", datetime(2026, 8, 14, 21, tzinfo=UTC)),
    ],
)
def test_a_vintage_is_an_instant_or_the_end_of_a_date_or_of_the_trade_date(written, vintage):
    (row,) = read(f"2026-08-14,cme-gpu1,2026-09,3.12,,,,,{written}").rows
    assert row.mark.vintage == vintage


@pytest.mark.parametrize(
    ("row", "reason", "sentence"),
    [
        (
            "2026-08-14,cme-gpu9,2026-09,3.12",
            "unknown_contract",
            "s.csv row 1: contract is 'cme-gpu9'; name a contract of `rentmark contracts`.",
        ),
        ("2026-08-14,cme-gpu1,2026-09,", "missing_field", "s.csv row 1: settle is blank; add it."),
        ("2026-08-14,cme-gpu1,2026-9,3.12", "bad_month", "'2026-9' is not a month"),
        ("14.08.2026,cme-gpu1,2026-09,3.12", "bad_date", "trade_date is '14.08.2026'"),
        (
            "2026-08-14,cme-gpu1,2030-01,3.12",
            "month_not_listed",
            "cme-gpu1 2030-01 is not listed on 2026-08-14; 36 months are, 2026-08 to 2029-07.",
        ),
        (
            "2026-08-14,cme-gpu1,2026-07,3.12",
            "month_expired",
            "cme-gpu1 2026-07 traded until 2026-07-31, which is before 2026-08-14",
        ),
        (
            "2026-08-15,cme-gpu1,2026-09,3.12",
            "not_a_trading_day",
            "trade_date is '2026-08-15', which is no business day of XNYS",
        ),
        ("2026-08-21,cme-gpu1,2026-09,3.12", "future_time", "it lies after the file was received"),
        (
            "2026-08-14,cme-gpu1,2026-09,3.125",
            "off_tick",
            "settle is 3.125000, which is no multiple of the tick of cme-gpu1, 0.010000.",
        ),
        (
            "2026-08-14,cme-gpu1,2026-09,0",
            "price_not_positive",
            "settle is 0.000000; a price must be above zero",
        ),
        ("2026-08-14,cme-gpu1,2026-09,-1", "price_not_positive", "settle is -1.000000"),
        ('2026-08-14,cme-gpu1,2026-09,"3,12"', "bad_number", "settle is '3,12'; write a plain number."),
        ("2026-08-14,cme-gpu1,2026-09,NaN", "bad_number", "settle is 'NaN'"),
        ("2026-08-14,cme-gpu1,2026-09,3.12,3.20,3.15", "crossed", "bid is '3.20'; the bid is above the ask"),
        ("2026-08-14,cme-gpu1,2026-09,3.12,,,1.5", "bad_number", "volume is '1.5'"),
        ("2026-08-14,cme-gpu1,2026-09,3.12,,,,-3", "bad_number", "open_interest is '-3'"),
        (
            "2026-08-14,cme-gpu1,2026-09,3.12,,,,,2026-08-14T21:00:00",
            "bad_time",
            "a date, or an instant with a zone",
        ),
        (
            "2026-08-14,cme-gpu1,2026-09,3.12,,,,,2026-08-13",
            "vintage_before_trade_date",
            "vintage is '2026-08-13'",
        ),
        ("2026-08-14,cme-gpu1,2026-09,3.12,,,,,2026-08-21", "future_time", "vintage is '2026-08-21'"),
        (GOOD + ",more", "malformed_record", "more or fewer cells than the header"),
    ],
)
def test_a_bad_row_is_one_plain_sentence_and_the_good_rows_beside_it_are_in(row, reason, sentence):
    cells = row.count(",") - ('"' in row)  # the comma of "3,12" stands inside a cell
    payload = (HEADER + "\n" + row + "," * max(0, 8 - cells) + "\n" + GOOD + "\n").encode()
    found = read_settlements(payload, "s.csv", SPECS, RECEIVED)
    (reject,) = found.rejects
    assert reject.reason == reason
    assert reason in MARK_REASONS
    assert sentence in reject.sentence
    assert reject.sentence.startswith("s.csv row 1: ")
    assert "\n" not in reject.sentence
    assert len(found.rows) == 1


def test_a_file_cut_off_in_its_last_row_keeps_the_others():
    found = read_settlements((HEADER + "\n" + GOOD + "\n2026-08-17,cme-g").encode(), "s.csv", SPECS, RECEIVED)
    assert len(found.rows) == 1
    assert [reject.reason for reject in found.rejects] == ["malformed_record"]


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (b"", r"s.csv has no column trade_date"),
        (b"\x00\x01\x02", r"s.csv is a binary file; save it as CSV\."),
        (b"\xff\xfe\x00", r"s.csv is not text in UTF-8"),
        (
            b"date,price\n2026-08-14,3\n",
            r"s.csv has no column trade_date; its header needs trade_date, contract",
        ),
        ((HEADER + "\n").encode(), r"s.csv holds no settlements; add rows under its header\."),
        (b"trade_date,contract,month,settle,Settle\n", r"s.csv has the column settle twice; keep one\."),
        ((HEADER + '\n2026-08-14,"cme').encode(), r"s.csv stops being a CSV after row 0"),
    ],
)
def test_what_is_no_settlements_file_is_one_sentence(payload, sentence):
    with pytest.raises(RentmarkError, match=sentence) as refused:
        read_settlements(payload, "s.csv", SPECS, RECEIVED)
    assert "\n" not in refused.value.sentence


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: (HEADER + "\n" + text).encode()))
def test_no_bytes_whatever_are_more_than_rejects_or_one_sentence(payload):
    said = None
    try:
        found = read_settlements(payload, "s.csv", SPECS, RECEIVED)
    except RentmarkError as error:
        said = error.sentence
    if said is None:
        assert found.rows or found.rejects
    else:
        assert "\n" not in said.strip()


def test_a_doubled_date_with_two_prices_is_refused_twice_since_nobody_can_say_which_holds():
    other = GOOD.replace("3.12,3.10", "3.14,3.10")
    joined = join(GOOD, other, "2026-08-17,cme-gpu1,2026-09,3.13")
    assert [mark.trade_date for mark in joined.marks] == [date(2026, 8, 17)]
    assert [reject.reason for reject in joined.rejects] == ["doubled_date", "doubled_date"]
    assert joined.rejects[0].sentence == (
        "s.csv row 1: cme-gpu1 2026-09 on 2026-08-14 is given 2 times, with 3.120000 in row 1 and 3.140000 in "
        "row 2, in one vintage; keep one, or give the later its own vintage."
    )


def test_a_doubled_date_with_one_price_is_kept_once_and_said():
    joined = join(GOOD, GOOD)
    assert (len(joined.marks), joined.duplicates) == (1, 1)
    assert joined.notes == ("s.csv rows 1, 2 repeat cme-gpu1 2026-09 on 2026-08-14; the first was kept.",)


def test_a_later_vintage_of_a_day_is_a_correction_and_both_stay():
    joined = join(GOOD, GOOD.replace("3.12,", "3.14,").replace("08-14T", "08-17T"))
    assert [mark.settle_micros for mark in joined.marks] == [3_120_000, 3_140_000]
    assert joined.rejects == ()


def test_what_stands_already_is_a_duplicate_and_what_differs_from_it_is_refused():
    standing = [join(GOOD).marks[0]]
    assert join(GOOD, standing=standing).duplicates == 1
    differs = join(GOOD.replace("3.12,", "3.14,"), standing=standing)
    assert differs.marks == ()
    assert "stands with settle 3.120000" in differs.rejects[0].sentence
    assert "give a correction its own vintage" in differs.rejects[0].sentence


def test_a_gap_is_a_sentence_with_its_days_and_is_never_filled():
    rows = [f"2026-08-{day},cme-gpu1,2026-09,3.12" for day in ("10", "13", "14", "18")]
    joined = join(*rows)
    assert len(joined.marks) == 4
    assert joined.notes == (
        "cme-gpu1 2026-09 has no settlement on 2026-08-11 to 2026-08-12 (2 trading days), between days that have one.",
        "cme-gpu1 2026-09 has no settlement on 2026-08-17, between days that have one.",
    )


def test_a_gap_towards_what_stands_is_said_and_one_that_a_file_closes_is_not():
    standing = [make_mark(date(2026, 8, 11)), make_mark(date(2026, 8, 13))]
    assert join("2026-08-12,cme-gpu1,2026-09,3.12", standing=standing).notes == ()
    assert "2026-08-14" in join("2026-08-17,cme-gpu1,2026-09,3.12", standing=standing).notes[1]


@settings(deadline=None)
@given(st.sets(st.integers(0, 40), min_size=1))
def test_every_trading_day_between_the_first_and_the_last_is_marked_or_in_a_run(places):
    first = date(2026, 6, 1)
    days = {first + timedelta(days=n) for n in places}
    trading = {d for d in days if d.weekday() < 5 and d not in {date(2026, 6, 19), date(2026, 7, 3)}}
    if not trading:
        return
    missing = [day for run in unmarked_days(SPECS["cme-gpu1"], trading) for day in run]
    between = {d for n in range(41) if min(trading) <= (d := first + timedelta(days=n)) <= max(trading)}
    weekdays = {d for d in between if d.weekday() < 5 and d not in {date(2026, 6, 19), date(2026, 7, 3)}}
    assert set(missing) | trading == weekdays
    assert not set(missing) & trading


def test_a_settlement_beyond_the_daily_limit_is_refused_with_the_limits():
    rows = ["2026-08-13,own,2026-09,3.00", "2026-08-14,own,2026-09,3.60", "2026-08-15,own,2026-09,3.40"]
    joined = join(*rows)
    assert [mark.settle_micros for mark in joined.marks] == [3_000_000, 3_400_000]
    assert joined.rejects[0].reason == "beyond_price_limit"
    assert "daily price limit of 2.500000 to 3.500000 after 2026-08-13" in joined.rejects[0].sentence


def test_counts_add_up_whatever_the_file_holds():
    rows = [GOOD, GOOD, GOOD.replace("3.12,", "3.14,").replace("2026-09", "2026-10"), "x,cme-gpu1,2026-09,3"]
    joined = join(*rows, standing=[make_mark(date(2026, 8, 11))])
    assert len(joined.marks) + len(joined.rejects) + joined.duplicates == len(rows)
