"""Contracts and methods ranked for a rent book by the swing they would have left, in months they had not seen.

Through a contract the reference of a month is what the month settled at on its benchmark, so averaging rules
and calendars count; without one it is the mean of the month's fixings, as in the report's monthly changes.
Every candidate is judged on the months all of them have, so that a longer or a luckier past ranks nobody
higher, and the ranking is corrected for its own length by the model confidence set.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..contracts import ContractSpec
from ..contracts.account import IndexView
from ..records import STATUSES_OBSERVED, Fixing, Refusal, month_bounds, month_of
from .comparing import UNHEDGED, MethodComparison, compare_methods
from .effectiveness import LEARNING_CHANGES, MINIMUM_CHANGES, Effectiveness, effectiveness
from .methods import METHODS
from .regressions import Regression, to_dollars
from .rent_book import RentBook
from .sentences import Role
from .series import Changes
from .verdict import Verdict, decide

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something to hedge with: a contract on a benchmark, or the benchmark alone.

    ``references`` are by month what a hedge on it pays: micro-USD per GPU-hour, exact.
    """

    benchmark: str
    references: Mapping[str, Fraction]
    contract: str | None = None
    proxy: bool = True

    @property
    def name(self) -> str:
        """The contract on its benchmark, or the benchmark."""
        return self.benchmark if self.contract is None else f"{self.contract} on {self.benchmark}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedHedge:
    """One candidate by one method; ``rank`` 1 leaves the least swing, None where it was not judged.

    ``set_p_value`` is its p value in the model confidence set of the book.
    """

    candidate: Candidate
    method: str
    judged: Effectiveness
    verdict: Verdict
    changes: int
    rank: int | None = None
    set_p_value: float | None = None
    in_set: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRanking:
    """The ranking of one rent book over ``months`` common months; None comes with a ``reason``."""

    name: str
    digest: str
    months: int
    ranked: tuple[RankedHedge, ...]
    comparison: MethodComparison | None = None
    reason: str | None = None

    @property
    def best(self) -> RankedHedge | None:
        """The hedge that left the least swing, whatever its verdict."""
        return next((each for each in self.ranked if each.rank == 1), None)


def contract_candidate(
    view: IndexView, months: Iterable[str], through: date, spec: ContractSpec
) -> Candidate:
    """A contract as a candidate: what each month that settled by the end of ``through`` paid."""
    references: dict[str, Fraction] = {}
    for month in months:
        outcome = view.outcome(month, through)
        if outcome is not None and outcome.final is not None:
            references[month] = Fraction(outcome.final.price_micros)
    return Candidate(
        contract=spec.id,
        benchmark=view.benchmark,
        references=references,
        proxy=view.benchmark != spec.official_benchmark,
    )


def benchmark_candidate(benchmark: str, first: Mapping[date, Fixing]) -> Candidate:
    """A benchmark as a candidate: the mean of each month's OK and THIN fixings, as first published."""
    grouped: dict[str, list[int]] = {}
    for day, fixing in first.items():
        if fixing.value_micros is not None and fixing.status in STATUSES_OBSERVED:
            grouped.setdefault(month_of(day), []).append(fixing.value_micros)
    return Candidate(
        benchmark=benchmark,
        references={month: Fraction(sum(values), len(values)) for month, values in grouped.items()},
    )


def rank_hedges(
    book: RentBook, candidates: Sequence[Candidate], methods: Sequence[str], *, role: Role
) -> BookRanking:
    """Judge every candidate by every method on the common months of a book, and rank them.

    A candidate with fewer than 36 monthly changes of its own is *too short* and leaves the others'
    months alone.
    """
    rents = _monthly_rent(book)
    own = {each.name: _shared(rents, each) for each in candidates}
    long = [each for each in candidates if len(own[each.name]) > MINIMUM_CHANGES]
    common = sorted(set.intersection(*(set(own[each.name]) for each in long))) if long else []
    together = len(common) > MINIMUM_CHANGES
    found: list[RankedHedge] = []
    for each in candidates:
        changes = _changes(common if together and each in long else own[each.name], rents, each)
        constant = len(set(book.rates.values())) == 1
        for name in methods:
            judged = effectiveness(METHODS[name].for_side(role), changes, side=role)
            verdict = decide(
                judged, _fit(changes), monthly_change_count=len(changes), rent_is_constant=constant
            )
            found.append(
                RankedHedge(candidate=each, method=name, judged=judged, verdict=verdict, changes=len(changes))
            )
    if not together:
        reason = (
            f"the candidates share {max(0, len(common) - 1)} monthly changes, {MINIMUM_CHANGES} needed to rank them"
            if long
            else f"no candidate has {MINIMUM_CHANGES} monthly changes in common with the rent"
        )
        return _book(book, len(common), found, None, reason)
    comparison = _compared(rents, common, found)
    if isinstance(comparison, Refusal):
        return _book(book, len(common), found, None, comparison.sentence)
    return _book(book, len(common), found, comparison, None)


def _book(
    book: RentBook,
    months: int,
    found: Sequence[RankedHedge],
    comparison: MethodComparison | None,
    reason: str | None,
) -> BookRanking:
    ranked = _ranked(found, months - 1, comparison) if comparison is not None else tuple(found)
    return BookRanking(
        name=book.name, digest=book.digest, months=months, ranked=ranked, comparison=comparison, reason=reason
    )


def _ranked(
    found: Sequence[RankedHedge], changes: int, comparison: MethodComparison
) -> tuple[RankedHedge, ...]:
    """Those judged on the common months in order of the swing they left, then the rest as they came."""
    judged = [each for each in found if each.judged.walk_forward is not None and each.changes == changes]
    rest = [each for each in found if each not in judged]
    p_values = comparison.set_p_values or {}
    judged.sort(key=lambda each: each.judged.swing_hedged or 0.0)
    return (
        *(
            RankedHedge(
                candidate=each.candidate,
                method=each.method,
                judged=each.judged,
                verdict=each.verdict,
                changes=each.changes,
                rank=place,
                set_p_value=p_values.get(_key(each)),
                in_set=None if comparison.set_p_values is None else _key(each) in comparison.in_set,
            )
            for place, each in enumerate(judged, start=1)
        ),
        *rest,
    )


def _key(each: RankedHedge) -> str:
    return f"{each.candidate.name} by {each.method}"


def _compared(
    rents: Mapping[str, Fraction], common: Sequence[str], found: Sequence[RankedHedge]
) -> MethodComparison | Refusal:
    import numpy as np

    unhedged: NDArray[np.float64] | None = None
    hedged: dict[str, NDArray[np.float64]] = {}
    for each in found:
        if each.judged.walk_forward is None or each.changes != len(common) - 1:
            continue
        rent, reference = to_dollars(_changes(common, rents, each.candidate))
        unhedged = rent[LEARNING_CHANGES:]
        hedged[_key(each)] = unhedged - np.array(each.judged.ratios) * reference[LEARNING_CHANGES:]
    if unhedged is None:
        return Refusal("no_methods", "no method has a walk-forward ratio, so there is nothing to rank")
    return compare_methods(unhedged, hedged)


def _monthly_rent(book: RentBook) -> dict[str, Fraction]:
    grouped: dict[str, list[int]] = {}
    for day, rate in book.rates.items():
        grouped.setdefault(month_of(day), []).append(rate)
    return {month: Fraction(sum(rates), len(rates)) for month, rates in grouped.items()}


def _shared(rents: Mapping[str, Fraction], candidate: Candidate) -> list[str]:
    return sorted(rents.keys() & candidate.references.keys())


def _changes(months: Sequence[str], rents: Mapping[str, Fraction], candidate: Candidate) -> Changes:
    """Changes from each common month to the next of the mean rent and of what the candidate paid."""
    pairs = list(itertools.pairwise(months))
    references = candidate.references
    return Changes(
        kind="monthly",
        dates=tuple(month_bounds(later)[1] for _, later in pairs),
        rent=tuple(rents[later] - rents[before] for before, later in pairs),
        reference=tuple(references[later] - references[before] for before, later in pairs),
    )


def _fit(changes: Changes) -> Regression:
    """R² of the monthly changes, which is all the verdict asks of a regression."""
    import numpy as np

    rent, reference = to_dollars(changes)
    n = len(changes)
    if n < 2 or (rent == rent[0]).all() or (reference == reference[0]).all():
        return Regression(kind="monthly", n=n, reason="one of the two did not vary, so R² is not defined")
    correlation = float(np.corrcoef(rent, reference)[0, 1])
    return Regression(kind="monthly", n=n, r_squared=correlation**2)


__all__ = [
    "UNHEDGED",
    "BookRanking",
    "Candidate",
    "RankedHedge",
    "benchmark_candidate",
    "contract_candidate",
    "rank_hedges",
]
