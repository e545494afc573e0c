"""Read archived payloads again: by a mended feed, or once what lay in the future has come.

A machine whose clock runs behind refuses what was observed after the time it shows (``future_time``). When the
clock is right the same bytes hold good records, and the version of the feed is the same; so a reading at a later
time is a reading of its own, which the ledger numbers: ``2+1`` is the second by version 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..ingest import FEEDS, FeedContext, Reading, parse_payload, read_mapping, split_reading
from ..ingest.entry import feed_named
from ..records import LedgerEntry, format_instant
from .core import Workspace
from .ingesting import AGAIN, NO_MAPPING, Arrived, Ingested, Progress, ingest_payload, version_of

_FUTURE = "future_time"


def read_again(workspace: Workspace, feed_id: str, *, progress: Progress = lambda _: None) -> list[Ingested]:
    """Read every payload of a feed again that would now become something else.

    That is where its current reading is of another version of the feed: bytes, mapping, name and moment of receipt
    are the recorded ones. And where records were refused for a time that lay ahead and fewer would be now: then the
    moment of receipt is now. The new reading supersedes the old one at a new recorded time: what was seen as of
    earlier stays as it was. Raises UsageError for an unknown feed.
    """
    feed_named(feed_id)
    store, version = workspace.store, FEEDS[feed_id].version
    entries = [entry for entry in store.ledger() if entry.feed == feed_id]
    replaced = {entry.supersedes for entry in entries}
    current = {(e.payload_digest, e.mapping_hash): e for e in entries if e.batch_id not in replaced}
    results = []
    for entry in current.values():
        if version_of(entry) != version:
            note = f"read again by version {version} of {feed_id}; before by {version_of(entry)}"
            again = _Again(entry, _reading_of(workspace, entry), store.get_payload(entry.payload_digest))
            results.append(again.by(workspace, entry.received_at, note, progress))
        elif entry.rejected and store.reject_counts(entry.batch_id).get(_FUTURE):
            again = _Again(entry, _reading_of(workspace, entry), store.get_payload(entry.payload_digest))
            now = workspace.clock.now()
            if again.refused_as_future(now) < again.refused_as_future(entry.received_at):
                note = (
                    f"read again at {format_instant(now)}: of records refused for their time some have come"
                )
                number = int(entry.feed_version.partition(AGAIN)[2] or 0) + 1
                results.append(again.by(workspace, now, note, progress, number))
    return results


@dataclass(frozen=True, slots=True)
class _Again:
    """An archived payload, how it was read, and its bytes."""

    entry: LedgerEntry
    reading: Reading | None
    payload: bytes

    def refused_as_future(self, received_at: datetime) -> int:
        """How many of its records lie in the future of a moment."""
        mapping, parameters = split_reading(self.reading)
        entry = self.entry
        context = FeedContext(
            payload_digest=entry.payload_digest,
            received_at=received_at,
            origin_name=entry.origin_name,
            mapping=mapping,
            parameters=parameters,
        )
        reasons: list[str] = parse_payload(entry.feed, self.payload, context).rejects["reason"].to_pylist()
        return reasons.count(_FUTURE)

    def by(
        self, workspace: Workspace, received_at: datetime, note: str, progress: Progress, number: int = 0
    ) -> Ingested:
        """The reading at a moment of receipt; ``number`` as for :class:`.ingesting.Arrived`."""
        return ingest_payload(
            workspace,
            self.entry.feed,
            self.entry.origin_name,
            self.payload,
            mapping=self.reading,
            arrived=Arrived(
                received_at=received_at,
                fetched_from=self.entry.fetched_from,
                notes=(*_fetch_notes(self.entry.notes), note),
                watched=False,
                reading=number,
            ),
            progress=progress,
        )


def _reading_of(workspace: Workspace, entry: LedgerEntry) -> Reading | None:
    if entry.mapping_hash == NO_MAPPING:
        return None
    return read_mapping(workspace.store.methodology(entry.mapping_hash), "The recorded mapping")


def _fetch_notes(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note.startswith(("fetched at ", "answer header "))]
