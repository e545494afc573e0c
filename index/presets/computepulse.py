"""ComputePulse: a trimmed mean of list prices that weigh less as they age."""

from __future__ import annotations

from .base import Preset, assumed, public

_TEXT = "ComputePulse, Index Methodology v1.0 (2026-03-16)"

COMPUTEPULSE = Preset(
    name="computepulse",
    version="1.0.0",
    index="ComputePulse H100 compute indices",
    publisher="ComputePulse",
    summary="mean without the cheapest and dearest tenth, weights falling by half over 24 hours",
    read=f"{_TEXT}, read 2026-11",
    methodology={
        "inputs": assumed(
            ["listed"], "marketplaces count with a lower confidence that is not published; they are left out"
        ),
        "vote": public(["observation"], f"{_TEXT}, Calculation Method: all eligible observations are sorted"),
        "weights": assumed("vote", "confidence scores are not published; every observation has the same"),
        "estimator": public("trimmed_mean", f"{_TEXT}, Calculation Method"),
        "tail": public("0.1", f"{_TEXT}, Calculation Method: top and bottom 10 %"),
        "recency": public("0.5", f"{_TEXT}, Weighting Scheme: from 1.0 to 0.5 over the window, in a line"),
        "staleness_hours": public(24, f"{_TEXT}, Eligibility Criteria"),
    },
    grade={
        "pricing": public("on_demand", f"{_TEXT}, Normalization Rules 3: spot is never mixed in"),
        "form_factor": public(["SXM"], f"{_TEXT}, H100 SXM Index; the global composite mixes boards"),
    },
    not_expressed=(
        "confidence scores by kind of source, and the bar of 0.1 under which an observation is left out",
        "values made anew on every request; one a day is made here",
    ),
)
