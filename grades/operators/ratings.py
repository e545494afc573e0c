"""Operator ratings seen through time: which release was in force, and who stood at or above a tier.

A release replaces the one before it as a whole. An operator that the release in force does not name, or
names as missing, has no rating: unknown is never a guess, and never the worst tier.

Two clocks decide what is seen. A rating counts from 00:00 UTC of its publication date, held against
``published_by``, the last instant that a fixing's window collects (of a UTC day that is a microsecond before
the next midnight, or the next day's rating would be seen). It exists only if it was recorded by ``known_by``; a reconstructed
view passes None there and its as-of instant, if earlier, as ``published_by``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from ...records import day_start
from .schemes import rating_scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRating:
    """One operator's tier in one release of a scheme.

    ``tier`` may be a word that means missing. ``sellers`` are names under which price sources list the
    operator, where the ratings file states them. ``recorded_at`` is None until the rating is imported.
    """

    scheme: str
    version: str
    published_on: date
    operator: str
    tier: str
    completeness: str | None = None
    source_url: str | None = None
    sellers: tuple[str, ...] = ()
    simulated: bool = False
    recorded_at: datetime | None = None

    @property
    def release(self) -> tuple[date, str]:
        """What tells releases apart, in their order in time."""
        return (self.published_on, self.version)

    @property
    def is_missing(self) -> bool:
        """Whether the publisher says that the operator could not be rated."""
        return self.tier in rating_scheme(self.scheme).missing


def operator_key(name: str) -> str:
    """What names of one operator have in common: letters and digits without case, blanks and signs.

    >>> operator_key("Hot Aisle") == operator_key("hotaisle")
    True
    """
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def ratings_in_force(
    ratings: Iterable[OperatorRating],
    scheme: str,
    published_by: datetime,
    known_by: datetime | None,
) -> tuple[OperatorRating, ...]:
    """The ratings of the latest release seen, by operator name; empty where none was out or recorded.

    Where a rating was corrected, the last one recorded by ``known_by`` stands. Raises ValueError for an
    instant without a zone.
    """
    seen = [r for r in ratings if r.scheme == scheme and _is_seen(r, published_by, known_by)]
    if not seen:
        return ()
    release = max(r.release for r in seen)
    standing: dict[str, OperatorRating] = {}
    for rating in (r for r in seen if r.release == release):
        key = operator_key(rating.operator)
        earlier = standing.get(key)
        if earlier is None or _recorded_after(rating, earlier):
            standing[key] = rating
    return tuple(sorted(standing.values(), key=lambda r: operator_key(r.operator)))


def _is_seen(rating: OperatorRating, published_by: datetime, known_by: datetime | None) -> bool:
    if published_by.tzinfo is None or (known_by is not None and known_by.tzinfo is None):
        raise ValueError("published_by and known_by need a time zone; give them in UTC")
    if day_start(rating.published_on) > published_by:
        return False
    if known_by is None:
        return True
    return rating.recorded_at is not None and rating.recorded_at <= known_by


def _recorded_after(rating: OperatorRating, earlier: OperatorRating) -> bool:
    if rating.recorded_at is None or earlier.recorded_at is None:
        return earlier.recorded_at is None
    return rating.recorded_at > earlier.recorded_at


def rating_at(
    ratings: Iterable[OperatorRating],
    operator: str,
    scheme: str,
    published_by: datetime,
    known_by: datetime | None,
) -> OperatorRating | None:
    """The rating of one operator in the release in force; None where that release does not name it.

    ``operator`` may be one of the stated seller names. The result may be *missing* (``is_missing``).
    """
    key = operator_key(operator)
    in_force = ratings_in_force(ratings, scheme, published_by, known_by)
    named = [r for r in in_force if operator_key(r.operator) == key]
    listed = [r for r in in_force if key in {operator_key(seller) for seller in r.sellers}]
    return next(iter(named + listed), None)


def operators_at_or_above(
    ratings: Iterable[OperatorRating],
    scheme: str,
    tier: str,
    published_by: datetime,
    known_by: datetime | None,
) -> frozenset[str]:
    """Names of the operators whose rating in the release in force is ``tier`` or better.

    Holds each operator's name as the release writes it and the seller names stated for it; compare
    through :func:`operator_key`. Raises UsageError for an unknown scheme or tier.
    """
    admitted = rating_scheme(scheme).at_or_above(tier)
    return frozenset(
        name
        for rating in ratings_in_force(ratings, scheme, published_by, known_by)
        if rating.tier in admitted
        for name in (rating.operator, *rating.sellers)
    )


def rating_history(
    ratings: Iterable[OperatorRating], operator: str, scheme: str, known_by: datetime | None
) -> tuple[OperatorRating, ...]:
    """Every rating of an operator recorded by ``known_by`` (None: all), by release and then by recording."""
    key = operator_key(operator)
    found = [
        r
        for r in ratings
        if r.scheme == scheme
        and key in {operator_key(name) for name in (r.operator, *r.sellers)}
        and (known_by is None or (r.recorded_at is not None and r.recorded_at <= known_by))
    ]
    return tuple(sorted(found, key=lambda r: (r.release, r.recorded_at or day_start(r.published_on))))
