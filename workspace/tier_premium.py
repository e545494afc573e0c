"""What a tier costs: votes of a benchmark's panel by the tier of each seller's operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from ..grades.operators import RatedPrice, RatingScheme, TierPremium, rating_scheme, tier_premiums
from ..records import RentmarkError
from .core import Workspace
from .operators import known_ratings

if TYPE_CHECKING:
    from ..index import Ballot, Benchmark, Window

CIRCULAR = "{scheme} looks at the price itself, so price by tier is circular: a premium here is not the value of a tier."
UNSTATED_SERVICE = (
    "Offers that do not state their service were taken as managed clusters; ratings may not hold for them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Premiums:
    """Prices by tier on one grade, against a reference tier."""

    benchmark: str
    grade: str
    scheme: RatingScheme
    reference: str
    first: date
    last: date
    premiums: tuple[TierPremium, ...]
    unrated: tuple[str, ...]
    """Sellers on the grade that no release in force ever named with a tier on these dates."""
    simulated: bool
    warnings: tuple[str, ...]


def rating_premiums(
    workspace: Workspace,
    benchmark_name: str,
    *,
    scheme: str = "clustermax",
    reference: str | None = None,
    first: date | None = None,
    last: date | None = None,
    include_unstated: bool = False,
) -> Premiums:
    """What sellers of each tier ask against those of a reference tier, on one grade, date by date.

    Prices are the votes of the benchmark's panel; a date's tiers are those published by its cut-off. The
    reference is the tier with most sellers unless named. Only the services the scheme rates count, and with
    ``include_unstated`` offers that do not say. Raises RentmarkError where nothing can be compared.
    """
    from ..grades.spec import Rating
    from ..index.rating import SellerRatings, last_instants

    found = rating_scheme(scheme)
    ratings = tuple(known_ratings(workspace, scheme))
    if reference is not None:
        reference = found.at_or_above(reference)[-1]
    benchmark = workspace.configuration.benchmark(benchmark_name)
    services = _services(benchmark, found, include_unstated=include_unstated)
    grade = benchmark.grade.model_copy(update={"services": services, "rating": None})
    benchmark = replace(benchmark, grade=grade)
    ballots, windows = _ballots(workspace, benchmark, first, last)
    known = SellerRatings(Rating(scheme=scheme, at_least=found.tiers[-1]), ratings)
    prices: list[RatedPrice] = []
    unrated: set[str] = set()
    for day, at in last_instants(windows):
        for ballot in ballots.get(day, ()):
            rating = known.of(ballot.seller, at)
            if rating is None or rating.is_missing:
                unrated.add(ballot.seller)
            else:
                prices.append(
                    RatedPrice(
                        date=day,
                        seller=ballot.seller,
                        tier=rating.tier,
                        price_micros=ballot.value_micros,
                    )
                )
    if not prices:
        raise RentmarkError(
            f"No seller of grade {benchmark.grade_name} is rated by {found.name} on these dates; "
            f"unrated: {', '.join(sorted(unrated))}."
        )
    used = reference or _most_sellers(prices, found.tiers)
    return Premiums(
        benchmark=benchmark_name,
        grade=benchmark.grade_name,
        scheme=found,
        reference=used,
        first=min(price.date for price in prices),
        last=max(price.date for price in prices),
        premiums=tuple(tier_premiums(prices, found.tiers, used)),
        unrated=tuple(sorted(unrated - {price.seller for price in prices})),
        simulated=any(ballot.simulated for day in ballots.values() for ballot in day),
        warnings=_warnings(found, include_unstated=include_unstated),
    )


def _services(benchmark: Benchmark, scheme: RatingScheme, *, include_unstated: bool) -> tuple[str, ...]:
    admitted = (*scheme.services, *(("unstated",) if include_unstated else ()))
    asked = benchmark.grade.services
    services = admitted if asked is None else tuple(service for service in admitted if service in asked)
    if not services:
        raise RentmarkError(
            f"[grades.{benchmark.grade_name}] takes {', '.join(asked or ())}, and {scheme.name} rates "
            f"{', '.join(scheme.services)} only."
        )
    return services


def _ballots(
    workspace: Workspace, benchmark: Benchmark, first: date | None, last: date | None
) -> tuple[dict[date, list[Ballot]], list[Window]]:
    """The votes of each date, of the best input tier that has any, and the windows they come from."""
    from ..index import windows_between
    from .building import Reader, coverage

    now = workspace.store.now()
    with workspace.engine() as engine:
        reader = Reader(workspace, engine)
        files = reader.files(seen_until=now, reconstructed=False)
        if not files:
            raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
        span = coverage(reader, benchmark, files, now, reconstructed=False)
        if span is None:
            raise RentmarkError(
                f"No observation meets grade {benchmark.grade_name} with service "
                f"{' or '.join(benchmark.grade.services or ())}; ratings hold for nothing else. "
                "Add --include-unstated to take offers that do not state their service, which says so."
            )
        start, end = max(first or span[0], span[0]), min(last or span[1], span[1])
        windows = windows_between(benchmark.methodology, start, end, now)
        if not windows:
            raise RentmarkError(
                f"Grade {benchmark.grade_name} has observations from {span[0]} to {span[1]} only."
            )
        ballots = reader.ballots(benchmark, windows, files, reconstructed=False)
    preferred = {}
    for day, votes in ballots.items():
        tiers = {vote.tier for vote in votes}
        best = next((tier for tier in benchmark.methodology.inputs if tier in tiers), None)
        preferred[day] = [vote for vote in votes if vote.tier == best]
    return preferred, windows


def _most_sellers(prices: Sequence[RatedPrice], tiers: Sequence[str]) -> str:
    """The tier with most sellers; of equals the better one."""
    sellers = {tier: len({price.seller for price in prices if price.tier == tier}) for tier in tiers}
    return max(tiers, key=lambda tier: sellers[tier])


def _warnings(scheme: RatingScheme, *, include_unstated: bool) -> tuple[str, ...]:
    said = [CIRCULAR.format(scheme=scheme.name)] if scheme.price_is_a_criterion else []
    said += [UNSTATED_SERVICE] if include_unstated else []
    return (*said, *scheme.notes)


def premiums_row(result: Premiums) -> dict[str, Any]:
    """The documented JSON of `operators premium`."""
    return {
        "benchmark": result.benchmark,
        "grade": result.grade,
        "scheme": result.scheme.id,
        "reference": result.reference,
        "from": result.first.isoformat(),
        "to": result.last.isoformat(),
        "simulated": result.simulated,
        "premiums": [
            {
                "tier": each.tier,
                "premium": each.premium,
                "premium_reason": each.reason,
                "premium_low": each.premium_low,
                "premium_low_reason": each.interval_reason,
                "premium_high": each.premium_high,
                "premium_high_reason": each.interval_reason,
                "dates": each.dates,
                "sellers": list(each.sellers),
                "reference_sellers": list(each.reference_sellers),
            }
            for each in result.premiums
        ],
        "unrated": list(result.unrated),
        "warnings": list(result.warnings),
    }
