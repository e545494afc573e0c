"""A schedule is read whole or refused in a sentence; a factor is exact, dated, and used where it applies."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades import AdjustmentSchedule, Grade, usable_adjustments
from rentmark.grades.adjustment import (
    ADJUSTED_RULES,
    LARGEST_TERM,
    FieldAdjustment,
    read_factor,
    restate_row,
)
from rentmark.grades.spec import RuleCode
from rentmark.records import UsageError, digest_of

WHERE = "[methodologies.m]"
FACTOR = """
field = "form_factor"
from = "PCIe"
to = "SXM"
factor = "1.18"
effective_from = 2026-01-01
"""
H100 = Grade(chip="H100", form_factor=("SXM",), countries=("US",), min_gpus=8, max_gpus=8)
SEEN = datetime(2026, 7, 8, 12, tzinfo=UTC)


def read(*changes: dict[str, Any], **keys: Any) -> AdjustmentSchedule:
    factors = [{**tomllib.loads(FACTOR), **change} for change in changes or ({},)]
    return AdjustmentSchedule.read({"factors": factors, **keys}, WHERE)


def sentence(*changes: dict[str, Any], **keys: Any) -> str:
    with pytest.raises(UsageError) as refused:
        read(*changes, **keys)
    return refused.value.sentence


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"factor": 1.18}, 'factors.0.factor = 1.18: write it as text, such as "1.18", so that it is exact.'),
        ({"factor": 2}, 'factors.0.factor = 2: write it as text, such as "2", so that it is exact.'),
        ({"factor": "0"}, "it must be above zero."),
        (
            {"factor": "-1"},
            "write a positive decimal with at most six places or a ratio, such as 1.18 or 59/50.",
        ),
        ({"factor": "1.1234567"}, "at most six places"),
        ({"factor": "nan"}, "write a positive decimal"),
        ({"factor": "1e3"}, "write a positive decimal"),
        ({"factor": "3/0"}, "write a positive decimal"),
        ({"factor": "3/00"}, "the ratio divides by zero."),
        ({"from": "SXM5"}, "a factor leads from SXM to itself; remove it."),
        ({"from": "unstated"}, "what an offer does not say is never adjusted; name a stated value."),
        ({"from": ""}, "what an offer does not say is never adjusted; name a stated value."),
        ({"from": "SXN"}, "'SXN' is not a form factor"),
        ({"from": 3}, "a form_factor is a word."),
        ({"field": "interconnect", "from": "PCIe", "to": "NVLink"}, "'PCIe' is not an interconnect"),
        (
            {"field": "country", "from": "Germany", "to": "US"},
            "a country is two capital letters (ISO 3166-1)",
        ),
        ({"field": "gpu_count", "from": "1", "to": 8}, "a gpu_count is a positive whole number."),
        ({"field": "gpu_count", "from": 0, "to": 8}, "a gpu_count is a positive whole number."),
        ({"field": "term_months", "from": True, "to": 12}, "a term_months is a positive whole number."),
        ({"field": "memory_gb", "from": 40, "to": 80}, "input should be 'form_factor', 'interconnect'"),
        ({"chip": "H1000"}, "no chip of the catalogue has this name."),
        (
            {"effective_through": "2025-12-31"},
            "effective_through = 2025-12-31 is before effective_from = 2026-01-01.",
        ),
        ({"colour": "red"}, "has an unknown key factors.0.colour"),
    ],
)
def test_a_mistake_is_one_sentence(change, said):
    assert sentence(change).startswith(WHERE)
    assert said in sentence(change)


@pytest.mark.parametrize("cap", ["0.99", 1.75, "0", "10.01"])
def test_a_cap_is_an_exact_factor_from_one_to_ten(cap):
    assert f"cap = {cap!r}" in sentence(cap=cap)


def test_a_schedule_needs_a_factor():
    with pytest.raises(UsageError, match=r"factors = \[\]"):
        AdjustmentSchedule.read({"factors": []}, WHERE)


def test_the_default_cap_is_stated():
    assert read().cap == "1.75"
    assert read().exact_cap == Fraction(7, 4)
    # a record holds it, so that a later default changes no published rule
    assert read().model_dump(mode="json", exclude_defaults=True)["cap"] == "1.75"


@pytest.mark.parametrize(
    ("text", "factor"),
    [("1.18", Fraction(59, 50)), ("59/50", Fraction(59, 50)), (".5", Fraction(1, 2)), ("1", Fraction(1))],
)
def test_factors_are_exact(text, factor):
    assert read_factor(text) == factor


def test_values_are_read_as_rows_are():
    (factor,) = read({"from": "pcie", "to": "sxm5", "chip": "h100"}).factors
    assert (factor.from_value, factor.to_value, factor.chip) == ("PCIe", "SXM", "H100")
    assert factor.words == "form_factor PCIe to SXM ×1.18"


def test_two_factors_for_one_step_at_one_time_are_refused_and_may_follow_each_other():
    both = ({"effective_through": "2026-06-30"}, {"effective_from": "2026-07-01", "factor": "1.2"})
    assert len(read(*both).factors) == 2
    overlapping = ({"effective_through": "2026-07-01"}, both[1])
    assert "two factors take form_factor PCIe to SXM at one time" in sentence(*overlapping)
    assert "two factors take form_factor PCIe to SXM at one time" in sentence({}, {"chip": "A100"})
    assert len(read({"chip": "H100"}, {"chip": "A100"}).factors) == 2


def test_a_schedule_reads_back_from_its_record_with_the_same_digest():
    schedule = read({}, {"field": "gpu_count", "from": 1, "to": 8, "effective_through": "2026-12-31"})
    record = schedule.model_dump(mode="json")
    for again in (AdjustmentSchedule.read(record, WHERE), AdjustmentSchedule.recorded(record, WHERE)):
        assert again == schedule
        assert digest_of(again.model_dump(mode="json")) == digest_of(record)
        assert again.factors[1].exact == schedule.factors[1].exact


def test_a_factor_is_used_where_the_grade_wants_what_it_leads_to_and_not_what_it_comes_from():
    country = {"field": "country", "from": "DE", "to": "US", "factor": "1.02"}

    def fields(grade: Grade, *changes: dict[str, Any]) -> list[str]:
        return [part.field for part in usable_adjustments(read(*changes), grade)]

    assert fields(H100, {}, country) == ["form_factor", "country"]
    assert fields(Grade(chip="H100", form_factor=("SXM", "PCIe")), {}, country) == []
    assert fields(Grade(chip="A100", form_factor=("SXM",)), {"chip": "H100"}) == []
    assert fields(Grade(chip="H100"), {}) == []
    assert fields(H100, {"field": "gpu_count", "from": 1, "to": 8}) == ["gpu_count"]
    assert fields(H100, {"field": "gpu_count", "from": 8, "to": 4}) == []


def test_two_ways_to_restate_one_offer_are_refused_where_the_grade_admits_both():
    schedule = read({}, {"to": "NVL", "factor": "1.1"})
    assert len(usable_adjustments(schedule, H100)) == 1
    with pytest.raises(UsageError, match="take form_factor PCIe both to SXM and to NVL"):
        usable_adjustments(schedule, Grade(chip="H100", form_factor=("SXM", "NVL")))


def test_too_many_digits_to_stay_exact_are_refused():
    steps = [
        {"field": "form_factor", "from": "PCIe", "to": "SXM"},
        {"field": "interconnect", "from": "Ethernet", "to": "NVLink"},
        {"field": "country", "from": "DE", "to": "US"},
        {"field": "gpu_count", "from": 1, "to": 8},
    ]
    grade = H100.model_copy(update={"interconnect": ("NVLink",)})
    usable_adjustments(read(*({**s, "factor": "1.0007"} for s in steps)), grade)
    with pytest.raises(UsageError, match="more digits than stay exact; write factors with three decimals"):
        usable_adjustments(read(*({**s, "factor": "1.000007"} for s in steps)), grade)


ROW: dict[str, Any] = {
    "form_factor": "SXM",
    "country": "US",
    "gpu_count": 8,
    "observed_at": SEEN,
}
SCHEDULE = read(
    {},
    {"field": "country", "from": "DE", "to": "US", "factor": "1.02"},
    {"field": "gpu_count", "from": 1, "to": 8, "factor": "1.5"},
    {"field": "gpu_count", "from": 2, "to": 8, "factor": "0.5"},
)


@pytest.mark.parametrize(
    ("change", "factor", "within"),
    [
        ({}, "1", True),
        ({"form_factor": "PCIe"}, "1.18", True),
        ({"form_factor": "PCIe", "country": "DE"}, "1.2036", True),
        ({"form_factor": "PCIe", "gpu_count": 1}, "1.77", False),
        ({"gpu_count": 2}, "0.5", False),
        ({"form_factor": None}, None, None),
        ({"form_factor": "NVL"}, None, None),
        ({"gpu_count": None}, None, None),
        ({"form_factor": "PCIe", "country": "FR"}, None, None),
        ({"form_factor": "PCIe", "observed_at": datetime(2025, 12, 31, 23, tzinfo=UTC)}, None, None),
    ],
)
def test_a_row_takes_each_step_it_needs_or_is_not_restated(change, factor, within):
    found = restate_row(SCHEDULE, usable_adjustments(SCHEDULE, H100), {**ROW, **change})
    if factor is None:
        assert found is None
    else:
        assert found is not None
        assert (found.factor, found.within_cap) == (Fraction(factor), within)


@given(st.permutations(SCHEDULE.factors))
def test_the_order_in_which_factors_are_written_changes_no_product(factors):
    schedule = SCHEDULE.model_copy(update={"factors": tuple(factors)})
    row = {**ROW, "form_factor": "PCIe", "country": "DE", "gpu_count": 2}
    found = restate_row(schedule, usable_adjustments(schedule, H100), row)
    assert found is not None
    assert found.factor == Fraction("1.18") * Fraction("1.02") * Fraction("0.5")


def test_every_adjusted_field_names_rules_of_a_grade():
    known = set(RuleCode.__args__)  # type: ignore[attr-defined]
    assert all(set(codes) <= known for codes in ADJUSTED_RULES.values())
    assert isinstance(usable_adjustments(read(), H100)[0], FieldAdjustment)
    assert LARGEST_TERM < 2**63
