"""The chained matched panel: yesterday's level moved by the prices of the sellers of both days."""

from __future__ import annotations

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .chain import begin, carried_forward, relatives, sellers_of, valued


def work(slate: Slate) -> Estimate | Refusal:
    """P_t = P_s · Π (p_it / p_is)^(w_i / Σw) over the votes i of both t and the last date s with a value.

    A seller that enters or leaves does not move it (matched-model index; CPI Manual 2020, chapter 8).
    It drifts where prices bounce on entry or exit; ``time_dummy`` does less so. Without a value in the
    memory the chain begins at the median. Fewer matched sellers than ``min_sellers`` refuse.
    """
    refusal = without_weight(slate, "no_votes", "no vote has weight")
    if refusal is not None:
        return refusal
    past = valued(slate.history)
    if not past:
        return begin(slate)
    last = past[-1]
    now = {v: p for v, p, w in zip(slate.ids, slate.prices, slate.weights, strict=True) if w}
    matched = now.keys() & last.votes.keys()
    needed = slate.parameters.min_sellers
    if sellers_of(matched) < needed:
        return Refusal(
            "too_few_matched",
            f"{sellers_of(matched)} sellers are in both {last.date} and today, {needed} needed",
        )
    mean = relatives(now, last.votes, dict(zip(slate.ids, slate.weights, strict=True)))
    return worked(mean, carried_forward(last, mean.result))


MATCHED_CHAIN = Estimator(
    name="matched_chain",
    summary="the last level moved by the mean price relative of the sellers of both dates",
    source="Jevons (1863); ILO and others (2020), Consumer Price Index Manual, chapter 8: matched model, chained",
    work=work,
    reads=frozenset({"history"}),
    keys=("memory_days",),
)
