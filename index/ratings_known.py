"""The ratings and aliases a benchmark rests on, as known when it was resolved, and how they are recorded.

They are part of the methodology's hash and of what the tape keeps under it, so that a published value can
be rebuilt from the tape alone. When a rating was imported is no part of them: two archives that hold the
same ratings agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..grades.aliases import Alias
from ..grades.operators.ratings import OperatorRating, operator_key
from ..records import day_start, parse_date


def standing_ratings(
    ratings: Iterable[OperatorRating], scheme: str, known_by: datetime, *, reconstructed: bool
) -> tuple[OperatorRating, ...]:
    """The ratings of a scheme as known at an instant, each corrected one in its last form.

    Strict: recorded by then. Reconstructed: published by then, whenever recorded. What was said beside the
    tier, and when it was recorded, is left behind.
    """
    standing: dict[tuple[Any, str], OperatorRating] = {}
    for rating in sorted(ratings, key=_recording):
        recorded = rating.recorded_at
        if reconstructed:
            known = day_start(rating.published_on) <= known_by
        else:
            known = recorded is not None and recorded <= known_by
        if rating.scheme == scheme and known:
            standing[rating.release, operator_key(rating.operator)] = rating
    bare = [replace(r, recorded_at=None, completeness=None, source_url=None) for r in standing.values()]
    return tuple(sorted(bare, key=lambda r: (r.release, operator_key(r.operator))))


def _recording(rating: OperatorRating) -> tuple[bool, datetime]:
    """The order of recording; what was never recorded comes first."""
    recorded = rating.recorded_at
    return (recorded is not None, recorded or day_start(rating.published_on))


def ratings_document(ratings: Sequence[OperatorRating], aliases: Sequence[Alias]) -> dict[str, Any]:
    """Ratings and aliases as plain JSON values."""
    return {
        "ratings": [
            {
                "scheme": r.scheme,
                "version": r.version,
                "published_on": r.published_on.isoformat(),
                "operator": r.operator,
                "tier": r.tier,
                "sellers": list(r.sellers),
                "simulated": r.simulated,
            }
            for r in ratings
        ],
        "aliases": [
            {
                "name": a.name,
                "seller": a.seller,
                "published_on": a.published_on.isoformat(),
                "source": a.source,
            }
            for a in aliases
        ],
    }


def read_ratings_document(
    document: dict[str, Any],
) -> tuple[tuple[OperatorRating, ...], tuple[Alias, ...]]:
    """Ratings and aliases from what :func:`ratings_document` wrote."""
    ratings = tuple(
        OperatorRating(**{**r, "published_on": parse_date(r["published_on"]), "sellers": tuple(r["sellers"])})
        for r in document["ratings"]
    )
    aliases = tuple(
        Alias(**{**a, "published_on": parse_date(a["published_on"])}) for a in document["aliases"]
    )
    return ratings, aliases
