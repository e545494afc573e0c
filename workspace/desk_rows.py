"""The documented JSON of an account: positions, profit and loss, statement, calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..contracts.account import (
    PARTS,
    AccountRun,
    Alert,
    Call,
    LiquidityAtRisk,
    MarginRequirement,
    MonthKey,
    Profit,
    StatementDay,
    Trade,
    alerts_on,
    explain_profit,
    last_mark,
    liquidity_at_risk,
)
from ..contracts.calendars import unit_gpu_hours
from ..contracts.limits import counted_lots
from ..records import MICROS_PER_CENT, Refusal, round_fraction
from .desk import Desk
from .rows import price


def cents(amount: int) -> str:
    """Whole cents as a six-decimal string."""
    text = price(amount * MICROS_PER_CENT)
    assert text is not None
    return text


def standing_row(desk: Desk, run: AccountRun) -> dict[str, Any]:
    """What every answer about an account stands on: benchmarks, marks, and what is modelled or simulated."""
    proxies = [c for c, view in desk.views.items() if view.benchmark != desk.specs[c].official_benchmark]
    return {
        "account": desk.name,
        "through": desk.through.isoformat(),
        "benchmarks": {contract: view.benchmark for contract, view in sorted(desk.views.items())},
        "proxy_for": {contract: desk.specs[contract].official_underlying for contract in sorted(proxies)},
        "not_listed": {name: spec.status_line for name, spec in desk.specs.items() if not spec.listed},
        "modelled_marks": run.modelled_marks,
        "simulated_fills": run.simulated_fills,
        "simulated": desk.simulated,
        "backcast": any(view.backcast for view in desk.views.values()),
        "fees_unknown": list(run.fees_unknown),
    }


def positions_row(desk: Desk, run: AccountRun) -> dict[str, Any]:
    """The documented JSON of `positions`: what an account holds at the end of a day, month by month."""
    positions = run.positions
    alerts = alerts_on(
        desk.specs, positions, desk.marks, desk.views, day=desk.through, rules=desk.rules.warnings
    )
    return {
        "standing": standing_row(desk, run),
        "rows": [_position_row(desk, run, key, lots) for key, lots in positions.items()],
        "alerts": [alert_row(alert) for alert in alerts],
    }


def _position_row(desk: Desk, run: AccountRun, key: MonthKey, lots: int) -> dict[str, Any]:
    contract, month = key
    spec, view = desk.specs[contract], desk.views.get(contract)
    unit = unit_gpu_hours(spec, month)
    found = last_mark(desk.marks[key], desk.through)
    assert found is not None  # a trade is marked on its day
    marked_on, mark = found
    own = [line for line in run.long.lines if (line.contract, line.month) == key]
    variation = sum(line.amount_micros for line in own if line.unit_gpu_hours is not None)
    fees = sum(line.amount_micros for line in own if line.unit_gpu_hours is None)
    share = None if view is None else view.share(month, desk.through)
    interest = mark.open_interest
    row: dict[str, Any] = {
        "contract": contract,
        "month": month,
        "lots": lots,
        "unit_gpu_hours": unit,
        "gpu_hours": lots * unit,
        "mark": price(mark.settle_micros),
        "mark_date": marked_on.isoformat(),
        "mark_source": mark.source,
        "modelled": mark.modelled,
        "break_even": price(round_fraction(mark.settle_micros - Fraction(variation, lots * unit))),
        "variation": price(variation),
        "fees": price(fees),
        "fixings_known": None if share is None else share.known,
        "fixings_expected": None if share is None else share.expected,
        "remaining_share": None if share is None else float(share.remaining_share),
        "open_gpu_hours": None if share is None else float(share.remaining_share * lots * unit),
        "counted_lots": float(counted_lots(spec, month, lots, desk.through)),
        "open_interest": interest,
        "open_interest_share": None if not interest else abs(lots) / interest,
    }
    if share is None:
        row["remaining_share_reason"] = row["open_gpu_hours_reason"] = (
            "no benchmark is named for the contract"
        )
    if not interest:
        row["open_interest_share_reason"] = "no open interest is known"
    return row


def alert_row(alert: Alert) -> dict[str, Any]:
    """One warning."""
    return {
        "day": alert.day.isoformat(),
        "code": alert.code,
        "contract": alert.contract,
        "month": alert.month,
        "sentence": alert.sentence,
    }


def profit_row(desk: Desk, run: AccountRun, profit: Profit, *, explain: bool) -> dict[str, Any]:
    """The documented JSON of `pnl`; ``explain`` adds each part of each ledger line."""
    row: dict[str, Any] = {
        "standing": standing_row(desk, run),
        "after": None if profit.after is None else profit.after.isoformat(),
        "total": price(profit.total_micros),
        "cash": cents(profit.cash_cents),
        "parts": {part: price(profit.parts[part]) for part in PARTS},
        "unexplained": price(profit.unexplained_micros),
        "by_month": [
            {
                "contract": contract,
                "month": month,
                "total": price(sum(parts.values())),
                **{part: price(parts[part]) for part in PARTS},
            }
            for (contract, month), parts in sorted(profit.by_month.items())
        ],
        "not_told_apart": list(profit.not_told_apart),
    }
    if explain:
        row["lines"] = [
            {
                "day": line.day.isoformat(),
                "contract": line.contract,
                "month": line.month,
                "part": line.part,
                "amount": price(line.amount_micros),
                "sentence": line.sentence,
            }
            for line in profit.lines
        ]
    return row


def statement_row(desk: Desk, run: AccountRun, *, liquidity_days: int, explain: bool) -> dict[str, Any]:
    """The documented JSON of `account`: balance, calls line by line, and what may still be called."""
    last = run.days[-1]
    row: dict[str, Any] = {
        "standing": standing_row(desk, run),
        "balance": cents(last.closing_cents),
        "paid_in": cents(run.deposits_cents),
        "peak_draw": cents(run.peak_draw_cents),
        "lots": _lots_rows(last.positions),
        "margin": margin_row(last.requirement),
        "calls": [call_row(call) for call in run.calls],
        "steps": [
            {
                "day": step.day.isoformat(),
                "code": step.code,
                "sentence": step.sentence,
                "amount": None if step.amount_cents is None else cents(step.amount_cents),
                **({"reason": "no money is in it"} if step.amount_cents is None else {}),
            }
            for step in run.steps
        ],
        "alerts": [alert_row(alert) for day in run.days for alert in day.alerts],
        "accounts": {
            name: {"total": price(account.balance_micros), "cash": cents(account.cash_total_cents)}
            for name, account in run.accounts.items()
        },
        "liquidity": liquidity_rows(desk, run, liquidity_days),
        "explained": explain_profit(run, desk.views).unexplained_micros == 0,
    }
    if explain:
        row["days"] = [day_row(day) for day in run.days]
        row["trades"] = [filled_row(trade) for trade in run.trades]
    return row


def liquidity_rows(desk: Desk, run: AccountRun, days: int) -> list[dict[str, Any]]:
    """Liquidity at risk of what is held at the end, by replay and by bootstrap; empty where nothing is."""
    held = run.held
    if not held:
        return []
    answers = [
        liquidity_at_risk(held, desk.views, desk.through, days=days, method=method)
        for method in ("historical", "bootstrap")
    ]
    return [liquidity_row(answer, days) for answer in answers]


def liquidity_row(answer: LiquidityAtRisk | Refusal, days: int) -> dict[str, Any]:
    """One method's liquidity at risk, or why it has none."""
    if isinstance(answer, Refusal):
        return {
            "method": None,
            "days": days,
            "paths": 0,
            "quantile": None,
            "at_quantile": None,
            "worst": None,
            "worst_from": None,
            "seed": None,
            "modelled": True,
            "sentence": answer.sentence,
            "reason": answer.sentence,
        }
    row: dict[str, Any] = {
        "method": answer.method,
        "days": answer.days,
        "paths": answer.paths,
        "quantile": float(answer.quantile),
        "at_quantile": price(answer.at_quantile_micros),
        "worst": price(answer.worst_micros),
        "worst_from": None if answer.worst_from is None else answer.worst_from.isoformat(),
        "seed": answer.seed,
        "modelled": True,
        "sentence": answer.sentence,
    }
    if answer.reason is not None:
        row["reason"] = answer.reason
    return row


def margin_row(requirement: MarginRequirement | Refusal) -> dict[str, Any]:
    """A margin requirement with its lines, or why there is none."""
    if isinstance(requirement, Refusal):
        return {
            "method": None,
            "initial": None,
            "maintenance": None,
            "modelled": False,
            "sentence": requirement.sentence,
            "reason": requirement.sentence,
            "lines": [],
            "refused": [],
        }
    unknown = requirement.method is None and bool(requirement.refused)
    row: dict[str, Any] = {
        "method": requirement.method,
        "initial": None if unknown else cents(requirement.initial_cents),
        "maintenance": None if unknown else cents(requirement.maintenance_cents),
        "modelled": requirement.modelled,
        "sentence": requirement.sentence,
        "lines": [{"text": line.sentence, "amount": price(line.amount_micros)} for line in requirement.lines],
        "refused": [each.sentence for each in requirement.refused],
    }
    if unknown:
        row["reason"] = requirement.sentence
    return row


def call_row(call: Call) -> dict[str, Any]:
    """One call, line by line."""
    return {
        "number": call.number,
        "day": call.day.isoformat(),
        "due": None if call.due is None else call.due.isoformat(),
        "status": call.status,
        "balance": cents(call.balance_cents),
        "initial": cents(call.initial_cents),
        "maintenance": cents(call.maintenance_cents),
        "pending": cents(call.pending_cents),
        "amount": cents(call.amount_cents),
        "method": call.requirement.method,
        "modelled": call.requirement.modelled,
        "lines": [
            {"part": line.part, "text": line.text, "amount": price(line.amount_micros)} for line in call.lines
        ],
    }


def day_row(day: StatementDay) -> dict[str, Any]:
    """One day of the statement with its ledger lines."""
    return {
        "day": day.day.isoformat(),
        "lots": _lots_rows(day.positions),
        "opening": cents(day.opening_cents),
        "cash": cents(day.cash_cents),
        "deposit": cents(day.deposit_cents),
        "paid_out": cents(day.paid_out_cents),
        "closing": cents(day.closing_cents),
        "margin": margin_row(day.requirement),
        "lines": [{"text": line.explanation, "amount": price(line.amount_micros)} for line in day.lines],
    }


def filled_row(trade: Trade) -> dict[str, Any]:
    """One trade as booked, and how its price came about where no broker reported it."""
    row: dict[str, Any] = {
        "trade_id": trade.trade_id,
        "contract": trade.contract,
        "month": trade.month,
        "day": trade.day.isoformat(),
        "lots": trade.lots,
        "price": price(trade.price_micros),
        "fees": price(trade.fees_micros),
        "strategy": trade.strategy,
        "simulated": trade.simulated,
        "note": trade.note,
    }
    if trade.fees_micros is None:
        row["fees_reason"] = "none billed: the account's schedule is used"
    return row


def _lots_rows(positions: Mapping[MonthKey, int]) -> Sequence[dict[str, Any]]:
    return [
        {"contract": contract, "month": month, "lots": lots} for (contract, month), lots in positions.items()
    ]
