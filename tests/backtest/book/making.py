"""Invented rent books, read from text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rentmark.backtest.book import Book, ExchangeRates, read_book, read_exchange_rates

TODAY = date(2026, 12, 31)


def book_of(
    text: str,
    files: Mapping[str, str] | None = None,
    *,
    exchange: str | None = None,
    today: date = TODAY,
    name: str = "book.toml",
) -> Book:
    """A book from the text of its TOML and of the files it names."""
    rates = ExchangeRates() if exchange is None else read_exchange_rates(exchange.encode(), "exchange.csv")
    held = {each: body.encode() for each, body in (files or {}).items()}
    return read_book(text.encode(), name, held, exchange=rates, today=today)


def contract(**keys: object) -> str:
    """One [[contracts]] table."""
    lines = [
        f"{key} = {value if key in DATES else _toml(value)}"
        for key, value in ({"name": "training"} | keys).items()
    ]
    return "\n".join(["[[contracts]]", *lines, ""])


DATES = ("start", "end", "fixed_until")


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f'"{key}" = {each}' for key, each in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def rates_text(rates: Mapping[date, str], **columns: Mapping[date, str]) -> str:
    """A rates file with further columns by date."""
    lines = [
        ",".join([f"{day}", rate, *(each.get(day, "") for each in columns.values())])
        for day, rate in rates.items()
    ]
    return "\n".join([",".join(["date", "rate_usd_per_gpu_hour", *columns]), *lines, ""])
