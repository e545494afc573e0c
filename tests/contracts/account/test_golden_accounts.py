"""Accounts worked by hand, line by line; the working stands beside each figure in ``answers``."""

from __future__ import annotations

import pytest
from rentmark.contracts import ACCOUNTS

from .made import ANSWERS, answers, cents, micros, run_answers

NAMES = sorted(path.stem for path in ANSWERS.glob("*.json"))


def test_the_accounts_asked_for_are_there():
    assert {"fees", "half_cent_ticks", "unmet_call", "shortfall"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_line_and_every_cent_is_what_was_worked_by_hand(name):
    answer = answers(name)
    run = run_answers(answer)
    assert [day.day.isoformat() for day in run.days] == [each["day"] for each in answer["days"]]
    for day, worked in zip(run.days, answer["days"], strict=True):
        assert [line.amount_micros for line in day.lines] == [micros(a) for a in worked["amounts"]], worked
        assert day.cash_cents == cents(worked["cash"]), worked
        assert day.deposit_cents == cents(worked.get("deposit", "0")), worked
        assert day.closing_cents == cents(worked["closing"]), worked
        assert [step.code for step in day.steps if step.code != "no_margin"] == worked.get("steps", []), (
            worked
        )
    assert run.long.balance_micros == micros(answer["balance"]), answer["worked"]


@pytest.mark.parametrize("name", NAMES)
def test_every_call_is_what_was_worked_by_hand(name):
    answer = answers(name)
    run = run_answers(answer)
    assert [(call.day.isoformat(), call.amount_cents, call.status, str(call.due)) for call in run.calls] == [
        (each["day"], cents(each["amount"]), each["status"], each["due"]) for each in answer["calls"]
    ]
    assert list(run.fees_unknown) == answer["fees_unknown"]


@pytest.mark.parametrize("name", NAMES)
def test_the_three_accounts_of_a_golden_account_sum_to_zero_every_day(name):
    answer = answers(name)
    run = run_answers(answer)
    for days in zip(*(run.accounts[account].days for account in ACCOUNTS), strict=True):
        assert sum(day.balance_micros for day in days) == 0
        assert sum(day.cash_total_cents for day in days) == 0
    assert run.exchange.balance_micros == micros(answer["exchange_balance"])


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_the_sum_of_its_lines(name):
    for call in run_answers(answers(name)).calls:
        parts = {
            part: sum(l.amount_micros for l in call.lines if l.part == part)
            for part in ("balance", "required")
        }
        assert parts["balance"] == call.balance_cents * 10_000
        assert parts["required"] == call.initial_cents * 10_000
        assert call.lines[-1].amount_micros == call.amount_cents * 10_000
        assert call.amount_cents == call.initial_cents - call.balance_cents - call.pending_cents
