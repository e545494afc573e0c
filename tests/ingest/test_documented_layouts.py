"""The layouts in the documentation are the ones that are read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from rentmark.ingest import FEEDS, OFFER_COLUMNS, TRADE_COLUMNS, TableMapping, read_mapping
from rentmark.records import SUSPECT_REASONS, Batch

Parse = Callable[..., Batch]
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "feeds.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize(("feed_id", "records"), [("tabular", 2), ("trades", 4)])
def test_the_example_of_a_layout_is_accepted_whole(parse: Parse, feed_id: str, records: int) -> None:
    batch = parse(feed_id, block(f"csv {feed_id}"))
    assert batch.rejects["sentence"].to_pylist() == []
    assert (batch.records, batch.accepted, batch.refusal) == (records, records, None)


@pytest.mark.parametrize(
    ("title", "columns"),
    [("`tabular`", OFFER_COLUMNS), ("`trades`", TRADE_COLUMNS)],
    ids=["tabular", "trades"],
)
def test_every_column_is_documented(title: str, columns: dict[str, str]) -> None:
    table = "\n".join(line.split("|")[1] for line in section(title).splitlines() if line.startswith("|"))
    documented = set(re.findall(r"`(\w+)`", table))
    assert documented == set(columns.values())


def test_the_example_of_a_mapping_is_a_mapping(parse: Parse) -> None:
    values = tomllib.loads(block("toml mapping"))["mappings"]["workbook"]
    mapping = TableMapping.read(values, "[mappings.workbook]")
    batch = parse("tabular", "Zeit;Karte;Anzahl;Cent\n2026-08-14T08:00;H100;8;2480\n", mapping=mapping)
    assert batch.observations["price_micros"].to_pylist() == [3_100_000]


@pytest.mark.parametrize("feed_id", list(FEEDS))
def test_every_feed_is_documented_with_its_rights(feed_id: str) -> None:
    assert f"\n## `{feed_id}`" in PAGE
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{feed_id}`"))
    terms = FEEDS[feed_id].terms
    assert terms.rights in row or "from the file" in row


def test_the_attribution_a_source_asks_for_is_given() -> None:
    assert FEEDS["gpurentalprices"].terms.attribution in " ".join(section("`gpurentalprices`").split())


def test_the_example_of_parameters_is_read(parse: Parse) -> None:
    tables = tomllib.loads(block("toml parameters"))["mappings"]
    readings = {name: read_mapping(values, f"[mappings.{name}]") for name, values in tables.items()}
    assert {name: reading.feed for name, reading in readings.items()} == {
        "amber-catalogue": "skypilot",
        "verda-in-euros": "verda",
        "leases": "akash",
    }
    table = "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\nx,H100,1,3.10,east\n"
    batch = parse("skypilot", table, parameters=readings["amber-catalogue"])
    assert batch.observations["seller"].to_pylist() == ["amber"]


@pytest.mark.parametrize("feed_id", [name for name in FEEDS if FEEDS[name].parameters is not None])
def test_every_parameter_is_documented_with_its_feed(feed_id: str) -> None:
    model = FEEDS[feed_id].parameters
    assert model is not None
    said = " ".join(section(f"`{feed_id}`").split())
    for name in model.model_fields:
        assert f"`{name}`" in said or name == "feed", name


@pytest.mark.parametrize("reason", list(SUSPECT_REASONS))
def test_every_doubt_is_documented(reason: str) -> None:
    assert f"`{reason}`" in section("What holds of every feed")
