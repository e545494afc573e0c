"""The rent book as people have it: contracts, rates, usage, invoices, currencies, and what of it is exposed.

Owns the reading of a book (TOML with CSV files beside it, or one CSV), the exposure of each contract by month,
and its blend into the one rent a hedge is judged against. Pure: bytes are handed in. May import what
backtest may.
"""

from __future__ import annotations

from .blending import ContractMonth, HedgeInput, hedge_input
from .contracts import BookSpec, PriceRule, RentalContract, read_book_spec
from .days import ContractDay, Terms
from .exchange import ExchangeRate, ExchangeRates, read_exchange_rates
from .exposure import DayState, MonthExposure, book_exposure, state_on
from .legs import rented_legs
from .reading import Book, ContractRent, read_book, spec_of_csv

__all__ = [
    "Book",
    "BookSpec",
    "ContractDay",
    "ContractMonth",
    "ContractRent",
    "DayState",
    "ExchangeRate",
    "ExchangeRates",
    "HedgeInput",
    "MonthExposure",
    "PriceRule",
    "RentalContract",
    "Terms",
    "book_exposure",
    "hedge_input",
    "read_book",
    "read_book_spec",
    "read_exchange_rates",
    "rented_legs",
    "spec_of_csv",
    "state_on",
]
