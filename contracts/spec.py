"""A futures contract as data: what it settles on, over which days, in what unit, by what rules.

Nothing here is a fact about a market; the shipped contracts and where each of their fields comes
from are in :mod:`rentmark.contracts.shipped`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ..records import UsageError, digest_of
from ..records.specs import SpecModel

Averaging = Literal["business_days", "every_day", "day_weighted"]
UnitRule = Literal["fixed", "hours_in_month"]
LastTradeRule = Literal["last_business_day", "last_fixing_day"]
ContractPeriod = Literal["month", "balance_of_month"]
MissingMethod = Literal["ladder", "latest_published"]
RevisionRule = Literal["until_settled", "first_print"]

DOCUMENTARY_FIELDS = frozenset({"name", "status_line", "remarks", "sources", "assumed"})
"""Fields that describe a contract without changing any number: they are left out of its hash."""

MONTHS_PER_YEAR = 12
SHORTEST_MONTH_DAYS = 28


class MissingIndexRule(SpecModel):
    """What happens when fixings of the contract month are missing.

    Under ``latest_published`` a missing fixing first takes the latest published value before it, no
    older than ``fill_days_at_most`` days, and counts as filled; under ``ladder`` it stays missing.
    None missing settles. At least ``certify_coverage_percent`` of the expected fixings, with at
    most ``certify_longest_gap_days`` expected days missing in a row, needs a certificate. Anything
    less goes to determination. ``exchange_fallback`` says in words what the exchange or its index
    provider states; None is unknown.
    """

    method: MissingMethod = "ladder"
    fill_days_at_most: int | None = Field(default=None, gt=0)
    certify_coverage_percent: int = Field(default=90, ge=0, le=100)
    certify_longest_gap_days: int = Field(default=2, ge=0)
    exchange_fallback: str | None = None

    @model_validator(mode="after")
    def _a_fill_is_limited(self) -> Self:
        if self.method == "latest_published" and self.fill_days_at_most is None:
            raise ValueError(
                'method is "latest_published" but fill_days_at_most is not given; say how old a value may be.'
            )
        if self.method == "ladder" and self.fill_days_at_most is not None:
            raise ValueError(
                f'fill_days_at_most = {self.fill_days_at_most} has no meaning under method = "ladder"; remove it.'
            )
        return self


class Fees(SpecModel):
    """Fees in micro-dollars per lot and side; None is unknown."""

    trade_member_micros: int | None = Field(default=None, ge=0)
    trade_non_member_micros: int | None = Field(default=None, ge=0)
    cash_settlement_member_micros: int | None = Field(default=None, ge=0)
    cash_settlement_non_member_micros: int | None = Field(default=None, ge=0)


class PositionLimits(SpecModel):
    """Position limits and accountability levels in lots; None is unknown.

    The spot-month limit holds from ``spot_month_business_days`` before the last trade. With a
    diminishing balance the position that is counted shrinks as fixings accrue.
    """

    spot_month_lots: int | None = Field(default=None, gt=0)
    spot_month_business_days: int | None = Field(default=None, ge=0)
    single_month_accountability_lots: int | None = Field(default=None, gt=0)
    all_months_accountability_lots: int | None = Field(default=None, gt=0)
    reportable_lots: int | None = Field(default=None, gt=0)
    diminishing_balance: bool | None = None


class ContractSpec(SpecModel):
    """One cash-settled compute future, as data.

    Prices are micro-dollars per GPU-hour, a lot is a number of GPU-hours. A field that is None is
    unknown. ``assumed`` names the fields that nobody published and this product chose;
    ``sources`` says, by field name, where the others come from. Both may name one rule inside a
    field, such as ``missing_index.exchange_fallback``, which goes before the field as a whole.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    name: str = Field(min_length=1)
    exchange: str = Field(min_length=1)
    code: str | None = None
    chip: str = Field(min_length=1)
    status_line: str = Field(min_length=1)
    listed: bool
    official_underlying: str = Field(min_length=1)
    official_benchmark: str | None = None
    """The benchmark of this workspace that *is* the official underlying, where there is one."""
    currency: Literal["USD"] = "USD"

    unit_rule: UnitRule
    fixed_gpu_hours: int | None = Field(default=None, gt=0)
    unit_gpus: int = Field(default=1, gt=0)
    """GPUs a lot stands for where the unit is the hours in the month."""
    month_clock: Literal["UTC"] = "UTC"
    """The clock whose days and months count: a UTC day has 24 hours in every season."""
    tick_micros: int = Field(gt=0)

    period: ContractPeriod = "month"
    """A whole month, or what is left of it from a stated first day (written ``2026-08-14``)."""
    averaging: Averaging
    """Fixings that are averaged. ``day_weighted`` weighs the fixing of a business day by the calendar
    days it stands for: its own and those after it that are none."""
    averaging_last: int | None = Field(default=None, gt=0)
    """Only the last n of those fixings count; None counts all."""
    period_ends: Mapping[int, int] = Field(default_factory=dict)
    """Last day of averaging and trading by number of the month, such as ``{12 = 24}``."""
    calendar: str | None = None
    last_trade: LastTradeRule
    roll_business_days: int = Field(default=0, ge=0)
    """Business days before the last trade at which a position rolls into the next month."""
    listing_months: int | None = Field(default=None, gt=0)
    listing_cycle: tuple[int, ...] = ()
    """Numbers of the months of a year that are listed; empty lists every month."""
    final_price_decimals: int = Field(default=6, ge=0, le=6)
    counts_carried: bool = False
    revisions: RevisionRule = "until_settled"
    """Whether revisions published before the last fixing is effective count, or first prints alone."""
    missing_index: MissingIndexRule = MissingIndexRule()

    fees: Fees | None = None
    limits: PositionLimits | None = None
    minimum_block_lots: int | None = Field(default=None, gt=0)
    non_reviewable_range_micros: int | None = Field(default=None, gt=0)
    daily_price_limit_micros: int | None = Field(default=None, gt=0)
    initial_margin_micros: int | None = Field(default=None, gt=0)
    maintenance_margin_micros: int | None = Field(default=None, gt=0)

    remarks: tuple[str, ...] = ()
    """What a reader must know that no field says."""
    sources: Mapping[str, str] = Field(default_factory=dict)
    assumed: tuple[str, ...] = ()

    @field_validator("tick_micros", mode="before")
    @classmethod
    def _tick_is_whole_micros(cls, value: Any) -> Any:
        if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
            raise ValueError("a tick is a whole number of millionths of a dollar: write 10000 for $0.01")
        return value

    @model_validator(mode="after")
    def _fields_agree(self) -> Self:
        if self.unit_rule == "fixed" and self.fixed_gpu_hours is None:
            raise ValueError('unit_rule is "fixed" but fixed_gpu_hours is not given; add it.')
        if self.unit_rule == "hours_in_month" and self.fixed_gpu_hours is not None:
            raise ValueError(
                f'fixed_gpu_hours = {self.fixed_gpu_hours} has no meaning under unit_rule = "hours_in_month"; remove it.'
            )
        if self.unit_rule == "fixed" and self.unit_gpus != 1:
            raise ValueError(
                f'unit_gpus = {self.unit_gpus} has no meaning under unit_rule = "fixed"; '
                "put the whole lot in fixed_gpu_hours."
            )
        if self.calendar is None and self.averaging != "every_day":
            raise ValueError(
                f'averaging is "{self.averaging}" but calendar is not given; name one, such as "XNYS".'
            )
        if self.averaging == "day_weighted" and self.averaging_last is not None:
            raise ValueError(
                f'averaging_last = {self.averaging_last} has no meaning under averaging = "day_weighted"; remove it.'
            )
        if self.calendar is None and self.last_trade == "last_business_day":
            raise ValueError(
                'last_trade is "last_business_day" but calendar is not given; name one, such as "XNYS".'
            )
        for place, names in (("sources", tuple(self.sources)), ("assumed", self.assumed)):
            for name in names:
                if name not in DESCRIBED_FIELDS:
                    raise ValueError(f"{place} names {name!r}, which is no field of a contract; correct it.")
        both = sorted(set(self.sources) & set(self.assumed))
        if both:
            raise ValueError(f"{both[0]} is both sourced and assumed; keep it in one of the two.")
        return self

    @model_validator(mode="after")
    def _months_are_months(self) -> Self:
        for number, day in self.period_ends.items():
            if not (1 <= number <= MONTHS_PER_YEAR and 1 <= day <= SHORTEST_MONTH_DAYS):
                raise ValueError(
                    f"period_ends has {number} = {day}; write the number of a month and a day up to "
                    f"{SHORTEST_MONTH_DAYS}, which every month has."
                )
        if list(self.listing_cycle) != sorted({n for n in self.listing_cycle if 1 <= n <= MONTHS_PER_YEAR}):
            raise ValueError(
                f"listing_cycle = {list(self.listing_cycle)} is no ascending list of month numbers; "
                "write [3, 6, 9, 12]."
            )
        return self

    @property
    def calendar_assumed(self) -> bool:
        """Whether the calendar is this product's choice rather than a published rule."""
        return "calendar" in self.assumed


def _described_fields() -> frozenset[str]:
    nested: dict[str, type[SpecModel]] = {
        "missing_index": MissingIndexRule,
        "fees": Fees,
        "limits": PositionLimits,
    }
    names = set(ContractSpec.model_fields) - {"sources", "assumed"}
    for outer, model in nested.items():
        names.update(f"{outer}.{inner}" for inner in model.model_fields)
    return frozenset(names)


DESCRIBED_FIELDS = _described_fields()
"""What ``sources`` and ``assumed`` may name: a field, or one rule inside it as ``fees.trade_member_micros``."""


def read_contract(values: Mapping[str, Any], where: str, *, contract_id: str | None = None) -> ContractSpec:
    """Read a contract from a mapping such as the TOML table found at ``where``.

    ``contract_id`` is the table's own name (``my-gpu`` of ``[contracts.my-gpu]``) and stands in for
    an absent ``id``; an ``id`` inside that differs is refused. Raises UsageError with one sentence
    that names the key, its value and the remedy.
    """
    table = dict(values)
    if contract_id is not None:
        table.setdefault("id", contract_id)
    spec = ContractSpec.read(table, where)
    if contract_id is not None and spec.id != contract_id:
        raise UsageError(f"{where} has id = {spec.id!r}; leave id out, the table is named {contract_id!r}.")
    return spec


def contract_hash(spec: ContractSpec) -> str:
    """The SHA-256 of every rule of a contract that can change a number it gives."""
    return digest_of(spec.model_dump(mode="json", exclude=set(DOCUMENTARY_FIELDS)))
