"""The three sentences a report opens with: the verdict, what moved, and the limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from .effectiveness import MINIMUM_CHANGES, Effectiveness
from .series import CommonDate
from .verdict import Verdict
from .wording import bill, p_value, per_hour, percent, whole_percent

Role = Literal["buyer", "provider"]

RENT_WORDS: dict[Role, str] = {"buyer": "your rent", "provider": "your rental revenue"}
MONTH_WORDS: dict[Role, str] = {"buyer": "your monthly bill", "provider": "your monthly revenue"}


@dataclass(frozen=True, slots=True)
class Swing:
    """Out-of-sample standard deviation of monthly changes, in micro-USD.

    Of the month's bill where hours are known (``is_bill``), else of the price per GPU-hour.
    """

    unhedged_micros: int
    hedged_micros: int
    is_bill: bool

    def write(self, micros: int) -> str:
        """One swing in the unit of this report."""
        return bill(micros) if self.is_bill else per_hour(micros)


def less_swing(share: float) -> float:
    """``p = 1 − √(1 − HE)``: how much smaller the swing is when the variance is HE smaller.

    Negative when the hedge adds swing; minus infinity when HE is.
    """
    return 1 - math.sqrt(1 - share)


def verdict_sentence(
    verdict: Verdict,
    role: Role,
    *,
    judged: Effectiveness,
    swing: Swing | None,
    monthly_change_count: int,
    last_rent_date: date,
    lots: str,
) -> str:
    """S1: the verdict with its numbers. ``lots`` is the position in words, such as ``12 lots``."""
    rent, month = RENT_WORDS[role], MONTH_WORDS[role]
    if verdict.name == "nothing to hedge":
        return f"Nothing to hedge: {rent} is fixed until {last_rent_date}; {lots} would add risk."
    if verdict.name == "too short":
        return (
            f"Too short to say whether this hedge covers {rent}: {monthly_change_count} monthly changes,"
            f" {MINIMUM_CHANGES} needed."
        )
    share, low, high = judged.walk_forward, judged.walk_forward_low, judged.walk_forward_high
    if swing is None or share is None or low is None or high is None:
        return f"On this evidence the hedge would not have covered {rent}: {verdict.because or 'it could not be judged'}."
    before, after = swing.write(swing.unhedged_micros), swing.write(swing.hedged_micros)
    less = whole_percent(less_swing(share))
    if verdict.name == "covers":
        return (
            f"This hedge would have covered {rent}: {month} would have swung by ±{after} instead of ±{before},"
            f" {less} % less (at least {whole_percent(less_swing(low))} %), over"
            f" {judged.out_of_sample_months} months it had not seen."
        )
    if verdict.name == "partly":
        return (
            f"This hedge would have covered part of {rent}: {month} would have swung by ±{after} instead of"
            f" ±{before}, {less} % less; the data allow {whole_percent(less_swing(low))} % to"
            f" {whole_percent(less_swing(high))} %."
        )
    if verdict.name == "made it worse":
        return (
            f"This hedge would not have covered {rent} and would have made it less steady: ±{after} a month"
            f" instead of ±{before}, {less} % more (at least {whole_percent(less_swing(high))} %)."
        )
    return (
        f"On this evidence the hedge would not have covered {rent}: {month} would have swung by ±{after}"
        f" against ±{before} without it; {_allowed(low, high, verdict.because)}."
    )


def _allowed(low: float, high: float, because: str | None) -> str:
    if low > 0:
        least, most = whole_percent(less_swing(low)), whole_percent(less_swing(high))
        return f"the data allow {least} % to {most} % less, but {because}"
    less = whole_percent(less_swing(max(high, 0.0)))
    if math.isinf(low):
        return f"the data set no bound on how much more, and allow {less} % less"
    return f"the data allow {whole_percent(less_swing(low))} % more to {less} % less"


def moved_sentence(common: Sequence[CommonDate], role: Role, adf_p: float | None, stable: bool | None) -> str:
    """S2: the largest step of the gap between rent and reference, and whether the gap has a level."""
    parts: list[str] = []
    step = largest_step(common)
    if step is None:
        parts.append("Nothing moved: rent and reference kept their distance throughout.")
    else:
        before, after = step
        rent = after.rent_micros / before.rent_micros - 1
        reference = after.reference_micros / before.reference_micros - 1
        price = "your price" if role == "buyer" else "your rental price"
        moves = [(price, rent), ("the reference", reference)]
        rent_step = abs(after.rent_micros - before.rent_micros)
        if rent_step < abs(after.reference_micros - before.reference_micros):
            moves.reverse()
        (first, by), (other, other_by) = moves
        parts.append(
            f"What moved: {first} stepped {percent(by)} on {after.date}; {other} moved {percent(other_by)}."
        )
    if stable is False and adf_p is not None:
        parts.append(
            f"The gap has no stable level (ADF p {p_value(adf_p)}); its average says nothing about next month."
        )
    return " ".join(parts)


def largest_step(common: Sequence[CommonDate]) -> tuple[CommonDate, CommonDate] | None:
    """The two consecutive common dates between which the basis moved most; None if it never moved."""
    best: tuple[CommonDate, CommonDate] | None = None
    size = 0
    for earlier, later in itertools.pairwise(common):
        moved = abs(later.basis_micros - earlier.basis_micros)
        if moved > size:
            best, size = (earlier, later), moved
    return best


@dataclass(frozen=True, slots=True)
class Position:
    """What the programme traded in all: signed lots, GPU-hours, or hours per hour rented."""

    amount: float
    months: int
    unit: Literal["lots", "GPU-hours of the reference", "GPU-hours of the reference per GPU-hour rented"]

    def write(self) -> str:
        """The position without its sign, such as ``120 lots over 10 months``."""
        size = f"{abs(self.amount):,.0f}"
        span = f"{self.months} month{'' if self.months == 1 else 's'}"
        if self.unit == "GPU-hours of the reference per GPU-hour rented":
            return f"{abs(self.amount):.2f} {self.unit} in each of {span}"
        return f"{size} {self.unit} over {span}"


def limits_sentence(role: Role, position: Position | None, *, entry_is_assumed: bool) -> str:
    """S3: what was traded and what it can't do."""
    limits = (
        "covers price only, not failed hours or a breach."
        if role == "buyer"
        else "covers price only, not unsold hours or a customer who does not pay."
    )
    if position is None:
        said = f"No month was simulated; a hedge {limits}"
    else:
        # A negative ratio turns a buyer's hedge into a sale: the sentence says what was done.
        bought = position.amount > 0 or (position.amount == 0 and role == "buyer")
        said = f"{'Bought' if bought else 'Sold'} {position.write()}; {limits}"
    return f"{said} Entry prices are assumed." if entry_is_assumed else said
