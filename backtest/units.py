"""The unit of a rent: asked about where its level looks like another one, answered by the user, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..records import UsageError, divide_half_even, format_micros, median_half_even
from .rent_book import RentBook, RentDay
from .series import CommonDate

CENTS_BETWEEN = (60.0, 170.0)
NODES_BETWEEN = {2: (1.85, 2.15), 4: (3.6, 4.5), 8: (6.0, 11.0), 16: (14.0, 18.0)}
"""How far the median rent may stand above the reference before its unit is asked about: near 100 it may be
in cents, near the size of a node it may be the price of one. A dear rent is asked about as well; that
costs an answer, a wrong unit costs the whole report."""
LARGEST_NODE = 1024


@dataclass(frozen=True, slots=True)
class UnitAnswer:
    """The user's answer: the rent is correct as written, in cents, or per node of ``divisor`` GPUs."""

    kind: Literal["correct", "cents", "per-node"]
    divisor: int = 1

    @property
    def note(self) -> str:
        """What was done to the rent."""
        if self.kind == "correct":
            return "The unit of the rent was confirmed: dollars per GPU-hour."
        if self.kind == "cents":
            return "The rent was read as cents, as you said: amounts were divided by 100."
        return f"The rent was read as the price of a node of {self.divisor} GPUs, as you said."


def read_unit(text: str | None) -> UnitAnswer | None:
    """Read ``--unit``: cents, per-node:8 or correct. Raises UsageError for anything else."""
    if text is None:
        return None
    if text == "correct":
        return UnitAnswer("correct")
    if text == "cents":
        return UnitAnswer("cents", 100)
    word, _, count = text.partition(":")
    if word == "per-node" and count.isdigit() and 2 <= int(count) <= LARGEST_NODE:
        return UnitAnswer("per-node", int(count))
    raise UsageError(f"--unit {text} is no unit; write cents, per-node:8 or correct.")


def suspected_unit(common: Sequence[CommonDate]) -> str | None:
    """The unit a rent looks to be in by its level beside the reference, as ``--unit`` writes it; else None."""
    if not common:
        return None
    rent, reference = _medians(common)
    if reference <= 0:
        return None
    times = rent / reference
    if CENTS_BETWEEN[0] <= times <= CENTS_BETWEEN[1]:
        return "cents"
    size = next((n for n, (low, high) in NODES_BETWEEN.items() if low <= times <= high), None)
    return None if size is None else f"per-node:{size}"


def unit_question(common: Sequence[CommonDate]) -> str | None:
    """Ask about a rent whose level looks like another unit; it is never converted by guess."""
    answer = suspected_unit(common)
    if answer is None:
        return None
    rent, reference = _medians(common)
    suspect = "in cents" if answer == "cents" else f"per {answer.partition(':')[2]}-GPU node"
    return (
        f"Median rate {format_micros(rent)}, reference {format_micros(reference)}: is the rent {suspect}, or correct?"
        f" It was used as written, in dollars per GPU-hour; answer with --unit {answer} or --unit correct."
    )


def _medians(common: Sequence[CommonDate]) -> tuple[int, int]:
    rent = median_half_even(sorted(each.rent_micros for each in common))
    return rent, median_half_even(sorted(each.reference_micros for each in common))


def in_unit(rent: RentBook, answer: UnitAnswer | None) -> RentBook:
    """The rent in dollars per GPU-hour by the user's answer; as it is where there is none.

    Cents divide amounts and rates by 100. A rate per node is divided by its GPUs and its amount with
    it; an invoice's amount stands, and its hours, told in node-hours, are multiplied.
    """
    if answer is None:
        return rent
    days = tuple(_day(day, answer, spread=rent.kind == "invoices") for day in rent.days)
    return replace(rent, days=days, notes=(answer.note, *rent.notes), unit_confirmed=True)


def _day(day: RentDay, answer: UnitAnswer, *, spread: bool) -> RentDay:
    rate = divide_half_even(day.rate_micros, answer.divisor)
    if answer.kind == "per-node" and spread:
        hours = None if day.gpu_seconds is None else day.gpu_seconds * answer.divisor
        return replace(day, rate_micros=rate, gpu_seconds=hours)
    amount = None if day.amount_micros is None else divide_half_even(day.amount_micros, answer.divisor)
    return replace(day, rate_micros=rate, amount_micros=amount)
