"""As-of views: what was known at an instant, strictly or as reconstructed from today's archive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..records import NaiveInstantError, UsageError, format_instant, parse_instant
from .clock import SystemClock

LATEST = "latest"


@dataclass(frozen=True, slots=True)
class AsOf:
    """An as-of instant. Strict sees what was recorded by then; reconstructed, what was known by then."""

    instant: datetime
    reconstructed: bool = False

    @property
    def view(self) -> str:
        """The name under which candidates of this view are stored."""
        suffix = ";reconstructed" if self.reconstructed else ""
        return f"as-of={format_instant(self.instant)}{suffix}"


def view_name(as_of: AsOf | None) -> str:
    """The stored name of a view; no as-of is the latest one."""
    return LATEST if as_of is None else as_of.view


def read_as_of(text: str | None, *, reconstructed: bool) -> AsOf | None:
    """Read ``--as-of``: an instant with a zone, or a date meaning its midnight UTC.

    An instant that has not come is refused: what will be known then is not known, and a view of it would not come
    out the same again. Raises UsageError for that, for anything else, and for ``--reconstructed`` without an as-of.
    """
    if text is None:
        if reconstructed:
            raise UsageError("--reconstructed needs --as-of; add --as-of 2026-08-01.")
        return None
    instant = read_view_instant(text)
    now = SystemClock().now()
    if instant > now:
        raise UsageError(
            f"--as-of {text} has not come yet, it is {format_instant(now)}; leave --as-of out for what is known now."
        )
    return AsOf(instant, reconstructed)


def read_view_instant(text: str) -> datetime:
    """The instant that ``--as-of`` names, whether it has come or not. Raises UsageError for what is no time."""
    try:
        return parse_instant(text, "UTC" if len(text.strip()) == len("2026-08-01") else None)
    except NaiveInstantError:
        raise UsageError(f"--as-of {text} has no time zone; write {text}Z for UTC.") from None
    except ValueError:
        raise UsageError(f"--as-of {text} is not a time; write 2026-08-01 or 2026-08-01T16:00:00Z.") from None


def format_view(as_of: AsOf) -> str:
    """A view of the past in words: ``What was known on 2026-08-01 (reconstructed)``; midnight is the date alone."""
    text = format_instant(as_of.instant)
    when = text.removesuffix("T00:00:00Z")
    if as_of.reconstructed:
        return f"What was known on {when} (reconstructed)"
    return f"What was recorded here by {when}"
