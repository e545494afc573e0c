"""Feeds: payload bytes in, observations, rejects and duplicates out.

Owns the formats that prices arrive in (one module each under ``ingest.feeds``), their validation,
the identity of an observation, and the account that adds up: ``records = accepted + rejected +
duplicates``, always. Also ``ingest.simulated``, the pure market simulator, and ``ingest.live``,
the only socket of the product. Imports ``records`` and ``grades``. All but ``ingest.live`` are pure
functions: no file, no socket, no clock.
"""

from __future__ import annotations

from .entry import Reading, check_reading, parse_payload, read_mapping, split_reading
from .feed import Feed, FeedContext, FeedTerms
from .feeds import FEEDS
from .identity import content_checks, observation_ids
from .mapping import DEFAULT_MAPPING, DEFAULT_TRADE_MAPPING, OFFER_COLUMNS, TRADE_COLUMNS, TableMapping
from .parameters import FeedParameters, SnapshotParameters, sidecars, with_sidecars

__all__ = [
    "DEFAULT_MAPPING",
    "DEFAULT_TRADE_MAPPING",
    "FEEDS",
    "OFFER_COLUMNS",
    "TRADE_COLUMNS",
    "Feed",
    "FeedContext",
    "FeedParameters",
    "FeedTerms",
    "Reading",
    "SnapshotParameters",
    "TableMapping",
    "check_reading",
    "content_checks",
    "observation_ids",
    "parse_payload",
    "read_mapping",
    "sidecars",
    "split_reading",
    "with_sidecars",
]
