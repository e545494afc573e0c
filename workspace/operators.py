"""Operator ratings: import a file, see a release as of an instant, an operator through time, a tier's price."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..grades.operators import (
    OperatorRating,
    RatingScheme,
    operator_key,
    rating_history,
    rating_scheme,
    ratings_in_force,
    read_ratings_file,
)
from ..grades.operators.ratings_file import READER_VERSION
from ..records import RentmarkError, UsageError, format_instant
from .core import Workspace
from .input_files import read_input_file
from .resolving import operator_ratings
from .rows import instant
from .views import AsOf

if TYPE_CHECKING:
    from ..store.ratings import RatingImport


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsImported:
    """What a ratings file came to. ``already`` when these very bytes had been imported."""

    entry: RatingImport
    already: bool
    releases: tuple[tuple[str, date, int], ...]
    """Version, date and number of operators of each release in the file."""


def import_ratings(
    workspace: Workspace, path: Path, *, scheme: str = "clustermax", correction_reason: str | None = None
) -> RatingsImported:
    """Import a ratings file: bytes to the raw archive first, then read whole, then committed whole.

    Raises RentmarkError with one sentence for the first thing that can't be read, and where a tier differs
    from what was imported for that operator and date, unless ``correction_reason`` says why.
    """
    from ..store.ratings import RatingRow, add_ratings, find_rating_import

    found = rating_scheme(scheme)
    if correction_reason is not None and not correction_reason.strip():
        raise UsageError("--correct is empty; say why the earlier import was wrong.")
    payload = read_input_file(path, "ratings file")
    digest = workspace.store.put_payload(payload)
    ratings = read_ratings_file(payload, path.name, found)
    counts = Counter((rating.version, rating.published_on) for rating in ratings)
    releases = tuple((version, day, n) for (version, day), n in sorted(counts.items(), key=lambda c: c[0][1]))
    known = find_rating_import(workspace.store, digest, scheme)
    if known is not None:
        return RatingsImported(entry=known, already=True, releases=releases)
    shared = [field.name for field in fields(OperatorRating) if field.name != "recorded_at"]
    rows = [
        RatingRow(
            **{name: getattr(rating, name) for name in shared}, operator_key=operator_key(rating.operator)
        )
        for rating in ratings
    ]
    entry = add_ratings(
        workspace.store,
        rows,
        scheme=scheme,
        payload_digest=digest,
        payload_bytes=len(payload),
        origin_name=path.name,
        reader_version=READER_VERSION,
        correction_reason=correction_reason,
    )
    return RatingsImported(entry=entry, already=False, releases=releases)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsView:
    """The release in force at an instant, best tier first."""

    scheme: RatingScheme
    at: datetime
    reconstructed: bool
    ratings: tuple[OperatorRating, ...]


def ratings_view(
    workspace: Workspace, *, scheme: str = "clustermax", as_of: AsOf | None = None
) -> RatingsView:
    """The ratings in force: now, or as of an instant. Raises RentmarkError where none was known then."""
    found = rating_scheme(scheme)
    ratings = known_ratings(workspace, scheme)
    now = workspace.store.now()
    published_by = now if as_of is None else as_of.instant
    known_by = None if as_of is not None and as_of.reconstructed else published_by
    in_force = ratings_in_force(ratings, scheme, published_by, known_by)
    if not in_force:
        moment = format_instant(published_by)
        remedy = (
            "add --reconstructed to see what was published by then."
            if known_by is not None and ratings_in_force(ratings, scheme, published_by, None)
            else "import an earlier release, or choose a later instant."
        )
        raise RentmarkError(f"No {found.name} rating was known as of {moment}; {remedy}")
    order = {tier: n for n, tier in enumerate(found.words)}
    return RatingsView(
        scheme=found,
        at=published_by,
        reconstructed=as_of is not None and as_of.reconstructed,
        ratings=tuple(sorted(in_force, key=lambda r: (order[r.tier], operator_key(r.operator)))),
    )


def known_ratings(workspace: Workspace, scheme: str) -> list[OperatorRating]:
    """Every rating of a scheme in the workspace, corrected ones too. Raises RentmarkError where there is none."""
    from ..store.ratings import rating_rows

    ratings = operator_ratings(rating_rows(workspace.store, scheme))
    if not ratings:
        raise RentmarkError(f"No {scheme} ratings are imported; run `rentmark operators import FILE.csv`.")
    return ratings


def operator_history(
    workspace: Workspace, operator: str, *, scheme: str = "clustermax"
) -> list[dict[str, Any]]:
    """The documented JSON rows of `operators history`. Raises RentmarkError for an operator never rated."""
    found = rating_scheme(scheme)
    history = rating_history(known_ratings(workspace, scheme), operator, scheme, None)
    if not history:
        raise RentmarkError(
            f"No release of {found.name} in this workspace names {operator}; `rentmark operators list` shows who is."
        )
    return [rating_row(rating) for rating in history]


def rating_row(rating: OperatorRating) -> dict[str, Any]:
    """The documented JSON of one rating."""
    return {
        "operator": rating.operator,
        "tier": None if rating.is_missing else rating.tier,
        "as_written": rating.tier,
        "version": rating.version,
        "published_on": rating.published_on.isoformat(),
        "recorded_at": instant(rating.recorded_at),
        "completeness": rating.completeness,
        "source_url": rating.source_url,
        "sellers": list(rating.sellers),
        "simulated": rating.simulated,
    }


def ratings_import_row(result: RatingsImported) -> dict[str, Any]:
    """The documented JSON of `operators import`."""
    entry = result.entry
    return {
        "scheme": entry.scheme,
        "file": entry.origin_name,
        "payload_digest": entry.payload_digest,
        "records": entry.records,
        "accepted": entry.accepted,
        "duplicates": entry.duplicates,
        "already_imported": result.already,
        "correction_reason": entry.correction_reason,
        "recorded_at": instant(entry.recorded_at),
        "releases": [
            {"version": version, "published_on": day.isoformat(), "operators": n}
            for version, day, n in result.releases
        ],
    }


def ratings_view_row(view: RatingsView, *, tier: str | None = None) -> dict[str, Any]:
    """The documented JSON of `operators list`; ``tier`` keeps that tier and better ones."""
    kept = view.ratings
    if tier is not None:
        admitted = view.scheme.at_or_above(tier)
        kept = tuple(rating for rating in kept if rating.tier in admitted)
    release = view.ratings[0]
    return {
        "scheme": view.scheme.id,
        "name": view.scheme.name,
        "publisher": view.scheme.publisher,
        "as_of": instant(view.at),
        "reconstructed": view.reconstructed,
        "version": release.version,
        "published_on": release.published_on.isoformat(),
        "tiers": {word: sum(r.tier == word for r in view.ratings) for word in view.scheme.words},
        "services": list(view.scheme.services),
        "ratings": [rating_row(rating) for rating in kept],
        "notes": list(view.scheme.notes),
    }
