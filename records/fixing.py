"""Votes and fixings: what an index is made of and what it prints."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

from .canonical import digest_of

Status = Literal["OK", "THIN", "CARRIED", "GAP"]
Origin = Literal["live", "backcast"]

STATUSES_WITH_VALUE: tuple[Status, ...] = ("OK", "THIN", "CARRIED")
STATUSES_OBSERVED: tuple[Status, ...] = ("OK", "THIN")
"""Statuses that rest on that day's own market; CARRIED repeats an earlier day."""

CLOCK_FIELDS = (
    "published_at",
    "published_at_real",
    "built_as_of",
    "previous_digest",
    "row_digest",
)
"""Fields that depend on when the tape was written. The canonical export leaves them out, and with
them the chain, whose digests cover them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One value per vote key (by default one seller) on one fixing date.

    ``weight`` is an integer share of ``total_weight`` over all votes of the fixing.
    ``observation_id`` is set where each observation is a vote of its own. ``content_xor`` folds the
    64-bit content checks of the observations behind the vote.
    """

    seller: str
    region: str | None
    observation_id: int | None
    value_micros: int
    weight: int
    total_weight: int
    n_observations: int
    gpu_seconds: int
    venues: int
    content_xor: str
    sku: str | None = None
    tier: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixing:
    """The value of a benchmark on one date, or the refusal that stands in its place.

    ``value_micros`` is null exactly when ``status`` is GAP; then ``rule`` names the gate that
    refused. Percentiles and ``top_weight`` describe the votes. ``origin`` is live when it was
    published within the grace period after ``effective_at``, else backcast.
    """

    benchmark: str
    date: dt.date
    value_micros: int | None
    status: Status
    rule: str | None
    tier: str | None
    n_observations: int
    n_sellers: int
    n_votes: int
    n_venues: int
    gpu_seconds: int
    p25_micros: int | None
    p75_micros: int | None
    top_weight: str | None
    """Largest seller share of the weight as a six-decimal string."""
    carried_from: dt.date | None
    methodology: str
    methodology_version: str
    methodology_hash: str
    input_digest: str
    effective_at: datetime
    simulated: bool
    reconstructed: bool
    rights: str
    settlement_grade: bool
    revision: int = 0
    origin: Origin | None = None
    published_at: datetime | None = None
    published_at_real: datetime | None = None
    built_as_of: datetime | None = None
    actor: str | None = None
    approved_by: str | None = None
    judgement: str | None = None
    reason: str | None = None
    details: str | None = None
    """Canonical JSON of what is published beside the level and what later days read of this one."""
    previous_digest: str | None = None
    row_digest: str | None = None

    @property
    def state(self) -> Literal["candidate", "published"]:
        """A fixing is published once it stands on the tape."""
        return "candidate" if self.published_at is None else "published"

    @property
    def gpu_hours(self) -> float:
        """GPU-hours behind the value, for display; sums use ``gpu_seconds``."""
        return self.gpu_seconds / 3600


def fixing_content(fixing: Fixing) -> dict[str, Any]:
    """All fields of a tape row but its own digest, in the form the chain seals.

    Null fields are absent, so that a field added later leaves the digests of older rows as they are.
    """
    content = {f.name: getattr(fixing, f.name) for f in fields(fixing) if f.name != "row_digest"}
    return {name: value for name, value in content.items() if value is not None}


def seal(fixing: Fixing) -> str:
    """The digest of a tape row: SHA-256 over its content, its clocks and the digest before it."""
    return digest_of(fixing_content(fixing))


def canonical_fixing(fixing: Fixing) -> dict[str, Any]:
    """A tape row without clock columns: what "identical" is judged on."""
    return {f.name: getattr(fixing, f.name) for f in fields(fixing) if f.name not in CLOCK_FIELDS}
