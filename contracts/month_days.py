"""The days of one settlement: which fixings count, which are missing, and which are filled by rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction

from ..records import STATUSES_OBSERVED, Fixing
from .outcome import CARRIED_NOT_COUNTED, NO_TAPE_ROW, SettlementDay
from .spec import ContractSpec


@dataclass(frozen=True, slots=True)
class MonthDays:
    """Every expected fixing day of a month with its whole weight and the tape row it rests on, if any."""

    days: tuple[SettlementDay, ...]
    weights: Mapping[date, int]
    rows: Mapping[date, Fixing]
    """The row each counted or filled day takes its value from."""

    @property
    def counted(self) -> list[Fixing]:
        """The rows that are averaged, one for each day that enters the mean."""
        return [self.rows[day.date] for day in self.days if day.counted]

    @property
    def weighted_sum_micros(self) -> int:
        """Σ weight × value of the days that enter the mean, exact."""
        return sum(self.weights[day.date] * (day.value_micros or 0) for day in self.days if day.counted)

    @property
    def counted_weight(self) -> int:
        """Σ weight of the days that enter the mean."""
        return sum(self.weights[day.date] for day in self.days if day.counted)

    @property
    def pending_weight(self) -> int:
        """Σ weight of the days whose fixing is still to come."""
        return sum(self.weights[day.date] for day in self.days if day.state == "pending")

    def with_shares(self) -> tuple[SettlementDay, ...]:
        """The days, each that counts with its share of the mean that is or will be."""
        total = self.counted_weight + self.pending_weight
        return tuple(
            replace(day, weight=Fraction(self.weights[day.date], total)) if day.counted else day
            for day in self.days
        )


def counts(spec: ContractSpec, row: Fixing) -> bool:
    """Whether a tape row counts under a contract: OK and THIN do, CARRIED where the contract says so."""
    if row.value_micros is None:
        return False
    return row.status in STATUSES_OBSERVED or (row.status == "CARRIED" and spec.counts_carried)


def month_days(
    spec: ContractSpec,
    weights: Mapping[date, int],
    fixings: Mapping[date, Fixing],
    effective: Mapping[date, datetime],
    now: datetime,
) -> MonthDays:
    """What each expected day comes to at ``now``, from the rows known then, by the contract's rules."""
    days: list[SettlementDay] = []
    rows: dict[date, Fixing] = {}
    for day in weights:
        if effective[day] > now:
            days.append(SettlementDay(date=day, state="pending", weight=Fraction(0)))
            continue
        own = fixings.get(day)
        made = _own_day(spec, day, own)
        source = own if made.counted else _filling(spec, day, fixings, effective[day])
        if not made.counted and source is not None:
            made = replace(
                made,
                state="filled",
                value_micros=source.value_micros,
                status=source.status,
                origin=source.origin,
                revision=source.revision,
                row_digest=source.row_digest,
                filled_from=source.date,
            )
        if source is not None:
            rows[day] = source
        days.append(made)
    return MonthDays(tuple(days), weights, rows)


def longest_run(flags: Iterable[bool]) -> int:
    """The longest run of true values."""
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def _own_day(spec: ContractSpec, day: date, row: Fixing | None) -> SettlementDay:
    if row is None:
        return SettlementDay(date=day, state="missing", weight=Fraction(0), reason=NO_TAPE_ROW)
    counted = counts(spec, row)
    reason = None
    if not counted:
        reason = CARRIED_NOT_COUNTED if row.status == "CARRIED" else (row.rule or row.status)
    return SettlementDay(
        date=day,
        state="counted" if counted else "missing",
        weight=Fraction(0),
        value_micros=row.value_micros,
        status=row.status,
        origin=row.origin,
        reason=reason,
        revision=row.revision,
        row_digest=row.row_digest,
    )


def _filling(spec: ContractSpec, day: date, fixings: Mapping[date, Fixing], at: datetime) -> Fixing | None:
    """The latest counting row before a missing day that was effective when the day's own should have been."""
    reach = spec.missing_index.fill_days_at_most
    if spec.missing_index.method != "latest_published" or reach is None:
        return None
    for back in range(1, reach + 1):
        row = fixings.get(day - timedelta(days=back))
        if row is not None and counts(spec, row) and row.effective_at <= at:
            return row
    return None
