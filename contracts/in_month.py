"""A contract inside its month: fair value, what is left to move, and what the rest must average.

With k of N fixings known, ``F = (1/N)(Σ known + Σ expected)``. A parallel shift of the remaining
expectations moves F by (N − k)/N of it. Both are identities of an arithmetic mean; where fixings
carry weights, N and N − k are sums of weights. What is expected
is a model; the one offered here is flat (every remaining fixing equals the last one known), and
whatever prints it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from ..records import Refusal, round_fraction

FLAT_EXPECTATION = "flat: every remaining fixing equals the last one known (modelled)"


def fair_value(known_micros: Sequence[int], expected_micros: Sequence[int | Fraction]) -> Fraction:
    """The exact fair value in micro-dollars per GPU-hour: the mean of known and expected fixings.

    Raises ValueError when there is neither.
    """
    total = len(known_micros) + len(expected_micros)
    if total == 0:
        raise ValueError("the fair value over no fixing days is not defined")
    return (Fraction(sum(known_micros)) + sum(expected_micros, Fraction(0))) / total


def parallel_delta(known: int, total: int) -> Fraction:
    """How much of a parallel shift of the remaining expectations reaches the settlement: (N − k)/N.

    Raises ValueError unless 0 ≤ known ≤ total and total > 0.
    """
    if total <= 0 or not 0 <= known <= total:
        raise ValueError(f"{known} known fixings of {total} is not possible")
    return Fraction(total - known, total)


def rest_must_average(
    known_sum_micros: int, known: int, total: int, settle_at_micros: int
) -> Fraction | Refusal:
    """The mean the remaining fixings must have for the month to settle at ``settle_at_micros``.

    ``y = (N·z − Σ known)/(N − k)``, exact. A refusal when no fixing remains. It can come out
    negative: then no price gets there.
    """
    if known >= total:
        return Refusal("none_remaining", f"All {total} fixings are known; nothing is left to average.")
    return Fraction(total * settle_at_micros - known_sum_micros, total - known)


@dataclass(frozen=True, slots=True, kw_only=True)
class InMonth:
    """Where an accruing month stands, in micro-dollars per GPU-hour.

    ``known_weight`` and ``remaining_weight`` are the whole weights of the known and the remaining
    fixings, and ``known_sum_micros`` is weighted by them; left out, every fixing weighs 1.
    ``total`` is the number of fixings the mean will have if every remaining one is published: the
    expected days less those already missing. The expectation is flat and *modelled*; it is None
    while no fixing at all is known. ``on_course`` is the status the month ends with if all the
    remaining fixings are published.
    """

    known: int
    total: int
    remaining: int
    already_missing: int
    known_sum_micros: int
    expectation_micros: int | None
    expectation_date: date | None
    on_course: str
    expectation_model: str = FLAT_EXPECTATION
    known_weight: int | None = None
    remaining_weight: int | None = None

    @property
    def weight_known(self) -> int:
        """The weight of the fixings known."""
        return self.known if self.known_weight is None else self.known_weight

    @property
    def weight_remaining(self) -> int:
        """The weight of the fixings to come."""
        return self.remaining if self.remaining_weight is None else self.remaining_weight

    @property
    def weight_total(self) -> int:
        """The weight the mean will have."""
        return self.weight_known + self.weight_remaining

    @property
    def known_mean_micros(self) -> int | None:
        """Mean of the fixings known so far, rounded half-even to a micro-dollar; None before the first."""
        if self.weight_known == 0:
            return None
        return round_fraction(Fraction(self.known_sum_micros, self.weight_known))

    @property
    def fair_value_exact(self) -> Fraction | None:
        """Fair value under the flat expectation, exact; None while there is nothing to expect from."""
        if self.total == 0 or self.expectation_micros is None:
            return None
        return Fraction(
            self.known_sum_micros + self.weight_remaining * self.expectation_micros, self.weight_total
        )

    @property
    def fair_value_micros(self) -> int | None:
        """Fair value rounded half-even to a micro-dollar."""
        exact = self.fair_value_exact
        return None if exact is None else round_fraction(exact)

    @property
    def delta(self) -> Fraction | None:
        """Delta to a parallel shift of the remaining expectations, (N − k)/N; None when N is 0."""
        return None if self.total == 0 else parallel_delta(self.weight_known, self.weight_total)

    def rest_must_average(self, settle_at_micros: int) -> Fraction | Refusal:
        """What the remaining fixings must average for the month to settle at a price."""
        return rest_must_average(
            self.known_sum_micros, self.weight_known, self.weight_total, settle_at_micros
        )
