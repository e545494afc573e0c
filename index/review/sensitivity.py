"""Sensitivity: the period fixed anew with one key of the methodology changed at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mean

from ...records import Fixing
from ..ballot import Ballot
from ..build import build_fixings
from ..methodology import Benchmark
from ..windows import Window, window_of
from .days import Day
from .variants import Variant, variants

BallotsOf = Callable[[Benchmark], Mapping[date, Sequence[Ballot]]]
"""Answers with the ballots of the period under other rules; asked once for rules that read the same."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one changed key does over a period, against the same period fixed by the rules as they are.

    ``mean_absolute`` and ``largest`` are shares of the value, over the ``n_compared`` dates that both value.
    ``gapped`` are dates that lose their value, ``gained`` those that get one. ``reason`` stands where the change
    contradicts another key and nothing could be fixed.
    """

    key: str
    was: str
    asked: str
    n_compared: int = 0
    n_changed: int = 0
    mean_absolute: float | None = None
    largest: float | None = None
    largest_on: date | None = None
    n_gapped: int = 0
    n_gained: int = 0
    reason: str | None = None


def sensitivity(benchmark: Benchmark, days: Sequence[Day], ballots_of: BallotsOf) -> list[Sensitivity]:
    """Fix the period once for each variant and compare it with the rules as they are, both from a clean start.

    So rules with a memory read what they themselves would have printed, not the tape.
    """
    base = refixed(benchmark, days, {day.window.date: day.ballots for day in days})
    return [_against(base, variant, days, ballots_of) for variant in variants(benchmark)]


def refixed(
    benchmark: Benchmark, days: Sequence[Day], panel: Mapping[date, Sequence[Ballot]]
) -> dict[date, Fixing]:
    """The dates of a period fixed in order by these rules, with nothing published before them."""
    windows = [_window(benchmark, day) for day in days]
    held = {day.window.date for day in days if day.fixing.rule != "empty_window"}
    made = build_fixings(
        benchmark,
        {day: list(ballots) for day, ballots in panel.items()},
        windows,
        archive_holds=held.__contains__,
        published={},
        absent_sources={day.window.date: day.absent_sources for day in days},
        reconstructed=any(day.fixing.reconstructed for day in days),
    )
    return {fixing.date: fixing for fixing in made}


def _window(benchmark: Benchmark, day: Day) -> Window:
    return window_of(benchmark.methodology, day.window.date, day.window.seen_until)


def _against(
    base: Mapping[date, Fixing], variant: Variant, days: Sequence[Day], ballots_of: BallotsOf
) -> Sensitivity:
    if variant.benchmark is None:
        return Sensitivity(variant.key, variant.was, variant.asked, reason=variant.reason)
    made = refixed(variant.benchmark, days, ballots_of(variant.benchmark))
    moves: dict[date, float] = {}
    gapped = gained = 0
    for day, before in base.items():
        after = made[day]
        if before.value_micros is None or after.value_micros is None:
            gapped += before.value_micros is not None
            gained += after.value_micros is not None
            continue
        moves[day] = after.value_micros / before.value_micros - 1
    largest = max(moves, key=lambda day: abs(moves[day]), default=None)
    changed = sum(move != 0 for move in moves.values())
    return Sensitivity(
        key=variant.key,
        was=variant.was,
        asked=variant.asked,
        n_compared=len(moves),
        n_changed=changed,
        mean_absolute=mean(abs(move) for move in moves.values()) if moves else None,
        largest=None if largest is None or not changed else moves[largest],
        largest_on=None if largest is None or not changed else largest,
        n_gapped=gapped,
        n_gained=gained,
        reason=None if moves else "no date has a value under both",
    )
