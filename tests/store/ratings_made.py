"""Invented ratings for the tests of the store."""

from __future__ import annotations

from datetime import date
from typing import Any

from rentmark.records import digest_of
from rentmark.store import Store
from rentmark.store.ratings import RatingImport, RatingRow, add_ratings

RELEASED = date(2026, 7, 1)


def rating(operator: str = "Amber", tier: str = "Gold", **changes: Any) -> RatingRow:
    """An invented rating of an invented operator."""
    values: dict[str, Any] = {
        "scheme": "invented",
        "version": "1.0",
        "published_on": RELEASED,
        "operator": operator,
        "operator_key": operator.casefold(),
        "tier": tier,
        "completeness": None,
        "source_url": None,
        "sellers": (),
        "simulated": False,
    }
    return RatingRow(**(values | changes))


def keep(
    store: Store, *rows: RatingRow, name: str = "ratings.csv", correction: str | None = None
) -> RatingImport:
    """Import ratings under the digest of what they say."""
    content = [[name, row.operator, row.tier, row.version, row.published_on] for row in rows]
    return add_ratings(
        store,
        rows,
        scheme="invented",
        payload_digest=digest_of(content),
        payload_bytes=100,
        origin_name=name,
        reader_version="1",
        correction_reason=correction,
    )


def keep_a_rating(store: Store) -> RatingImport:
    """Import one."""
    return keep(store, rating())
