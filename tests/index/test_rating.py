"""The rating key: managed clusters alone, by what was published by the cut-off and known by the as-of instant."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from rentmark.grades.aliases import Alias
from rentmark.grades.operators.ratings import OperatorRating, operators_at_or_above
from rentmark.grades.spec import Rating
from rentmark.index import Benchmark, meeting_grade
from rentmark.index.panel import REFUSAL
from rentmark.index.rating import SellerRatings, last_instants, rated_sellers
from rentmark.index.ratings_known import standing_ratings
from rentmark.records import day_start

from .making import DAY, NOON, benchmark, hours, offer, usd, windows_for

FIRST, SECOND = date(2026, 7, 1), date(2026, 7, 9)
RECORDED = datetime(2026, 7, 2, tzinfo=UTC)
CLUSTER = {"service": "managed_cluster"}


def rating(operator: str, tier: str, published_on: date = FIRST, **changes: Any) -> OperatorRating:
    """An invented rating under the shipped scheme; its version is its date."""
    values: dict[str, Any] = {
        "scheme": "clustermax",
        "version": published_on.isoformat(),
        "published_on": published_on,
        "operator": operator,
        "tier": tier,
        "recorded_at": RECORDED,
        **changes,
    }
    return OperatorRating(**values)


RATINGS = (
    rating("Alpha", "Gold"),
    rating("Beta", "Bronze"),
    rating("Gamma", "Unavailable"),
    rating("Alpha", "Bronze", SECOND),
    rating("Beta", "Silver", SECOND),
)


def rated(*ratings: OperatorRating, at_least: str = "silver", **grade: Any) -> Benchmark:
    asked = benchmark({"rating": {"scheme": "clustermax", "at_least": at_least}, **grade})
    known = standing_ratings(
        ratings or RATINGS, "clustermax", datetime.max.replace(tzinfo=UTC), reconstructed=False
    )
    return replace(asked, ratings=known)


def test_only_operators_at_or_above_the_tier_are_in_and_missing_is_not_worst_but_out(world):
    rows = [offer(seller=seller, **CLUSTER) for seller in ("alpha", "beta", "gamma", "delta")]
    assert world(rows).refusals(rated()) == [None, "rating", "rating", "rating"]
    assert world(rows).refusals(rated(at_least="bronze")) == [None, None, "rating", "rating"]


@pytest.mark.parametrize("service", ["bare_metal", "vm", "container", "serverless", "unstated"])
def test_a_rating_is_ignored_on_what_it_does_not_rate_and_explain_says_so(world, service):
    rows = [offer(seller=seller, service=service) for seller in ("alpha", "beta", "delta")]
    assert world(rows).refusals(rated()) == [None, None, None]
    shown = world(rows).explained(rated())
    assert {row["rating_applies"] for row in shown} == {False}


def test_a_release_counts_from_its_date_on_and_replaces_the_one_before(world):
    days = [SECOND - timedelta(days=1), SECOND]
    rows = [
        offer(seller=seller, observed_at=datetime(day.year, day.month, day.day, 23, tzinfo=UTC), **CLUSTER)
        for day in days
        for seller in ("alpha", "beta")
    ]
    marks = world(rows).marked(rated(), windows_for(rated(), days[0], days[1]))
    # published on 9 July: the fixing of 8 July, whose window ends as that day begins, does not see it
    assert [marks[row["observed_at"].date(), row["observation_id"]] for row in rows] == [
        None, "rating",
        "rating", None,
    ]  # fmt: skip


def test_with_a_cut_off_the_release_of_the_day_is_seen_at_it():
    morning = replace(rated(), methodology=benchmark(cutoff="16:00 UTC").methodology)
    windows = windows_for(morning, SECOND - timedelta(days=1), SECOND)
    table = rated_sellers(morning, last_instants(windows), ["beta"]).to_pylist()
    assert [row["rating_tier"] for row in table] == ["Bronze", "Silver"]


def test_the_day_ahead_of_a_release_never_sees_it_whatever_the_window(world):
    for rules in ({}, {"cutoff": "00:00 UTC"}, {"lookback_hours": 72}):
        base = rated()
        made = replace(base, methodology=benchmark(**rules).methodology)
        (window,) = windows_for(made, SECOND - timedelta(days=1))
        ((day, instant),) = last_instants([window])
        found = SellerRatings(Rating(scheme="clustermax", at_least="Silver"), base.ratings).of(
            "beta", instant
        )
        assert day == SECOND - timedelta(days=1)
        assert found is not None
        assert found.published_on == FIRST


def test_what_was_recorded_later_is_not_known_yet():
    late = rating("Beta", "Gold", SECOND, recorded_at=datetime(2026, 8, 1, tzinfo=UTC))
    now = datetime(2026, 7, 20, tzinfo=UTC)
    strict = standing_ratings([*RATINGS[:3], late], "clustermax", now, reconstructed=False)
    assert {r.published_on for r in strict} == {FIRST}
    # reconstructed: what was public by then, whenever it was recorded, and nothing later
    assert {r.published_on for r in standing_ratings([late], "clustermax", now, reconstructed=True)} == {
        SECOND
    }
    before = day_start(SECOND) - timedelta(seconds=1)
    assert standing_ratings([late], "clustermax", before, reconstructed=True) == ()


def test_the_last_correction_stands_and_when_it_was_recorded_is_no_part_of_the_hash():
    corrected = rating("Beta", "Silver", recorded_at=RECORDED + timedelta(days=1))
    known = standing_ratings([corrected, *RATINGS[:3]], "clustermax", NOON, reconstructed=False)
    assert {r.operator: r.tier for r in known} == {"Alpha": "Gold", "Beta": "Silver", "Gamma": "Unavailable"}
    moved = [replace(r, recorded_at=RECORDED + timedelta(hours=5)) for r in RATINGS]
    assert rated(*moved).methodology_hash == rated(*RATINGS).methodology_hash
    assert rated(*RATINGS[:3]).methodology_hash != rated(*RATINGS).methodology_hash


def test_ratings_are_recorded_with_the_rules_and_read_back():
    made = rated()
    again = Benchmark.from_resolved(made.name, made.resolved())
    assert again == made
    assert again.methodology_hash == made.methodology_hash


def test_sellers_are_matched_by_name_by_stated_names_and_by_dated_aliases():
    made = rated(rating("Hot Alpha", "Gold", sellers=("alphacloud",)), rating("Beta AI", "Gold"))
    aliases = (Alias("b-cloud", "beta ai", date(2026, 7, 5), "invented"),)
    known = SellerRatings(Rating(scheme="clustermax", at_least="Silver"), made.ratings, aliases)

    def found(seller: str, day: date = DAY) -> str | None:
        rating_found = known.of(seller, day_start(day))
        return None if rating_found is None else rating_found.operator

    assert [found(name) for name in ("hotalpha", "Hot Alpha", "alphacloud")] == ["Hot Alpha"] * 3
    assert found("b-cloud") == "Beta AI"
    assert found("b-cloud", date(2026, 7, 4)) is None
    assert found("hot") is None


def test_the_same_operators_are_admitted_as_the_ratings_room_names():
    made = rated()
    for day in (FIRST, DAY, SECOND, date(2026, 8, 1)):
        at = day_start(day)
        named = operators_at_or_above(RATINGS, "clustermax", "silver", at, None)
        sellers = ["Alpha", "Beta", "Gamma", "Delta"]
        table = rated_sellers(made, [(day, at)], sellers).to_pylist()
        assert {row["seller"] for row in table if row["rating_admits"]} == named


def test_explain_names_tier_and_release(world):
    rows = [offer(seller=seller, **CLUSTER) for seller in ("alpha", "beta", "delta")]
    shown = {row["seller"]: row for row in world(rows).explained(rated())}
    assert (shown["alpha"]["rating_tier"], shown["alpha"]["rating_release"]) == ("Gold", "2026-07-01")
    assert (shown["beta"][REFUSAL], shown["beta"]["rating_tier"]) == ("rating", "Bronze")
    assert (shown["delta"][REFUSAL], shown["delta"]["rating_tier"]) == ("rating", None)
    assert {row["rating_applies"] for row in shown.values()} == {True}


def test_a_grade_without_a_rating_shows_none(world):
    (row,) = world([offer(**CLUSTER)]).explained(benchmark())
    assert (row["rating_applies"], row["rating_tier"]) == (None, None)


def test_a_value_rests_on_the_operators_admitted_that_day(world):
    rows = [
        offer(seller="alpha", price_micros=usd("2.00"), observed_at=NOON + hours(24 * n), **CLUSTER)
        for n in range(2)
    ] + [
        offer(seller="beta", price_micros=usd("4.00"), observed_at=NOON + hours(24 * n), **CLUSTER)
        for n in range(2)
    ]
    made = world(rows).fixings(rated(), windows_for(rated(), DAY, DAY + timedelta(days=1)))
    assert [f.value_micros for f in made] == [usd("2.00"), usd("4.00")]


def test_a_build_covers_the_days_on_which_an_admitted_operator_was_seen(engine, world):
    rows = [offer(seller="beta", observed_at=NOON + hours(24 * n), **CLUSTER) for n in range(3)]
    archive = world(rows)
    instants = [
        (day, day_start(day + timedelta(days=1)) - timedelta(microseconds=1))
        for day in (DAY, SECOND, SECOND + timedelta(days=1))
    ]
    ratings = engine.memory(rated_sellers(rated(), instants, ["beta"]), "ratings_of_days")
    table = engine.memory(archive.table, "archive_of_rated")
    found = engine.to_arrow(meeting_grade(table, rated(), ratings)).to_pylist()
    assert found == [{"first": NOON + hours(24), "last": NOON + hours(48)}]


def test_published_releases_are_seen_from_their_own_dates(shared_data):
    path = shared_data / "operators" / "clustermax_ratings.csv"
    if not path.is_file():
        pytest.skip(f"real data absent: {path}")
    with path.open(encoding="utf-8", newline="") as handle:
        ratings = [
            OperatorRating(
                scheme="clustermax",
                version=row["version"],
                published_on=date.fromisoformat(row["published"]),
                operator=row["provider"],
                tier=row["tier"],
            )
            for row in csv.DictReader(handle)
        ]
    known = SellerRatings(Rating(scheme="clustermax", at_least="Silver"), ratings)

    def release(day: date) -> str | None:
        found = known.of("coreweave", day_start(day + timedelta(days=1)) - timedelta(microseconds=1))
        return None if found is None else found.version

    # releases of 2025-03-26, 2025-11-06 and 2026-09-23 (the table of the ratings' publication dates)
    assert release(date(2025, 3, 25)) is None
    assert release(date(2025, 11, 5)) == "1.0"
    assert release(date(2025, 12, 1)) == "2.0"
    assert release(date(2026, 9, 22)) == "2.0"
    assert release(date(2026, 9, 23)) == "3.0"
    assert release(date(2026, 10, 1)) == "3.0"
