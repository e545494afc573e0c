"""Drift of a batch against the history its own feed has in this workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .core import Workspace

if TYPE_CHECKING:
    from ..ingest.drift import Drift
    from ..records import Batch, LedgerEntry

_BATCHES_LOOKED_AT = 20
_MOSTLY_REPEATED = 0.1
"""A batch that repeats more of the archive than this brought too little of its own to stand for its source."""


def drift_of_batch(
    workspace: Workspace, feed_id: str, batch: Batch, payload_digest: str, fetched_from: str | None
) -> list[Drift]:
    """What changed against the batches of the same feed and the same way in; before the batch is committed.

    Nothing in a simulated workspace, whose market is known.
    """
    from ..ingest.drift import HISTORY, Counts, drift_of_counts

    if workspace.store.simulated or not batch.records:
        return []
    before = [
        entry
        for entry in workspace.store.last_batches(feed_id, _BATCHES_LOOKED_AT)
        if entry.fetched_from == fetched_from and entry.payload_digest != payload_digest
    ]
    if not before:
        return []
    counts = [Counts(entry.records, entry.rejected) for entry in before[:HISTORY]]
    found = _drift_of_sellers(workspace, batch, before)
    return found + drift_of_counts(feed_id, counts, Counts(batch.records, batch.rejected))


def _drift_of_sellers(workspace: Workspace, batch: Batch, before: list[LedgerEntry]) -> list[Drift]:
    from ..ingest.drift import PROFILE_COLUMNS, drift_of_sellers, profiles_of

    now = profiles_of(batch.observations.select(PROFILE_COLUMNS))
    waiting = set(now)
    found = []
    for entry in before:
        if not waiting:
            break
        if entry.duplicates_archived > _MOSTLY_REPEATED * entry.accepted:
            continue
        rows = workspace.store.last_month_of_batch(entry.batch_id, PROFILE_COLUMNS)
        then = {} if rows is None else profiles_of(rows)
        for source in sorted(waiting & then.keys()):
            found += drift_of_sellers(source, then[source], now[source])
            waiting.discard(source)
    return found
