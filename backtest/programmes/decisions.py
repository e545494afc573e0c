"""What a programme decides, trading day by trading day, from what was known at the start of each.

A decision on day t sees fixings effective by t, 00:00 UTC, rent of earlier days and, of day t itself, only
whether its months had a mark to trade at. Positions are whole lots, half-even; what can't be traded is a
refusal with its reason, and waits for the next trading day.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from ...contracts import exact_lots, exact_ratio, hours_in_month, unit_gpu_hours
from ...contracts.account import MonthKey, trade_refusal
from ...records import Refusal, month_bounds, month_of, round_fraction
from ..rent import SECONDS_PER_HOUR
from ..rent_book import RentBook
from ..sentences import Role
from .instruments import Instrument, later_month, trading_day
from .learning import LearnedMonth, Lesson, days_before, lesson_on
from .spec import ESTIMATION_MONTHS, ProgrammeSpec

HOURS_BACK = 28
"""Days before a decision over which hours are averaged where no plan is given: four whole weeks."""
YEAR_DAYS = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammeOrder:
    """A change of one contract month's position on a decision day.

    ``target`` is what is to be held after it, ``lots`` what is traded for that; ``exact_lots`` the target
    before rounding and caps. ``capped`` says that ``max_lots`` cut it; ``refused`` why nothing is traded.
    ``rolled`` are the lots of the trade that only carry a position over from the month before.
    """

    contract: str
    month: str
    day: date
    lots: int
    target: int
    exact_lots: Fraction
    capped: bool = False
    rolled: int = 0
    refused: Refusal | None = None

    @property
    def key(self) -> MonthKey:
        """Contract and month."""
        return self.contract, self.month


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One trading day: the ratios in force, where they come from, and what is traded.

    ``seen_through`` is the last day whose fixings and rent it could know in full. ``reason`` says why
    there are no ratios, or why older ones stay in force.
    """

    day: date
    seen_through: date
    estimated: bool
    lesson: Lesson | None
    capped_ratios: tuple[str, ...]
    reason: str | None
    orders: tuple[ProgrammeOrder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Hours planned: ``gpus`` around the clock, else those of the file's last four weeks at each decision."""

    book: RentBook
    gpus: int | None

    def hours(self, month: str, day: date) -> Fraction | None:
        """GPU-hours planned for a month as of the start of a day; None where none can be known."""
        if self.gpus is not None:
            return Fraction(self.gpus * hours_in_month(month))
        first = day - timedelta(days=HOURS_BACK)
        seconds = sum(each.gpu_seconds or 0 for each in self.book.days if first <= each.date < day)
        if seconds == 0:
            return None
        return Fraction(seconds, SECONDS_PER_HOUR * 24 * HOURS_BACK) * hours_in_month(month)


def decide_all(
    programme: ProgrammeSpec,
    instruments: Sequence[Instrument],
    plan: Plan,
    learned: Sequence[LearnedMonth],
    *,
    role: Role,
    through: date,
    tailing: bool,
) -> tuple[Decision, ...]:
    """Every decision from the first month with a rent to ``through``, or the last day with a rent."""
    lead = instruments[0]
    days = plan.book.days
    last = min(through, days[-1].date)
    held: dict[MonthKey, int] = {}
    found: list[Decision] = []
    lesson: Lesson | None = None
    month = month_of(days[0].date)
    while (day := trading_day(lead.spec, month, days_before(programme, lead))) <= last:
        due = int(month[5:7]) in ESTIMATION_MONTHS[programme.reestimate]
        due = lesson is None or (due and programme.reestimate != "once")
        reason: str | None = None
        if due:
            answer = lesson_on(programme, [each.spec.id for each in instruments], learned, day, role)
            if isinstance(answer, Refusal):
                kept = "" if lesson is None else "; the ratios of the decision before stay in force"
                reason = answer.sentence + kept
            else:
                lesson = answer
        found.append(
            _decide(
                _Setting(programme, instruments, plan, role, tailing), lesson, held, month, day,
                estimated=due and reason is None, reason=reason,
            )
        )  # fmt: skip
        for order in found[-1].orders:
            held[order.key] = held.get(order.key, 0) + order.lots
        month = later_month(month, 1)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Setting:
    programme: ProgrammeSpec
    instruments: Sequence[Instrument]
    plan: Plan
    role: Role
    tailing: bool

    @property
    def sign(self) -> int:
        return 1 if self.role == "buyer" else -1


def _decide(
    setting: _Setting,
    lesson: Lesson | None,
    held: Mapping[MonthKey, int],
    month: str,
    day: date,
    *,
    estimated: bool,
    reason: str | None,
) -> Decision:
    orders: list[ProgrammeOrder] = []
    capped: list[str] = []
    if lesson is not None:
        if setting.plan.hours(month, day) is None:
            reason = f"no hours were known on {day}, so there is nothing to size"
        else:
            for instrument in setting.instruments:
                weights, cut = _weights(setting.programme, lesson, instrument.spec.id)
                capped += [instrument.spec.id] if cut else []
                trade = _strip if setting.programme.style == "strip" else _stack
                orders += trade(_Choice(setting, instrument, weights, held, month, day))
    return Decision(
        day=day,
        seen_through=day - timedelta(days=1),
        estimated=estimated,
        lesson=lesson,
        capped_ratios=tuple(capped),
        reason=reason,
        orders=tuple(orders),
    )


def _weights(programme: ProgrammeSpec, lesson: Lesson, contract: str) -> tuple[tuple[Fraction, ...], bool]:
    """A contract's weights as exact numbers, shrunk together where their sum is above the largest ratio."""
    weights = tuple(exact_ratio(each) for each in lesson.weights[contract])
    total = abs(sum(weights, Fraction(0)))
    if programme.max_ratio is None or total <= Fraction(programme.max_ratio):
        return weights, False
    return tuple(each * Fraction(programme.max_ratio) / total for each in weights), True


def _hours(setting: _Setting, weights: Sequence[Fraction], month: str, day: date) -> Fraction:
    """Signed GPU-hours to hold for a month: ``Σ_k β_k · hours_{m+k}``, its fraction, discounted if tailed."""
    planned = [setting.plan.hours(later_month(month, lag), day) or Fraction(0) for lag in range(len(weights))]
    wanted = sum((w * hours for w, hours in zip(weights, planned, strict=True)), Fraction(0))
    rules = setting.programme
    if setting.tailing and rules.tailing_rate_percent is not None:
        due = month_bounds(month)[1] + timedelta(days=rules.rent_due_days)
        years = (due - day).days / YEAR_DAYS
        wanted *= exact_ratio(math.exp(-float(rules.tailing_rate_percent) / 100 * years))
    return setting.sign * Fraction(rules.fraction) * wanted


@dataclass(frozen=True, slots=True)
class _Choice:
    """One instrument on one decision day: its weights, and what is held before it."""

    setting: _Setting
    instrument: Instrument
    weights: Sequence[Fraction]
    held: Mapping[MonthKey, int]
    month: str
    day: date

    @property
    def months_ahead(self) -> list[str]:
        return [later_month(self.month, n) for n in range(1, self.setting.programme.months_ahead + 1)]

    def hours(self, month: str) -> Fraction:
        return _hours(self.setting, self.weights, month, self.day)

    def holding(self, month: str) -> int:
        return self.held.get((self.instrument.spec.id, month), 0)


def _strip(choice: _Choice) -> list[ProgrammeOrder]:
    """Each month ahead brought to its own lots."""
    orders = []
    for month in choice.months_ahead:
        exact = exact_lots(1, choice.hours(month), unit_gpu_hours(choice.instrument.spec, month))
        orders.append(_order(choice, month, exact))
    return [each for each in orders if each is not None]


def _stack(choice: _Choice) -> list[ProgrammeOrder]:
    """The months ahead held in the next contract month, and what the nearer one holds rolled into it."""
    near, far = choice.month, later_month(choice.month, 1)
    spec, day = choice.instrument.spec, choice.day
    hours = sum((choice.hours(month) for month in choice.months_ahead), Fraction(0))
    leaving = choice.holding(near)
    opens = _order(choice, far, exact_lots(1, hours, unit_gpu_hours(spec, far)), carried=leaving)
    if leaving == 0:
        return [] if opens is None else [opens]
    closes = ProgrammeOrder(
        contract=spec.id, month=near, day=day, lots=-leaving, target=0, exact_lots=Fraction(0),
        rolled=-leaving, refused=_refusal(choice.instrument, near, day, -leaving),
    )  # fmt: skip
    if closes.refused is not None:
        return [_withheld(closes)]
    if opens is not None and opens.refused is not None:
        return [_withheld(closes, opens.refused), opens]
    return [closes] if opens is None else [closes, opens]


def _order(choice: _Choice, month: str, exact: Fraction, *, carried: int = 0) -> ProgrammeOrder | None:
    """The trade that brings a month to its lots; None where it holds them already and nothing is to be said."""
    target = round_fraction(exact)
    most = choice.setting.programme.max_lots
    capped = most is not None and abs(target) > most
    if most is not None and capped:
        target = most if target > 0 else -most
    lots = target - choice.holding(month)
    if lots == 0 and (target != 0 or exact == 0):
        return None
    rolled = 0
    if carried * lots > 0:
        rolled = min(abs(carried), abs(lots)) * (1 if lots > 0 else -1)
    order = ProgrammeOrder(
        contract=choice.instrument.spec.id, month=month, day=choice.day, lots=lots, target=target, exact_lots=exact,
        capped=capped, rolled=rolled,
        refused=_refusal(choice.instrument, month, choice.day, lots) if lots else Refusal(
            "zero_lots", f"{month}: {float(abs(exact)):.2f} lots round to zero; nothing is traded"
        ),
    )  # fmt: skip
    return order if order.refused is None else _withheld(order)


def _withheld(order: ProgrammeOrder, why: Refusal | None = None) -> ProgrammeOrder:
    """The order as refused: nothing is traded, the position stays as it is."""
    return ProgrammeOrder(
        contract=order.contract, month=order.month, day=order.day, lots=0, target=order.target,
        exact_lots=order.exact_lots, capped=order.capped, refused=why or order.refused,
    )  # fmt: skip


def _refusal(instrument: Instrument, month: str, day: date, lots: int) -> Refusal | None:
    refused = trade_refusal(instrument.spec, month, day, lots, None)
    if refused is not None:
        return refused
    ended = instrument.view.ended_by(day)
    if ended is not None:
        return ended
    entry = instrument.entry_mark(month, day)
    return entry if isinstance(entry, Refusal) else None
