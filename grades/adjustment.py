"""The adjustment schedule: dated factors that restate a near-miss to the good a grade prices.

An offer that misses a grade by its board, interconnect, country, node size or term may be restated as if
it met it: ``price × factor``. Several factors multiply; the product is exact, the price is rounded once,
half-even (quality adjustment by explicit factors; ILO and others, Consumer Price Index Manual: Concepts
and Methods, 2020, chapter 6). An offer restated further than ``cap`` is too far from the good and is left
out by rule. What an offer does not say is never adjusted: unknown is no near-miss.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from ..records import UsageError, day_start
from ..records.specs import SpecModel
from .catalogue import canonical_form_factor
from .interconnect import canonical_interconnect
from .names import canonical_chip
from .rules import GradeRule, rules_of
from .spec import Grade, RuleCode

AdjustedField = Literal["form_factor", "interconnect", "country", "gpu_count", "term_months"]
ADJUSTED_RULES: Mapping[AdjustedField, tuple[RuleCode, ...]] = {
    "form_factor": ("form_factor",),
    "interconnect": ("interconnect",),
    "country": ("country",),
    "gpu_count": ("min_gpus", "max_gpus"),
    "term_months": ("term_months",),
}
"""What may be restated, and the rules of a grade that a near-miss in it breaks."""
DEFAULT_CAP = "1.75"
LARGEST_CAP = 10
"""Whatever costs a tenth or ten times as much is no near-miss."""
LARGEST_TERM = 10**18
"""Bound of the numerator and the denominator of a cumulative factor: both fit 64 bits."""

_DECIMAL = re.compile(r"\d{1,4}(?:\.\d{1,6})?|\.\d{1,6}", re.ASCII)
_RATIO = re.compile(r"\d{1,9}/\d{1,9}", re.ASCII)
_READERS = {"form_factor": canonical_form_factor, "interconnect": canonical_interconnect}


def read_factor(text: object) -> Fraction:
    """An exact positive factor: ``"1.18"`` or ``"59/50"``.

    Raises ValueError for anything else, a TOML float too: it is not exact.
    """
    if isinstance(text, str):
        return _factor_of(text)
    raise ValueError(f'write it as text, such as "{text}", so that it is exact')


def _factor_of(text: str) -> Fraction:
    if not (_DECIMAL.fullmatch(text) or _RATIO.fullmatch(text)) or text.endswith("/0"):
        raise ValueError("write a positive decimal with at most six places or a ratio, such as 1.18 or 59/50")
    try:
        factor = Fraction(text)
    except ZeroDivisionError:
        raise ValueError("the ratio divides by zero") from None
    if factor <= 0:
        raise ValueError("it must be above zero")
    return factor


class Factor(SpecModel):
    """One step from a near-miss to the good: a price seen at ``from`` times ``factor`` is one at ``to``.

    In force for prices observed from ``effective_from`` to ``effective_through``, both included (UTC
    days; without the latter, until further notice). ``chip`` restricts it to one chip.
    """

    model_config = ConfigDict(populate_by_name=True)

    field: AdjustedField
    from_value: str | int = Field(alias="from")
    to_value: str | int = Field(alias="to")
    factor: str
    effective_from: date
    effective_through: date | None = None
    chip: str | None = None
    source: str | None = None
    """Where the factor comes from: a calibration with its dates, a committee's decision."""

    @field_validator("factor", mode="before")
    @classmethod
    def _exact(cls, value: object) -> object:
        read_factor(value)
        return value

    @field_validator("chip")
    @classmethod
    def _chip_of_the_catalogue(cls, value: str | None) -> str | None:
        chip = None if value is None else canonical_chip(value)
        if value is not None and chip is None:
            raise ValueError("no chip of the catalogue has this name")
        return chip

    @field_validator("from_value", "to_value", mode="before")
    @classmethod
    def _value_of_its_field(cls, value: object, info: ValidationInfo) -> object:
        field = info.data.get("field")
        if field is None:  # refused already
            return value
        if field in ("gpu_count", "term_months"):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"a {field} is a positive whole number")
            return value
        if isinstance(value, str):
            return _stated(field, value)
        raise ValueError(f"a {field} is a word")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.from_value == self.to_value:
            raise ValueError(f"a factor leads from {self.from_value} to itself; remove it")
        if self.effective_through is not None and self.effective_through < self.effective_from:
            raise ValueError(
                f"effective_through = {self.effective_through} is before effective_from = {self.effective_from}"
            )
        return self

    @property
    def exact(self) -> Fraction:
        """The factor as a fraction."""
        return read_factor(self.factor)

    @property
    def starts_at(self) -> datetime:
        """First instant in force."""
        return day_start(self.effective_from)

    @property
    def ends_before(self) -> datetime:
        """First instant no longer in force; the end of time where it is open."""
        if self.effective_through is None:
            return datetime.max.replace(tzinfo=UTC)
        return day_start(self.effective_through + timedelta(days=1))

    @property
    def words(self) -> str:
        """The step in one phrase, as `explain` prints it."""
        return f"{self.field} {self.from_value} to {self.to_value} ×{self.factor}"

    def overlaps(self, other: Factor) -> bool:
        """Whether both could restate one offer of one chip at one instant."""
        return (
            (self.field, self.from_value) == (other.field, other.from_value)
            and (self.chip is None or other.chip is None or self.chip == other.chip)
            and self.starts_at < other.ends_before
            and other.starts_at < self.ends_before
        )


def _stated(field: str, value: str) -> str:
    """A value of a field of words, as observations hold it."""
    if field == "country":
        if not re.fullmatch(r"[A-Z]{2}", value):
            raise ValueError("a country is two capital letters (ISO 3166-1), such as US")
        return value
    read = None if value == "unstated" else _READERS[field](value)
    if read is None:
        raise ValueError("what an offer does not say is never adjusted; name a stated value")
    return read


class AdjustmentSchedule(SpecModel):
    """The ``adjustments`` of a methodology: factors, and the furthest that an offer may be restated.

    The cap bounds the cumulative factor from above, and its inverse from below.
    """

    cap: str = ""
    factors: tuple[Factor, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _with_cap(self) -> Self:
        """A cap that is left out is written in, so that a record holds it whatever the default becomes."""
        object.__setattr__(self, "cap", self.cap or DEFAULT_CAP)
        return self

    @field_validator("cap", mode="before")
    @classmethod
    def _exact_cap(cls, value: object) -> object:
        if not 1 <= read_factor(value) <= LARGEST_CAP:
            raise ValueError(f"the cap bounds a factor from above; it is from 1 to {LARGEST_CAP}")
        return value

    @model_validator(mode="after")
    def _without_contradiction(self) -> Self:
        for at, factor in enumerate(self.factors):
            for other in self.factors[:at]:
                if factor.to_value == other.to_value and factor.overlaps(other):
                    raise ValueError(
                        f"two factors take {factor.field} {factor.from_value} to {factor.to_value} at one time; "
                        "keep one, or end the first with effective_through"
                    )
        return self

    @property
    def exact_cap(self) -> Fraction:
        """The cap as a fraction."""
        return read_factor(self.cap)


@dataclass(frozen=True, slots=True)
class FieldAdjustment:
    """The factors that a grade can use in one field, and the rules they relax."""

    field: AdjustedField
    rules: tuple[GradeRule, ...]
    factors: tuple[Factor, ...]

    def applies(self, factor: Factor, row: Mapping[str, Any]) -> bool:
        """Whether a factor restates this row, given by column: an exact near-miss, seen while in force."""
        seen: datetime = row["observed_at"]
        return row[self.field] == factor.from_value and factor.starts_at <= seen < factor.ends_before


def usable_adjustments(schedule: AdjustmentSchedule, grade: Grade) -> tuple[FieldAdjustment, ...]:
    """The part of a schedule that says something of this grade's near-misses, by field.

    A factor is usable where the grade asks of its field, admits what it leads to, and not what it comes
    from. Raises UsageError where two factors would restate one offer two ways, or where the cumulative
    factor would have too many digits to stay exact.
    """
    rules = {rule.code: rule for rule in rules_of(grade)}
    found = []
    for field, codes in ADJUSTED_RULES.items():
        asked = tuple(rules[code] for code in codes if code in rules)
        factors = tuple(f for f in schedule.factors if f.field == field and _is_usable(f, grade, asked))
        if factors:
            found.append(FieldAdjustment(field, asked, factors))
    _refuse_ambiguity(found)
    _refuse_too_many_digits(found)
    return tuple(found)


def _is_usable(factor: Factor, grade: Grade, asked: Sequence[GradeRule]) -> bool:
    if not asked or factor.chip not in (None, grade.chip):
        return False

    def met(value: object) -> bool:
        return all(rule.met_by({rule.column: value}) for rule in asked)

    return met(factor.to_value) and not met(factor.from_value)


def _refuse_ambiguity(found: Sequence[FieldAdjustment]) -> None:
    for part in found:
        for at, factor in enumerate(part.factors):
            for other in part.factors[:at]:
                if factor.overlaps(other):
                    raise UsageError(
                        f"adjustments take {factor.field} {factor.from_value} both to {other.to_value} and to "
                        f"{factor.to_value}, and the grade admits both; keep one."
                    )


def _refuse_too_many_digits(found: Sequence[FieldAdjustment]) -> None:
    numerator = math.prod(max(f.exact.numerator for f in part.factors) for part in found)
    denominator = math.prod(max(f.exact.denominator for f in part.factors) for part in found)
    if max(numerator, denominator) >= LARGEST_TERM:
        raise UsageError(
            "adjustments multiply to more digits than stay exact; write factors with three decimals."
        )


@dataclass(frozen=True, slots=True)
class Restatement:
    """What became of one row: the steps taken and their product; ``within_cap`` False leaves it out."""

    steps: tuple[Factor, ...]
    factor: Fraction
    within_cap: bool


def restate_row(
    schedule: AdjustmentSchedule, usable: Sequence[FieldAdjustment], row: Mapping[str, Any]
) -> Restatement | None:
    """How one row, given by column, is restated; None where a field it misses has no factor for it.

    A row that misses no adjusted rule takes no step: its factor is 1.
    """
    steps: list[Factor] = []
    factor = Fraction(1)
    for part in usable:
        if all(rule.met_by(row) for rule in part.rules):
            continue
        step = next((f for f in part.factors if part.applies(f, row)), None)
        if step is None:
            return None
        steps.append(step)
        factor *= step.exact
    cap = schedule.exact_cap
    return Restatement(tuple(steps), factor, 1 / cap <= factor <= cap)
