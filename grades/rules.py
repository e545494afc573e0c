"""A grade as a list of rules: data that serve the panel's filter, its marks, and `grade explain` alike.

A rule is asked of a table (an Ibis predicate) or of one row (yes or no); both answers come from the same
few fields, and a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .operators.schemes import rating_scheme
from .spec import UNSTATED, UNSTATED_IF_SILENT, Grade, RuleCode

if TYPE_CHECKING:
    import ibis

SELLER_STATES_FORM_FACTOR = "seller_states_form_factor"
"""Boolean column the panel adds: this seller states a form factor for this chip in the window."""
RATING_ADMITS = "rating_admits"
"""Boolean column the panel adds: the operator's rating, as published then, reaches the grade's tier."""


@dataclass(frozen=True, slots=True)
class GradeRule:
    """One question asked of an observation.

    ``among`` wants ``column`` to hold one of ``values``, or nothing where ``unstated`` is set;
    ``not_among`` wants none of them; ``at_least`` and ``at_most`` compare with the one value;
    ``seller_silent`` and ``rating`` ask a column the panel adds. A row that does not say what a rule
    asks for fails it: unknown is never a guess.
    """

    code: RuleCode
    column: str
    kind: Literal["among", "not_among", "at_least", "at_most", "seller_silent", "rating"]
    values: tuple[Any, ...] = ()
    unstated: bool = False

    def predicate(self, table: ibis.Table) -> Any:
        """The rule as a column that is true where a row meets it and never null."""
        column = table[self.column]
        if self.kind == "among":
            met = column.isin(list(self.values)).fill_null(False) if self.values else column.isnull() & False
            return met | column.isnull() if self.unstated else met
        if self.kind == "not_among":
            return ~column.isin(list(self.values)).fill_null(False)
        if self.kind == "at_least":
            return (column >= self.values[0]).fill_null(False)
        if self.kind == "at_most":
            return (column <= self.values[0]).fill_null(False)
        if self.kind == "seller_silent":
            return ~(column.isnull() & table[SELLER_STATES_FORM_FACTOR]).fill_null(False)
        return ~column.isin(list(self.rated_services)).fill_null(False) | table[RATING_ADMITS].fill_null(
            False
        )

    def met_by(self, row: Mapping[str, Any]) -> bool:
        """Whether one row, given by column, meets the rule."""
        value = row[self.column]
        if self.kind == "among":
            return self.unstated if value is None else value in self.values
        if self.kind == "not_among":
            return value not in self.values
        if self.kind == "at_least":
            return value is not None and bool(value >= self.values[0])
        if self.kind == "at_most":
            return value is not None and bool(value <= self.values[0])
        if self.kind == "seller_silent":
            return not (value is None and row[SELLER_STATES_FORM_FACTOR])
        return value not in self.rated_services or bool(row[RATING_ADMITS])

    @property
    def rated_services(self) -> tuple[str, ...]:
        """For a ``rating``: the services its scheme rates. On any other the rating is ignored."""
        return rating_scheme(self.values[0]).services if self.kind == "rating" else ()

    @property
    def wants(self) -> str:
        """What the rule wants, in words."""
        named = ", ".join(str(value) for value in (*self.values, *([UNSTATED] if self.unstated else [])))
        if self.kind == "among":
            return named if len(self.values) + self.unstated == 1 else f"one of {named}"
        if self.kind == "not_among":
            return f"none of {named}"
        if self.kind == "at_least":
            return f"at least {named}"
        if self.kind == "at_most":
            return f"at most {named}"
        if self.kind == "seller_silent":
            return "a stated form factor, because the seller states it elsewhere"
        return f"{self.values[0]} {self.values[1]} or better"


def rules_of(grade: Grade) -> list[GradeRule]:
    """The rules of a grade in the order asked; a key that is left out asks nothing."""
    rules = [GradeRule("chip", "chip", "among", (grade.chip,))]
    words = grade.form_factor or ()
    if words:
        silence = UNSTATED in words or UNSTATED_IF_SILENT in words
        rules.append(
            GradeRule("form_factor", "form_factor", "among", grade.stated_form_factors, unstated=silence)
        )
        if UNSTATED_IF_SILENT in words and UNSTATED not in words:
            rules.append(GradeRule("seller_states_form_factor", "form_factor", "seller_silent"))
    one = [None if value is None else (value,) for value in (grade.pricing, grade.price_basis)]
    listed: list[tuple[RuleCode, str, tuple[Any, ...] | None]] = [
        ("memory_gb", "memory_gb", grade.memory_gb),
        ("interconnect", "interconnect", grade.interconnect),
        ("pricing", "pricing", one[0]),
        ("price_basis", "price_basis", one[1]),
        ("source", "source", grade.sources),
        ("sku", "sku", grade.skus),
        ("term_months", "term_months", grade.term_months),
        ("service", "service", grade.services),
        ("tenancy", "tenancy", grade.tenancy),
        ("country", "country", grade.countries),
        ("region", "region", grade.regions),
        ("seller", "seller", grade.sellers),
    ]
    for code, column, allowed in listed:
        if allowed is None:
            continue
        # a service that is not stated is the word itself; elsewhere it is an absent value
        silence = UNSTATED in allowed and column in ("interconnect", "tenancy")
        stated = tuple(value for value in allowed if not (silence and value == UNSTATED))
        rules.append(GradeRule(code, column, "among", stated, unstated=silence))
    if grade.exclude_regions is not None:
        rules.append(GradeRule("exclude_region", "region", "not_among", grade.exclude_regions))
    if grade.exclude_sellers is not None:
        rules.append(GradeRule("exclude_seller", "seller", "not_among", grade.exclude_sellers))
    bounds: list[tuple[RuleCode, str, Literal["at_least", "at_most"], int | None]] = [
        ("min_gpus", "gpu_count", "at_least", grade.min_gpus),
        ("max_gpus", "gpu_count", "at_most", grade.max_gpus),
        ("minimum_gpus_at_least", "minimum_gpus", "at_least", grade.minimum_gpus_at_least),
        ("minimum_gpus_at_most", "minimum_gpus", "at_most", grade.minimum_gpus_at_most),
    ]
    rules += [
        GradeRule(code, column, kind, (bound,)) for code, column, kind, bound in bounds if bound is not None
    ]
    if grade.rating is not None:
        rules.append(GradeRule("rating", "service", "rating", (grade.rating.scheme, grade.rating.at_least)))
    return rules


def grade_rules(grade: Grade, table: ibis.Table) -> list[tuple[RuleCode, Any]]:
    """The rules of a grade as (code, predicate that a row must meet), in the order asked.

    With ``unstated_if_silent`` the table must hold the column SELLER_STATES_FORM_FACTOR, with a rating
    the column RATING_ADMITS.
    """
    return [(rule.code, rule.predicate(table)) for rule in rules_of(grade)]


def first_refusal(grade: Grade, row: Mapping[str, Any]) -> GradeRule | None:
    """The first rule that a row does not meet, or None where it meets the grade."""
    return next((rule for rule in rules_of(grade) if not rule.met_by(row)), None)
