"""Settlements in words and in JSON: every absent price stands beside the reason for its absence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..records import Refusal, divide_half_even, format_instant, format_micros, round_fraction
from .in_month import InMonth
from .outcome import Settlement, SettlementDay, Withheld

SETTLE_AT_PERCENT = (-10, 0, 10)
"""An accruing month shows what its rest must average to settle at the fair value and 10 % beside it."""

_WITHHELD_SENTENCES: dict[Withheld, str] = {
    "accruing": "the last fixing of the month is not effective yet",
    "determination": "too many fixings are missing, which calls for a determination",
    "certificate_needed": "fixings are missing, so a certificate is needed",
    "certificate_differs": "the certificate at hand certifies another price than the mean of the fixings",
    "candidate": "it rests on candidates that were never published",
    "backcast": "it rests on fixings published after their time (backcast)",
    "restated": "it rests on revisions published after the month had settled",
}


def price_text(micros: int | None) -> str | None:
    """A price as a six-decimal string of dollars, or None."""
    return None if micros is None else format_micros(micros)


def withheld_sentence(settlement: Settlement) -> str | None:
    """Why there is no final settlement price, in one sentence; None where there is one."""
    if not settlement.withheld:
        return None
    return f"No final price: {'; '.join(_WITHHELD_SENTENCES[code] for code in settlement.withheld)}."


def settlement_sentence(settlement: Settlement) -> str:
    """What a settlement says in one or two sentences: its count, its price or why it has none."""
    subject = f"{settlement.contract} {settlement.month} on {settlement.benchmark}"
    count = f"{settlement.fixings} of {settlement.expected} fixings"
    if settlement.filled:
        count += f" with {settlement.filled} filled by the latest value before"
    if settlement.in_month is not None:
        return f"{subject}: {_in_month_sentence(settlement.in_month, settlement.expected)}"
    if settlement.final_settlement_price_micros is not None:
        price = format_micros(settlement.final_settlement_price_micros)
        by = f", certified by {settlement.certified_by}" if settlement.certified_by else ""
        return f"{subject} settles at {price}, the mean of {count}{by}."
    because = withheld_sentence(settlement)
    if settlement.indicative_price_micros is not None:
        price = format_micros(settlement.indicative_price_micros)
        return f"{subject}: {count}, indicative price {price}. {because}"
    return f"{subject}: {count}. {because}"


def _in_month_sentence(view: InMonth, expected: int) -> str:
    parts = [f"{view.known} of {expected} fixings known"]
    if view.known_mean_micros is not None:
        parts.append(f", average {format_micros(view.known_mean_micros)}")
    if view.already_missing:
        parts.append(f"; {view.already_missing} missing")
    fair = view.fair_value_micros
    if fair is not None:
        rest = view.rest_must_average(fair)
        if not isinstance(rest, Refusal):
            parts.append(
                f"; the rest must average {format_micros(round_fraction(rest))} to settle at {format_micros(fair)}"
            )
    return f"{''.join(parts)}."


def settlement_to_json(settlement: Settlement, *, explain: bool = False) -> dict[str, Any]:
    """A settlement as plain JSON: prices as six-decimal strings, an absent one null with its reason.

    ``explain`` adds ``days``: each day's fixing, status, weight and revision.
    """
    reason = withheld_sentence(settlement)
    answer: dict[str, Any] = {
        "contract": settlement.contract,
        "month": settlement.month,
        "benchmark": settlement.benchmark,
        "official_underlying": settlement.official_underlying,
        "proxy": settlement.proxy,
        "proxy_reason": settlement.proxy_reason,
        "status": settlement.status,
        "origin": settlement.origin,
        "expected": settlement.expected,
        "elapsed": settlement.elapsed,
        "fixings": settlement.fixings,
        "coverage": float(settlement.coverage),
        "longest_gap": settlement.longest_gap,
        "filled": settlement.filled,
        "missing": [{"date": m.date.isoformat(), "reason": m.reason} for m in settlement.missing],
        "final_settlement_price": price_text(settlement.final_settlement_price_micros),
        "indicative_price": price_text(settlement.indicative_price_micros),
        "withheld": list(settlement.withheld),
        "reason": reason,
        "certified_by": settlement.certified_by,
        "certified_reason": settlement.certified_reason,
        "certified_at": None if settlement.certified_at is None else format_instant(settlement.certified_at),
        "unit_gpu_hours": settlement.unit_gpu_hours,
        "simulated": settlement.simulated,
        "reconstructed": settlement.reconstructed,
        "restated": settlement.restated,
        "effective_at": format_instant(settlement.effective_at),
        "contract_hash": settlement.contract_hash,
        "ceased_on": None if settlement.ceased_on is None else settlement.ceased_on.isoformat(),
        "in_month": None if settlement.in_month is None else in_month_to_json(settlement.in_month),
        "sentence": settlement_sentence(settlement),
    }
    if settlement.origin is None:
        answer["origin_reason"] = "no fixing of the month counts"
    if settlement.final_settlement_price_micros is not None:
        answer["indicative_price_reason"] = "the final price stands"
    if explain:
        answer["days"] = [_day_to_json(day) for day in settlement.days]
    return answer


def in_month_to_json(view: InMonth) -> dict[str, Any]:
    """An accruing month as plain JSON, with the model its expectation comes from."""
    answer: dict[str, Any] = {
        "known": view.known,
        "total": view.total,
        "remaining": view.remaining,
        "already_missing": view.already_missing,
        "on_course": view.on_course,
        "known_mean": price_text(view.known_mean_micros),
        "expectation": price_text(view.expectation_micros),
        "expectation_date": None if view.expectation_date is None else view.expectation_date.isoformat(),
        "expectation_model": view.expectation_model,
        "fair_value": price_text(view.fair_value_micros),
        "delta": None if view.delta is None else float(view.delta),
        "rest_must_average": _rest_rows(view),
    }
    if view.fair_value_micros is None:
        answer["reason"] = "no fixing is known yet, so there is nothing to expect from"
    return answer


def _rest_rows(view: InMonth) -> list[dict[str, Any]]:
    fair = view.fair_value_micros
    if fair is None:
        return []
    rows: list[dict[str, Any]] = []
    for percent in SETTLE_AT_PERCENT:
        settle_at = divide_half_even(fair * (100 + percent), 100)
        rest = view.rest_must_average(settle_at)
        if isinstance(rest, Fraction):
            rows.append(
                {
                    "settle_at": format_micros(settle_at),
                    "rest_average": format_micros(round_fraction(rest)),
                    "reachable": rest > 0,
                }
            )
    return rows


def _day_to_json(day: SettlementDay) -> dict[str, Any]:
    return {
        "date": day.date.isoformat(),
        "state": day.state,
        "value": price_text(day.value_micros),
        "status": day.status,
        "counted": day.counted,
        "weight": float(day.weight),
        "origin": day.origin,
        "reason": day.reason or ("not effective yet" if day.state == "pending" else None),
        "revision": day.revision,
        "filled_from": None if day.filled_from is None else day.filled_from.isoformat(),
        "row_digest": day.row_digest,
    }
