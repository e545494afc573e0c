"""What a feed makes of one payload, and what the ledger keeps of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from .errors import Refusal

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The outcome of parsing one payload.

    ``observations`` follows OBSERVATION_SCHEMA with ``recorded_at`` null; ``rejects`` follows
    REJECT_SCHEMA. Always ``records = observations + rejects + duplicates``.
    ``refusal`` is set when the payload as a whole could not be read (then all counts are 0, or
    the rows before the damage are in).
    """

    observations: pa.Table
    rejects: pa.Table
    records: int
    duplicates: int
    refusal: Refusal | None = None
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> int:
        """Number of observations."""
        return int(self.observations.num_rows)

    @property
    def rejected(self) -> int:
        """Number of rejects."""
        return int(self.rejects.num_rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One committed payload in the ledger. ``recorded_at`` is when it was committed."""

    batch_id: int
    feed: str
    feed_version: str
    mapping_hash: str
    payload_digest: str
    origin_name: str
    payload_bytes: int
    received_at: datetime
    recorded_at: datetime
    recorded_at_real: datetime
    records: int
    accepted: int
    rejected: int
    duplicates: int
    rights: str
    simulated: bool
    refusal_code: str | None = None
    refusal_sentence: str | None = None
    supersedes: int | None = None
    duplicates_archived: int = 0
    """How many of ``duplicates`` repeat what the archive held already; the rest repeat within the payload."""
    notes: tuple[str, ...] = field(default=())
    fetched_from: str | None = None
    """The address a payload was fetched from; None where it was handed over as a file."""
