"""The steps of a hedge run that are too small for a file of their own."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from ..contracts import ContractSpec, exact_ratio, hours_in_month, size_lots
from ..records import (
    MICROS_PER_USD,
    Fixing,
    Origin,
    Refusal,
    RentmarkError,
    UsageError,
    month_bounds,
    month_of,
    round_fraction,
)
from .basis import Basis, basis_of
from .basis_shape import BasisShape, shape_of
from .effectiveness import LEARNING_CHANGES, Effectiveness
from .hedge_months import HedgeMonth, changes_for, hedge_changes
from .margin import MarginPath, margin_path
from .methods import METHODS, RatioEstimate, RatioMethod
from .plan import HedgePlan
from .programme import Exposure, ProgrammeMonth, mean_hours
from .regressions import Regression, regress, to_dollars
from .rent import SECONDS_PER_HOUR
from .rent_book import RentBook
from .report_model import NextMonth
from .sentences import Position, Role, Swing
from .series import (
    ChangeKind,
    Changes,
    CommonDate,
    MonthMean,
    common_dates,
    observation_changes,
    observed_micros,
)


def checked_method(name: str, gpus: int | None, premium_percent: Decimal) -> RatioMethod:
    """The method of that name; raises UsageError for it or another option out of range."""
    if name not in METHODS:
        raise UsageError(f"method is {name!r}; known methods: {', '.join(METHODS)}.")
    if gpus is not None and gpus < 1:
        raise UsageError(f"gpus is {gpus}; it must be at least 1.")
    if not premium_percent.is_finite() or premium_percent <= -100:
        raise UsageError(f"entry premium is {premium_percent} %; it must be above -100 %.")
    return METHODS[name]


def known_rent(book: RentBook, now: datetime) -> tuple[RentBook, int]:
    """The book without days after ``now``, and how many those were."""
    days = tuple(day for day in book.days if day.date <= now.date())
    return replace(book, days=days), len(book.days) - len(days)


def required_common(
    book: RentBook, rates: Mapping[date, int], fixings: Mapping[date, Fixing], benchmark: str
) -> tuple[CommonDate, ...]:
    """The common dates; raises RentmarkError, saying what each side covers, where there is none."""
    observed = observed_micros(fixings)
    if not observed:
        raise RentmarkError(
            f"{benchmark} has no fixing with a value to hedge on; run `rentmark index build {benchmark}` first."
        )
    common = common_dates(rates, observed)
    if not common:
        rent_span = f"{min(rates)} to {max(rates)}" if rates else "no date up to now"
        raise RentmarkError(
            f"{book.name} ({rent_span}) and {benchmark} ({min(observed)} to {max(observed)}) share no date;"
            " ingest offers for the dates of the rent, or name another benchmark."
        )
    return common


def regressions_of(
    book: RentBook, common: Sequence[CommonDate], monthly: Changes, months: Sequence[HedgeMonth]
) -> dict[ChangeKind, Regression]:
    """The three regressions; invoices have no observation regression."""
    observation = (
        Regression(kind="observation", n=0, reason="invoices were spread evenly over their days")
        if book.kind == "invoices"
        else regress(observation_changes(common))
    )
    return {"observation": observation, "monthly": regress(monthly), "hedge": regress(hedge_changes(months))}


def method_ratios_of(
    method: RatioMethod,
    book: RentBook,
    common: Sequence[CommonDate],
    monthly: Changes,
    months: Sequence[HedgeMonth],
) -> dict[ChangeKind, RatioEstimate]:
    """The method's ratio with its interval at each horizon; invoices have no observations."""
    observation = (
        RatioEstimate(n=0, reason="invoices were spread evenly over their days")
        if book.kind == "invoices"
        else method.judge(*to_dollars(observation_changes(common)))
    )
    settled = changes_for(method, months)
    return {
        "observation": observation,
        "monthly": method.judge(*to_dollars(monthly)),
        "hedge": method.judge(*to_dollars(settled)),
    }


def swing_of(
    judged: Effectiveness, hours: Mapping[str, Exposure] | None, means: Sequence[MonthMean]
) -> Swing | None:
    """The out-of-sample swing, of the bill at the mean hours of those months where hours are known."""
    if judged.walk_forward is None or judged.swing_unhedged is None or judged.swing_hedged is None:
        return None
    judging = [mean.month for mean in means[LEARNING_CHANGES + 1 :]]
    gpu_hours = None if hours is None else mean_hours(hours, judging)
    scale = MICROS_PER_USD * (Fraction(1) if gpu_hours is None else gpu_hours)
    return Swing(
        unhedged_micros=round_fraction(exact_ratio(judged.swing_unhedged) * scale),
        hedged_micros=round_fraction(exact_ratio(judged.swing_hedged) * scale),
        is_bill=gpu_hours is not None,
    )


def margin_of(
    spec: ContractSpec | None,
    months: Sequence[HedgeMonth],
    programme: Sequence[ProgrammeMonth],
    fixings: Mapping[date, Fixing],
) -> tuple[MarginPath | None, str | None]:
    """The variation path of a programme held through a contract, or why there is none."""
    if spec is None:
        return None, "no contract was named, so there is no account to margin"
    if not any(each.lots is not None for each in programme):
        why = "no hours are known, so there are no lots" if programme else "no month was simulated"
        return None, why
    path = margin_path(spec, months, programme, fixings)
    return path, None if path is not None else "no lots were held in any simulated month"


def next_month(
    months: Sequence[HedgeMonth],
    method: RatioMethod,
    *,
    role: Role,
    gpus: int | None,
    spec: ContractSpec | None,
    last_rent: date,
    plan: HedgePlan | None = None,
) -> NextMonth | Refusal:
    """The position for the month after the last rent, from every settled hedge month."""
    month = month_of(month_bounds(month_of(last_rent))[1] + timedelta(days=1))
    planned = _planned(month, gpus, plan)
    if isinstance(planned, Refusal):
        return planned
    known = [each for each in months if each.settlement_micros is not None]
    if len(known) < method.minimum_changes:
        return Refusal("too_short", f"{len(known)} hedge months known, {method.minimum_changes} needed")
    weights = method.weights(*to_dollars(changes_for(method, known)))
    if isinstance(weights, Refusal):
        return weights
    # Hours planned around the clock go on after this month, so every weight finds hours of its own.
    ratio = sum(weights)
    sign = 1 if role == "buyer" else -1
    size = None
    if spec is not None:
        size = size_lots(spec, {month: sign * planned}, hedge_ratio=exact_ratio(ratio))[0]
    return NextMonth(
        month=month,
        ratio=ratio,
        learned_from=len(known),
        planned_gpu_hours=float(planned),
        hedged_gpu_hours=float(exact_ratio(ratio) * sign * planned)
        if size is None
        else float(size.lots * size.unit_gpu_hours),
        unit_gpu_hours=None if size is None else size.unit_gpu_hours,
        lots=None if size is None else size.lots,
    )


def _planned(month: str, gpus: int | None, plan: HedgePlan | None) -> Fraction | Refusal:
    """GPU-hours planned for the month to come: the book's exposed ones, else the GPUs around the clock."""
    if plan is not None:
        if plan.fixed_until is not None:
            return Refusal("fixed", f"the price is fixed until {plan.fixed_until}, so nothing is exposed")
        if plan.ahead is None or month not in plan.ahead:
            return Refusal("no_plan", f"the book plans no hours in {month}")
        return plan.ahead[month]
    if gpus is None:
        return Refusal("no_plan", "the number of GPUs is not given, so next month's hours are unknown")
    return Fraction(gpus * hours_in_month(month))


def settlement_basis(months: Sequence[HedgeMonth]) -> Basis:
    """The month's mean rent − what the hedge settled at."""
    gaps = [each.rent - each.settlement_micros for each in months if each.settlement_micros is not None]
    found = basis_of(gaps)
    return found if gaps else Basis(n=0, reason="no month settled")


def settlement_shape(months: Sequence[HedgeMonth]) -> BasisShape:
    """The settlement basis taken apart, each month dated by its last day."""
    settled = [each for each in months if each.settlement_micros is not None]
    gaps = [each.rent - (each.settlement_micros or 0) for each in settled]
    return shape_of([month_bounds(each.month)[1] for each in settled], gaps)


def position_of(programme: Sequence[ProgrammeMonth]) -> Position | None:
    """What the programme traded in all; None where no month was simulated."""
    count = len(programme)
    if count == 0:
        return None
    if all(each.lots is not None for each in programme):
        return Position(sum(each.lots or 0 for each in programme), count, "lots")
    if all(each.hedged_seconds is not None for each in programme):
        seconds = sum(each.hedged_seconds or 0 for each in programme)
        return Position(seconds / SECONDS_PER_HOUR, count, "GPU-hours of the reference")
    mean = sum(each.ratio for each in programme) / count
    return Position(mean, count, "GPU-hours of the reference per GPU-hour rented")


def lots_in_words(coming: NextMonth | Refusal, programme: Sequence[ProgrammeMonth]) -> str:
    """What "would add risk" to a rent that does not move."""
    if isinstance(coming, NextMonth) and coming.lots:
        return f"{abs(coming.lots):,} lots"
    position = position_of(programme)
    if position is not None and position.unit == "lots" and position.amount:
        return position.write()
    return "any lots"


def why_no_month(method: RatioMethod, months: Sequence[HedgeMonth], plan: HedgePlan | None = None) -> str:
    """Why no month was simulated."""
    if plan is not None and plan.fixed_until is not None:
        return f"the price is fixed until {plan.fixed_until}, so there is nothing to hedge"
    settled = sum(each.settlement_micros is not None for each in months)
    if settled == 0:
        return "no month settled"
    return (
        f"{settled} hedge months settled; {method.label} learns from {method.minimum_changes} of them,"
        " over at entry, before its first position"
    )


def proxy_of(spec: ContractSpec | None, benchmark: str, months: Sequence[HedgeMonth]) -> tuple[bool, str]:
    """Whether the hedge stands on a proxy, and for what."""
    if spec is None:
        return True, f"a contract's settlement: the mean of {benchmark}'s fixings of each month"
    settlements = [each.settlement for each in months if each.settlement is not None]
    if settlements:
        return any(each.proxy for each in settlements), spec.official_underlying
    return benchmark != spec.official_benchmark, spec.official_underlying


def origin_of(used: Sequence[Fixing]) -> Origin | None:
    """Backcast where any fixing is; None where none was published."""
    origins = {fixing.origin for fixing in used}
    if "backcast" in origins:
        return "backcast"
    return "live" if "live" in origins else None


def live_from(used: Sequence[Fixing]) -> date | None:
    """The first date from which every fixing was published in its own time; None where none was."""
    start: date | None = None
    for fixing in reversed(used):
        if fixing.origin != "live":
            break
        start = fixing.date
    return start


def methodology_changes(fixings: Mapping[date, Fixing]) -> tuple[tuple[date, str], ...]:
    """Dates on which the methodology that made the fixings changed, with what it changed to."""
    changes: list[tuple[date, str]] = []
    rows = list(fixings.values())
    for earlier, later in itertools.pairwise(rows):
        if later.methodology_hash != earlier.methodology_hash:
            changes.append((later.date, f"{later.methodology} {later.methodology_version}"))
    return tuple(changes)
