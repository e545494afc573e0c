"""Why a line is 0 by rule, or what of it stays unexplained; and what the figures assume."""

from __future__ import annotations

from collections.abc import Sequence

from ...contracts import ContractSpec, fee_schedule
from ...records import MICROS_PER_USD, Refusal
from ..hedge_months import HedgeMonth
from ..methods import METHODS
from ..programme import ProgrammeMonth
from ..report_model import HedgeReport
from .archive import Archive
from .ladder import LADDER, Dimensions, rungs
from .lines import LineName


def rules_changed(report: HedgeReport, known: HedgeMonth) -> bool:
    """Whether the index changed its rules between the last rent before entry and the end of a month."""
    return any(known.last_rent_date < day <= known.last_date for day, _ in report.methodology_changes)


def fees_micros(contract: ContractSpec | None, ran: ProgrammeMonth) -> int:
    """Trade and cash-settlement fees of a month's lots for a non-member; 0 where none are published."""
    if contract is None or not ran.lots:
        return 0
    schedule = fee_schedule(contract, "non_member")
    if isinstance(schedule, Refusal):
        return 0
    return abs(ran.lots) * (schedule.trade_micros_per_lot + schedule.settlement_micros_per_lot)


def reasons_of(
    archive: Archive, kinds: Sequence[Dimensions], indices: Sequence[str | None], months: int
) -> dict[LineName, str]:
    """By line: why it is 0 by rule, or in how many months it could not be told."""
    report, contract = archive.report, archive.contract
    reasons: dict[LineName, str] = {}
    ladders = [rungs(kind, archive.reference) for kind in kinds]
    for number, name in enumerate(LADDER):
        if not any(kind.stated()[name] for kind in kinds):
            reasons[name] = f"the rent states no {name}, so it is taken as the reference's"
        elif all(ladder[number] == ladder[number + 1] for ladder in ladders):
            reasons[name] = f"the {name} is the reference's own"
        elif name not in archive.moved:
            reasons[name] = "the archive holds it constant: both sides moved by the same in every month"
    if all(each is None for each in indices):
        reasons["cross_index"] = "no contract follows another index"
    if not any(rules_changed(report, each) for each in report.months):
        reasons["methodology"] = "the rules of the index did not change inside a month"
    reasons["day_count"] = "lots follow the hours of each month"
    if contract is None:
        reasons["rounding"] = "no contract was named, so there are no whole lots"
        reasons["fees"] = "no contract was named"
    elif isinstance(fee_schedule(contract, "non_member"), Refusal):
        reasons["fees"] = f"the fees of {contract.id} are not published"
    fixings = {day.date: day.value_micros for day in report.reference}
    if all(each.entry_price_micros == fixings.get(each.fixing_date) for each in report.months):
        reasons["roll"] = "every month was entered at the last fixing and held to settlement"
    for name, lacking in archive.missing.items():
        reasons[name] = (
            f"in {len(lacking)} of {months} months some day has no price to tell it by; there it is unexplained"
        )
    return reasons


def notes_of(archive: Archive, stands_on: str) -> list[str]:
    """What the figures assume; ``stands_on`` is the method whose positions were taken apart."""
    report, contract = archive.report, archive.contract
    entry = "the assumed entry prices" if report.entry_is_assumed else "your quotes"
    notes = [f"Futures P&L at {entry}."]
    if stands_on != report.method:
        notes.append(
            f"{METHODS[report.method].label} has no position in any month yet, so these lines stand on one hour held for"
            " each hour exposed."
        )
    schedule = None if contract is None else fee_schedule(contract, "non_member")
    if schedule is not None and not isinstance(schedule, Refusal):
        per_lot = (schedule.trade_micros_per_lot + schedule.settlement_micros_per_lot) / MICROS_PER_USD
        notes.append(
            f"Fees are ${per_lot:.2f} a lot for a non-member, trade and cash settlement; the monthly bills bear none."
        )
    if archive.by_grade:
        notes.append(
            "Sub-indices are research candidates made from today's archive; they are stored nowhere."
        )
    return notes
