"""What each rule that looks back read of earlier fixings, in sentences."""

from __future__ import annotations

from datetime import date

from ..records import format_micros
from .methodology import Methodology
from .state import State


def state_told(rules: Methodology, day: date, state: State) -> tuple[tuple[str, str], ...]:
    """By rule, what it read for ``day``: key of the methodology and sentence. Empty where no rule looks back."""
    said: list[tuple[str, str]] = []
    if rules.fallback == "carry":
        said.append(("carry", _carry(rules, day, state)))
    if rules.reopen is not None:
        said.append(("reopen", _reopen(rules.reopen.days, state)))
    screen = rules.screen
    if screen is not None and screen.jump is not None:
        waits = screen.jump.wait_days
        said.append(
            ("screen.jump", f"a move is measured from {_votes(day, state, waits)} of the last {waits} days")
        )
    if screen is not None and screen.administered_days is not None:
        since = sum(len(prices) for prices in state.recent[-1].since.values()) if state.recent else 0
        said.append(
            ("screen.administered_days", f"{since:,} list prices, each with the date since when it stands")
        )
    if rules.dispersion_days > 1:
        pooled = rules.dispersion_days - 1
        said.append(
            ("dispersion_days", f"the pool holds {_votes(day, state, pooled)} of the {pooled} days before")
        )
    if "history" in rules.rule.reads:
        memory = rules.memory_days or 0
        said.append(
            ("estimator", f"{rules.estimator} goes on from {_votes(day, state, memory)} of {memory} days")
        )
    if rules.matched_days is not None:
        matched = rules.matched_days
        said.append(
            ("matched_days", f"moves are matched with {_votes(day, state, matched)} of {matched} days")
        )
    return tuple(said)


def _carry(rules: Methodology, day: date, state: State) -> str:
    held = state.carried(day, rules.carry_days)
    if held is None or held.value_micros is None:
        return f"no value of its own in the {rules.carry_days} days before, so nothing can be carried"
    age = (day - held.date).days
    value = format_micros(held.value_micros)
    return (
        f"the last value of its own is {value} of {held.date}, {age} of at most {rules.carry_days} days old"
    )


def _reopen(days: int, state: State) -> str:
    last = state.last
    if last is None:
        return "no fixing before, so there is no gap to leave"
    if last.observed:
        return f"{last.date} is {last.status}: there is no gap to leave"
    waited = f"{last.pending_days} of {days} dates in a row had met every gate"
    return f"{last.date} is {last.status}: the way out of the gap is asked; before this date {waited}"


def _votes(day: date, state: State, days: int) -> str:
    near = [r for r in state.recent if (day - r.date).days <= days]
    votes = sum(len(prices) for r in near for prices in r.votes.values())
    return f"{votes:,} votes on {len(near):,} dates"
