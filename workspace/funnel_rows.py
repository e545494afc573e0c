"""The way from raw records to votes: payload by payload, then observation by observation, then vote by vote."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..index import Explanation
from ..records import format_instant


def funnel_rows(explanation: Explanation) -> dict[str, Any]:
    """The keys of `index explain` that lead from the payloads to the votes.

    A payload's records are all of its own, of whatever date; those that lie in the window follow. Records that
    were refused at the door have no date that could be trusted, so they are counted by payload.
    """
    outcome = explanation.outcome
    seen = Counter((row["payload_digest"], row["recorded_at"]) for row in explanation.observations)
    entered = Counter(
        (row["payload_digest"], row["recorded_at"])
        for row in explanation.observations
        if row["refusal"] is None
    )
    payloads = [
        {
            "batch_id": e.batch_id,
            "origin_name": e.origin_name,
            "payload_digest": e.payload_digest,
            "feed": e.feed,
            "feed_version": e.feed_version,
            "recorded_at": format_instant(e.recorded_at),
            "records": e.records,
            "rejected": e.rejected,
            "duplicates": e.duplicates,
            "accepted": e.accepted,
            "in_window": seen[e.payload_digest, e.recorded_at],
            "entered": entered[e.payload_digest, e.recorded_at],
        }
        for e in explanation.payloads
    ]
    screened = 0 if outcome is None else len(outcome.screened)
    standing = 0 if outcome is None else len(outcome.votes)
    return {
        "payloads": payloads,
        "from_records": {
            **{
                key: sum(p[key] for p in payloads)
                for key in ("records", "rejected", "duplicates", "accepted")
            },
            "in_window": len(explanation.observations),
            "entered": explanation.funnel.get("in", 0),
            "votes": standing + screened,
            "votes_screened": screened,
            "votes_standing": standing,
        },
    }
