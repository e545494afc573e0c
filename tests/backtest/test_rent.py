"""A rent file is read whole: good rows kept, every bad one named with its line and a remedy."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.backtest import RENT_REASONS, read_rent
from rentmark.records import RentmarkError

HEADER = "date,rate_usd_per_gpu_hour"


def read(*lines, header=HEADER, **options):
    return read_rent("\n".join([header, *lines]).encode(), "rent.csv", **options)


def test_a_rate_file_becomes_days_in_order_with_integer_rates():
    book = read("2026-01-02,3.10", "2026-01-01,2.9999995")
    assert [(day.date, day.rate_micros) for day in book.days] == [
        (date(2026, 1, 1), 3_000_000),  # 2.9999995 is a tie at the seventh decimal: half-even
        (date(2026, 1, 2), 3_100_000),
    ]
    assert (book.rows_read, book.rows_used, book.rows_refused, book.has_hours) == (2, 2, 0, False)
    assert any("sorted" in note for note in book.notes)


def test_hours_make_a_bill_of_rate_times_hours():
    book = read("2026-01-01,2.50,24", "2026-01-02,2.50,0.5", header=f"{HEADER},gpu_hours")
    assert [day.gpu_seconds for day in book.days] == [86_400, 1_800]
    assert [day.amount_micros for day in book.days] == [60_000_000, 1_250_000]
    assert book.has_hours


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (",3.10,8", "missing_date"),
        ("01/02/2026,3.10,8", "bad_date"),
        ("2026-02-30,3.10,8", "bad_date"),
        ("2026-01-01 12:00,3.10,8", "naive_time"),
        ("2026-12-31,3.10,8", "future_date"),
        ("2026-01-01,,8", "missing_rate"),
        ("2026-01-01,abc,8", "not_a_number"),
        ('2026-01-01,"3,10",8', "not_a_number"),
        ("2026-01-01,$3,8", "not_a_number"),
        ("2026-01-01,NaN,8", "not_finite"),
        ("2026-01-01,-inf,8", "not_finite"),
        ("2026-01-01,-1,8", "not_positive"),
        ("2026-01-01,0,8", "not_positive"),
        ("2026-01-01,0.0000001,8", "not_positive"),
        ("2026-01-01,1e30,8", "too_large"),
        ("2026-01-01,3.10,0", "zero_hours"),
        ("2026-01-01,3.10,-5", "zero_hours"),
        ("2026-01-01,3.10,", "missing_hours"),
        ("2026-01-01,3.10", "truncated_row"),
        ("2026-01-01,3,10,8", "too_many_cells"),
    ],
)
def test_a_bad_row_is_refused_with_its_line_and_remedy_and_the_good_ones_stay(row, reason):
    book = read("2026-03-01,3.00,8", row, header=f"{HEADER},gpu_hours", today=date(2026, 6, 1))
    assert [day.date for day in book.days] == [date(2026, 3, 1)]
    (reject,) = book.rejects
    assert (reject.reason, reject.line) == (reason, 3)
    assert reject.sentence.startswith("rent.csv line 3: ")
    assert RENT_REASONS[reason] in reject.sentence
    assert book.rows_read == book.rows_used + book.rows_refused == 2


def test_an_instant_with_a_zone_counts_on_its_utc_day():
    assert read("2026-01-01T23:30:00-02:00,3").days[0].date == date(2026, 1, 2)


def test_an_exact_repeat_counts_once():
    book = read("2026-01-01,3", "2026-01-01,3.0", "2026-01-02,3")
    assert [reject.reason for reject in book.rejects] == ["duplicate_row"]
    assert len(book.days) == 2


def test_two_rates_for_a_date_are_both_refused_because_neither_is_guessed():
    book = read("2026-01-01,3", "2026-01-01,4", "2026-01-02,5")
    assert [(each.line, each.reason) for each in book.rejects] == [
        (2, "conflicting_rates"),
        (3, "conflicting_rates"),
    ]
    assert "also on line 3" in book.rejects[0].sentence
    assert [day.date for day in book.days] == [date(2026, 1, 2)]


INVOICES = "start,end,amount_usd,gpu_hours"


def test_an_invoice_is_spread_over_its_days_to_the_last_micro_and_second():
    book = read("2026-01-01,2026-01-03,100,33.333", header=INVOICES)
    assert book.kind == "invoices"
    assert len(book.days) == 3
    assert sum(day.amount_micros for day in book.days) == 100_000_000
    assert sum(day.gpu_seconds for day in book.days) == 119_999  # 33.333 h is 119,998.8 s
    assert len({day.rate_micros for day in book.days}) == 1
    assert any("spread evenly" in note for note in book.notes)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("2026-01-05,2026-01-01,100,10", "period_ends_early"),
        ("2026-01-01,2027-06-01,100,10", "period_too_long"),
        ("0001-01-01,9999-12-31,100,10", "period_too_long"),
        ("2026-01-01,2026-01-31,-100,10", "not_positive"),
        ("2026-01-01,2026-01-31,,10", "missing_amount"),
        ("2026-01-01,2026-01-31,100,0", "zero_hours"),
        ("2026-01-01,2026-01-31,0.000001,10000000", "not_positive"),
    ],
)
def test_a_bad_invoice_is_refused(row, reason):
    book = read("2026-02-01,2026-02-28,100,10", row, header=INVOICES)
    assert [each.reason for each in book.rejects] == [reason]
    assert len(book.days) == 28


def test_overlapping_invoices_are_both_refused_with_the_likely_cause():
    book = read(
        "2026-01-01,2026-02-01,100,10",
        "2026-02-01,2026-02-28,100,10",
        "2026-03-01,2026-03-31,100,10",
        header=INVOICES,
    )
    assert [each.reason for each in book.rejects] == ["overlapping_invoices"] * 2
    assert "subtract one day" in book.rejects[0].sentence
    assert len(book.days) == 31


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"", "is empty"),
        (b"   \n\n", "is empty"),
        (b"date,rate_usd_per_gpu_hour\n", "header and no rows"),
        (b"day,price\n2026-01-01,3", "lacks the column date, rate_usd_per_gpu_hour"),
        (b"start,end,amount_usd\n2026-01-01,2026-01-31,3", "lacks the column gpu_hours"),
        (b"date,date,rate_usd_per_gpu_hour\n", "the column date twice"),
        (b"\x89PNG\r\n\x1a\n\x00", "not UTF-8"),
        (b"PK\x03\x04\x00\x00", "binary"),
        (b"date,rate_usd_per_gpu_hour\nx,y\n", "no usable row (1 read, all refused)"),
        (b"a" * 20_000_001, "the limit is 20 MB"),
    ],
)
def test_a_file_that_is_no_rent_is_refused_in_one_sentence(payload, says):
    with pytest.raises(RentmarkError) as caught:
        read_rent(payload, "rent.csv")
    assert says in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_semicolons_a_byte_order_mark_and_windows_line_ends_are_read():
    text = "\ufeffDate;Rate_USD_per_GPU_hour;remark\r\n2026-01-01;3.10;x\r\n;;\r\n"
    book = read_rent(text.encode(), "rent.csv")
    assert book.days[0].rate_micros == 3_100_000
    assert book.notes == ("Columns not read: remark.",)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_a_plain_sentence(payload):
    try:
        book = read_rent(payload, "rent.csv")
    except RentmarkError as error:
        assert "\n" not in error.sentence  # noqa: PT017 - whether it is refused depends on the bytes
    else:
        assert book.rows_read == book.rows_used + book.rows_refused


CELLS = st.sampled_from(["2026-01-01", "2026-01-02", "3", "-1", "NaN", "", "x", "1e400", '"', "2026-01-01,3"])


@given(st.lists(st.lists(CELLS, max_size=4), max_size=8))
def test_every_row_of_a_damaged_file_is_used_or_refused(rows):
    payload = "\n".join([HEADER, *(",".join(row) for row in rows)]).encode()
    try:
        book = read_rent(payload, "rent.csv")
    except RentmarkError:
        return
    assert book.rows_read == book.rows_used + book.rows_refused
    dates = [day.date for day in book.days]
    assert dates == sorted(set(dates))


@given(
    st.integers(min_value=1, max_value=10**12),
    st.integers(min_value=1, max_value=10**9),
    st.integers(min_value=1, max_value=366),
)
def test_a_spread_invoice_keeps_its_amount_and_its_hours(cents, hours, days):
    last = date(2025, 1, 1) + timedelta(days=days - 1)
    try:
        book = read(f"2025-01-01,{last},{cents / 100:.2f},{hours}", header=INVOICES)
    except RentmarkError as error:
        assert "above zero" in error.sentence  # noqa: PT017 - a rate below a micro-dollar
        return
    assert len(book.days) == days
    assert sum(day.amount_micros for day in book.days) == cents * 10_000
    assert sum(day.gpu_seconds for day in book.days) == hours * 3600
