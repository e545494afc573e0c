"""Initial and maintenance margin, modelled: none is published for these contracts (October 2026).

``historical``: every change of the benchmark over the horizon is replayed on the position at today's
marks, and the margin is the loss that at least the stated share of them does not exceed: the k-th
smallest loss, k = ⌈q·n⌉, no averaging. Legs on several benchmarks are replayed on their common dates,
so offsets between months and grades are those that history shows. Losses are exact integers.

``proxy``: price × unit × yearly volatility × √(horizon/year) × z(q) a lot, z the normal quantile, added
up without offsets. An index is smoother than a market, which makes it a floor.

Inside its month only what has not fixed yet can move, so a leg counts with its remaining share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

from ...records import MICROS_PER_CENT, Refusal, divide_half_even, format_micros, quantise
from ..spec import ContractSpec
from .index_view import Change, IndexView, joint_changes
from .rules import MarginMethod, MarginRules
from .trades import MonthKey


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMonth:
    """Lots held in one contract month, with what they are worth and how much of it can still move."""

    spec: ContractSpec
    month: str
    lots: int
    unit_gpu_hours: int
    mark_micros: int
    remaining_share: Fraction = Fraction(1)

    @property
    def key(self) -> MonthKey:
        """Contract and month."""
        return self.spec.id, self.month

    def change_micros(self, first: int, last: int) -> int:
        """What the lots gain when the index moves from ``first`` to ``last``, in micro-dollars.

        The mark's remaining part moves in proportion, rounded half-even per GPU-hour.
        """
        share = self.remaining_share
        move = divide_half_even(
            self.mark_micros * share.numerator * (last - first), share.denominator * first
        )
        return move * self.unit_gpu_hours * self.lots


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginLine:
    """One contract month's part of a requirement: positive is required, negative an offset."""

    contract: str
    month: str
    lots: int
    amount_micros: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginRequirement:
    """What a position must keep: whole cents, rounded up, with the lines it is the sum of.

    ``modelled`` is False only for the contract's own figures. ``refused`` says why earlier methods
    gave none.
    """

    method: MarginMethod | None
    initial_cents: int
    maintenance_cents: int
    modelled: bool
    sentence: str
    lines: tuple[MarginLine, ...] = ()
    refused: tuple[Refusal, ...] = ()
    changes: int | None = None


NO_MARGIN = MarginRequirement(
    method=None, initial_cents=0, maintenance_cents=0, modelled=False, sentence="no lots, no margin"
)


def published_margin(held: Sequence[HeldMonth], rules: MarginRules) -> MarginRequirement | Refusal:
    """Lots times the contract's own margin; a refusal naming the contract that publishes none."""
    lines: list[MarginLine] = []
    maintenance = 0
    for leg in held:
        initial = leg.spec.initial_margin_micros
        if initial is None:
            return Refusal("margin_not_published", f"{leg.spec.id} publishes no margin")
        keep = leg.spec.maintenance_margin_micros
        keep = initial * rules.maintenance_percent // 100 if keep is None else keep
        lots = abs(leg.lots)
        maintenance += keep * lots
        lines.append(
            MarginLine(
                contract=leg.spec.id,
                month=leg.month,
                lots=leg.lots,
                amount_micros=initial * lots,
                sentence=f"{leg.spec.id} {leg.month}: {lots} lots × {format_micros(initial)} "
                f"= {format_micros(initial * lots)}",
            )
        )
    return MarginRequirement(
        method="published",
        initial_cents=cents_up(sum(line.amount_micros for line in lines)),
        maintenance_cents=cents_up(maintenance),
        modelled=False,
        sentence="the contract's own margin",
        lines=tuple(lines),
    )


def historical_margin(
    held: Sequence[HeldMonth], changes: Sequence[Change], rules: MarginRules
) -> MarginRequirement | Refusal:
    """The loss at the stated quantile over the changes, each replayed on the whole position.

    A refusal where the changes are too few for the quantile to lie inside them: n(1 − q) < 1.
    """
    needed = math.ceil(1 / (1 - Fraction(rules.quantile)))
    if len(changes) < needed:
        return Refusal(
            "too_short",
            f"historical margin needs {needed} changes at {percent_text(rules.quantile)}, {len(changes)} are known",
        )
    losses = sorted(
        (
            (-sum(leg.change_micros(*change.values[leg.spec.id]) for leg in held), number)
            for number, change in enumerate(changes)
        )
    )
    place = math.ceil(Fraction(rules.quantile) * len(losses)) - 1
    loss, number = losses[place]
    change = changes[number]
    lines = tuple(_historical_line(leg, change) for leg in held)
    initial = cents_up(max(0, loss))
    return MarginRequirement(
        method="historical",
        initial_cents=initial,
        maintenance_cents=_maintenance(initial, rules),
        modelled=True,
        sentence=(
            f"modelled, historical simulation: the loss at {percent_text(rules.quantile)} of {len(changes)} changes "
            f"over {rules.horizon_days} fixing dates, that from {change.first} to {change.last}"
        ),
        lines=lines,
        changes=len(changes),
    )


def _historical_line(leg: HeldMonth, change: Change) -> MarginLine:
    first, last = change.values[leg.spec.id]
    required = -leg.change_micros(first, last)
    return MarginLine(
        contract=leg.spec.id,
        month=leg.month,
        lots=leg.lots,
        amount_micros=required,
        sentence=(
            f"{leg.spec.id} {leg.month}: {leg.lots} lots × {leg.unit_gpu_hours} GPU-hours × mark "
            f"{format_micros(leg.mark_micros)} × remaining share {leg.remaining_share} × "
            f"({format_micros(last)}/{format_micros(first)} − 1) = {format_micros(-required)}"
        ),
    )


def proxy_micros_per_lot(leg: HeldMonth, rules: MarginRules) -> int | Refusal:
    """Price × unit × σ × √(h/year) × z(q) × remaining share, quantised to a micro-dollar once.

    A refusal where the rules state no volatility for the chip.
    """
    volatility = rules.volatility_percent.get(leg.spec.chip)
    if volatility is None:
        return Refusal(
            "volatility_unknown", f"the rules state no volatility_percent for {leg.spec.chip}; add one"
        )
    z = NormalDist().inv_cdf(float(rules.quantile))
    move = float(volatility) / 100 * math.sqrt(rules.horizon_days / rules.year_days) * z
    return quantise(leg.mark_micros * leg.unit_gpu_hours * move * float(leg.remaining_share))


def proxy_margin(held: Sequence[HeldMonth], rules: MarginRules) -> MarginRequirement | Refusal:
    """The stated proxy on each contract month, added up without offsets."""
    lines: list[MarginLine] = []
    for leg in held:
        per_lot = proxy_micros_per_lot(leg, rules)
        if isinstance(per_lot, Refusal):
            return per_lot
        amount = per_lot * abs(leg.lots)
        volatility = rules.volatility_percent[leg.spec.chip]
        lines.append(
            MarginLine(
                contract=leg.spec.id,
                month=leg.month,
                lots=leg.lots,
                amount_micros=amount,
                sentence=(
                    f"{leg.spec.id} {leg.month}: {abs(leg.lots)} lots × {format_micros(per_lot)} "
                    f"(mark {format_micros(leg.mark_micros)} × {leg.unit_gpu_hours} GPU-hours × {volatility} % a year "
                    f"× √({rules.horizon_days}/{rules.year_days}) × z({percent_text(rules.quantile)}) × remaining share {leg.remaining_share}) "
                    f"= {format_micros(amount)}"
                ),
            )
        )
    initial = cents_up(sum(line.amount_micros for line in lines))
    return MarginRequirement(
        method="proxy",
        initial_cents=initial,
        maintenance_cents=_maintenance(initial, rules),
        modelled=True,
        sentence=(
            f"modelled, proxy: a normal move at {percent_text(rules.quantile)} over {rules.horizon_days} days of a "
            "stated volatility, a floor because an index is smoother than a market"
        ),
        lines=tuple(lines),
    )


def margin_requirement(
    held: Sequence[HeldMonth],
    rules: MarginRules,
    *,
    views: Mapping[str, IndexView],
    day: date,
    methods: Sequence[MarginMethod] | None = None,
) -> MarginRequirement | Refusal:
    """The requirement by the first method of the rules that can answer; a refusal joining all of theirs."""
    legs = [leg for leg in held if leg.lots]
    if not legs:
        return NO_MARGIN
    ask: Mapping[MarginMethod, Callable[[], MarginRequirement | Refusal]] = {
        "published": lambda: published_margin(legs, rules),
        "historical": lambda: _historical_on(legs, rules, views, day),
        "proxy": lambda: proxy_margin(legs, rules),
    }
    refused: list[Refusal] = []
    for method in rules.methods if methods is None else methods:
        answer = ask[method]()
        if isinstance(answer, MarginRequirement):
            return replace(answer, refused=tuple(refused))
        refused.append(answer)
    return Refusal("no_margin_method", f"No margin: {'; '.join(each.sentence for each in refused)}.")


def _historical_on(
    legs: Sequence[HeldMonth], rules: MarginRules, views: Mapping[str, IndexView], day: date
) -> MarginRequirement | Refusal:
    contracts = sorted({leg.spec.id for leg in legs})
    missing = [contract for contract in contracts if contract not in views]
    if missing:
        return Refusal("no_benchmark", f"no benchmark is named for {missing[0]}")
    changes = joint_changes(
        [views[contract] for contract in contracts],
        day,
        horizon=rules.horizon_days,
        limit=rules.lookback_changes,
    )
    return historical_margin(legs, changes, rules)


def cents_up(micros: int) -> int:
    """Micro-dollars as whole cents, rounded up: a requirement is never understated."""
    return -(-micros // MICROS_PER_CENT)


def percent_text(share: Decimal) -> str:
    """A share in percent without trailing zeros: 0.99 is ``99 %``."""
    return f"{(share * 100).normalize():f} %"


def _maintenance(initial_cents: int, rules: MarginRules) -> int:
    return -(-initial_cents * rules.maintenance_percent // 100)
