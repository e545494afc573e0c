"""Feeds: payload bytes in, observations, rejects and duplicates out.

Owns the formats that prices arrive in (one module each under ``ingest.feeds``), their validation,
the identity of an observation, and the account that adds up: ``records = accepted + rejected +
duplicates``, always. Also ``ingest.simulated``, the pure market simulator, and ``ingest.live``,
the only socket of the product. Imports ``records`` and ``grades``. All but ``ingest.live`` are pure
functions: no file, no socket, no clock.
"""

from __future__ import annotations

from ..records import Batch, UsageError
from .feed import Feed, FeedContext, FeedTerms
from .feeds import FEEDS
from .identity import content_checks, observation_ids
from .mapping import DEFAULT_MAPPING, DEFAULT_TRADE_MAPPING, OFFER_COLUMNS, TRADE_COLUMNS, TableMapping

__all__ = [
    "DEFAULT_MAPPING",
    "DEFAULT_TRADE_MAPPING",
    "FEEDS",
    "OFFER_COLUMNS",
    "TRADE_COLUMNS",
    "Feed",
    "FeedContext",
    "FeedTerms",
    "TableMapping",
    "content_checks",
    "observation_ids",
    "parse_payload",
]


def parse_payload(feed_id: str, payload: bytes, context: FeedContext) -> Batch:
    """Read a payload with the feed of that name.

    Raises UsageError for a feed that does not exist or a mapping of the wrong kind; never for
    what the payload holds.
    """
    feed = FEEDS.get(feed_id)
    if feed is None:
        raise UsageError(f"There is no feed {feed_id!r}; the feeds are {', '.join(FEEDS)}.")
    return feed.parse(payload, context)
