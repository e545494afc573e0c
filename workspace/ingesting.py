"""Ingest: bytes to the raw archive first, then parsed, then committed whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..ingest import (
    DEFAULT_MAPPING,
    DEFAULT_TRADE_MAPPING,
    FEEDS,
    Feed,
    FeedContext,
    FeedParameters,
    Reading,
    TableMapping,
    check_reading,
    parse_payload,
    sidecars,
    split_reading,
    with_sidecars,
)
from ..ingest.collect import dated_by_fetch
from ..ingest.drift import Drift, drift_note, drifts_noted
from ..records import Batch, LedgerEntry, RentmarkError, UsageError, digest_of, sha256_hex
from ..store import Store
from .core import Workspace
from .drift import drift_of_batch
from .memory import LARGE_PAYLOAD_BYTES, give_back_memory, memory_for
from .rows import ledger_row

_UNDATED = ("missing_parameter", "missing_column")
PAYLOAD_LIMIT_BYTES = 256 * 1024 * 1024
DEFAULT_MAPPINGS: Mapping[str, TableMapping] = {"tabular": DEFAULT_MAPPING, "trades": DEFAULT_TRADE_MAPPING}
"""Feeds that read a user's own columns, and how they read them unless told otherwise."""
NO_MAPPING = digest_of(None)
"""Mapping hash of a feed whose layout is fixed."""
AGAIN = "+"
"""Stands between the version of a feed and the number of a later reading by it: ``2+1``."""
Progress = Callable[[str], None]
Parse = Callable[[str, bytes, FeedContext], Batch]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """How a payload reached us. ``fetched_from`` is None where it was handed over as a file.

    ``dates_payload`` says that ``received_at`` dates a payload that has no stamp of its own, because we
    fetched it then. ``notes`` join those of the feed in the ledger. A payload that is read again is not
    ``watched`` for drift. ``reading`` counts the readings of the same bytes by the same version of the feed
    after the first (see :mod:`.rereading`).
    """

    received_at: datetime
    fetched_from: str | None = None
    dates_payload: bool = False
    notes: tuple[str, ...] = ()
    watched: bool = True
    reading: int = 0


@dataclass(frozen=True, slots=True)
class Ingested:
    """What one payload came to. ``already`` when this very payload had been ingested before."""

    entry: LedgerEntry
    already: bool

    @property
    def drift(self) -> list[Drift]:
        """What changed against the batches of its feed before it, as the ledger keeps it."""
        return drifts_noted(self.entry.notes)

    @property
    def nothing_done(self) -> bool:
        """True when no record of the payload is in the archive, the first time and every other."""
        return self.entry.accepted == 0 and self.entry.duplicates == 0


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
    mapping = reading_of(workspace, mapping_name)
    check_reading(feed_id, mapping)
    for path in paths:
        _check_file(path)
    return [_ingest_file(workspace, feed_id, path, mapping, progress) for path in paths]


def reading_of(workspace: Workspace, mapping_name: str | None) -> Reading | None:
    """The mapping of that name, with the series that its parameters keep in files beside rentmark.toml."""
    stated = workspace.configuration.mapping(mapping_name)
    if not isinstance(stated, FeedParameters) or not sidecars(stated):
        return stated
    return with_sidecars(stated, lambda name: _series_text(workspace.root / name))


def _series_text(path: Path) -> str:
    _check_file(path)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RentmarkError(f"{path} is not UTF-8 text; save it as UTF-8 CSV.") from None
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None


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
    workspace: Workspace, feed_id: str, path: Path, mapping: Reading | None, progress: Progress
) -> Ingested:
    progress(f"reading {path.name}")
    # the bytes get no name here: whoever commits them lets go of them before
    return ingest_payload(workspace, feed_id, path.name, _bytes_of(path), mapping=mapping, progress=progress)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None


def ingest_payload(
    workspace: Workspace,
    feed_id: str,
    origin_name: str,
    payload: bytes,
    *,
    mapping: Reading | None = None,
    arrived: Arrived | None = None,
    progress: Progress = lambda _: None,
    parse: Parse = parse_payload,
) -> Ingested:
    """Archive, parse and commit one payload; a repeated one changes nothing.

    ``parse`` gives what ``parse_payload`` gives, wherever that is worked out.
    """
    store = workspace.store
    feed = FEEDS[feed_id]
    arrived = arrived or Arrived(received_at=workspace.clock.now())
    used: Reading | None = mapping or DEFAULT_MAPPINGS.get(feed_id)
    digest = sha256_hex(payload)
    version = f"{feed.version}{AGAIN}{arrived.reading}" if arrived.reading else feed.version
    mapping_hash = _hash_of(used)
    before = store.find_batch(digest, feed.id, version, mapping_hash)
    if before is not None:
        return Ingested(before, already=True)
    payload_bytes = len(payload)
    with memory_for(payload_bytes):
        with _kept(store, payload, digest, arrived):
            progress(f"parsing {origin_name}")
            again = payload if arrived.dates_payload else b""  # only what we fetched may be read twice
            handed = [payload]
            del payload  # a quarter of a gigabyte at most: whoever reads it can let go of it, too
            batch = parse(feed_id, handed.pop(), _context(origin_name, digest, used, arrived))
            if batch.refusal is not None and batch.refusal.code in _UNDATED and arrived.dates_payload:
                dated = _dated(feed, used, arrived.received_at)
                if dated is not None:
                    used, mapping_hash = dated, _hash_of(dated)
                    batch = parse_payload(feed_id, again, _context(origin_name, digest, used, arrived))
            del again
        if used is not None:
            store.save_methodology(mapping_hash, used.model_dump(mode="json"))
        drift = (
            drift_of_batch(workspace, feed_id, batch, digest, arrived.fetched_from) if arrived.watched else []
        )
        if payload_bytes > LARGE_PAYLOAD_BYTES:
            give_back_memory()
        notes = (*batch.notes, *arrived.notes, *(drift_note(change) for change in drift))
        progress(f"committing {batch.accepted:,} observations of {origin_name}")
        rights = set(batch.observations.column("rights").unique().to_pylist())
        entry = store.commit_batch(
            replace(batch, notes=notes),
            feed=feed.id,
            feed_version=version,
            mapping_hash=mapping_hash,
            payload_digest=digest,
            origin_name=origin_name,
            payload_bytes=payload_bytes,
            received_at=arrived.received_at,
            rights=",".join(sorted(rights)) or "none",
            simulated=workspace.store.simulated,
            fetched_from=arrived.fetched_from,
        )
        del batch
    return Ingested(entry, already=False)


@contextmanager
def _kept(store: Store, payload: bytes, digest: str, arrived: Arrived) -> Iterator[None]:
    """The payload in the raw archive: before the block runs, or by its end.

    What was fetched exists nowhere else and is kept before anything reads it. A large file that lies on the disk
    already is read while its copy is being flushed; nothing that was read of it is committed before that.
    """
    if arrived.fetched_from is not None or len(payload) <= LARGE_PAYLOAD_BYTES:
        store.put_payload(payload, digest)
        yield
        return
    with ThreadPoolExecutor(1) as keeper:
        keeping = keeper.submit(store.put_payload, payload, digest)
        del payload
        yield
        keeping.result()


def version_of(entry: LedgerEntry) -> str:
    """The version of the feed that read a batch, whichever of its readings it was."""
    return entry.feed_version.partition(AGAIN)[0]


def reading_hash(feed_id: str, reading: Reading | None) -> str:
    """The mapping hash of what a feed reads under this mapping, or under its default."""
    return _hash_of(reading or DEFAULT_MAPPINGS.get(feed_id))


def _hash_of(reading: Reading | None) -> str:
    return NO_MAPPING if reading is None else reading.mapping_hash()


def _context(origin_name: str, digest: str, reading: Reading | None, arrived: Arrived) -> FeedContext:
    table_mapping, parameters = split_reading(reading)
    return FeedContext(
        payload_digest=digest,
        received_at=arrived.received_at,
        origin_name=origin_name,
        mapping=table_mapping,
        parameters=parameters,
        simulated=False,
    )


def _dated(feed: Feed, reading: Reading | None, fetched_at: datetime) -> Reading | None:
    """A reading that dates a payload without a stamp by its fetch, and keeps that time with its hash."""
    if isinstance(reading, TableMapping):
        return None
    return dated_by_fetch(reading, feed.parameters, feed.id, fetched_at)


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
