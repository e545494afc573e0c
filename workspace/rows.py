"""The documented JSON rows of the command line: names, six-decimal prices, nulls with a reason."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from ..index import EXCLUSIONS, Difference, Explanation
from ..index.adjusting import ADJUSTMENT_COLUMNS, DENOMINATOR, NUMERATOR, STEPS, UNADJUSTED
from ..index.rating import RATING_APPLIES, RATING_COLUMNS, RATING_RELEASE, RATING_TIER
from ..index.reconciling import short_by
from ..ingest.drift import Drift, drifts_noted
from ..records import Fixing, LedgerEntry, Vote, format_instant, format_micros
from .funnel_rows import funnel_rows
from .working_rows import working_rows


def price(micros: int | None) -> str | None:
    """A price as a six-decimal string, or None."""
    return None if micros is None else format_micros(micros)


def instant(value: datetime | None) -> str | None:
    """An instant as ISO 8601 in UTC, or None."""
    return None if value is None else format_instant(value)


def ledger_row(entry: LedgerEntry) -> dict[str, Any]:
    """One payload of the ledger."""
    return {
        "batch_id": entry.batch_id,
        "feed": entry.feed,
        "feed_version": entry.feed_version,
        "origin_name": entry.origin_name,
        "payload_digest": entry.payload_digest,
        "mapping_hash": entry.mapping_hash,
        "payload_bytes": entry.payload_bytes,
        "received_at": instant(entry.received_at),
        "recorded_at": instant(entry.recorded_at),
        "records": entry.records,
        "accepted": entry.accepted,
        "rejected": entry.rejected,
        "duplicates": entry.duplicates,
        "rights": entry.rights,
        "simulated": entry.simulated,
        "refusal": entry.refusal_code,
        "reason": entry.refusal_sentence,
        "supersedes": entry.supersedes,
        "notes": [note for note in entry.notes if not drifts_noted([note])],
        "drift": [drift_row(drift) for drift in drifts_noted(entry.notes)],
        "fetched_from": entry.fetched_from,
    }


def drift_row(drift: Drift) -> dict[str, Any]:
    """One change of a batch against the ones of its source before it."""
    return {"code": drift.code, "level": drift.level, "sentence": drift.sentence}


def fixing_row(
    fixing: Fixing, *, finality_hours: int | None = None, now: datetime | None = None
) -> dict[str, Any]:
    """One row of `index show`. ``finality`` is known for published rows of a configured benchmark.

    ``reason`` is the rule that left no value, or, on a CARRIED row, no votes of its own.
    """
    finality = None
    if fixing.published_at is not None and finality_hours is not None and now is not None:
        final = now >= fixing.published_at + timedelta(hours=finality_hours)
        finality = "final" if final else "provisional"
    return {
        "date": fixing.date.isoformat(),
        "value": price(fixing.value_micros),
        "status": fixing.status,
        "rule": fixing.rule,
        "reason": fixing.rule if fixing.p25_micros is None or fixing.value_micros is None else None,
        "tier": fixing.tier,
        "n_sellers": fixing.n_sellers,
        "n_votes": fixing.n_votes,
        "n_observations": fixing.n_observations,
        "n_venues": fixing.n_venues,
        "gpu_hours": fixing.gpu_hours,
        "p25": price(fixing.p25_micros),
        "p75": price(fixing.p75_micros),
        "top_weight": None if fixing.top_weight is None else float(fixing.top_weight),
        "carried_from": None if fixing.carried_from is None else fixing.carried_from.isoformat(),
        "state": fixing.state,
        "origin": fixing.origin,
        "finality": finality,
        "simulated": fixing.simulated,
        "reconstructed": fixing.reconstructed,
        "rights": fixing.rights,
        "settlement_grade": fixing.settlement_grade,
        "revision": fixing.revision,
        "effective_at": instant(fixing.effective_at),
        "published_at": instant(fixing.published_at),
        "methodology": fixing.methodology,
        "methodology_version": fixing.methodology_version,
        "methodology_hash": fixing.methodology_hash,
        "input_digest": fixing.input_digest,
        "previous_digest": fixing.previous_digest,
        "row_digest": fixing.row_digest,
        "actor": fixing.actor,
        "approved_by": fixing.approved_by,
        "judgement": fixing.judgement,
        "restatement_reason": fixing.reason,
        "details": None if fixing.details is None else json.loads(fixing.details),
    }


def vote_row(vote: Vote) -> dict[str, Any]:
    """One vote with its share of the weight."""
    return {
        "seller": vote.seller,
        "tier": vote.tier,
        "region": vote.region,
        "sku": vote.sku,
        "observation_id": None if vote.observation_id is None else str(vote.observation_id),
        "value": price(vote.value_micros),
        "weight": vote.weight,
        "total_weight": vote.total_weight,
        "share": vote.weight / vote.total_weight if vote.total_weight else None,
        "n_observations": vote.n_observations,
        "gpu_hours": vote.gpu_seconds / 3600,
        "n_venues": vote.venues,
    }


def observation_row(row: dict[str, Any]) -> dict[str, Any]:
    """One explained observation: what it says, whether it is in, and the rule that left it out."""
    refusal = row["refusal"]
    hidden = ("price_micros", "refusal", "gpu_seconds", *ADJUSTMENT_COLUMNS, *RATING_COLUMNS)
    shown = {k: v for k, v in row.items() if k not in hidden}
    for name in ("observed_at", "known_at", "recorded_at"):
        shown[name] = instant(row[name])
    shown["observation_id"] = str(row["observation_id"])  # 64 bits: more than a JSON number holds everywhere
    observed_micros = row[UNADJUSTED]
    shown["price"] = price(row["price_micros"] if observed_micros is None else observed_micros)
    shown["adjustment"] = _adjustment_row(row)
    shown["rating"] = _rating_words(row)
    shown["gpu_hours"] = None if row["gpu_seconds"] is None else row["gpu_seconds"] / 3600
    shown["in"] = refusal is None
    shown["rule"] = refusal
    shown["reason"] = None if refusal is None else EXCLUSIONS[refusal]
    return shown


def _adjustment_row(row: dict[str, Any]) -> dict[str, Any] | None:
    """How a near-miss was restated: the steps, their exact product, and the price that counts."""
    if row[STEPS] is None:
        return None
    factor = Fraction(row[NUMERATOR], row[DENOMINATOR])
    return {
        "steps": [step for step in row[STEPS].split("; ") if step],
        "factor": float(factor),
        "exact_factor": str(factor),
        "adjusted_price": price(row["price_micros"]) if row["refusal"] != "adjustment_cap" else None,
        "reason": EXCLUSIONS["adjustment_cap"] if row["refusal"] == "adjustment_cap" else None,
    }


def _rating_words(row: dict[str, Any]) -> str | None:
    """What the grade's rating key made of a row; None where the grade asks for no rating."""
    if row[RATING_APPLIES] is None:
        return None
    if not row[RATING_APPLIES]:
        return f"ignored: ratings speak of managed clusters, and this is {row['service']}"
    if row[RATING_TIER] is None:
        return "not rated in the release in force"
    return f"{row[RATING_TIER]} in release {row[RATING_RELEASE]}"


def explanation_row(
    explanation: Explanation, *, finality_hours: int | None = None, now: datetime | None = None
) -> dict[str, Any]:
    """The documented JSON of `index explain`."""
    outcome = explanation.outcome
    return {
        "benchmark": explanation.fixing.benchmark,
        "fixing": fixing_row(explanation.fixing, finality_hours=finality_hours, now=now),
        "window": {
            "start": instant(explanation.window.start),
            "end": instant(explanation.window.end),
            "cutoff": instant(explanation.window.cutoff_at),
            "as_of": instant(explanation.window.seen_until),
        },
        "gates": [
            {
                "tier": part.tier,
                "rule": g.code,
                "found": float(g.found) if isinstance(g.found, Fraction) else g.found,
                "needed": float(g.needed) if isinstance(g.needed, Fraction) else g.needed,
                "at_most": g.at_most,
                "hard": g.hard,
                "met": g.met,
                "short_by": short_by(g),
            }
            for part in ((outcome.parts or (outcome,)) if outcome else ())
            for g in part.gates
        ],
        "votes": [vote_row(v) for v in (outcome.votes if outcome else ())],
        "without_seller": [
            {"seller": w.seller, "value": price(w.value_micros), "reason": w.rule}
            for w in explanation.without
        ],
        "funnel": explanation.funnel,
        **funnel_rows(explanation),
        **working_rows(explanation),
        "observations": [observation_row(r) for r in explanation.observations],
    }


def difference_row(difference: Difference) -> dict[str, Any]:
    """One difference found by `index verify`."""
    return {
        "benchmark": difference.benchmark,
        "date": difference.date.isoformat(),
        "revision": difference.revision,
        "field": difference.field,
        "on_tape": difference.on_tape,
        "rebuilt": difference.rebuilt,
        "sentence": difference.sentence,
    }
