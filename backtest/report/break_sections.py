"""The pages about breaks: the basis taken apart, tests with their sizes, shifts of the gap, and why."""

from __future__ import annotations

from datetime import date

from markupsafe import Markup

from ..basis_shape import BasisShape
from ..breakdown import Horizon
from ..breaks import Finding, MeanShifts
from ..breaks.size_notes import measured_sizes
from ..report_model import HedgeReport
from ..wording import NONE, number, p_value, percent
from .break_plots import rolling_plot
from .tables import Row, Section

HORIZON_WORDS: dict[Horizon, str] = {"observation": "dates", "monthly": "months"}


def break_sections(report: HedgeReport) -> list[Section]:
    """Every section about breaks."""
    return [_tests(report), _shifts(report), _causes(report), _rolling(report)]


def shape_section(report: HedgeReport) -> Section:
    """The basis taken apart: what stays and what moves."""
    found = report.breakdown
    price = found.price_shape
    note = (
        f"The gap has no stable level, so {number(price.premium, 4)} is an average of the past, not a premium to count on."
        if found.descriptive
        else (
            f"The premium of {number(price.premium, 4)} stays and is no risk;"
            f" the ±{number(price.moving_sd, 4)} around it is what a hedge on this reference leaves."
        )
    )
    reasons = [
        f"{name}: {each.reason}."
        for name, each in (("price", price), ("settlement", found.settlement_shape))
        if each.reason is not None
    ]
    seasons = [
        f"{name}, seasons: {each.seasons.reason}."
        for name, each in (("price", price), ("settlement", found.settlement_shape))
        if each.seasons.reason is not None
    ]
    return Section(
        title="Premium and moving part",
        under="$/GPU-h · the premium can be budgeted, the moving part can't be hedged",
        head=(
            "basis",
            "premium",
            "moving sd",
            "moving share",
            "least",
            "most",
            "largest move",
            "half-life",
            "seasons p",
        ),
        rows=(_shape_row("price", price), _shape_row("settlement", found.settlement_shape)),
        notes=(note, *reasons, *seasons),
    )


def _shape_row(name: str, shape: BasisShape) -> Row:
    half_life = NONE if shape.half_life_days is None else f"{shape.half_life_days:,.0f} d"
    return Row(
        (
            name,
            number(shape.premium, 4),
            number(shape.moving_sd, 4),
            NONE if shape.moving_share is None else f"{shape.moving_share * 100:.0f} %",
            _dated(shape.minimum, shape.minimum_date),
            _dated(shape.maximum, shape.maximum_date),
            _dated(shape.largest_move, shape.largest_move_date),
            half_life,
            NONE if shape.seasons.p_value is None else p_value(shape.seasons.p_value),
        )
    )


def _dated(value: float | None, day: date | None) -> str:
    return NONE if value is None or day is None else f"{number(value, 4)} {day}"


def _tests(report: HedgeReport) -> Section:
    tested = report.stationarity
    if tested is None:
        first = f"The level of the gap could not be tested: {report.stationarity_reason}; breaks below are descriptive."
    elif tested.stable:
        first = f"The gap has a level it returns to (ADF p {p_value(tested.p_value)}); breaks of it can be tested."
    else:
        first = (
            f"No stable basis (ADF p {p_value(tested.p_value)}): breaks below describe the gap and test nothing about"
            " a level it never had."
        )
    rows = []
    notes = [first]
    for horizon, findings in report.breakdown.findings.items():
        for each in findings:
            rows.append(_test_row(horizon, each))
            if each.reason is not None:
                notes.append(f"{each.label}, {HORIZON_WORDS[horizon]}: {each.reason}.")
    sources = {each.critical_source for every in report.breakdown.findings.values() for each in every}
    notes += [f"5 % values: {each}." for each in sorted(filter(None, sources))]
    return Section(
        title="Tests of breaks",
        under="at 5 % · size: how often the test rejects a null that is true, docs/breaks-size.md",
        head=("test", "of", "n", "statistic", "5 % value", "null", "date", "size"),
        rows=tuple(rows),
        words=(7,),
        notes=tuple(notes),
    )


def _test_row(horizon: Horizon, finding: Finding) -> Row:
    answer = NONE if finding.rejects is None else "rejected" if finding.rejects else "stands"
    return Row(
        (
            finding.label,
            f"{finding.reads}, {HORIZON_WORDS[horizon]}",
            f"{finding.n}",
            number(finding.statistic),
            number(finding.critical),
            answer,
            ", ".join(each.isoformat() for each in finding.dates) or NONE,
            _size(finding),
        )
    )


def _size(finding: Finding) -> str:
    found = measured_sizes(finding.test, finding.n)
    if found is None or finding.statistic is None:
        return "exact for normal errors" if finding.test == "chow" else NONE
    shares, n = found
    return " · ".join(f"{process} {value:.1f} %" for process, value in shares.items()) + f" (n {n})"


def _shifts(report: HedgeReport) -> Section:
    rows: list[Row] = []
    notes = []
    for shifts in report.breakdown.shifts:
        rows += _shift_rows(shifts)
        if shifts.reason is not None:
            notes.append(f"Trim {shifts.trim * 100:.0f} %: {shifts.reason}.")
    steps = ", ".join(each.isoformat() for each in report.breakdown.sequential) or "none"
    notes.append(f"Found step by step, by a supremum F inside each regime: {steps}.")
    return Section(
        title="Shifts of the gap",
        under="best partition for each number of breaks (Bai–Perron) · ● chosen by BIC · ○ by LWZ"
        + (" · descriptive" if report.breakdown.descriptive else ""),
        head=("trim", "breaks", "BIC", "LWZ", "chosen", "first date of each new level"),
        rows=tuple(rows),
        words=(5,),
        notes=tuple(notes),
    )


def _shift_rows(shifts: MeanShifts) -> list[Row]:
    rows = []
    for count, dates in enumerate(shifts.partitions):
        by_bic, by_lwz = dates == shifts.by_bic, dates == shifts.by_lwz
        rows.append(
            Row(
                (
                    f"{shifts.trim * 100:.0f} %",
                    f"{count}",
                    number(shifts.bic[count], 3),
                    number(shifts.lwz[count], 3),
                    f"{'●' if by_bic else ''}{'○' if by_lwz else ''}" or NONE,
                    ", ".join(each.isoformat() for each in dates) or NONE,
                ),
                chosen=by_bic,
            )
        )
    return rows


def _causes(report: HedgeReport) -> Section:
    rows = [
        Row(
            (case.date.isoformat(), each.cause, each.standing, each.evidence), chosen=each.standing == "holds"
        )
        for case in report.breakdown.cases
        for each in case.findings
    ]
    moves = [
        f"{case.date}: rent {percent(case.own_move)}, reference {percent(case.reference_move)} since {case.before}."
        for case in report.breakdown.cases
    ]
    return Section(
        title="Why the gap shifted",
        under="breaks BIC believes at 15 % trim · several causes may hold",
        head=("break", "cause", "", "evidence"),
        rows=tuple(rows),
        words=(1, 2, 3),
        notes=tuple(moves),
    )


def _rolling(report: HedgeReport) -> Section:
    path = next((each for each in report.breakdown.rolling.values() if each.dates), None)
    if path is None:
        return Section(title="Rolling ratio and R²")
    return Section(
        title="Rolling ratio and R²",
        under=f"OLS of the last {path.window} changes, by the date of the last one",
        plot=Markup(rolling_plot(report)),  # noqa: S704 - our own SVG, whose text is escaped where it is drawn
    )
