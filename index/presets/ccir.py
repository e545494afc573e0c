"""CCIR's CRI-H100: a weekly median of seven days of a marketplace's asks."""

from __future__ import annotations

from .base import Preset, assumed, public

_TEXT = "CCIR Methodology v1.1.1"

CCIR_CRI = Preset(
    name="ccir-cri-h100",
    version="1.0.0",
    index="CCIR CRI-H100",
    publisher="Compute Credit Index Research (CCIR)",
    summary="weekly median of the qualifying Vast.ai asks of seven days in the United States",
    read=f"{_TEXT} (February 2026) and its published calculation, read 2026-11",
    methodology={
        "inputs": public(["executable"], f"{_TEXT}, section 5: rentable and not rented"),
        "vote": public(["observation"], f"{_TEXT}, section 2: each listing is an observation"),
        "weights": public("vote", f"{_TEXT}, section 6.2: no weighting"),
        "estimator": public("median", f"{_TEXT}, section 6.1, step 3"),
        "calendar": public("weekly", f"{_TEXT}, section 2: published on Thursdays"),
        "weekday": public("wednesday", f"{_TEXT}, section 2: the window ends on the Wednesday before"),
        "lookback_hours": public(168, f"{_TEXT}, section 2: seven calendar days; they are UTC days here"),
        "min_observations": public(8, f"{_TEXT}, section 2: a valid day has eight listings or more"),
        "thin_observations": assumed(
            24, "low confidence under three valid days is read as under three times eight listings"
        ),
        "screen": assumed(
            {"robust_z": "2.5"},
            "2.5 is public; it counts standard deviations of one day from a trimmed mean, for which the robust "
            "deviation from the window's median stands in",
        ),
        "decimals": public(4, f"{_TEXT}, section 6.1, step 4: rounded to four decimals"),
        "publication_lag_hours": assumed(
            23, "Thursday 17:00 Central is 22 or 23 hours after Wednesday ends in UTC"
        ),
    },
    grade={
        "chip": public("H100", f"{_TEXT}, section 5"),
        "form_factor": public(["SXM"], f"{_TEXT}, section 5"),
        "countries": public(["US"], f"{_TEXT}, section 5"),
    },
    not_expressed=(
        "the host's reliability of 0.90 or more",
        "listings that began more than seven days before",
        "every day's snapshot counts again; here an ask counts once a week, in its latest state",
        "outliers are removed day by day, before the days are pooled",
        "bootstrap interval of the value",
        "the fallback waterfall of the governance framework, section 7",
    ),
)
