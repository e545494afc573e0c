"""How a user's file is read: which column is which, and what its columns leave unsaid.

A mapping is data: it comes from ``[mappings.NAME]`` in ``rentmark.toml``, and its hash is part
of what makes a payload the same payload. What it does not state is not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ..records import PRICINGS, digest_of, read_zone
from ..records.specs import SpecModel

OFFER_COLUMNS: Mapping[str, str] = {
    "observed_at": "observed_at",
    "known_at": "known_at",
    "seller": "seller",
    "venue": "venue",
    "aggregator": "aggregator",
    "source": "source",
    "source_id": "source_id",
    "source_commit": "source_commit",
    "sku": "sku",
    "chip": "gpu_model",
    "form_factor": "form_factor",
    "memory_gb": "vram_gb",
    "name_as_written": "gpu_model_raw",
    "gpu_count": "gpu_count",
    "price_micros": "price_per_gpu_hour",
    "price_original": "price_usd_per_hour_total",
    "currency": "currency",
    "price_basis": "price_basis",
    "region": "region",
    "country": "country",
    "pricing": "pricing",
    "term_months": "term_months",
    "service": "service",
    "interconnect": "interconnect",
    "tenancy": "tenancy",
    "gpus_available": "quantity_gpus",
    "minimum_gpus": "minimum_gpus",
    "machine": "machine",
    "verification": "verification",
    "reliability": "reliability",
    "carried_by_source": "carried_by_source",
    "license": "license",
    "simulated": "simulated",
}
"""Fields of an offer and the columns they have by default."""

TRADE_COLUMNS: Mapping[str, str] = {
    "trade_id": "trade_id",
    "observed_at": "executed_at",
    "known_at": "reported_at",
    "trade_status": "status",
    "seller": "seller",
    "buyer": "buyer",
    "venue": "venue",
    "source": "source",
    "source_id": "source_id",
    "sku": "sku",
    "chip": "chip",
    "name_as_written": "name",
    "form_factor": "form_factor",
    "memory_gb": "memory_gb",
    "interconnect": "interconnect",
    "tenancy": "tenancy",
    "gpu_count": "gpu_count",
    "gpu_hours": "gpu_hours",
    "start_at": "start_at",
    "end_at": "end_at",
    "price_micros": "price_usd_per_gpu_hour",
    "amount_micros": "amount_usd",
    "currency": "currency",
    "price_basis": "price_basis",
    "region": "region",
    "country": "country",
    "pricing": "pricing",
    "term_months": "term_months",
    "service": "service",
    "license": "license",
    "simulated": "simulated",
}
"""Fields of a trade event and the columns they have by default."""

_MONEY_FIELDS = ("price_micros", "amount_micros")
_LONGEST_LAG_HOURS = 24 * 366

Unit = Literal["per_gpu_hour", "per_instance_hour", "cents_per_gpu_hour", "cents_per_instance_hour"]


class TableMapping(SpecModel):
    """How to read one layout of ``tabular`` or ``trades`` files.

    ``columns`` names the file's column of a field (``chip = "Karte"``); a field may also be
    named by its default column (``gpu_model = "Karte"``), and ``""`` leaves a field unread.
    ``seller``, ``venue``, ``source``, ``pricing``, ``currency``, ``gpu_count`` and ``license``
    stand where the file has no such column or the cell is blank. A file whose price column is
    renamed must state ``unit`` and ``currency``, because neither is guessed.
    """

    kind: Literal["offer", "trade"] = "offer"
    columns: dict[str, str] = Field(default_factory=dict)
    delimiter: Literal[",", ";", "\t", "|"] = ","
    time_zone: str | None = None
    lag_hours: int = Field(default=0, ge=0, le=_LONGEST_LAG_HOURS)
    tier: Literal["listed", "executable"] = "listed"
    unit: Unit | None = None
    currency: str | None = None
    seller: str | None = None
    venue: str | None = None
    source: str | None = None
    aggregator: str | None = None
    pricing: str | None = None
    gpu_count: int | None = Field(default=None, ge=1)
    rights: Literal["allowed", "forbidden", "unknown"] | None = None
    license: str | None = None

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        if value is not None:
            read_zone(value)
        return value

    @field_validator("pricing")
    @classmethod
    def _known_pricing(cls, value: str | None) -> str | None:
        if value is not None and value not in PRICINGS:
            raise ValueError(f"it must be one of {', '.join(PRICINGS)}")
        return value

    @field_validator("seller", "venue", "source", "aggregator", "currency", "license")
    @classmethod
    def _not_blank(cls, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise ValueError("it is blank; give it a value or leave the key out")
        return value

    @model_validator(mode="before")
    @classmethod
    def _name_fields(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not isinstance(values.get("columns"), dict):
            return values
        defaults = TRADE_COLUMNS if values.get("kind") == "trade" else OFFER_COLUMNS
        by_column = {column: field for field, column in defaults.items()}
        columns: dict[Any, Any] = {}
        for key, column in values["columns"].items():
            field = key if key in defaults else by_column.get(key)
            if field is None:
                near = get_close_matches(str(key), [*defaults, *by_column], n=1)
                hint = f"did you mean {near[0]}?" if near else f"fields: {', '.join(defaults)}"
                raise ValueError(f"columns names the field {key!r}, which is none; {hint}")
            if field in columns:
                raise ValueError(f"columns names the field {field} twice; keep one")
            columns[field] = column
        return {**values, "columns": columns}

    @model_validator(mode="after")
    def _unit_and_currency_stated(self) -> Self:
        renamed = [self.columns[field] for field in _MONEY_FIELDS if self.columns.get(field)]
        lacking = [
            key
            for key, stated in (
                ("unit", self.unit is not None),
                ("currency", self.currency is not None or bool(self.columns.get("currency"))),
            )
            if not stated
        ]
        if renamed and lacking:
            raise ValueError(
                f"the price column is {renamed[0]!r}, but {' and '.join(lacking)} "
                f"{'is' if len(lacking) == 1 else 'are'} not stated; they are never guessed"
            )
        return self

    def column_of(self, field: str) -> str | None:
        """The file's column of a field; None where the field is not read."""
        defaults = TRADE_COLUMNS if self.kind == "trade" else OFFER_COLUMNS
        return self.columns.get(field, defaults.get(field)) or None

    def fields(self) -> tuple[str, ...]:
        """The fields of this kind of file."""
        return tuple(TRADE_COLUMNS if self.kind == "trade" else OFFER_COLUMNS)

    @property
    def per_instance(self) -> bool:
        """Whether a price is for the whole instance and is divided by ``gpu_count``."""
        return self.unit in {"per_instance_hour", "cents_per_instance_hour"}

    @property
    def per_dollar(self) -> int:
        """How many of the file's units make a dollar: 100 for cents."""
        return 100 if self.unit in {"cents_per_gpu_hour", "cents_per_instance_hour"} else 1

    @property
    def unit_original(self) -> str:
        """The unit of the price as written, as it stands on an observation."""
        return f"usd_{self.unit or 'per_gpu_hour'}"

    def mapping_hash(self) -> str:
        """The SHA-256 of everything the mapping states."""
        return digest_of(self.model_dump(mode="json"))


DEFAULT_MAPPING = TableMapping()
"""Offers in the documented columns: USD per GPU-hour, times with their own zone, listed, no lag."""

DEFAULT_TRADE_MAPPING = TableMapping(kind="trade")
"""Trades in the documented columns: USD per GPU-hour, times with their own zone, no lag."""
