"""What an offer's row means: hardware, clocks, sellers, rights, places, duplicates."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.ingest import TableMapping
from rentmark.ingest.places import country_of
from rentmark.ingest.rights import rights_of_license
from rentmark.records import Batch

Parse = Callable[..., Batch]


def offers(*rows: dict[str, str]) -> str:
    """A CSV of rows that are each an invented H100 offer but for the fields given."""
    filled = [
        {
            "observed_at": "2026-08-14T06:00:00Z",
            "seller": "amber",
            "gpu_model": "H100",
            "price_per_gpu_hour": "3.10",
            **row,
        }
        for row in rows
    ]
    names = list(dict.fromkeys(itertools.chain.from_iterable(filled)))
    lines = [",".join(f'"{row.get(name, "")}"' for name in names) for row in filled]
    return "\n".join([",".join(names), *lines]) + "\n"


def one(parse: Parse, row: dict[str, str], mapping: TableMapping | None = None) -> dict[str, Any]:
    batch = parse("tabular", offers(row), mapping=mapping)
    assert batch.rejected == 0, batch.rejects["sentence"].to_pylist()
    (found,) = batch.observations.to_pylist()
    return dict(found)


@pytest.mark.parametrize(
    ("row", "chip", "form_factor", "memory_gb", "suspect"),
    [
        ({}, "H100", None, None, None),
        ({"gpu_model": "H100 SXM5 80GB"}, "H100", "SXM", 80, None),
        ({"gpu_model": "", "gpu_model_raw": "H100 SXM5 80GB"}, "H100", "SXM", 80, None),
        ({"gpu_model_raw": "H100 SXM5 80GB"}, "H100", "SXM", 80, None),
        ({"gpu_model_raw": "a name that says nothing"}, "H100", None, None, None),
        ({"form_factor": "SXM5", "vram_gb": "80", "gpu_model_raw": "H100_SXM"}, "H100", "SXM", 80, None),
        (
            {"form_factor": "PCIe", "gpu_model_raw": "H100_SXM"},
            "H100",
            "PCIe",
            None,
            "column_disagrees_with_name",
        ),
        ({"vram_gb": "94", "gpu_model_raw": "H100 80GB"}, "H100", None, 94, "column_disagrees_with_name"),
        ({"gpu_model_raw": "A100 SXM 80GB"}, "H100", None, None, "column_disagrees_with_name"),
        ({"gpu_model": "H200", "vram_gb": "143", "gpu_model_raw": "h200"}, "H200", None, 141, None),
        ({"form_factor": "unstated"}, "H100", None, None, None),
        ({"price_per_gpu_hour": "310"}, "H100", None, None, "price_outside_band"),
    ],
)
def test_columns_win_over_names_and_a_disagreement_is_marked(
    parse: Parse,
    row: dict[str, str],
    chip: str,
    form_factor: str | None,
    memory_gb: int | None,
    suspect: str | None,
) -> None:
    found = one(parse, row)
    assert (found["chip"], found["form_factor"], found["memory_gb"]) == (chip, form_factor, memory_gb)
    assert found["suspect"] == suspect


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"gpu_model": "Voodoo 2"}, "unknown_chip"),
        ({"gpu_model": "", "gpu_model_raw": "Voodoo 2"}, "unknown_chip"),
        ({"gpu_model": "", "gpu_model_raw": ""}, "unknown_chip"),
        ({"gpu_model": "H100 MIG 1g.10gb"}, "partition_of_chip"),
        ({"gpu_model_raw": "NVIDIA H100 MIG 1g.10gb"}, "partition_of_chip"),
        ({"form_factor": "socketed"}, "bad_choice"),
        ({"vram_gb": "0"}, "bad_memory"),
        ({"gpu_count": "1.5"}, "bad_gpu_count"),
        ({"known_at": "2026-08-20T00:00:01Z"}, "future_time"),
        ({"known_at": "later"}, "bad_time"),
        ({"region": "two\nlines"}, "malformed_record"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(
    parse: Parse, row: dict[str, str], reason: str
) -> None:
    batch = parse("tabular", offers(row, {}))
    assert batch.rejects["reason"].to_pylist() == [reason]
    assert batch.accepted == 1


def test_the_name_gives_the_count_only_where_no_column_does(parse: Parse) -> None:
    assert one(parse, {"gpu_model_raw": "8x H100 SXM"})["gpu_count"] == 8
    assert one(parse, {"gpu_model_raw": "8x H100 SXM", "gpu_count": "4"})["gpu_count"] == 4
    assert one(parse, {"gpu_model_raw": "H100 SXM"})["gpu_count"] is None


@pytest.mark.parametrize(
    ("row", "lag", "known"),
    [
        ({}, 0, datetime(2026, 8, 14, 6, tzinfo=UTC)),
        ({}, 24, datetime(2026, 8, 15, 6, tzinfo=UTC)),
        ({"known_at": "2026-08-14T09:00:00Z"}, 24, datetime(2026, 8, 14, 9, tzinfo=UTC)),
        ({"known_at": ""}, 24, datetime(2026, 8, 15, 6, tzinfo=UTC)),
        ({"known_at": "2026-08-14T05:00:00Z"}, 0, datetime(2026, 8, 14, 6, tzinfo=UTC)),
    ],
)
def test_nothing_is_known_before_it_was_observed(
    parse: Parse, row: dict[str, str], lag: int, known: datetime
) -> None:
    found = one(parse, row, TableMapping(lag_hours=lag))
    assert found["known_at"] == known
    assert found["observed_at"] == datetime(2026, 8, 14, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "seller", "venue"),
    [
        ({"seller": "amber"}, "amber", None),
        ({"seller": "basalt/host-7"}, "host-7", "basalt"),
        ({"seller": "basalt/eu/host-7"}, "eu/host-7", "basalt"),
        ({"seller": "basalt/host-7", "venue": "basalt"}, "host-7", "basalt"),
        ({"seller": "amber/east", "venue": "exchange-a"}, "amber/east", "exchange-a"),
        ({"seller": "/host-7"}, "/host-7", None),
        ({"seller": "basalt/"}, "basalt/", None),
    ],
)
def test_a_seller_of_a_venue_splits_at_the_slash(
    parse: Parse, row: dict[str, str], seller: str, venue: str | None
) -> None:
    found = one(parse, row)
    assert (found["seller"], found["venue"]) == (seller, venue)


@pytest.mark.parametrize(
    ("source", "aggregator"),
    [
        ("adriannutiu/gpu-rental-prices", "gpurentalprices.com"),
        ("ccir-index/cri-h100", "ccir.io"),
        ("somebody/else", None),
        ("", None),
    ],
)
def test_a_known_collector_is_kept_as_the_aggregator(
    parse: Parse, source: str, aggregator: str | None
) -> None:
    found = one(parse, {"source": source})
    assert (found["source"], found["aggregator"]) == (source or "user", aggregator)


@pytest.mark.parametrize(
    ("text", "rights"),
    [
        ("CC BY 4.0", "allowed"),
        ("CC-BY-4.0 (gpurentalprices.com)", "allowed"),
        ("Creative Commons Attribution 4.0", "allowed"),
        ("MIT", "allowed"),
        ("Apache-2.0", "allowed"),
        ("user-asserted", "allowed"),
        ("CC BY-NC 4.0", "forbidden"),
        ("CC-BY-NC-SA-4.0", "forbidden"),
        ("Apache-2.0, internal use only", "forbidden"),
        ("non-commercial", "forbidden"),
        ("CC BY-SA 4.0", "unknown"),
        ("CC-BY-ND-4.0", "unknown"),
        ("Creative Commons Attribution-ShareAlike 4.0", "unknown"),
        ("see our terms", "unknown"),
        ("permit required", "unknown"),
        ("?", "unknown"),
    ],
)
def test_a_licence_says_what_it_says(text: str, rights: str) -> None:
    assert rights_of_license(text) == rights


def test_rights_come_from_the_column_then_the_mapping_then_the_owner(parse: Parse) -> None:
    stated = TableMapping(rights="unknown")
    texted = TableMapping(license="CC BY-NC 4.0")
    assert one(parse, {})["rights"] == "allowed"
    assert one(parse, {})["license"] == "user-asserted"
    assert one(parse, {}, stated)["rights"] == "unknown"
    assert one(parse, {}, texted)["rights"] == "forbidden"
    assert one(parse, {"license": "MIT"}, stated)["rights"] == "allowed"
    assert one(parse, {"license": ""})["rights"] == "allowed"
    mixed = parse("tabular", offers({"license": "MIT"}, {"license": "", "seller": "basalt"}))
    assert mixed.observations["rights"].to_pylist() == ["allowed", "unknown"]


@pytest.mark.parametrize(
    ("region", "geolocation", "country"),
    [
        ("Texas, US", False, "US"),
        (", US", False, "US"),
        ("Italy, IT", False, "IT"),
        ("The Netherlands, NL", False, "NL"),
        ("India, IN", False, "IN"),
        ("Indianapolis, IN", False, None),
        ("Oakland, CA", False, None),
        ("Quebec, CA", False, None),
        ("Quebec, CA", True, "CA"),
        (", DE", False, None),
        (", DE", True, "DE"),
        ("Nowhere, XX", True, None),
        ("us-central1", True, None),
        ("US", False, None),
        ("global", True, None),
        (None, True, None),
    ],
)
def test_a_country_is_read_only_where_it_is_certain(
    region: str | None, geolocation: bool, country: str | None
) -> None:
    assert country_of(region, geolocation=geolocation) == country


def test_a_stated_country_wins_over_the_region(parse: Parse) -> None:
    assert one(parse, {"country": "CA", "region": "Texas, US"})["country"] == "CA"


def test_a_repeat_is_counted_once_and_the_first_one_stands(parse: Parse) -> None:
    batch = parse("tabular", offers({"verification": "a"}, {"verification": "b"}, {}))
    assert (batch.records, batch.accepted, batch.duplicates) == (3, 1, 2)
    assert batch.observations["verification"].to_pylist() == ["a"]
    assert batch.observations["position"].to_pylist() == [0]


def test_two_prices_at_one_instant_are_both_kept(parse: Parse) -> None:
    assert parse("tabular", offers({}, {"price_per_gpu_hour": "3.20"})).accepted == 2


def test_a_price_written_another_way_is_the_same_price(parse: Parse) -> None:
    assert parse("tabular", offers({}, {"price_per_gpu_hour": "3.1"})).duplicates == 1


def test_a_refused_record_repeats_only_what_was_wrong_in_the_same_way(parse: Parse) -> None:
    batch = parse(
        "tabular",
        offers(
            {"reliability": "0.9"},
            {"reliability": "often"},
            {"reliability": "often"},
            {"reliability": "rarely"},
        ),
    )
    assert (batch.accepted, batch.rejected, batch.duplicates) == (1, 2, 1)
    batch = parse("tabular", offers({"reliability": "often"}, {"reliability": "0.9"}))
    assert (batch.accepted, batch.rejected, batch.duplicates) == (1, 1, 0)


@settings(deadline=None)
@given(data=st.data())
def test_prices_on_a_coarse_grid_in_any_order_are_the_same_observations(
    parse: Parse, data: st.DataObject
) -> None:
    rows = data.draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "seller": st.sampled_from(["amber", "basalt"]),
                    "price_per_gpu_hour": st.sampled_from(["2.75", "3", "3.00", "3.25", "0", "many"]),
                }
            ),
            max_size=12,
        )
    )
    if not rows:
        return
    ordered = parse("tabular", offers(*rows))
    shuffled = parse("tabular", offers(*data.draw(st.permutations(rows))))
    good = {
        (row["seller"], float(row["price_per_gpu_hour"]))
        for row in rows
        if row["price_per_gpu_hour"][0] in "23"
    }
    bad = {
        (row["seller"], row["price_per_gpu_hour"]) for row in rows if row["price_per_gpu_hour"][0] not in "23"
    }
    for batch in (ordered, shuffled):
        assert (batch.records, batch.accepted, batch.rejected) == (len(rows), len(good), len(bad))
    assert set(ordered.observations["observation_id"].to_pylist()) == set(
        shuffled.observations["observation_id"].to_pylist()
    )


def test_a_simulated_row_says_so(parse: Parse) -> None:
    assert one(parse, {"simulated": "true"})["simulated"] is True
    assert one(parse, {"simulated": ""})["simulated"] is False
