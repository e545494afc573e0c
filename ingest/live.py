"""The only socket: fetches one payload, within limits, and says no in a sentence.

What may be asked and how long to wait is decided in :mod:`.fetch_rules`. The bytes come back as they were
received: no decompression, no decoding. Needs the package httpx2 (``pip install "rentmark[live]"``).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..records import Refusal, RentmarkError
from .fetch_rules import (
    AGAIN,
    MOST_REDIRECTS,
    REDIRECTS,
    address_refusal,
    is_loopback,
    kept_headers,
    pause_seconds,
    redirect_target,
    retry_after_seconds,
    shown_address,
)

if TYPE_CHECKING:
    from types import ModuleType

USER_AGENT = "rentmark/0.1 (compute rental benchmarks)"
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How long and how much one fetch may take; ``total_seconds`` holds for each attempt."""

    connect_seconds: float = 10.0
    read_seconds: float = 30.0
    total_seconds: float = 120.0
    size_bytes: int = 256 * _MEGABYTE
    attempts: int = 4
    first_pause_seconds: float = 1.0
    longest_pause_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """What to ask. ``etag`` and ``last_modified`` are those of the answer that is held already."""

    url: str
    method: str = "GET"
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An answer as it came. ``headers`` are the kept ones; ``received_at`` is when its last byte was here."""

    payload: bytes
    status: int
    headers: Mapping[str, str]
    received_at: datetime
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The server says that what is held is still what it has (304)."""

    attempts: int


@dataclass(frozen=True, slots=True)
class _Again:
    """An attempt that another one may mend: what went wrong, and how long the server asks to wait."""

    sentence: str
    asked_seconds: float | None = None


Outcome = Fetched | Unchanged | Refusal


def fetch(
    request: FetchRequest,
    limits: FetchLimits | None = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
    draw: Callable[[], float] = random.random,
) -> Outcome:
    """Fetch one payload, with retries. What can't be had is a Refusal with a sentence, never an exception.

    Raises RentmarkError where the package httpx2 is missing.
    """
    httpx2 = _client_library()
    limits = limits or FetchLimits()
    refusal = address_refusal(request.url)
    if refusal is not None:
        return refusal
    for attempt in range(1, limits.attempts + 1):
        outcome = _attempt(httpx2, request, limits, attempt)
        if not isinstance(outcome, _Again):
            return outcome
        if attempt == limits.attempts:
            return Refusal(
                "no_answer", f"{outcome.sentence}, {attempt} times in a row; it is asked again next time."
            )
        pause = pause_seconds(
            attempt,
            first=limits.first_pause_seconds,
            longest=limits.longest_pause_seconds,
            asked=outcome.asked_seconds,
            draw=draw(),
        )
        if pause is None:
            return Refusal(
                "no_answer",
                f"{outcome.sentence} and asks to wait {outcome.asked_seconds:.0f} seconds; "
                "it is asked again next time.",
            )
        sleep(pause)
    raise AssertionError("unreachable: the last attempt returns")


def _client_library() -> ModuleType:
    try:
        import httpx2
    except ModuleNotFoundError:
        raise RentmarkError(
            'Live collection needs the package httpx2; run `pip install "rentmark[live]"`.'
        ) from None
    return httpx2


def _attempt(
    httpx2: ModuleType, request: FetchRequest, limits: FetchLimits, attempt: int
) -> Outcome | _Again:
    where = shown_address(request.url)
    deadline = time.monotonic() + limits.total_seconds
    timeout = httpx2.Timeout(limits.read_seconds, connect=limits.connect_seconds)
    url = request.url
    try:
        # a proxy of the environment has no business with this machine itself
        local = is_loopback(httpx2.URL(url).host)
        with httpx2.Client(timeout=timeout, follow_redirects=False, trust_env=not local) as client:
            for _ in range(MOST_REDIRECTS + 1):
                with client.stream(
                    request.method, url, content=request.body, headers=_headers(request)
                ) as response:
                    if response.status_code not in REDIRECTS:
                        return _answer(response, request, limits, deadline, attempt)
                    target = redirect_target(url, response.headers.get("location"))
                if isinstance(target, Refusal):
                    return target
                url = target
            return Refusal("bad_redirect", f"{where} redirects more than {MOST_REDIRECTS} times.")
    except httpx2.TimeoutException as error:
        return _Again(f"{where} does not answer in time ({type(error).__name__})")
    except httpx2.TransportError as error:
        return _Again(f"{where} can't be read ({_said(error)})")
    except (httpx2.InvalidURL, UnicodeError):
        return Refusal("bad_address", f"{where} is no address; write https://host/path.")


def _answer(
    response: Any, request: FetchRequest, limits: FetchLimits, deadline: float, attempt: int
) -> Outcome | _Again:
    where = shown_address(request.url)
    status = int(response.status_code)
    if status == 304 and (request.etag or request.last_modified):
        return Unchanged(attempts=attempt)
    if status in AGAIN:
        asked = retry_after_seconds(response.headers.get("retry-after"), datetime.now(UTC))
        return _Again(f"{where} answers {status}", asked)
    if status != 200:
        remedy = {
            401: "; check the header that carries the key",
            403: "; check the header that carries the key",
            404: "; check the address",
            410: "; check the address",
        }.get(status, "")
        return Refusal("refused_by_server", f"{where} answers {status}{remedy}.")
    too_large = Refusal(
        "too_large",
        f"{where} sends more than {_size(limits.size_bytes)}; ask for less, or raise size_limit_mb.",
    )
    announced = response.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limits.size_bytes:
        return too_large
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        return Refusal(
            "not_this_format", f"{where} sends {encoding}, which was not asked for and is not read."
        )
    payload = bytearray()
    for chunk in response.iter_raw():
        payload += chunk
        if len(payload) > limits.size_bytes:
            return too_large
        if time.monotonic() > deadline:
            return _Again(f"{where} is not done after {limits.total_seconds:g} seconds")
    return Fetched(
        payload=bytes(payload),
        status=status,
        headers=kept_headers(response.headers),
        received_at=datetime.now(UTC),
        attempts=attempt,
    )


def _headers(request: FetchRequest) -> dict[str, str]:
    headers = {"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip, identity"}
    headers.update(request.headers)
    if request.etag:
        headers["If-None-Match"] = request.etag
    if request.last_modified:
        headers["If-Modified-Since"] = request.last_modified
    return headers


def _size(count: int) -> str:
    return f"{count // _MEGABYTE} MB" if count >= _MEGABYTE else f"{count:,} bytes"


def _said(error: Exception) -> str:
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return first[:120] or type(error).__name__
