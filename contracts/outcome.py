"""What a settlement says: its days, its prices or why there is none, and certificates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Literal

from ..records import Origin, RentmarkError, Status
from .in_month import InMonth

SettlementStatus = Literal["settled", "certify", "determination", "accruing"]
Day = date
"""A date, under a name that a field called ``date`` does not hide."""
DayState = Literal["counted", "filled", "missing", "pending"]
Withheld = Literal[
    "accruing",
    "determination",
    "certificate_needed",
    "certificate_differs",
    "candidate",
    "backcast",
    "restated",
]

NO_TAPE_ROW = "no_tape_row"
INDEX_CEASED = "index_ceased"
CARRIED_NOT_COUNTED = "carried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A person's word that a month with fixings missing settles on the mean of those it has.

    ``price_micros`` is the mean that was certified; None certifies whatever the mean is.
    """

    contract: str
    month: str
    benchmark: str
    who: str
    reason: str
    certified_at: datetime
    price_micros: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingDay:
    """An expected fixing that does not count: the rule of a GAP, ``carried``, or ``no_tape_row``."""

    date: date
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementDay:
    """One expected fixing day of a settlement.

    ``state`` is counted, filled (missing, and the contract takes the value of ``filled_from``
    instead), missing, or pending (not effective yet, so nothing of it is shown). ``weight`` is the
    day's share of the mean: its own weight over that of all fixings averaged, or, while the month
    accrues, over what they will weigh. ``reason`` is set where the day is missing or filled.
    """

    date: Day
    state: DayState
    weight: Fraction
    value_micros: int | None = None
    status: Status | None = None
    origin: Origin | None = None
    reason: str | None = None
    revision: int | None = None
    row_digest: str | None = None
    filled_from: Day | None = None

    @property
    def counted(self) -> bool:
        """Whether the day enters the mean, with its own fixing or the one it is filled from."""
        return self.state in {"counted", "filled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Where one contract month on one benchmark stands, and everything it rests on.

    ``expected`` and ``fixings`` count the fixing days of the month and those with a counting fixing of
    their own; ``filled`` those that take an earlier value by the contract's rule; ``elapsed`` those
    already effective. ``longest_gap`` is the longest run of expected days missing
    in a row. At most one of ``final_settlement_price_micros`` and ``indicative_price_micros``
    (micro-dollars per GPU-hour) is given; ``withheld`` names every reason why there is no final
    price, and is empty exactly when there is one. ``origin`` is None where no fixing counts.
    ``in_month`` is given while the month accrues. ``effective_at`` is when the last expected fixing
    is, or will be, effective.
    """

    contract: str
    contract_hash: str
    month: str
    benchmark: str
    official_underlying: str
    proxy: bool
    proxy_reason: str | None
    status: SettlementStatus
    origin: Origin | None
    expected: int
    elapsed: int
    fixings: int
    longest_gap: int
    missing: tuple[MissingDay, ...]
    filled: int
    final_settlement_price_micros: int | None
    indicative_price_micros: int | None
    withheld: tuple[Withheld, ...]
    certified_by: str | None
    certified_reason: str | None
    certified_at: datetime | None
    unit_gpu_hours: int
    simulated: bool
    reconstructed: bool
    restated: bool
    effective_at: datetime
    in_month: InMonth | None
    days: tuple[SettlementDay, ...]
    ceased_on: Day | None = None
    """The last fixing date of a benchmark that ends before the month does."""

    @property
    def coverage(self) -> Fraction:
        """Fixings that count over fixings expected."""
        return Fraction(self.fixings, self.expected)

    @property
    def price_micros(self) -> int | None:
        """The final price, else the indicative one: what a backtest uses, saying which it is."""
        if self.final_settlement_price_micros is not None:
            return self.final_settlement_price_micros
        return self.indicative_price_micros


def certify(settlement: Settlement, *, who: str, reason: str, certified_at: datetime) -> Certificate:
    """Certify a month that needs it, on the mean it shows.

    Raises RentmarkError, in one sentence, where the month's status is not ``certify`` or the
    certifier or the reason is blank.
    """
    subject = f"{settlement.contract} {settlement.month} on {settlement.benchmark}"
    if settlement.status != "certify":
        already = f", certified by {settlement.certified_by}" if settlement.certified_by else ""
        raise RentmarkError(
            f"{subject} has status {settlement.status}{already}; only a month whose status is certify can be certified."
        )
    if not who.strip() or not reason.strip():
        raise RentmarkError(f"{subject} needs a name and a reason to be certified; give both.")
    return Certificate(
        contract=settlement.contract,
        month=settlement.month,
        benchmark=settlement.benchmark,
        who=who.strip(),
        reason=reason.strip(),
        certified_at=certified_at,
        price_micros=settlement.indicative_price_micros,
    )
