"""Why a gap stepped: the rules of the definitions, case by case, with what each says it rests on."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from rentmark.backtest.causes import PanelMove, SecondSource, cases_of
from rentmark.backtest.series import CommonDate
from rentmark.records import Refusal

DAY = date(2026, 1, 22)
BEFORE = DAY - timedelta(days=7)


def case(own, reference, **evidence):
    """One step from rent and reference 1.000000; moves in percent."""
    common = [
        CommonDate(BEFORE, 1_000_000, 1_000_000),
        CommonDate(DAY, 1_000_000 + own * 10_000, 1_000_000 + reference * 10_000),
    ]
    return cases_of(common, [DAY], **evidence)[0]


def panel(**moves):
    return lambda _before, _after: PanelMove(matched_votes=5, **moves)


def standing(found):
    return {each.cause: each.standing for each in found.findings}


def second(percent):
    return SecondSource("other-list", {BEFORE: 2_000_000, DAY: 2_000_000 + percent * 20_000})


def test_the_rent_steps_up_while_the_panel_falls():
    found = case(15, -8, panel=panel(matched=-0.08))
    assert found.causes == ("own rent",)
    assert standing(found) == {"methodology": "no", "own rent": "holds", "market": "undetermined"}
    assert [each.evidence for each in found.findings] == [
        "no dated change; the votes of both days (5) moved −8.0 %, the reference −8.0 %",
        "the rent moved +15.0 %, the reference −8.0 %",
        "there is no second source",
    ]


def test_a_dated_change_of_rules_in_the_step_is_methodology():
    found = case(0, 10, methodology_changes=[(DAY, "list-median 2.0.0")], panel=panel(matched=0.1))
    assert found.causes == ("methodology",)
    for outside in (BEFORE, DAY + timedelta(days=1)):
        moved = case(0, 10, methodology_changes=[(outside, "list-median 2.0.0")], panel=panel(matched=0.1))
        assert standing(moved)["methodology"] == "no"


@pytest.mark.parametrize(
    ("matched", "holds"), [(0.0, True), (0.049, True), (0.05, False), (0.1, False), (-0.1, True)]
)
def test_matched_votes_that_moved_under_half_as_far_are_methodology(matched, holds):
    found = case(0, 10, panel=panel(matched=matched))
    assert standing(found)["methodology"] == ("holds" if holds else "no")


@pytest.mark.parametrize(
    ("matched", "other", "holds"),
    [
        (0.10, 10, True),
        (0.10, 5, True),
        (0.10, 4, False),
        (0.05, 10, True),
        (0.04, 10, False),
        (0.10, -10, False),
    ],
)
def test_market_asks_panel_and_second_source_to_agree_in_sign_and_size(matched, other, holds):
    found = case(0, 10, panel=panel(matched=matched), second=second(other))
    assert standing(found)["market"] == ("holds" if holds else "no")


def test_own_rent_is_held_against_the_panel_without_the_provider():
    # The reference rises only because the provider does: without it the panel stands.
    found = case(10, 6, panel=panel(matched=0.06, without_own=0.0, without_own_is="the panel without acme"))
    assert standing(found)["own rent"] == "holds"
    assert "the panel without acme 0.0 %" in found.findings[1].evidence
    assert standing(case(10, 6, panel=panel(matched=0.06, without_own=0.05)))["own rent"] == "no"


def test_several_causes_may_hold():
    found = case(15, -8, panel=panel(matched=-0.08), second=second(-9))
    assert found.causes == ("own rent", "market")


def test_what_no_evidence_can_tell_is_undetermined():
    found = case(5, 8)
    assert found.causes == ("undetermined",)
    assert found.to_json()["causes"] == ["undetermined"]
    assert standing(found) == {"methodology": "undetermined", "own rent": "no", "market": "undetermined"}
    refused = case(
        5, 8, panel=lambda _before, _after: Refusal("no_panel", "the panel is gone"), second=second(8)
    )
    assert "the panel is gone" in refused.findings[0].evidence
    assert standing(refused)["market"] == "undetermined"


def test_a_second_source_without_a_value_near_the_step_cannot_tell():
    far = SecondSource("other-list", {BEFORE - timedelta(days=30): 1, DAY: 2})
    assert "no value near" in case(5, 8, panel=panel(matched=0.08), second=far).findings[2].evidence


def test_a_rent_that_stood_did_not_step():
    assert standing(case(0, -8, panel=panel(matched=-0.08)))["own rent"] == "no"
