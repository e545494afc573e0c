"""Shipped grades: each asks what its name says and leaves no difference the catalogue knows unasked."""

from __future__ import annotations

import re

import pytest
from rentmark.grades import CATALOGUE, Grade, first_refusal, shipped_grades
from rentmark.grades.shipped import TERMS_MONTHS
from rentmark.records import UsageError
from rentmark.workspace.config import resolve

NAME = re.compile(r"(?P<good>[a-z0-9-]+?)-(?P<sale>on-demand|spot|reserved-(?P<months>\d+)m)")
ROW = {
    "chip": "H100",
    "form_factor": "SXM",
    "memory_gb": 80,
    "pricing": "on_demand",
    "price_basis": "instance",
    "term_months": None,
}
METHODOLOGY = {"m": {"version": "1.0.0", "inputs": ["listed"]}}


def test_a_name_says_what_is_asked():
    for name, grade in shipped_grades().items():
        match = NAME.fullmatch(name)
        assert match is not None, name
        words = set(match["good"].split("-"))
        assert set(grade.chip.lower().split()) <= words, name
        assert {form.lower() for form in grade.form_factor or ()} <= words, name
        if match["months"] is None:
            assert (grade.pricing, grade.term_months) == (match["sale"].replace("-", "_"), None), name
        else:
            assert (grade.pricing, grade.term_months) == ("reserved", (int(match["months"]),)), name
        assert grade.price_basis == "instance", name


def test_no_difference_that_the_catalogue_knows_is_left_unasked():
    for name, grade in shipped_grades().items():
        entry = CATALOGUE[grade.chip]
        assert grade.form_factor is not None or len(entry.form_factors) <= 1, name
        assert grade.memory_gb is not None or len(entry.memory_gb) <= 1, name
        assert set(grade.form_factor or ()) <= set(entry.form_factors), name
        assert set(grade.memory_gb or ()) <= set(entry.memory_gb), name


def test_every_good_is_sold_on_demand_at_spot_and_by_term():
    goods = {NAME.fullmatch(name)["good"] for name in shipped_grades()}
    sales = ("on-demand", "spot", *(f"reserved-{months}m" for months in TERMS_MONTHS))
    assert set(shipped_grades()) == {f"{good}-{sale}" for good in goods for sale in sales}
    assert {"h100-sxm", "b200", "h200-sxm", "a100-sxm-80gb"} <= goods


def test_no_two_shipped_grades_are_the_same_good():
    assert len(set(shipped_grades().values())) == len(shipped_grades())


@pytest.mark.parametrize(
    ("change", "refused_by"),
    [
        ({}, None),
        ({"form_factor": "PCIe"}, "form_factor"),
        ({"form_factor": None}, "form_factor"),
        ({"memory_gb": 94}, "memory_gb"),
        ({"pricing": "spot"}, "pricing"),
        ({"price_basis": "gpu_only"}, "price_basis"),
        ({"chip": "H200"}, "chip"),
    ],
)
def test_the_h100_on_demand_takes_the_board_futures_reference_and_nothing_near_it(change, refused_by):
    refused = first_refusal(shipped_grades()["h100-sxm-on-demand"], {**ROW, **change})
    assert (None if refused is None else refused.code) == refused_by


def test_a_b200_counts_though_nobody_writes_its_one_board():
    grade = shipped_grades()["b200-on-demand"]
    assert first_refusal(grade, {**ROW, "chip": "B200", "form_factor": None, "memory_gb": None}) is None


def test_a_benchmark_may_name_a_shipped_grade_without_writing_it_out():
    document = {
        "methodologies": METHODOLOGY,
        "benchmarks": {"b": {"grade": "h100-sxm-on-demand", "methodology": "m"}},
    }
    made = resolve(document).benchmark("b")
    assert made.grade == shipped_grades()["h100-sxm-on-demand"]
    assert made.resolved()["grade"]["form_factor"] == ["SXM"]


def test_a_table_of_the_workspace_wins_over_a_shipped_grade():
    own = {
        "chip": "H100",
        "form_factor": ["SXM"],
        "memory_gb": [80],
        "pricing": "on_demand",
        "countries": ["US"],
    }
    document = {
        "grades": {"h100-sxm-on-demand": own},
        "methodologies": METHODOLOGY,
        "benchmarks": {"b": {"grade": "h100-sxm-on-demand", "methodology": "m"}},
    }
    assert resolve(document).benchmark("b").grade == Grade.read(own, "own")


def test_a_grade_that_is_neither_is_refused_with_the_nearest():
    document = {
        "methodologies": METHODOLOGY,
        "benchmarks": {"b": {"grade": "h100-sxm-ondemand", "methodology": "m"}},
    }
    with pytest.raises(UsageError) as refused:
        resolve(document)
    assert refused.value.sentence == (
        "[benchmarks.b] names grade 'h100-sxm-ondemand'; add [grades.h100-sxm-ondemand] or did you mean "
        "h100-sxm-on-demand?"
    )


def test_a_schedule_that_restates_one_offer_two_ways_is_refused_when_rules_are_read():
    factors = [
        {"field": "form_factor", "from": "PCIe", "to": to, "factor": "1.1", "effective_from": "2026-01-01"}
        for to in ("SXM", "NVL")
    ]
    document = {
        "grades": {"g": {"chip": "H100", "form_factor": ["SXM", "NVL"]}},
        "methodologies": {"m": {**METHODOLOGY["m"], "adjustments": {"factors": factors}}},
        "benchmarks": {"b": {"grade": "g", "methodology": "m"}},
    }
    with pytest.raises(UsageError) as refused:
        resolve(document)
    assert refused.value.sentence == (
        "[benchmarks.b] on [methodologies.m]: adjustments take form_factor PCIe both to SXM and to NVL, and the "
        "grade admits both; keep one."
    )
