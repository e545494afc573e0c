"""What the first page says: strips, title, tiles and the line of evidence at its foot."""

from __future__ import annotations

from dataclasses import dataclass

from ...records import cents_from_micros, format_instant, format_micros
from ..report_model import HedgeReport
from ..sentences import less_swing
from ..wording import NONE, bill, per_hour, percent, whole_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One headline figure: what it is, its value or two, and what stands under it."""

    what: str
    before: str = NONE
    after: str | None = None
    under: str = ""

    @property
    def known(self) -> bool:
        """Whether there is a figure at all."""
        return self.before != NONE


def strips(report: HedgeReport) -> list[tuple[str, str]]:
    """The marks that hold for the whole report, each with what it means."""
    live = "" if report.live_from is None else f" Live from {report.live_from}."
    words = {
        "SIMULATED": "Prices here come from a simulated market, not a real one.",
        "RECONSTRUCTED": f"Shows what was known on {format_instant(report.now)}, rebuilt from sources loaded later.",
        "CANDIDATE": f"{report.benchmark} has not been published; these values may change.",
        "BACKCAST": f"Fixings were computed after their time.{live}",
        "PROXY": (
            f"for {report.proxy_for}."
            if report.contract is None
            else f"for {report.proxy_for}: {report.benchmark} stands in."
        ),
    }
    asked = [] if report.unit_question is None else [("UNIT?", report.unit_question)]
    return [*asked, *((mark, words[mark]) for mark in report.marks)]


def title(report: HedgeReport) -> str:
    """``Hedge report: Buyer, rent.csv, cme-gpu1 on h100-list, 2023-05 to 2026-07``."""
    hedge = f"{report.contract} on {report.benchmark}" if report.contract else report.benchmark
    first, last = report.common[0].date, report.common[-1].date
    return f"Hedge report: {report.role.capitalize()}, {report.rent.name}, {hedge}, {first:%Y-%m} to {last:%Y-%m}"


def subtitle(report: HedgeReport) -> str:
    """Contract status and method in one line."""
    parts = [f"method {report.method}"]
    if report.gpus is not None:
        parts.append(f"{report.gpus:,} GPUs")
    if report.contract_status_line is not None:
        parts.append(f"{report.contract}: {report.contract_status_line}")
    else:
        parts.append("no contract")
    return " · ".join(parts)


def tiles(report: HedgeReport) -> list[Tile]:
    """Swing, worst month, break-even entry, peak margin."""
    return [_swing(report), _worst(report), _break_even(report), _margin(report)]


def _swing(report: HedgeReport) -> Tile:
    swing = report.swing
    judged = report.effectiveness[report.method]
    if swing is None:
        return Tile(what="Monthly swing", under=judged.reason or "not estimated")
    share = judged.walk_forward
    assert share is not None
    less = less_swing(share)
    change = f"{whole_percent(less)} % {'less' if less >= 0 else 'more'}"
    unit = "" if swing.is_bill else " $/GPU-h,"
    return Tile(
        what="Monthly swing, sd",
        before=_amount(swing.unhedged_micros, is_bill=swing.is_bill),
        after=_amount(swing.hedged_micros, is_bill=swing.is_bill),
        under=f"{change},{unit} over {judged.out_of_sample_months} unseen months",
    )


def _worst(report: HedgeReport) -> Tile:
    worst = report.worst
    if worst is None:
        return Tile(what="Worst month", under=report.entry.reason or "not simulated")
    shown = [_amount(worst.hedged_micros[premium], is_bill=worst.is_bill) for premium in (-10, 10)]
    unit = "" if worst.is_bill else "$/GPU-h; "
    return Tile(
        what="Worst month",
        before=_amount(worst.unhedged_micros, is_bill=worst.is_bill),
        after=_amount(worst.hedged_micros[0], is_bill=worst.is_bill),
        under=f"{unit}{worst.unhedged_month}; hedged {shown[0]} to {shown[1]} at entry −10 to +10 %",
    )


def _break_even(report: HedgeReport) -> Tile:
    entry = report.entry
    what = "Break-even entry"
    if entry.break_even_premium is None or entry.break_even_price_micros is None:
        return Tile(what=what, under=entry.reason or "not estimated")
    assumed = "the assumed entry" if report.entry_is_assumed else "your quotes"
    return Tile(
        what=what,
        before=percent(entry.break_even_premium),
        under=f"against {assumed}; ${format_micros(entry.break_even_price_micros)}/GPU-h on average",
    )


def _margin(report: HedgeReport) -> Tile:
    margin = report.margin
    if margin is None:
        return Tile(what="Peak margin", under=report.margin_reason or "")
    draws = margin.peak_draw_micros
    initial = (
        "initial margin not published"
        if margin.initial_micros is None
        else f"plus {bill(margin.initial_micros)} initial"
    )
    return Tile(
        what="Peak margin (modelled)",
        before=bill(draws[0]),
        under=f"{bill(draws[-10])} to {bill(draws[10])} at entry −10 to +10 %; {initial}",
    )


def _amount(micros: int, *, is_bill: bool) -> str:
    if is_bill:
        return bill(micros)
    return per_hour(micros).removesuffix("/GPU-h")


def facts(report: HedgeReport, command: str | None) -> list[tuple[str, str]]:
    """The evidence at the foot: counts, rows, hashes and the command."""
    monthly = report.regressions["monthly"]
    judged = report.effectiveness[report.method]
    rent = report.rent
    listed = [
        (
            "Evidence",
            (
                f"{len(report.common)} common dates, {monthly.n} monthly changes,"
                f" {judged.out_of_sample_months} out of sample; rows used {rent.rows_used}, refused {rent.rows_refused}"
            ),
        ),
        ("Methodology", f"{report.methodology}, {report.methodology_hash}"),
        ("Rent file", f"{rent.name}, SHA-256 {rent.digest}"),
    ]
    return [*listed, ("Command", command or NONE)]


def not_covered(report: HedgeReport) -> list[tuple[str, str]]:
    """Each risk the hedge leaves, with the user's own money where incidents are stated, else a dash."""
    study = report.rent_study
    amounts = [None] * len(report.not_covered) if study is None else study.not_covered_micros()
    return [
        (risk, f"$ {NONE}" if micros is None else bill(micros))
        for risk, micros in zip(report.not_covered, amounts, strict=True)
    ]


def pnl_words(report: HedgeReport) -> str:
    """What the P&L bars are in, and whose entry prices they stand on."""
    entry = report.entry
    if entry.pnl_micros is None:
        return ""
    unit = "$" if entry.is_amount else "$ per GPU-hour rented"
    assumed = "entry assumed" if report.entry_is_assumed else "around your quotes"
    return f"{unit}, {entry.months} months, {assumed}"


def cents(micros: int) -> str:
    """An exact amount to the cent, such as ``1,234.56``."""
    hundredths = cents_from_micros(micros)
    sign = "−" if hundredths < 0 else ""
    return f"{sign}{abs(hundredths) // 100:,}.{abs(hundredths) % 100:02d}"
