"""What every hedge-ratio method must do; a new method is a subclass with ``name`` set."""

from __future__ import annotations

import numpy as np
import pytest
from rentmark.backtest import METHODS, RatioMethod
from rentmark.records import Refusal

from .making import wander


class MethodSuite:
    name: str

    @property
    def method(self) -> RatioMethod:
        return METHODS[self.name]

    def changes(self, count=40):
        rent = np.diff(np.array(wander(count + 1, seed=11))) / 1e6
        reference = np.diff(np.array(wander(count + 1, seed=23))) / 1e6
        return rent, reference

    def test_it_is_listed_under_its_name_with_a_label(self):
        assert self.method.name == self.name
        assert self.method.label
        assert self.method.minimum_changes >= 0

    def test_it_gives_a_finite_ratio_or_a_refusal_with_a_sentence(self):
        for count in (0, 1, 2, 5, 40):
            found = self.method.estimate(*self.changes(count))
            if isinstance(found, Refusal):
                assert found.sentence
            else:
                assert np.isfinite(found)

    def test_the_same_changes_give_the_same_ratio(self):
        assert self.method.estimate(*self.changes()) == self.method.estimate(*self.changes())

    def test_it_does_not_alter_what_it_is_given(self):
        rent, reference = self.changes()
        before = rent.copy(), reference.copy()
        self.method.estimate(rent, reference)
        assert (rent == before[0]).all()
        assert (reference == before[1]).all()

    def test_a_rent_equal_to_the_reference_is_hedged_one_for_one(self):
        _, reference = self.changes()
        assert self.method.estimate(reference, reference) == pytest.approx(1.0)
