"""The documented JSON of how a value was worked out: screens, caps, steps, tiers, state, composition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..index import EXCLUSIONS, Composition, Explanation, Outcome, State, Step
from ..index.estimators import VoteId
from ..index.reconciling import failing
from ..index.state import Remembered
from ..records import Refusal, format_micros, round_fraction


def working_rows(explanation: Explanation) -> dict[str, Any]:
    """The keys of `index explain` that lead from the votes to the value, and from the day before to this one."""
    outcome = explanation.outcome
    move = explanation.composition
    return {
        "refusal": _refusal(explanation),
        "screened": _screened(outcome),
        "screen_notes": list(outcome.notes) if outcome else [],
        "caps": [
            {
                "rule": line.kind,
                "name": line.name,
                "before": float(line.before),
                "after": float(line.after),
                "bound": float(line.bound),
            }
            for line in (outcome.caps if outcome else ())
        ],
        "steps": [step_row(step) for step in (outcome.steps if outcome else ())],
        "tiers": [
            {
                "tier": o.tier,
                "value": None if o.value_micros is None else format_micros(o.value_micros),
                "reason": None if o.refusal is None else o.refusal.sentence,
                "n_votes": len(o.votes),
            }
            for o in explanation.decision.tiers
        ],
        "read": state_row(explanation.state, explanation.read),
        "reconciled": [
            {
                "what": r.what,
                "worked": r.worked,
                "printed": r.printed,
                "agrees": r.agrees,
                "sentence": r.sentence,
            }
            for r in explanation.reconciled
        ],
        "composition": composition_row(move) if isinstance(move, Composition) else None,
        "composition_reason": _why_no_composition(move),
    }


def _refusal(explanation: Explanation) -> dict[str, str | None] | None:
    """Why there is no value of the day's own: the rule, how far it was, and the nearest date that has one."""
    fixing, outcome = explanation.fixing, explanation.outcome
    if outcome is not None and outcome.refusal is None:
        return None
    if outcome is None or outcome.refusal is None:
        rule = "no_match" if explanation.observations else "empty_window"
        sentence = _nothing_entered(explanation)
    else:
        rule, sentence = outcome.refusal.code, outcome.refusal.sentence
    unmet = None if outcome is None else next((g for g in outcome.gates if g.hard and not g.met), None)
    nearest = explanation.nearest
    return {
        "rule": rule,
        "sentence": sentence,
        "how_far": None if unmet is None else failing(unmet),
        "carried_from": None if fixing.carried_from is None else fixing.carried_from.isoformat(),
        "nearest_date": None if nearest is None else nearest.date.isoformat(),
    }


def _nothing_entered(explanation: Explanation) -> str:
    """What stood between the observations of a window and a vote: the commonest rule first."""
    if not explanation.observations:
        return "the archive holds no observation in the window"
    left = sorted(explanation.funnel.items(), key=lambda item: -item[1])
    counted = ", ".join(f"{count:,} {code}" for code, count in left)
    return f"none of {len(explanation.observations):,} observations of the window entered: {counted}"


def _screened(outcome: Outcome | None) -> list[dict[str, Any]]:
    return [
        {
            "seller": s.ballot.seller,
            "region": s.ballot.region,
            "sku": s.ballot.sku,
            "observation_id": None if s.ballot.observation_id is None else str(s.ballot.observation_id),
            "value": format_micros(s.ballot.value_micros),
            "rule": s.rule,
            "reason": EXCLUSIONS[s.rule],
            "sentence": s.sentence,
        }
        for s in (outcome.screened if outcome else ())
    ]


def step_row(step: Step) -> dict[str, Any]:
    """One line of arithmetic. ``exact`` texts are micro-USD, or plain ratios where the unit is a ratio."""
    return {
        "name": step.name,
        "operation": step.operation,
        "level": None if step.level is None else float(step.level),
        "terms": [
            {
                "label": term.label,
                "value": _shown(step, term.value),
                "exact": str(term.value),
                "weight": float(term.weight),
                "exact_weight": str(term.weight),
            }
            for term in step.terms
        ],
        "result": _shown(step, step.result),
        "exact": str(step.result),
        "unit": step.unit,
    }


def _shown(step: Step, value: Fraction) -> str:
    """Dollars with six decimals; a ratio, and a factor of a product, with twelve."""
    is_ratio = step.unit == "ratio" or (step.operation == "product" and abs(value) < 1000)
    return f"{float(value):.12f}" if is_ratio else format_micros(round_fraction(value))


def state_row(state: State, told: Sequence[tuple[str, str]] = ()) -> dict[str, Any] | None:
    """What the rules read of earlier fixings; null where no rule looks back."""
    if state.last is None and not state.recent and not told:
        return None
    rows = {r.date: r for r in (*state.recent, *([state.last] if state.last else []))}
    return {
        "digest": state.digest,
        "rules": [{"rule": rule, "sentence": sentence} for rule, sentence in told],
        "fixings": [
            {
                "date": day.isoformat(),
                "status": r.status,
                "value": None if r.value_micros is None else format_micros(r.value_micros),
                "reason": "it is a GAP" if r.value_micros is None else None,
                "pending_days": r.pending_days,
                "n_votes": sum(len(votes) for votes in r.votes.values()),
                "votes": [
                    {
                        "tier": tier,
                        "seller": seller,
                        "region": region,
                        "sku": sku,
                        "value": format_micros(value),
                        "since": _since(r, tier, (seller, region, sku)),
                    }
                    for tier, votes in r.votes.items()
                    for (seller, region, sku), value in votes.items()
                ],
            }
            for day, r in sorted(rows.items())
        ],
    }


def _since(remembered: Remembered, tier: str, vote: VoteId) -> str | None:
    """Since when a price has stood, where a rule asks that."""
    held = remembered.since.get(tier, {}).get(vote)
    return None if held is None else held[1].isoformat()


def composition_row(move: Composition) -> dict[str, Any]:
    """The move since the date before, taken apart."""
    price, left = move.price_micros, move.exit_micros
    return {
        "before": move.before.isoformat(),
        "after": move.after.isoformat(),
        "level_before": format_micros(move.level_before_micros),
        "level_after": format_micros(move.level_after_micros),
        "change": format_micros(move.change_micros),
        "price_effect": None if price is None else format_micros(price),
        "entry_effect": format_micros(move.entry_micros),
        "exit_effect": None if left is None else format_micros(left),
        "residual": format_micros(move.residual_micros),
        "reason": "no vote is in both days" if price is None else None,
        "n_common": len(move.common),
        "entered": list(move.entered),
        "left": list(move.left),
        "movers": [
            {
                "name": m.name,
                "before": format_micros(m.before_micros),
                "after": format_micros(m.after_micros),
                "change": format_micros(m.change_micros),
            }
            for m in move.movers
        ],
    }


def _why_no_composition(move: Composition | Refusal | None) -> str | None:
    if isinstance(move, Composition):
        return None
    return "no earlier date has a value of its own, or no vote is here" if move is None else move.sentence
