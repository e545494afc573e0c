"""What ``[collect.NAME]`` tables of ``rentmark.toml`` state, and what follows from them.

Pure planning: which table is due, what its request holds, how long to leave a host alone. Secrets come from
the environment: a header names a variable, ``Authorization = "Bearer ${VAST_API_KEY}"``, and never holds one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ..records import Refusal, UsageError, format_instant
from ..records.specs import SpecModel
from .entry import Reading, check_reading, feed_named
from .fetch_rules import address_refusal, host_of
from .live import FetchLimits, FetchRequest
from .parameters import FeedParameters, SnapshotParameters

GPUHUNT = "gpuhunt"
"""The feed whose payloads the package of that name can collect."""

_PLAIN_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
"""Headers that hold no secret and may be written out."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_HEADER = re.compile(r"(?:[A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")
_FORBIDDEN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "range"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MEGABYTE = 1024 * 1024


class CollectSpec(SpecModel):
    """One source that ``rentmark collect`` fetches.

    Either ``url`` is asked, or, for the feed ``gpuhunt``, the package of that name for its ``provider``.
    ``interval_hours`` is the least time between two attempts, ``seconds_between_requests`` that between two
    requests to one host.
    """

    feed: str
    url: str | None = None
    provider: str | None = Field(default=None, min_length=1)
    method: Literal["GET", "POST"] = "GET"
    body: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    mapping: str | None = None
    interval_hours: float = Field(default=1.0, ge=0, le=24 * 31)
    seconds_between_requests: float = Field(default=1.0, ge=0, le=3_600)
    timeout_seconds: float = Field(default=120.0, gt=0, le=3_600)
    size_limit_mb: int = Field(default=256, ge=1, le=256)

    @field_validator("url")
    @classmethod
    def _may_be_asked(cls, value: str | None) -> str | None:
        refusal = None if value is None else address_refusal(value)
        if refusal is not None:
            raise ValueError(refusal.sentence.rstrip("."))
        return value

    @field_validator("headers")
    @classmethod
    def _secrets_from_the_environment(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _FORBIDDEN_HEADERS:
                raise ValueError(f"the header {name} can't be stated")
            plain = name.lower() in _PLAIN_HEADERS and text.isascii() and text.isprintable()
            if not plain and not _SECRET_HEADER.fullmatch(text):
                raise ValueError(
                    f"the header {name} must come from the environment: write ${{NAME}}, or Bearer ${{NAME}}"
                )
        return value

    @model_validator(mode="after")
    def _one_way_to_ask(self) -> Self:
        if (self.url is None) == (self.provider is None):
            raise ValueError("state url, or for the feed gpuhunt its provider, and not both")
        if self.provider is not None and self.feed != GPUHUNT:
            raise ValueError("provider goes with feed = 'gpuhunt'")
        if self.body is not None and self.method != "POST":
            raise ValueError("body goes with method = 'POST'")
        return self

    @property
    def source(self) -> str:
        """What is asked, as the ledger keeps it: the address, or the package and its provider."""
        return self.url if self.url is not None else f"{GPUHUNT}:{self.provider}"

    @property
    def host(self) -> str:
        """What a rate limit counts: the host of the address, or the package's provider."""
        return self.source if self.url is None else host_of(self.url)

    def limits(self) -> FetchLimits:
        """The limits of one fetch."""
        return FetchLimits(total_seconds=self.timeout_seconds, size_bytes=self.size_limit_mb * _MEGABYTE)

    def request(
        self, environment: Mapping[str, str], *, etag: str | None = None, last_modified: str | None = None
    ) -> FetchRequest | Refusal:
        """The request, its headers filled in from the environment; a Refusal names a variable not set."""
        headers = {}
        for name, text in self.headers.items():
            absent = next((key for key in _VARIABLE.findall(text) if not environment.get(key)), None)
            if absent is not None:
                return Refusal("missing_variable", f"the header {name} needs {absent}; set it and repeat.")
            value = _VARIABLE.sub(lambda found: environment[found[1]], text)
            if not value.isascii() or not value.isprintable():
                return Refusal("missing_variable", f"the header {name} can't be sent as it is; check it.")
            headers[name] = value
        assert self.url is not None
        return FetchRequest(
            url=self.url,
            method=self.method,
            body=None if self.body is None else self.body.encode(),
            headers=headers,
            etag=etag,
            last_modified=last_modified,
        )


def read_collect(name: str, values: Mapping[str, Any], mappings: Mapping[str, Reading]) -> CollectSpec:
    """Read a table ``[collect.NAME]``; ``mappings`` are those it may name.

    Raises UsageError with one sentence naming the key, its value and the remedy.
    """
    where = f"[collect.{name}]"
    if not _NAME.fullmatch(name):  # it stands in file names
        raise UsageError(f"{where} needs a name of at most 64 letters, digits, dots, dashes and underscores.")
    spec = CollectSpec.read(values, where)
    if spec.mapping is not None and spec.mapping not in mappings:
        raise UsageError(f"{where} names the mapping {spec.mapping!r}; add [mappings.{spec.mapping}].")
    try:
        feed_named(spec.feed)
        check_reading(spec.feed, None if spec.mapping is None else mappings[spec.mapping])
    except UsageError as error:
        raise UsageError(f"{where}: {error.sentence}") from None
    return spec


def not_before(spec: CollectSpec, attempted_at: datetime | None, now: datetime) -> datetime | None:
    """When a table is due again after its last attempt; None where it is due at any time.

    An attempt of the future was noted by a clock that has been put right since: it says nothing, or a
    clock that was once a year ahead would stop collection for a year.
    """
    if attempted_at is None or attempted_at > now:
        return None
    return attempted_at + timedelta(hours=spec.interval_hours)


def pause_for_host(spec: CollectSpec, seconds_since_last: float | None) -> float:
    """How long to leave a host alone before it is asked again."""
    if seconds_since_last is None:
        return 0.0
    return max(0.0, spec.seconds_between_requests - seconds_since_last)


def dated_by_fetch(
    reading: FeedParameters | None, model: type[FeedParameters] | None, feed: str, fetched_at: datetime
) -> SnapshotParameters | None:
    """The parameters of a snapshot without a stamp of its own, which the moment of its fetch dates.

    None where the feed takes no such time, or one is stated already.
    """
    if reading is None and model is not None and issubclass(model, SnapshotParameters):
        if model is not SnapshotParameters and model.model_fields.keys() & {"provider"}:
            return None  # what else it needs is not stated
        reading = model.read({"feed": feed}, f"the feed {feed}")
    if not isinstance(reading, SnapshotParameters) or reading.observed_at is not None:
        return None
    return reading.model_copy(update={"observed_at": fetched_at})


def fetch_notes(
    source: str, status: int | None, headers: Mapping[str, str], received_at: datetime
) -> list[str]:
    """What the ledger keeps of an answer beside its bytes, a line each."""
    said = "" if status is None else f" (HTTP {status})"
    notes = [f"fetched at {format_instant(received_at)} from {source}{said}"]
    return notes + [f"answer header {name}: {value[:500]}" for name, value in headers.items()]


def header_noted(notes: tuple[str, ...], name: str) -> str | None:
    """A header that :func:`fetch_notes` kept."""
    start = f"answer header {name}: "
    return next((note.removeprefix(start) for note in notes if note.startswith(start)), None)
