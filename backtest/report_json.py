"""The hedge report as JSON, with the keys the command line documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..records import format_instant, format_micros, round_fraction
from .hedge_months import HedgeMonth
from .levels import bill_levels
from .programme import ProgrammeMonth
from .rent_study import study_json
from .report_model import HedgeReport
from .sentences import Swing


def report_to_json(report: HedgeReport) -> dict[str, Any]:
    """Write a report: prices are six-decimal strings, statistics numbers, a null has its reason."""
    values: dict[str, Any] = {
        "verdict": report.verdict.name,
        "sentence": report.sentence,
        "sentences": list(report.sentences),
        "method": report.method,
        "role": report.role,
        "benchmark": report.benchmark,
        "contract": report.contract,
        "contract_status": report.contract_status_line,
        "official_underlying": report.official_underlying,
        "proxy": report.proxy,
        "proxy_for": report.proxy_for if report.proxy else None,
        "simulated": report.simulated,
        "reconstructed": report.reconstructed,
        "origin": report.origin,
        "fixing_state": report.fixing_state,
        "now": format_instant(report.now),
        "regression": {kind: each.to_json() for kind, each in report.regressions.items()},
        "method_ratio": {kind: each.to_json() for kind, each in report.method_ratios.items()},
        "effectiveness": {name: each.to_json() for name, each in report.effectiveness.items()},
        "comparison": report.comparison.to_json(),
        "screens": report.screens.to_json(),
        "swing": _swing(report.swing),
        "basis": report.basis.to_json(),
        "settlement_basis": report.settlement_basis.to_json(),
        "basis_stationarity": _stationarity(report),
        "basis_shape": {
            "price": report.breakdown.price_shape.to_json(),
            "settlement": report.breakdown.settlement_shape.to_json(),
        },
        "breaks": report.breakdown.to_json(),
        "entry": {
            "rule": "flat: last fixing known before the trade, plus the entry premium",
            "entry_premium_percent": f"{report.entry_premium_percent}",
            "assumed": report.entry_is_assumed,
            **report.entry.to_json(),
        },
        "months": _months(report),
        "levels": _levels(report),
        "worst_month": _worst(report),
        "next_month": _next(report),
        "peak_margin": _margin(report),
        "common_dates": {
            "count": len(report.common),
            "first": report.common[0].date.isoformat(),
            "last": report.common[-1].date.isoformat(),
        },
        "rent": {
            "name": report.rent.name,
            "kind": report.rent.kind,
            "digest": report.rent.digest,
            "rows_read": report.rent.rows_read,
            "rows_used": report.rent.rows_used,
            "rows_refused": report.rent.rows_refused,
            "refused": [_reject(report, number) for number in range(report.rent.rows_refused)],
        },
        "methodology": report.methodology,
        "methodology_hash": report.methodology_hash,
        "not_covered": list(report.not_covered),
        "notes": list(report.notes),
        "attributions": list(report.attributions),
        "unit_question": report.unit_question,
    }
    study, absent = study_json(report)
    values |= study
    reasons = _absent(report) | absent
    if reasons:
        values["reason"] = reasons
    rounded: dict[str, Any] = _rounded(values)
    return rounded


def _rounded(value: Any) -> Any:
    """Statistics to ten decimals: more would be the machine's, not the data's."""
    if isinstance(value, float):
        return round(value, 10) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value


def _absent(report: HedgeReport) -> dict[str, str]:
    """Why each absent value of the top level is absent."""
    reasons: dict[str, str] = {}
    if report.contract is None:
        why = "no contract was named; the mean of the month's fixings stands in, never called settled"
        reasons |= dict.fromkeys(("contract", "contract_status", "official_underlying"), why)
    if not report.proxy:
        reasons["proxy_for"] = "the benchmark is the contract's own underlying"
    if report.origin is None:
        reasons["origin"] = "candidates have not been published, so they are neither live nor backcast"
    return reasons


def _money(micros: int | None) -> str | None:
    return None if micros is None else format_micros(micros)


def _by_premium(values: Mapping[int, int] | None) -> dict[str, str] | None:
    if values is None:
        return None
    return {f"{premium:+d}%" if premium else "0%": format_micros(value) for premium, value in values.items()}


def _swing(swing: Swing | None) -> dict[str, Any]:
    if swing is None:
        return {"unhedged": None, "hedged": None, "reason": "there is no walk-forward effectiveness"}
    return {
        "unhedged": format_micros(swing.unhedged_micros),
        "hedged": format_micros(swing.hedged_micros),
        "unit": "USD a month" if swing.is_bill else "USD per GPU-hour",
    }


def _stationarity(report: HedgeReport) -> dict[str, Any]:
    if report.stationarity is None:
        return {"adf_p": None, "stable": None, "reason": report.stationarity_reason}
    return report.stationarity.to_json()


def _levels(report: HedgeReport) -> dict[str, Any]:
    found = bill_levels(report.programme, report.role)
    if found is None:
        reason = report.entry.reason or "one month is no distribution"
        return {
            "months": len(report.programme),
            "unit": None,
            "unhedged": None,
            "hedged": None,
            "reason": reason,
        }
    return found.to_json()


def _worst(report: HedgeReport) -> dict[str, Any]:
    worst = report.worst
    if worst is None:
        return {"unhedged": None, "hedged": None, "reason": report.entry.reason}
    return {
        "unhedged": format_micros(worst.unhedged_micros),
        "unhedged_month": worst.unhedged_month,
        "hedged": _by_premium(worst.hedged_micros),
        "unit": "USD a month" if worst.is_bill else "USD per GPU-hour",
    }


def _next(report: HedgeReport) -> dict[str, Any]:
    each = report.next_month
    if each is None:
        return {"month": None, "lots": None, "reason": report.next_month_reason}
    return {
        "month": each.month,
        "ratio": each.ratio,
        "learned_from": each.learned_from,
        "planned_gpu_hours": each.planned_gpu_hours,
        "hedged_gpu_hours": each.hedged_gpu_hours,
        "unit_gpu_hours": each.unit_gpu_hours,
        "lots": each.lots,
    }


def _margin(report: HedgeReport) -> dict[str, Any]:
    if report.margin is None:
        return {
            "peak_variation": None,
            "largest_fall": None,
            "peak_date": None,
            "initial": None,
            "modelled": True,
            "reason": report.margin_reason,
        }
    return report.margin.to_json()


def _reject(report: HedgeReport, number: int) -> dict[str, Any]:
    reject = report.rent.rejects[number]
    return {
        "line": reject.line,
        "reason": reject.reason,
        "field": reject.field,
        "value": reject.value,
        "sentence": reject.sentence,
    }


def _months(report: HedgeReport) -> list[dict[str, Any]]:
    """One row per hedge month: entry, settlement, and, where simulated, position and bills."""
    ran = {each.month: each for each in report.programme}
    rows: list[dict[str, Any]] = []
    for each in report.months:
        row: dict[str, Any] = {
            "month": each.month,
            "entry_date": each.entry_date.isoformat(),
            "fixing_date": each.fixing_date.isoformat(),
            "entry_price": format_micros(each.entry_price_micros),
            "entry_source": each.entry_source,
            "last_rent": format_micros(each.last_rent_micros),
            "rent": format_micros(round_fraction(each.rent)),
            "rent_days": each.rent_days,
            "settlement_price": _money(each.settlement_micros),
            "settled_on": each.settled_on,
            "status": each.status,
            "fixings": each.fixings,
            "expected": each.expected,
        }
        simulated = ran.get(each.month)
        row |= {
            "ratio": None if simulated is None else simulated.ratio,
            "learned_from": None if simulated is None else simulated.learned_from,
            "lots": None if simulated is None else simulated.lots,
            "hedged_gpu_hours": None
            if simulated is None or simulated.hedged_seconds is None
            else simulated.hedged_seconds / 3600,
            "unhedged_rate": None if simulated is None else format_micros(simulated.rate_micros),
            "hedged_rate": None if simulated is None else _by_premium(simulated.hedged_rate_micros),
            "unhedged_bill": None if simulated is None else _money(simulated.bill_micros),
            "hedged_bill": None if simulated is None else _by_premium(simulated.hedged_bill_micros),
        }
        reason = _month_reason(report, each, simulated)
        if reason is not None:
            row["reason"] = reason
        rows.append(row)
    return rows


def _month_reason(report: HedgeReport, each: HedgeMonth, simulated: ProgrammeMonth | None) -> str | None:
    """Why figures of one month are absent."""
    if each.reason is not None:
        return each.reason
    if simulated is None:
        return "not simulated: too few hedge months were over at its entry to learn a ratio from"
    if simulated.bill_micros is None:
        return "no hours are known, so there are rates and no lots or bills"
    if report.contract is None:
        return "no contract was named, so the position is in GPU-hours, not lots"
    return simulated.note
