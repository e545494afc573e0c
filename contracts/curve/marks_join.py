"""What a settlements file adds to the marks that stand: repeats, contradictions and gaps are said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ...records import Mark, MarkReject, format_micros
from ..listing import price_limits
from ..spec import ContractSpec
from .marks_file import RowRead, RowRefusedError, SettlementsFile, row_reject, trading_days


@dataclass(frozen=True, slots=True)
class JoinedMarks:
    """Marks to keep in the order of the file, rows refused, repeats, and sentences about the whole."""

    marks: tuple[Mark, ...]
    rejects: tuple[MarkReject, ...]
    duplicates: int
    notes: tuple[str, ...]


def join_marks(
    file: SettlementsFile, standing: Sequence[Mark], contracts: Mapping[str, ContractSpec]
) -> JoinedMarks:
    """Hold the rows of a file against each other and against the marks that stand.

    A row that repeats another, in the file or standing, is a duplicate. Two different settlements of
    one vintage are both refused, since nobody can say which holds; one that differs from what stands
    is refused too. A day without a settlement between two that have one is a sentence, never filled.
    """
    stands = {mark.key: mark for mark in standing}
    kept: list[RowRead] = []
    rejects = list(file.rejects)
    notes: list[str] = []
    duplicates = 0
    for rows in _by_key(file.rows).values():
        first = rows[0]
        if len({row.mark.prices for row in rows}) > 1:
            rejects += [_contradicted(file.name, row, rows) for row in rows]
            continue
        if len(rows) > 1:
            places = ", ".join(str(row.position + 1) for row in rows)
            notes.append(f"{file.name} rows {places} repeat {first.mark.label}; the first was kept.")
        before = stands.get(first.mark.key)
        if before is None:
            kept.append(first)
            duplicates += len(rows) - 1
        elif before.prices == first.mark.prices:
            duplicates += len(rows)
        else:
            rejects += [_differs(file.name, row, before) for row in rows]
    within, beyond = _within_limits(file.name, kept, standing, contracts)
    rejects += beyond
    marks = tuple(row.mark for row in sorted(within, key=lambda row: row.position))
    notes += _gaps([*standing, *marks], {(m.contract, m.month) for m in marks}, contracts)
    return JoinedMarks(marks, tuple(sorted(rejects, key=lambda r: r.position)), duplicates, tuple(notes))


def _by_key(rows: Iterable[RowRead]) -> dict[tuple[object, ...], list[RowRead]]:
    grouped: dict[tuple[object, ...], list[RowRead]] = {}
    for row in rows:
        grouped.setdefault(row.mark.key, []).append(row)
    return grouped


def _contradicted(name: str, row: RowRead, rows: Sequence[RowRead]) -> MarkReject:
    others = " and ".join(f"{format_micros(r.mark.settle_micros)} in row {r.position + 1}" for r in rows)
    said = (
        f"{row.mark.label} is given {len(rows)} times, with {others}, in one vintage; "
        "keep one, or give the later its own vintage."
    )
    return row_reject(name, row.position, _doubled(row, said))


def _differs(name: str, row: RowRead, before: Mark) -> MarkReject:
    said = (
        f"{row.mark.label} stands with settle {format_micros(before.settle_micros)} and other figures in this "
        f"vintage, and the row has {format_micros(row.mark.settle_micros)}; give a correction its own vintage."
    )
    return row_reject(name, row.position, _doubled(row, said))


def _doubled(row: RowRead, said: str) -> RowRefusedError:
    return RowRefusedError("doubled_date", "trade_date", row.mark.trade_date.isoformat(), said)


def _within_limits(
    name: str, rows: Sequence[RowRead], standing: Sequence[Mark], contracts: Mapping[str, ContractSpec]
) -> tuple[list[RowRead], list[MarkReject]]:
    """Rows whose settlement is within the contract's daily price limit of the one before it, and the others."""
    if all(contracts[row.mark.contract].daily_price_limit_micros is None for row in rows):
        return list(rows), []
    settles: dict[tuple[str, str], dict[date, int]] = {}
    for mark in sorted([*standing, *(row.mark for row in rows)], key=lambda m: m.vintage):
        settles.setdefault((mark.contract, mark.month), {})[mark.trade_date] = mark.settle_micros
    within: list[RowRead] = []
    beyond: list[MarkReject] = []
    for row in rows:
        mark = row.mark
        days = settles[mark.contract, mark.month]
        before = max((day for day in days if day < mark.trade_date), default=None)
        limits = None if before is None else price_limits(contracts[mark.contract], days[before])
        if limits is None or limits[0] <= mark.settle_micros <= limits[1]:
            within.append(row)
            continue
        said = (
            f"settle of {mark.label} is {format_micros(mark.settle_micros)}, beyond the daily price limit of "
            f"{format_micros(limits[0])} to {format_micros(limits[1])} after {before}; correct it or the limit."
        )
        text = format_micros(mark.settle_micros)
        beyond.append(
            row_reject(name, row.position, RowRefusedError("beyond_price_limit", "settle", text, said))
        )
    return within, beyond


def _gaps(
    marks: Iterable[Mark], touched: set[tuple[str, str]], contracts: Mapping[str, ContractSpec]
) -> list[str]:
    days: dict[tuple[str, str], set[date]] = {}
    for mark in marks:
        if (mark.contract, mark.month) in touched:
            days.setdefault((mark.contract, mark.month), set()).add(mark.trade_date)
    notes = []
    for (contract, month), present in sorted(days.items()):
        for run in unmarked_days(contracts[contract], present):
            span = str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]} ({len(run)} trading days)"
            notes.append(f"{contract} {month} has no settlement on {span}, between days that have one.")
    return notes


def unmarked_days(spec: ContractSpec, days: Iterable[date]) -> tuple[tuple[date, ...], ...]:
    """Runs of trading days without a settlement between the first and the last that has one."""
    given = sorted(set(days))
    present = set(given)
    runs: list[list[date]] = []
    joined = False
    for day in trading_days(spec, given[0], given[-1]):
        if day in present:
            joined = False
        elif joined:
            runs[-1].append(day)
        else:
            runs.append([day])
            joined = True
    return tuple(tuple(run) for run in runs)
