"""Evidence: what a tape is verified from, whether a workspace holds it or somebody was handed it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..records import Fixing, LedgerEntry

if TYPE_CHECKING:
    from ..store import ObservationFile


class EvidenceStore(Protocol):
    """The part of a store that verification asks. See :class:`rentmark.store.Store` for what each answers."""

    @property
    def simulated(self) -> bool:
        """Whether everything in it is simulated."""
        ...

    def observation_files(
        self, as_of: datetime | None = None, months: Sequence[str] | None = None
    ) -> list[ObservationFile]:
        """The files that count at an as-of instant."""
        ...

    def file_paths(self, files: Iterable[ObservationFile]) -> list[Path]:
        """Where files lie, each held against its digest."""
        ...

    def ledger(self, as_of: datetime | None = None) -> list[LedgerEntry]:
        """All batches in commit order."""
        ...

    def methodology(self, methodology_hash: str) -> dict[str, Any]:
        """A resolved document by its hash."""
        ...

    def tape_sequence(self, benchmark: str) -> list[Fixing]:
        """All rows of a benchmark in the order in which they were appended."""
        ...

    def get_payload(self, digest: str) -> bytes:
        """The bytes of a payload, checked."""
        ...

    def batch_identities(self, batch_id: int) -> set[tuple[int, int]]:
        """Identity and content check of every observation of a batch."""
        ...

    def archived_duplicates(self, batch_id: int) -> int:
        """How many of a batch's duplicates repeat what the archive held when it came."""
        ...


class Evidence(Protocol):
    """Something with such a store: a workspace, or a copy of an archive with its books."""

    @property
    def store(self) -> EvidenceStore:
        """What is asked."""
        ...
