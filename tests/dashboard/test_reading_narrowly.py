"""On real, simulated and sample data a reader that keeps and skips answers what a command answers that reads it all."""

from __future__ import annotations

import json
from datetime import date

import pytest
from rentmark.cli import run
from rentmark.records import RentmarkError
from rentmark.store.recent import recent_of
from rentmark.workspace import (
    Workspace,
    change_story,
    curve,
    explain_fixing,
    explanation_row,
    fixing_rows,
    market,
    open_for_reading,
    panel_sellers,
)
from rentmark.workspace.market_board import SPARK_DAYS
from rentmark.workspace.showing import fixings_shown, recent_shown


@pytest.fixture(scope="module")
def sample_workspace(tmp_path_factory):
    """The invented samples, built."""
    folder = tmp_path_factory.mktemp("narrowly") / "w"
    assert run(["init", str(folder), "--sample"]) == 0
    assert run(["ingest", "tabular", str(folder / "offers.csv"), "-w", str(folder)]) == 0
    assert run(["index", "build", "--all", "-w", str(folder)]) == 0
    return folder


def answers(workspace, name: str, day: date) -> list[object]:
    """Everything that a page asks of one day, text for text."""
    told = explanation_row(explain_fixing(workspace, name, day))
    made = [change_story(workspace, name, day), panel_sellers(workspace, name, day), told]
    return [json.dumps(each, default=str) for each in made]


@pytest.mark.parametrize("which", ["real_workspace", "demo_workspace", "sample_workspace"])
def test_a_reader_that_keeps_answers_what_a_command_answers(which, request):
    root = request.getfixturevalue(which)
    whole, keeping = (
        Workspace.open(root, database_url=None), open_for_reading(root, database_url=None)
    )  # fmt: skip
    names = list(whole.configuration.benchmarks)
    ends = recent_shown(keeping, names, days=SPARK_DAYS)
    compared = 0
    for name in names:
        end = ends[name]
        if isinstance(end, RentmarkError):
            with pytest.raises(RentmarkError) as refused:
                fixings_shown(whole, name)
            assert refused.value.sentence == end.sentence
            continue
        rows = fixings_shown(whole, name)
        compared += 1
        assert end == recent_of(rows, days=SPARK_DAYS)
        assert (
            fixing_rows(keeping, name, days=31)
            == fixing_rows(whole, name)[-len(fixing_rows(keeping, name, days=31)) :]
        )
        gaps = [row.date for row in rows if row.status == "GAP"]
        for day in dict.fromkeys([rows[-1].date, rows[len(rows) // 2].date, *gaps[-1:]]):
            assert answers(keeping, name, day) == answers(whole, name, day)
    assert compared > 0
    told = [json.dumps(market(each) | {"as_of": None}) for each in (whole, keeping, keeping)]
    assert told[0] == told[1] == told[2]
    published = next((n for n in names if whole.store.tape(n)), None)
    if published is not None:
        for contract in ("cme-gpu1", "ice-hpr"):
            found = [curve(each, contract, published) | {"as_of": None} for each in (whole, keeping, keeping)]
            assert found[0] == found[1] == found[2]
    whole.store.close()
    keeping.store.close()
