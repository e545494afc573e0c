"""Grade specs: which observations are the same good and may be averaged."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ..records.observation import PRICINGS, PriceBasis, Pricing, Service
from ..records.specs import SpecModel
from .catalogue import canonical_form_factor, canonical_memory
from .names import canonical_chip

UNSTATED = "unstated"
"""In a form-factor list: admits rows that do not say."""
UNSTATED_IF_SILENT = "unstated_if_silent"
"""In a form-factor list: admits rows that do not say, from sellers that never say in the window."""


class Rating(SpecModel):
    """A minimum operator rating: a scheme and the lowest tier that is admitted."""

    scheme: str
    at_least: str


class Grade(SpecModel):
    """A good: chip, form factor, memory, terms and place. An omitted key filters nothing.

    Lists are alternatives. ``min_gpus`` and ``max_gpus`` test the ``gpu_count`` of the offer.
    """

    chip: str = Field(min_length=1)
    form_factor: tuple[str, ...] | None = None
    memory_gb: tuple[int, ...] | None = None
    pricing: Pricing | None = None
    price_basis: PriceBasis | None = None
    sources: tuple[str, ...] | None = None
    skus: tuple[str, ...] | None = None
    term_months: tuple[int, ...] | None = None
    services: tuple[Service, ...] | None = None
    countries: tuple[str, ...] | None = None
    regions: tuple[str, ...] | None = None
    exclude_regions: tuple[str, ...] | None = None
    sellers: tuple[str, ...] | None = None
    exclude_sellers: tuple[str, ...] | None = None
    min_gpus: int | None = Field(default=None, ge=1)
    max_gpus: int | None = Field(default=None, ge=1)
    rating: Rating | None = None

    @field_validator("pricing", mode="before")
    @classmethod
    def _known_pricing(cls, value: object) -> object:
        if value == "secure":
            raise ValueError('"secure" is a data-centre offer; write pricing = "on_demand"')
        if isinstance(value, str) and value not in PRICINGS:
            raise ValueError(f"it must be one of {', '.join(PRICINGS)}")
        return value

    @field_validator("chip")
    @classmethod
    def _chip_of_the_catalogue(cls, value: str) -> str:
        chip = canonical_chip(value)
        if chip is None:
            raise ValueError(
                "no chip of the catalogue has this name; `rentmark grade` shows how a name is read"
            )
        return chip

    @field_validator("form_factor")
    @classmethod
    def _known_form_factors(cls, values: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if values is None:
            return None
        silence = (UNSTATED, UNSTATED_IF_SILENT)
        read = [value if value in silence else canonical_form_factor(value) for value in values]
        return tuple(value for value in read if value is not None)

    @model_validator(mode="after")
    def _canonical_memory(self) -> Self:
        if self.memory_gb is not None:
            sizes = tuple(canonical_memory(self.chip, size) for size in self.memory_gb)
            object.__setattr__(self, "memory_gb", sizes)  # 192 GB of a B200 is the board the market calls 180
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, values in self:
            if isinstance(values, tuple) and not values:
                raise ValueError(f"{name} is an empty list, which no row meets; remove the key or fill it")
        if self.min_gpus is not None and self.max_gpus is not None and self.min_gpus > self.max_gpus:
            raise ValueError(
                f"min_gpus = {self.min_gpus} is above max_gpus = {self.max_gpus}; no row meets both"
            )
        if self.rating is not None:
            raise ValueError(
                "rating needs operator ratings, which this version does not import; remove the key"
            )
        return self

    @property
    def stated_form_factors(self) -> tuple[str, ...]:
        """The form factors named, without the two words about silence."""
        return tuple(f for f in self.form_factor or () if f not in (UNSTATED, UNSTATED_IF_SILENT))


RuleCode = Literal[
    "chip",
    "form_factor",
    "seller_states_form_factor",
    "memory_gb",
    "pricing",
    "price_basis",
    "source",
    "sku",
    "term_months",
    "service",
    "country",
    "region",
    "exclude_region",
    "seller",
    "exclude_seller",
    "min_gpus",
    "max_gpus",
]
"""Codes of grade rules, in the order in which they are asked."""
