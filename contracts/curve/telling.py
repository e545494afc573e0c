"""Boards, strips and models as plain JSON: six-decimal prices, an absent one null beside its reason."""

from __future__ import annotations

from typing import Any

from ...records import Refusal, format_instant, format_micros
from ..calendars import contract_month
from ..telling import price_text
from .board import BoardRow, ContractBoard
from .marks import BoardMark
from .models import UNIDENTIFIED, Estimate, ForwardModel
from .schwartz_smith_fit import Premium, SchwartzSmithModel
from .term import TermStrip, TermStructure

NO_MARK = "no mark of this month is known"
TERM_SENTENCE = "An upper bound for term rental of these months, not a mark for an on-demand future."
NO_CARRY = "GPU-hours can't be stored: spot implies no forward, and nothing here is carried from it."


def estimate_to_json(estimate: Estimate) -> dict[str, Any]:
    """A parameter with its interval; an open end is null with the reason."""
    row: dict[str, Any] = {
        "name": estimate.name,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "unit": estimate.unit,
    }
    if estimate.low is None or estimate.high is None:
        row["reason"] = "the data do not bound it"
    return row


def model_to_json(model: ForwardModel | Refusal, name: str) -> dict[str, Any]:
    """A model with what it was fitted on, or why it was refused."""
    if isinstance(model, Refusal):
        return {
            "name": name,
            "label": None,
            "modelled": True,
            "premium_identified": False,
            "estimates": [],
            "notes": [],
            "refusal": model.code,
            "reason": model.sentence,
        }
    identified = isinstance(model, SchwartzSmithModel) and model.process.premium_identified
    return {
        "name": model.name,
        "label": model.label,
        "modelled": True,
        "premium_identified": identified,
        "estimates": [estimate_to_json(estimate) for estimate in model.estimates],
        "notes": list(model.notes),
        "refusal": None,
        "reason": None if identified else UNIDENTIFIED,
    }


def mark_to_json(found: BoardMark | None) -> dict[str, Any]:
    """The last mark of a month; every key is null where there is none, with ``mark_reason``."""
    mark = None if found is None else found.mark
    row: dict[str, Any] = {
        "mark": price_text(None if mark is None else mark.settle_micros),
        "mark_date": None if mark is None else mark.trade_date.isoformat(),
        "mark_vintage": None if mark is None else format_instant(mark.vintage),
        "mark_stale": None if found is None else found.stale,
        "bid": price_text(None if mark is None else mark.bid_micros),
        "ask": price_text(None if mark is None else mark.ask_micros),
        "volume": None if mark is None else mark.volume,
        "open_interest": None if mark is None else mark.open_interest,
    }
    if mark is None:
        row["mark_reason"] = row["bid_reason"] = row["ask_reason"] = NO_MARK
    else:
        for side, value in (("bid", mark.bid_micros), ("ask", mark.ask_micros)):
            if value is None:
                row[f"{side}_reason"] = "the settlements file gives none"
    return row


def premium_to_json(row: BoardRow) -> dict[str, Any]:
    """The premium over the expectation in percent of it, with its interval; null with the reason."""
    if isinstance(row.premium, Premium):
        return {"percent": row.premium.percent, "low": row.premium.low, "high": row.premium.high}
    reason = row.premium.sentence if isinstance(row.premium, Refusal) else UNIDENTIFIED
    if not row.fixings_to_come:
        reason = "no fixing is to come"
    return {"percent": None, "low": None, "high": None, "reason": reason}


def board_row_to_json(board: ContractBoard, row: BoardRow) -> dict[str, Any]:
    """One month of a board."""
    dates = contract_month(board.spec, row.month)
    answer: dict[str, Any] = {
        "month": row.month,
        "first_fixing": dates.fixing_days[0].isoformat(),
        "last_trade": dates.last_trade_date.isoformat(),
        "status": row.settlement.status,
        "fixings": row.settlement.fixings,
        "expected": row.settlement.expected,
        "to_come": row.fixings_to_come,
        "on_course": None if row.settlement.in_month is None else row.settlement.in_month.on_course,
        **mark_to_json(row.mark),
        "modelled": price_text(row.modelled_micros),
        "expectation": price_text(row.expectation_micros),
        "premium": premium_to_json(row),
        "parallel_delta": float(row.parallel_delta),
        "spot_delta": row.spot_delta,
    }
    if row.reason is not None:
        answer["reason"] = row.reason
    return answer


def strip_to_json(strip: TermStrip) -> dict[str, Any]:
    """One strip between two tenors."""
    return {
        "seller": strip.seller,
        "sku": strip.sku,
        "region": strip.region,
        "from_months": strip.from_months,
        "to_months": strip.to_months,
        "short_price": format_micros(strip.short_micros),
        "long_price": format_micros(strip.long_micros),
        "forward": format_micros(strip.forward_micros),
        "ratio": float(strip.ratio),
        "administered": strip.administered,
        "label": strip.label,
        "observed_on": strip.observed_on.isoformat(),
        "annual_rate_percent": strip.annual_rate_percent,
    }


def term_to_json(structure: TermStructure) -> dict[str, Any]:
    """The strips of an archive and the pairs of tenors that give none."""
    return {
        "sentence": TERM_SENTENCE,
        "strips": [strip_to_json(strip) for strip in structure.strips],
        "refused": [{"rule": r.code, "reason": r.sentence} for r in structure.refusals],
    }
