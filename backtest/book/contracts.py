"""Rental contracts as people have them: how the price is set, until when, and what is planned."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ...records import RentmarkError, UsageError, micros_from_text, month_bounds
from ...records.observation import Pricing
from ...records.specs import SpecModel
from ..sentences import Role

PriceRule = Literal["fixed", "floating", "indexed", "capped"]
_Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]
HOURS_A_DAY = 24


class RentalContract(SpecModel):
    """One rental contract. Prices are written in its currency, per GPU-hour, as text or number of dollars.

    ``fixed_until`` is the last day of the fixed price; after it the contract goes on only by renewal
    where its price is fixed, and at a moving price where it is not. A *capped* price floats up to
    ``cap``. ``index`` names the benchmark an *indexed* price follows. ``gpus`` around the clock, or
    ``planned_gpu_hours`` of a month, are the plan; ``plan`` overrides single months. ``rates``, ``usage`` and
    ``invoices`` name CSV files beside the book.
    """

    name: str = Field(min_length=1)
    price: PriceRule = "floating"
    rate: str | None = None
    cap: str | None = None
    index: str | None = None
    currency: _Currency = "USD"
    start: date | None = None
    end: date | None = None
    fixed_until: date | None = None
    notice_days: int = Field(default=0, ge=0, le=1096)
    renewal_months: int | None = Field(default=None, ge=1, le=120)
    provider: str | None = None
    region: str | None = None
    grade: str | None = None
    term_months: int | None = Field(default=None, ge=1)
    pricing: Pricing | None = None
    gpus: int | None = Field(default=None, ge=1)
    planned_gpu_hours: float | None = Field(default=None, gt=0)
    plan: dict[str, float] = Field(default_factory=dict)
    rates: str | None = None
    usage: str | None = None
    invoices: str | None = None

    @field_validator("rate", "cap", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return f"{value}" if isinstance(value, int | float) and not isinstance(value, bool) else value

    @field_validator("rate", "cap")
    @classmethod
    def _a_price(cls, value: str | None) -> str | None:
        if value is not None and micros_from_text(value) <= 0:
            raise ValueError("a price is above zero, such as 2.10")
        return value

    @field_validator("plan")
    @classmethod
    def _months(cls, values: dict[str, float]) -> dict[str, float]:
        for month, hours in values.items():
            month_bounds(month)
            if hours < 0:
                raise ValueError(f"{month} plans {hours} hours; hours are not negative")
        return values

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.price == "capped" and self.cap is None:
            raise ValueError('price = "capped" needs a cap, such as cap = 3.00')
        if self.price != "capped" and self.cap is not None:
            raise ValueError(f'cap has no meaning with price = "{self.price}"; remove it')
        if self.price != "indexed" and self.index is not None:
            raise ValueError(f'index has no meaning with price = "{self.price}"; write price = "indexed"')
        if self.gpus is not None and self.planned_gpu_hours is not None:
            raise ValueError("gpus and planned_gpu_hours both state the plan; keep one")
        if self.invoices is not None and (self.rates is not None or self.usage is not None):
            raise ValueError("invoices state rate and hours already; remove rates and usage, or invoices")
        if self.usage is not None and self.rates is None and self.rate is None:
            raise ValueError("usage has hours and no price; add rates or a rate")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"it ends on {self.end}, before it starts on {self.start}; swap the two")
        if self.rate is None and self.rates is None and self.invoices is None:
            raise ValueError("it states no price; add rates, invoices or a rate")
        return self

    @property
    def rate_micros(self) -> int | None:
        """The agreed rate in millionths of its currency."""
        return None if self.rate is None else micros_from_text(self.rate)

    @property
    def cap_micros(self) -> int | None:
        """The cap in millionths of its currency."""
        return None if self.cap is None else micros_from_text(self.cap)

    @property
    def renewal_starts(self) -> date | None:
        """The first day that only a renewal covers; None where the contract runs on without one."""
        last = self.end
        if self.price == "fixed" and self.fixed_until is not None:
            last = self.fixed_until if last is None else min(last, self.fixed_until)
        return None if last is None else last + timedelta(days=1)

    @property
    def renewal_ends(self) -> date | None:
        """The last day of the first renewal; None where there is none."""
        starts = self.renewal_starts
        if starts is None or self.renewal_months is None:
            return None
        number = starts.year * 12 + starts.month - 1 + self.renewal_months
        first = date(number // 12, number % 12 + 1, 1)
        day = min(starts.day, month_bounds(f"{first:%Y-%m}")[1].day)
        return first.replace(day=day) - timedelta(days=1)

    @property
    def notice_by(self) -> date | None:
        """The last day on which the renewal can still be refused; None where nothing renews."""
        starts = self.renewal_starts
        if starts is None or self.renewal_months is None:
            return None
        return starts - timedelta(days=1 + self.notice_days)

    def planned_hours(self, month: str) -> Fraction | None:
        """GPU-hours planned for a whole month; None where the contract states no plan."""
        if month in self.plan:
            return Fraction(repr(self.plan[month]))
        if self.planned_gpu_hours is not None:
            return Fraction(repr(self.planned_gpu_hours))
        if self.gpus is None:
            return None
        first, last = month_bounds(month)
        return Fraction(self.gpus * HOURS_A_DAY * ((last - first).days + 1))


class BookSpec(SpecModel):
    """A rent book: whose it is, and its contracts."""

    name: str | None = None
    role: Role | None = None
    contracts: tuple[RentalContract, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [each.name for each in self.contracts]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two contracts are named {twice!r}; give each its own name")
        return self

    @property
    def files(self) -> tuple[str, ...]:
        """Every CSV file the contracts name, each once."""
        named = [each for one in self.contracts for each in (one.rates, one.usage, one.invoices)]
        return tuple(dict.fromkeys(each for each in named if each is not None))


def read_book_spec(payload: bytes, name: str) -> BookSpec:
    """Read a book's TOML. Raises UsageError or RentmarkError with one sentence."""
    try:
        document: Mapping[str, Any] = tomllib.loads(payload.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RentmarkError(f"{name} can't be read as TOML: {error}.") from None
    except RecursionError:
        raise RentmarkError(f"{name} can't be read as TOML: its values are nested too deeply.") from None
    for number, table in enumerate(document.get("contracts", []), start=1):
        if isinstance(table, Mapping):
            # Each contract is read on its own first, so that a sentence names it.
            named = table.get("name", f"number {number}")
            RentalContract.read(table, f"{name}, contract {named}")
    if "contracts" not in document:
        raise UsageError(f"{name} holds no contracts; add a table [[contracts]] for each.")
    return BookSpec.read(document, name)
