"""What docs/operators.md shows is what is read: every example on the page goes through its reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rentmark.grades.operators import (
    CLUSTERMAX,
    MLPERF,
    curve_of,
    full_cost,
    moves,
    read_cost_file,
    read_producers_file,
    read_ratings_file,
    read_requests_file,
)
from rentmark.grades.operators.cost_account import LINES, SINGLES, SPENDING_KINDS
from rentmark.grades.operators.cost_curve_file import KNOWN as PRODUCER_COLUMNS
from rentmark.grades.operators.ratings_file import KNOWN as RATING_COLUMNS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "operators.md").read_text(encoding="utf-8")


def example(kind: str) -> str:
    """The fenced block of the page with this label."""
    found = re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, kind
    return found[1]


def test_the_ratings_example_is_read():
    ratings = read_ratings_file(example("csv ratings").encode(), "ratings.csv", CLUSTERMAX)
    assert [(r.operator, r.tier, r.is_missing) for r in ratings] == [
        ("Amber", "Gold", False),
        ("Basalt", "Unavailable", True),
    ]
    assert all(f"`{column}`" in PAGE for column in RATING_COLUMNS)


def test_the_account_example_is_read_worked_out_and_shows_every_key():
    text = example("toml account")
    result = full_cost(read_cost_file(text.encode(), "account.toml"))
    assert result.windows[1].breached_by == "another tenant's logs were readable"
    assert result.accepted_tasks == 855_000
    assert result.upgrades[0].paid is False, "the breach fell into the hours after the upgrade"
    for table, model in {**SINGLES, **LINES}.items():
        keys = [field.alias or name for name, field in model.model_fields.items()]
        shown = text if table != "slo" else example("toml slo") + PAGE
        assert [key for key in keys if not re.search(rf"\b{key}\b", shown)] == [], table
    assert all(kind in text for kind in SPENDING_KINDS)


def test_the_requests_example_is_judged_by_the_slo_example():
    account = "[account]\nfrom = 2026-07-01\nto = 2026-07-31\n[[spending]]\nkind = 'other'\nusd = 10\n"
    file = read_cost_file((account + example("toml slo")).encode(), "account.toml")
    result = full_cost(file, read_requests_file(example("csv requests").encode(), "requests.csv"))
    assert (result.goodput.requests, result.goodput.accepted, result.goodput.missed_bounds) == (2, 1, 1)


def test_the_shipped_bounds_are_on_the_page():
    for name, level in MLPERF.items():
        ending = name if name.endswith("server") else "-interactive"
        assert f"`{ending}` {level.ttft_ms:g}/{level.tpot_ms:g}" in PAGE


def test_the_producers_example_is_the_one_that_improves_and_loses_its_place():
    producers = read_producers_file(example("csv producers").encode(), "producers.csv")
    days = sorted({p.date for p in producers})
    found = {m.name: m for m in moves(*(curve_of(producers, day, "full") for day in days))}
    assert (found["amber"].improved, found["amber"].lost_place) == (True, True)
    assert [column for column in PRODUCER_COLUMNS if not re.search(rf"\b{column}\b", PAGE)] == []


@pytest.mark.parametrize("flag", ["clamped_low", "unreachable", "too_few_rows"])
def test_every_flag_is_explained(flag):
    assert f"| `{flag}` |" in PAGE
