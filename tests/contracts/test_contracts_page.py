"""docs/contracts.md is about the contracts there are, and its examples read as they stand."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

from rentmark.contracts import CONTRACTS, read_contract
from rentmark.contracts.curve import read_settlements
from rentmark.contracts.paths import SCENARIOS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "contracts.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_table_lists_exactly_the_shipped_contracts():
    table = PAGE.split("## The contracts shipped")[1].split("\n## ")[0]
    named = {name for row in table.splitlines() if row.startswith("| `") for name in re.findall("`(.*?)`", row.split("|")[1])}  # fmt: skip
    assert named == set(CONTRACTS)


def test_the_example_of_an_own_contract_reads_as_it_stands():
    (example,) = blocks("toml")
    values = tomllib.loads(example)["contracts"]["mine"]
    spec = read_contract(values, "[contracts.mine]", contract_id="mine")
    assert (spec.averaging_last, spec.period_ends, spec.listing_cycle) == (7, {12: 24}, (3, 6, 9, 12))


def test_the_example_of_a_settlements_file_reads_as_it_stands():
    (example,) = blocks("csv")
    found = read_settlements(example.encode(), "example.csv", CONTRACTS, datetime(2026, 8, 20, tzinfo=UTC))
    assert (len(found.rows), found.rejects) == (1, ())


def test_every_scenario_has_its_row():
    assert set(re.findall(r"^\| `([a-z-]+)` \| ", PAGE.split("`--scenario`")[1], flags=re.MULTILINE)) == set(
        SCENARIOS
    )


def test_the_page_says_why_there_is_no_cash_and_carry():
    assert "## No cash-and-carry" in PAGE
    assert "can't be stored" in PAGE
