"""docs/grades.md describes the program: its examples are read, and every key and service stands in its tables."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

from rentmark.grades import Grade, shipped_grades
from rentmark.grades.adjustment import DEFAULT_CAP, AdjustedField
from rentmark.grades.calibrate import (
    ADMINISTERED_VARIATION,
    FEWEST_DISTINCT_PAIRS,
    LEVEL_TO_RATIO,
)
from rentmark.grades.shipped import TERMS_MONTHS
from rentmark.index import Methodology
from rentmark.records import SERVICES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "grades.md").read_text(encoding="utf-8")


def block(name: str) -> dict:
    found = re.search(rf"^```toml {name}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return tomllib.loads(found[1])


def first_cells(before: str) -> set[str]:
    """Words in code in the first column of the first table after a text."""
    rows = PAGE.split(before, 1)[1].split("\n\n|", 1)[1].split("\n\n", 1)[0].splitlines()
    return {
        word for row in rows for word in re.findall(r"`(\w+)`", row.split("|")[0 if row == rows[0] else 1])
    }


def test_the_example_of_a_grade_is_read():
    values = block("grade")["grades"]["h100-sxm-us"]
    grade = Grade.read(values, "[grades.h100-sxm-us]")
    assert grade.rating is not None
    assert grade.minimum_gpus_at_most == 8


def test_every_key_and_every_service_is_documented():
    assert first_cells("```toml grade") == set(Grade.model_fields)
    assert first_cells("What a service includes") == set(SERVICES)


def test_the_example_of_a_schedule_is_read():
    values = block("schedule")["methodologies"]["list-median-adjusted"]
    methodology = Methodology.read(values, "[methodologies.list-median-adjusted]")
    assert methodology.adjustments is not None
    assert methodology.adjustments.cap == DEFAULT_CAP
    (factor,) = methodology.adjustments.factors
    keys = set(values["adjustments"]["factors"][0])
    names = {"from": "from_value", "to": "to_value"}
    assert {names.get(key, key) for key in keys} == set(type(factor).model_fields)


def test_the_figures_of_the_page_are_those_in_force():
    for field in get_args(AdjustedField):
        assert field in PAGE
    assert f"coefficient of variation of {ADMINISTERED_VARIATION:.0%}".replace("%", " %") in PAGE
    assert FEWEST_DISTINCT_PAIRS == 3
    assert f"vary by {LEVEL_TO_RATIO * ADMINISTERED_VARIATION:.0%}".replace("%", " %") in PAGE
    assert all(f"-{months}m`" in PAGE for months in TERMS_MONTHS)
    shown = set(re.findall(r"`([a-z0-9-]+)`", PAGE.split("## Shipped grades")[1].split("\n## ")[0]))
    goods = {name.removesuffix("-on-demand") for name in shipped_grades() if name.endswith("-on-demand")}
    assert {word for word in shown if not word.startswith("-")} <= goods
