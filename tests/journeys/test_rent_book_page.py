"""The examples of docs/rent-book.md are read as they stand, and what the page says of them is so."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from rentmark.backtest.book import hedge_input, read_book, read_book_spec, read_exchange_rates
from rentmark.backtest.cost_view import read_output_figures
from rentmark.backtest.incidents import read_incidents

DOCS = Path(__file__).resolve().parents[2] / "docs"
TODAY = date(2026, 9, 1)


@pytest.fixture(scope="module")
def examples():
    """The fenced examples of the page by their second word."""
    text = (DOCS / "rent-book.md").read_text(encoding="utf-8")
    return {
        name: body.encode() for name, body in re.findall(r"```(?:toml|csv) (\w+)\n(.*?)```", text, re.DOTALL)
    }


@pytest.fixture(scope="module")
def book(examples):
    files = {f"{name}.csv": body for name, body in examples.items()}
    exchange = read_exchange_rates(examples["exchange"], "exchange.csv")
    return read_book(examples["book"], "book.toml", files, exchange=exchange, today=TODAY)


def test_every_key_of_the_example_is_read(examples, book):
    spec = read_book_spec(examples["book"], "book.toml")
    assert [each.price for each in spec.contracts] == ["floating", "fixed", "capped"]
    assert book.role == "buyer"
    assert [each.field for each in book.rejects] == ["currency"]  # the credit ends before the rate's date
    assert book.rows_read == book.rows_used + len(book.rejects)


def test_the_page_says_what_the_book_exposes(book):
    rows = {(each.month, each.contract): each for each in hedge_input(book).exposure}
    august = {name: float(rows["2026-08", name].exposed_hours) for name in ("training", "serving", "batch")}
    assert august == {"training": 47_616, "serving": 0, "batch": 11_904}  # July's invoice was 2.50 a GPU-hour
    assert rows["2026-08", "batch"].states == ("capped",)
    renewal = rows["2027-01", "serving"]
    assert (renewal.states, renewal.is_forecast, float(renewal.exposed_hours)) == (("renewal",), True, 7_200)
    assert renewal.notice_by == date(2026, 11, 1)
    assert float(rows["2026-09", "training"].exposed_hours) == 30_000


def test_the_other_files_are_read(examples):
    incidents = read_incidents(
        examples["incidents"], "incidents.csv", {date(2026, 7, 19): 2_950_000}, today=TODAY
    )
    assert [each.amount_micros for each in incidents.incidents] == [354_000_000, 5_000_000_000]
    figures = read_output_figures(examples["output"], "output.csv")
    per_hour = figures.months["2026-07"].accepted_millions_per_hour
    assert round(2.76 / float(per_hour), 6) == 2.5


def test_the_worked_example_of_the_attribution_page_is_the_one_that_is_tested():
    page = (DOCS / "attribution.md").read_text(encoding="utf-8")
    for said in ("= **560**", "= **−360**", "= **−30**", "= **10**", "= **$180**"):
        assert said in page
