"""Gates: what a day's votes must meet before a value is printed, and what marks it thin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .exact import exact
from .methodology import Methodology

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Gate:
    """One question asked of a day's votes: what was found, what is needed, and whether it is met.

    Counts are whole numbers, a dispersion and a share are exact fractions. ``at_most`` turns the
    question: found may not exceed needed.
    """

    code: str
    found: int | Fraction
    needed: int | Fraction
    hard: bool
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether what was found is enough, or not too much."""
        return self.found <= self.needed if self.at_most else self.found >= self.needed

    @property
    def sentence(self) -> str:
        """The gate and how far it was from being met."""
        sign = ">" if self.at_most else "<"
        found, needed = (v if isinstance(v, int) else f"{float(v):.6f}" for v in (self.found, self.needed))
        return f"{self.code} {found}{sign}{needed}"


@dataclass(frozen=True, slots=True)
class Counts:
    """What the gates count on one day and tier. ``gpu_seconds`` is traded volume.

    ``aggregator_share`` is the largest share of sellers that one aggregator carries.
    """

    n_sellers: int
    n_votes: int
    n_observations: int
    n_venues: int
    gpu_seconds: int
    aggregator_share: Fraction = Fraction(0)


def gates(
    methodology: Methodology,
    tier: str,
    counts: Counts,
    *,
    dispersion: Fraction | None = None,
    in_gap: bool = False,
) -> list[Gate]:
    """All gates of a methodology for one day, hard ones first, in the order they are reported.

    ``min_gpu_hours`` asks only of the trade tier, as other tiers have no volume. It finds whole hours,
    which reach a whole number exactly when the seconds do. ``in_gap`` asks the way out of it, too.
    """
    counted = {
        "min_sellers": counts.n_sellers,
        "min_votes": counts.n_votes,
        "min_observations": counts.n_observations,
    }
    asked = [Gate(code, found, getattr(methodology, code), hard=True) for code, found in counted.items()]
    asked.append(Gate("min_venues", counts.n_venues, methodology.min_venues, hard=True))
    if methodology.min_gpu_hours and tier == "trade":
        found = counts.gpu_seconds // SECONDS_PER_HOUR
        asked.append(Gate("min_gpu_hours", found, methodology.min_gpu_hours, hard=True))
    if methodology.max_aggregator_share is not None:
        most = exact(methodology.max_aggregator_share)
        asked.append(Gate("max_aggregator_share", counts.aggregator_share, most, hard=True, at_most=True))
    if methodology.max_dispersion is not None and dispersion is not None:
        most = exact(methodology.max_dispersion)
        asked.append(Gate("max_dispersion", dispersion, most, hard=True, at_most=True))
    if in_gap and methodology.reopen is not None:
        reopen = methodology.reopen
        for code, found in counted.items():
            needed = getattr(reopen, code)
            if needed is not None:
                asked.append(Gate(f"reopen_{code}", found, needed, hard=True))
        if reopen.max_dispersion is not None and dispersion is not None:
            most = exact(reopen.max_dispersion)
            asked.append(Gate("reopen_max_dispersion", dispersion, most, hard=True, at_most=True))
    if methodology.thin_sellers is not None:
        asked.append(Gate("thin_sellers", counts.n_sellers, methodology.thin_sellers, hard=False))
    if methodology.thin_observations is not None:
        asked.append(
            Gate("thin_observations", counts.n_observations, methodology.thin_observations, hard=False)
        )
    return asked


def first_unmet(asked: Sequence[Gate], *, hard: bool) -> Gate | None:
    """The first hard (or soft) gate that is not met, or None."""
    return next((gate for gate in asked if gate.hard == hard and not gate.met), None)


def reopening_gate(methodology: Methodology, pending_days: int) -> Gate | None:
    """Asked last, once every other gate is met after a gap: for how many dates in a row that is so now."""
    if methodology.reopen is None or methodology.reopen.days == 1:
        return None
    return Gate("reopen_days", pending_days + 1, methodology.reopen.days, hard=True)


def dispersion_of(days: Sequence[Sequence[int]]) -> Fraction | None:
    """How far votes lie apart: the interquartile range of a pool of votes, each relative to its day's median.

    A pool over several days steadies the figure where votes are few, and dividing by each day's own
    median keeps a moving level out of it. Quartiles by linear interpolation (Hyndman & Fan 1996,
    definition 7), exact. None without votes.
    """
    pool: list[Fraction] = []
    for votes in days:
        ordered = sorted(votes)
        if ordered:
            half = len(ordered) // 2
            middle = Fraction(ordered[half] + ordered[-half - 1], 2)
            pool += [price / middle for price in map(Fraction, ordered)]
    if not pool:
        return None
    pool.sort()
    return _quantile(pool, Fraction(3, 4)) - _quantile(pool, Fraction(1, 4))


def _quantile(ordered: Sequence[Fraction], level: Fraction) -> Fraction:
    place = (len(ordered) - 1) * level
    whole = int(place)
    if whole == place:
        return ordered[whole]
    return ordered[whole] + (ordered[whole + 1] - ordered[whole]) * (place - whole)


def largest_aggregator_share(sellers: Sequence[str], aggregators: Sequence[Sequence[str]]) -> Fraction:
    """The largest share of distinct sellers that one aggregator carries a vote of; zero where none is named."""
    carried = Counter(
        name for name, _ in {(a, s) for s, many in zip(sellers, aggregators, strict=True) for a in many}
    )
    total = len(set(sellers))
    return Fraction(max(carried.values()), total) if carried else Fraction(0)
