"""Books are read as people have them: good rows kept, each bad one told in a sentence, nothing guessed."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.backtest.book import hedge_input, read_exchange_rates
from rentmark.backtest.book.days import overlapping, spread
from rentmark.records import RentmarkError, UsageError

from .making import book_of, contract, rates_text

MARCH = [date(2026, 3, 1) + timedelta(days=number) for number in range(31)]
EURO = "date,currency,usd_per_unit,source\n2026-03-31,EUR,1.10,ECB\n2026-04-30,EUR,1.20,ECB\n"
INVOICES = "period_start,period_end,amount,hours,currency,kind\n"


def invoices(*rows: str, exchange: str | None = None, **keys: object):
    text = INVOICES + "\n".join(rows) + "\n"
    return book_of(contract(invoices="bills.csv", **keys), {"bills.csv": text}, exchange=exchange)


def sentences(book) -> list[str]:
    return [each.sentence for each in book.rejects]


def test_an_odd_period_is_allocated_to_months_by_its_days():
    # 2026-03-25 to 2026-04-07 is 14 days: 7 in March, 7 in April.
    book = invoices("2026-03-25,2026-04-07,1400.00,700,USD,invoice")
    made = hedge_input(book)
    assert {m: (p.bill_micros, p.actual_seconds) for m, p in made.plan.items()} == {
        "2026-03": (700_000_000, 350 * 3600),
        "2026-04": (700_000_000, 350 * 3600),
    }
    assert any("by days" in note for note in book.notes)
    assert made.rent.kind == "invoices"


@given(st.integers(0, 10**9), st.integers(1, 400))
def test_parts_by_day_sum_exactly(total, count):
    parts = spread(total, count)
    assert sum(parts) == total
    assert max(parts) - min(parts) <= 1


def test_a_credit_and_a_refund_reduce_the_bill_of_their_own_period():
    book = invoices(
        "2026-03-01,2026-03-31,3100.00,1000,USD,invoice",
        "2026-03-01,2026-03-10,100.00,,USD,credit",
        "2026-03-11,2026-03-11,50.00,,USD,refund",
        "2026-04-01,2026-04-30,3000.00,1000,USD,invoice",
    )
    plan = hedge_input(book).plan
    assert plan["2026-03"].bill_micros == 2_950_000_000
    assert plan["2026-03"].actual_seconds == 1000 * 3600
    assert plan["2026-04"].bill_micros == 3_000_000_000
    rates = {day.date: day.rate_micros for day in book.contracts[0].days}
    assert rates[date(2026, 3, 20)] == 3_100_000
    assert rates[date(2026, 3, 5)] == pytest.approx(3_100_000 - 310_000, abs=1)


def test_a_month_refunded_whole_costs_nothing_and_has_no_price():
    book = invoices(
        "2026-03-01,2026-03-31,3100.00,1000,USD,invoice",
        "2026-03-01,2026-03-31,3100.00,,USD,refund",
        "2026-04-01,2026-04-30,3000.00,1000,USD,invoice",
    )
    made = hedge_input(book)
    assert made.plan["2026-03"].bill_micros == 0
    assert min(made.rent.rates) == date(2026, 4, 1)
    assert any("31 days were refunded whole" in note for note in book.notes)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-05-01,2026-05-02,10.00,,USD,credit", "no invoice bills those days"),
        ("2026-03-01,2026-03-02,9999.00,,USD,credit", "larger than what was billed"),
        ("2026-03-01,2026-03-02,-9.00,,USD,credit", "above zero"),
        ("2026-05-01,2026-05-02,10.00,5,USD,gift", "write invoice, credit or refund"),
        ("2026-05-02,2026-05-01,10.00,5,USD,invoice", "ends before it starts"),
        ("2026-05-01,2026-05-02,10.00,0,USD,invoice", "hours must be above zero"),
        ("2026-05-01,2026-05-02,,5,USD,invoice", "the amount is blank"),
        ("2026-05-01,2026-05-02,10.00,5,EUR,invoice", "EUR on 2026-05-02"),
        ("2026-05-01,2026-05-02,10.00", "fewer cells"),
    ],
)
def test_a_bad_row_is_told_in_a_sentence_beside_the_good_ones(row, said):
    book = invoices("2026-03-01,2026-03-31,3100.00,1000,USD,invoice", row)
    (sentence,) = sentences(book)
    assert sentence.startswith("bills.csv line 3: ")
    assert said in sentence
    assert (book.rows_read, book.rows_used) == (2, 1)


def test_overlapping_invoices_are_all_refused_and_name_each_other():
    book = invoices(
        "2026-01-01,2026-01-31,3100.00,1000,USD,invoice",
        "2026-02-01,2026-03-01,2900.00,1000,USD,invoice",
        "2026-03-01,2026-03-31,3100.00,1000,USD,invoice",
    )
    assert [s.split(";")[0] for s in sentences(book)] == [
        "bills.csv line 3: period_start is '2026-03-01, also on line 4'",
        "bills.csv line 4: period_start is '2026-03-01, also on line 3'",
    ]
    assert (book.rows_read, book.rows_used) == (3, 1)
    assert list(hedge_input(book).plan) == ["2026-01"]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=8))
def test_overlaps_are_those_that_share_a_day(spans):
    start = date(2026, 1, 1)
    periods = [
        (start + timedelta(days=a), start + timedelta(days=a + b), line) for line, (a, b) in enumerate(spans)
    ]
    wanted = {
        one[2]
        for one in periods
        for other in periods
        if one[2] != other[2] and one[0] <= other[1] and other[0] <= one[1]
    }
    assert set(overlapping(periods)) == wanted


def test_missing_months_are_missing_and_never_zero():
    book = invoices(
        "2026-01-01,2026-01-31,3100.00,1000,USD,invoice", "2026-03-01,2026-03-31,3100.00,1000,USD,invoice"
    )
    assert list(hedge_input(book).plan) == ["2026-01", "2026-03"]
    assert any("no invoice bills 2026-02-01 to 2026-02-28" in note for note in book.notes)


def test_an_amount_in_another_currency_takes_the_rate_of_the_last_day_with_its_source():
    book = invoices(
        "2026-03-01,2026-03-31,1000.00,500,EUR,invoice",
        "2026-04-01,2026-04-30,1000.00,500,EUR,invoice",
        exchange=EURO,
    )
    plan = hedge_input(book).plan
    assert [plan[m].bill_micros for m in ("2026-03", "2026-04")] == [1_100_000_000, 1_200_000_000]
    (note,) = [note for note in book.notes if "EUR" in note]
    assert "ECB" in note
    assert "1.1000 USD (2026-03-31) to 1.2000 (2026-04-30)" in note


@pytest.mark.parametrize(("day", "found"), [(7, True), (8, False), (-1, False)])
def test_an_exchange_rate_stands_for_seven_days_and_never_before_its_own(day, found):
    rates = read_exchange_rates(b"date,currency,usd_per_unit,source\n2026-03-10,EUR,1.1,ECB\n", "x.csv")
    assert (rates.at("EUR", date(2026, 3, 10) + timedelta(days=day)) is not None) is found


def test_exchange_rates_that_contradict_each_other_are_both_left_out():
    text = "date,currency,usd_per_unit,source\n2026-03-10,EUR,1.1,ECB\n2026-03-10,EUR,1.2,ECB\n2026-03-11,EUR,1.3,ECB\n"
    rates = read_exchange_rates(text.encode(), "x.csv")
    assert rates.at("EUR", date(2026, 3, 10)) is None
    assert "conflicting_rates" in [each.reason for each in rates.rejects]


def test_hourly_usage_is_summed_by_utc_day_and_a_missing_hour_is_not_zero():
    hours = [f"2026-03-01T{hour:02d}:30:00+01:00,10" for hour in range(24)]
    book = book_of(
        contract(rates="rates.csv", usage="usage.csv"),
        {
            "rates.csv": rates_text({date(2026, 2, 28): "2", date(2026, 3, 1): "3"}),
            "usage.csv": "\n".join(["hour,gpu_hours", *hours, ""]),
        },
    )
    days = {day.date: day for day in book.contracts[0].days}
    assert days[date(2026, 2, 28)].gpu_seconds == 10 * 3600  # 00:30 in Paris is the day before in UTC
    assert days[date(2026, 3, 1)].gpu_seconds == 230 * 3600
    assert days[date(2026, 3, 1)].amount_micros == 690_000_000
    assert any("2 days have fewer than 24 hours of usage" in note for note in book.notes)


def test_usage_without_a_price_of_its_day_takes_the_last_one_while_it_stands():
    usage = {date(2026, 3, 2): "10", date(2026, 4, 1): "10", date(2026, 6, 1): "10"}
    book = book_of(
        contract(rates="rates.csv", usage="usage.csv"),
        {
            "rates.csv": rates_text({date(2026, 3, 1): "2"}),
            "usage.csv": "\n".join(["date,gpu_hours", *(f"{d},{h}" for d, h in usage.items()), ""]),
        },
    )
    assert [day.date for day in book.contracts[0].days if day.estimated] == [
        date(2026, 3, 2),
        date(2026, 4, 1),
    ]
    assert any("1 days of usage have no price within 31 days" in note for note in book.notes)


def test_hours_of_zero_are_said_and_cost_nothing():
    book = book_of(
        contract(rates="rates.csv", gpus=8),
        {"rates.csv": rates_text(dict.fromkeys(MARCH, "2"), gpu_hours=dict.fromkeys(MARCH, "0"))},
    )
    part = hedge_input(book).plan["2026-03"]
    assert (part.actual_seconds, part.bill_micros) == (0, 0)
    assert part.planned_seconds == 8 * 744 * 3600


def test_two_rates_of_one_day_that_differ_are_both_refused_and_repeats_kept_once():
    text = "date,rate_usd_per_gpu_hour\n2026-03-01,2\n2026-03-01,3\n2026-03-02,2\n2026-03-02,2\n"
    book = book_of(contract(rates="rates.csv"), {"rates.csv": text})
    assert [each.reason for each in book.rejects] == [
        "conflicting_rates",
        "conflicting_rates",
        "duplicate_row",
    ]
    assert [day.date for day in book.contracts[0].days] == [date(2026, 3, 2)]
    assert book.rows_read == book.rows_used + len(book.rejects) == 4


def test_a_file_of_several_contracts_is_read_by_name():
    text = "date,rate_usd_per_gpu_hour,contract\n2026-03-01,2,training\n2026-03-01,4,serving\n2026-03-02,5,serving\n"
    both = contract(rates="rates.csv", gpus=1) + contract(name="serving", rates="rates.csv", gpus=3)
    made = hedge_input(book_of(both, {"rates.csv": text}))
    # 1 and 3 GPUs: (1·2 + 3·4)/4; the day after, training still stands at 2: (2 + 15)/4.
    assert made.rent.rates == {date(2026, 3, 1): 3_500_000, date(2026, 3, 2): 4_250_000}
    alone = hedge_input(book_of(text, name="rates.csv", files={}).__class__(**_parts(text)))
    assert [each.contract.name for each in book_of(text, name="r.csv").contracts] == ["training", "serving"]
    assert alone.rent.rates == {date(2026, 3, 1): 2_000_000}


def _parts(text):
    book = book_of(text, name="rates.csv")
    keys = ("name", "digest", "role", "rejects", "rows_read", "rows_used", "notes", "exchange")
    return {key: getattr(book, key) for key in keys} | {"contracts": book.contracts[:1]}


def test_contracts_that_cannot_be_weighed_are_refused_with_the_remedy():
    text = "date,rate_usd_per_gpu_hour\n2026-03-01,2\n"
    both = contract(rates="r.csv") + contract(name="serving", rates="r.csv", gpus=3)
    with pytest.raises(RentmarkError, match=r"training states no hours in 2026-03.*add gpus"):
        hedge_input(book_of(both, {"r.csv": text}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no contracts"),
        ("[[contracts]\n", "can't be read as TOML"),
        (contract(), "states no price"),
        (contract(rates="r.csv", price="capped"), "needs a cap"),
        (contract(rates="r.csv", cap=2.0), "cap has no meaning"),
        (contract(rates="r.csv", index="x"), 'write price = "indexed"'),
        (contract(rates="r.csv", gpus=0), "contract training has gpus = 0"),
        (contract(rates="r.csv", gpus=2, planned_gpu_hours=5), "keep one"),
        (contract(rates="r.csv", invoices="b.csv"), "remove rates and usage"),
        (contract(usage="u.csv"), "hours and no price"),
        (contract(rates="r.csv", price="float"), "contract training has price = 'float'"),
        (contract(rates="r.csv", fixed_til="x"), "did you mean fixed_until"),
        (contract(rates="r.csv") * 2, "two contracts are named"),
        (contract(rates="r.csv", start="2026-02-01", end="2026-01-01"), "before it starts"),
        (contract(rates="r.csv", rate="-1"), "above zero"),
        (contract(rate="2"), "states a rate and no start"),
    ],
)
def test_a_book_that_cannot_be_meant_is_one_sentence(text, said):
    with pytest.raises((UsageError, RentmarkError), match=said) as caught:
        book_of(text, {"r.csv": "date,rate_usd_per_gpu_hour\n2026-03-01,2\n"})
    assert "\n" not in caught.value.sentence


def test_a_book_without_a_usable_price_is_refused_with_its_first_reason():
    with pytest.raises(RentmarkError, match=r"no day with a price up to 2026-12-31.*line 2.*plain decimal"):
        book_of(contract(rates="r.csv"), {"r.csv": "date,rate_usd_per_gpu_hour\n2026-03-01,x\n"})


def test_an_agreed_rate_stands_from_its_start_to_the_end_of_its_fixing():
    book = book_of(contract(price="fixed", rate="2.5", start="2026-03-01", fixed_until="2026-03-10", gpus=4))
    days = book.contracts[0].days
    assert (days[0].date, days[-1].date, {day.rate_micros for day in days}) == (
        date(2026, 3, 1), date(2026, 3, 10), {2_500_000},
    )  # fmt: skip
    assert Fraction(hedge_input(book).exposure[0].planned_hours) == 4 * 24 * 10
