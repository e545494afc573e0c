"""Adjusting: near-misses restated to the good a benchmark prices, exactly, inside the panel.

The schedule is part of the methodology (``grades.adjustment`` says what it means). Here it becomes
columns of the panel expression: which rules a factor relaxes, the cumulative factor as two integers, and
the price after it, rounded once, half-even. All of it is integer and exact decimal arithmetic.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..grades.adjustment import Factor, FieldAdjustment, usable_adjustments
from ..grades.rules import rules_of
from .methodology import Benchmark

if TYPE_CHECKING:
    import ibis

NUMERATOR, DENOMINATOR = "adjustment_numerator", "adjustment_denominator"
UNADJUSTED = "unadjusted_micros"
"""Column that keeps the price as observed; ``price_micros`` is then the restated one."""
STEPS = "adjustment_steps"
"""Column with the steps taken in words; null for a row that was not restated."""
ADJUSTMENT_COLUMNS = (NUMERATOR, DENOMINATOR, UNADJUSTED, STEPS)
CAP_RULE = "adjustment_cap"
"""The rule that leaves out a row restated further than the cap allows."""
LARGEST_ADJUSTED_MICROS = 10**12
"""A higher price is never restated: a million dollars per GPU-hour is no price, and beyond it the arithmetic
below is not proven exact."""

_WIDE = "decimal(38, 0)"
_HALF_OF_WIDE = "decimal(19, 0)"
"""The product of two of these is a ``_WIDE`` one in DuckDB and in Spark alike."""


def adjustments_of(benchmark: Benchmark) -> tuple[FieldAdjustment, ...]:
    """The factors that this benchmark's grade can use; empty where its methodology adjusts nothing."""
    schedule = benchmark.methodology.adjustments
    return () if schedule is None else usable_adjustments(schedule, benchmark.grade)


def adjusted_rules(table: ibis.Table, benchmark: Benchmark) -> list[tuple[str, Any]]:
    """The grade's rules as (code, predicate), those that a factor answers relaxed, and the cap after them."""
    parts = adjustments_of(benchmark)
    relaxed = {rule.code: part for part in parts for rule in part.rules}
    rules: list[tuple[str, Any]] = []
    for rule in rules_of(benchmark.grade):
        predicate = rule.predicate(table)
        if rule.code in relaxed:
            for factor in relaxed[rule.code].factors:
                predicate |= _applies(factor, table)
        rules.append((rule.code, predicate))
    if parts:
        rules.append((CAP_RULE, _within_cap(table, benchmark)))
    return rules


def with_factors(table: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """Add the cumulative factor of each row as NUMERATOR over DENOMINATOR, and its STEPS in words.

    A field whose rules a row meets, or for which no factor applies, adds a factor of 1: such a row is
    either no near-miss or is refused by that rule.
    """
    import ibis

    parts = adjustments_of(benchmark)
    if not parts:
        return table
    numerator: Any = ibis.literal(1, "int64")
    denominator: Any = ibis.literal(1, "int64")
    steps: Any = ibis.literal("")
    for part in parts:
        met: Any = ibis.literal(value=True)
        for rule in part.rules:
            met &= rule.predicate(table)
        numerator *= _choose(table, met, part, lambda f: ibis.literal(f.exact.numerator, "int64"), 1)
        denominator *= _choose(table, met, part, lambda f: ibis.literal(f.exact.denominator, "int64"), 1)
        steps += _choose(table, met, part, lambda f: ibis.literal(f.words + "; "), "")
    taken = ibis.cases((steps == "", ibis.null("string")), else_=steps)
    return table.mutate(**{NUMERATOR: numerator, DENOMINATOR: denominator, STEPS: taken})


def restated(table: ibis.Table, benchmark: Benchmark, *, refusal: Any | None) -> ibis.Table:
    """Put the restated price in place of the observed one, which stays as UNADJUSTED.

    ``refusal`` marks rows that another rule left out, where they were not dropped: they keep their price
    and take no step. A row beyond the cap keeps its price and shows its steps.
    """
    import ibis

    if not adjustments_of(benchmark):
        return table
    moved, steps = table[STEPS].notnull(), table[STEPS]
    if refusal is not None:
        moved &= refusal.isnull()
        told = refusal.isnull() | (refusal == CAP_RULE)
        steps = ibis.cases((told, steps), else_=ibis.null("string"))
    # zero where nothing moves: an engine that works out both branches meets no product beyond its bounds
    movable = ibis.cases((moved, table.price_micros), else_=ibis.literal(0, "int64"))
    price = ibis.cases(
        (moved, times_half_even(movable, table[NUMERATOR], table[DENOMINATOR])), else_=table.price_micros
    )
    return table.mutate(**{UNADJUSTED: table.price_micros, STEPS: steps, "price_micros": price})


def shown_adjustments(table: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """The panel's rows with ADJUSTMENT_COLUMNS, null where the methodology adjusts nothing."""
    import ibis

    if adjustments_of(benchmark):
        return table
    kinds = {NUMERATOR: "int64", DENOMINATOR: "int64", UNADJUSTED: "int64", STEPS: "string"}
    return table.mutate(**{name: ibis.null(kind) for name, kind in kinds.items()})


def times_half_even(price: Any, numerator: Any, denominator: Any) -> Any:
    """``price × numerator / denominator`` of three int64 columns, rounded once, ties to even.

    Exact for ``0 ≤ price ≤ LARGEST_ADJUSTED_MICROS``, terms below 10¹⁸ and a quotient of at most ten times
    that price (LARGEST_CAP). The quotient is first guessed in floating point, which at that size is off by one at most, then put
    right by its exact remainder.
    """
    import ibis

    def wide(left: Any, right: Any) -> Any:
        return (left.cast(_HALF_OF_WIDE) * right.cast(_HALF_OF_WIDE)).cast(_WIDE)

    ratio = numerator.cast("float64") / denominator.cast("float64")
    guess = (price.cast("float64") * ratio).floor().cast("int64")
    rest = wide(price, numerator) - wide(guess, denominator)
    divisor = denominator.cast(_WIDE)
    quotient = ibis.cases((rest < 0, guess - 1), (rest >= divisor, guess + 1), else_=guess)
    remainder = ibis.cases((rest < 0, rest + divisor), (rest >= divisor, rest - divisor), else_=rest)
    twice = remainder + remainder
    up = (twice > divisor) | ((twice == divisor) & ((quotient & 1) == 1))
    return quotient + up.cast("int64")


def _within_cap(table: ibis.Table, benchmark: Benchmark) -> Any:
    schedule = benchmark.methodology.adjustments
    assert schedule is not None
    cap: Fraction = schedule.exact_cap
    numerator, denominator = table[NUMERATOR].cast(_HALF_OF_WIDE), table[DENOMINATOR].cast(_HALF_OF_WIDE)

    def times(column: Any, term: int) -> Any:
        import ibis

        return column * ibis.literal(term, "int64").cast(_HALF_OF_WIDE)

    below = times(numerator, cap.denominator) <= times(denominator, cap.numerator)
    above = times(denominator, cap.denominator) <= times(numerator, cap.numerator)
    small = table[STEPS].isnull() | (table.price_micros <= LARGEST_ADJUSTED_MICROS)
    return below & above & small


def _choose(table: ibis.Table, met: Any, part: FieldAdjustment, value_of: Any, otherwise: Any) -> Any:
    """The value of the factor that applies; ``otherwise`` where the rules are met or none applies."""
    import ibis

    kind = ibis.literal(otherwise) if isinstance(otherwise, str) else ibis.literal(otherwise, "int64")
    cases = [(~met & _applies(factor, table), value_of(factor)) for factor in part.factors]
    return ibis.cases(*cases, else_=kind)


def _applies(factor: Factor, table: ibis.Table) -> Any:
    """Whether a row is this factor's near-miss and was seen while it was in force."""
    seen = table.observed_at >= _instant(factor.starts_at)
    if factor.effective_through is not None:
        seen &= table.observed_at < _instant(factor.ends_before)
    return ((table[factor.field] == factor.from_value) & seen).fill_null(False)


def _instant(value: datetime) -> Any:
    import ibis

    return ibis.literal(value.astimezone(UTC), "timestamp('UTC')")
