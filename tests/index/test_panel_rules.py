"""Each rule that a row can fail, alone: the filter and the marking agree, and the code names the rule."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from rentmark.grades.spec import RuleCode
from rentmark.index import EXCLUSIONS

from .making import DAY, NOON, benchmark, hours, offer, trade, windows_for

RATED = {"rating": {"scheme": "clustermax", "at_least": "Silver"}}
"""No rating is known here, so every managed cluster is out."""

# (code, grade, rules of the methodology, change that breaks the rule); the row meets it without the change
ONE_RULE: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("chip", {}, {}, {"chip": "H200"}),
    ("form_factor", {"form_factor": ["SXM"]}, {}, {"form_factor": "PCIe"}),
    ("form_factor", {"form_factor": ["SXM"]}, {}, {"form_factor": None}),
    ("form_factor", {"form_factor": ["SXM", "unstated"]}, {}, {"form_factor": "NVL"}),
    ("form_factor", {"form_factor": ["SXM", "unstated_if_silent"]}, {}, {"form_factor": "NVL"}),
    ("memory_gb", {"memory_gb": [80]}, {}, {"memory_gb": 94}),
    ("memory_gb", {"memory_gb": [80]}, {}, {"memory_gb": None}),
    ("interconnect", {"interconnect": ["NVLink", "InfiniBand"]}, {}, {"interconnect": "Ethernet"}),
    ("interconnect", {"interconnect": ["NVLink", "InfiniBand"]}, {}, {"interconnect": None}),
    ("interconnect", {"interconnect": ["InfiniBand", "unstated"]}, {}, {"interconnect": "NVLink"}),
    ("pricing", {"pricing": "on_demand"}, {}, {"pricing": "spot"}),
    ("price_basis", {"price_basis": "instance"}, {}, {"price_basis": "gpu_only"}),
    ("source", {"sources": ["invented"]}, {}, {"source": "second"}),
    ("sku", {"skus": ["k1"]}, {}, {"sku": "k2"}),
    ("sku", {"skus": ["k1"]}, {}, {"sku": None}),
    ("term_months", {"term_months": [1, 12]}, {}, {"term_months": 36}),
    ("term_months", {"term_months": [1, 12]}, {}, {"term_months": None}),
    ("service", {"services": ["vm"]}, {}, {"service": "unstated"}),
    ("tenancy", {"tenancy": ["single"]}, {}, {"tenancy": "shared"}),
    ("tenancy", {"tenancy": ["single"]}, {}, {"tenancy": None}),
    ("tenancy", {"tenancy": ["single", "unstated"]}, {}, {"tenancy": "shared"}),
    ("country", {"countries": ["US"]}, {}, {"country": "DE"}),
    ("country", {"countries": ["US"]}, {}, {"country": None}),
    ("region", {"regions": ["us-1"]}, {}, {"region": "eu-1"}),
    ("region", {"regions": ["us-1"]}, {}, {"region": None}),
    ("exclude_region", {"exclude_regions": ["eu-1"]}, {}, {"region": "eu-1"}),
    ("seller", {"sellers": ["alpha"]}, {}, {"seller": "beta"}),
    ("exclude_seller", {"exclude_sellers": ["beta"]}, {}, {"seller": "beta"}),
    ("min_gpus", {"min_gpus": 1}, {}, {"gpu_count": None}),
    ("min_gpus", {"min_gpus": 2}, {}, {"gpu_count": 1}),
    ("max_gpus", {"max_gpus": 8}, {}, {"gpu_count": 16}),
    ("max_gpus", {"max_gpus": 8}, {}, {"gpu_count": None}),
    ("minimum_gpus_at_least", {"minimum_gpus_at_least": 16}, {}, {"minimum_gpus": 8}),
    ("minimum_gpus_at_least", {"minimum_gpus_at_least": 16}, {}, {"minimum_gpus": None}),
    ("minimum_gpus_at_most", {"minimum_gpus_at_most": 16}, {}, {"minimum_gpus": 64}),
    ("minimum_gpus_at_most", {"minimum_gpus_at_most": 16}, {}, {"minimum_gpus": None}),
    ("rating", RATED, {}, {"service": "managed_cluster"}),
    ("input_tier", {}, {}, {"tier": "executable"}),
    ("input_tier", {}, {"inputs": ["executable", "listed"]}, {"tier": "trade", "kind": "trade"}),
    ("rights_forbidden", {}, {}, {"rights": "forbidden"}),
    ("carried_by_source", {}, {}, {"carried_by_source": True}),
    ("suspect", {}, {"suspect": "exclude"}, {"suspect": "price_outside_band"}),
    (
        "trade_cancelled",
        {},
        {"inputs": ["trade", "listed"]},
        {"kind": "trade", "tier": "trade", "trade_status": "cancelled"},
    ),
]
MEETING = {
    "sku": "k1",
    "term_months": 12,
    "country": "US",
    "region": "us-1",
    "gpu_count": 8,
    "minimum_gpus": 16,
    "interconnect": "InfiniBand",
    "tenancy": "single",
}


@pytest.mark.parametrize(
    ("code", "grade", "rules", "change"),
    ONE_RULE,
    ids=[f"{c} {next(iter(x.values()))}" for c, _, _, x in ONE_RULE],
)
def test_a_row_that_breaks_one_rule_is_out_and_named_by_it(world, code, grade, rules, change):
    met = {**MEETING, **({"gpu_count": 2} if code == "min_gpus" else {})}
    rows = [offer(machine="m1", **met), offer(machine="m2", **{**met, **change})]
    assert world(rows).refusals(benchmark(grade, **rules)) == [None, code]


def test_every_rule_of_a_grade_is_tried_alone():
    tried = {code for code, *_ in ONE_RULE} | {"seller_states_form_factor"}
    assert set(get_args(RuleCode)) <= tried


def test_every_rule_of_a_grade_has_words_for_an_explanation():
    assert set(get_args(RuleCode)) <= set(EXCLUSIONS)
    assert all(EXCLUSIONS.values())


@pytest.mark.parametrize(
    ("grade", "rules", "row"),
    [
        ({"exclude_regions": ["eu-1"]}, {}, {"region": None}),
        ({"form_factor": ["SXM", "unstated"]}, {}, {"form_factor": None}),
        ({"form_factor": ["unstated"]}, {}, {"form_factor": None}),
        ({"form_factor": ["unstated_if_silent"]}, {}, {"form_factor": None}),
        ({"min_gpus": 8, "max_gpus": 8}, {}, {"gpu_count": 8}),
        ({"interconnect": ["RoCE", "unstated"]}, {}, {"interconnect": None}),
        ({"tenancy": ["unstated"]}, {}, {"tenancy": None}),
        ({"minimum_gpus_at_least": 8, "minimum_gpus_at_most": 8}, {}, {"minimum_gpus": 8}),
        (RATED, {}, {"service": "bare_metal"}),
        (RATED, {}, {"service": "unstated"}),
        ({"skus": ["k1", "k2"]}, {}, {"sku": "k2"}),
        ({}, {}, {"rights": "unknown"}),
        ({}, {}, {"suspect": "price_outside_band"}),
        ({}, {"include_carried": True}, {"carried_by_source": True}),
        ({}, {}, {"chip": "H100", "memory_gb": None, "form_factor": None, "gpu_count": None}),
    ],
)
def test_a_row_that_meets_the_rules_is_in(world, grade, rules, row):
    assert world([offer(**row)]).refusals(benchmark(grade, **rules)) == [None]


def test_an_omitted_key_filters_nothing(world):
    rows = [
        offer(
            form_factor=form,
            memory_gb=memory,
            pricing=pricing,
            service=service,
            sku=f"{form}-{memory}-{pricing}",
        )
        for form in ("SXM", "PCIe", None)
        for memory in (80, 94, None)
        for pricing, service in (("on_demand", "vm"), ("spot", "container"), ("reserved", "unstated"))
    ]
    assert set(world(rows).refusals(benchmark())) == {None}


def test_unstated_if_silent_admits_only_sellers_that_say_nothing_of_that_chip_in_the_window(world):
    rows = [
        offer(seller="silent", sku="s1", form_factor=None),
        offer(seller="stating", sku="s1", form_factor=None),
        offer(seller="stating", sku="s2", form_factor="PCIe", machine="m1"),
        offer(seller="other-chip", sku="s1", form_factor=None),
        offer(seller="other-chip", sku="s2", form_factor="SXM", chip="H200"),
        offer(seller="stating", sku="s3", form_factor="SXM"),
    ]
    made = benchmark({"form_factor": ["SXM", "unstated_if_silent"]})
    assert world(rows).refusals(made) == [
        None,
        "seller_states_form_factor",
        "form_factor",
        None,
        "chip",
        None,
    ]


def test_silence_is_judged_by_what_was_known_in_the_window(world):
    rows = [
        offer(form_factor=None, sku="s1", recorded_at=NOON + hours(1)),
        offer(form_factor="SXM", sku="s2", recorded_at=NOON + hours(48)),
        offer(form_factor="SXM", sku="s2", observed_at=NOON - hours(24)),
    ]
    made = benchmark({"form_factor": ["SXM", "unstated_if_silent"]})
    archive = world(rows)
    before = archive.marked(made, windows_for(made, seen_until=NOON + hours(24)))
    after = archive.marked(made, windows_for(made))
    silent, stating, _ = (row["observation_id"] for row in rows)
    assert before == {(DAY, silent): None}
    assert after == {(DAY, silent): "seller_states_form_factor", (DAY, stating): None}


def test_the_first_rule_asked_names_a_row_that_breaks_several(world):
    rows = [
        offer(chip="H200", memory_gb=94, rights="forbidden"),
        offer(memory_gb=94, rights="forbidden", carried_by_source=True),
        offer(rights="forbidden", carried_by_source=True, suspect="price_outside_band"),
        offer(carried_by_source=True, suspect="price_outside_band", sku="k1"),
    ]
    assert world(rows).refusals(benchmark({"memory_gb": [80]}, suspect="exclude")) == [
        "chip",
        "memory_gb",
        "rights_forbidden",
        "carried_by_source",
    ]


def test_a_source_that_forbids_index_use_is_out_even_where_it_is_the_only_one(world):
    fixing = world([offer(rights="forbidden"), offer(rights="forbidden", seller="beta")]).fixing(benchmark())
    assert (fixing.status, fixing.rule, fixing.n_sellers) == ("GAP", "no_match", 0)


def test_a_trade_does_not_count_where_the_methodology_reads_offers_only(world):
    assert world([offer(), trade(seller="beta")]).refusals(benchmark()) == [None, "input_tier"]
