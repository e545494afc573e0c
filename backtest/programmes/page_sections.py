"""The tables of a programme's page: months, profit in parts, decisions, orders refused, cash."""

from __future__ import annotations

from dataclasses import replace

from ...contracts.account import PARTS
from ...drawing.tables import Row, Section
from ...records import MICROS_PER_CENT, format_micros
from ..wording import NONE, bill, number, signed
from .figures import MonthResult, profit_parts, total_micros
from .running import ProgrammeRun

MOST_ROWS = 120


def premium_name(run: ProgrammeRun, premium: int) -> str:
    """How a column of an entry premium is headed."""
    if not run.entry_is_assumed:
        return "with the hedge"
    return f"{premium:+d} %".replace("-", "−") if premium else "0 %"


def sections(run: ProgrammeRun, months: tuple[MonthResult, ...], marks: tuple[str, ...]) -> list[Section]:
    """Every table that has something to say, with the marks of the run."""
    found = [_months(run, months), _profit(run), _cash(run), _decisions(run), _refused(run)]
    return [replace(each, marks=marks) for each in found if each.rows]


def _months(run: ProgrammeRun, months: tuple[MonthResult, ...]) -> Section:
    premiums = sorted(run.accounts)
    noun = "bill" if run.role == "buyer" else "revenue"
    rows = [
        Row(
            (
                each.month,
                f"{float(each.gpu_hours):,.0f}",
                ", ".join(signed(f"{lots:,} {contract}") for contract, lots in each.lots.items()) or NONE,
                signed(f"{float(each.excess_gpu_hours):,.0f}") if each.lots else NONE,
                bill(each.bill_micros),
                *(bill(each.hedged_bill_micros[premium]) for premium in premiums),
                *(bill(each.pnl_micros[premium]) for premium in premiums),
                "" if each.settled else "not settled",
            )
        )
        for each in months[-MOST_ROWS:]
    ]
    names = [premium_name(run, premium) for premium in premiums]
    return Section(
        title="Month by month",
        under="$ · over: hours held beyond the hours paid for, below zero: short of them",
        head=(
            "month", "GPU-hours", "lots", "over, h", noun,
            *names, *(f"P&L {name}" if run.entry_is_assumed else "P&L" for name in names), "",
        ),
        rows=tuple(rows),
        words=(2, 5 + 2 * len(premiums)),
    )  # fmt: skip


def _profit(run: ProgrammeRun) -> Section:
    """The exact parts where entries are stated; the three totals where they are assumed."""
    found = profit_parts(run)
    if found is None:
        rows = [
            Row((f"entered at {premium_name(run, premium)}", bill(total_micros(account))))
            for premium, account in sorted(run.accounts.items())
            if account.days
        ]
        return Section(
            title="Profit by entry",
            under="$ · entries assumed, so no one profit is told",
            head=("", "P&L"),
            rows=tuple(rows),
        )
    rows = [
        Row((part.replace("_", " "), format_micros(found.parts[part]))) for part in PARTS if found.parts[part]
    ]
    rows += [Row(("unexplained", format_micros(found.unexplained_micros)))]
    rows += [Row(("total", format_micros(found.total_micros)), chosen=True)]
    return Section(title="Profit in parts", under="USD, exact", head=("part", "USD"), rows=tuple(rows))


def _cash(run: ProgrammeRun) -> Section:
    """What each run of the account asked for and charged."""
    rows = []
    for premium, account in sorted(run.accounts.items()):
        if not account.days:
            continue
        moved = [line for day in account.days for line in day.lines]
        fees = sum(line.amount_micros for line in moved if line.movement.endswith("_fee"))
        interest = sum(line.amount_micros for line in moved if line.movement == "interest")
        initial = max(day.requirement.initial_cents for day in account.days)
        rows.append(
            Row(
                (
                    premium_name(run, premium),
                    bill(account.peak_draw_cents * MICROS_PER_CENT),
                    bill(initial * MICROS_PER_CENT),
                    f"{len(account.calls)}",
                    f"{sum(call.status == 'unmet' for call in account.calls)}",
                    bill(fees),
                    bill(interest),
                )
            )
        )
    return Section(
        title="Cash",
        under="$ · no margin is published for these contracts: requirements are modelled",
        head=("entry", "most put in", "largest initial", "calls", "unmet", "fees", "interest"),
        rows=tuple(rows),
    )


def _decisions(run: ProgrammeRun) -> Section:
    rows = []
    for each in run.decisions[-MOST_ROWS:]:
        ratios = (
            NONE
            if each.lesson is None
            else ", ".join(f"{number(ratio, 3)} {contract}" for contract, ratio in each.lesson.ratios.items())
        )
        traded = ", ".join(signed(f"{o.lots:+,} {o.contract} {o.month}") for o in each.orders if o.lots)
        rows.append(
            Row(
                (
                    each.day.isoformat(),
                    ratios,
                    "estimated" if each.estimated else "held",
                    f"{0 if each.lesson is None else each.lesson.learned_from}",
                    traded or NONE,
                    each.reason or "",
                )
            )
        )
    return Section(
        title="Decisions",
        under="each from fixings effective by that day's 00:00 UTC and rent of earlier days",
        head=("day", "ratio", "", "months learnt from", "traded", ""),
        rows=tuple(rows),
        words=(1, 2, 4, 5),
    )


def _refused(run: ProgrammeRun) -> Section:
    rows = [
        Row((order.day.isoformat(), f"{order.contract} {order.month}", order.refused.sentence))
        for order in run.orders
        if order.refused is not None
    ]
    return Section(
        title="Orders not traded",
        under=f"{len(rows)}, the last {MOST_ROWS} shown" if len(rows) > MOST_ROWS else f"{len(rows)}",
        head=("day", "month", "why"),
        rows=tuple(rows[-MOST_ROWS:]),
        words=(1, 2),
    )
