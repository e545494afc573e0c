"""What a payload does not say and its feed needs: stated by the user, checked, and hashed.

A CSV without a stamp needs the time of its snapshot, a catalogue the provider it was found under, a list
of fills the window it was asked for. Such parameters come from a table ``[mappings.NAME]`` with
``feed = "…"`` in ``rentmark.toml``, chosen by ``--mapping NAME``. Their hash is part of what makes a
payload the same payload, so the same bytes under other parameters are read again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, field_validator

from ..records import Refusal, digest_of, parse_instant, to_microseconds
from ..records.observation import Pricing
from ..records.specs import SpecModel
from .rates import DatedValues, RateSeries


class FeedParameters(SpecModel):
    """The parameters of one feed; each feed that needs more has a class of its own."""

    feed: str

    def mapping_hash(self) -> str:
        """The SHA-256 of everything the parameters state."""
        return digest_of(self.model_dump(mode="json"))


def instant_stated(value: Any) -> Any:
    """A TOML date-time or a text as an aware UTC instant; ValueError where it has no zone."""
    text = value.isoformat() if hasattr(value, "isoformat") else value
    return parse_instant(text) if isinstance(text, str) else value


class SnapshotParameters(FeedParameters):
    """Of a snapshot: when it was taken, for a payload that has no stamp of its own."""

    observed_at: datetime | None = None

    @field_validator("observed_at", mode="before")
    @classmethod
    def _with_zone(cls, value: Any) -> Any:
        return instant_stated(value)


class ProviderParameters(SnapshotParameters):
    """Of a catalogue file that is named after its provider: the provider, too."""

    provider: str = Field(min_length=1)


class CurrencyParameters(SnapshotParameters):
    """Of a price list that may be in another currency: the currency where it is silent, and dated rates."""

    currency: str | None = Field(default=None, min_length=1)
    fx: dict[str, RateSeries] = Field(default_factory=dict)


class Rented(SpecModel):
    """What a market or a lease of a payload stands for: a GPU name and how many of it."""

    name: str = Field(min_length=1)
    gpu_count: int = Field(default=1, ge=1, le=1_000_000)


class WindowParameters(FeedParameters):
    """Of a list of fills: what was asked for, because the rows do not repeat it."""

    name: str = Field(min_length=1)
    start_at: datetime
    end_at: datetime
    gpus_per_node: int = Field(default=8, ge=1, le=1_000)
    pricing: Pricing = "reserved"

    @field_validator("start_at", "end_at", mode="before")
    @classmethod
    def _with_zone(cls, value: Any) -> Any:
        return instant_stated(value)

    @field_validator("end_at")
    @classmethod
    def _after_start(cls, value: datetime, info: Any) -> datetime:
        start = info.data.get("start_at")
        if start is not None and value <= start:
            raise ValueError("it must be after start_at")
        return value


class HostParameters(FeedParameters):
    """Of a host's own rental segments: who, what, and what the rate is for."""

    seller: str = Field(min_length=1)
    venue: str | None = Field(default=None, min_length=1)
    name: str | None = Field(default=None, min_length=1)
    unit: Literal["per_gpu_hour", "per_instance_hour"]


def missing(origin_name: str, what: str, key: str, feed_id: str) -> Refusal:
    """The refusal of a payload that leaves open what only its user can say."""
    return Refusal(
        "missing_parameter",
        f"{origin_name} does not say {what}; state {key} in a table [mappings.NAME] with "
        f'feed = "{feed_id}" and pass --mapping NAME.',
    )


def snapshot_moment(
    stamp: int | None, stated: SnapshotParameters | None, fetched_at: datetime | None
) -> int | None:
    """When a snapshot was taken: its own stamp, else the stated time, else our own fetch; microseconds."""
    if stamp is not None:
        return stamp
    told = (stated.observed_at if stated is not None else None) or fetched_at
    return None if told is None else to_microseconds(told)


def sidecars(parameters: FeedParameters) -> tuple[str, ...]:
    """Names of the files that hold series of these parameters."""
    return tuple(series.file for _, series in _series(parameters) if series.file is not None)


def with_sidecars(parameters: FeedParameters, read: Callable[[str], str]) -> FeedParameters:
    """The parameters with every series in place of the file that held it.

    ``read`` gives the text of a named file. Raises UsageError for rows that are no series.
    """
    update: dict[str, Any] = {}
    for (field, key), series in _series(parameters):
        if series.file is None:
            continue
        whole = series.with_rows(read(series.file), series.file)
        if key is None:
            update[field] = whole
        else:
            update[field] = {**update.get(field, getattr(parameters, field)), key: whole}
    return parameters.model_copy(update=update)


def _series(parameters: FeedParameters) -> list[tuple[tuple[str, str | None], DatedValues]]:
    found: list[tuple[tuple[str, str | None], DatedValues]] = []
    for field, value in parameters:
        if isinstance(value, DatedValues):
            found.append(((field, None), value))
        elif isinstance(value, dict):
            found += [((field, key), one) for key, one in value.items() if isinstance(one, DatedValues)]
    return found
