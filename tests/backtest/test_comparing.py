"""Methods compared: what beats not hedging, what can't be told apart, and how often that errs."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest.comparing import SET_SIZE, UNHEDGED, compare_methods
from rentmark.records import Refusal

MONTHS = 36


def market(seed, share=1.0):
    random = np.random.default_rng(seed)
    reference = random.standard_normal(MONTHS)
    return share * reference + 0.3 * random.standard_normal(MONTHS), reference


def test_a_hedge_that_works_beats_not_hedging_and_leaves_it_out_of_the_set():
    rent, reference = market(1)
    found = compare_methods(rent, {"naive": rent - reference, "half": rent - 0.5 * reference})
    assert found.spa_p_value < 0.05
    assert found.best == "naive"
    assert found.in_set == ("naive",)
    assert found.set_p_values["naive"] == 1.0
    losses = np.var(rent), np.var(rent - reference)
    assert (found.losses[UNHEDGED], found.losses["naive"]) == pytest.approx(losses)


def test_hedges_on_something_else_do_not_beat_not_hedging():
    told = []
    for seed in range(12):
        rent, _ = market(seed)
        _, other = market(100 + seed)
        told.append(compare_methods(rent, {"naive": rent - other, "half": rent - 0.5 * other}))
    assert sum(each.spa_p_value < 0.05 for each in told) <= 2
    assert sum(UNHEDGED in each.in_set for each in told) >= 10


def test_the_best_of_many_useless_methods_is_rarely_taken_for_a_good_one():
    """The point of the correction: of 12 useless hedges one looks good, and the test knows that there were 12.

    Picking the best and testing it alone would reject in most of these histories.
    """
    rejected = alone = 0
    histories = 15
    for seed in range(histories):
        random = np.random.default_rng(seed)
        rent = random.standard_normal(MONTHS)
        hedged = {str(k): rent - 0.2 * random.standard_normal(MONTHS) for k in range(12)}
        found = compare_methods(rent, hedged)
        rejected += found.spa_p_value < SET_SIZE
        best = min(hedged, key=lambda name: np.var(hedged[name]))
        differences = (rent - rent.mean()) ** 2 - (hedged[best] - hedged[best].mean()) ** 2
        alone += differences.mean() / (differences.std(ddof=1) / MONTHS**0.5) > 1.28
    assert rejected / histories <= 0.2
    assert alone / histories > 0.4


def test_methods_that_are_one_and_the_same_get_one_answer():
    rent, reference = market(1)
    found = compare_methods(rent, {"ols": rent - reference, "expanding": rent - reference})
    assert found.set_p_values["ols"] == found.set_p_values["expanding"]


def test_the_same_months_give_the_same_answer():
    rent, reference = market(4)
    hedged = {"naive": rent - reference}
    assert compare_methods(rent, hedged) == compare_methods(rent, hedged)


def test_what_cannot_be_compared_says_why():
    rent, reference = market(1)
    short = compare_methods(rent[:11], {"naive": rent[:11] - reference[:11]})
    assert isinstance(short, Refusal)
    assert "11 unseen months, 12 needed" in short.sentence
    assert isinstance(compare_methods(rent, {}), Refusal)
    same = compare_methods(rent, {"nothing": rent.copy()})
    assert same.set_p_values is None
    assert "none can be told apart" in same.reason
    assert same.to_json()["in_set"] == []
