"""Sections of the user's own book: exposure, attribution, incidents beside the hedged part, cost of output."""

from __future__ import annotations

from ..attribution import MEANINGS, Attribution, Line
from ..book.cover import ExposureView
from ..book.exposure import MonthExposure
from ..cost_view import OPEN_RISK, CostView
from ..incidents import KINDS, LABELS, Incidents
from ..report_model import HedgeReport
from ..wording import NONE, bill, per_hour, signed
from .attribution_plot import amount
from .tables import Row, Section

MOST_SENTENCES = 12


def book_sections(report: HedgeReport) -> list[Section]:
    """Every section of the book that has something to say."""
    study = report.rent_study
    if study is None:
        return []
    found: list[Section] = []
    if study.exposure is not None:
        found += [_exposure(report, study.exposure), _cover(study.exposure)]
    if study.attribution is not None and study.attribution.lines:
        found.append(_attribution(study.attribution))
    if study.incidents is not None:
        found.append(_incidents(report, study.incidents))
    if study.cost_view is not None:
        found.append(_cost(study.cost_view))
    return found


def refused_book_rows(report: HedgeReport) -> Section:
    """Refused rows of the files beside the rent."""
    study = report.rent_study
    rows: list[Row] = []
    if study is not None:
        files = (study.incidents, None if study.cost_view is None else study.cost_view.figures)
        rows = [
            Row((each.name, f"{reject.line}", reject.sentence))
            for each in files
            if each is not None
            for reject in each.rejects
        ]
    return Section(
        title="Refused rows of other files", head=("file", "line", "why"), rows=tuple(rows), words=(2,)
    )


def _exposure(report: HedgeReport, view: ExposureView) -> Section:
    return Section(
        title="Exposure",
        under="GPU-hours · planned hours at a moving price; a provider's are negative",
        head=("month", "contract", "planned", "used", "exposed", "price"),
        rows=tuple(_exposure_row(report, each) for each in view.contracts),
        words=(1, 5),
        notes=(
            "Fixed months have no exposure, and a capped price only while the last price before the month is under its cap.",
            "Renewals are forecast exposure: they may never come.",
        )
        if view.contracts
        else (),
    )


def _exposure_row(report: HedgeReport, each: MonthExposure) -> Row:
    sign = 1 if report.role == "buyer" else -1
    words = ", ".join(each.states)
    if each.is_forecast:
        words += "; forecast" if each.notice_by is None else f"; forecast, notice by {each.notice_by}"
    if each.planned_is_actual:
        words += "; hours used stand for the plan"
    return Row(
        (
            each.month,
            each.contract,
            _hours(each.planned_hours),
            _hours(each.actual_hours),
            NONE if each.exposed_hours is None else _hours(sign * each.exposed_hours),
            words,
        )
    )


def _cover(view: ExposureView) -> Section:
    sentences = [each.sentence for each in view.above if each.sentence is not None]
    more = len(sentences) - MOST_SENTENCES
    return Section(
        title="Position beside exposure",
        under="GPU-hours · bold: held beyond the exposure, which adds risk",
        head=("month", "exposed", "held", "beyond"),
        rows=tuple(
            Row(
                (
                    each.month,
                    _hours(each.exposed_hours),
                    _hours(each.held_hours),
                    _hours(each.excess_hours) if each.excess_hours else "0",
                ),
                chosen=each.adds_risk,
            )
            for each in view.cover
        ),
        notes=(
            *sentences[:MOST_SENTENCES],
            *([f"{more} more months are in the JSON report."] if more > 0 else []),
        ),
    )


def _attribution(found: Attribution) -> Section:
    rows = [
        Row(
            (
                each.label,
                amount(each.micros, found),
                _range(each, found),
                each.reason or MEANINGS[each.name],
            ),
        )
        for each in found.lines
    ]
    rows.append(
        Row(("T", amount(found.total_micros, found), "", "actual − budget − futures P&L"), chosen=True)
    )
    return Section(
        title="What the hedge left over",
        under=f"{found.unit} · T = actual bill − budget bill − futures P&L, {_count(len(found.months), 'month')};"
        " the range is what the order of the causes decides",
        head=("cause", "amount", "both orders", ""),
        rows=tuple(rows),
        words=(3,),
        notes=(*found.notes, *_other_entries(found)),
    )


def _other_entries(found: Attribution) -> tuple[str, ...]:
    """What T would be at other entry prices, where they are assumed."""
    totals = found.total_by_premium
    if not totals:
        return ()
    said = " / ".join(amount(totals[premium], found) for premium in sorted(totals))
    return (f"T had every month been entered at −10 / 0 / +10 %: {said}; the difference is roll.",)


def _range(each: Line, found: Attribution) -> str:
    """What both orders give, where that differs in print."""
    low, high = amount(each.low_micros, found), amount(each.high_micros, found)
    return "" if low == high else f"{low} to {high}"


def _incidents(report: HedgeReport, found: Incidents) -> Section:
    ran = {each.month: each for each in report.programme}
    rows = []
    for month in sorted({*found.months, *ran}):
        one = ran.get(month)
        pnl = None if one is None else one.pnl_micros
        rows.append(
            Row(
                (
                    month,
                    NONE if one is None or one.bill_micros is None else bill(one.bill_micros),
                    NONE if pnl is None else " / ".join(bill(pnl[p]) for p in (-10, 0, 10)),
                    *(_money(found.amount_micros([kind], month)) for kind in KINDS),
                )
            )
        )
    totals = (_money(found.amount_micros([kind])) for kind in KINDS)
    rows.append(Row(("in all", "", "", *totals), chosen=True))
    noun = "bill" if report.role == "buyer" else "revenue"
    valued = sum(each.valued for each in found.incidents)
    return Section(
        title="What the hedge cannot do",
        under="$ · your incidents beside the hedged part",
        head=(
            "month",
            noun,
            "futures P&L at −10 / 0 / +10 %",
            *(LABELS[kind].removeprefix("hours that ") for kind in KINDS),
        ),
        rows=tuple(rows),
        notes=(
            "No position in futures pays for any of these.",
            *(
                [f"{valued} incidents state hours alone; they are worth the rent of their day."]
                if valued
                else []
            ),
        ),
    )


def _cost(view: CostView) -> Section:
    rows = []
    for each in view.months:
        hedged = each.hedged_micros
        rows.append(
            Row(
                (
                    each.month,
                    NONE if each.accepted_millions is None else f"{float(each.accepted_millions):,.1f}",
                    NONE if each.unhedged_micros is None else _cents(each.unhedged_micros),
                    *([NONE] * 3 if hedged is None else [_cents(hedged[p]) for p in (-10, 0, 10)]),
                    each.reason or "",
                )
            )
        )
    return Section(
        title="Rent per million accepted tokens",
        under="$ · rent alone, not the whole cost of a token",
        head=("month", "accepted, millions", "not hedged", "entry −10 %", "0 %", "+10 %", ""),
        rows=tuple(rows),
        words=(6,),
        notes=(OPEN_RISK,),
    )


def _count(number: int, noun: str) -> str:
    """A count with its noun: 1 month, 14 months."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _cents(micros: int) -> str:
    return per_hour(micros).removesuffix("/GPU-h")


def _money(micros: int) -> str:
    return bill(micros) if micros else "0"


def _hours(value: object) -> str:
    if value is None:
        return NONE
    return signed(f"{float(value):,.0f}")  # type: ignore[arg-type]
