"""The documented JSON of what a review tries: manipulation, wash trades, changed keys, a parallel run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..index.review.attacks import DOWN, GRID_FACTOR, GRID_STEPS, UP
from .rows import price

if TYPE_CHECKING:
    from ..index.review.attacks import Attack
    from ..index.review.manipulation import Manipulation, Reach
    from ..index.review.parallel import Parallel, ParallelDay
    from ..index.review.sensitivity import Sensitivity
    from ..index.review.wash import Wash, WashTrade

WAYS = {UP: "up", DOWN: "down"}


def manipulation_row(made: Manipulation, wash: Wash) -> dict[str, Any]:
    """Cost to manipulate: how far each kind of actor gets, added sellers needed, and wash trades."""
    return {
        "dates_asked": len(made.dates),
        "dates_with_value": made.n_dates,
        "grid": f"a tenth of the value to {GRID_FACTOR} times it in {2 * GRID_STEPS} geometric steps",
        "rules_look_at_prices": made.by_price,
        "actors": [_reach(reach) for reach in made.reaches],
        "added_sellers_needed": [
            {
                "target": p.target,
                "direction": WAYS[p.direction],
                "fewest": p.fewest,
                "fewest_on": None if p.fewest_on is None else p.fewest_on.isoformat(),
                "median": p.median,
                "dates_reached": p.n_reached,
                "dates": p.n_dates,
                "reason": None if p.median is not None else "more than ten are needed on most dates",
            }
            for p in made.puppets
        ],
        "wash_trades": [
            {
                "target": c.target,
                "direction": WAYS[c.direction],
                "cheapest": _wash(c.cheapest),
                "median_amount": price(c.median_amount_micros),
                "median_share_of_volume": c.median_share_of_volume,
                "dates_reached": c.n_reached,
                "dates": c.n_dates,
                "reason": None if c.n_reached else "no volume within a hundred times the date's reaches it",
            }
            for c in wash.costs
        ],
        "wash_trades_reason": wash.reason,
    }


def _reach(reach: Reach) -> dict[str, Any]:
    return {
        "actor": reach.label,
        "kind": reach.kind,
        "names": reach.n_names,
        "dates": reach.n_dates,
        "largest_up": _attack(reach.worst(UP)),
        "largest_down": _attack(reach.worst(DOWN)),
        "median_up": reach.median_move(UP),
        "median_down": reach.median_move(DOWN),
        "unbounded": reach.unbounded,
        "dates_silenced": reach.n_silenced,
        "days": [_attack(attack) for attack in reach.attacks],
    }


def _attack(attack: Attack | None) -> dict[str, Any] | None:
    if attack is None:
        return None
    return {
        "date": attack.date.isoformat(),
        "names": list(attack.names),
        "direction": WAYS[attack.direction],
        "value": price(attack.value_micros),
        "moved_to": price(attack.moved_micros),
        "move": attack.move,
        "price": price(attack.price_micros),
        "own_price": price(attack.own_micros),
        "reason": "they had no price" if attack.own_micros is None else None,
        "unbounded": attack.unbounded,
    }


def _wash(trade: WashTrade | None) -> dict[str, Any] | None:
    if trade is None:
        return None
    return {
        "date": trade.date.isoformat(),
        "value": price(trade.value_micros),
        "moved_to": price(trade.moved_micros),
        "price": price(trade.price_micros),
        "gpu_hours": trade.gpu_hours,
        "amount": price(trade.amount_micros),
        "day_gpu_hours": trade.day_gpu_hours,
    }


def sensitivity_row(made: Sensitivity) -> dict[str, Any]:
    """What one changed key does over the period."""
    return {
        "key": made.key,
        "was": made.was,
        "asked": made.asked,
        "compared": made.n_compared,
        "changed": made.n_changed,
        "mean_absolute_move": made.mean_absolute,
        "largest_move": made.largest,
        "largest_on": None if made.largest_on is None else made.largest_on.isoformat(),
        "gapped": made.n_gapped,
        "gained": made.n_gained,
        "reason": made.reason or (None if made.largest is not None else "no date changes"),
    }


def parallel_row(made: Parallel) -> dict[str, Any]:
    """Two sets of rules side by side."""
    return {
        "one": made.one,
        "other": made.other,
        "same_grade": made.same_grade,
        "changed_keys": [{"key": k, "one": a, "other": b} for k, a, b in made.changed_keys],
        "both": made.n_both,
        "differ": made.n_differ,
        "only_one": made.n_only_one,
        "only_other": made.n_only_other,
        "mean_difference": made.mean_difference,
        "mean_absolute_difference": made.mean_absolute,
        "correlation_of_changes": made.correlation_of_changes,
        "reason": None
        if made.correlation_of_changes is not None
        else "fewer than ten moves of both values, or one of them never moves",
        "largest": None if made.largest is None else _parallel_day(made.largest),
        "constituents": [
            {
                "name": e.name,
                "change": e.change,
                "dates": e.n_dates,
                "mean_absolute": price(round(e.mean_absolute_micros)),
                "sum": price(e.sum_micros),
            }
            for e in made.by_constituent
        ],
        "days": [_parallel_day(day) for day in made.days],
    }


def _parallel_day(day: ParallelDay) -> dict[str, Any]:
    return {
        "date": day.date.isoformat(),
        "one": price(day.one_micros),
        "other": price(day.other_micros),
        "difference": price(day.difference_micros),
        "difference_share": day.difference,
        "reason": day.reason,
        "explained_by": [
            {
                "change": p.change,
                "name": p.name,
                "explains": price(p.explains_micros),
                "price_under_one": price(p.before_micros),
                "price_under_other": price(p.after_micros),
                "why": p.why,
                "reason": "it has no such price" if None in (p.before_micros, p.after_micros) else None,
            }
            for p in day.pieces
        ],
    }
