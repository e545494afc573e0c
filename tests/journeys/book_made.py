"""Rent books of invented figures, asked of `rentmark hedge` so that every key of the report's own-book part occurs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

BOOK = """
name = "invented book"
role = "buyer"

[[contracts]]
name = "training"
price = "floating"
provider = "sample-seller-01"
region = "us-east"
gpus = 64
rates = "rates.csv"
usage = "usage.csv"

[[contracts]]
name = "serving"
price = "fixed"
rate = 2.40
start = 2026-05-01
fixed_until = 2026-07-15
renewal_months = 6
notice_days = 30
planned_gpu_hours = 7200

[[contracts]]
name = "batch"
price = "capped"
cap = 2.00
currency = "EUR"
gpus = 16
invoices = "invoices.csv"
"""
INVOICES = """period_start,period_end,amount,hours,kind
2026-07-03,2026-08-05,20000.00,12000,invoice
2026-07-10,2026-07-12,150.00,,credit
2026-08-06,2026-08-31,15000.00,9000,invoice
"""
EXCHANGE = """date,currency,usd_per_unit,source
2026-08-03,EUR,1.10,invented
2026-08-31,EUR,1.12,invented
"""
INCIDENTS = """date,kind,hours,amount,note
2026-07-20,failed,120,,a node was lost
2026-08-20,slo_miss,40,99.50,
2026-08-21,breach,,5000,
2026-08-22,unpaid,,700,
2026-08-23,unused,300,,
2026-08-24,party,1,,
"""
OUTPUT = """month,accepted_tokens_millions
2026-08,9000
2026-07,
2020-01,5
"""
DAYS = [date(2026, 7, 1) + timedelta(days=number) for number in range(62)]


def write_book(folder: Path) -> Path:
    """The book and its files in a folder; returns the book's path."""
    rates = [f"{day},{2.9 + number % 9 * 0.05:.2f}" for number, day in enumerate(DAYS)]
    hours = [f"{day}T{hour:02d}:00:00Z,{60 + hour % 5}" for day in DAYS for hour in range(24)]
    (folder / "rates.csv").write_text("\n".join(["date,rate_usd_per_gpu_hour", *rates, ""]))
    (folder / "usage.csv").write_text("\n".join(["hour,gpu_hours", *hours, ""]))
    (folder / "invoices.csv").write_text(INVOICES)
    (folder / "exchange.csv").write_text(EXCHANGE)
    (folder / "incidents.csv").write_text(INCIDENTS)
    (folder / "output.csv").write_text(OUTPUT)
    (folder / "book.toml").write_text(BOOK)
    return folder / "book.toml"


def book_answers(folder: Path, at: Path, ask: Callable[..., Any]) -> list[Any]:
    """Hedge reports of books in a workspace that holds the sample offers."""
    book = write_book(folder)
    beside = (
        "--rates", folder / "exchange.csv",
        "--incidents", folder / "incidents.csv",
        "--output-figures", folder / "output.csv",
        "--workspace", at,
    )  # fmt: skip
    (folder / "fixed.toml").write_text(
        BOOK.split("[[contracts]]", maxsplit=1)[0] + "[[contracts]]" + BOOK.split("[[contracts]]")[2]
    )
    (folder / "cents.csv").write_text(
        "\n".join(["date,rate_usd_per_gpu_hour", *(f"{day},{300 + n % 7}" for n, day in enumerate(DAYS)), ""])
    )
    return [
        ask("hedge", "--book", book, "--benchmark", "h100-list", "--method", "naive", *beside),
        ask(
            "hedge",
            "--book",
            book,
            "--benchmark",
            "h100-list",
            "--contract",
            "weekly",
            "--method",
            "naive",
            *beside,
        ),
        ask("hedge", "--book", folder / "fixed.toml", "--benchmark", "h100-list", "--workspace", at),
        ask("hedge", folder / "cents.csv", "--benchmark", "h100-list", "--workspace", at),
    ]
