"""Sellers known under two names, each with the date on which that was published.

An alias counts from its own publication date on: a run as of an earlier day sees two sellers, as the
market then did. The date is that of the earliest dated text known that shows both names, which may be later
than the change of name itself, never earlier.

The table matches sellers to rated operators, and enters the methodology's hash where a grade asks for a
rating. Use :func:`seller_at` to compare sources, or to write ``sellers`` and ``exclude_sellers`` of a grade
in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from functools import cache

from ..records import day_start, digest_of


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of a seller that is another seller's name too."""

    name: str
    """The other name, in lower case."""
    seller: str
    """The name to use."""
    published_on: date
    source: str
    """The dated text that shows both names."""


ALIASES: tuple[Alias, ...] = (
    Alias(
        "datacrunch", "verda", date(2025, 11, 6),
        "SemiAnalysis, ClusterMAX 2.0, whose chart shows Verda 'formerly DataCrunch'",
    ),
    Alias(
        "datacrunch.io", "verda", date(2025, 11, 6),
        "SemiAnalysis, ClusterMAX 2.0; datacrunch.io was DataCrunch's address",
    ),
    Alias(
        "runpod.io", "runpod", date(2023, 5, 22),
        "the-full-stack/website, docs/cloud-gpus/cloud-gpus.csv, which changed the name on this day",
    ),
    Alias(
        "jarvis-labs", "jarvislabs", date(2026, 5, 24),
        "tardellirs/gpu-pricing, offerings of this day, with the address jarvislabs.ai",
    ),
    Alias(
        "thunder-compute", "thundercompute", date(2026, 5, 24),
        "tardellirs/gpu-pricing, offerings of this day, with the address thundercompute.com",
    ),
    Alias(
        "vast-ai", "vast.ai", date(2026, 5, 24),
        "tardellirs/gpu-pricing, offerings of this day, with the address vast.ai",
    ),
    Alias(
        "latitude", "latitude.sh", date(2026, 8, 18),
        "gpurentalprices.com, snapshot of this day, with the address latitude.sh",
    ),
    Alias(
        "ovh", "ovhcloud", date(2026, 8, 18),
        "gpurentalprices.com, snapshot of this day, with the address ovhcloud.com",
    ),
    Alias(
        "gcp", "google cloud", date(2026, 8, 18),
        "gpurentalprices.com, snapshot of this day, with the address cloud.google.com",
    ),
    Alias(
        "together", "together.ai", date(2026, 8, 18),
        "gpurentalprices.com, snapshot of this day, with the address together.ai",
    ),
)  # fmt: skip


@cache
def aliases_hash() -> str:
    """The SHA-256 of the alias table's content; part of a methodology's hash."""
    return digest_of([asdict(alias) for alias in sorted(ALIASES, key=lambda alias: alias.name)])


def seller_at(name: str, known_at: datetime, aliases: Sequence[Alias] = ALIASES) -> str:
    """The seller a written name stood for, by what was published at ``known_at`` (aware, UTC).

    Case and surrounding blanks of the name do not matter; a name without an alias is returned
    as written. Raises ValueError when ``known_at`` has no zone.
    """
    if known_at.tzinfo is None:
        raise ValueError(f"known_at is {known_at.isoformat()}, which has no zone; give it in UTC")
    key = name.strip().casefold()
    for alias in aliases:
        if alias.name == key and day_start(alias.published_on) <= known_at:
            return alias.seller
    return name
