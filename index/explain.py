"""Explain: why a fixing is what it is, from every observation of its window to the value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..records import Fixing
from .ballot import Ballot
from .build import Engine, bound_corrections, bound_observations, bound_windows, query_key
from .fixing import Outcome, decide
from .methodology import Benchmark
from .panel import REFUSAL, selected, windows_table
from .windows import Window

if TYPE_CHECKING:
    import ibis

SHOWN = (
    "observation_id",
    "kind",
    "tier",
    "source",
    "seller",
    "venue",
    "name_as_written",
    "sku",
    "chip",
    "form_factor",
    "memory_gb",
    "gpu_count",
    "price_micros",
    "pricing",
    "region",
    "observed_at",
    "known_at",
    "recorded_at",
    "carried_by_source",
    "license",
    "suspect",
    "trade_id",
    "gpu_seconds",
    "payload_digest",
    "position",
    REFUSAL,
)
"""Columns of an explained observation."""

EXCLUSIONS: dict[str, str] = {
    "chip": "another chip",
    "form_factor": "another form factor, or none stated",
    "seller_states_form_factor": "unstated form factor from a seller that states it elsewhere",
    "memory_gb": "another memory size, or none stated",
    "pricing": "another kind of pricing",
    "price_basis": "another price basis",
    "source": "another source",
    "sku": "another SKU",
    "term_months": "another term",
    "service": "another service",
    "country": "another country, or none stated",
    "region": "another region, or none stated",
    "exclude_region": "an excluded region",
    "seller": "a seller outside the list",
    "exclude_seller": "an excluded seller",
    "min_gpus": "fewer GPUs than the grade asks",
    "max_gpus": "more GPUs than the grade allows",
    "input_tier": "a tier the methodology does not use",
    "rights_forbidden": "the source's rights forbid index use",
    "carried_by_source": "an old price repeated by the source",
    "suspect": "marked suspect at the door",
    "trade_superseded": "a later version of this trade was known",
    "trade_cancelled": "the trade was cancelled",
    "older_state": "a later state of the same offer in the window",
    "smaller_size_of_machine": "a smaller listing of a machine already counted",
    "tier_not_chosen": "the waterfall chose another tier",
}
"""What each exclusion code means, in words."""


@dataclass(frozen=True, slots=True)
class WithoutSeller:
    """The value if one seller had not been there: null when the gates would then refuse it."""

    seller: str
    value_micros: int | None
    rule: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything behind one fixing.

    ``observations`` are all rows of the window with the first rule that left each out (null for
    in); ``funnel`` counts them by rule. ``outcome`` is None when no row reached a vote.
    """

    fixing: Fixing
    window: Window
    outcome: Outcome | None
    observations: list[dict[str, Any]]
    funnel: dict[str, int]
    without: tuple[WithoutSeller, ...]


def explained_rows(
    benchmark: Benchmark, window: Window, engine: Engine, *, corrected: bool, reconstructed: bool
) -> list[dict[str, Any]]:
    """Every observation of the window with the first rule that refused it, in a stable order.

    The engine has ``observations`` bound, and ``corrections`` where ``corrected``.
    """
    engine.bind_table("windows", windows_table([window]))

    def marked() -> ibis.Table:
        rows = selected(
            bound_observations(),
            bound_windows(),
            benchmark,
            corrections=bound_corrections() if corrected else None,
            reconstructed=reconstructed,
            marking=True,
        )
        return rows.select(*SHOWN)

    key = query_key(benchmark, "explain", corrected=corrected, reconstructed=reconstructed)
    table = engine.query(key, marked)
    ordered = table.sort_by([("price_micros", "ascending"), ("observation_id", "ascending")])
    rows: list[dict[str, Any]] = ordered.to_pylist()
    return rows


def leave_one_out(benchmark: Benchmark, ballots: list[Ballot]) -> tuple[WithoutSeller, ...]:
    """The value without each seller in turn, through the same waterfall, gates and estimator."""
    results = []
    for seller in sorted({b.seller for b in ballots}):
        outcome = decide(benchmark, [b for b in ballots if b.seller != seller])
        if outcome is None:
            results.append(WithoutSeller(seller, None, "no_match"))
        elif outcome.value_micros is None:
            rule = outcome.refusal.code if outcome.refusal is not None else None
            results.append(WithoutSeller(seller, None, rule))
        else:
            results.append(WithoutSeller(seller, outcome.value_micros, None))
    return tuple(results)


def explain(
    benchmark: Benchmark, fixing: Fixing, window: Window, ballots: list[Ballot], rows: list[dict[str, Any]]
) -> Explanation:
    """Join a fixing with its ballots and rows. Rows of a tier the waterfall passed over are marked."""
    outcome = decide(benchmark, ballots)
    if outcome is not None:
        passed_over = {REFUSAL: "tier_not_chosen"}
        rows = [r | passed_over if r[REFUSAL] is None and r["tier"] != outcome.tier else r for r in rows]
    counted = Counter(row[REFUSAL] or "in" for row in rows)
    funnel = {code: counted[code] for code in (*EXCLUSIONS, "in") if code in counted}
    return Explanation(fixing, window, outcome, rows, funnel, leave_one_out(benchmark, ballots))
