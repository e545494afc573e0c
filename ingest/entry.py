"""One way in: a payload through its feed, and a table of ``rentmark.toml`` to what that feed takes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from ..records import Batch, UsageError
from .feed import Feed, FeedContext
from .feeds import FEEDS
from .mapping import TableMapping
from .parameters import FeedParameters

Reading: TypeAlias = TableMapping | FeedParameters
"""What ``--mapping NAME`` chooses: how a table of the user's is read, or what a payload leaves unsaid."""

_OWN_TABLES = ("tabular", "trades")


def feed_named(feed_id: str) -> Feed:
    """The feed of that name. Raises UsageError naming the feeds there are."""
    feed = FEEDS.get(feed_id)
    if feed is None:
        near = get_close_matches(feed_id, FEEDS, n=1)
        hint = f"did you mean {near[0]}? The" if near else "the"
        raise UsageError(f"There is no feed {feed_id!r}; {hint} feeds are {', '.join(FEEDS)}.")
    return feed


def parse_payload(feed_id: str, payload: bytes, context: FeedContext) -> Batch:
    """Read a payload with the feed of that name.

    Raises UsageError for a feed that does not exist or a mapping of the wrong kind; never for
    what the payload holds.
    """
    handed = [payload]
    del payload  # the feed can let go of it once it is read
    return feed_named(feed_id).parse(handed.pop(), context)


def read_mapping(values: Mapping[str, Any], where: str) -> Reading:
    """Read a table ``[mappings.NAME]``: with ``feed`` the parameters of that feed, else a table mapping.

    Raises UsageError with one sentence naming the key, its value and the remedy.
    """
    feed_id = values.get("feed")
    if feed_id is None:
        return TableMapping.read(values, where)
    if not isinstance(feed_id, str):
        raise UsageError(f"{where} has feed = {feed_id!r}; write the name of a feed.")
    model = feed_named(feed_id).parameters
    if model is None:
        remedy = "leave feed out" if feed_id in _OWN_TABLES else "leave the table out"
        raise UsageError(f"{where} has feed = {feed_id!r}, which takes no parameters; {remedy}.")
    return model.read(values, where)


def check_reading(feed_id: str, reading: Reading | None) -> None:
    """Refuse a mapping that is not for this feed. Raises UsageError with the remedy."""
    feed = feed_named(feed_id)
    if isinstance(reading, FeedParameters) and reading.feed != feed_id:
        raise UsageError(f"The mapping is for the feed {reading.feed}, not {feed_id}; name another mapping.")
    if isinstance(reading, TableMapping) and feed_id not in _OWN_TABLES:
        remedy = (
            "leave --mapping out"
            if feed.parameters is None
            else f'add feed = "{feed_id}" to state its parameters'
        )
        raise UsageError(f"Feed {feed_id} has a layout of its own and takes no table mapping; {remedy}.")


def split_reading(reading: Reading | None) -> tuple[TableMapping | None, FeedParameters | None]:
    """A reading as the two places it has in a FeedContext."""
    return (
        reading if isinstance(reading, TableMapping) else None,
        reading if isinstance(reading, FeedParameters) else None,
    )
