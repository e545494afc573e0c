"""What a fetch may do and how long it waits: decided here, without a socket or a clock.

* Only ``https``, or ``http`` on this machine itself. No user or password in an address.
* A redirect is followed only to the same host and port, never from ``https`` to ``http``, three times at most.
* A server that is busy or broken (429, 500, 502, 503, 504), a lost connection and a timeout are tried again,
  after a pause that doubles and is drawn at random from its upper half, so that many clients do not come
  back at one moment. ``Retry-After`` lengthens the pause; where it asks for longer than we wait, we stop.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, urljoin, urlsplit

from ..records import Refusal

MOST_REDIRECTS = 3
AGAIN = frozenset({429, 500, 502, 503, 504})
"""Answers that another attempt may mend."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
KEPT_HEADERS = ("content-type", "content-encoding", "content-length", "date", "etag", "last-modified")
"""Headers of an answer that are kept beside the payload."""
_PORTS = {"http": 80, "https": 443}
_UNFIT = re.compile(r"[\x00-\x20\x7f]")


def address_refusal(url: str) -> Refusal | None:
    """Why an address may not be fetched, or None where it may."""
    parts = _split(url)
    if parts is None or not parts.hostname:
        return Refusal("bad_address", f"{shown_address(url)} is no address; write https://host/path.")
    if parts.username is not None or parts.password is not None:
        return Refusal(
            "bad_address",
            f"{shown_address(url)} holds a user or password; put it in a header from the environment.",
        )
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)):
        return None
    return Refusal(
        "bad_address", f"{shown_address(url)} is not https; only this machine is asked without it."
    )


def redirect_target(url: str, location: str | None) -> str | Refusal:
    """Where a redirect leads, or why it is not followed."""
    if not location:
        return Refusal("bad_redirect", f"{shown_address(url)} redirects without saying where.")
    target = urljoin(url, location)
    here, there = _split(url), _split(target)
    if here is None or there is None or address_refusal(target) is not None:
        return Refusal(
            "bad_redirect", f"{shown_address(url)} redirects to {shown_address(target)}, which is not asked."
        )
    same_host = (here.hostname or "").lower() == (there.hostname or "").lower()
    upgraded = here.scheme == "http" and there.scheme == "https"
    same_port = _port(here) == _port(there) or (upgraded and _port(there) == _PORTS["https"])
    if not same_host or not same_port or (here.scheme == "https" and there.scheme != "https"):
        return Refusal(
            "bad_redirect",
            f"{shown_address(url)} redirects to {shown_address(target)}, another host, port or scheme; "
            "if that is the source now, state its address.",
        )
    return target


def shown_address(url: str) -> str:
    """An address for a sentence: without user, password, query and fragment, where secrets might stand."""
    parts = _split(url)
    if parts is None:
        return "the address"
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"


def host_of(url: str) -> str:
    """The host and port that is asked, as rate limits know it."""
    parts = _split(url)
    return "" if parts is None else f"{(parts.hostname or '').lower()}:{_port(parts)}"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def retry_after_seconds(text: str | None, now: datetime) -> float | None:
    """How long ``Retry-After`` asks to wait: seconds, or until a date; None where it says nothing of use."""
    if text is None:
        return None
    if re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - now).total_seconds())


def pause_seconds(
    attempt: int, *, first: float, longest: float, asked: float | None, draw: float
) -> float | None:
    """The pause after attempt 1, 2, …; ``draw`` is in [0, 1). None where the server asks for too long.

    ``first`` doubles with each attempt up to ``longest``; half of it is fixed and half is drawn.
    """
    if asked is not None and asked > longest:
        return None
    step = min(longest, first * 2.0 ** (attempt - 1))
    drawn = step / 2 + draw * step / 2
    return drawn if asked is None else max(drawn, asked)


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer that are kept, in lower case."""
    lower = {name.lower(): value for name, value in headers.items()}
    return {name: lower[name] for name in KEPT_HEADERS if name in lower}


def _split(url: str) -> SplitResult | None:
    if _UNFIT.search(url):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return None
    return parts


def _port(parts: SplitResult) -> int | None:
    return parts.port if parts.port is not None else _PORTS.get(parts.scheme)
