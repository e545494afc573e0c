"""Of an offer only the latest state counts, of a machine only its largest size, of a source only new prices."""

from __future__ import annotations

from typing import Any

import pytest
from rentmark.index import windows_between

from .making import DAY, LATER, NOON, benchmark, hours, offer, usd, windows_for

EARLY, LATE = NOON - hours(6), NOON


def test_an_older_state_of_an_offer_is_left_out(world):
    rows = [
        offer(price_micros=usd("3.00"), observed_at=EARLY),
        offer(price_micros=usd("2.00"), observed_at=LATE),
        offer(price_micros=usd("4.00"), observed_at=EARLY - hours(1)),
    ]
    archive = world(rows)
    assert archive.refusals(benchmark()) == ["older_state", None, "older_state"]
    assert archive.fixing(benchmark()).value_micros == usd("2.00")


def test_two_prices_of_an_offer_at_one_instant_both_count(world):
    rows = [offer(price_micros=usd("3.00")), offer(price_micros=usd("2.00"))]
    archive = world(rows)
    assert archive.refusals(benchmark()) == [None, None]
    fixing = archive.fixing(benchmark())
    assert (fixing.n_observations, fixing.n_votes, fixing.value_micros) == (2, 1, usd("2.50"))


@pytest.mark.parametrize(
    "apart",
    [
        {"source": "second"},
        {"venue": "floor"},
        {"seller": "beta"},
        {"sku": "k1"},
        {"name_as_written": "H100 80GB"},
        {"form_factor": "PCIe"},
        {"memory_gb": 94},
        {"region": "us-1"},
        {"pricing": "spot"},
        {"term_months": 1},
        {"gpu_count": 8},
        {"gpu_count": None},
        {"machine": "m1"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_key_is_another_offer(world, apart):
    rows = [offer(observed_at=EARLY), offer(observed_at=LATE, **apart)]
    assert world(rows).refusals(benchmark()) == [None, None]


@pytest.mark.parametrize(
    "same",
    [
        {"price_micros": usd("2.75")},
        {"gpus_available": 4},
        {"minimum_gpus": 2},
        {"verification": "verified"},
        {"known_at": LATE + hours(9)},
        {"aggregator": "collector"},
        {"country": "US"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_not_of_the_key_is_a_state_of_the_same_offer(world, same):
    rows = [offer(observed_at=EARLY), offer(observed_at=LATE, **same)]
    assert world(rows).refusals(benchmark()) == ["older_state", None]


@pytest.mark.parametrize("change", [{"name_as_written": "other"}, {"form_factor": None}, {"memory_gb": 94}])
def test_a_stated_sku_stands_whatever_the_name_form_and_memory_say(world, change):
    rows = [offer(sku="k1", observed_at=EARLY), offer(sku="k1", observed_at=LATE, **change)]
    assert world(rows).refusals(benchmark()) == ["older_state", None]


def test_a_null_sku_stands_as_name_form_and_memory_together(world):
    same = {"name_as_written": "H100 SXM5 80GB", "form_factor": None, "memory_gb": None}
    rows = [offer(observed_at=EARLY, **same), offer(observed_at=LATE, **same)]
    assert world(rows).refusals(benchmark()) == ["older_state", None]


def test_a_null_venue_counts_as_the_seller(world):
    rows = [offer(venue=None, observed_at=EARLY), offer(venue="alpha", observed_at=LATE)]
    archive = world(rows)
    assert archive.refusals(benchmark()) == ["older_state", None]
    assert archive.fixing(benchmark()).n_venues == 1


def test_the_latest_state_is_that_of_the_window_and_not_of_the_archive(world):
    rows = [offer(observed_at=NOON), offer(observed_at=NOON + hours(24), price_micros=usd("2.00"))]
    made = benchmark()
    fixings = world(rows).fixings(made, windows_between(made.methodology, DAY, DAY.replace(day=9), LATER))
    assert [f.value_micros for f in fixings] == [usd("3.00"), usd("2.00")]


def test_under_a_lookback_the_latest_state_of_the_longer_window_counts(world):
    rows = [offer(observed_at=NOON - hours(24)), offer(observed_at=NOON, price_micros=usd("2.00"))]
    fixing = world(rows).fixing(benchmark(lookback_hours=48))
    assert (fixing.value_micros, fixing.n_observations) == (usd("2.00"), 1)


def test_a_state_not_yet_known_does_not_replace_an_older_one(world):
    rows = [
        offer(observed_at=EARLY, recorded_at=LATE),
        offer(observed_at=LATE, recorded_at=LATE + hours(72), price_micros=usd("2.00")),
    ]
    archive, made = world(rows), benchmark()
    seen_early = windows_for(made, seen_until=LATE + hours(24))
    assert archive.fixings(made, seen_early)[0].value_micros == usd("3.00")
    assert archive.fixing(made).value_micros == usd("2.00")


def test_one_machine_in_four_sizes_counts_once_as_its_largest(world):
    rows = [
        offer(machine="m1", gpu_count=size, price_micros=usd(price))
        for size, price in ((1, "4.00"), (2, "3.50"), (4, "3.25"), (8, "3.00"))
    ]
    archive = world(rows)
    assert archive.refusals(benchmark()) == ["smaller_size_of_machine"] * 3 + [None]
    fixing = archive.fixing(benchmark())
    assert (fixing.n_observations, fixing.value_micros) == (1, usd("3.00"))


def test_the_largest_size_is_sought_among_sizes_that_meet_the_grade(world):
    rows = [offer(machine="m1", gpu_count=size) for size in (1, 2, 4, 8)]
    assert world(rows).refusals(benchmark({"max_gpus": 4})) == [
        "smaller_size_of_machine",
        "smaller_size_of_machine",
        None,
        "max_gpus",
    ]


@pytest.mark.parametrize(
    "apart", [{"seller": "beta"}, {"venue": "floor"}, {"source": "second"}, {"machine": "m2"}]
)
def test_a_machine_is_one_of_its_seller_venue_and_source(world, apart):
    rows = [offer(machine="m1", gpu_count=1), offer(**{"machine": "m1", "gpu_count": 8, **apart})]
    assert world(rows).refusals(benchmark()) == [None, None]


def test_sizes_without_a_machine_are_separate_offers(world):
    assert world([offer(gpu_count=size) for size in (1, 2, 8)]).refusals(benchmark()) == [None, None, None]


def test_a_machine_of_stated_and_unstated_size_counts_once(world):
    rows = [offer(machine="m1", gpu_count=None), offer(machine="m1", gpu_count=8)]
    assert world(rows).refusals(benchmark()) == ["smaller_size_of_machine", None]
    assert world(rows[:1]).refusals(benchmark()) == [None]


def test_an_offer_whose_latest_state_left_the_grade_does_not_count_as_it_was(world):
    rows = [
        offer(observed_at=EARLY, sku="k1", form_factor="SXM"),
        offer(observed_at=LATE, sku="k1", form_factor="PCIe"),
    ]
    assert world(rows).refusals(benchmark({"form_factor": ["SXM"]})) == ["older_state", "form_factor"]


def test_a_list_price_is_no_later_state_of_an_executable_quote(world):
    rows = [offer(observed_at=EARLY, tier="executable"), offer(observed_at=LATE, tier="listed")]
    assert world(rows).refusals(benchmark(inputs=["executable", "listed"])) == [None, None]


def test_a_price_the_source_repeated_is_out_and_leaves_the_older_one_in(world):
    rows = [
        offer(observed_at=EARLY, price_micros=usd("2.00")),
        offer(observed_at=LATE, price_micros=usd("3.00"), carried_by_source=True),
    ]
    archive = world(rows)
    assert archive.refusals(benchmark()) == [None, "carried_by_source"]
    assert archive.refusals(benchmark(include_carried=True)) == ["older_state", None]


def host(number: int, venue: str = "floor") -> dict[str, Any]:
    """An offer of one host of a marketplace, as ``floor/host-1`` is read."""
    return offer(seller=f"host-{number}", venue=venue)


def test_the_hosts_of_a_marketplace_are_sellers_of_one_venue(world):
    fixing = world([host(1), host(2), host(3)]).fixing(benchmark(min_sellers=3))
    assert (fixing.status, fixing.n_sellers, fixing.n_venues) == ("OK", 3, 1)


def test_hosts_of_one_venue_do_not_pass_as_a_market(world):
    fixing = world([host(1), host(2), host(3)]).fixing(benchmark(min_venues=2))
    assert (fixing.status, fixing.rule) == ("GAP", "min_venues")
    assert world([host(1), host(2), offer()]).fixing(benchmark(min_venues=2)).status == "OK"


def test_a_seller_on_two_venues_is_one_seller(world):
    rows = [offer(seller="alpha"), offer(seller="alpha", venue="floor", price_micros=usd("2.00"))]
    fixing = world(rows).fixing(benchmark())
    assert (fixing.n_sellers, fixing.n_votes, fixing.n_venues) == (1, 1, 2)
    assert fixing.value_micros == usd("2.50")
