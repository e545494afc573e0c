"""State: what a later day reads follows from what stands before it, and a candidate built on less is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from rentmark.index import build_fixings, first_stale, states_on_tape
from rentmark.index.state import EMPTY, Memory, Remembered
from rentmark.records import Fixing

from .making import DAY, LATER, ballot, benchmark, in_order, usd, windows_for

CARRY = benchmark(fallback="carry", carry_days=3)
JUMP = benchmark(screen={"jump": {"move": 0.25, "others_move": 0.1}})
REOPEN = benchmark(min_sellers=2, reopen={"min_sellers": 3})
CHAIN = benchmark(estimator="matched_chain", memory_days=5)
STATEFUL = {"carry": CARRY, "jump": JUMP, "reopen": REOPEN, "chain": CHAIN}
PANEL = [{"a": "3.00", "b": "3.00"}, {"a": "3.30", "b": "3.00"}, {"a": "3.30"}, {"a": "3.20", "b": "3.10"}]


def day(number: int) -> date:
    return DAY + timedelta(days=number)


def build(
    rules: Any, panel: list[dict[str, str]], published: list[Fixing] | None = None, first: int = 0
) -> list[Fixing]:
    ballots = {
        day(n): in_order(ballot(s, p) for s, p in votes.items()) for n, votes in enumerate(panel) if votes
    }
    return build_fixings(
        rules,
        ballots,
        windows_for(rules, day(first), day(len(panel) - 1), LATER),
        archive_holds=lambda _: False,
        published={f.date: f for f in published or []},
        reconstructed=False,
    )


def on_tape(fixing: Fixing, **changes: Any) -> Fixing:
    return replace(fixing, published_at=LATER, origin="backcast", actor="a person", **changes)


def test_a_methodology_that_looks_at_its_own_day_alone_seals_no_state():
    assert not benchmark().methodology.reads_state
    assert all(f.details is None for f in build(benchmark(), PANEL))
    assert Memory(benchmark().methodology, build(benchmark(), PANEL)).state(day(9)) == EMPTY
    assert first_stale(benchmark(), [], build(benchmark(), PANEL)) is None


@pytest.mark.parametrize("name", STATEFUL)
def test_days_built_one_by_one_on_a_tape_are_those_built_at_once(name):
    rules = STATEFUL[name]
    tape: list[Fixing] = []
    for number in range(len(PANEL)):
        made = build(rules, PANEL[: number + 1], tape, first=number)
        assert first_stale(rules, tape, made) is None
        tape += [on_tape(made[0])]
    at_once = build(rules, PANEL)
    assert [replace(f, published_at=None, origin=None, actor=None) for f in tape] == at_once
    assert first_stale(rules, [], at_once) is None


@pytest.mark.parametrize("name", STATEFUL)
def test_a_candidate_built_on_other_fixings_than_those_that_stand_is_found(name):
    rules = STATEFUL[name]
    candidates = build(rules, PANEL)
    tape = [on_tape(f) for f in candidates[:2]]
    assert first_stale(rules, tape, candidates[2:]) is None
    # the second day was restated since
    status = {"status": "GAP", "value_micros": None} if name == "reopen" else {"value_micros": usd("9.99")}
    restated = replace(tape[1], revision=1, **status)
    assert first_stale(rules, [*tape, restated], candidates[2:]) == candidates[2]
    # the first day is missing on the tape
    if name != "reopen":  # which asks only how the day before ended
        assert first_stale(rules, tape[1:], candidates[2:]) == candidates[2]


def test_who_published_and_when_is_no_part_of_what_is_read():
    (made,) = build(CARRY, PANEL[:1])
    assert Remembered.of(on_tape(made)) == Remembered.of(made)
    assert Remembered.of(replace(made, value_micros=1)) != Remembered.of(made)


def test_a_row_of_the_tape_read_what_had_been_appended_before_it():
    made = build(CARRY, [*PANEL[:2], {}, {}])
    first, second, third, fourth = (on_tape(f) for f in made)
    restated = replace(second, revision=1, value_micros=usd("7.00"))
    again = replace(third, revision=1)
    states = states_on_tape(CARRY.methodology, [first, second, third, restated, again, fourth])
    carried = {key: state.carried(key[0], 3) for key, state in states.items()}
    values = {key: None if r is None else r.value_micros for key, r in carried.items()}
    assert values == {
        (day(0), 0): None,
        (day(1), 0): usd("3.00"),
        (day(1), 1): usd("3.00"),
        (day(2), 0): usd("3.15"),
        (day(2), 1): usd("7.00"),
        (day(3), 0): usd("7.00"),
    }


def test_memory_reaches_no_further_than_any_rule_reads():
    fixings = [on_tape(f) for f in build(CARRY, [{"a": "3.00"}] * 9)]
    state = Memory(CARRY.methodology, fixings).state(day(9))
    assert [r.date for r in state.recent] == [day(6), day(7), day(8)]
    assert state.last is None
    reopened = Memory(REOPEN.methodology, fixings[:2]).state(day(9))
    assert reopened.recent == ()
    assert reopened.last is not None
    assert reopened.last.date == day(1)


def test_the_votes_that_stood_are_sealed_by_tier_and_name():
    (made,) = build(JUMP, PANEL[:1])
    remembered = Remembered.of(made)
    assert remembered.votes == {"listed": {("a", None, None): usd("3.00"), ("b", None, None): usd("3.00")}}
    assert made.details == (
        '{"state":"' + Memory(JUMP.methodology).state(DAY).digest + '","votes":{"listed":'
        '[["a",null,null,"3.000000"],["b",null,null,"3.000000"]]}}'
    )
