"""The hedge report as data: every figure of it, where it rests, and the marks it must carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from ..records import Origin, Status
from .basis import Basis, Stationarity
from .breakdown import Breakdown
from .comparing import MethodComparison
from .effectiveness import Effectiveness
from .entry import EntryView
from .hedge_months import HedgeMonth
from .margin import MarginPath
from .methods import RatioEstimate
from .programme import Exposure, ProgrammeMonth, WorstMonth
from .regressions import Regression
from .rent_book import RentBook
from .screens_accounting import AccountingScreens
from .sentences import Role, Swing
from .series import ChangeKind, CommonDate
from .verdict import Verdict

if TYPE_CHECKING:
    from .rent_study import RentStudy

FixingState = Literal["candidate", "published"]

NOT_COVERED: Mapping[Role, tuple[str, ...]] = {
    "buyer": (
        "a failed deployment: hours that did not run or missed their service level",
        "a breach: a provider that does not deliver what was agreed",
        "a counterparty that does not pay",
        "unused hours: rent for hours nobody needed",
    ),
    "provider": (
        "a failed deployment: hours that did not run or missed their service level",
        "a breach: a customer who leaves the agreement",
        "a counterparty that does not pay",
        "unused hours: machines that stood unsold",
    ),
}
"""What a rental hedge never covers, whatever its ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceDay:
    """One fixing of the reference as first published, for tables and plots."""

    date: date
    status: Status
    value_micros: int | None
    p25_micros: int | None
    p75_micros: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextMonth:
    """The position the method would take for the month after the last one with a rent.

    ``hours`` are planned GPU-hours; ``lots`` need a contract and are None without one.
    """

    month: str
    ratio: float
    learned_from: int
    planned_gpu_hours: float
    hedged_gpu_hours: float
    unit_gpu_hours: int | None
    lots: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeReport:
    """A hedge judged against a rent book. ``to_json`` gives its documented keys."""

    rent: RentBook
    benchmark: str
    contract: str | None
    contract_status_line: str | None
    official_underlying: str | None
    role: Role
    method: str
    gpus: int | None
    entry_premium_percent: Decimal
    entry_is_assumed: bool
    now: datetime

    regressions: Mapping[ChangeKind, Regression]
    method_ratios: Mapping[ChangeKind, RatioEstimate]
    effectiveness: Mapping[str, Effectiveness]
    verdict: Verdict
    sentences: tuple[str, ...]
    swing: Swing | None
    basis: Basis
    settlement_basis: Basis
    stationarity: Stationarity | None
    stationarity_reason: str | None
    breakdown: Breakdown

    months: tuple[HedgeMonth, ...]
    programme: tuple[ProgrammeMonth, ...]
    exposure: Mapping[str, Exposure] | None
    worst: WorstMonth | None
    next_month: NextMonth | None
    next_month_reason: str | None
    entry: EntryView
    margin: MarginPath | None
    margin_reason: str | None

    common: tuple[CommonDate, ...]
    reference: tuple[ReferenceDay, ...]
    proxy: bool
    proxy_for: str
    simulated: bool
    reconstructed: bool
    origin: Origin | None
    live_from: date | None
    fixing_state: FixingState
    methodology: str
    methodology_hash: str
    methodology_changes: tuple[tuple[date, str], ...]
    notes: tuple[str, ...]
    comparison: MethodComparison
    screens: AccountingScreens
    attributions: tuple[str, ...] = ()
    """How the sources of the benchmark want to be named; known to who has the archive."""
    unit_question: str | None = None
    """A doubt about the unit of the rent, with the flag that answers it."""
    rent_study: RentStudy | None = None
    """What rests on the user's own book and files: exposure, attribution, incidents, cost of output."""

    @property
    def sentence(self) -> str:
        """The verdict sentence, the first of the report."""
        return self.sentences[0]

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What a rental hedge does not cover, for this side of the rent."""
        return NOT_COVERED[self.role]

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks everything in this report carries, in the order strips show them."""
        marks: list[str] = []
        if self.simulated:
            marks.append("SIMULATED")
        if self.reconstructed:
            marks.append("RECONSTRUCTED")
        if self.fixing_state == "candidate":
            marks.append("CANDIDATE")
        if self.origin == "backcast":
            marks.append("BACKCAST")
        if self.proxy:
            marks.append("PROXY")
        return tuple(marks)

    def to_json(self) -> dict[str, Any]:
        """The report with stable keys: prices are six-decimal strings, statistics numbers.

        An absent value is null with a ``reason`` beside it.
        """
        from .report_json import report_to_json  # the writer knows this class, so it comes late

        return report_to_json(self)
