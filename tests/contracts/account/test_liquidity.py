"""Liquidity at risk: the cash a position may have to find, from the index's own steps."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import HeldMonth, LiquidityAtRisk, liquidity_at_risk
from rentmark.records import Refusal

from .made import days_from, make_view

CME = CONTRACTS["cme-gpu1"]
FIRST = date(2026, 3, 1)


def leg(lots: int = 1, mark: int = 1_000_000) -> HeldMonth:
    return HeldMonth(spec=CME, month="2026-12", lots=lots, unit_gpu_hours=730, mark_micros=mark)


def ask(values: list[int], lots: int = 1, **options) -> LiquidityAtRisk:
    view = make_view(dict(zip(days_from(FIRST, len(values)), values, strict=True)))
    answer = liquidity_at_risk(
        [leg(lots)], {"cme-gpu1": view}, FIRST + timedelta(days=len(values)), **options
    )
    assert isinstance(answer, LiquidityAtRisk), answer
    return answer


def test_the_worst_draw_of_every_window_worked_by_hand():
    # 2.00 → 1.80 → 1.90 → 1.71 → 2.10: windows of two steps draw 10 % and 10 %, of 1.80 5 %, of 1.90 10 %
    answer = ask([2_000_000, 1_800_000, 1_900_000, 1_710_000, 2_100_000], days=2, quantile=Decimal("0.6"))
    # windows: (2.00: 1.80, 1.90) −10 %; (1.80: 1.90, 1.71) −5 %; (1.90: 1.71, 2.10) −10 %
    assert answer.paths == 3
    assert answer.worst_micros == 73_000_000  # 730 × 1.00 × 10 %
    assert answer.worst_from == FIRST
    assert answer.at_quantile_micros == 73_000_000  # the second smallest of 36.5, 73, 73
    short = ask([2_000_000, 1_800_000, 1_900_000, 1_710_000, 2_100_000], lots=-1, days=2)
    # the short pays where the index rises: from 1.90 to 2.10, 2/19
    assert short.worst_micros == 730 * 105_263
    assert (short.at_quantile_micros, short.reason) == (None, "99 % needs 100 paths, there are 3")


def test_a_path_that_comes_back_still_had_to_be_paid_for():
    answer = ask([2_000_000, 1_000_000, 2_000_000], days=2, quantile=Decimal("0.5"))
    assert answer.worst_micros == 365_000_000


def test_an_index_that_only_rises_draws_nothing_from_a_long_position():
    values = [1_000_000 + 10_000 * number for number in range(40)]
    for method in ("historical", "bootstrap"):
        assert ask(values, days=5, quantile=Decimal("0.9"), method=method).worst_micros == 0


def test_the_bootstrap_is_seeded_and_within_what_its_steps_can_do():
    values = [2_000_000, 1_900_000, 2_000_000, 1_950_000, 2_050_000, 1_990_000] * 10
    first = ask(values, days=10, method="bootstrap", draws=500)
    assert first == ask(values, days=10, method="bootstrap", draws=500)
    assert first != ask(values, days=10, method="bootstrap", draws=500, seed=2)
    assert first.at_quantile_micros is not None
    assert 0 < first.at_quantile_micros <= first.worst_micros < 730_000_000
    assert "modelled" in first.sentence


def test_history_and_bootstrap_agree_where_every_step_is_the_same():
    values = [2_000_000]
    for _ in range(60):
        values.append(values[-1] * 99 // 100)
    history = ask(values, days=10, quantile=Decimal("0.9"))
    drawn = ask(values, days=10, quantile=Decimal("0.9"), method="bootstrap", draws=200)
    assert drawn.worst_micros == pytest.approx(history.worst_micros, rel=1e-4)
    assert history.worst_micros == pytest.approx(730_000_000 * (1 - 0.99**10), rel=1e-4)


def test_what_can_not_be_asked_is_refused_in_words():
    view = make_view(dict.fromkeys(days_from(FIRST, 5), 2_000_000))
    late = FIRST + timedelta(days=30)
    few = liquidity_at_risk([leg()], {"cme-gpu1": view}, late, days=5)
    assert isinstance(few, Refusal)
    assert few.sentence == "5 fixing dates are asked for and 4 steps are known"
    blind = liquidity_at_risk([leg()], {}, late, days=5)
    assert isinstance(blind, Refusal)
    assert "no benchmark is named for cme-gpu1" in blind.sentence
    empty = liquidity_at_risk([leg(lots=0)], {"cme-gpu1": view}, late, days=5)
    assert isinstance(empty, Refusal)
