"""The dirt that real payloads hold, each kind at the feed where it was seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rentmark.ingest import FEEDS, read_mapping, split_reading
from rentmark.records import Batch, parse_instant

Parse = Callable[..., Batch]
ANSWERS = Path(__file__).parent / "answers"

PRICES = {
    "skypilot": ",16.00,", "gpuhunt": ",24.80,", "gcp": " 88.0\n", "fsdl": ",40.97,", "runpod": " 2.75,",
    "azure": " 80.0,", "aws-spot": "\t24.000000\t", "lambda": " 2400,", "shadeform": " 1999,", "verda": '"24.00"',
    "hotaisle": " 199,", "oci": " 4.0\n", "ccir-book": ",15.2,15.2,", "ccir-rates": ",48.00,", "tardellirs": " 3.1,",
    "sfcompute": '"16.000000"', "akash": '"3000"', "nosana": " 0.36,", "host-rentals": " 4.0,",
}  # fmt: skip
"""Where the price of one record stands in the first case of each answers file."""

NO_PRICES = {
    "NaN": "price_not_finite", "Infinity": "price_not_finite", "-Infinity": "price_not_finite",
    "-1": "price_not_positive", "0": "price_not_positive", "1e-13": "price_not_positive",
    "0.0000000001": "price_not_positive", "1e15": "price_too_large", "free": "price_not_a_number",
    "$3": "price_not_a_number", "0x10": "price_not_a_number",
}  # fmt: skip


def first_case(feed_id: str) -> dict[str, Any]:
    return dict(json.loads((ANSWERS / f"{feed_id}.json").read_text(encoding="utf-8"))["cases"][0])


def read(parse: Parse, feed_id: str, text: str, **stated: Any) -> Batch:
    case = first_case(feed_id)
    values = {**case.get("mapping", {}), **stated} or None
    mapping, parameters = split_reading(None if values is None else read_mapping(values, "[mappings.test]"))
    return parse(
        feed_id, text, mapping=mapping, parameters=parameters, received_at=parse_instant(case["received_at"])
    )


def test_every_feed_with_a_layout_of_its_own_is_here() -> None:
    assert set(PRICES) | {"tabular", "trades", "vast", "gpurentalprices"} == set(FEEDS)


@pytest.mark.parametrize("written", NO_PRICES)
@pytest.mark.parametrize("feed_id", PRICES)
def test_what_is_no_price_is_refused_with_its_reason(parse: Parse, feed_id: str, written: str) -> None:
    text, place = first_case(feed_id)["text"], PRICES[feed_id]
    core = place.strip(' ,\t\n"').split(",")[0]
    quoted = written if not text.lstrip().startswith(("{", "[")) or '"' in place else json.dumps(written)
    dirty = text.replace(place, place.replace(core, quoted), 1)
    assert dirty != text
    before, after = read(parse, feed_id, text), read(parse, feed_id, dirty)
    if feed_id == "runpod" and written == "0":  # 0 there means not offered, and is no record
        assert (after.records, after.accepted) == (before.records - 1, before.accepted - 1)
        return
    reasons = sorted(after.rejects["reason"].to_pylist())
    for reason in before.rejects["reason"].to_pylist():
        if reason in reasons:
            reasons.remove(reason)
    assert NO_PRICES[written] in reasons


@pytest.mark.parametrize("feed_id", [name for name in FEEDS if FEEDS[name].kind == "offer"])
@pytest.mark.parametrize(
    "payload",
    [
        b"publication_date,index_name,value\n2026-03-05,X,1.60\n",
        b"date,seller,gpu_model,n_rows,min_per_gpu_hour,median_per_gpu_hour,max_per_gpu_hour\n2026-07-05,a,H100,1,1,1,1\n",
        b'{"index_name": "X", "value": 1.6}\n',
        b'[{"seller": "a", "total_observations": 3, "median_price": 1.0, "mean_price": 1.1}]',
    ],
)
def test_an_index_or_a_panel_is_not_an_offer_to_any_feed(parse: Parse, feed_id: str, payload: bytes) -> None:
    batch = parse(feed_id, payload, origin_name="panel.csv")
    assert batch.refusal is not None
    assert batch.refusal.code == "not_an_offer"
    assert batch.refusal.sentence.startswith("panel.csv ")
    assert batch.records == 0


def test_a_parquet_panel_is_not_an_offer_either(parse: Parse) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(
        pa.table({"date": ["2026-07-05"], "n_rows": [1], "mean_price": [1.0], "p25_price": [1.0]}), sink
    )
    refusal = parse("tabular", sink.getvalue().to_pybytes()).refusal
    assert refusal is not None
    assert refusal.code == "not_an_offer"


def test_columns_of_ones_own_that_only_sound_like_statistics_are_read(parse: Parse) -> None:
    header = "observed_at,seller,gpu_model,price_per_gpu_hour,min_bid,max_duration,offer_count\n"
    batch = parse("tabular", header + "2026-08-14T06:00:00Z,amber,H100,3.10,1,2,3\n")
    assert (batch.accepted, batch.refusal) == (1, None)


TABULAR = "observed_at,seller,gpu_model,gpu_model_raw,vram_gb,gpu_count,price_per_gpu_hour,region\n"


@pytest.mark.parametrize(
    ("name", "chip", "written", "memory"),
    [
        ("H200", "H200", "140", 141), ("H200", "H200", "143", 141), ("H100 NVL", "H100", "94", 94),
        ("B200", "B200", "192", 180), ("RTX 4090", "RTX 4090", "48", 48), ("A100 SXM4", "A100", "40", 40),
    ],
)  # fmt: skip
def test_one_size_of_memory_however_it_is_counted(
    parse: Parse, name: str, chip: str, written: str, memory: int
) -> None:
    batch = parse("tabular", f"{TABULAR}2026-08-14T06:00:00Z,amber,{chip},{name},{written},1,1.50,\n")
    assert batch.observations["memory_gb"].to_pylist() == [memory]


@pytest.mark.parametrize("name", ["MIG 1g.24gb", "H100 MIG 1g.24gb", "1/8 A16", "A10-8Q"])
def test_a_part_of_a_gpu_is_no_gpu(parse: Parse, name: str) -> None:
    batch = parse("tabular", f"{TABULAR}2026-08-14T06:00:00Z,amber,,{name},,1,1.50,\n")
    assert batch.rejects["reason"].to_pylist() == ["partition_of_chip"]


@pytest.mark.parametrize("name", ["A100 (0 GB)", "H100 00 GB"])
def test_a_name_with_no_memory_at_all_is_refused_and_not_a_crash(parse: Parse, name: str) -> None:
    batch = parse("tabular", f"{TABULAR}2026-08-14T06:00:00Z,amber,,{name},,1,1.50,\n")
    assert batch.rejects["reason"].to_pylist() == ["unknown_chip"]


@pytest.mark.parametrize("count", [3, 5, 7, 10, 12, 16])
def test_odd_sizes_of_a_node_are_sizes(parse: Parse, count: int) -> None:
    batch = parse("tabular", f"{TABULAR}2026-08-14T06:00:00Z,amber,H100,,,{count},1.50,\n")
    assert batch.observations["gpu_count"].to_pylist() == [count]


@pytest.mark.parametrize(
    ("region", "kept"),
    [('", US"', ", US"), ("global", "global"), ("any", "any"), ("None", "None"), ("", None)],
)
def test_a_region_stays_as_it_was_written(parse: Parse, region: str, kept: str | None) -> None:
    batch = parse("tabular", f"{TABULAR}2026-08-14T06:00:00Z,amber,H100,,,1,1.50,{region}\n")
    assert batch.observations["region"].to_pylist() == [kept]


@pytest.mark.parametrize("rows", [63, 64, 65])
def test_a_search_of_exactly_64_rows_is_said_to_be_cut_off(parse: Parse, rows: int) -> None:
    offers = [
        {"id": n, "machine_id": n, "host_id": n, "hosting_type": 0, "gpu_name": "RTX 4090", "gpu_ram": 24564,
         "num_gpus": 1, "dph_total": 0.3, "rentable": True, "rented": False, "geolocation": ", US"}
        for n in range(rows)
    ]  # fmt: skip
    batch = parse("vast", json.dumps({"collected_utc": "2026-08-14T06:00:00Z", "offers": offers}))
    assert batch.accepted == rows
    assert batch.notes == (
        ("lists of exactly 64 offers, which may be cut off there: RTX 4090 (1)",) if rows == 64 else ()
    )


def test_a_spot_price_of_zero_on_every_row_refuses_the_spot_prices_only(parse: Parse) -> None:
    """SkyPilot's table of a marketplace: SpotPrice 0.00 throughout."""
    rows = "".join(f"x{n},RTX4090,1,,,,0.3{n},0.00,US,\n" for n in range(5))
    header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n"
    batch = read(parse, "skypilot", header + rows)
    assert (batch.records, batch.accepted, batch.rejected) == (10, 5, 5)
    assert set(batch.rejects["reason"].to_pylist()) == {"price_not_positive"}


def test_the_memory_of_a_row_is_believed_only_where_the_name_is_silent(parse: Parse) -> None:
    """FSDL: ``GPU RAM`` is that of one GPU here and of all of them there."""
    header = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name\n"
    rows = [
        "amber,H100 (80 GB),Hopper,8,80,,,16.00,2.00,,a",  # of one
        "amber,H100 (80 GB),Hopper,8,640,,,16.00,2.00,,b",  # of all
        "amber,A10,Ampere,2,48,,,2.00,1.00,,c",
        "amber,A10,Ampere,2,24,,,2.00,1.00,,d",
        "amber,A10,Ampere,2,7,,,2.00,1.00,,e",  # no size of an A10
    ]
    batch = read(parse, "fsdl", header + "\n".join(rows) + "\n")
    assert batch.observations["memory_gb"].to_pylist() == [80, 80, 24, 24, None]
    assert batch.observations["suspect"].to_pylist() == [None] * 5


def test_a_per_gpu_price_that_is_a_node_price_is_marked(parse: Parse) -> None:
    """FSDL, rows without On-demand: Per-GPU grew with the GPUs of the instance."""
    header = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name\n"
    rows = [
        f"amber,A5000 (24 GB),Ampere,{n},24,,,,{price},,"
        for n, price in ((1, "0.90"), (2, "1.70"), (4, "3.30"))
    ]
    batch = read(parse, "fsdl", header + "\n".join(rows) + "\n")
    assert batch.observations["suspect"].to_pylist() == [None, "whole_node_price", "whole_node_price"]


def test_a_euro_price_without_a_currency_field_needs_the_currency_stated(parse: Parse) -> None:
    entry = {"instance_type": "1L40S.20V", "gpu": {"description": "1x L40S 48GB", "number_of_gpus": 1},
             "gpu_memory": {"size_in_gigabytes": 48}, "price_per_hour": "1.00"}  # fmt: skip
    silent = read(parse, "verda", json.dumps([entry]))
    assert silent.rejects["reason"].to_pylist() == ["missing_currency"]
    stated = read(parse, "verda", json.dumps([entry]), currency="EUR")
    assert stated.observations["price_micros"].to_pylist() == [1_100_000]
    assert stated.observations["fx_rate"].to_pylist() == ["1.1 (invented rates, 2026-08-13)"]
    assert stated.observations["currency"].to_pylist() == ["EUR"]


def test_prices_in_cents_and_dollars_are_told_apart_by_their_feed(parse: Parse) -> None:
    cents = read(parse, "lambda", first_case("lambda")["text"]).observations
    dollars = read(parse, "runpod", first_case("runpod")["text"]).observations
    assert set(cents["unit_original"].to_pylist()) == {"usd_cents_per_instance_hour"}
    assert set(dollars["unit_original"].to_pylist()) == {"usd_per_gpu_hour"}
    assert cents["price_micros"].to_pylist()[0] == 3_000_000  # 2,400 cents of eight GPUs


def test_rates_and_block_times_are_part_of_what_a_lease_becomes(parse: Parse) -> None:
    """The same lease at another dollar price of the token is another price, of the same trade."""
    text = first_case("akash")["text"]
    dearer = {"source": "invented prices", "values": {"2026-08-13": "0.75"}}
    one, other = read(parse, "akash", text), read(parse, "akash", text, akt_usd=dearer)
    prices = [batch.observations["price_micros"].to_pylist()[0] for batch in (one, other)]
    assert prices == [2_490_000, 3_735_000]  # 8,300 × 600 / 1e6 × the price of AKT
    assert one.observations["trade_id"].to_pylist() == other.observations["trade_id"].to_pylist()


def test_a_rental_that_still_runs_is_passed_over_and_said(parse: Parse) -> None:
    for feed_id in ("akash", "nosana", "host-rentals", "sfcompute"):
        case = json.loads((ANSWERS / f"{feed_id}.json").read_text(encoding="utf-8"))["cases"][
            1 if feed_id == "sfcompute" else 0
        ]
        batch = read(parse, feed_id, case["text"])
        assert any(note.startswith("passed over, as they") for note in batch.notes), feed_id
