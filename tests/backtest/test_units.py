"""A rent in cents or per node is asked about, converted only by answer, and never by guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.backtest import hedge, read_rent, render_report
from rentmark.backtest.series import CommonDate
from rentmark.backtest.units import UnitAnswer, in_unit, read_unit, unit_question
from rentmark.records import UsageError

from .making import BENCHMARK, LATER, make_book, make_tape, monthly_case, wander

RENTS, REFERENCES = monthly_case(wander(40, seed=3), wander(40, seed=5))


def asked(times, answer=None):
    _, references = monthly_case(RENTS.values(), REFERENCES.values())
    rent = in_unit(make_book({day: value * times for day, value in references.items()}), answer)
    return hedge(rent, make_tape(references), benchmark=BENCHMARK, now=LATER)


def common(times):
    return [CommonDate(day, value * times, value) for day, value in REFERENCES.items()]


@pytest.mark.parametrize(
    ("times", "suspect"),
    [(100, "cents"), (8, "per-node:8"), (2, "per-node:2")],
)
def test_the_question_names_the_answer_and_the_answer_settles_it(times, suspect):
    report = asked(times)
    assert f"--unit {suspect} or --unit correct" in report.unit_question
    assert report.unit_question in report.notes
    assert report.unit_question in render_report(report)
    assert report.common[0].rent_micros == times * report.common[0].reference_micros  # used as written
    answered = asked(times, read_unit(suspect))
    assert answered.unit_question is None
    assert answered.common[0].rent_micros == answered.common[0].reference_micros
    assert "as you said" in answered.notes[0]
    confirmed = asked(times, read_unit("correct"))
    assert confirmed.unit_question is None
    assert confirmed.common[0].rent_micros == report.common[0].rent_micros


@pytest.mark.parametrize("times", [1, 3, 5, 30, 300])
def test_a_rent_that_is_merely_dear_is_not_asked_about(times):
    assert unit_question(common(times)) is None


@pytest.mark.parametrize(("times", "size"), [(4, 4), (16, 16)])
def test_other_nodes_are_asked_about(times, size):
    assert f"--unit per-node:{size}" in unit_question(common(times))


@given(st.integers(2, 64), st.integers(1, 40))
def test_a_node_invoice_keeps_its_amount_and_multiplies_its_hours(size, hundreds):
    text = f"start,end,amount_usd,gpu_hours\n2026-03-01,2026-03-31,{hundreds * 100},50\n"
    book = read_rent(text.encode(), "bills.csv")
    read = in_unit(book, UnitAnswer("per-node", size))
    assert sum(day.amount_micros for day in read.days) == hundreds * 100_000_000
    assert sum(day.gpu_seconds for day in read.days) == 50 * 3600 * size


@pytest.mark.parametrize("text", ["dollars", "per-node", "per-node:1", "per-node:x", "per-node:9999", ""])
def test_another_unit_is_no_answer(text):
    with pytest.raises(UsageError, match="write cents, per-node:8 or correct"):
        read_unit(text)
