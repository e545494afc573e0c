"""The pages a trader asks for by habit: bills as a distribution, delta inside the month, vintage and coverage."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from ..levels import Levels, bill_levels
from ..report_model import HedgeReport
from ..wording import NONE, bill, per_hour
from .tables import Row, Section

DELTA_ROWS = 6


def evidence_sections(report: HedgeReport) -> list[Section]:
    """Every such section that has something to say."""
    return [_levels(report), _delta(report), _vintage(report)]


def _levels(report: HedgeReport) -> Section:
    noun = "bill" if report.role == "buyer" else "revenue"
    found = bill_levels(report.programme, report.role)
    if found is None:
        return Section(title=f"Monthly {noun} as a distribution")

    def row(name: str, each: Levels, *, chosen: bool = False) -> Row:
        figures = (each.mean_micros, each.sd_micros, each.level_micros, each.tail_micros, each.worst_micros)
        return Row((name, *(_amount(figure, is_bill=found.is_bill) for figure in figures)), chosen=chosen)

    rows = [row("without the hedge", found.unhedged)]
    for premium, each in found.hedged.items():
        name = f"entered {premium:+d} %".replace("-", "−") if premium else "entered at 0 %"
        rows.append(row(name, each, chosen=premium == 0))
    worst = "dearest" if report.role == "buyer" else "leanest"
    return Section(
        title=f"Monthly {noun} as a distribution",
        under=f"{'$' if found.is_bill else '$/GPU-h'} · {found.months} simulated months",
        head=("", "mean", "sd", "95 % level", "worst 5 %", worst),
        rows=tuple(rows),
        notes=(
            f"The level and the tail of {found.months} months rest on the worst one or two.",
            "Fees, slippage, margin and interest: `rentmark hedge programme`.",
        ),
    )


def _amount(micros: int, *, is_bill: bool) -> str:
    return bill(micros) if is_bill else per_hour(micros).removesuffix("/GPU-h")


def _delta(report: HedgeReport) -> Section:
    """How what can still move shrinks inside the last month that settled through a contract."""
    month = next(
        (each for each in reversed(report.months) if each.settlement is not None and each.settlement_micros),
        None,
    )
    title = "Delta inside the month"
    if month is None or month.settlement is None:
        return Section(title=title)
    counted = [day for day in month.settlement.days if day.counted]
    total = sum((day.weight for day in counted), Fraction(0))
    rows: list[Row] = [Row(("before the first fixing", "0", "100 %"))]
    known = Fraction(0)
    step = max(1, -(-len(counted) // DELTA_ROWS))
    for number, day in enumerate(counted, start=1):
        known += day.weight
        if number % step == 0 or number == len(counted):
            left = float(1 - known / total) * 100
            rows.append(Row((day.date.isoformat(), f"{number}", f"{left:.0f} %")))
    return Section(
        title=title,
        under=f"{report.contract} {month.month}: share of a parallel move that still reaches the settlement, (N − k)/N",
        head=("after the fixing of", "fixings known", "delta left"),
        rows=tuple(rows),
        notes=(
            "Lots are not reduced for it: a floating rent accrues too. Unwind when the rent's own price is fixed.",
        ),
    )


def _vintage(report: HedgeReport) -> Section:
    counts = Counter(each.status for each in report.reference)
    statuses = ", ".join(
        f"{name} {counts[name]:,}" for name in ("OK", "THIN", "CARRIED", "GAP") if counts[name]
    )
    expected = [each for each in report.months if each.expected]
    rows = [
        ("methodology", f"{report.methodology}, {report.methodology_hash[:12]}"),
        ("changed", "; ".join(f"{day}: {what}" for day, what in report.methodology_changes) or "never"),
        ("origin", report.origin or "not published"),
        ("live from", NONE if report.live_from is None else report.live_from.isoformat()),
        ("days by status", statuses),
        ("used", f"{len(report.common):,} dates with a rent and an OK or THIN fixing, as first published"),
    ]
    if expected:
        least = min(expected, key=lambda each: each.fixings / (each.expected or 1))
        filled = sum(each.settlement.filled for each in expected if each.settlement is not None)
        rows += [
            ("least covered month", f"{least.month}: {least.fixings} of {least.expected} fixings"),
            ("days filled by a fallback", f"{filled}"),
        ]
    return Section(
        title="Vintage and coverage",
        under=f"{report.benchmark}",
        head=("", ""),
        rows=tuple(Row(each) for each in rows),
        words=(1,),
    )
