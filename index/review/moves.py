"""Who moved it: the move of a value since the day before it, seller by seller.

For each seller the value is made again without it on *both* days, through the same hierarchy, screens, gates
and estimator (leave-one-out; Quenouille 1949, Tukey 1958): what is left of the move is what the others did.
The state that rules read of earlier fixings stays as it was.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from ...records import STATUSES_OBSERVED, Refusal
from ..composition import Composition, composition
from ..evaluation import Outcome
from ..methodology import Benchmark
from .days import Day, outcome_of, refusal_code, stands, value_of


@dataclass(frozen=True, slots=True)
class SellerPrice:
    """A seller's price on both days, micro-USD; None on a day on which it has no vote that stands."""

    seller: str
    before_micros: int | None
    after_micros: int | None


@dataclass(frozen=True, slots=True)
class WithoutMove:
    """The value of both days had one seller been on neither; ``reason`` is the rule that then refuses one."""

    seller: str
    before_micros: int | None
    after_micros: int | None
    reason: str | None

    @property
    def change_micros(self) -> int | None:
        """The move without the seller."""
        if self.before_micros is None or self.after_micros is None:
            return None
        return self.after_micros - self.before_micros


@dataclass(frozen=True, slots=True)
class ChangeStory:
    """A move told by seller. Prices are micro-USD per GPU-hour.

    ``changed`` are sellers with another price than the day before, ``entered`` and ``left`` those of one day
    alone. ``n_sellers`` counts those of the later day, ``n_unchanged`` those of them whose price is the day
    before's. ``without`` names the sellers that acted (changed, came or went) first, then the others, each time
    those first without which the move would have been the most different.
    ``moved_it`` are the sellers that changed, came or went and without any one of which there is no move.
    ``matched_micros`` is the move over the votes of both days (``composition``), None with ``matched_reason``.
    """

    benchmark: str
    date: dt.date
    value_micros: int
    previous_date: dt.date
    previous_micros: int
    n_sellers: int
    n_unchanged: int
    changed: tuple[SellerPrice, ...]
    entered: tuple[SellerPrice, ...]
    left: tuple[SellerPrice, ...]
    without: tuple[WithoutMove, ...]
    matched_micros: int | None
    matched_reason: str | None
    moved_it: tuple[str, ...] = ()

    @property
    def change_micros(self) -> int:
        """The move of the value."""
        return self.value_micros - self.previous_micros

    @property
    def change(self) -> float:
        """The move as a share of the value before."""
        return self.change_micros / self.previous_micros

    @property
    def share_unchanged(self) -> float | None:
        """The share of the later day's sellers whose price is the day before's."""
        return self.n_unchanged / self.n_sellers if self.n_sellers else None

    @property
    def acted(self) -> frozenset[str]:
        """Sellers that changed their price, came or went."""
        return frozenset(s.seller for s in (*self.changed, *self.entered, *self.left))

    @property
    def most_different(self) -> WithoutMove | None:
        """Of the sellers that acted, the one without which the move would have been the most different."""
        acted = self.acted
        return next((w for w in self.without if w.seller in acted), None)


def who_moved_it(benchmark: Benchmark, before: Day, after: Day) -> ChangeStory | Refusal:
    """Tell the move between two days, by the rules of ``benchmark`` on both.

    The values are those printed. Refuses where either day prints no value of its own.
    """
    printed = [
        d.fixing.value_micros if d.fixing.status in STATUSES_OBSERVED else None for d in (before, after)
    ]
    if None in printed:
        bare = before if printed[0] is None else after
        return Refusal("no_value", f"{benchmark.name} has no value of its own on {bare.fixing.date}")
    then, now = outcome_of(benchmark, before), outcome_of(benchmark, after)
    old, new = stands(then), stands(now)
    both = sorted(old.keys() & new.keys())
    change = (printed[1] or 0) - (printed[0] or 0)
    taken = _taken_apart(benchmark, before, after, then, now)
    story = ChangeStory(
        benchmark=benchmark.name,
        date=after.fixing.date,
        value_micros=printed[1] or 0,
        previous_date=before.fixing.date,
        previous_micros=printed[0] or 0,
        n_sellers=len(new),
        n_unchanged=sum(old[s] == new[s] for s in both),
        changed=tuple(
            SellerPrice(s, old[s].price_micros, new[s].price_micros) for s in both if old[s] != new[s]
        ),
        entered=tuple(SellerPrice(s, None, new[s].price_micros) for s in sorted(new.keys() - old.keys())),
        left=tuple(SellerPrice(s, old[s].price_micros, None) for s in sorted(old.keys() - new.keys())),
        without=_without_each(benchmark, before, after),
        matched_micros=taken.price_micros if isinstance(taken, Composition) else None,
        matched_reason=_why_not(taken),
    )
    acted = story.acted
    ranked = tuple(sorted(story.without, key=lambda w: _most_telling(w, story, acted)))
    alone = [w.seller for w in ranked if change and w.change_micros == 0 and w.seller in acted]
    return replace(story, without=ranked, moved_it=tuple(alone))


def _without_each(benchmark: Benchmark, before: Day, after: Day) -> tuple[WithoutMove, ...]:
    sellers = sorted({b.seller for day in (before, after) for b in day.whole})
    found = []
    for seller in sellers:
        kept = [
            outcome_of(benchmark, day, [b for b in day.whole if b.seller != seller])
            for day in (before, after)
        ]
        reason = refusal_code(kept[0]) or refusal_code(kept[1])
        found.append(WithoutMove(seller, value_of(kept[0]), value_of(kept[1]), reason))
    return tuple(found)


def _most_telling(without: WithoutMove, story: ChangeStory, acted: frozenset[str]) -> tuple[bool, int, str]:
    rest = without.change_micros
    apart = story.value_micros if rest is None else abs(story.change_micros - rest)
    return without.seller not in acted, -apart, without.seller


def _taken_apart(
    benchmark: Benchmark, before: Day, after: Day, then: Outcome | None, now: Outcome | None
) -> Composition | Refusal:
    stood = [() if o is None else o.standing for o in (then, now)]
    return composition(benchmark, (before.fixing.date, stood[0]), (after.fixing.date, stood[1]))


def _why_not(taken: Composition | Refusal) -> str | None:
    if isinstance(taken, Refusal):
        return taken.sentence
    return "no vote is in both days" if taken.price_micros is None else None
