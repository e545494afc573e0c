"""Read archived payloads again with the feed as it is now, after its parser was mended."""

from __future__ import annotations

from ..ingest import FEEDS, read_mapping
from ..ingest.entry import feed_named
from .core import Workspace
from .ingesting import NO_MAPPING, Arrived, Ingested, Progress, ingest_payload


def read_again(workspace: Workspace, feed_id: str, *, progress: Progress = lambda _: None) -> list[Ingested]:
    """Read every payload of a feed again whose current reading is of another version of the feed.

    Bytes, mapping, name and moment of receipt are the recorded ones. The new reading supersedes the old one at
    a new recorded time: what was seen as of earlier stays as it was. Raises UsageError for an unknown feed.
    """
    feed_named(feed_id)
    store, version = workspace.store, FEEDS[feed_id].version
    entries = [entry for entry in store.ledger() if entry.feed == feed_id]
    replaced = {entry.supersedes for entry in entries}
    current = {(e.payload_digest, e.mapping_hash): e for e in entries if e.batch_id not in replaced}
    results = []
    for entry in current.values():
        if entry.feed_version == version:
            continue
        reading = None
        if entry.mapping_hash != NO_MAPPING:
            reading = read_mapping(store.methodology(entry.mapping_hash), "The recorded mapping")
        note = f"read again by version {version} of {feed_id}; before by {entry.feed_version}"
        results.append(
            ingest_payload(
                workspace,
                feed_id,
                entry.origin_name,
                store.get_payload(entry.payload_digest),
                mapping=reading,
                arrived=Arrived(
                    received_at=entry.received_at,
                    fetched_from=entry.fetched_from,
                    notes=(*_fetch_notes(entry.notes), note),
                    watched=False,
                ),
                progress=progress,
            )
        )
    return results


def _fetch_notes(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note.startswith(("fetched at ", "answer header "))]
