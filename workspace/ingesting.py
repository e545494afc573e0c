"""Ingest: bytes to the raw archive first, then parsed, then committed whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..ingest import (
    DEFAULT_MAPPING,
    DEFAULT_TRADE_MAPPING,
    FEEDS,
    FeedContext,
    TableMapping,
    parse_payload,
)
from ..records import LedgerEntry, RentmarkError, UsageError, digest_of, sha256_hex
from .core import Workspace
from .rows import ledger_row

PAYLOAD_LIMIT_BYTES = 256 * 1024 * 1024
DEFAULT_MAPPINGS: Mapping[str, TableMapping] = {"tabular": DEFAULT_MAPPING, "trades": DEFAULT_TRADE_MAPPING}
"""Feeds that read a user's own columns, and how they read them unless told otherwise."""
NO_MAPPING = digest_of(None)
"""Mapping hash of a feed whose layout is fixed."""
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ingested:
    """What one payload came to. ``already`` when this very payload had been ingested before."""

    entry: LedgerEntry
    already: bool

    @property
    def nothing_done(self) -> bool:
        """True when no record of the payload is in the archive and something was refused."""
        entry = self.entry
        return entry.accepted == 0 and entry.duplicates == 0 and not self.already


def ingest_files(
    workspace: Workspace,
    feed_id: str,
    paths: Sequence[Path],
    *,
    mapping_name: str | None = None,
    progress: Progress = lambda _: None,
) -> list[Ingested]:
    """Ingest files in order. Raises RentmarkError for a file that can't be read, before any work."""
    if feed_id not in FEEDS:
        raise UsageError(f"There is no feed {feed_id!r}; known feeds: {', '.join(sorted(FEEDS))}.")
    mapping = workspace.configuration.mapping(mapping_name)
    if mapping is not None and feed_id not in DEFAULT_MAPPINGS:
        raise UsageError(f"Feed {feed_id} has a layout of its own and takes no mapping; leave --mapping out.")
    for path in paths:
        _check_file(path)
    return [_ingest_file(workspace, feed_id, path, mapping, progress) for path in paths]


def _check_file(path: Path) -> None:
    if not path.exists():
        raise RentmarkError(f"There is no file {path}; check the path.")
    if not path.is_file():
        raise RentmarkError(f"{path} is not a file; name the files themselves.")
    size = path.stat().st_size
    if size > PAYLOAD_LIMIT_BYTES:
        limit = PAYLOAD_LIMIT_BYTES // 1024 // 1024
        raise RentmarkError(f"{path} is {size // 1024 // 1024} MB; the limit is {limit} MB. Split it.")


def _ingest_file(
    workspace: Workspace, feed_id: str, path: Path, mapping: TableMapping | None, progress: Progress
) -> Ingested:
    progress(f"reading {path.name}")
    try:
        payload = path.read_bytes()
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None
    return ingest_payload(workspace, feed_id, path.name, payload, mapping=mapping, progress=progress)


def ingest_payload(
    workspace: Workspace,
    feed_id: str,
    origin_name: str,
    payload: bytes,
    *,
    mapping: TableMapping | None = None,
    progress: Progress = lambda _: None,
) -> Ingested:
    """Archive, parse and commit one payload; a repeated one changes nothing."""
    store = workspace.store
    feed = FEEDS[feed_id]
    received_at = workspace.clock.now()
    used = mapping or DEFAULT_MAPPINGS.get(feed_id)
    mapping_hash = NO_MAPPING if used is None else used.mapping_hash()
    digest = sha256_hex(payload)
    before = store.find_batch(digest, feed.id, feed.version, mapping_hash)
    if before is not None:
        return Ingested(before, already=True)
    store.put_payload(payload)
    if used is not None:
        store.save_methodology(mapping_hash, used.model_dump(mode="json"))
    progress(f"parsing {origin_name}")
    context = FeedContext(
        payload_digest=digest,
        received_at=received_at,
        origin_name=origin_name,
        mapping=used,
        simulated=False,
    )
    batch = parse_payload(feed_id, payload, context)
    progress(f"committing {batch.accepted:,} observations of {origin_name}")
    rights = set(batch.observations.column("rights").unique().to_pylist())
    entry = store.commit_batch(
        batch,
        feed=feed.id,
        feed_version=feed.version,
        mapping_hash=mapping_hash,
        payload_digest=digest,
        origin_name=origin_name,
        payload_bytes=len(payload),
        received_at=received_at,
        rights=",".join(sorted(rights)) or "none",
        simulated=workspace.store.simulated,
    )
    return Ingested(entry, already=False)


def ingest_summary(results: Sequence[Ingested]) -> dict[str, Any]:
    """The documented JSON of `ingest`: totals, and the same counts per payload."""
    entries = [r.entry for r in results]
    return {
        "records": sum(e.records for e in entries),
        "accepted": sum(e.accepted for e in entries),
        "rejected": sum(e.rejected for e in entries),
        "duplicates": sum(e.duplicates for e in entries),
        "already_ingested": all(r.already for r in results),
        "batches": [{**ledger_row(r.entry), "already_ingested": r.already} for r in results],
    }
