"""Days: what a review is handed of each fixing date, and the small questions every section asks of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...records import Fixing, Vote, round_fraction
from ..ballot import Ballot
from ..evaluation import Outcome
from ..hierarchy import decide
from ..methodology import Benchmark
from ..state import EMPTY, State
from ..windows import Window


@dataclass(frozen=True, slots=True)
class Day:
    """One fixing date: its window, the ballots that were cast, the state its rules read, and what was printed.

    ``ballots`` may hold those of parts of the window (``slice``), which no section reads.
    """

    window: Window
    ballots: Sequence[Ballot]
    fixing: Fixing
    state: State = EMPTY
    absent_sources: tuple[str, ...] = ()
    """Those of ``outage_sources`` from which nothing came: then there is no value, whatever was voted."""

    @property
    def whole(self) -> list[Ballot]:
        """The ballots of the whole window."""
        return [b for b in self.ballots if b.slice == 0]


@dataclass(frozen=True, slots=True)
class Stand:
    """How a seller stood on a day: one price in micro-USD, and its votes by region and SKU where it has several.

    The price is its vote, or the mean of its votes by traded hours where they have any, rounded half-even.
    Where each observation is a vote, votes have no names and only the price is compared.
    """

    price_micros: int
    votes: tuple[tuple[str, int], ...]


def outcome_of(benchmark: Benchmark, day: Day, ballots: Sequence[Ballot] | None = None) -> Outcome | None:
    """What a day comes to under these rules, with its own ballots or with others; None without a vote."""
    return decide(benchmark, day.whole if ballots is None else ballots, day.window, day.state).outcome


def value_of(outcome: Outcome | None) -> int | None:
    """The value, micro-USD per GPU-hour; None where the rules refuse one. Nothing is carried."""
    return None if outcome is None else outcome.value_micros


def refusal_code(outcome: Outcome | None) -> str | None:
    """The rule that left no value, or None where there is one."""
    if outcome is None:
        return "no_match"
    return outcome.refusal.code if outcome.refusal is not None else None


def stands(outcome: Outcome | None) -> Mapping[str, Stand]:
    """How each seller stood, of the votes that were not screened."""
    by_seller: dict[str, list[Vote]] = {}
    for vote in () if outcome is None else outcome.votes:
        by_seller.setdefault(vote.seller, []).append(vote)
    return {seller: _stand(votes) for seller, votes in by_seller.items()}


def _stand(votes: Sequence[Vote]) -> Stand:
    hours = [vote.gpu_seconds for vote in votes]
    weights = hours if all(hours) else [1] * len(votes)
    mean = Fraction(sum(v.value_micros * w for v, w in zip(votes, weights, strict=True)), sum(weights))
    named = [
        (" · ".join(part for part in (v.tier, v.region, v.sku) if part is not None), v.value_micros)
        for v in votes
        if v.observation_id is None
    ]
    return Stand(round_fraction(mean), tuple(sorted(named)))


def share_of(change_micros: int | None, base_micros: int | None) -> float | None:
    """A move as a share of the value before; None where either is missing."""
    return None if change_micros is None or not base_micros else change_micros / base_micros
