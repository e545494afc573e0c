"""The pages about what the hedge did: the bad months, methods compared, and accounting screens."""

from __future__ import annotations

from ..comparing import SET_SIZE, UNHEDGED
from ..methods import METHODS
from ..outcomes import TAIL_LEVEL
from ..report_model import HedgeReport
from ..screens_accounting import WORDING
from ..wording import NONE, number, p_value, percent
from .tables import Row, Section

MOST_PERIODS = 60


def effect_sections(report: HedgeReport) -> list[Section]:
    """Every section about what the hedge did."""
    return [_bad_months(report), _compared(report), _screens(report)]


def _bad_months(report: HedgeReport) -> Section:
    rows = []
    notes = []
    for name, each in report.effectiveness.items():
        found = each.outcome
        if found is None:
            continue
        ends = (
            NONE
            if found.cvar_reduction_low is None or found.cvar_reduction_high is None
            else f"{percent(-found.cvar_reduction_high, 0)} to {percent(-found.cvar_reduction_low, 0)}"
        )
        rows.append(
            Row(
                (
                    METHODS[name].label,
                    number(found.worst_unhedged, 4),
                    number(found.worst_hedged, 4),
                    NONE if found.worst_reduction is None else percent(-found.worst_reduction, 0),
                    number(found.cvar_unhedged, 4),
                    number(found.cvar_hedged, 4),
                    NONE if found.cvar_reduction is None else percent(-found.cvar_reduction, 0),
                    ends,
                    f"{found.probability_worse * 100:.1f} %",
                ),
                chosen=name == report.method,
            )
        )
        rests = f"here it rests on {found.tail_months:g} of {found.months} months."
        notes = [
            f"The tail is the mean of the worst {(1 - TAIL_LEVEL) * 100:.0f} % of demeaned months; {rests}"
        ]
    way = "rise" if report.role == "buyer" else "fall"
    return Section(
        title="Bad months, unseen",
        under=f"largest monthly {way} and tail of the rent, $/GPU-h, without the hedge and with it · last: chance of more variance",
        head=(
            "method",
            "worst without",
            "worst with",
            "change",
            "tail without",
            "tail with",
            "change",
            "95 %",
            "made it worse",
        ),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _compared(report: HedgeReport) -> Section:
    found = report.comparison
    if found.set_p_values is None:
        return Section(title="Methods compared")
    rows = tuple(
        Row(
            (
                "no hedge" if name == UNHEDGED else METHODS[name].label,
                number(found.losses[name] ** 0.5, 4),
                p_value(p),
                "in" if name in found.in_set else "out",
            ),
            chosen=name == report.method,
        )
        for name, p in sorted(found.set_p_values.items(), key=lambda pair: found.losses[pair[0]])
    )
    answer = (
        ""
        if found.spa_p_value is None
        else (
            f"That no method beats not hedging has p {p_value(found.spa_p_value)} (Hansen 2005, consistent)."
        )
    )
    return Section(
        title="Methods compared",
        under=(
            f"{found.months} unseen months · corrected for having looked at several · in: can't be told from the best"
            f" at {SET_SIZE * 100:.0f} % (model confidence set)"
        ),
        head=("method", "swing left, $/GPU-h", "p", "set"),
        rows=rows,
        words=(3,),
        notes=(answer,) if answer else (),
    )


def _screens(report: HedgeReport) -> Section:
    found = report.screens
    rows = tuple(
        Row(
            (
                each.month,
                NONE if each.offset is None else f"{float(each.offset) * 100:,.0f} %".replace("-", "−"),
                NONE
                if each.cumulative is None
                else f"{float(each.cumulative) * 100:,.0f} %".replace("-", "−"),
                NONE if each.passes is None else "within" if each.passes else "outside",
            )
        )
        for each in found.periods[-MOST_PERIODS:]
    )
    line = (
        f"Regression at the lots held: slope {number(found.slope)}, R² {number(found.r_squared)},"
        f" p {NONE if found.p_value is None else p_value(found.p_value)},"
        f" n {len(found.periods)}: {_said(found.regression_passes)}."
    )
    reasons = () if found.reason is None else (f"{found.reason[0].upper()}{found.reason[1:]}.",)
    return Section(
        title="Accounting screens",
        under="futures gain over rent loss, by month and in all; 80 to 125 % is the screen",
        head=("month", "offset", "in all", "screen"),
        rows=rows,
        words=(3,),
        notes=(WORDING, line, *reasons),
    )


def _said(passes: bool | None) -> str:
    if passes is None:
        return "too few months to screen, 30 needed"
    return "within the screen" if passes else "outside the screen"
