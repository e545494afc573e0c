"""Collect: fetch the sources of ``[collect.NAME]``, each on its own, archived raw before it is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from ..ingest import Reading
from ..ingest.collect import (
    CollectSpec,
    fetch_notes,
    header_noted,
    not_before,
    pause_for_host,
)
from ..ingest.live import Fetched, FetchLimits, FetchRequest, Outcome, Unchanged, fetch
from ..ingest.live_gpuhunt import gpuhunt_catalogue
from ..ingest.parameters import ProviderParameters
from ..records import LedgerEntry, Refusal, RentmarkError, UsageError, format_instant
from .config import FILE_NAME
from .core import Workspace
from .ingesting import Arrived, Ingested, Progress, ingest_payload, reading_hash, reading_of, version_of
from .rows import ledger_row

Status = Literal["ingested", "already_ingested", "unchanged", "not_due", "busy", "refused", "failed"]
FAILURES: frozenset[Status] = frozenset({"failed", "refused"})
"""Statuses of a source that was asked and gave nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What one source came to, in a sentence."""

    name: str
    feed: str
    source: str
    status: Status
    sentence: str
    ingested: Ingested | None = None

    @property
    def alarms(self) -> list[str]:
        """The drift alarms of its batch."""
        drift = [] if self.ingested is None or self.ingested.already else self.ingested.drift
        return [change.sentence for change in drift if change.level == "alarm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What collecting needs of the world, so that a test can stand in for it."""

    fetch: Callable[[FetchRequest, FetchLimits], Outcome] = fetch
    catalogue: Callable[[str], bytes | Refusal] = gpuhunt_catalogue
    environment: Mapping[str, str] | None = None
    sleep: Callable[[float], None] = time.sleep
    seconds: Callable[[], float] = time.monotonic


def collect(
    workspace: Workspace,
    names: Sequence[str] = (),
    *,
    feed_id: str | None = None,
    whatever_the_interval: bool = False,
    progress: Progress = lambda _: None,
    world: World | None = None,
) -> list[Collected]:
    """Ask each source once: all of ``rentmark.toml``, those named, or those of a feed.

    A source that fails says so and stops no other. Raises UsageError where there is nothing to ask, or a
    name is unknown, and RentmarkError in a simulated workspace.
    """
    if workspace.store.simulated:
        raise RentmarkError("A simulated workspace collects nothing; use one made by `rentmark init`.")
    chosen = _chosen(workspace.configuration.collect, names, feed_id)
    collector = _Collector(workspace, world or World(), whatever_the_interval=whatever_the_interval)
    results = []
    for name, spec in chosen.items():
        progress(f"asking {spec.source}")
        try:
            results.append(collector.ask(name, spec, progress))
        except RentmarkError as error:  # a missing package, a full disk: told, and the next one is asked
            results.append(_result(name, spec, "failed", error.sentence))
    return results


def _chosen(
    tables: Mapping[str, CollectSpec], names: Sequence[str], feed_id: str | None
) -> dict[str, CollectSpec]:
    unknown = [name for name in names if name not in tables]
    if unknown:
        raise UsageError(
            f"There is no [collect.{unknown[0]}] in {FILE_NAME}; known: {', '.join(tables) or 'none'}."
        )
    chosen = {
        name: spec
        for name, spec in tables.items()
        if (not names or name in names) and (feed_id is None or spec.feed == feed_id)
    }
    if not chosen:
        what = "names a source" if feed_id is None else f"has feed = {feed_id!r}"
        raise UsageError(f"No [collect.NAME] table of {FILE_NAME} {what}; add one with its feed and url.")
    return chosen


class _Collector:
    """Asks sources one after another and leaves each host its pause."""

    def __init__(self, workspace: Workspace, world: World, *, whatever_the_interval: bool) -> None:
        self._workspace = workspace
        self._world = world
        self._always = whatever_the_interval
        self._asked: dict[str, float] = {}

    def ask(self, name: str, spec: CollectSpec, progress: Progress) -> Collected:
        """Ask one source, unless it is too early or another command does."""
        from .attempts import attempting

        with attempting(self._workspace.root, name) as attempts:
            if attempts is None:
                return _result(name, spec, "busy", "another command is asking it now.")
            now = datetime.now(UTC)
            due = None if self._always else not_before(spec, attempts.last(), now)
            if due is not None and now < due:
                return _result(name, spec, "not_due", f"asked lately; due again at {format_instant(due)}.")
            attempts.note(now)
            self._leave_host_alone(spec)
            reading = self._reading(spec)
            outcome = self._fetch(spec, reading)
            if isinstance(outcome, Refusal):
                return _result(name, spec, "failed", outcome.sentence)
            if isinstance(outcome, Unchanged):
                return _result(name, spec, "unchanged", "the source has nothing newer.")
            return self._ingest(name, spec, reading, outcome, progress)

    def _leave_host_alone(self, spec: CollectSpec) -> None:
        last = self._asked.get(spec.host)
        pause = pause_for_host(spec, None if last is None else self._world.seconds() - last)
        if pause > 0:
            self._world.sleep(pause)
        self._asked[spec.host] = self._world.seconds()

    def _reading(self, spec: CollectSpec) -> Reading | None:
        reading = reading_of(self._workspace, spec.mapping)
        if reading is None and spec.provider is not None:
            return ProviderParameters(feed=spec.feed, provider=spec.provider)
        return reading

    def _fetch(self, spec: CollectSpec, reading: Reading | None) -> Outcome:
        if spec.provider is not None:
            payload = self._world.catalogue(spec.provider)
            if isinstance(payload, Refusal):
                return payload
            return Fetched(payload=payload, status=200, headers={}, received_at=datetime.now(UTC), attempts=1)
        held = self._held(spec, reading)
        environment = os.environ if self._world.environment is None else self._world.environment
        request = spec.request(
            environment,
            etag=None if held is None else header_noted(held.notes, "etag"),
            last_modified=None if held is None else header_noted(held.notes, "last-modified"),
        )
        return request if isinstance(request, Refusal) else self._world.fetch(request, spec.limits())

    def _held(self, spec: CollectSpec, reading: Reading | None) -> LedgerEntry | None:
        """The last answer of this source that need not come again.

        Not one that only its fetch dates: that the market still stands is an observation of its own.
        """
        from ..ingest import FEEDS

        wanted = reading_hash(spec.feed, reading)
        for entry in self._workspace.store.last_batches(spec.feed, 100):
            if entry.fetched_from == spec.source:
                same = entry.mapping_hash == wanted and version_of(entry) == FEEDS[spec.feed].version
                return entry if same and entry.refusal_code is None else None
        return None

    def _ingest(
        self, name: str, spec: CollectSpec, reading: Reading | None, answer: Fetched, progress: Progress
    ) -> Collected:
        status = None if spec.provider is not None else answer.status
        ingested = ingest_payload(
            self._workspace,
            spec.feed,
            f"{name} {format_instant(answer.received_at.replace(microsecond=0))}",
            answer.payload,
            mapping=reading,
            arrived=Arrived(
                received_at=answer.received_at,
                fetched_from=spec.source,
                dates_payload=True,
                notes=tuple(fetch_notes(spec.source, status, answer.headers, answer.received_at)),
            ),
            progress=progress,
        )
        entry = ingested.entry
        if ingested.nothing_done and entry.refusal_sentence is not None:
            return _result(name, spec, "refused", entry.refusal_sentence, ingested)
        if ingested.already and not ingested.nothing_done:
            return _result(name, spec, "already_ingested", "the same bytes as before.", ingested)
        counts = (
            f"{entry.records:,} records = {entry.accepted:,} accepted + {entry.rejected:,} rejected + "
            f"{entry.duplicates:,} duplicates."
        )
        return _result(name, spec, "refused" if ingested.nothing_done else "ingested", counts, ingested)


def _result(
    name: str, spec: CollectSpec, status: Status, sentence: str, ingested: Ingested | None = None
) -> Collected:
    return Collected(
        name=name, feed=spec.feed, source=spec.source, status=status, sentence=sentence, ingested=ingested
    )


def collect_summary(results: Sequence[Collected]) -> dict[str, Any]:
    """The documented JSON of `collect`."""
    return {
        "sources": [
            {
                "name": result.name,
                "feed": result.feed,
                "source": result.source,
                "status": result.status,
                "sentence": result.sentence,
                "alarms": result.alarms,
                "batch": None if result.ingested is None else ledger_row(result.ingested.entry),
            }
            for result in results
        ],
        "failed": sum(result.status in FAILURES for result in results),
        "alarms": sum(len(result.alarms) for result in results),
    }
