"""Grading: the grades there are, and for an observation which it meets and why it misses the others."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..grades import Grade, GradeRule, first_refusal, rules_of, shipped_grades
from ..grades.rules import RATING_ADMITS, SELLER_STATES_FORM_FACTOR
from ..records import RentmarkError, UsageError, day_start, format_instant
from ..records.money import INT64_MAX
from .config import FILE_NAME, Configuration, read_configuration
from .core import Workspace
from .resolving import operator_ratings
from .rows import price

if TYPE_CHECKING:
    from ..grades.operators.ratings import OperatorRating
    from ..store import ObservationFile

_PLACE = re.compile(r"(\d{1,18}):(\d{1,18})", re.ASCII)
_IDENTITY = re.compile(r"-?\d{1,19}", re.ASCII)
_SHOWN = (
    "observation_id", "kind", "tier", "source", "seller", "venue", "name_as_written", "sku", "chip",
    "form_factor", "memory_gb", "interconnect", "gpu_count", "minimum_gpus", "price_micros", "price_basis",
    "pricing", "term_months", "service", "tenancy", "region", "country", "observed_at", "known_at",
    "carried_by_source", "rights", "suspect", "simulated", "payload_digest", "position",
)  # fmt: skip


def grade_rows(root: Path) -> list[dict[str, Any]]:
    """Every grade that can be named here: the workspace's own first, then the shipped ones."""
    file = root / FILE_NAME
    own = dict(read_configuration(file).grades) if file.exists() else {}
    shipped = {name: grade for name, grade in shipped_grades().items() if name not in own}
    return [
        {
            "grade": name,
            "origin": origin,
            "chip": grade.chip,
            "rules": [{"rule": rule.code, "wants": rule.wants} for rule in rules_of(grade)],
        }
        for origin, grades in (("workspace", own), ("shipped", shipped))
        for name, grade in grades.items()
    ]


def explain_observation(workspace: Workspace, reference: str) -> dict[str, Any]:
    """The documented JSON of `grade explain`: an observation held against every grade.

    ``reference`` is BATCH_ID:POSITION or an observation id. What a seller or an operator's rating says
    is taken over the observation's UTC day. Raises UsageError for another form, RentmarkError where
    there is no such observation.
    """
    row = _observation(workspace, reference)
    configuration = workspace.configuration
    ratings = _ratings(workspace, configuration)
    held = [
        _held(name, grade, row, configuration, ratings) for name, grade in configuration.all_grades().items()
    ]
    shown = {name: row[name] for name in _SHOWN if name != "price_micros"}
    shown |= {
        "observation_id": str(row["observation_id"]),
        "price": price(row["price_micros"]),
        "observed_at": format_instant(row["observed_at"]),
        "known_at": format_instant(row["known_at"]),
    }
    return {"observation": shown, "meets": [h["grade"] for h in held if h["meets"]], "grades": held}


def _held(
    name: str,
    grade: Grade,
    row: dict[str, Any],
    configuration: Configuration,
    ratings: dict[str, list[OperatorRating]],
) -> dict[str, Any]:
    """One grade's answer: met, or the first rule that refused with what it found and wants."""
    asked, words = row, None
    if grade.rating is not None:
        rating_words, admits = _rating_words(grade, row, ratings[grade.rating.scheme])
        asked, words = {**row, RATING_ADMITS: admits}, rating_words
    rule = first_refusal(grade, asked)
    found = None if rule is None or rule.kind == "rating" else row[rule.column]
    return {
        "grade": name,
        "origin": "workspace" if name in configuration.grades else "shipped",
        "meets": rule is None,
        "rule": None if rule is None else rule.code,
        "value": None if found is None else str(found),
        "wants": None if rule is None else rule.wants,
        "reason": None if rule is None else _reason(rule, found, words),
        "rating": words,
    }


def _reason(rule: GradeRule, found: object, rating: str | None) -> str:
    if rule.kind == "rating":
        return f"{rating}; the grade wants {rule.wants}."
    said = "unstated" if found is None else str(found)
    return f"{rule.column} is {said}; the grade wants {rule.wants}."


def _rating_words(grade: Grade, row: dict[str, Any], ratings: list[OperatorRating]) -> tuple[str, bool]:
    """What the operator's rating is on the observation's day, in words, and whether it is admitted."""
    from ..index.rating import SellerRatings

    assert grade.rating is not None
    known = SellerRatings(grade.rating, ratings)
    if not known.scheme.applies_to(row["service"]):
        return (
            f"rating ignored: {known.scheme.name} rates managed clusters, and this is {row['service']}",
            True,
        )
    day_end = day_start(row["observed_at"].date() + timedelta(days=1)) - timedelta(microseconds=1)
    rating = known.of(row["seller"], day_end)
    if rating is None:
        return f"{row['seller']} is not rated by {known.scheme.name} on that day", False
    words = f"{row['seller']} is {rating.tier} in {known.scheme.name} {rating.version}"
    return words, known.admits(rating)


def _ratings(workspace: Workspace, configuration: Configuration) -> dict[str, list[OperatorRating]]:
    """Ratings recorded so far by the schemes that this workspace's grades ask for."""
    from ..index.ratings_known import standing_ratings
    from ..store.ratings import rating_rows

    schemes = {g.rating.scheme for g in configuration.grades.values() if g.rating is not None}
    now = workspace.store.now()
    return {
        scheme: list(
            standing_ratings(
                operator_ratings(rating_rows(workspace.store, scheme)), scheme, now, reconstructed=False
            )
        )
        for scheme in sorted(schemes)
    }


def _observation(workspace: Workspace, reference: str) -> dict[str, Any]:
    """The observation a reference names, with what its seller says elsewhere that day."""
    place = _PLACE.fullmatch(reference)
    identity = _IDENTITY.fullmatch(reference)
    if place is None and (identity is None or abs(int(reference)) > INT64_MAX):
        raise UsageError(f"{reference!r} names no observation; write BATCH_ID:POSITION or an observation id.")
    files = workspace.store.observation_files()
    with workspace.engine() as engine:

        def rows(within: list[ObservationFile], wanted: Any) -> list[dict[str, Any]]:
            table = engine.observations(workspace.store.file_paths(within))
            found: list[dict[str, Any]] = engine.to_arrow(table.filter(wanted(table))).to_pylist()
            return found

        if place is not None:
            batch, position = int(place[1]), int(place[2])
            of_batch = [file for file in files if file.batch_id == batch]
            found = rows(of_batch, lambda t: t.position == position) if of_batch else []
            if not found:
                raise _no_observation(workspace, batch, position, held=bool(of_batch))
        else:
            found = rows(files, lambda t: t.observation_id == int(reference)) if files else []
            if not found:
                raise RentmarkError(
                    f"No observation has the id {reference}; `rentmark index explain` prints ids with --json."
                )
        row = found[0]
        start = day_start(row["observed_at"].date())
        end = start + timedelta(days=1)
        that_day = [f for f in files if f.last_observed_at >= start and f.first_observed_at < end]
        stating = rows(
            that_day,
            lambda t: (
                (t.seller == row["seller"])
                & (t.chip == row["chip"])
                & t.form_factor.notnull()
                & (t.observed_at >= start)
                & (t.observed_at < end)
            ),
        )
    return {**row, SELLER_STATES_FORM_FACTOR: bool(stating)}


def _no_observation(workspace: Workspace, batch: int, position: int, *, held: bool) -> RentmarkError:
    """Why a place of a payload holds no observation: refused, a duplicate, superseded, or no such batch."""
    entries = {entry.batch_id: entry for entry in workspace.store.ledger()}
    if batch not in entries:
        return RentmarkError(f"There is no batch {batch}; `rentmark batches` lists them.")
    for reject in workspace.store.rejects(batch_id=batch):
        if reject["position"] == position:
            return RentmarkError(f"Record {position} of batch {batch} was refused: {reject['sentence']}")
    later = [e.batch_id for e in entries.values() if e.supersedes == batch]
    if later and not held:
        return RentmarkError(f"Batch {batch} was read again as batch {later[0]}; use {later[0]}:{position}.")
    return RentmarkError(
        f"Record {position} of batch {batch} is no observation here: it repeats another, or the payload "
        "is shorter."
    )
