"""The board of a contract's months: what was marked, what a model expects, and how far a month has fixed.

A month that accrues joins the fixings it knows with the expectation of those to come, by its own
weights: ``F = (Σ w·S known + Σ w·E to come)/Σ w``. On its last day it is the mean it settles at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from ...records import MICROS_PER_USD, Fixing, Refusal, quantise
from ..calendars import fixing_weights
from ..listing import listed_months
from ..outcome import Settlement
from ..settlement import settle
from ..spec import ContractSpec
from .marks import BoardMark
from .models import ForwardModel, weighted_mean
from .schwartz_smith_fit import Premium, SchwartzSmithModel
from .series import Floats

MONTHS_WHERE_UNKNOWN = 12
"""Months on a board whose contract does not say how many it lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One contract month on the board; prices in micro-USD per GPU-hour.

    ``modelled_micros`` is the price the model gives: the expectation, with the premium where it is
    identified. ``parallel_delta`` is the share of the month still to fix, (N − k)/N; ``spot_delta`` how
    much of a move of the last fixing reaches the month under the model. ``premium`` belongs to the
    fixings to come. What is None comes with ``reason``.
    """

    month: str
    settlement: Settlement
    mark: BoardMark | None
    modelled_micros: int | None
    expectation_micros: int | None
    premium: Premium | Refusal | None
    spot_delta: float | None
    parallel_delta: Fraction
    reason: str | None = None

    @property
    def fixings_to_come(self) -> int:
        """Expected fixings that are not effective yet."""
        return self.settlement.expected - self.settlement.elapsed


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractBoard:
    """The months of a contract on one benchmark as of an instant."""

    spec: ContractSpec
    benchmark: str
    as_of: datetime
    model: ForwardModel | Refusal
    rows: tuple[BoardRow, ...]


def board_months(spec: ContractSpec, on: date, count: int | None = None) -> tuple[str, ...]:
    """The months a board shows on a day: those listed, or the balance of the month from the next day on.

    Where the number of listed months is unknown, 12. Raises UsageError for a count the contract
    does not list.
    """
    if spec.period != "month":
        following = on + timedelta(days=1)
        return (following.isoformat(),)
    if count is None and spec.listing_months is None:
        count = MONTHS_WHERE_UNKNOWN
    return listed_months(spec, on, count)


def contract_board(
    spec: ContractSpec,
    months: Sequence[str],
    fixings: Mapping[date, Fixing],
    *,
    benchmark: str,
    as_of: datetime,
    model: ForwardModel | Refusal,
    marks: Mapping[str, BoardMark],
) -> ContractBoard:
    """The board from the fixings and marks known at ``as_of`` and a model fitted on them.

    A refusal in place of the model leaves the modelled prices out and stands as their reason; a month
    all of whose fixings are known needs no model. Raises as ``settle``.
    """
    rows = []
    for month in months:
        settlement = settle(spec, month, fixings, benchmark=benchmark, now=as_of)
        rows.append(_row(month, settlement, fixing_weights(spec, month), model, marks.get(month)))
    return ContractBoard(spec=spec, benchmark=benchmark, as_of=as_of, model=model, rows=tuple(rows))


def _row(
    month: str,
    settlement: Settlement,
    weights: Mapping[date, int],
    model: ForwardModel | Refusal,
    mark: BoardMark | None,
) -> BoardRow:
    known = [(weights[day.date], day.value_micros or 0) for day in settlement.days if day.counted]
    to_come = [day.date for day in settlement.days if day.state == "pending"]
    come_weights = [weights[day] for day in to_come]
    total = sum(weight for weight, _ in known) + sum(come_weights)
    left = Fraction(sum(come_weights), total) if total else Fraction(0)
    modelled: int | None = None
    expected: int | None = None
    premium: Premium | Refusal | None = None
    delta: float | None = None
    reason: str | None = None
    if total == 0:
        reason = "every fixing of the month is missing"
    elif isinstance(model, Refusal) and to_come:
        reason = model.sentence
    else:
        known_usd = sum(weight * value for weight, value in known) / MICROS_PER_USD
        forward = None if isinstance(model, Refusal) else model

        def joined(values: Floats | None) -> int:
            ahead = 0.0 if values is None else weighted_mean(values, come_weights) * sum(come_weights)
            return quantise((known_usd + ahead) / total * MICROS_PER_USD)

        if forward is None or not to_come:
            modelled = expected = joined(None)
            delta = 0.0
        else:
            expected = modelled = joined(forward.expected(to_come))
            delta = weighted_mean(forward.spot_delta(to_come), come_weights) * float(left)
            if isinstance(forward, SchwartzSmithModel):
                premium = forward.premium(to_come, come_weights)
                if forward.process.premium_identified:
                    modelled = joined(forward.futures(to_come))
    return BoardRow(
        month=month,
        settlement=settlement,
        mark=mark,
        modelled_micros=modelled,
        expectation_micros=expected,
        premium=premium,
        spot_delta=delta,
        parallel_delta=left,
        reason=reason,
    )
