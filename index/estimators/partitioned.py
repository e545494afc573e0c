"""The partitioned volume-weighted median: the window in equal parts, a median of each, and their mean."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from ...records import Refusal
from .base import Estimate, Estimator, Slate, without_weight, worked
from .steps import Step, Term, step


def work(slate: Slate) -> Estimate | Refusal:
    """In each of K partitions the lowest price p_j with Σ_{i≤j} s_i ≥ ½ Σ s; then their plain mean.

    A large trade moves its own partition alone, and a burst of trades counts no more than a quiet part.
    Partitions without volume are dropped (CF Benchmarks, Bitcoin Reference Rate methodology, section 3:
    K = 12 partitions of five minutes). A partition holds its first instant and not its end.
    """
    refusal = without_weight(slate, "no_volume", "the partitioned median needs traded hours")
    if refusal is not None:
        return refusal
    count = slate.parameters.partitions or 1
    start, end = slate.window
    parts: dict[int, list[Term]] = defaultdict(list)
    for term, instant in zip(slate.terms(), slate.instants, strict=True):
        if term.weight:
            parts[min((instant - start) * count // (end - start), count - 1)].append(term)
    medians: list[Step] = [
        step(f"volume-weighted median of partition {n + 1} of {count}", "quantile", parts[n], Fraction(1, 2))
        for n in sorted(parts)
    ]
    terms = [Term(made.name, made.result) for made in medians]
    mean = step(f"mean of {len(terms)} partitions that hold trades", "mean", terms)
    return worked(*medians, mean, beside={"partitions": {"with_trades": len(terms), "of": count}})


PARTITIONED = Estimator(
    name="partitioned_volume_weighted_median",
    summary="mean of the volume-weighted medians of equal parts of the window",
    source="CF Benchmarks, Bitcoin Reference Rate (BRR) methodology, section 3",
    work=work,
    reads=frozenset({"volume", "instants"}),
    keys=("partitions",),
)
