"""A hedge programme as data: what is traded, when, how much of the exposure, and within which caps.

``[programmes.NAME]`` of rentmark.toml, or a TOML file of its own. Nothing here looks at prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, Self

from pydantic import Field, model_validator

from ...records import UsageError, canonical_json, sha256_hex
from ...records.specs import SpecModel
from ..methods import METHODS

Style = Literal["strip", "stack"]
Reestimate = Literal["monthly", "quarterly", "yearly", "once"]
ESTIMATION_MONTHS: Mapping[Reestimate, tuple[int, ...]] = {
    "monthly": tuple(range(1, 13)),
    "quarterly": (3, 6, 9, 12),
    "yearly": (12,),
    "once": tuple(range(1, 13)),
}
"""Calendar months on whose trading day ratios are estimated again; ``once`` stops at the first one found."""
SEVERAL_METHOD = "ols"
"""The one method that gives several instruments a ratio each: least squares on all of them."""


class InstrumentSpec(SpecModel):
    """One contract to trade and the benchmark whose fixings stand for its index.

    Without ``benchmark`` the account's rules name it, else the contract's official one.
    """

    contract: str
    benchmark: str | None = None


class ProgrammeSpec(SpecModel):
    """The rules of a programme.

    ``strip`` holds in each month of exposure the contract of that month: at each trading day the
    ``months_ahead`` months to come are brought to their lots, and then held to settlement. ``stack``
    holds the exposure of the ``months_ahead`` months to come in the nearest contract and rolls it.
    The trading day is ``trade_business_days_before`` business days before the last trading day of a
    month (by default 0 for a strip, the contract's own roll for a stack). ``fraction`` is the share of
    the exposure to hedge; ``max_ratio`` caps the size of a ratio, ``max_lots`` the lots of a contract
    month. ``tailing_rate_percent`` a year discounts lots to the day rent is due, ``rent_due_days`` after
    its month. ``rent_chip`` names what is rented where it is not the contract's chip: a cross hedge.
    """

    instruments: tuple[InstrumentSpec, ...] = Field(min_length=1, max_length=6)
    style: Style = "strip"
    months_ahead: int = Field(default=1, ge=1, le=36)
    method: str = "ols"
    reestimate: Reestimate = "monthly"
    trade_business_days_before: int | None = Field(default=None, ge=0, le=15)
    fraction: Decimal = Field(default=Decimal(1), gt=0, le=1)
    max_ratio: Decimal | None = Field(default=None, gt=0)
    max_lots: int | None = Field(default=None, ge=1)
    tailing_rate_percent: Decimal | None = Field(default=None, ge=0, le=100)
    rent_due_days: int = Field(default=0, ge=0, le=365)
    rent_chip: str | None = None
    account: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}; known methods: {', '.join(METHODS)}.")
        contracts = [each.contract for each in self.instruments]
        if len(set(contracts)) < len(contracts):
            raise ValueError("instruments names a contract twice; name each once.")
        if len(contracts) > 1 and self.method != SEVERAL_METHOD:
            raise ValueError(
                f"method is {self.method!r} with {len(contracts)} instruments; several instruments take method "
                f'"{SEVERAL_METHOD}", one regression on all of them.'
            )
        if self.rent_due_days and self.tailing_rate_percent is None:
            raise ValueError("rent_due_days is used by tailing alone; add tailing_rate_percent.")
        return self

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rules that are not at their default, so that a key added later changes no hash."""
        return sha256_hex(canonical_json(self.model_dump(mode="json", exclude_defaults=True)))


def read_programme(values: Mapping[str, object], where: str) -> ProgrammeSpec:
    """Read a programme from the TOML table found at ``where``; raises UsageError in one sentence."""
    if not isinstance(values, Mapping):
        raise UsageError(f"{where} is {values!r}; write a table.")
    return ProgrammeSpec.read(values, where)
