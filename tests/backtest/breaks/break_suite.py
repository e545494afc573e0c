"""What every test of breaks must do; a new one inherits this suite."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from rentmark.backtest.breaks import BREAK_TESTS, Levels


def levels_of(rent, reference) -> Levels:
    """Levels on consecutive days."""
    first = date(2020, 1, 1)
    return Levels(
        tuple(first + timedelta(days=number) for number in range(len(rent))),
        np.asarray(rent, dtype=np.float64),
        np.asarray(reference, dtype=np.float64),
    )


class BreakSuite:
    """Promises of every test. ``name`` picks it; ``broken`` draws levels in which its null is clearly false."""

    name: str

    @property
    def test(self):
        return BREAK_TESTS[self.name]

    def broken(self, generator):
        """(rent, reference) of 300 dates and the place from which they differ, or None for no place."""
        raise NotImplementedError

    def steady(self, n, seed=3):
        """Levels of an ordinary pair: a walk, and half of it plus noise of its own."""
        generator = np.random.default_rng(seed)
        reference = 3 + 0.05 * np.cumsum(generator.normal(size=n))
        return levels_of(0.5 * reference + 0.02 * np.cumsum(generator.normal(size=n)) + 4, reference)

    def test_it_states_its_null_and_its_source(self):
        assert len(self.test.null) > 20
        assert "(19" in self.test.source or "(20" in self.test.source
        assert self.test.label

    @pytest.mark.parametrize("n", [0, 1, 2, 5, 11])
    def test_too_few_values_are_refused_with_the_number_needed(self, n):
        found = self.test.judge(self.steady(n))
        assert found.statistic is None
        assert f"{self.test.minimum} needed" in found.reason

    def test_the_least_n_it_speaks_about_gives_an_answer(self):
        more = 1 if self.test.reads == "changes" else 0
        found = self.test.judge(self.steady(self.test.minimum + more))
        assert found.statistic is not None
        assert found.n == self.test.minimum

    def test_prices_that_never_move_are_refused(self):
        still = np.full(80, 2.5)
        found = self.test.judge(levels_of(still, still))
        assert found.statistic is None
        assert found.reason

    def test_a_rent_that_follows_the_reference_exactly_is_refused_or_unbroken(self):
        reference = self.steady(80).reference
        found = self.test.judge(levels_of(reference + 1.0, reference))
        assert found.statistic is None or not found.rejects

    def test_the_unit_of_prices_changes_nothing(self):
        levels = self.steady(120)
        one = self.test.judge(levels)
        two = self.test.judge(Levels(levels.dates, levels.rent * 8, levels.reference * 8))
        # Differences are taken to a billionth of a dollar, so that much of the unit is left in them.
        assert two.statistic == pytest.approx(one.statistic, rel=1e-6)
        assert two.dates == one.dates

    def test_the_critical_value_names_the_simulation_that_made_it(self):
        found = self.test.judge(self.steady(120))
        assert "simulated at n = 100 and " in found.critical_source
        assert "proof/breaks_size.py, seed" in found.critical_source

    def test_its_measured_size_stands_beside_it(self):
        found = self.test.judge(self.steady(39))
        assert "at n = 38" in found.size

    def test_a_false_null_is_rejected_and_dated(self):
        rent, reference, place = self.broken(np.random.default_rng(11))
        found = self.test.judge(levels_of(rent, reference))
        assert found.rejects
        if place is not None:
            dated = (found.dates[0] - date(2020, 1, 1)).days
            assert abs(dated - place) <= 25

    def test_json_says_all_of_it(self):
        row = self.test.judge(self.steady(120)).to_json()
        assert row["test"] == self.name
        assert row["null"] == self.test.null
        assert (row["p_value"] is not None) or row["reason"]
