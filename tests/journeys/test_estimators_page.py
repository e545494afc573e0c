"""docs/estimators.md describes the program: its tables are the rules in force, its examples compute."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from rentmark.index import ESTIMATORS, EXCLUSIONS, Methodology, evaluate
from rentmark.index.caps import hold_caps
from rentmark.index.parts import Screen
from rentmark.records import Fixing, format_micros

from tests.index.making import WINDOW, ballot, benchmark, in_order
from tests.index.test_caps import groups_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
SOURCE = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "index").rglob("*.py")))


def table(title: str) -> list[list[str]]:
    """Rows of the table of a section, header left out."""
    section = re.split(r"\n## ", PAGE.split(f"\n## {title}\n", 1)[1])[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def named(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`\"?(\w+)\"?", cell)}


def test_every_estimator_is_in_the_table_with_the_keys_it_needs():
    rows = {row[0].strip("`"): row for row in table("Estimators")}
    assert set(rows) == set(ESTIMATORS)
    for name, estimator in ESTIMATORS.items():
        assert set(estimator.keys) == named([rows[name][2]]) - {"weights"}, name
        assert ("trade" in rows[name][2]) == bool(estimator.reads & {"volume", "instants"}), name


def test_every_screen_is_in_the_table_with_its_rule():
    rows = table("Screens")
    keys = {re.findall(r"`(\w+)", row[0])[0] for row in rows}
    inside = {"floor", "band", "min_votes"}
    assert keys == set(Screen.model_fields) - inside
    assert {row[2].strip("`") for row in rows} <= set(EXCLUSIONS)
    order = [code for code in EXCLUSIONS if code in {row[2].strip("`") for row in rows}]
    assert [row[2].strip("`") for row in rows] == order


@pytest.mark.parametrize(
    ("title", "field"), [("Weights and caps", "weights"), ("Hierarchy of inputs", "hierarchy")]
)
def test_every_choice_is_in_its_table(title, field):
    choices = get_args(Methodology.model_fields[field].annotation)
    assert [row[0].strip('`"') for row in table(title)] == list(choices)


def test_every_key_of_the_details_is_in_the_table_and_made_by_the_engine():
    keys = named([row[0] for row in table("What is sealed beside the level")])
    assert "details" in Fixing.__dataclass_fields__
    assert all(f'"{key}"' in SOURCE for key in keys)


def test_the_screened_mean_of_the_text_is_what_the_engine_prints():
    votes = in_order(ballot(s, p) for s, p in zip("abcde", ["3.00"] * 4 + ["1000000.00"], strict=True))
    bare: Any = evaluate(benchmark(estimator="mean"), "listed", votes, WINDOW)
    screened: Any = evaluate(benchmark(estimator="mean", screen={"robust_z": 3.5}), "listed", votes, WINDOW)
    assert f"mean of {float(format_micros(bare.value_micros)):,.2f}" in PAGE
    assert f"**{format_micros(screened.value_micros)}**" in PAGE


def test_the_capped_weights_of_the_text_are_what_the_engine_holds():
    made = hold_caps([50, 1, 1, 1], groups_of("cap", list("abcd"), Fraction(3, 10)))
    assert isinstance(made, tuple)
    assert [f"{100 * float(share):.2f}" for share in made[0]] == ["30.00", "23.33", "23.33", "23.33"]
    assert "30 % and three times 23.33 %" in PAGE
