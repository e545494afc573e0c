"""The account engine: days, refusals in sentences, interest, funding, the close-out that ends early."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from rentmark.contracts import CONTRACTS, FinalSettlement, fixing_days, unit_gpu_hours
from rentmark.contracts.account import (
    AccountRules,
    AccountRun,
    DayMark,
    Trade,
    explain_profit,
    flat_marks,
    read_account,
    run_account,
)
from rentmark.contracts.account.rules import YEAR_DAYS
from rentmark.contracts.accounts import Accrual
from rentmark.records import RentmarkError, UsageError
from rentmark.records.specs import SpecModel

from .made import answers, make_trade, make_view, run_answers, specs_with

OWN = answers("unmet_call")["contract"]
KEY = ("own", "2026-08")
D = [date(2026, 8, day) for day in (3, 4, 5, 6, 7, 10, 11)]


def run(prices: list[str | None], rules: dict | None = None, lots: int = 10, **options) -> AccountRun:
    marks = {
        KEY: {
            day: DayMark(settle_micros=int(Decimal(price) * 1_000_000))
            for day, price in zip(D, prices, strict=False)
            if price is not None
        }
    }
    trades = options.pop(
        "trades",
        [
            make_trade(
                trade_id="T1", contract="own", month="2026-08", day="2026-08-03", lots=lots, price="3.00"
            )
        ],
    )
    return run_account(
        specs_with(OWN), trades, marks, name="n",
        rules=AccountRules.model_validate({"fees": {"own": {"trade_micros": 0, "cash_settlement_micros": 0}}} | (rules or {})),
        **options,
    )  # fmt: skip


def test_a_trade_on_a_day_without_a_mark_is_refused_with_the_day_named():
    with pytest.raises(
        RentmarkError, match=r"own 2026-08 has no mark on 2026-08-04, a day with a trade \(T2\)"
    ):
        run(
            ["3.00", None],
            trades=[
                make_trade(
                    trade_id="T2", contract="own", month="2026-08", day="2026-08-04", lots=1, price="3.00"
                )
            ],
        )


def test_a_held_position_waits_on_a_day_without_a_mark_and_moves_on_the_next():
    account = run(["3.00", None, "3.10"])
    assert [day.day for day in account.days] == [D[0], D[2]]
    assert account.days[1].lines[0].amount_micros == 100_000_000


@pytest.mark.parametrize(
    ("trade", "error", "said"),
    [
        ({"contract": "nobody"}, UsageError, "trade T is in nobody, which is no contract here"),
        ({"lots": 0}, RentmarkError, "trade T of 2026-08-03: lots is 0"),
        ({"price": "3.005"}, RentmarkError, "which is no multiple of the tick of own"),
        ({"month": "2026-07"}, RentmarkError, "own 2026-07 traded until 2026-07-31"),
    ],
)
def test_a_trade_that_can_not_stand_is_refused_in_a_sentence(trade, error, said):
    values = {
        "trade_id": "T",
        "contract": "own",
        "month": "2026-08",
        "day": "2026-08-03",
        "lots": 1,
        "price": "3.00",
    }
    with pytest.raises(error, match=said):
        run(["3.00"], trades=[make_trade(**(values | trade))])


def test_a_trade_after_its_months_final_settlement_is_refused():
    with pytest.raises(
        UsageError, match="trade T1 of 2026-08-03 is after the final settlement of 2026-08-01"
    ):
        run(["3.00"], finals={KEY: FinalSettlement(day=date(2026, 8, 1), price_micros=3_000_000)})


def test_no_trades_are_an_empty_account():
    account = run(["3.00"], trades=[])
    assert (account.days, account.calls, account.positions, account.peak_draw_cents) == ((), (), {}, 0)


def test_through_leaves_later_days_and_trades_out():
    late = make_trade(trade_id="T2", contract="own", month="2026-08", day="2026-08-06", lots=1, price="3.00")
    early = make_trade(trade_id="T1", contract="own", month="2026-08", day="2026-08-03", lots=1, price="3.00")
    account = run(["3.00"] * 4, trades=[early, late], through=D[1])
    assert [day.day for day in account.days] == D[:2]
    assert account.positions == {KEY: 1}


@pytest.mark.parametrize(
    ("day_count", "rate", "micros"),
    [("ACT/360", "3.6", 3_000), ("ACT/365", "3.65", 3_000), ("ACT/360", "-3.6", -3_000)],
)
def test_interest_is_balance_times_rate_times_days_over_the_stated_year(day_count, rate, micros):
    accrual = Accrual(balance_cents=1_000, rate_percent=Decimal(rate), days=3, year_days=YEAR_DAYS[day_count])
    assert accrual.interest_micros == micros  # 10.00 × 0.01 % × 3


def test_interest_runs_over_a_weekend_and_is_a_line_between_holder_and_exchange():
    account = run(["3.50", "3.50", None, None, "3.50", "3.50"], {"interest": {"credit_rate_percent": "3.6"}})
    # 500.00 gained on the first day; 1 day, 3 days to the 7th, 3 days over the weekend
    interest = [line.amount_micros for line in account.long.lines if line.movement == "interest"]
    balances = [day.opening_cents for day in account.days]
    assert interest == [
        0 + balance * 10_000 * days // 10_000 for balance, days in zip(balances[1:], [1, 3, 3], strict=True)
    ]
    assert account.exchange.balance_micros == -sum(interest)


def test_calls_pending_are_not_called_twice():
    account = run(["3.00", "2.99", "2.98"], {"close_out": {"due_after_days": 3}})
    assert [(call.amount_cents, call.status) for call in account.calls] == [(100_000, "pending")]
    # the second day the balance is −10 and 1,000 are called: 990 ≥ 800 of maintenance, so nothing more


def test_what_stands_above_initial_margin_can_be_paid_out_and_used_again():
    account = run(
        ["3.00", "3.00", "3.50", "2.90"], {"excess": "paid_out", "cash_available_micros": 1_000_000_000}
    )
    assert [(day.deposit_cents, day.paid_out_cents, day.closing_cents) for day in account.days] == [
        (0, 0, 0),
        (100_000, 0, 100_000),
        (0, 50_000, 100_000),
        (0, 0, 40_000),
    ]
    assert account.peak_draw_cents == 100_000
    # 600 are called on the last day and 500 paid out are at hand again: it would not be met
    assert account.calls[-1].amount_cents == 60_000


def test_a_close_out_ends_as_soon_as_the_balance_covers_what_is_left():
    rules = {
        "cash_available_micros": 1_000_000_000,
        "close_out": {"share_percent": 50, "slippage_ticks": 0},
    }
    account = run(["3.00", "3.00", "2.70", "2.70", "2.70"], rules)
    # 700 left of 1,000 are below 800: 300 called, nothing at hand; five lots need 500
    assert [step.code for step in account.steps] == [
        "call_issued", "call_met", "call_issued", "call_unmet", "closed_out", "restored",
    ]  # fmt: skip
    assert account.positions == {KEY: 5}
    assert account.days[-1].closing_cents == 70_000
    later = run(
        ["3.00", "3.00", "2.70", "2.70", "2.70"],
        rules,
        trades=[
            make_trade(
                trade_id="T1", contract="own", month="2026-08", day="2026-08-03", lots=10, price="3.00"
            ),
            make_trade(
                trade_id="T2", contract="own", month="2026-08", day="2026-08-07", lots=1, price="2.70"
            ),
        ],
    )
    assert later.positions == {KEY: 6}  # an account that is covered again may trade again


def test_a_close_out_waits_for_a_mark_and_says_so():
    other = ("own", "2026-09")
    trades = [
        make_trade(trade_id="T1", contract="own", month="2026-08", day="2026-08-03", lots=5, price="3.00"),
        make_trade(trade_id="T2", contract="own", month="2026-09", day="2026-08-03", lots=5, price="3.00"),
    ]
    marks = {
        KEY: {day: DayMark(settle_micros=3_000_000) for day in D[:4]},
        other: {day: DayMark(settle_micros=3_000_000) for day in (D[0], D[3])},
    }
    account = run_account(
        specs_with(OWN),
        trades,
        marks,
        name="n",
        rules=AccountRules.model_validate({"cash_available_micros": 0}),
    )
    told = [step.sentence for step in account.steps if step.code == "closed_out"]
    assert told[1] == "close-out: own 2026-09 has no mark on 2026-08-04; its 5 lots wait for one"
    assert account.positions == {}
    assert account.days[-1].day == D[3]


def test_unknown_fees_are_said_and_none_are_charged():
    marks = {("ice-hpr", "2026-09"): {D[0]: DayMark(settle_micros=3_000_000)}}
    trade = make_trade(
        trade_id="T", contract="ice-hpr", month="2026-09", day="2026-08-03", lots=1, price="3.00"
    )
    account = run_account(CONTRACTS, [trade], marks, name="n", rules=AccountRules())
    assert account.fees_unknown == ("ice-hpr",)
    assert account.exchange.balance_micros == 0


def test_a_position_without_any_margin_method_says_so_once_and_calls_only_what_is_owed():
    account = run_answers(answers("fees"))
    assert [step.code for step in account.steps] == ["no_margin"]
    assert account.steps[0].sentence == "No margin: cme-gpu1 publishes no margin."
    assert account.days[0].requirement.method is None


def test_rules_are_refused_with_the_key_named():
    with pytest.raises(
        UsageError, match=r"\[accounts.desk\] has an unknown key membershp; did you mean membership"
    ):
        read_account({"membershp": "member"}, "[accounts.desk]")
    with pytest.raises(UsageError, match="share_percent = 0"):
        read_account({"close_out": {"share_percent": 0}}, "[accounts.desk]")
    with pytest.raises(UsageError, match="write a table"):
        read_account(7, "[accounts.desk]")  # type: ignore[arg-type]


def test_a_trade_knows_its_place():
    trade = Trade(trade_id="T", contract="own", month="2026-08", day=D[0], lots=1, price_micros=1)
    assert trade.key == KEY
    assert (trade.order.day, trade.order.lots, trade.order.price_micros) == (D[0], 1, 1)


def leaves(model: type, prefix: str = "") -> dict[str, object]:
    """Every key of the rules with its default, nested ones as ``margin.quantile``."""
    found: dict[str, object] = {}
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, SpecModel):
            found |= leaves(type(default), f"{prefix}{name}.")
        else:
            found[prefix + name] = default
    return found


def test_the_page_names_every_rule_of_an_account_with_its_default():
    page = (Path(__file__).resolve().parents[3] / "docs" / "account.md").read_text(encoding="utf-8")
    table = [line for line in page.split("## Rules of an account")[1].splitlines() if line.startswith("| `")]
    documented: dict[str, str] = {}
    for line in table:
        keys, default, _ = (cell.strip() for cell in line.strip("|").split("|"))
        names = re.findall(r"`([^`]+)`", keys)
        outer = names[0].split(".")[0]
        values = default.split(", ") if len(names) > 1 else [default]
        for name, value in zip(names, values, strict=True):
            documented[outer + name if name.startswith(".") else name.removesuffix(".CONTRACT")] = (
                value.strip("`")
            )
    stated = leaves(AccountRules)
    assert set(documented) == set(stated)
    for name, value in stated.items():
        if isinstance(value, Decimal | int | str):
            assert documented[name] == str(value), name


def test_a_balance_of_the_month_is_accounted_like_a_month():
    spec = CONTRACTS["ffa-like-balmo"]
    month = "2026-08-14"
    days = fixing_days(spec, month)
    view = make_view({day: 3_000_000 + 10_000 * day.day for day in days}, spec=spec)
    marks = {(spec.id, month): flat_marks(view, month, days[:-1])}
    outcome = view.outcome(month, date(2026, 9, 2))
    assert outcome is not None
    assert outcome.final is not None
    trade = make_trade(trade_id="T", contract=spec.id, month=month, day=str(days[0]), lots=3, price="3.14")
    account = run_account(
        {spec.id: spec}, [trade], marks, name="n", rules=AccountRules(), views={spec.id: view},
        finals={(spec.id, month): outcome.final},
    )  # fmt: skip
    unit = unit_gpu_hours(spec, month)
    assert account.long.balance_micros == 3 * unit * (outcome.final.price_micros - 3_140_000)
    assert explain_profit(account, {spec.id: view}).unexplained_micros == 0
