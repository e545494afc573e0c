"""The rules of an account as data: margin, interest, fills, fees, close-out, warnings.

No exchange has published margins for these contracts (October 2026), so every default here that is
not an exchange's is *assumed*, and every requirement *modelled*; docs/account.md lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field

from ...records import UsageError
from ...records.specs import SpecModel
from ..accounts import FeeSchedule, Membership

MarginMethod = Literal["published", "historical", "proxy"]
DayCount = Literal["ACT/360", "ACT/365"]
YEAR_DAYS: Mapping[DayCount, int] = {"ACT/360": 360, "ACT/365": 365}
VOLATILITY_PERCENT: Mapping[str, Decimal] = {"H100": Decimal(26), "B200": Decimal(30), "A100": Decimal(15)}
"""Realised yearly volatility to 2026-08 by chip, read in a third-party note in 2026-10."""


class MarginRules(SpecModel):
    """How initial and maintenance margin are reckoned; the first method that can answer does.

    ``published`` takes the contract's own figures. ``historical`` is the loss at ``quantile`` over the
    benchmark's own changes of ``horizon_days`` common fixing dates, of the last ``lookback_changes`` of
    them. ``proxy`` is price × unit × volatility × √(horizon/``year_days``) × the normal quantile, added
    up over contract months without offsets. Maintenance is ``maintenance_percent`` of initial.
    """

    methods: tuple[MarginMethod, ...] = Field(default=("published", "historical", "proxy"), min_length=1)
    quantile: Decimal = Field(default=Decimal("0.99"), gt=Decimal("0.5"), lt=1)
    horizon_days: int = Field(default=2, gt=0)
    lookback_changes: int = Field(default=500, gt=0)
    year_days: int = Field(default=252, gt=0)
    volatility_percent: Mapping[str, Decimal] = Field(default_factory=lambda: dict(VOLATILITY_PERCENT))
    maintenance_percent: int = Field(default=90, gt=0, le=100)


class InterestRules(SpecModel):
    """Interest on the account's balance at the end of the day before, for the calendar days since."""

    credit_rate_percent: Decimal = Decimal(0)
    debit_rate_percent: Decimal = Field(default=Decimal(0), ge=0)
    day_count: DayCount = "ACT/360"


class FillRules(SpecModel):
    """What an order is filled at: the bid or ask where the mark has one, else the mark and slippage."""

    slippage_ticks: int = Field(default=1, ge=0)


class CloseOutRules(SpecModel):
    """What happens when a call is not met.

    A call is due on the ``due_after_days``-th following day the account is marked on. Unmet, that day
    and each after it ``share_percent`` of every contract month's lots (rounded up to whole lots) are
    closed at the mark less ``slippage_ticks``, until the balance covers the initial margin of what is
    left or nothing is left. A balance below zero then stays ``owed``, or the exchange carries it.
    """

    due_after_days: int = Field(default=1, gt=0)
    share_percent: int = Field(default=100, gt=0, le=100)
    slippage_ticks: int = Field(default=2, ge=0)
    shortfall: Literal["owed", "carried_by_exchange"] = "owed"


class WarningRules(SpecModel):
    """When a position is warned of: a share of open interest, a mark older than so many days."""

    open_interest_percent: int = Field(default=10, gt=0)
    stale_mark_days: int = Field(default=4, ge=0)


class OwnFees(SpecModel):
    """Fees of a contract as this account pays them, in micro-dollars per lot and side."""

    trade_micros: int = Field(ge=0)
    cash_settlement_micros: int = Field(ge=0)

    @property
    def schedule(self) -> FeeSchedule:
        """As the ledger takes them."""
        return FeeSchedule(
            trade_micros_per_lot=self.trade_micros, settlement_micros_per_lot=self.cash_settlement_micros
        )


class AccountRules(SpecModel):
    """Everything one account states; ``[accounts.NAME]`` of rentmark.toml.

    ``benchmarks`` names, by contract, the benchmark whose fixings stand for its index; ``ceased`` the last
    day of a benchmark that ceased.
    ``cash_available_micros`` is what the holder can pay on calls in all, None without limit; a call is
    met in full or not at all. ``excess`` above initial margin stays in the account or is paid out.
    """

    benchmarks: Mapping[str, str] = Field(default_factory=dict)
    ceased: Mapping[str, date] = Field(default_factory=dict)
    membership: Membership = "non_member"
    fees: Mapping[str, OwnFees] = Field(default_factory=dict)
    cash_available_micros: int | None = Field(default=None, ge=0)
    excess: Literal["stays", "paid_out"] = "stays"
    margin: MarginRules = MarginRules()
    interest: InterestRules = InterestRules()
    fills: FillRules = FillRules()
    close_out: CloseOutRules = CloseOutRules()
    warnings: WarningRules = WarningRules()


def read_account(values: Mapping[str, object], where: str) -> AccountRules:
    """Read an account from the TOML table found at ``where``; raises UsageError in one sentence."""
    if not isinstance(values, Mapping):
        raise UsageError(f"{where} is {values!r}; write a table.")
    return AccountRules.read(values, where)
