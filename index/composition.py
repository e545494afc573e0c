"""Composition: how much of a move is prices, and how much is who was there to be asked.

A seller that comes or goes moves a median although no price changed. Here the move between two days is
taken apart, each effect measured alone against the day before, so that they need not add up: what they
leave is shown as the residual and not spread (ILO and others, Consumer Price Index Manual 2020, chapter 6,
on matched samples; the decomposition alone-against-the-base is of the kind of Oaxaca 1973 and Blinder 1973).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ..records import Refusal, format_micros, round_fraction
from .ballot import Ballot
from .estimators import ESTIMATORS, Parameters, Slate, VoteId
from .estimators.base import label
from .exact import exact
from .methodology import Benchmark, Methodology
from .screens.base import middle_of
from .state import State
from .weights import integer_weights


@dataclass(frozen=True, slots=True)
class Mover:
    """A vote that both days have and whose price changed, micro-USD."""

    name: str
    before_micros: int
    after_micros: int

    @property
    def change_micros(self) -> int:
        """Its own move."""
        return self.after_micros - self.before_micros


@dataclass(frozen=True, slots=True)
class Composition:
    """The move of a level between two days and its parts, micro-USD.

    ``price_micros``: the move over the votes of both days (matched). ``entry_micros``: the newcomers alone
    added to the day before. ``exit_micros``: the leavers alone taken from it. ``residual_micros`` is what
    the move has beyond these three.
    """

    before: date
    after: date
    level_before_micros: int
    level_after_micros: int
    price_micros: int | None
    entry_micros: int
    exit_micros: int | None
    common: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    movers: tuple[Mover, ...]

    @property
    def change_micros(self) -> int:
        """The move of the level."""
        return self.level_after_micros - self.level_before_micros

    @property
    def residual_micros(self) -> int:
        """What prices, entry and exit, each alone, leave of the move."""
        return self.change_micros - (self.price_micros or 0) - self.entry_micros - (self.exit_micros or 0)


def composition(
    benchmark: Benchmark, before: tuple[date, Sequence[Ballot]], after: tuple[date, Sequence[Ballot]]
) -> Composition | Refusal:
    """Take the move between two days apart. The ballots are those that stood, of one tier on both days.

    Levels are by the benchmark's estimator and weights, without gates, screens and caps; where the
    estimator reads history itself, by the median. The refusals say why there is nothing to compare.
    """
    rules = benchmark.methodology
    (day_before, then), (day_after, now) = before, after
    if not rules.votes_by_name:
        return Refusal(
            "votes_not_matched", "each observation is a vote of its own, so no vote is in both days"
        )
    if not then or not now:
        return Refusal("no_votes", f"no vote stood on {day_before if not then else day_after}")
    if len({b.tier for b in now}) > 1:
        return Refusal("several_tiers", "the value is made of several tiers; each moved on its own")
    if {b.tier for b in then} != {b.tier for b in now}:
        return Refusal(
            "tier_changed", f"the value of {day_after} is of another tier than that of {day_before}"
        )
    old, new = {b.id: b for b in then}, {b.id: b for b in now}
    common = sorted(old.keys() & new.keys(), key=repr)
    entered = [b for b in now if b.id not in old]
    stayed_then, stayed_now = [old[vote] for vote in common], [new[vote] for vote in common]
    level = level_of(rules, then)
    return Composition(
        before=day_before,
        after=day_after,
        level_before_micros=level,
        level_after_micros=level_of(rules, now),
        price_micros=level_of(rules, stayed_now) - level_of(rules, stayed_then) if common else None,
        entry_micros=level_of(rules, [*then, *entered]) - level if entered else 0,
        exit_micros=level_of(rules, stayed_then) - level if common else None,
        common=tuple(label(vote) for vote in common),
        entered=tuple(sorted(label(b.id) for b in entered)),
        left=tuple(sorted(label(vote) for vote in old.keys() - new.keys())),
        movers=tuple(
            Mover(label(vote), old[vote].value_micros, new[vote].value_micros)
            for vote in common
            if old[vote].value_micros != new[vote].value_micros
        ),
    )


def level_of(rules: Methodology, ballots: Sequence[Ballot]) -> int:
    """The level of ballots of one tier, micro-USD, with nothing asked of them."""
    ordered = sorted(ballots, key=lambda b: b.order)
    weights = integer_weights(rules.model_copy(update={"recency": None}), ordered[0].tier, ordered, (0, 1))
    if sum(weights) == 0:
        weights = [1] * len(ordered)
    rule = ESTIMATORS["median"] if rules.rule.reads else rules.rule
    slate = Slate(
        prices=tuple(b.value_micros for b in ordered),
        weights=tuple(weights),
        ids=tuple(b.id for b in ordered),
        parameters=Parameters(tail=None if rules.tail is None else exact(rules.tail)),
    )
    made = rule.work(slate)
    assert not isinstance(made, Refusal)  # these rules refuse only votes without weight
    return round_fraction(made.value)


def matched_beside(
    rules: Methodology, tier: str, standing: Sequence[Ballot], day: date, state: State
) -> dict[str, Any]:
    """The move of the median over the votes of both today and the last value in ``matched_days``."""
    past = [e for e in state.history(tier, day, rules.matched_days or 0) if e.value_micros]
    if not past:
        return {}
    last = past[-1]
    common = [b for b in standing if b.id in last.votes]
    change = None
    if common:
        moved = middle_of([b.value_micros for b in common]) - middle_of([last.votes[b.id] for b in common])
        change = format_micros(round_fraction(moved))
    return {"matched": {"since": last.date.isoformat(), "change": change, "votes": len(common)}}


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """One date of a fixed-effects index, against the first: relative level with its 95 % interval."""

    date: date
    relative: float
    low: float
    high: float
    n_votes: int


def fixed_effects_index(panel: Mapping[date, Mapping[VoteId, int]]) -> list[IndexPoint]:
    """The time-dummy index of a whole panel by ordinary least squares: ln p = vote effect + date effect + error.

    The standard errors are heteroskedasticity-consistent (HC1; MacKinnon & White 1985) and leave out
    that votes of one seller go together. For study: the estimator ``time_dummy`` makes fixings. Raises
    ValueError below two dates.
    """
    import numpy as np
    import statsmodels.api as sm

    dates = sorted(day for day, votes in panel.items() if votes)
    if len(dates) < 2:
        raise ValueError(f"a fixed-effects index needs two dates with votes; there are {len(dates)}")
    ids = sorted({vote for day in dates for vote in panel[day]}, key=repr)
    rows = [(n, ids.index(vote), panel[day][vote]) for n, day in enumerate(dates) for vote in panel[day]]
    design = np.zeros((len(rows), len(ids) + len(dates) - 1))
    for place, (at, who, _) in enumerate(rows):
        design[place, who] = 1.0
        if at:
            design[place, len(ids) + at - 1] = 1.0
    logs = np.log([price for _, _, price in rows])
    fitted = sm.OLS(logs, design).fit(cov_type="HC1")
    intervals = fitted.conf_int()
    points = [IndexPoint(dates[0], 1.0, 1.0, 1.0, len(panel[dates[0]]))]
    for n, day in enumerate(dates[1:]):
        at = len(ids) + n
        low, high = intervals[at]
        points.append(
            IndexPoint(
                day,
                float(np.exp(fitted.params[at])),
                float(np.exp(low)),
                float(np.exp(high)),
                len(panel[day]),
            )
        )
    return points
