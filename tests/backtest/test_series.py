"""Only dates with a rent and an OK or THIN fixing are compared, as first published."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction

from rentmark.backtest import common_dates, monthly_changes, monthly_means, observation_changes
from rentmark.backtest.series import first_published, observed_micros

from .making import LATER, make_fixing


def test_carried_and_gap_days_are_no_common_dates():
    rows = {
        1: make_fixing(date(2026, 1, 1), 3_000_000),
        2: make_fixing(date(2026, 1, 2), 3_100_000, status="THIN"),
        3: make_fixing(date(2026, 1, 3), 3_100_000, status="CARRIED"),
        4: make_fixing(date(2026, 1, 4), None),
    }
    reference = observed_micros({row.date: row for row in rows.values()})
    rent = {date(2026, 1, day): 2_000_000 for day in range(1, 6)}
    assert [each.date.day for each in common_dates(rent, reference)] == [1, 2]


def test_a_restatement_never_reaches_back():
    first = make_fixing(date(2026, 1, 1), 3_000_000)
    restated = replace(
        first, value_micros=4_000_000, revision=1, published_at=datetime(2026, 6, 1, tzinfo=UTC)
    )
    assert first_published([restated, first], LATER)[first.date].value_micros == 3_000_000


def test_a_fixing_that_is_not_effective_yet_is_not_seen():
    assert first_published([make_fixing(date(2026, 1, 1))], datetime(2026, 1, 1, 12, tzinfo=UTC)) == {}


def test_changes_join_consecutive_common_dates_whatever_their_distance():
    common = common_dates(
        {date(2026, 1, 1): 1_000_000, date(2026, 3, 9): 1_250_000},
        {date(2026, 1, 1): 2_000_000, date(2026, 3, 9): 1_500_000},
    )
    changes = observation_changes(common)
    assert changes.dates == (date(2026, 3, 9),)
    assert changes.rent == (250_000,)
    assert changes.reference == (-500_000,)


def test_monthly_means_are_exact_over_the_common_dates_of_the_month():
    days = [date(2026, 1, 5), date(2026, 1, 6), date(2026, 1, 7), date(2026, 2, 1)]
    rent = dict(zip(days, [1_000_000, 1_000_000, 1_000_001, 2_000_000], strict=True))
    means = monthly_means(common_dates(rent, rent))
    assert [(mean.month, mean.count, mean.rent) for mean in means] == [
        ("2026-01", 3, Fraction(3_000_001, 3)),
        ("2026-02", 1, Fraction(2_000_000)),
    ]
    assert monthly_changes(means).rent == (2_000_000 - Fraction(3_000_001, 3),)
