"""The frontier keeps what nothing beats, and bounds refuse what does not show that it meets them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades.operators import Bounds, pareto_frontier

from .serving_made import row


def test_a_row_is_kept_only_if_it_exceeds_every_faster_one():
    rows = [row(100, 400), row(60, 900), row(80, 300), row(60, 950), row(40, 950), row(20, 2000)]
    kept = [(r.median_interactivity, r.total_tokens_per_second_per_gpu) for r in pareto_frontier(rows)]
    assert kept == [(20, 2000), (60, 950), (100, 400)]


def test_no_rows_have_no_frontier():
    assert pareto_frontier([]) == ()


COARSE = st.integers(1, 6).map(lambda quarter: quarter * 0.25)
ROWS = st.lists(st.builds(row, COARSE, COARSE), min_size=1, max_size=12)


@given(ROWS, st.randoms())
def test_the_frontier_is_what_no_row_beats_in_whatever_order_rows_come(rows, shuffle):
    kept = pareto_frontier(rows)
    for place in kept:
        better = [
            r
            for r in rows
            if r.median_interactivity >= place.median_interactivity
            and r.total_tokens_per_second_per_gpu > place.total_tokens_per_second_per_gpu
        ]
        assert better == []
    for r in rows:
        assert any(
            k.median_interactivity >= r.median_interactivity
            and k.total_tokens_per_second_per_gpu >= r.total_tokens_per_second_per_gpu
            for k in kept
        )
    again = list(rows)
    shuffle.shuffle(again)
    assert pareto_frontier(again) == kept
    speeds = [k.median_interactivity for k in kept]
    assert speeds == sorted(set(speeds))


@pytest.mark.parametrize(
    ("bounds", "changes", "refused_by"),
    [
        (Bounds(), {}, None),
        (Bounds(ttft_seconds=1.0), {"median_ttft_seconds": 1.0}, None),
        (Bounds(ttft_seconds=1.0), {"median_ttft_seconds": 1.01}, "ttft"),
        (Bounds(ttft_seconds=1.0), {}, "ttft"),
        (Bounds(ttft_seconds=1.0, ttft_percentile="p99"), {"median_ttft_seconds": 0.1}, "ttft"),
        (Bounds(ttft_seconds=1.0, ttft_percentile="p99"), {"p99_ttft_seconds": 0.9}, None),
        (Bounds(ttft_seconds=1.0, ttft_percentile="p90"), {"p90_ttft_seconds": 1.9}, "ttft"),
        (Bounds(p90_interactivity=50), {"p90_interactivity": 50}, None),
        (Bounds(p90_interactivity=50), {"p90_interactivity": 49.9}, "p90_interactivity"),
        (Bounds(p90_interactivity=50), {"p99_interactivity": 60}, "p90_interactivity"),
        (Bounds(p99_interactivity=50), {"p99_interactivity": 60}, None),
        (Bounds(p99_interactivity=50), {}, "p99_interactivity"),
    ],
)
def test_a_bound_is_met_only_by_a_row_that_says_so(bounds, changes, refused_by):
    assert bounds.refuses(row(100, 400, **changes)) == refused_by
