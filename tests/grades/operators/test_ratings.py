"""A rating counts from its publication on, a release replaces the one before it, and missing is not worst."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades.operators import (
    CLUSTERMAX,
    OperatorRating,
    operator_key,
    operators_at_or_above,
    rating_at,
    rating_history,
    ratings_in_force,
    read_ratings_file,
)
from rentmark.records import Refusal, UsageError, day_start

ONE, TWO = date(2025, 11, 6), date(2026, 9, 23)
RECORDED = datetime(2026, 10, 1, 12, tzinfo=UTC)


def rated(operator: str, tier: str, published: date = ONE, version: str = "2.0", **changes) -> OperatorRating:
    """An invented rating in the words of the shipped scheme."""
    values = {
        "scheme": "clustermax",
        "version": version,
        "published_on": published,
        "operator": operator,
        "tier": tier,
        "recorded_at": RECORDED,
    }
    return OperatorRating(**(values | changes))


INVENTED = [
    rated("Amber", "Gold"),
    rated("Basalt", "Silver"),
    rated("Cinder", "Unavailable"),
    rated("Dune", "Underperforming"),
    rated("Amber", "Bronze", TWO, "3.0"),
    rated("Basalt", "Platinum", TWO, "3.0"),
    rated("Cinder", "Participation Ribbon", TWO, "3.0"),
]


def at(day: date, known_by: datetime | None = RECORDED):
    """Arguments for "as of the last instant of a UTC day"."""
    return day_start(day + timedelta(days=1)) - timedelta(microseconds=1), known_by


def test_nothing_is_seen_before_it_was_published_and_from_that_day_on_it_is():
    assert (
        rating_at(INVENTED, "Amber", "clustermax", day_start(ONE) - timedelta(microseconds=1), RECORDED)
        is None
    )
    assert rating_at(INVENTED, "Amber", "clustermax", day_start(ONE), RECORDED).tier == "Gold"
    assert (
        rating_at(INVENTED, "Amber", "clustermax", day_start(TWO) - timedelta(microseconds=1), RECORDED).tier
        == "Gold"
    )
    assert rating_at(INVENTED, "Amber", "clustermax", day_start(TWO), RECORDED).tier == "Bronze"


def test_nothing_is_seen_before_it_was_recorded_unless_the_view_is_reconstructed():
    before = RECORDED - timedelta(microseconds=1)
    assert ratings_in_force(INVENTED, "clustermax", *at(TWO, before)) == ()
    assert rating_at(INVENTED, "Amber", "clustermax", *at(TWO, None)).tier == "Bronze"
    fresh = [replace(r, recorded_at=None) for r in INVENTED]
    assert ratings_in_force(fresh, "clustermax", *at(TWO)) == ()
    assert len(ratings_in_force(fresh, "clustermax", *at(TWO, None))) == 3


def test_a_release_replaces_the_one_before_it_as_a_whole():
    assert rating_at(INVENTED, "Dune", "clustermax", *at(ONE)).tier == "Underperforming"
    assert rating_at(INVENTED, "Dune", "clustermax", *at(TWO)) is None


def test_unavailable_is_missing_and_not_below_the_lowest_tier():
    found = rating_at(INVENTED, "Cinder", "clustermax", *at(ONE))
    assert found.is_missing
    everyone = operators_at_or_above(INVENTED, "clustermax", "Underperforming", *at(ONE))
    assert everyone == {"Amber", "Basalt", "Dune"}


@pytest.mark.parametrize(
    ("tier", "day", "operators"),
    [
        ("platinum", ONE, set()),
        ("Gold", ONE, {"Amber"}),
        ("silver", ONE, {"Amber", "Basalt"}),
        ("Bronze", ONE, {"Amber", "Basalt"}),
        ("Platinum", TWO, {"Basalt"}),
        ("bronze", TWO, {"Amber", "Basalt"}),
        ("Participation Ribbon", TWO, {"Amber", "Basalt", "Cinder"}),
        ("Silver", date(2020, 1, 1), set()),
    ],
)
def test_who_stands_at_or_above_a_tier(tier, day, operators):
    assert operators_at_or_above(INVENTED, "clustermax", tier, *at(day)) == operators


def test_a_correction_counts_from_when_it_was_recorded():
    corrected = [*INVENTED, rated("Amber", "Silver", TWO, "3.0", recorded_at=RECORDED + timedelta(days=1))]
    assert rating_at(corrected, "Amber", "clustermax", *at(TWO)).tier == "Bronze"
    assert (
        rating_at(corrected, "Amber", "clustermax", *at(TWO, RECORDED + timedelta(days=1))).tier == "Silver"
    )
    assert rating_at(corrected[::-1], "Amber", "clustermax", *at(TWO, None)).tier == "Silver"
    history = rating_history(corrected, "amber", "clustermax", None)
    assert [(r.version, r.tier) for r in history] == [("2.0", "Gold"), ("3.0", "Bronze"), ("3.0", "Silver")]
    assert len(rating_history(corrected, "amber", "clustermax", RECORDED)) == 2


def test_names_of_an_operator_are_compared_by_letters_and_digits():
    assert operator_key("Hot Aisle") == operator_key("hot-aisle") == "hotaisle"
    ratings = [rated("Amber Cloud", "Gold", sellers=("amber-eu",))]
    assert rating_at(ratings, "ambercloud", "clustermax", *at(ONE)) is ratings[0]
    assert rating_at(ratings, "Amber EU", "clustermax", *at(ONE)) is ratings[0]
    assert operators_at_or_above(ratings, "clustermax", "gold", *at(ONE)) == {"Amber Cloud", "amber-eu"}


DAYS = st.integers(0, 5).map(lambda n: date(2026, 1, 1) + timedelta(days=n))
RATINGS = st.lists(
    st.builds(
        rated,
        st.sampled_from(["Amber", "Basalt", "Cinder"]),
        st.sampled_from(["Gold", "Silver", "Unavailable"]),
        DAYS,
        st.just("x"),
        recorded_at=DAYS.map(day_start),
    ),
    max_size=12,
)


@given(RATINGS, DAYS, DAYS, DAYS)
def test_what_is_learnt_later_changes_no_earlier_answer(ratings, published_by, known_by, later):
    """No look-ahead: ratings published or recorded after an instant leave the view of it as it was."""
    moment, known = day_start(published_by), day_start(known_by)
    seen = ratings_in_force(ratings, "clustermax", moment, known)
    added = [
        *ratings,
        rated("Amber", "Platinum", published_by + timedelta(days=1), "y", recorded_at=known),
        rated("Amber", "Platinum", later, "y", recorded_at=known + timedelta(microseconds=1)),
    ]
    assert ratings_in_force(added, "clustermax", moment, known) == seen
    assert all(day_start(r.published_on) <= moment and r.recorded_at <= known for r in seen)
    assert len({r.release for r in seen}) <= 1


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        ratings_in_force(INVENTED, "clustermax", datetime(2026, 1, 1), None)


@pytest.mark.parametrize(
    ("tier", "said"),
    [
        ("Unavailable", "it is missing, not a tier"),
        ("Sliver", "did you mean Silver?"),
        ("Not Recommended", "it is printed over both Underperforming and Unavailable"),
        ("", "its tiers are Platinum, Gold"),
    ],
)
def test_a_tier_that_is_none_is_said(tier, said):
    with pytest.raises(UsageError) as refused:
        operators_at_or_above(INVENTED, "clustermax", tier, *at(ONE))
    assert said in refused.value.sentence


def test_an_unknown_scheme_names_the_known_ones():
    with pytest.raises(UsageError, match=r"There is no rating scheme 'stars'; known: clustermax\."):
        operators_at_or_above(INVENTED, "stars", "gold", *at(ONE))


def test_ratings_speak_of_managed_clusters_only():
    assert CLUSTERMAX.applies_to("managed_cluster")
    for service in ("vm", "bare_metal", "container", "serverless", "unstated"):
        assert not CLUSTERMAX.applies_to(service)
    assert CLUSTERMAX.price_is_a_criterion
    assert CLUSTERMAX.read_tier(" participation  ribbon ") == "Participation Ribbon"
    assert isinstance(CLUSTERMAX.read_tier("best"), Refusal)


@pytest.fixture(scope="module")
def clustermax(shared_data):
    """The shared ratings, as if imported on 2026-10-01."""
    payload = (shared_data / "operators" / "clustermax_ratings.csv").read_bytes()
    return [
        replace(r, recorded_at=RECORDED)
        for r in read_ratings_file(payload, "clustermax_ratings.csv", CLUSTERMAX)
    ]


def test_the_shared_ratings_are_read_whole(clustermax):
    assert len(clustermax) == 176
    assert {(r.version, r.published_on) for r in clustermax} == {
        ("1.0", date(2025, 3, 26)),
        ("2.0", ONE),
        ("3.0", TWO),
    }


def test_a_fixing_uses_the_release_in_force_at_its_cut_off(clustermax):
    """The issue's dates: 2025-12-01 is judged by 2.0, 2026-10-01 by 3.0."""
    for day, version in ((date(2025, 12, 1), "2.0"), (date(2026, 9, 22), "2.0"), (date(2026, 10, 1), "3.0")):
        assert {r.version for r in ratings_in_force(clustermax, "clustermax", *at(day, None))} == {version}
    assert rating_at(clustermax, "crusoe", "clustermax", *at(date(2025, 12, 1), None)).tier == "Gold"
    assert rating_at(clustermax, "crusoe", "clustermax", *at(date(2026, 10, 1), None)).tier == "Bronze"
    assert rating_at(clustermax, "Scaleway", "clustermax", *at(date(2026, 10, 1), None)).is_missing
    golden = operators_at_or_above(clustermax, "clustermax", "gold", *at(date(2025, 12, 1), None))
    assert golden == {"CoreWeave", "Nebius", "Oracle", "Azure", "Crusoe", "FluidStack"}
    later = operators_at_or_above(clustermax, "clustermax", "gold", *at(date(2026, 10, 1), None))
    assert later == {"CoreWeave", "Nebius", "Google Cloud", "Oracle"}


def test_nothing_of_a_release_is_visible_before_its_date(clustermax):
    for hours in range(0, 24 * 30, 7):
        moment = day_start(TWO) - timedelta(hours=hours, microseconds=1)
        assert not [r for r in ratings_in_force(clustermax, "clustermax", moment, None) if r.version == "3.0"]
