"""The time-dummy index: sellers' fixed effects held, dates' effects read, over a rolling window.

A multilateral index: all dates of the window are compared at once, so that it does not drift. The fit is
by exact weights and 40-digit logarithms instead of floating least squares, so that a tape built on one
machine is verified to the last digit on another; tests hold it against statsmodels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from ...records import Refusal
from .base import Earlier, Estimate, Estimator, Slate, VoteId, without_weight, worked
from .chain import begin, carried_forward, sellers_of, valued
from .steps import DIGITS, Step, Term, add, decimal_of, ln, step


def work(slate: Slate) -> Estimate | Refusal:
    """Least squares of ln p_it = α_i + δ_t + ε_it over the dates of the memory and today (i: a vote).

    The time-product-dummy method (Summers 1973; de Haan & Krsinich 2014; Diewert & Fox 2020). Each
    earlier level P_s gives P_s·exp(δ_t − δ_s); ``splice`` says which counts: ``movement`` the last,
    ``window`` the first, ``mean`` the geometric mean over the window (Diewert & Fox 2022), always on the
    levels as published (Chessa 2021). Only dates linked to today through common votes are read.
    """
    refusal = without_weight(slate, "no_votes", "no vote has weight")
    if refusal is not None:
        return refusal
    if not valued(slate.history):
        return begin(slate)
    now = {v: p for v, p, w in zip(slate.ids, slate.prices, slate.weights, strict=True) if w}
    past = linked(now, slate.history)
    levels = valued(past)
    matched = now.keys() & {vote for earlier in past for vote in earlier.votes}
    needed = slate.parameters.min_sellers
    if not levels or sellers_of(matched) < needed:
        return Refusal(
            "too_few_matched",
            f"{sellers_of(matched)} sellers are in both the memory and today, {needed} needed",
        )
    effects = dict(
        zip((e.date for e in past), time_effects([*(e.votes for e in past), now])[:-1], strict=True)
    )
    return _spliced(slate, levels, {e.date: relative(effects[e.date]) for e in levels})


def _spliced(slate: Slate, levels: Sequence[Earlier], moves: Mapping[object, Fraction]) -> Estimate:
    splice = slate.parameters.splice or "mean"
    used = {"movement": levels[-1:], "window": levels[:1], "mean": levels}[splice]
    steps: list[Step] = [carried_forward(earlier, moves[earlier.date]) for earlier in used]
    if len(steps) > 1:
        terms = [Term(made.name, made.result) for made in steps]
        steps.append(step(f"mean splice over {len(terms)} levels", "geometric_mean", terms))
    return worked(*steps)


def relative(effect: Decimal) -> Fraction:
    """exp(δ_t − δ_s), with δ_t of today at zero."""
    return Fraction(DIGITS.exp(-effect))


def linked(now: Mapping[VoteId, int], history: Sequence[Earlier]) -> list[Earlier]:
    """Earlier dates that share votes with today, directly or through one another; oldest first."""
    reached, found = set(now), set[int]()
    grew = True
    while grew:
        near = {n for n, earlier in enumerate(history) if n not in found and reached & earlier.votes.keys()}
        for n in near:
            reached |= history[n].votes.keys()
        found |= near
        grew = bool(near)
    return [history[n] for n in sorted(found)]


def time_effects(panel: Sequence[Mapping[VoteId, int]]) -> list[Decimal]:
    """δ of each date against the last, whose own is zero, from votes by date that are linked throughout.

    The votes' effects are taken out first: date s then meets date t with −Σ 1/n_i over their common
    votes i seen n_i times, and with the number of its votes less Σ 1/n_i on the diagonal.
    """
    seen: dict[VoteId, list[int]] = {}
    for n, votes in enumerate(panel):
        for vote in votes:
            seen.setdefault(vote, []).append(n)
    size = len(panel)
    exact = [[Fraction(0)] * size for _ in range(size)]
    right = [Decimal(0)] * size
    for vote, dates in seen.items():
        logs = {n: ln(Fraction(panel[n][vote])) for n in dates}
        mean = DIGITS.divide(add(list(logs.values())), Decimal(len(dates)))
        share = Fraction(1, len(dates))
        for n in dates:
            right[n] = DIGITS.add(right[n], DIGITS.subtract(logs[n], mean))
            exact[n][n] += 1
            for other in dates:
                exact[n][other] -= share
    return [*_solved([[decimal_of(x) for x in row[:-1]] for row in exact[:-1]], right[:-1]), Decimal(0)]


def _solved(matrix: list[list[Decimal]], right: list[Decimal]) -> list[Decimal]:
    """Gaussian elimination of a symmetric positive definite system: no row needs to be exchanged."""
    size = len(right)
    for pivot in range(size):
        row = matrix[pivot]
        for below in range(pivot + 1, size):
            factor = DIGITS.divide(matrix[below][pivot], row[pivot])
            if not factor:
                continue
            matrix[below] = [
                DIGITS.subtract(x, DIGITS.multiply(factor, y))
                for x, y in zip(matrix[below], row, strict=True)
            ]
            right[below] = DIGITS.subtract(right[below], DIGITS.multiply(factor, right[pivot]))
    found = [Decimal(0)] * size
    for at in reversed(range(size)):
        rest = add([DIGITS.multiply(matrix[at][n], found[n]) for n in range(at + 1, size)])
        found[at] = DIGITS.divide(DIGITS.subtract(right[at], rest), matrix[at][at])
    return found


TIME_DUMMY = Estimator(
    name="time_dummy",
    summary="rolling-window time-dummy index with seller and SKU effects held, spliced on published levels",
    source="Summers (1973); de Haan & Krsinich (2014); Diewert & Fox (2022): time-product dummy, rolling window",
    work=work,
    reads=frozenset({"history"}),
    keys=("memory_days", "splice"),
)
