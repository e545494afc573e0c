"""Resolving: a benchmark with everything its values depend on, as known at an instant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from ..grades.operators.ratings import OperatorRating
from ..index import Benchmark
from ..records import RentmarkError
from .core import Workspace
from .views import AsOf

if TYPE_CHECKING:
    from ..store.ratings import RatingRow

_RATING_FIELDS = tuple(field.name for field in fields(OperatorRating))


def resolved_benchmark(workspace: Workspace, name: str, *, as_of: AsOf | None = None) -> Benchmark:
    """The rules of a benchmark in force on the last day of a view and, where its grade asks, the ratings known by then.

    Without ``as_of`` that is today; ``rulebook.spans`` gives the rules of other dates. Raises RentmarkError
    for an unknown benchmark, and where no rating of the scheme was ever imported.
    """
    from .rulebook import benchmark_on

    instant = workspace.store.now() if as_of is None else as_of.instant
    return benchmark_on(workspace, name, instant.date(), as_of=as_of)


def with_ratings(workspace: Workspace, benchmark: Benchmark, as_of: AsOf | None) -> Benchmark:
    """A benchmark with the ratings its grade asks for, as known by then.

    Raises RentmarkError where no rating of the scheme was ever imported.
    """
    asked = benchmark.grade.rating
    if asked is None:
        return benchmark
    from ..index.ratings_known import standing_ratings
    from ..store.ratings import rating_rows

    rows = rating_rows(workspace.store, asked.scheme)
    if not rows:
        raise RentmarkError(
            f"[grades.{benchmark.grade_name}] asks for a {asked.scheme} rating and none is imported; "
            "run `rentmark operators import FILE.csv`."
        )
    known_by = workspace.store.now() if as_of is None else as_of.instant
    reconstructed = as_of is not None and as_of.reconstructed
    ratings = standing_ratings(operator_ratings(rows), asked.scheme, known_by, reconstructed=reconstructed)
    return replace(benchmark, ratings=ratings)


def operator_ratings(rows: Iterable[RatingRow]) -> list[OperatorRating]:
    """Ratings as the store keeps them, in the words of the grades room."""
    return [OperatorRating(**{name: getattr(row, name) for name in _RATING_FIELDS}) for row in rows]
