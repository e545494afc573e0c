"""One benchmark as it was known at the end of each day: values, changes, and where a month stands.

The end of day t is t + 1, 00:00 UTC. Revision 0 of a fixing counts from its ``effective_at``, later
ones from their publication, so nothing here sees further than the day it is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from ...records import STATUSES_OBSERVED, Fixing, Refusal, day_start
from ..calendars import fixing_days
from ..ledger import FinalSettlement
from ..outcome import Certificate, Settlement
from ..settlement import settle
from ..spec import ContractSpec
from ..vintage import fixings_for_settlement
from .trades import ended_refusal

LOOK_BACK = timedelta(days=400)
"""How far before a month its rows are handed to its settlement: further than any fill may reach."""


@dataclass(frozen=True, slots=True)
class MonthShare:
    """What of a contract month is known: the part of its mean that has fixed, and what it has fixed at.

    ``known_share`` is the weight of the fixings known, between 0 and 1; ``known_sum`` is
    Σ weight × fixing over them, in micro-dollars per GPU-hour. The month settles at
    ``known_sum + (1 − known_share) × mean of the rest``.
    """

    known_share: Fraction
    known_sum: Fraction
    known: int
    expected: int

    @property
    def remaining_share(self) -> Fraction:
        """The weight of what has not fixed yet: the delta to a parallel shift of it."""
        return 1 - self.known_share

    def rest(self, price_micros: int) -> Fraction | None:
        """What the rest averages when the month is worth a price; None where nothing remains."""
        if self.remaining_share == 0:
            return None
        return (price_micros - self.known_sum) / self.remaining_share


@dataclass(frozen=True, slots=True)
class MonthOutcome:
    """How a month ended: the settlement, and its cash where it printed a price."""

    settlement: Settlement
    final: FinalSettlement | None


def day_end(day: date) -> datetime:
    """Midnight UTC at which a day is over."""
    return day_start(day + timedelta(days=1))


class IndexView:
    """A benchmark's tape as the fixings of one contract, day by day.

    ``rows`` are all revisions of the tape; ``ended_on`` the last day of an index that ceased;
    ``certificates`` those on record, by month. A day that is not over at ``known_until`` is seen as of
    that instant, so that a fixing still to come is not taken for a missing one.
    """

    def __init__(
        self,
        spec: ContractSpec,
        benchmark: str,
        rows: Iterable[Fixing],
        *,
        ended_on: date | None = None,
        certificates: Mapping[str, Certificate] | None = None,
        known_until: datetime | None = None,
    ) -> None:
        self.spec = spec
        self.benchmark = benchmark
        self.ended_on = ended_on
        self._known_until = known_until
        self.rows = sorted(rows, key=lambda row: (row.date, row.revision))
        self._dates = [row.date for row in self.rows]
        self._certificates = certificates or {}
        self._events = sorted((_counts_from(row), row.date, row.revision, row) for row in self.rows)
        self._seen: dict[date, Fixing] = {}
        self._place = 0
        self._through: datetime | None = None
        self._settled: dict[tuple[str, date], Settlement] = {}

    @property
    def simulated(self) -> bool:
        """Whether any fixing comes from a simulated market."""
        return any(row.simulated for row in self.rows)

    @property
    def backcast(self) -> bool:
        """Whether any fixing was published after its time."""
        return any(row.origin == "backcast" for row in self.rows)

    def ended_by(self, day: date) -> Refusal | None:
        """The refusal of a day after the index ceased; None before that."""
        return ended_refusal(self.spec, self.benchmark, self.ended_on, day)

    def known(self, day: date) -> Mapping[date, int]:
        """The observed values (OK and THIN) known at the end of a day, by fixing date."""
        rows = self._known_rows(day)
        return {
            fixed: row.value_micros
            for fixed, row in rows.items()
            if row.value_micros is not None and row.status in STATUSES_OBSERVED
        }

    def _instant(self, day: date) -> datetime:
        """The end of a day, or the present where the day is under way."""
        ends = day_end(day)
        return ends if self._known_until is None else min(ends, self._known_until)

    def _known_rows(self, day: date) -> Mapping[date, Fixing]:
        """The latest revision of each date that counted by the end of a day; walks on from the last day asked."""
        instant = self._instant(day)
        if self._through is not None and instant < self._through:
            self._seen, self._place = {}, 0
        self._through = instant
        while self._place < len(self._events) and self._events[self._place][0] <= instant:
            _, fixed, revision, row = self._events[self._place]
            earlier = self._seen.get(fixed)
            if earlier is None or revision > earlier.revision:
                self._seen[fixed] = row
            self._place += 1
        return self._seen

    def last_value(self, day: date) -> tuple[date, int] | None:
        """The last fixing known at the end of a day, with its date."""
        known = self.known(day)
        if not known:
            return None
        latest = max(known)
        return latest, known[latest]

    def settlement(self, month: str, day: date) -> Settlement:
        """Where a contract month stands at the end of a day."""
        if (month, day) not in self._settled:
            days = fixing_days(self.spec, month)
            first = bisect_right(self._dates, days[0] - LOOK_BACK)
            rows = self.rows[first : bisect_right(self._dates, days[-1])]
            now = self._instant(day)
            self._settled[month, day] = settle(
                self.spec,
                month,
                fixings_for_settlement(self.spec, month, rows, now),
                benchmark=self.benchmark,
                now=now,
                certificate=self._certificates.get(month),
            )
        return self._settled[month, day]

    def share(self, month: str, day: date) -> MonthShare:
        """What of a contract month has fixed by the end of a day."""
        expected = fixing_days(self.spec, month)
        if day < expected[0]:
            return MonthShare(Fraction(0), Fraction(0), 0, len(expected))
        counted = [each for each in self.settlement(month, day).days if each.counted]
        return MonthShare(
            known_share=sum((each.weight for each in counted), Fraction(0)),
            known_sum=sum((each.weight * (each.value_micros or 0) for each in counted), Fraction(0)),
            known=len(counted),
            expected=len(expected),
        )

    def flat_value(self, month: str, day: date) -> int | None:
        """The flat fair value of a month at the end of a day (modelled); None before any fixing is known."""
        if day < fixing_days(self.spec, month)[0]:
            last = self.last_value(day)
            return None if last is None else last[1]
        settlement = self.settlement(month, day)
        if settlement.in_month is not None:
            return settlement.in_month.fair_value_micros
        return settlement.price_micros

    def outcome(self, month: str, through: date) -> MonthOutcome | None:
        """How a month ended by the end of a day; None while it accrues.

        Cash moves on the first day whose end sees the last expected fixing effective.
        """
        settlement = self.settlement(month, through)
        if settlement.status == "accruing":
            return None
        price = settlement.price_micros
        final = None
        if price is not None:
            last = settlement.effective_at
            midnight = last == day_start(last.date())
            day = last.date() - timedelta(days=1) if midnight else last.date()
            final = FinalSettlement(day=day, price_micros=price)
        return MonthOutcome(settlement, final)


def _counts_from(row: Fixing) -> datetime:
    if row.revision == 0 or row.published_at is None:
        return row.effective_at
    return max(row.effective_at, row.published_at)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one or several indices between two common fixing dates: (from, to) by contract."""

    first: date
    last: date
    values: Mapping[str, tuple[int, int]]


def joint_changes(views: Sequence[IndexView], day: date, *, horizon: int, limit: int) -> list[Change]:
    """The last ``limit`` changes over ``horizon`` common dates of all views, known at the end of a day.

    Changes overlap. Common dates are those on which every view has an OK or THIN fixing.
    """
    if not views:
        return []
    known = {view.spec.id: view.known(day) for view in views}
    common = sorted(set.intersection(*(set(values) for values in known.values())))[-(limit + horizon) :]
    pairs = list(zip(common, common[horizon:], strict=False))
    return [
        Change(first, last, {contract: (values[first], values[last]) for contract, values in known.items()})
        for first, last in pairs
    ]
