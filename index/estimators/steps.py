"""Worked steps: the arithmetic of a value, each line of which can be computed again from its own terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from ...records import divide_half_even

Operation = Literal["middle", "quantile", "mean", "geometric_mean", "product", "round"]
DIGITS = Context(prec=40)
"""Logarithms and powers are computed to 40 digits, correctly rounded and so alike on every machine
(General Decimal Arithmetic), before the one rounding to a micro-dollar."""


@dataclass(frozen=True, slots=True)
class Term:
    """One number that enters a step: micro-USD per GPU-hour, or a plain ratio, and its weight."""

    label: str
    value: Fraction
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of arithmetic. ``result`` is exact, in micro-USD unless ``unit`` is ``ratio``.

    ``middle``: the middle term, or the mean of the middle two. ``quantile``: the lowest term whose
    cumulative weight is at least ``level`` of the total. ``mean`` and ``geometric_mean`` are weighted.
    ``product``: all terms multiplied. ``round``: its one term to ``level`` micro-USD, ties to even.
    """

    name: str
    operation: Operation
    terms: tuple[Term, ...]
    result: Fraction
    level: Fraction | None = None
    unit: Literal["usd", "ratio"] = "usd"

    @property
    def worked(self) -> Fraction:
        """The result once more, from the terms alone."""
        return work(self.operation, self.terms, self.level)


def step(
    name: str,
    operation: Operation,
    terms: Sequence[Term],
    level: Fraction | None = None,
    unit: Literal["usd", "ratio"] = "usd",
) -> Step:
    """A step with its result."""
    return Step(name, operation, tuple(terms), work(operation, terms, level), level, unit)


def work(operation: Operation, terms: Sequence[Term], level: Fraction | None) -> Fraction:
    """Carry out an operation on terms. Raises ValueError where it is not defined."""
    if not terms:
        raise ValueError(f"{operation} of no terms is not defined")
    values = [term.value for term in terms]
    if operation == "middle":
        half = len(values) // 2
        return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
    if operation == "product":
        result = Fraction(1)
        for value in values:
            result *= value
        return result
    if operation == "round":
        unit = Fraction(1) if level is None else level
        ratio = values[0] / unit
        return divide_half_even(ratio.numerator, ratio.denominator) * unit
    total = sum((term.weight for term in terms), Fraction(0))
    if total <= 0:
        raise ValueError(f"{operation} needs positive weight")
    if operation == "mean":
        return sum((term.value * term.weight for term in terms), Fraction(0)) / total
    if operation == "geometric_mean":
        logarithms = [DIGITS.multiply(ln(t.value), decimal_of(t.weight / total)) for t in terms if t.weight]
        return Fraction(DIGITS.exp(add(logarithms)))
    cumulative = Fraction(0)
    for term in terms:
        cumulative += term.weight
        if cumulative >= total * (Fraction(1, 2) if level is None else level):
            return term.value
    return values[-1]


def add(values: Sequence[Decimal]) -> Decimal:
    """The sum to 40 digits."""
    total = Decimal(0)
    for value in values:
        total = DIGITS.add(total, value)
    return total


def decimal_of(value: Fraction) -> Decimal:
    """A fraction to 40 digits."""
    return DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


@lru_cache(maxsize=65536)
def ln(value: Fraction) -> Decimal:
    """The natural logarithm to 40 digits. Prices repeat from day to day, so answers are kept."""
    return DIGITS.ln(decimal_of(value))
