"""A programme's run as JSON, with the keys the command line documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...contracts.account import PARTS
from ...records import MICROS_PER_CENT, Refusal, format_instant, format_micros
from ..basis import basis_of
from .decisions import Decision, ProgrammeOrder
from .figures import (
    MonthResult,
    actual_lots,
    break_even_premium,
    month_results,
    profit_parts,
    total_micros,
)
from .instruments import Instrument
from .running import ProgrammeRun, fees_unknown

ASSUMED_ENTRY = "entry prices are assumed: modelled flat marks, so profit is given at premiums of −10, 0 and +10 % together"


def programme_to_json(run: ProgrammeRun) -> dict[str, Any]:
    """Everything a run came to; prices are six-decimal strings, statistics numbers, a null has its reason."""
    months = month_results(run)
    rules = run.programme
    traded = {order.contract for order in run.orders if order.lots}
    values: dict[str, Any] = {
        "programme": run.name,
        "rules": rules.model_dump(mode="json", exclude_none=True),
        "rules_hash": rules.rules_hash,
        "role": run.role,
        "gpus": run.plan.gpus,
        "rent": {"name": run.plan.book.name, "digest": run.plan.book.digest},
        "now": format_instant(run.now),
        "simulated": run.plan.book.simulated or any(each.view.simulated for each in run.instruments),
        "backcast": any(each.view.backcast for each in run.instruments),
        "proxy": any(_proxy(each) for each in run.instruments),
        "simulated_fills": True,
        "entry_assumed": run.entry_is_assumed,
        "tailed": run.tailing,
        "instruments": [_instrument(run, each, traded) for each in run.instruments],
        "decisions": [_decision(each) for each in run.decisions],
        "months": [_month(run, each) for each in months],
        "open": {f"{c} {m}": lots for (c, m), lots in run.account.positions.items()},
        "result": _result(run, months),
        "actual_lots": _rounded(_actual(run, months)),
        "settlement_basis": _rounded(_settlement_basis(run, months)),
        "profit": _profit(run),
        "margin": _margin(run),
        "notes": list(notes(run)),
    }
    if run.plan.gpus is None:
        values["gpus_reason"] = "hours are planned from the file's last four weeks before each decision"
    return values


def notes(run: ProgrammeRun) -> tuple[str, ...]:
    """What a reader must know beside the figures."""
    rules = run.programme
    said: list[str] = []
    if run.entry_is_assumed:
        said.append(ASSUMED_ENTRY[0].upper() + ASSUMED_ENTRY[1:] + ".")
    said.append("Every fill is simulated: nothing here was dealt with anyone.")
    for each in run.instruments:
        cross = cross_hedge(run, each)
        if cross is not None:
            said.append(f"Cross hedge, a proxy: {cross}.")
        if each.corrected:
            said.append(
                f"{each.corrected} settlements of {each.spec.id} were corrected later; the run stands on the first."
            )
    if rules.tailing_rate_percent is not None and not run.tailing:
        said.append("Tailing is off, because variation earns interest in this account.")
    unknown = fees_unknown(run)
    if unknown:
        said.append(f"Fees of {', '.join(unknown)} are unknown and not charged.")
    if rules.style == "strip" and rules.months_ahead > 1 and run.learned:
        said.append(
            f"Months are entered {rules.months_ahead} months ahead, so lessons overlap: as few as "
            f"{len(run.learned) // rules.months_ahead} of {len(run.learned)} do not."
        )
    if run.plan.gpus is None:
        said.append("Hours are planned from the file's last four weeks before each decision.")
    first_without = [order for order in run.orders if order.refused is not None]
    if first_without:
        said.append(
            f"{len(first_without)} orders were not traded, the first because: {_why(first_without[0])}."
        )
    steps = [step for step in run.account.steps if step.code in ("call_unmet", "account_closed", "no_margin")]
    if steps:
        said.append(f"{steps[0].day}: {steps[0].sentence}.")
    unpriced = sorted(key for key, end in run.ends.items() if not end.settled)
    if unpriced:
        named = unpriced[0][1] if len(unpriced) == 1 else f"{unpriced[0][1]} to {unpriced[-1][1]}"
        said.append(
            f"Determination, no price printed: {named} ({len(unpriced)} in all); closed at the last mark, which is "
            "assumed, and in no variance."
        )
    if not any(order.lots for order in run.orders) and run.decisions:
        last = run.decisions[-1]
        said.append(f"No position was taken; on {last.day}: {last.reason or 'every order was refused'}.")
    return tuple(said)


def _why(order: ProgrammeOrder) -> str:
    assert order.refused is not None
    return order.refused.sentence.rstrip(".")


def cross_hedge(run: ProgrammeRun, instrument: Instrument) -> str | None:
    """What is hedged on what, where the rented chip is not the contract's; None where it is, or is unstated."""
    rented = run.programme.rent_chip
    if rented is None or rented == instrument.spec.chip:
        return None
    return f"{rented} on {instrument.spec.chip} ({instrument.spec.id})"


def _proxy(instrument: Instrument) -> bool:
    return instrument.view.benchmark != instrument.spec.official_benchmark


def _instrument(run: ProgrammeRun, each: Instrument, traded: set[str]) -> dict[str, Any]:
    orders = [order for order in run.orders if order.contract == each.spec.id and order.lots]
    marked = {isinstance(m, Refusal) or m.modelled for o in orders for m in [each.mark(o.month, o.day)]}
    source = {True: "modelled", False: "imported"}
    return {
        "contract": each.spec.id,
        "status": each.spec.status_line,
        "chip": each.spec.chip,
        "benchmark": each.view.benchmark,
        "official_underlying": each.spec.official_underlying,
        "proxy": _proxy(each),
        "cross_hedge": cross_hedge(run, each),
        "marks": "none"
        if each.spec.id not in traded
        else "both"
        if len(marked) > 1
        else source[marked.pop()],
        "settlements_corrected": each.corrected,
    }


def _decision(each: Decision) -> dict[str, Any]:
    lesson = each.lesson
    row: dict[str, Any] = {
        "day": each.day.isoformat(),
        "seen_through": each.seen_through.isoformat(),
        "estimated": each.estimated,
        "ratios": None if lesson is None else {c: round(r, 10) + 0.0 for c, r in lesson.ratios.items()},
        "learned_from": 0 if lesson is None else lesson.learned_from,
        "last_month": None if lesson is None else lesson.last_month,
        "ratios_capped": list(each.capped_ratios),
        "orders": [_order(order) for order in each.orders],
    }
    if each.reason is not None:
        row["reason"] = each.reason
    return row


def _order(order: ProgrammeOrder) -> dict[str, Any]:
    return {
        "contract": order.contract,
        "month": order.month,
        "lots": order.lots,
        "target": order.target,
        "exact_lots": round(float(order.exact_lots), 6) + 0.0,
        "capped": order.capped,
        "rolled": order.rolled,
        "refused": None if order.refused is None else order.refused.sentence,
    }


def by_premium(run: ProgrammeRun, values: Mapping[int, int]) -> dict[str, str]:
    """Amounts by entry premium; ``stated`` alone where every fill stands at a stated settlement."""
    if not run.entry_is_assumed:
        return {"stated": format_micros(values[0])}
    return {f"{p:+d}%" if p else "0%": format_micros(v) for p, v in sorted(values.items())}


def _month(run: ProgrammeRun, each: MonthResult) -> dict[str, Any]:
    return {
        "month": each.month,
        "gpu_hours": float(each.gpu_hours),
        "lots": dict(each.lots),
        "held_gpu_hours": each.held_gpu_hours,
        "excess_gpu_hours": float(each.excess_gpu_hours),
        "bill": format_micros(each.bill_micros),
        "pnl": by_premium(run, each.pnl_micros),
        "hedged_bill": by_premium(run, each.hedged_bill_micros),
        "rate": format_micros(each.rate_micros()),
        "hedged_rate": by_premium(run, {p: each.rate_micros(p) for p in each.hedged_bill_micros}),
        "settled": each.settled,
    }


def _result(run: ProgrammeRun, months: tuple[MonthResult, ...]) -> dict[str, Any]:
    pnl = {premium: total_micros(account) for premium, account in run.accounts.items()}
    sign = 1 if run.role == "buyer" else -1
    bill = sum(each.bill_micros for each in months)
    inside = {premium: sum(each.pnl_micros[premium] for each in months) for premium in run.accounts}
    even = break_even_premium(run)
    worst = max if run.role == "buyer" else min
    row: dict[str, Any] = {
        "months": len(months),
        "bill": format_micros(bill),
        "pnl": by_premium(run, pnl),
        "pnl_outside": by_premium(run, {p: amount - inside[p] for p, amount in pnl.items()}),
        "hedged_bill": by_premium(run, {p: bill - sign * amount for p, amount in inside.items()}),
        "break_even_premium": None if even is None else round(even, 10) + 0.0,
        "worst_month": None if not months else format_micros(worst(each.bill_micros for each in months)),
        "worst_month_hedged": None
        if not months
        else by_premium(run, {p: worst(each.hedged_bill_micros[p] for each in months) for p in run.accounts}),
    }
    if even is None:
        stated = "entries are stated settlements" if not run.entry_is_assumed and run.account.days else None
        row["break_even_premium_reason"] = stated or "no premium changes the profit: nothing was traded"
    if not months:
        row["worst_month_reason"] = row["worst_month_hedged_reason"] = (
            "nothing was held in a month with a rent"
        )
    return row


def _actual(run: ProgrammeRun, months: tuple[MonthResult, ...]) -> dict[str, Any]:
    found = actual_lots(run, months)
    row: dict[str, Any] = {
        "months": found.months,
        "effectiveness": found.effectiveness,
        "slope": found.slope,
        "r_squared": found.r_squared,
        "swing_unhedged": found.swing_unhedged,
        "swing_hedged": found.swing_hedged,
    }
    if found.reason is not None:
        row["reason"] = found.reason
    return row


def _settlement_basis(run: ProgrammeRun, months: tuple[MonthResult, ...]) -> dict[str, Any]:
    """Month's rate − settlement of the first instrument, over settled months."""
    lead = run.instruments[0].spec.id
    ended = {
        month: end.final for (contract, month), end in run.ends.items() if contract == lead and end.settled
    }
    gaps = [each.rate_micros() - ended[each.month].price_micros for each in months if each.month in ended]
    row: dict[str, Any] = basis_of(gaps).to_json() if gaps else dict(basis_of([0]).to_json(), n=0)
    if not gaps:
        row = {key: 0 if key == "n" else None for key in row if key != "reason"}
        row["reason"] = "no month settled"
    return row


def _profit(run: ProgrammeRun) -> dict[str, Any]:
    found = profit_parts(run)
    if found is None:
        why = ASSUMED_ENTRY if run.entry_is_assumed else "nothing was traded"
        return {"total": None, "parts": None, "unexplained": None, "reason": why}
    return {
        "total": format_micros(found.total_micros),
        "parts": {part: format_micros(found.parts[part]) for part in PARTS},
        "unexplained": format_micros(found.unexplained_micros),
    }


def _margin(run: ProgrammeRun) -> dict[str, Any]:
    account = run.account
    peaks = {premium: each.peak_draw_cents * MICROS_PER_CENT for premium, each in run.accounts.items()}
    largest = max(account.days, key=lambda day: day.requirement.initial_cents, default=None)
    fees = sum(
        line.amount_micros
        for day in account.days
        for line in day.lines
        if line.movement in ("trade_fee", "billed_fee", "settlement_fee")
    )
    interest = sum(
        line.amount_micros for day in account.days for line in day.lines if line.movement == "interest"
    )
    return {
        "peak_draw": by_premium(run, peaks),
        "largest_initial": format_micros(
            0 if largest is None else largest.requirement.initial_cents * MICROS_PER_CENT
        ),
        "largest_initial_date": None if largest is None else largest.day.isoformat(),
        "method": None if largest is None else largest.requirement.method,
        "modelled": largest is None or largest.requirement.modelled,
        "modelled_marks": account.modelled_marks,
        "calls": len(account.calls),
        "unmet_calls": sum(call.status == "unmet" for call in account.calls),
        "fees": format_micros(fees),
        "interest": format_micros(interest),
    }


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    """Statistics to ten decimals: more would be the machine's, not the data's."""
    return {k: round(v, 10) + 0.0 if isinstance(v, float) else v for k, v in values.items()}
