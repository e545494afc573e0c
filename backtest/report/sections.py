"""The pages after the first: ratios, effectiveness, basis, the programme by month, refused rows."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from ...records import format_micros, round_fraction
from ..basis import Basis
from ..methods import METHODS
from ..programme import ProgrammeMonth
from ..rent import SECONDS_PER_HOUR
from ..report_model import HedgeReport
from ..wording import NONE, bill, number, p_value, signed
from .book_sections import book_sections, refused_book_rows
from .break_sections import break_sections, shape_section
from .effect_sections import effect_sections
from .evidence_sections import evidence_sections
from .result_plots import bills_plot, interval_words, margin_plot
from .tables import Row, Section

MOST_REJECTS = 50
RATIO_NAMES = {
    "observation": "observation: between common dates",
    "monthly": "monthly: between monthly means",
    "hedge": "hedge: entry to month's mean",
}


def sections(report: HedgeReport) -> list[Section]:
    """Every section that has something to say."""
    found = [
        _bills(report),
        _ratios(report),
        _method_ratios(report),
        _effectiveness(report),
        _basis(report),
        shape_section(report),
        *effect_sections(report),
        *break_sections(report),
        *evidence_sections(report),
        _margin(report),
    ]
    found += [_months(report), *book_sections(report)]
    marked = [replace(section, marks=report.marks) for section in found]
    return [
        section
        for section in (*marked, _rejects(report), refused_book_rows(report))
        if section.rows or section.plot
    ]


def _bills(report: HedgeReport) -> Section:
    noun = "bill" if report.role == "buyer" else "revenue"
    rates = report.programme and report.programme[0].bill_micros is None
    return Section(
        title=f"Monthly {noun}, with and without",
        under=("$/GPU-h" if rates else "$")
        + " · band: entry price −10 to +10 % · each ratio from earlier months alone",
        plot=Markup(bills_plot(report)),  # noqa: S704 - our own SVG, whose text is escaped where it is drawn
    )


def _ratios(report: HedgeReport) -> Section:
    rows = []
    notes = []
    for kind, each in report.regressions.items():
        interval = (
            NONE if each.ratio_low is None else f"{number(each.ratio_low)} to {number(each.ratio_high)}"
        )
        second = (
            NONE if each.fixed_b_low is None else f"{number(each.fixed_b_low)} to {number(each.fixed_b_high)}"
        )
        influential = NONE if each.influential_date is None else each.influential_date.isoformat()
        unchanged = NONE if each.share_unchanged is None else f"{each.share_unchanged * 100:.1f} %"
        rows.append(
            Row(
                (
                    RATIO_NAMES[kind],
                    number(each.ratio, 4),
                    interval,
                    second,
                    number(each.r_squared, 4),
                    f"{each.n}",
                    number(each.ratio_without_most_influential, 4),
                    influential,
                    unchanged,
                ),
                chosen=kind == "hedge",
            )
        )
        if each.reason is not None:
            notes.append(f"{kind}: {each.reason}.")
        for name in ("Newey–West", "fixed-b"):
            said = each.coverage_of(name)
            if said is not None:
                notes.append(f"{kind}, 95 % by {name}: {said}.")
    return Section(
        title="Ratios",
        under="OLS with intercept; 95 % by Newey–West and by fixed-b; positions use the hedge ratio",
        head=(
            "regression",
            "ratio",
            "95 %",
            "95 % fixed-b",
            "R²",
            "n",
            "without one",
            "that change",
            "rent unchanged",
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _method_ratios(report: HedgeReport) -> Section:
    """The ratios of the method judged, where it is another than the OLS of the table before."""
    rows = []
    notes = []
    for kind, each in report.method_ratios.items():
        ends = NONE if each.low is None else f"{number(each.low)} to {number(each.high)}"
        made_by = each.interval or NONE
        rows.append(
            Row(
                (RATIO_NAMES[kind], number(each.ratio, 4), ends, made_by, f"{each.n}"), chosen=kind == "hedge"
            )
        )
        if each.reason is not None:
            notes.append(f"{kind}: {each.reason}.")
    return Section(
        title=f"Ratios by {METHODS[report.method].label}",
        under="the method this report judges",
        head=("changes", "ratio", "95 %", "interval by", "n"),
        rows=tuple(rows) if report.method != "ols" else (),
        words=(3,),
        notes=tuple(notes),
    )


def _effectiveness(report: HedgeReport) -> Section:
    rows = []
    notes = []
    for name, each in report.effectiveness.items():
        rows.append(
            Row(
                (
                    METHODS[name].label,
                    number(each.in_sample, 3),
                    interval_words(each.walk_forward, each.walk_forward_low, each.walk_forward_high),
                    NONE
                    if each.bootstrap_t_low is None
                    else f"{number(each.bootstrap_t_low)} to {number(each.bootstrap_t_high)}",
                    f"{each.out_of_sample_months}",
                    number(each.swing_unhedged, 4),
                    number(each.swing_hedged, 4),
                ),
                chosen=name == report.method,
            )
        )
        if each.reason is not None:
            notes.append(f"{METHODS[name].label}: {each.reason}.")
        for made_by in ("percentile", "bootstrap-t"):
            said = each.coverage_of(made_by)
            if said is not None and name == report.method:
                notes.append(f"95 % by {made_by}: {said}.")
    return Section(
        title="Effectiveness by method",
        under="HE is a share of variance: 0.5 is 29 % less swing · swings in $/GPU-h",
        head=(
            "method",
            "in sample",
            "walk-forward (95 %)",
            "95 % bootstrap-t",
            "unseen months",
            "swing without",
            "swing with",
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _basis(report: HedgeReport) -> Section:
    tested = report.stationarity
    level = (
        f"Level not tested: {report.stationarity_reason}."
        if tested is None
        else f"ADF p {p_value(tested.p_value)}: the gap has {'a' if tested.stable else 'no'} level it returns to."
    )
    return Section(
        title="Basis",
        under="$/GPU-h · level is not risk: a constant premium does not make a hedge bad, the moving part does",
        head=("basis", "mean", "sd", "5 %", "median", "95 %", "n"),
        rows=(
            _basis_row("price: rent − fixing of the day", report.basis),
            _basis_row("settlement: month's rent − settlement", report.settlement_basis),
        ),
        notes=(level,),
    )


def _basis_row(name: str, basis: Basis) -> Row:
    figures = (basis.mean, basis.sd, basis.p5, basis.p50, basis.p95)
    return Row((name, *(number(figure, 4) for figure in figures), f"{basis.n}"))


def _margin(report: HedgeReport) -> Section:
    return Section(
        title="Variation account",
        under="$ paid in all by day · modelled: remaining fixings marked at the last one known · no fees",
        plot=Markup(margin_plot(report)),  # noqa: S704 - our own SVG, whose text is escaped where it is drawn
    )


def _months(report: HedgeReport) -> Section:
    ran = {each.month: each for each in report.programme}
    settled = {"final price": "", "indicative price": " i", "mean of fixings": " p", None: ""}
    rows = []
    for each in report.months:
        one = ran.get(each.month)
        price = NONE if each.settlement_micros is None else format_micros(each.settlement_micros)
        expected = f"{each.fixings}" if each.expected is None else f"{each.fixings} of {each.expected}"
        rows.append(
            Row(
                (
                    each.month,
                    each.entry_date.isoformat(),
                    format_micros(each.entry_price_micros),
                    price + settled[each.settled_on],
                    expected,
                    format_micros(round_fraction(each.rent)),
                    NONE if one is None else number(one.ratio, 4),
                    NONE if one is None else _position(one),
                    *_costs(one),
                    each.reason or "",
                )
            )
        )
    noun = "bill" if report.role == "buyer" else "revenue"
    return Section(
        title="Month by month",
        under="prices in $/GPU-h · i = indicative price, p = proxy: mean of the month's fixings",
        head=(
            "month",
            "entered",
            "entry",
            "settled",
            "fixings",
            "rent",
            "ratio",
            "position",
            f"{noun}",
            "−10 %",
            "0 %",
            "+10 %",
            "",
        ),
        rows=tuple(rows),
        words=(12,),
        notes=(
            "A month without a ratio was not simulated: too few months were over at its entry to learn from, or it has no price.",
        ),
    )


def _position(one: ProgrammeMonth) -> str:
    if one.lots is not None:
        return signed(f"{one.lots:,} lots")
    if one.hedged_seconds is not None:
        return signed(f"{one.hedged_seconds / SECONDS_PER_HOUR:,.0f} h")
    return NONE


def _costs(one: ProgrammeMonth | None) -> tuple[str, str, str, str]:
    if one is None:
        return NONE, NONE, NONE, NONE
    if one.bill_micros is not None and one.hedged_bill_micros is not None:
        held = one.hedged_bill_micros
        return bill(one.bill_micros), bill(held[-10]), bill(held[0]), bill(held[10])
    rate = one.hedged_rate_micros
    return (
        format_micros(one.rate_micros),
        format_micros(rate[-10]),
        format_micros(rate[0]),
        format_micros(rate[10]),
    )


def _rejects(report: HedgeReport) -> Section:
    rejects = report.rent.rejects
    more = len(rejects) - MOST_REJECTS
    return Section(
        title="Refused rows",
        under=f"{len(rejects)} of {report.rent.rows_read}",
        head=("line", "why"),
        rows=tuple(Row((f"{each.line}", each.sentence)) for each in rejects[:MOST_REJECTS]),
        words=(1,),
        notes=(f"{more} more are in the JSON report.",) if more > 0 else (),
    )
