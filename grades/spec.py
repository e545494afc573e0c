"""Grade specs: which observations are the same good and may be averaged."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from ..records import UsageError
from ..records.observation import PRICINGS, PriceBasis, Pricing, Service, Tenancy
from ..records.specs import SpecModel
from .catalogue import canonical_form_factor, canonical_memory
from .interconnect import canonical_interconnect
from .names import canonical_chip
from .operators.schemes import SCHEMES

UNSTATED = "unstated"
"""In a list of form factors, interconnects or tenancies: admits rows that do not say."""
UNSTATED_IF_SILENT = "unstated_if_silent"
"""In a form-factor list: admits rows that do not say, from sellers that never say in the window."""


class Rating(SpecModel):
    """A minimum operator rating: a scheme and the lowest tier that is admitted.

    It is asked of managed clusters alone, because that is what ratings rate; on any other service it
    is ignored.
    """

    scheme: str = Field(min_length=1)
    at_least: str = Field(min_length=1)


class Grade(SpecModel):
    """A good: chip, board, network, size, terms, service, place and operator. An omitted key filters nothing.

    Lists are alternatives. ``min_gpus`` and ``max_gpus`` test the size of the node (``gpu_count``);
    ``minimum_gpus_at_least`` and ``minimum_gpus_at_most`` test the smallest number of GPUs that can be
    rented (``minimum_gpus``), which tells a cluster from a single node.
    """

    chip: str = Field(min_length=1)
    form_factor: tuple[str, ...] | None = None
    memory_gb: tuple[int, ...] | None = None
    interconnect: tuple[str, ...] | None = None
    pricing: Pricing | None = None
    price_basis: PriceBasis | None = None
    sources: tuple[str, ...] | None = None
    skus: tuple[str, ...] | None = None
    term_months: tuple[int, ...] | None = None
    services: tuple[Service, ...] | None = None
    tenancy: tuple[Tenancy | Literal["unstated"], ...] | None = None
    countries: tuple[str, ...] | None = None
    regions: tuple[str, ...] | None = None
    exclude_regions: tuple[str, ...] | None = None
    sellers: tuple[str, ...] | None = None
    exclude_sellers: tuple[str, ...] | None = None
    min_gpus: int | None = Field(default=None, ge=1)
    max_gpus: int | None = Field(default=None, ge=1)
    minimum_gpus_at_least: int | None = Field(default=None, ge=1)
    minimum_gpus_at_most: int | None = Field(default=None, ge=1)
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
        return tuple(dict.fromkeys(value for value in read if value is not None))  # SXM4 and SXM5 are one

    @field_validator("interconnect")
    @classmethod
    def _known_interconnects(cls, values: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if values is None:
            return None
        read = [value if value == UNSTATED else canonical_interconnect(value) for value in values]
        return tuple(value for value in read if value is not None)

    @field_validator("rating")
    @classmethod
    def _known_rating(cls, value: Rating | None) -> Rating | None:
        if value is None:
            return None
        if value.scheme not in SCHEMES:
            raise ValueError(f"there is no rating scheme {value.scheme!r}; known: {', '.join(SCHEMES)}")
        try:
            lowest = SCHEMES[value.scheme].at_or_above(value.at_least)[-1]
        except UsageError as error:
            raise ValueError(error.sentence.rstrip(".")) from None
        return Rating(scheme=value.scheme, at_least=lowest)

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
        for low, high in (("min_gpus", "max_gpus"), ("minimum_gpus_at_least", "minimum_gpus_at_most")):
            least, most = getattr(self, low), getattr(self, high)
            if least is not None and most is not None and least > most:
                raise ValueError(f"{low} = {least} is above {high} = {most}; no row meets both")
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
    "interconnect",
    "pricing",
    "price_basis",
    "source",
    "sku",
    "term_months",
    "service",
    "tenancy",
    "country",
    "region",
    "seller",
    "exclude_region",
    "exclude_seller",
    "min_gpus",
    "max_gpus",
    "minimum_gpus_at_least",
    "minimum_gpus_at_most",
    "rating",
]
"""Codes of grade rules, in the order in which they are asked."""
