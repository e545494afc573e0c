"""Random order histories of an account, and what must hold of every one of them.

Everything is invented: contracts, prices, fees, rates. A history is made from its seed alone, so a
failing one can be made again. The checks reckon anew, from trades and prices, what the account says.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from rentmark.contracts import (
    ACCOUNTS,
    CONTRACTS,
    ContractSpec,
    FinalSettlement,
    fee_schedule,
    last_trade_date,
    read_contract,
    unit_gpu_hours,
)
from rentmark.contracts.account import (
    PARTS,
    AccountRules,
    AccountRun,
    DayMark,
    IndexView,
    MonthKey,
    Trade,
    explain_profit,
    run_account,
)
from rentmark.records import Fixing, Refusal, cents_from_micros, day_start

OWN = read_contract(
    {
        "name": "Own contract, invented",
        "exchange": "bilateral",
        "chip": "H100",
        "status_line": "invented for a proof",
        "listed": False,
        "official_underlying": "an invented index",
        "unit_rule": "hours_in_month",
        "unit_gpus": 8,
        "tick_micros": 500,
        "averaging": "every_day",
        "last_trade": "last_fixing_day",
        "initial_margin_micros": 123_456_789,
        "maintenance_margin_micros": 100_000_001,
        "fees": {
            "trade_member_micros": 1_234_567,
            "trade_non_member_micros": 5_000,
            "cash_settlement_member_micros": 7,
            "cash_settlement_non_member_micros": 0,
        },
    },
    "[contracts.own]",
    contract_id="own",
)
SPECS: dict[str, ContractSpec] = {**CONTRACTS, "own": OWN}
TRADED = ("cme-gpu1", "ice-hpr", "own")
MONTHS = ("2026-08", "2026-09", "2026-10", "2026-12")
START = date(2026, 8, 3)
FEE_MOVEMENTS = frozenset({"trade_fee", "billed_fee", "settlement_fee"})
VARIATION = frozenset({"held", "traded", "rolled", "closed_out", "final_settlement"})


@dataclass(frozen=True, slots=True)
class History:
    """One random history: what is handed to the account."""

    seed: int
    trades: tuple[Trade, ...]
    marks: dict[MonthKey, dict[date, DayMark]]
    finals: dict[MonthKey, FinalSettlement]
    rules: AccountRules
    views: dict[str, IndexView]


def make_history(seed: int) -> History:
    """A history of up to 25 trading days in up to four contract months, with marks that may be missing."""
    rng = random.Random(seed)  # noqa: S311 - histories, not secrets
    keys = rng.sample([(c, m) for c in TRADED for m in MONTHS], rng.randint(1, 4))
    days = [START + timedelta(days=n) for n in range(rng.randint(1, 36))]
    days = [day for day in days if day.weekday() < 5]
    marks: dict[MonthKey, dict[date, DayMark]] = {}
    finals: dict[MonthKey, FinalSettlement] = {}
    trades: list[Trade] = []
    for contract, month in keys:
        spec = SPECS[contract]
        last = last_trade_date(spec, month)
        tick = spec.tick_micros
        price = rng.randint(1, 8) * 500_000
        path: dict[date, DayMark] = {}
        for day in (day for day in days if day <= last):
            price = max(tick, price + tick * rng.choice([-50, -3, -1, 0, 0, 1, 2, 60]))
            if rng.random() < 0.9:
                path[day] = DayMark(settle_micros=price, modelled=rng.random() < 0.1)
        marks[contract, month] = path
        if rng.random() < 0.4:
            finals[contract, month] = FinalSettlement(day=last, price_micros=rng.randint(1, 6_000_000))
        for number in range(rng.randint(0, 6)):
            if not path:
                break
            trades.append(
                Trade(
                    trade_id=f"{contract}-{month}-{number}",
                    contract=contract,
                    month=month,
                    day=rng.choice(sorted(path)),
                    lots=rng.choice([-40, -7, -1, 1, 2, 13, 60]),
                    price_micros=tick * rng.randint(1, 5_000_000 // tick),
                    fees_micros=rng.choice([None, None, 0, 12_345_678, 5_000]),
                    strategy=rng.choice([None, "roll"]),
                )
            )
    views = {c: index_view(SPECS[c], rng) for c in sorted({c for c, _ in keys}) if rng.random() < 0.15}
    return History(seed, tuple(trades), marks, finals, _rules(rng), views)


def _rules(rng: random.Random) -> AccountRules:
    return AccountRules.model_validate(
        {
            "membership": rng.choice(["member", "non_member"]),
            "cash_available_micros": rng.choice([None, 0, 5_000_000_000, 60_000_000_000]),
            "excess": rng.choice(["stays", "paid_out"]),
            "fees": rng.choice([{}, {"ice-hpr": {"trade_micros": 5_000, "cash_settlement_micros": 333}}]),
            "margin": {"methods": rng.choice([("published", "historical", "proxy"), ("proxy",)])},
            "interest": {
                "credit_rate_percent": Decimal(rng.choice(["0", "3.65", "-0.5"])),
                "debit_rate_percent": Decimal(rng.choice(["0", "7.25"])),
                "day_count": rng.choice(["ACT/360", "ACT/365"]),
            },
            "close_out": {
                "due_after_days": rng.randint(1, 3),
                "share_percent": rng.choice([100, 50, 10]),
                "slippage_ticks": rng.choice([0, 2, 7]),
                "shortfall": rng.choice(["owed", "carried_by_exchange"]),
            },
        }
    )


def index_view(spec: ContractSpec, rng: random.Random) -> IndexView:
    """An invented index of 170 daily fixings that ends inside the months traded."""
    price, rows = 3_000_000, []
    for number in range(170):
        day = date(2026, 3, 15) + timedelta(days=number)
        price = max(100_000, price + rng.choice([-90_000, 0, 0, 10_000, 85_000]))
        rows.append(invented_fixing(day, price))
    return IndexView(spec, "invented", rows)


def invented_fixing(day: date, value_micros: int) -> Fixing:
    """A live tape row of an invented benchmark."""
    effective = day_start(day + timedelta(days=1))
    return Fixing(
        benchmark="invented", date=day, value_micros=value_micros, status="OK", rule=None, tier="listed",
        n_observations=9, n_sellers=5, n_votes=5, n_venues=5, gpu_seconds=0, p25_micros=value_micros,
        p75_micros=value_micros, top_weight="0.200000", carried_from=None, methodology="invented",
        methodology_version="1.0.0", methodology_hash="0" * 64, input_digest="1" * 64, effective_at=effective,
        simulated=False, reconstructed=False, rights="allowed", settlement_grade=True, origin="live",
        published_at=effective,
    )  # fmt: skip


def write(history: History) -> AccountRun:
    """The account of a history."""
    return run_account(
        SPECS,
        history.trades,
        history.marks,
        name=f"history {history.seed}",
        rules=history.rules,
        views=history.views,
        finals=history.finals,
    )


def check(history: History, run: AccountRun) -> Counter[str]:
    """Raise AssertionError where a promise does not hold; returns what the history held."""
    _sums_to_zero(run)
    _cash_is_the_sum_of_its_lines(run)
    _prices_explain_variation(history, run)
    _fees_are_the_schedule(history, run)
    _calls_add_up(run)
    profit = explain_profit(run, history.views)
    assert profit.unexplained_micros == 0, history.seed
    assert set(profit.parts) == set(PARTS)
    assert profit.total_micros == run.long.balance_micros, history.seed
    codes = Counter(step.code for step in run.steps)
    return Counter(
        {
            "account days": len(run.days),
            "trades booked": len(run.trades),
            "ledger lines": sum(len(account.lines) for account in run.accounts.values()),
            "final settlements": len(run.finals),
            "calls": len(run.calls),
            "calls met": codes["call_met"],
            "calls not met": sum(call.status == "unmet" for call in run.calls),
            "close-outs ended": codes["account_closed"] + codes["restored"],
            "shortfalls": codes["shortfall"],
            "trades refused after a close-out": codes["trade_refused"],
        }
    )


def _sums_to_zero(run: AccountRun) -> None:
    for days in zip(*(run.accounts[account].days for account in ACCOUNTS), strict=True):
        assert len({day.day for day in days}) == 1
        assert sum(day.position_lots for day in days) == 0
        assert sum(day.amount_micros for day in days) == 0
        assert sum(day.balance_micros for day in days) == 0
        assert sum(day.cash_cents for day in days) == 0
        assert sum(day.cash_total_cents for day in days) == 0


def _cash_is_the_sum_of_its_lines(run: AccountRun) -> None:
    """Each stream pays the rounded sum of its lines, reckoned here from all lines at once, and no more."""
    for account in run.accounts.values():
        assert account.balance_micros == sum(line.amount_micros for line in account.lines)
        assert account.cash_total_cents == sum(day.cash_cents for day in account.days)
    totals: Counter[str] = Counter()
    for day, written in zip(run.long.days, run.days, strict=True):
        for line in day.lines:
            stream = "variation" if line.movement in VARIATION else line.movement
            totals["fees" if line.movement in FEE_MOVEMENTS else stream] += line.amount_micros
        assert day.cash_total_cents == sum(cents_from_micros(total) for total in totals.values())
        assert (
            written.closing_cents
            == written.opening_cents + written.cash_cents + written.deposit_cents - written.paid_out_cents
        )
    for before, after in zip(run.days, run.days[1:], strict=False):
        assert after.opening_cents == before.closing_cents


def _prices_explain_variation(history: History, run: AccountRun) -> None:
    """(last price − entry) × unit × lots over all trades of a month, to the micro-dollar."""
    for key in {trade.key for trade in run.trades}:
        booked = [trade for trade in run.trades if trade.key == key]
        if key in run.finals:
            price = history.finals[key].price_micros
        else:
            marks = history.marks[key]
            price = marks[max(day for day in marks if day <= run.days[-1].day)].settle_micros
        unit = unit_gpu_hours(SPECS[key[0]], key[1])
        variation = sum(
            line.amount_micros
            for line in run.long.lines
            if (line.contract, line.month) == key and line.movement in VARIATION
        )
        assert variation == sum((price - trade.price_micros) * unit * trade.lots for trade in booked)
        if key in run.finals:
            assert key not in run.positions
        else:
            assert run.positions.get(key, 0) == sum(trade.lots for trade in booked)


def _fees_are_the_schedule(history: History, run: AccountRun) -> None:
    owed = 0
    for trade in run.trades:
        if trade.fees_micros is not None:
            owed += trade.fees_micros
            continue
        own = history.rules.fees.get(trade.contract)
        known = fee_schedule(SPECS[trade.contract], history.rules.membership) if own is None else own.schedule
        if isinstance(known, Refusal):
            assert trade.contract in run.fees_unknown
        else:
            owed += abs(trade.lots) * known.trade_micros_per_lot
    charged = sum(
        line.amount_micros for line in run.long.lines if line.movement in {"trade_fee", "billed_fee"}
    )
    assert charged == -owed


def _calls_add_up(run: AccountRun) -> None:
    for call in run.calls:
        for part, cents in (("balance", call.balance_cents), ("required", call.initial_cents)):
            assert sum(line.amount_micros for line in call.lines if line.part == part) == cents * 10_000
        assert call.amount_cents == call.initial_cents - call.balance_cents - call.pending_cents
        assert call.balance_cents + call.pending_cents < call.maintenance_cents
        assert call.lines[-1].amount_micros == call.amount_cents * 10_000
    assert run.deposits_cents == sum(call.amount_cents for call in run.calls if call.status == "met")
