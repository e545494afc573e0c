"""Why a date has no value, in one sentence for the command line, the review and the dashboard."""

from __future__ import annotations

from datetime import date

import pytest
from rentmark.workspace import count_of, no_price_sentence

MARCH, JULY = date(2026, 3, 6), date(2026, 7, 6)


@pytest.mark.parametrize(
    ("rule", "n_sellers", "valued", "told"),
    [
        (
            "min_sellers",
            2,
            [MARCH, JULY],
            "No price on 2026-07-01: 2 sellers, 3 needed. Nearest: 2026-07-06.",
        ),
        ("min_sellers", 1, [MARCH], "No price on 2026-07-01: 1 seller, 3 needed. Nearest: 2026-03-06."),
        (
            "empty_window",
            0,
            [JULY, MARCH],
            "No price on 2026-07-01: nothing was collected. Nearest: 2026-07-06.",
        ),
        ("no_match", 0, [], "No price on 2026-07-01: nothing meets the grade."),
        ("max_dispersion", 9, [], "No price on 2026-07-01: max_dispersion."),
    ],
)
def test_the_nearest_date_is_the_nearest_on_either_side(rule, n_sellers, valued, told):
    assert no_price_sentence(date(2026, 7, 1), rule, n_sellers, 3, valued) == told


@pytest.mark.parametrize(
    ("many", "told"), [(0, "0 sellers"), (1, "1 seller"), (2, "2 sellers"), (1_228, "1,228 sellers")]
)
def test_one_is_singular(many, told):
    assert count_of(many, "seller") == told
