"""A contract written out field by field, with where each value comes from: unknown says unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from ..records import format_micros
from .spec import ContractSpec

Standing = Literal["sourced", "assumed", "unknown", "stated"]
UNKNOWN = "unknown"

_SKIPPED = frozenset({"id", "sources", "assumed"})
_ONLY_WITH: dict[str, tuple[str, str]] = {
    "fixed_gpu_hours": ("unit_rule", "fixed"),
    "unit_gpus": ("unit_rule", "hours_in_month"),
}
"""Fields that mean something under one rule only; under another they are absent, not unknown."""
_WHERE_STATED = frozenset(
    {"averaging_last", "period_ends", "listing_cycle", "remarks", "missing_index.fill_days_at_most"}
)
"""Rules that most contracts do not have; where nothing is stated there is none, and nothing is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecLine:
    """One field of a contract as text.

    ``standing`` is ``sourced`` (``source`` says where), ``assumed`` (this product's choice),
    ``unknown``, or ``stated`` (by whoever wrote the contract, without a source).
    """

    field: str
    text: str
    standing: Standing
    source: str | None = None


def describe(spec: ContractSpec) -> tuple[SpecLine, ...]:
    """Every field of a contract in its own order; nested rules as ``fees.trade_member_micros``."""
    lines: list[SpecLine] = []
    for name in type(spec).model_fields:
        if name in _SKIPPED or _is_idle(spec, name):
            continue
        value = getattr(spec, name)
        if isinstance(value, BaseModel):
            lines.extend(
                _line(spec, name, f"{name}.{inner}", getattr(value, inner))
                for inner in type(value).model_fields
                if f"{name}.{inner}" not in _WHERE_STATED or getattr(value, inner)
            )
        else:
            lines.append(_line(spec, name, name, value))
    return tuple(lines)


def _is_idle(spec: ContractSpec, name: str) -> bool:
    if name in _WHERE_STATED and not getattr(spec, name):
        return True
    condition = _ONLY_WITH.get(name)
    return condition is not None and getattr(spec, condition[0]) != condition[1]


def _line(spec: ContractSpec, name: str, shown: str, value: object) -> SpecLine:
    if shown == "official_benchmark" and value is None:
        return SpecLine(field=shown, text="none here: every settlement is a proxy", standing="stated")
    if value is None:
        return SpecLine(field=shown, text=UNKNOWN, standing="unknown")
    text = _text(name, shown, value)
    for named in (shown, name):  # what is said of one nested rule goes before what is said of all
        if named in spec.sources:
            return SpecLine(field=shown, text=text, standing="sourced", source=spec.sources[named])
        if named in spec.assumed:
            return SpecLine(field=shown, text=text, standing="assumed")
    return SpecLine(field=shown, text=text, standing="stated")


def _text(name: str, shown: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and shown.endswith("_micros"):
        per = (
            " per lot"
            if name in {"fees", "initial_margin_micros", "maintenance_margin_micros"}
            else " per GPU-hour"
        )
        return f"${format_micros(value)}{per}"
    if isinstance(value, Mapping):
        return ", ".join(f"month {number} ends on day {day}" for number, day in sorted(value.items()))
    if isinstance(value, tuple):
        return "; ".join(str(item) for item in value)
    return str(value)
