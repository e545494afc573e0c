"""Explain: why a fixing is what it is, from every observation of its window to the value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..records import Fixing, LedgerEntry, Refusal
from .adjusting import ADJUSTMENT_COLUMNS, shown_adjustments
from .ballot import Ballot
from .build import Engine, bind_ratings, bound_corrections, bound_observations, bound_windows, query_key
from .composition import Composition, composition
from .fixing import Decision, Outcome, decide
from .methodology import Benchmark
from .panel import REFUSAL, selected, windows_table
from .rating import RATING_COLUMNS, bound_ratings, shown_ratings
from .reconciling import Reconciled, reconciled
from .state import EMPTY, State
from .state_told import state_told
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
    "interconnect",
    "gpu_count",
    "minimum_gpus",
    "price_micros",
    "pricing",
    "term_months",
    "service",
    "tenancy",
    "region",
    "country",
    "observed_at",
    "known_at",
    "recorded_at",
    "carried_by_source",
    "license",
    "suspect",
    "trade_id",
    "buyer",
    "gpu_seconds",
    "payload_digest",
    "position",
    *ADJUSTMENT_COLUMNS,
    *RATING_COLUMNS,
    REFUSAL,
)
"""Columns of an explained observation."""

EXCLUSIONS: dict[str, str] = {
    "chip": "another chip",
    "form_factor": "another form factor, or none stated",
    "seller_states_form_factor": "unstated form factor from a seller that states it elsewhere",
    "memory_gb": "another memory size, or none stated",
    "interconnect": "another interconnect, or none stated",
    "pricing": "another kind of pricing",
    "price_basis": "another price basis",
    "source": "another source",
    "sku": "another SKU",
    "term_months": "another term",
    "service": "another service",
    "tenancy": "another tenancy, or none stated",
    "country": "another country, or none stated",
    "region": "another region, or none stated",
    "exclude_region": "an excluded region",
    "seller": "a seller outside the list",
    "exclude_seller": "an excluded seller",
    "min_gpus": "fewer GPUs than the grade asks",
    "max_gpus": "more GPUs than the grade allows",
    "minimum_gpus_at_least": "a smaller least rental than the grade asks, or none stated",
    "minimum_gpus_at_most": "a larger least rental than the grade allows, or none stated",
    "rating": "a managed cluster whose operator is rated below what the grade asks, or not rated",
    "adjustment_cap": "restated further than the methodology's cap allows",
    "input_tier": "a tier the methodology does not use",
    "rights_forbidden": "the source's rights forbid index use",
    "carried_by_source": "an old price repeated by the source",
    "suspect": "marked suspect at the door",
    "trade_superseded": "a later version of this trade was known",
    "trade_cancelled": "the trade was cancelled",
    "older_state": "a later state of the same offer in the window",
    "administered_seller": "a list price of a seller that the methodology names as administered",
    "wash_trade": "one name on both sides of the trade",
    "affiliate_trade": "a trade between affiliates",
    "circular_trade": "buyer and seller traded both ways in the window",
    "smaller_size_of_machine": "a smaller listing of a machine already counted",
    "capacity_unstated": "its seller states no capacity to weigh it by",
    "administered_price": "a list price unchanged for longer than the methodology allows",
    "venue_deviation": "its venue stands apart from the other venues",
    "jump_uncorroborated": "its seller moved further than others bear out",
    "robust_distance": "its vote is too far from the median",
    "tier_not_chosen": "the hierarchy of inputs chose another tier",
}
"""What each exclusion code means, in words."""


@dataclass(frozen=True, slots=True)
class WithoutSeller:
    """The value if one seller had not been there: null when the gates would then refuse it."""

    seller: str
    value_micros: int | None
    rule: str | None


@dataclass(frozen=True, slots=True)
class Before:
    """The date before an explained one, as far as the composition of the move asks: what its value rests on."""

    window: Window
    ballots: Sequence[Ballot]
    state: State = EMPTY


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything behind one fixing.

    ``observations`` are all rows of the window with the first rule that left each out (null for
    in); ``funnel`` counts them by rule. ``outcome`` is None when no row reached a vote. ``decision`` holds
    what each tier came to, ``state`` what rules read of earlier fixings, ``composition`` the move since
    the date before taken apart, or why that can't be. ``reconciled`` holds every printed figure against its
    working, ``read`` says by rule what was read of earlier fixings. ``payloads`` are the batches whose
    observations lie in the window, and ``nearest`` the fixing with a value that is nearest to a gap.
    """

    fixing: Fixing
    window: Window
    outcome: Outcome | None
    observations: list[dict[str, Any]]
    funnel: dict[str, int]
    without: tuple[WithoutSeller, ...]
    decision: Decision
    state: State
    composition: Composition | Refusal | None
    reconciled: tuple[Reconciled, ...] = ()
    read: tuple[tuple[str, str], ...] = ()
    payloads: tuple[LedgerEntry, ...] = ()
    nearest: Fixing | None = None


def explained_rows(
    benchmark: Benchmark, window: Window, engine: Engine, *, corrected: bool, reconstructed: bool
) -> list[dict[str, Any]]:
    """Every observation of the window with the first rule that refused it, in a stable order.

    The engine has ``observations`` bound, and ``corrections`` where ``corrected``.
    """
    engine.bind_table("windows", windows_table([window]))
    rated = bind_ratings(benchmark, [window], engine)

    def marked() -> ibis.Table:
        rows = selected(
            bound_observations(),
            bound_windows(),
            benchmark,
            corrections=bound_corrections() if corrected else None,
            ratings=bound_ratings() if rated else None,
            reconstructed=reconstructed,
            marking=True,
        )
        return shown_ratings(shown_adjustments(rows, benchmark), benchmark).select(*SHOWN)

    key = query_key(benchmark, "explain", corrected=corrected, reconstructed=reconstructed)
    table = engine.query(key, marked)
    ordered = table.sort_by([("price_micros", "ascending"), ("observation_id", "ascending")])
    rows: list[dict[str, Any]] = ordered.to_pylist()
    return rows


def leave_one_out(
    benchmark: Benchmark, ballots: Sequence[Ballot], window: Window, state: State = EMPTY
) -> tuple[WithoutSeller, ...]:
    """The value without each seller in turn, through the same hierarchy, screens, gates and estimator.

    Trades that were left out as a circle through the seller stay out: they were made, with or without him.
    """
    results = []
    for seller in sorted({b.seller for b in ballots}):
        outcome = decide(benchmark, [b for b in ballots if b.seller != seller], window, state).outcome
        if outcome is None:
            results.append(WithoutSeller(seller, None, "no_match"))
        elif outcome.value_micros is None:
            rule = outcome.refusal.code if outcome.refusal is not None else None
            results.append(WithoutSeller(seller, None, rule))
        else:
            results.append(WithoutSeller(seller, outcome.value_micros, None))
    return tuple(results)


def explain(
    benchmark: Benchmark,
    fixing: Fixing,
    window: Window,
    ballots: Sequence[Ballot],
    rows: list[dict[str, Any]],
    *,
    state: State = EMPTY,
    before: Before | None = None,
    payloads: Sequence[LedgerEntry] = (),
    nearest: Fixing | None = None,
) -> Explanation:
    """Join a fixing with its ballots and rows. Rows behind a screened vote are marked with its rule, and
    those of a tier that the hierarchy passed over as such.
    """
    whole = [b for b in ballots if b.slice == 0]
    decision = decide(benchmark, whole, window, state)
    outcome = decision.outcome
    if outcome is not None:
        used = {b.tier for b in outcome.ballots}
        screened = {_vote_key(benchmark, _row_of(s.ballot)): s.rule for s in outcome.screened}
        rows = [_marked(benchmark, row, used, screened) for row in rows]
    counted = Counter(row[REFUSAL] or "in" for row in rows)
    told = Explanation(
        fixing=fixing,
        window=window,
        outcome=outcome,
        observations=rows,
        funnel={code: counted[code] for code in (*EXCLUSIONS, "in") if code in counted},
        without=leave_one_out(benchmark, whole, window, state),
        decision=decision,
        state=state,
        composition=None if before is None or outcome is None else _move(benchmark, before, window, outcome),
        read=state_told(benchmark.methodology, fixing.date, state),
        payloads=tuple(payloads),
        nearest=nearest,
    )
    return replace(told, reconciled=reconciled(told, ballots, benchmark.methodology))


def _move(benchmark: Benchmark, before: Before, window: Window, outcome: Outcome) -> Composition | Refusal:
    held = [b for b in before.ballots if b.slice == 0]
    then = decide(benchmark, held, before.window, before.state).outcome
    stood = () if then is None else then.standing
    return composition(benchmark, (before.window.date, stood), (window.date, outcome.standing))


def _marked(
    benchmark: Benchmark, row: dict[str, Any], used: set[str], screened: dict[tuple[Any, ...], str]
) -> dict[str, Any]:
    if row[REFUSAL] is not None:
        return row
    if row["tier"] not in used:
        return row | {REFUSAL: "tier_not_chosen"}
    rule = screened.get(_vote_key(benchmark, row))
    return row if rule is None else row | {REFUSAL: rule}


def _vote_key(benchmark: Benchmark, row: dict[str, Any]) -> tuple[Any, ...]:
    """The vote that a row is part of."""
    keys = benchmark.methodology.vote
    if "observation" in keys:
        return (row["observation_id"],)
    sku = row["sku"] or "|".join(str(row[c] or "") for c in ("name_as_written", "form_factor", "memory_gb"))
    region = row["region"] if "region" in keys else None
    return (row["tier"], row["seller"], region, sku if "sku" in keys else None)


def _row_of(ballot: Ballot) -> dict[str, Any]:
    return {
        "observation_id": ballot.observation_id,
        "tier": ballot.tier,
        "seller": ballot.seller,
        "region": ballot.region,
        "sku": ballot.sku or "-",
    }
