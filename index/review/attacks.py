"""The search of one date for the price that moves its value furthest, and of who may quote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

from ..ballot import Ballot
from ..methodology import Benchmark, Methodology
from .days import Day, outcome_of

GRID_FACTOR = 10
"""Prices go from a tenth of the value to ten times it."""
GRID_STEPS = 16
"""Geometric steps from the value to either end: each is 15.5 % further than the one before."""
FAR_FACTOR = 100
"""Where this price moves the value further than the end of the grid does, nothing bounds the move."""
INSIDE_STEPS = 18
"""Halvings between a price that stands and one that is screened: to a millionth of the step."""
PAIRED = 6
"""Pairs are those of so many sellers: the ones that alone move the value most, each way."""
PUPPETS = (1, 2, 3, 5)
MOST_PUPPETS = 10
TARGETS = (0.01, 0.05, 0.10)
"""Moves whose price in added sellers, or in wash trades, is asked."""

UP, DOWN = 1, -1
Cast = Callable[[int], list[Ballot]]
"""The ballots of a day once the actors quote a price."""


@dataclass(frozen=True, slots=True)
class Attack:
    """The largest move that some names get on a date in one direction, micro-USD per GPU-hour.

    ``price_micros`` is the price nearest to the value that gets it, ``own_micros`` what they quoted (the mean; None
    for sellers that did not exist). ``unbounded``: a price beyond the grid moves the value further still.
    """

    date: date
    names: tuple[str, ...]
    direction: int
    value_micros: int
    moved_micros: int
    price_micros: int
    own_micros: int | None
    unbounded: bool

    @property
    def move(self) -> float:
        """The move as a share of the value."""
        return self.moved_micros / self.value_micros - 1


def looks_at_prices(rules: Methodology) -> bool:
    """Whether a screen or a gate depends on how far votes lie apart."""
    screen = rules.screen
    if rules.max_dispersion is not None:
        return True
    return screen is not None and (
        screen.robust_z is not None or screen.jump is not None or screen.venue_deviation is not None
    )


@dataclass(frozen=True, slots=True)
class Tried:
    """What some names got: the value furthest each way with the price of the grid that made it, and silence."""

    names: tuple[str, ...]
    cast: Cast
    furthest: dict[int, tuple[int, int]]
    silent: bool

    def size(self, value: int, way: int) -> float:
        """The move one way as a share of the value; 0 without one."""
        return abs(self.furthest[way][0] / value - 1) if way in self.furthest else 0.0


Found = tuple[str, int, list[Attack], bool]


class Search:
    """The search on one date."""

    def __init__(self, benchmark: Benchmark, day: Day) -> None:
        self.benchmark, self.day = benchmark, day
        self.ballots = day.whole
        outcome = outcome_of(benchmark, day)
        assert outcome is not None
        assert outcome.value_micros is not None
        self.value = outcome.value_micros
        self.standing = outcome.standing
        self.tiers = {b.tier for b in outcome.ballots}
        self.needed: dict[tuple[float, int], int | None] = {}
        self.by_price = looks_at_prices(benchmark.methodology)

    def sellers(self) -> list[Found]:
        """One seller, and two that collude."""
        names = sorted({b.seller for b in self.standing})
        alone = {name: self.reach((name,), self._quoting({name})) for name in names}
        found = [self._best("one seller", 1, list(alone.values()))]
        if len(names) > 1:
            chosen: set[tuple[str, ...]] = set()
            for way in (UP, DOWN):
                sized = {name: alone[name].size(self.value, way) for name in names}
                ranked = sorted(names, key=lambda n: (-sized[n], n))[:PAIRED]
                chosen |= {tuple(sorted(pair)) for pair in combinations(ranked, 2)}
            pairs = [self.reach(pair, self._quoting(set(pair))) for pair in sorted(chosen)]
            found.append(self._best("two sellers colluding", 2, pairs))
        return found

    def venues(self) -> list[Found]:
        """All sellers of one venue; a venue of one seller is that seller."""
        at: dict[str, set[str]] = {}
        for ballot in self.standing:
            for venue in ballot.venues:
                at.setdefault(venue, set()).add(ballot.seller)
        shared = {venue: sellers for venue, sellers in at.items() if len(sellers) > 1}
        tried = [self.reach((venue,), self._quoting(sellers)) for venue, sellers in sorted(shared.items())]
        return [self._best("one venue", 1, tried)] if tried else []

    def puppets(self) -> list[Found]:
        """Sellers that did not exist, each with one vote like the middle one but for its price."""
        found: list[Found] = []
        self.needed = dict.fromkeys(((target, way) for target in TARGETS for way in (UP, DOWN)), None)
        for many in range(1, MOST_PUPPETS + 1):
            if many > max(PUPPETS) and None not in self.needed.values():
                break
            tried = self.reach(tuple(f"added seller {n + 1}" for n in range(many)), self._adding(many))
            for (target, way), already in self.needed.items():
                if already is None and tried.size(self.value, way) >= target:
                    self.needed[target, way] = many
            if many in PUPPETS:
                found.append(self._best("added sellers", many, [tried]))
        return found

    def reach(self, names: tuple[str, ...], cast: Cast) -> Tried:
        """The furthest value each way over the grid, and whether some price leaves no value."""
        furthest: dict[int, tuple[int, int]] = {}
        silent = False
        for way in (UP, DOWN):
            for price in self._grid(cast, way):
                made = self._made(cast, price)
                silent |= made is None
                if made is not None and (made - furthest.get(way, (self.value, 0))[0]) * way > 0:
                    furthest[way] = (made, price)
        return Tried(names, cast, furthest, silent)

    def _attack(self, tried: Tried, way: int) -> Attack:
        made, price = tried.furthest[way]
        far = self._made(tried.cast, self._at(way, FAR_FACTOR))
        return Attack(
            date=self.day.fixing.date,
            names=tried.names,
            direction=way,
            value_micros=self.value,
            moved_micros=made,
            price_micros=self._nearest(tried.cast, price, made),
            own_micros=self._own(set(tried.names)),
            unbounded=far is not None and (far - made) * way > 0,
        )

    def _grid(self, cast: Cast, way: int) -> list[int]:
        """Prices to try: the end of the grid alone where no rule looks at prices, as estimators are monotone."""
        if not self.by_price:
            return [self._at(way, GRID_FACTOR)]
        steps = [self._at(way, GRID_FACTOR ** (n / GRID_STEPS)) for n in range(1, GRID_STEPS + 1)]
        standing = [self._stands(cast, price) for price in steps]
        inside = []
        for before, after, stood, stands in zip(steps, steps[1:], standing, standing[1:], strict=False):
            if stood and not stands:
                inside.append(self._just_inside(cast, before, after))
        return [*steps, *inside]

    def _just_inside(self, cast: Cast, low: int, high: int) -> int:
        """The last price that still stands between one that does and one that is screened."""
        for _ in range(INSIDE_STEPS):
            half = (low + high) // 2
            if self._stands(cast, half):
                low = half
            else:
                high = half
        return low

    def _nearest(self, cast: Cast, price: int, made: int) -> int:
        """The price nearest to the value that already gets the move."""
        low, high = self.value, price
        while abs(high - low) > 1:
            half = (low + high) // 2
            if self._made(cast, half) == made:
                high = half
            else:
                low = half
        return high

    def _at(self, way: int, factor: float) -> int:
        return max(1, round(self.value * factor**way))

    def _made(self, cast: Cast, price: int) -> int | None:
        outcome = outcome_of(self.benchmark, self.day, cast(price))
        return None if outcome is None else outcome.value_micros

    def _stands(self, cast: Cast, price: int) -> bool:
        ballots = cast(price)
        outcome = outcome_of(self.benchmark, self.day, ballots)
        if outcome is None:
            return False
        screened = {s.ballot.seller for s in outcome.screened}
        theirs = {b.seller for b in ballots if b.value_micros == price}
        return not theirs & screened

    def _quoting(self, sellers: set[str]) -> Cast:
        def cast(price: int) -> list[Ballot]:
            asked = [replace(b, value_micros=price) if b.seller in sellers else b for b in self.ballots]
            return sorted(asked, key=lambda b: b.order)

        return cast

    def _adding(self, many: int) -> Cast:
        middle = self.standing[len(self.standing) // 2]

        def cast(price: int) -> list[Ballot]:
            added = [
                replace(
                    middle,
                    seller=f"added seller {n + 1}",
                    value_micros=price,
                    observation_id=None if middle.observation_id is None else -1 - n,
                    buyer=None if middle.buyer is None else f"added buyer {n + 1}",
                )
                for n in range(many)
            ]
            return sorted([*self.ballots, *added], key=lambda b: b.order)

        return cast

    def _own(self, names: set[str]) -> int | None:
        held = [b.value_micros for b in self.standing if b.seller in names or names & set(b.venues)]
        return round(sum(held) / len(held)) if held else None

    def _best(self, kind: str, n: int, tried: Sequence[Tried]) -> Found:
        """The furthest of all that were tried, each way; of equals the first by name."""
        best = []
        for way in (UP, DOWN):
            ways = [each for each in tried if way in each.furthest]
            if ways:
                best.append(self._attack(max(ways, key=lambda each: each.size(self.value, way)), way))
        return kind, n, best, any(each.silent for each in tried)
