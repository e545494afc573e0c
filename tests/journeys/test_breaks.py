"""A rent that breaks, through the command line: when, why, and what each cause rests on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.journeys.breaks_made import BREAK, FIRST, make_market
from tests.journeys.typed import ask, type_words

DAY = str(FIRST + timedelta(days=BREAK))


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """A workspace that holds the invented market, published, with the rents beside it."""
    base = tmp_path_factory.mktemp("breaks")
    make_market(base)
    folder = base / "w"
    ask("init", folder)
    ask("ingest", "tabular", base / "market.csv", "--workspace", folder)
    for benchmark in ("h100-list", "h100-sxm-list"):
        ask("index", "build", benchmark, "--publish", "--workspace", folder)
    return base


def hedge(market, *words, rent="broken.csv"):
    return ask("hedge", market / rent, "--benchmark", "h100-list", *words, "--workspace", market / "w")


def test_the_step_is_dated_and_is_the_rents_own(market):
    row = hedge(market, "--provider", "amber", "--second-source", "h100-sxm-list")
    wide = row["breaks"]["mean_shifts"][0]
    assert wide["by_bic"] == wide["by_lwz"] == [DAY]
    (case,) = row["breaks"]["cases"]
    assert (case["date"], case["own_move"] > 0.1) == (DAY, True)
    found = {each["cause"]: each for each in case["findings"]}
    # The panel moves by cents on that day; which way, the invented market decides.
    same_way = case["own_move"] * case["reference_move"] > 0
    assert found["own rent"]["standing"] == ("no" if same_way else "holds")
    assert "the panel without amber" in found["own rent"]["evidence"]
    assert "votes of both days (5)" in found["methodology"]["evidence"]
    assert "h100-sxm-list" in found["market"]["evidence"]
    assert found["market"]["standing"] == "holds"


def test_people_are_told_the_break_and_each_cause(market):
    said = type_words(
        "hedge", market / "broken.csv", "--benchmark", "h100-list", "--workspace", market / "w"
    ).out
    assert f"break of the gap on {DAY}: " in said
    assert "market: undetermined; there is no second source" in said
    assert "of which premium " in said


def test_a_known_date_is_tested(market):
    row = hedge(market, "--break-date", DAY)
    chow = [each for each in row["breaks"]["tests"]["observation"] if each["test"] == "chow"]
    assert [each["dates"] for each in chow] == [[DAY]]
    # A step of the gap is one odd change; the ratio on both sides of it is the same.
    assert chow[0]["rejects"] is False
    assert 0.05 < chow[0]["p_value"] < 1
    assert "from the given date on" in chow[0]["null"]


def test_a_steady_gap_has_nothing_to_explain(market):
    row = hedge(market, rent="steady.csv")
    assert row["breaks"]["cases"] == []
    assert row["breaks"]["mean_shifts"][0]["reason"] == "the gap did not move"
    assert row["basis_shape"]["price"]["moving_sd"] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--break-date", "last week"), 2, "--break-date last week is not a date; write 2026-01-22."),
        (("--second-source", "lost"), 1, "'lost'"),
    ],
)
def test_evidence_that_is_not_there_is_one_sentence(market, words, code, said):
    answer = type_words(
        "hedge", market / "broken.csv", "--benchmark", "h100-list", *words, "--workspace", market / "w"
    )
    assert answer.code == code
    assert said in answer.err
    assert answer.err.count("\n") == 1
