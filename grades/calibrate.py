"""Calibrating an adjustment factor: what the same seller asks, at the same time, for two near goods.

A pair is one seller's price for the near-miss and for the good on one UTC day, everything else equal
(a matched-model comparison; ILO and others, Consumer Price Index Manual: Concepts and Methods, 2020,
chapter 6). Pairs of one seller are not independent, so a seller is one cluster and speaks once: by the
median of its log ratios. The estimate is the median and the mean over sellers, each with its interval.

A seller whose ratio is one and the same across its products, of whatever chip, sets one price by formula
from the other. Such a quote is a duplicate and says nothing of what a market pays for the difference: it is
*administered*, flagged and left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .adjustment import ADJUSTED_RULES, AdjustedField, Factor
from .rules import SELLER_STATES_FORM_FACTOR, rules_of
from .spec import Grade

if TYPE_CHECKING:
    import ibis

CONFIDENCE = 0.95
ADMINISTERED_VARIATION = 0.01
"""Coefficient of variation of a seller's ratios under which they are one fixed ratio: what is left is the
rounding of prices to cents."""
FEWEST_DISTINCT_PAIRS = 3
"""Distinct pairs of prices, over all chips, that it takes to tell a fixed ratio from two prices that stood."""
LEVEL_TO_RATIO = 3
"""How much more than ADMINISTERED_VARIATION the prices themselves must vary before a steady ratio means
anything."""

Verdict = Literal["market", "administered", "undetermined"]

_PAIR_KEY = (
    "source", "seller", "venue", "tier", "chip", "pricing", "term_months", "price_basis", "service",
    "tenancy", "interconnect", "form_factor", "memory_gb", "gpu_count", "minimum_gpus", "region", "country",
)  # fmt: skip
"""What two prices of a pair have in common, besides the day, but for the field in question."""
_OF_THE_PRODUCT = ("chip", "form_factor", "memory_gb", "sku")
"""Rules of a grade that tell one product of a seller from another."""
_FOLLOWS: dict[AdjustedField, tuple[str, ...]] = {
    "form_factor": ("interconnect",),
    "interconnect": (),
    "country": ("region",),
    "gpu_count": ("minimum_gpus", "interconnect"),
    "term_months": (),
}
"""Columns that change with a field by its nature, and so are not held equal."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its confidence interval; bounds are None with a ``reason`` where there is none."""

    value: float
    low: float | None
    high: float | None
    coverage: float | None
    """Confidence of the interval: of one from ordered values, what they can give, at least CONFIDENCE."""
    reason: str | None


@dataclass(frozen=True, slots=True)
class SellerSpread:
    """One seller's ratios of the good to the near-miss.

    ``pairs`` and ``ratio`` are of the good itself. ``distinct_pairs``, and the coefficients of variation of
    their ratios and of their prices, are over all the seller's products: they decide the verdict.
    """

    seller: str
    pairs: int
    distinct_pairs: int
    ratio: float
    variation: float
    level_variation: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Calibration:
    """A factor estimated from pairs; ``median`` and ``mean`` are None where no seller is left.

    ``pairs`` counts those of the sellers used, ``pairs_administered`` those left out.
    """

    step: Factor
    pairs: int
    pairs_administered: int
    sellers: tuple[SellerSpread, ...]
    median: Interval | None
    mean: Interval | None
    first_day: date | None
    last_day: date | None

    @property
    def sellers_used(self) -> int:
        """Sellers behind the estimate."""
        return sum(spread.verdict != "administered" for spread in self.sellers)


def price_pairs(
    observations: ibis.Table, grade: Grade, step: Factor, *, all_products: bool = False
) -> ibis.Table:
    """Pairs as ``seller, day, from_twice, to_twice``: twice the median price of each side, in micro-USD.

    Offers alone, without those the source repeats, doubts or forbids; they meet every rule of the grade
    but those of the field. ``all_products`` drops the rules that tell products apart, too: what a seller
    does across them shows whether its ratio is administered.
    """
    import ibis

    table = observations.mutate(**{SELLER_STATES_FORM_FACTOR: observations.form_factor.isnull() & False})
    asked = [
        rule.predicate(table)
        for rule in rules_of(grade)
        if rule.code not in ADJUSTED_RULES[step.field]
        and rule.kind not in ("seller_silent", "rating")
        and not (all_products and rule.code in _OF_THE_PRODUCT)
    ]
    kept = table.filter(
        *asked,
        table.kind == "offer",
        ~table.carried_by_source,
        table.suspect.isnull(),
        table.rights != "forbidden",
        table[step.field].isin([step.from_value, step.to_value]),
    )
    free = (step.field, *_FOLLOWS[step.field])
    keys = [name for name in _PAIR_KEY if name not in free]
    kept = kept.mutate(day=kept.observed_at.date())
    is_from = kept[step.field] == step.from_value
    none = ibis.null("int64")
    sides = kept.mutate(
        from_price=ibis.cases((is_from, kept.price_micros), else_=none),
        to_price=ibis.cases((~is_from, kept.price_micros), else_=none),
    )
    grouped = sides.group_by([*keys, "day"]).aggregate(
        from_twice=(sides.from_price.median() * 2).cast("int64"),
        to_twice=(sides.to_price.median() * 2).cast("int64"),
    )
    both = grouped.filter(grouped.from_twice.notnull(), grouped.to_twice.notnull())
    return both.select("seller", "day", "from_twice", "to_twice")


def calibrate(step: Factor, pairs: pa.Table, products: pa.Table | None = None) -> Calibration:
    """Estimate the factor of a step from its pairs (see :func:`price_pairs`), in any order.

    ``products`` are the pairs of all products, which hold these too; without them a seller is judged by
    these alone.
    """
    across = {
        seller: (lower, upper) for seller, lower, upper in _by_seller(pairs if products is None else products)
    }
    spreads = []
    logs = []
    for seller, lower, upper in _by_seller(pairs):
        log_ratio = np.log(upper) - np.log(lower)
        spread = _spread(seller, len(lower), float(np.median(log_ratio)), *across.get(seller, (lower, upper)))
        spreads.append(spread)
        if spread.verdict != "administered":
            logs.append(math.log(spread.ratio))
    days = pairs["day"].to_pylist()
    administered = sum(s.pairs for s in spreads if s.verdict == "administered")
    values = np.sort(np.array(logs, np.float64))
    return Calibration(
        step=step,
        pairs=pairs.num_rows - administered,
        pairs_administered=administered,
        sellers=tuple(spreads),
        median=None if values.size == 0 else median_interval(values),
        mean=None if values.size == 0 else mean_interval(values),
        first_day=min(days, default=None),
        last_day=max(days, default=None),
    )


def _by_seller(pairs: pa.Table) -> Iterator[tuple[str, Numbers, Numbers]]:
    """Each seller in order of name with its prices of both sides, ordered so that sums do not depend on rows."""
    ordered = pairs.sort_by([(name, "ascending") for name in ("seller", "from_twice", "to_twice")])
    sellers = np.array(ordered["seller"].to_pylist(), object)
    lower = ordered["from_twice"].to_numpy().astype(np.float64)
    upper = ordered["to_twice"].to_numpy().astype(np.float64)
    starts = [at for at in range(len(sellers)) if at == 0 or sellers[at] != sellers[at - 1]]
    for start, end in zip(starts, [*starts[1:], len(sellers)], strict=True):
        yield str(sellers[start]), lower[start:end], upper[start:end]


def _spread(seller: str, pairs: int, median_log: float, lower: Numbers, upper: Numbers) -> SellerSpread:
    distinct = np.unique(np.stack([lower, upper]), axis=1)
    ratios = distinct[1] / distinct[0]
    variation, level = _variation(ratios), _variation(distinct[0])
    verdict: Verdict = "market"
    if variation < ADMINISTERED_VARIATION:
        moved = len(ratios) >= FEWEST_DISTINCT_PAIRS and level >= LEVEL_TO_RATIO * ADMINISTERED_VARIATION
        verdict = "administered" if moved else "undetermined"
    return SellerSpread(seller, pairs, len(ratios), math.exp(median_log), variation, level, verdict)


def _variation(values: Numbers) -> float:
    """The coefficient of variation: population standard deviation over mean."""
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values)) / mean


def mean_interval(logs: Numbers) -> Interval:
    """The geometric mean over clusters with Student's t interval on n − 1 degrees of freedom."""
    count = len(logs)
    mean = math.fsum(logs) / count
    if count < 2:
        return Interval(math.exp(mean), None, None, None, "one seller shows no spread between sellers")
    from scipy.stats import t  # a second to import, only here

    error = math.sqrt(math.fsum((v - mean) ** 2 for v in logs) / (count - 1) / count)
    reach = float(t.ppf((1 + CONFIDENCE) / 2, count - 1)) * error
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), CONFIDENCE, None)


def median_interval(logs: Numbers) -> Interval:
    """The median over clusters with the interval between ordered values x₍k₎ and x₍n+1−k₎.

    Free of any distribution: its coverage is 1 − 2·P(B ≤ k − 1) with B binomial(n, ½) (Conover, Practical
    Nonparametric Statistics, 3rd ed. 1999, section 3.2). ``logs`` are ascending.
    """
    count = len(logs)
    middle = math.exp(float(np.median(logs)))
    tail = below = 0.0
    rank = 0
    for k in range(count // 2):
        tail += math.comb(count, k) / 2**count
        if 2 * tail > 1 - CONFIDENCE:
            break
        rank, below = k + 1, tail
    if rank == 0:
        reason = f"{count} sellers; an interval of the median needs 6"
        return Interval(middle, None, None, None, reason)
    return Interval(middle, math.exp(logs[rank - 1]), math.exp(logs[count - rank]), 1 - 2 * below, None)


def suggested_factor(calibration: Calibration) -> str | None:
    """The median as text with three decimals, as a schedule takes it; None where there is no estimate."""
    return None if calibration.median is None else f"{calibration.median.value:.3f}"


def pair_columns(step: Factor) -> tuple[str, ...]:
    """What the two prices of a pair have in common besides the day, for a reader of the estimate."""
    return tuple(name for name in _PAIR_KEY if name not in (step.field, *_FOLLOWS[step.field]))


def as_plain(interval: Interval | None, missing: str) -> dict[str, Any]:
    """An interval as plain JSON values; ``missing`` says why where there is none."""
    if interval is None:
        return {"value": None, "low": None, "high": None, "coverage": None, "reason": missing}
    return {
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "coverage": interval.coverage,
        "reason": interval.reason,
    }
