"""Alarms as of each day: what a watcher would have been told on that day, and would still be told of it.

Every alarm of a day rests on that day and earlier ones alone, so data that come later neither add nor take
away an alarm of the past. An alarm fires when its condition begins, not on each day it goes on.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

from ..records import MICROS_PER_USD, STATUSES_OBSERVED, Fixing, format_micros
from .alarm_rules import WatchRules
from .series import CommonDate
from .wording import number, percent, signed

Kind = Literal[
    "gap_run",
    "coverage",
    "stale",
    "jump",
    "top_weight",
    "few_sellers",
    "seller_set",
    "methodology",
    "basis_z",
    "rolling_r_squared",
    "rolling_ratio",
    "cusum",
]
FIXING_CHECKS: tuple[Kind, ...] = (
    "gap_run",
    "coverage",
    "stale",
    "jump",
    "top_weight",
    "few_sellers",
    "seller_set",
    "methodology",
)
RENT_CHECKS: tuple[Kind, ...] = ("basis_z", "rolling_r_squared", "rolling_ratio", "cusum")
RHYTHM, LEAST_RHYTHM = 20, 5
"""Distances between values that show how often a benchmark usually has one."""
BOUNDARY = 7.78
"""a² of Chu, Stinchcombe & White (1996), section 4: at 5 % over all time to come."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm: the day it fired, what was measured and the threshold it crossed."""

    kind: Kind
    subject: str
    date: date
    value: float | None
    threshold: float
    sentence: str

    @property
    def key(self) -> str:
        """What a watcher remembers an alarm by."""
        return f"{self.kind}|{self.subject}|{self.date}"

    def to_json(self) -> dict[str, Any]:
        """The alarm with stable keys."""
        row: dict[str, Any] = {
            "kind": self.kind,
            "subject": self.subject,
            "date": self.date.isoformat(),
            "value": self.value,
            "threshold": self.threshold,
            "sentence": self.sentence,
        }
        return (
            row
            if self.value is not None
            else row | {"reason": "it had not moved before, so there is no scale"}
        )


def fixing_alarms(
    fixings: Sequence[Fixing],
    rules: WatchRules,
    *,
    today: date,
    panels: Mapping[date, frozenset[str]] | None = None,
) -> list[Alarm]:
    """Alarms of one benchmark, from its fixings in date order, each date once.

    ``today`` is the day of the watch: a feed is stale by then or not. ``panels`` are the sellers behind
    each value, where they are at hand.
    """
    if not fixings:
        return []
    name = fixings[0].benchmark
    every = itertools.chain(
        _gap_runs(name, fixings, rules),
        _coverage(name, fixings, rules),
        _stale(name, fixings, rules, today),
        _jumps(name, fixings, rules),
        _top_weights(name, fixings, rules),
        _few_sellers(name, fixings, rules),
        _seller_sets(name, panels or {}, rules),
        _methodologies(name, fixings),
    )
    return sorted(every, key=lambda each: (each.date, each.kind))


def _observed(fixings: Sequence[Fixing]) -> list[Fixing]:
    return [each for each in fixings if each.status in STATUSES_OBSERVED and each.value_micros is not None]


def _patience(dates: Sequence[date], days: int) -> int:
    """Days without a value that are allowed: ``days``, or twice the usual distance of the last values.

    Usual is the median distance of the last ``RHYTHM`` values, once there are ``LEAST_RHYTHM`` distances:
    a benchmark with weekly values is not late after three days.
    """
    recent = dates[-RHYTHM - 1 :]
    distances = [(later - earlier).days for earlier, later in itertools.pairwise(recent)]
    return days if len(distances) < LEAST_RHYTHM else max(days, math.ceil(2 * statistics.median(distances)))


def _gap_runs(name: str, fixings: Sequence[Fixing], rules: WatchRules) -> Iterator[Alarm]:
    run = 0
    dates: list[date] = []
    for each in fixings:
        if each.status in STATUSES_OBSERVED:
            run = 0
            dates.append(each.date)
            continue
        run += 1
        allowed = _patience(dates, rules.gap_run)
        if run == allowed:
            told = f"{name} has had no value of its own on {run} dates in a row, last {each.date}"
            rule = "" if each.rule is None else f" ({each.rule})"
            yield Alarm("gap_run", name, each.date, run, allowed, f"{told}{rule}.")


def _coverage(name: str, fixings: Sequence[Fixing], rules: WatchRules) -> Iterator[Alarm]:
    below = False
    for place in range(rules.coverage_days - 1, len(fixings)):
        window = fixings[place - rules.coverage_days + 1 : place + 1]
        share = sum(each.status in STATUSES_OBSERVED for each in window) / rules.coverage_days
        was, below = below, share < rules.coverage_at_least
        if below and not was:
            told = f"{name} had a value on {share * 100:.0f} % of its last {rules.coverage_days} dates"
            yield Alarm(
                "coverage",
                name,
                fixings[place].date,
                share,
                rules.coverage_at_least,
                f"{told}; {rules.coverage_at_least * 100:.0f} % are asked for.",
            )


def _stale(name: str, fixings: Sequence[Fixing], rules: WatchRules, today: date) -> Iterator[Alarm]:
    """A date on which the last value had become older than allowed: of the past as well as today."""
    dates = [each.date for each in _observed(fixings)]
    for place, day in enumerate(dates):
        allowed = _patience(dates[: place + 1], rules.stale_days)
        fires = day + timedelta(days=allowed + 1)
        last_late = dates[place + 1] - timedelta(days=1) if place + 1 < len(dates) else today
        if fires <= min(last_late, today):
            told = f"The last value of {name} is of {day}, more than {allowed} days before {fires}"
            yield Alarm("stale", name, fires, allowed + 1, allowed, f"{told}.")


def _jumps(name: str, fixings: Sequence[Fixing], rules: WatchRules) -> Iterator[Alarm]:
    for earlier, later in itertools.pairwise(_observed(fixings)):
        assert earlier.value_micros is not None
        assert later.value_micros is not None
        move = later.value_micros / earlier.value_micros - 1
        if abs(move) >= rules.jump:
            levels = f"{format_micros(earlier.value_micros)} on {earlier.date} to {format_micros(later.value_micros)}"
            yield Alarm(
                "jump", name, later.date, move, rules.jump, f"{name} moved {percent(move)}, from {levels}."
            )


def _top_weights(name: str, fixings: Sequence[Fixing], rules: WatchRules) -> Iterator[Alarm]:
    above = False
    for each in _observed(fixings):
        if each.top_weight is None:
            continue
        share = float(each.top_weight)
        was, above = above, share >= rules.top_weight
        if above and not was:
            told = f"One vote holds {share * 100:.0f} % of the weight behind {name}"
            yield Alarm("top_weight", name, each.date, share, rules.top_weight, f"{told}.")


def _few_sellers(name: str, fixings: Sequence[Fixing], rules: WatchRules) -> Iterator[Alarm]:
    seen = _observed(fixings)
    below = False
    for place in range(rules.sellers_window, len(seen)):
        usual = statistics.median(each.n_sellers for each in seen[place - rules.sellers_window : place])
        was, below = below, seen[place].n_sellers <= (1 - rules.sellers_drop) * usual
        if below and not was:
            told = f"{seen[place].n_sellers} sellers stand behind {name}, {usual:g} usually did"
            share = 1 - seen[place].n_sellers / usual
            yield Alarm("few_sellers", name, seen[place].date, share, rules.sellers_drop, f"{told}.")


def _seller_sets(name: str, panels: Mapping[date, frozenset[str]], rules: WatchRules) -> Iterator[Alarm]:
    for (_, before), (day, now) in itertools.pairwise(sorted(panels.items())):
        everyone = before | now
        changed = before ^ now
        share = len(changed) / len(everyone) if everyone else 0.0
        if share >= rules.seller_set_change:
            came, left = sorted(now - before), sorted(before - now)
            told = f"{len(changed)} of {len(everyone)} sellers behind {name} came or left: "
            names = [*(f"+{each}" for each in came), *(signed(f"-{each}") for each in left)]
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            yield Alarm(
                "seller_set",
                name,
                day,
                share,
                rules.seller_set_change,
                f"{told}{', '.join(names[:6])}{more}.",
            )


def _methodologies(name: str, fixings: Sequence[Fixing]) -> Iterator[Alarm]:
    for earlier, later in itertools.pairwise(fixings):
        if earlier.methodology_hash != later.methodology_hash:
            told = f"The rules of {name} changed to {later.methodology} {later.methodology_version}"
            yield Alarm("methodology", name, later.date, 1, 1, f"{told}.")


def rent_alarms(common: Sequence[CommonDate], rules: WatchRules, subject: str) -> list[Alarm]:
    """Alarms of a rent beside its reference, on common dates in order; ``subject`` names the pair."""
    every = itertools.chain(
        _basis_scores(common, rules, subject),
        _rolling(common, rules, subject),
        _monitored(common, rules, subject),
    )
    return sorted(every, key=lambda each: (each.date, each.kind))


def _basis_scores(common: Sequence[CommonDate], rules: WatchRules, subject: str) -> Iterator[Alarm]:
    """The day's gap against the mean and sd of the ``z_window`` gaps before it."""
    beyond = False
    for place in range(rules.z_window, len(common)):
        past = [each.basis_micros for each in common[place - rules.z_window : place]]
        mean = math.fsum(past) / len(past)
        sd = statistics.stdev(past, mean) if len(set(past)) > 1 else 0.0
        off = common[place].basis_micros - mean
        score = off / sd if sd > 0 else None
        moved = abs(off) >= rules.z_least_move * common[place].reference_micros and off != 0
        was, beyond = beyond, moved and (score is None or abs(score) >= rules.z)
        if beyond and not was:
            size = "which had not moved before" if score is None else f"z {number(score, 1)}"
            gap, usual = common[place].basis_micros / MICROS_PER_USD, mean / MICROS_PER_USD
            yield Alarm(
                "basis_z",
                subject,
                common[place].date,
                score,
                rules.z,
                f"The gap of {subject} is {number(gap, 4)} against {number(usual, 4)} over {len(past)} dates, {size}.",
            )


def _rolling(common: Sequence[CommonDate], rules: WatchRules, subject: str) -> Iterator[Alarm]:
    """R² of the last window under its bound, and its ratio under a share of the mean of earlier windows."""
    window = rules.rolling_window
    if len(common) <= window:
        return
    import numpy as np

    from .rolling import rolling_fit

    rent = np.diff(np.array([each.rent_micros for each in common], dtype=np.float64)) / MICROS_PER_USD
    reference = (
        np.diff(np.array([each.reference_micros for each in common], dtype=np.float64)) / MICROS_PER_USD
    )
    fit = rolling_fit(rent, reference, window)
    weak: bool | None = None
    fallen = False
    total, count = 0.0, 0
    for place, (ratio, share) in enumerate(zip(fit.ratios.tolist(), fit.r_squared.tolist(), strict=True)):
        day = common[place + window].date
        if not math.isnan(share):
            was, weak = weak, share < rules.r_squared_at_least
            if weak and was is False:
                told = f"R² of {subject} over {window} changes fell to {number(share)}"
                yield Alarm("rolling_r_squared", subject, day, share, rules.r_squared_at_least, f"{told}.")
        if math.isnan(ratio):
            continue
        if count >= window and total / count > 0:
            bound = (1 - rules.ratio_drop) * total / count
            before, fallen = fallen, ratio < bound
            if fallen and not before:
                told = f"The ratio of {subject} over {window} changes fell to {number(ratio)}, {number(total / count)} before"
                yield Alarm("rolling_ratio", subject, day, ratio, bound, f"{told}.")
        total, count = total + ratio, count + 1


def _monitored(common: Sequence[CommonDate], rules: WatchRules, subject: str) -> Iterator[Alarm]:
    """CUSUM of recursive residuals, monitored after a training span; begun anew after each alarm.

    Chu, Stinchcombe & White (1996), eq. 7: an alarm at the first change n with |Σw/σ̂| ≥ √m·√(t(a² + ln t)),
    t = n/m, w the recursive residuals after the training span of m changes and σ̂ from that span alone.
    """
    from .monitoring import first_crossing

    start = 0
    while len(common) - 1 - start > rules.cusum_training:
        part = common[start:]
        rent = [(b.rent_micros - a.rent_micros) / MICROS_PER_USD for a, b in itertools.pairwise(part)]
        reference = [
            (b.reference_micros - a.reference_micros) / MICROS_PER_USD for a, b in itertools.pairwise(part)
        ]
        found = first_crossing(rent, reference, rules.cusum_training, BOUNDARY)
        if found is None:
            return
        place, value = found
        day = part[place + 1].date
        told = f"The errors of a hedge of {subject} add up to more than chance since {part[rules.cusum_training].date}"
        yield Alarm("cusum", subject, day, value, 1.0, f"{told} (CUSUM {number(value)} of its bound).")
        start += place + 1
