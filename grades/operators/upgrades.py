"""Whether a change of operations paid for itself: its cost against the extra output, at the cost before it.

An upgrade's extra output is its rate after the change less the rate before, over the hours measured after
it. That output is worth what it would have cost before: the running spending (upgrades left out) per
accepted unit. It paid within the account if that is at least what the change cost. Running spending is
taken as even over the period.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Literal

from .cost_account import CostFile, Output, Upgrade, hours_covered

Unit = Literal["tasks", "tokens"]
_Window = tuple[Output, Fraction | None, Fraction | None]
"""A window, its accepted tasks and its accepted tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeOutcome:
    """An upgrade judged. Figures are None, with a reason, where the windows can't tell.

    ``extra`` is in ``unit`` over ``hours_after``; ``worth_usd`` is what it would have cost before;
    ``hours_to_pay`` is how long the gain must last until it equals the cost, None where there is no gain.
    """

    upgrade: Upgrade
    unit: Unit | None = None
    per_hour_before: Fraction | None = None
    per_hour_after: Fraction | None = None
    hours_after: Fraction | None = None
    extra: Fraction | None = None
    worth_usd: Fraction | None = None
    hours_to_pay: Fraction | None = None
    paid: bool | None = None
    reason: str | None = None


def judge_upgrades(
    file: CostFile, windows: Sequence[_Window], running_usd_per_hour: Fraction
) -> tuple[UpgradeOutcome, ...]:
    """Judge each upgrade on the windows between it and its neighbours in time."""
    changes = sorted(file.upgrade, key=lambda each: each.on)
    edges = [file.account.start, *(change.on for change in changes), file.account.end]
    unit: Unit | None = None
    if windows and all(tasks is not None for _, tasks, _ in windows):
        unit = "tasks"
    elif windows and all(tokens is not None for _, _, tokens in windows):
        unit = "tokens"
    outcomes = {
        id(change): _judge(change, windows, unit, running_usd_per_hour, (edges[n], edges[n + 2]))
        for n, change in enumerate(changes)
    }
    return tuple(outcomes[id(change)] for change in file.upgrade)


def _judge(
    change: Upgrade,
    windows: Sequence[_Window],
    unit: Unit | None,
    running_usd_per_hour: Fraction,
    neighbours: tuple[datetime, datetime],
) -> UpgradeOutcome:
    since, until = neighbours
    if unit is None:
        return UpgradeOutcome(
            upgrade=change, reason="the output windows do not all state tasks, nor all tokens"
        )
    straddling = [span for span, _, _ in windows if span.start < change.on < span.end]
    if straddling:
        return UpgradeOutcome(
            upgrade=change, unit=unit, reason=f"window {straddling[0].name!r} spans the change; part it there"
        )
    before = [w for w in windows if since <= w[0].start and w[0].end <= change.on]
    after = [w for w in windows if change.on <= w[0].start and w[0].end <= until]
    if not before or not after:
        side = "before" if not before else "after"
        return UpgradeOutcome(
            upgrade=change, unit=unit, reason=f"no output window lies wholly {side} the change"
        )
    earlier, later = _rate(before, unit), _rate(after, unit)
    hours = hours_covered(span for span, _, _ in after)
    if earlier == 0:
        return UpgradeOutcome(
            upgrade=change,
            unit=unit,
            per_hour_before=earlier,
            per_hour_after=later,
            hours_after=hours,
            reason="nothing acceptable was produced before the change, so the extra output has no price",
        )
    unit_cost = running_usd_per_hour / earlier
    gain_per_hour = (later - earlier) * unit_cost
    worth = gain_per_hour * hours
    cost = Fraction(change.usd)
    return UpgradeOutcome(
        upgrade=change,
        unit=unit,
        per_hour_before=earlier,
        per_hour_after=later,
        hours_after=hours,
        extra=(later - earlier) * hours,
        worth_usd=worth,
        hours_to_pay=cost / gain_per_hour if gain_per_hour > 0 else None,
        paid=worth >= cost,
        reason=None if gain_per_hour > 0 else "output did not rise",
    )


def _rate(windows: Sequence[_Window], unit: Unit) -> Fraction:
    """Accepted units an hour of the clock; windows side by side add up."""
    accepted = sum(
        ((tasks if unit == "tasks" else tokens) or Fraction(0) for _, tasks, tokens in windows), Fraction(0)
    )
    return accepted / hours_covered(span for span, _, _ in windows)
