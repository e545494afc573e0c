"""A grade's rules over a table: each answers yes or no for every row, and unknown is no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.grades import Grade, RuleCode, first_refusal, grade_rules, rules_of
from rentmark.grades.rules import RATING_ADMITS, SELLER_STATES_FORM_FACTOR
from rentmark.records.observation import Service
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
                "interconnect",
                "tenancy",
            )
        ),
        *(pa.field(name, pa.int32()) for name in ("memory_gb", "term_months", "gpu_count", "minimum_gpus")),
        pa.field(SELLER_STATES_FORM_FACTOR, pa.bool_()),
        pa.field(RATING_ADMITS, pa.bool_()),
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
    "interconnect": ("NVLink", "InfiniBand"),
    "tenancy": ("single",),
    "minimum_gpus_at_least": 8,
    "minimum_gpus_at_most": 64,
    "rating": {"scheme": "clustermax", "at_least": "Silver"},
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
    "interconnect": "NVLink",
    "tenancy": "single",
    "minimum_gpus": 16,
    SELLER_STATES_FORM_FACTOR: False,
    RATING_ADMITS: False,
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
    # the list of codes is in the order asked: excluding after naming, sizes after it, the operator last
    assert asked == list(get_args(RuleCode))
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
        ("interconnect", {"interconnect": "Ethernet"}),
        ("interconnect", {"interconnect": None}),
        ("tenancy", {"tenancy": "shared"}),
        ("tenancy", {"tenancy": None}),
        ("minimum_gpus_at_least", {"minimum_gpus": 1}),
        ("minimum_gpus_at_most", {"minimum_gpus": 128}),
    ],
)
def test_a_row_that_breaks_one_rule_fails_that_one_alone(engine, code, change):
    assert failed(engine, Grade(**FULL), [change]) == [[code]]


def test_a_row_that_does_not_say_its_size_meets_neither_bound(engine):
    assert failed(engine, Grade(**FULL), [{"gpu_count": None}]) == [["min_gpus", "max_gpus"]]
    least = failed(engine, Grade(**FULL), [{"minimum_gpus": None}])
    assert least == [["minimum_gpus_at_least", "minimum_gpus_at_most"]]


@pytest.mark.parametrize("service", get_args(Service))
@pytest.mark.parametrize("admits", [True, False, None])
def test_a_rating_is_asked_of_managed_clusters_alone(engine, service, admits):
    grade = Grade(chip="H100", rating=FULL["rating"])
    refused = service == "managed_cluster" and not admits
    said = failed(engine, grade, [{"service": service, RATING_ADMITS: admits}])
    assert said == [["rating"] if refused else []]


@pytest.mark.parametrize(
    ("key", "column", "word"), [("interconnect", "interconnect", "RoCE"), ("tenancy", "tenancy", "shared")]
)
def test_unstated_admits_rows_that_do_not_say_and_only_those(engine, key, column, word):
    grade = Grade(chip="H100", **{key: ("unstated",)})
    assert failed(engine, grade, [{column: None}, {column: word}]) == [[], [key]]


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
    "interconnect": st.sampled_from([None, "NVLink", "Ethernet"]),
    "tenancy": st.sampled_from([None, "single", "shared"]),
    "minimum_gpus": st.sampled_from([None, 1, 16, 128]),
    "service": st.sampled_from(["managed_cluster", "vm", "unstated"]),
    SELLER_STATES_FORM_FACTOR: st.sampled_from([True, False, None]),
    RATING_ADMITS: st.sampled_from([True, False, None]),
}
optional_keys = st.sets(st.sampled_from(sorted(set(FULL) - {"chip"})))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(optional_keys, st.lists(st.fixed_dictionaries(anything), min_size=1, max_size=8))
def test_a_rule_never_answers_unknown(engine, keys, rows):
    grade = Grade(chip="H100", **{key: FULL[key] for key in keys})
    for row in answers(engine, grade, rows):
        assert set(row.values()) <= {True, False}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(optional_keys, st.lists(st.fixed_dictionaries(anything), min_size=1, max_size=8))
def test_a_rule_says_the_same_of_a_row_as_of_a_table(engine, keys, rows):
    grade = Grade(chip="H100", **{key: FULL[key] for key in keys})
    rules = rules_of(grade)
    said = answers(engine, grade, rows)
    for row, answer in zip(rows, said, strict=True):
        assert {rule.code: rule.met_by({**MET, **row}) for rule in rules} == answer
        refused = first_refusal(grade, {**MET, **row})
        assert (None if refused is None else refused.code) == next(
            (code for code, met in answer.items() if not met), None
        )


def test_every_rule_says_what_it_wants_in_words():
    wants = {rule.code: rule.wants for rule in rules_of(Grade(**FULL))}
    assert wants["chip"] == "H100"
    assert wants["form_factor"] == "one of SXM, unstated"
    assert wants["region"] == "one of us-1, us-2"
    assert wants["exclude_seller"] == "none of beta"
    assert wants["min_gpus"] == "at least 2"
    assert wants["minimum_gpus_at_most"] == "at most 64"
    assert wants["rating"] == "clustermax Silver or better"
    assert all(wants.values())
