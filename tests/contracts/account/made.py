"""Invented accounts for the tests: trades, marks and rules from an answers file or from hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from rentmark.contracts import CONTRACTS, ContractSpec, FinalSettlement, read_contract
from rentmark.contracts.account import (
    AccountRules,
    AccountRun,
    DayMark,
    IndexView,
    MonthKey,
    Trade,
    read_account,
    run_account,
)
from rentmark.records import Fixing, micros_from_text

from tests.contracts.making import BENCHMARK, make_fixing

ANSWERS = Path(__file__).parent / "answers"
WHERE = "[accounts.invented]"


def micros(text: str) -> int:
    return micros_from_text(text)


def cents(text: str) -> int:
    whole, rest = divmod(micros_from_text(text), 10_000)
    assert rest == 0, text
    return whole


def key_of(text: str) -> MonthKey:
    contract, month = text.split()
    return contract, month


def marks_from(table: Mapping[str, Mapping[str, str]]) -> dict[MonthKey, dict[date, DayMark]]:
    """``{"cme-gpu1 2026-09": {"2026-08-03": "3.12"}}`` as marks of settlement prices alone."""
    return {
        key_of(key): {
            date.fromisoformat(day): DayMark(settle_micros=micros(price)) for day, price in days.items()
        }
        for key, days in table.items()
    }


def make_trade(**values: Any) -> Trade:
    """A trade; prices and fees as dollars in text."""
    plain = {name: value for name, value in values.items() if name not in {"price", "fees", "day"}}
    return Trade(
        day=date.fromisoformat(values["day"]),
        price_micros=micros(values["price"]),
        fees_micros=None if "fees" not in values else micros(values["fees"]),
        **plain,
    )


def specs_with(own: Mapping[str, Any] | None) -> dict[str, ContractSpec]:
    specs = dict(CONTRACTS)
    if own is not None:
        specs["own"] = read_contract(own, "[contracts.own]", contract_id="own")
    return specs


def answers(name: str) -> dict[str, Any]:
    return json.loads((ANSWERS / f"{name}.json").read_text(encoding="utf-8"))


def run_answers(answer: Mapping[str, Any]) -> AccountRun:
    """The account of an answers file."""
    return run_account(
        specs_with(answer.get("contract")),
        [make_trade(**trade) for trade in answer["trades"]],
        marks_from(answer["marks"]),
        name="invented",
        rules=read_account(answer["rules"], WHERE),
        finals={
            key_of(key): FinalSettlement(
                day=date.fromisoformat(final["day"]), price_micros=micros(final["price"])
            )
            for key, final in answer["finals"].items()
        },
    )


NO_RULES = AccountRules()


def index_rows(values: Mapping[date, int | None], **changes: Any) -> list[Fixing]:
    """Live tape rows by date; a value of None is a GAP."""
    return [make_fixing(day, value, **changes) for day, value in values.items()]


def make_view(
    values: Mapping[date, int | None], spec: ContractSpec = CONTRACTS["cme-gpu1"], **options: Any
) -> IndexView:
    """A benchmark's days as one contract's fixings."""
    return IndexView(spec, BENCHMARK, index_rows(values), **options)


def days_from(first: date, count: int) -> list[date]:
    return [first + timedelta(days=number) for number in range(count)]
