"""Rating: which sellers a grade with a minimum operator rating admits on each fixing date.

A rating counts from its publication on, held against the last instant of the fixing's window; what was known by the as-of
instant is decided before, when the benchmark is resolved (``ratings_known``). Sellers are matched to
operators by name, by the seller names a ratings file states, and by aliases published by that instant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..grades.aliases import ALIASES, Alias, seller_at
from ..grades.operators.ratings import OperatorRating, operator_key, ratings_in_force
from ..grades.operators.schemes import RatingScheme, rating_scheme
from ..grades.rules import RATING_ADMITS
from ..grades.spec import Rating
from ..records import day_start
from .methodology import Benchmark
from .windows import MICROSECOND, Window

if TYPE_CHECKING:
    import ibis

RATING_TIER, RATING_RELEASE = "rating_tier", "rating_release"
RATING_APPLIES = "rating_applies"
"""Whether ratings speak of a row's service at all; null where the grade asks for none."""
RATING_COLUMNS = (RATING_APPLIES, RATING_TIER, RATING_RELEASE)
RATED_SCHEMA = pa.schema(
    [
        pa.field("fixing_date", pa.date32(), nullable=False),
        pa.field("seller", pa.string(), nullable=False),
        pa.field(RATING_TIER, pa.string(), nullable=False),
        pa.field(RATING_RELEASE, pa.string(), nullable=False),
        pa.field(RATING_ADMITS, pa.bool_(), nullable=False),
    ]
)
"""One row for each fixing date and seller whose operator the release in force names."""


class SellerRatings:
    """The rating of any seller at any instant, by the ratings and aliases known."""

    def __init__(
        self, asked: Rating, ratings: Sequence[OperatorRating], aliases: Sequence[Alias] = ALIASES
    ) -> None:
        self.scheme: RatingScheme = rating_scheme(asked.scheme)
        self._admitted = frozenset(self.scheme.at_or_above(asked.at_least))
        self._ratings, self._aliases = ratings, aliases
        dates = {r.published_on for r in ratings} | {a.published_on for a in aliases}
        self._changes = sorted(day_start(day) for day in dates)
        self._in_force: dict[int, Mapping[str, OperatorRating]] = {}

    def of(self, seller: str, at: datetime) -> OperatorRating | None:
        """The rating in force of the operator behind a seller; None where it is not named."""
        in_force = self._names_in_force(at)
        known_as = seller_at(seller, at, self._aliases)
        return in_force.get(operator_key(seller)) or in_force.get(operator_key(known_as))

    def admits(self, rating: OperatorRating | None) -> bool:
        """Whether a rating reaches the tier that the grade asks for; none does not."""
        return rating is not None and rating.tier in self._admitted

    def _names_in_force(self, at: datetime) -> Mapping[str, OperatorRating]:
        """Ratings in force by every name under which a seller may stand for the operator."""
        epoch = bisect_right(self._changes, at)  # nothing changes between two publications
        if epoch not in self._in_force:
            ratings = ratings_in_force(self._ratings, self.scheme.id, at, None)
            names: dict[str, OperatorRating] = {}
            for rating in ratings:  # an operator's own name wins over one that is stated for another
                names.setdefault(operator_key(rating.operator), rating)
            for rating in ratings:
                renamed = seller_at(rating.operator, at, self._aliases)
                for name in (*rating.sellers, renamed):
                    names.setdefault(operator_key(name), rating)
            self._in_force[epoch] = names
        return self._in_force[epoch]


def _ratings_of(benchmark: Benchmark) -> SellerRatings:
    """The ratings a benchmark rests on. Raises ValueError where its grade asks for none."""
    if benchmark.grade.rating is None:
        raise ValueError(f"grade {benchmark.grade_name} asks for no rating")
    return SellerRatings(benchmark.grade.rating, benchmark.ratings, benchmark.aliases)


def last_instants(windows: Sequence[Window]) -> list[tuple[date, datetime]]:
    """Each fixing date with the last instant its window collects: the cut-off, or the end of a UTC day."""
    return [(window.date, window.end - MICROSECOND) for window in windows]


def rated_sellers(
    benchmark: Benchmark, instants: Sequence[tuple[date, datetime]], sellers: Sequence[str]
) -> pa.Table:
    """The rating of each of these sellers at each fixing date's instant, in RATED_SCHEMA."""
    known = _ratings_of(benchmark)
    rows = []
    for day, at in instants:
        for seller in sorted(set(sellers)):
            rating = known.of(seller, at)
            if rating is not None:
                row = (day, seller, rating.tier, rating.version, known.admits(rating))
                rows.append(dict(zip(RATED_SCHEMA.names, row, strict=True)))
    return pa.Table.from_pylist(rows, schema=RATED_SCHEMA)


def bound_ratings() -> ibis.Table:
    """The rated sellers as an unbound table."""
    import ibis

    return ibis.table(ibis.schema(RATED_SCHEMA), name="ratings")


def rateable_sellers(observations: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """The sellers of the grade's chip on a service that ratings rate."""
    services = _ratings_of(benchmark).scheme.services
    met = observations.filter(
        observations.chip == benchmark.grade.chip, observations.service.isin(list(services))
    )
    return met.select("seller").distinct()


def with_ratings(table: ibis.Table, ratings: ibis.Table | None) -> ibis.Table:
    """Add each row's rating on its fixing date: tier, release, and whether it is admitted."""
    if ratings is None:
        return table
    joined: Any = table.left_join(ratings, ["fixing_date", "seller"])
    return joined.drop("fixing_date_right", "seller_right")


def shown_ratings(table: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """The panel's rows with RATING_COLUMNS, null where the grade asks for no rating."""
    import ibis

    if benchmark.grade.rating is None:
        kinds = {RATING_APPLIES: "boolean", RATING_TIER: "string", RATING_RELEASE: "string"}
        return table.mutate(**{name: ibis.null(kind) for name, kind in kinds.items()})
    services = _ratings_of(benchmark).scheme.services
    return table.mutate(**{RATING_APPLIES: table.service.isin(list(services))})
