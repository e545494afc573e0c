"""A grade's rules over a table: each answers yes or no for every row, and unknown is no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.grades import Grade, RuleCode, grade_rules
from rentmark.grades.rules import SELLER_STATES_FORM_FACTOR
from rentmark.store.engines.duckdb import DuckDBEngine

COLUMNS = pa.schema(
    [
        pa.field("row", pa.int64()),
        *(
            pa.field(name, pa.string())
            for name in (
                "chip",
                "form_factor",
                "pricing",
                "price_basis",
                "source",
                "sku",
                "service",
                "country",
                "region",
                "seller",
            )
        ),
        *(pa.field(name, pa.int32()) for name in ("memory_gb", "term_months", "gpu_count")),
        pa.field(SELLER_STATES_FORM_FACTOR, pa.bool_()),
    ]
)
FULL: dict[str, Any] = {
    "chip": "H100",
    "form_factor": ("SXM", "unstated_if_silent"),
    "memory_gb": (80,),
    "pricing": "on_demand",
    "price_basis": "instance",
    "sources": ("invented",),
    "skus": ("k1",),
    "term_months": (12,),
    "services": ("vm",),
    "countries": ("US",),
    "regions": ("us-1", "us-2"),
    "exclude_regions": ("us-2",),
    "sellers": ("alpha", "beta"),
    "exclude_sellers": ("beta",),
    "min_gpus": 2,
    "max_gpus": 8,
}
MET: dict[str, Any] = {
    "chip": "H100",
    "form_factor": "SXM",
    "memory_gb": 80,
    "pricing": "on_demand",
    "price_basis": "instance",
    "source": "invented",
    "sku": "k1",
    "term_months": 12,
    "service": "vm",
    "country": "US",
    "region": "us-1",
    "seller": "alpha",
    "gpu_count": 4,
    SELLER_STATES_FORM_FACTOR: False,
}


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


def answers(engine: DuckDBEngine, grade: Grade, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each rule says of each row, in the order of the rows."""
    numbered = [{**MET, **row, "row": number} for number, row in enumerate(rows)]
    table = engine.memory(pa.Table.from_pylist(numbered, schema=COLUMNS), "rows")
    said = table.select("row", **dict(grade_rules(grade, table)))
    found: list[dict[str, Any]] = engine.to_arrow(said).sort_by("row").drop(["row"]).to_pylist()
    return found


def failed(engine: DuckDBEngine, grade: Grade, rows: list[dict[str, Any]]) -> list[list[str]]:
    return [[code for code, met in row.items() if not met] for row in answers(engine, grade, rows)]


def test_a_full_grade_asks_every_rule_once_in_the_stated_order(engine):
    (row,) = answers(engine, Grade(**FULL), [{}])
    asked = list(row)
    assert sorted(asked) == sorted(get_args(RuleCode))
    # excluding comes after naming, and sizes come last
    assert asked[:3] == ["chip", "form_factor", "seller_states_form_factor"]
    assert asked[-4:] == ["exclude_region", "exclude_seller", "min_gpus", "max_gpus"]
    assert all(row.values())


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("chip", {"chip": "H200"}),
        ("form_factor", {"form_factor": "PCIe"}),
        ("seller_states_form_factor", {"form_factor": None, SELLER_STATES_FORM_FACTOR: True}),
        ("memory_gb", {"memory_gb": 94}),
        ("memory_gb", {"memory_gb": None}),
        ("pricing", {"pricing": "spot"}),
        ("price_basis", {"price_basis": "gpu_only"}),
        ("source", {"source": "second"}),
        ("sku", {"sku": "k2"}),
        ("sku", {"sku": None}),
        ("term_months", {"term_months": 1}),
        ("term_months", {"term_months": None}),
        ("service", {"service": "container"}),
        ("country", {"country": "DE"}),
        ("country", {"country": None}),
        ("region", {"region": "eu-1"}),
        ("region", {"region": None}),
        ("exclude_region", {"region": "us-2"}),
        ("seller", {"seller": "gamma"}),
        ("exclude_seller", {"seller": "beta"}),
        ("min_gpus", {"gpu_count": 1}),
        ("max_gpus", {"gpu_count": 9}),
    ],
)
def test_a_row_that_breaks_one_rule_fails_that_one_alone(engine, code, change):
    assert failed(engine, Grade(**FULL), [change]) == [[code]]


def test_a_row_that_does_not_say_its_size_meets_neither_bound(engine):
    assert failed(engine, Grade(**FULL), [{"gpu_count": None}]) == [["min_gpus", "max_gpus"]]


def test_a_silent_row_of_a_silent_seller_meets_a_full_grade(engine):
    assert failed(engine, Grade(**FULL), [{"form_factor": None}]) == [[]]


@pytest.mark.parametrize(
    ("words", "sxm", "pcie", "silent", "silent_of_stating"),
    [
        (("SXM",), True, False, False, False),
        (("SXM", "PCIe"), True, True, False, False),
        (("unstated",), False, False, True, True),
        (("SXM", "unstated"), True, False, True, True),
        (("unstated_if_silent",), False, False, True, False),
        (("SXM", "unstated_if_silent"), True, False, True, False),
        # the wider word wins
        (("SXM", "unstated", "unstated_if_silent"), True, False, True, True),
    ],
)
def test_the_words_about_silence_admit_what_they_say(engine, words, sxm, pcie, silent, silent_of_stating):
    rows: list[dict[str, Any]] = [
        {"form_factor": "SXM", SELLER_STATES_FORM_FACTOR: True},
        {"form_factor": "PCIe", SELLER_STATES_FORM_FACTOR: True},
        {"form_factor": None, SELLER_STATES_FORM_FACTOR: False},
        {"form_factor": None, SELLER_STATES_FORM_FACTOR: True},
    ]
    said = failed(engine, Grade(chip="H100", form_factor=words), rows)
    assert [not codes for codes in said] == [sxm, pcie, silent, silent_of_stating]


def test_an_omitted_key_asks_nothing(engine):
    (row,) = answers(engine, Grade(chip="H100"), [{}])
    assert list(row) == ["chip"]


anything = {
    "chip": st.sampled_from(["H100", "H200"]),
    "form_factor": st.sampled_from([None, "SXM", "PCIe"]),
    "memory_gb": st.sampled_from([None, 80, 94]),
    "sku": st.sampled_from([None, "k1"]),
    "country": st.sampled_from([None, "US"]),
    "region": st.sampled_from([None, "us-1", "us-2"]),
    "seller": st.sampled_from(["alpha", "beta"]),
    "term_months": st.sampled_from([None, 1, 12]),
    "gpu_count": st.sampled_from([None, 1, 4, 16]),
    SELLER_STATES_FORM_FACTOR: st.booleans(),
}
optional_keys = st.sets(st.sampled_from(sorted(set(FULL) - {"chip"})))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(optional_keys, st.lists(st.fixed_dictionaries(anything), min_size=1, max_size=8))
def test_a_rule_never_answers_unknown(engine, keys, rows):
    grade = Grade(chip="H100", **{key: FULL[key] for key in keys})
    for row in answers(engine, grade, rows):
        assert set(row.values()) <= {True, False}
