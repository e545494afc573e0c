"""The SOFR's rules on rentals: the volume-weighted median of the day's trades."""

from __future__ import annotations

from .base import Preset, assumed, public

_PAGE = "Federal Reserve Bank of New York, Additional Information about Reference Rates, Treasury repo rates"
_STATEMENT = "Federal Reserve Bank of New York, statement of 2024-11-25"

SOFR = Preset(
    name="sofr",
    version="1.0.0",
    index="Secured Overnight Financing Rate (SOFR), applied to rentals",
    publisher="Federal Reserve Bank of New York",
    summary="price at which half of the day's traded hours is reached, percentiles beside it",
    read=f"{_PAGE}; {_STATEMENT}; read 2026-11. The SOFR prices overnight money; nobody applies it to compute",
    methodology={
        "inputs": public(["trade"], f"{_PAGE}, data inputs: transactions alone"),
        "vote": public(["observation"], f"{_PAGE}, calculation: each transaction by itself"),
        "weights": public("volume", f"{_PAGE}, calculation"),
        "estimator": public("volume_weighted_median", f"{_PAGE}, calculation: the 50th percentile of volume"),
        "screen": public(
            {"wash_trades": "exclude"}, f"{_STATEMENT}: transactions between affiliates are removed"
        ),
        "calendar": assumed(
            "weekdays", "each business day of the US government securities market; weekdays stand in"
        ),
        "publication_lag_hours": assumed(
            13, "about 8:00 Eastern of the next business day is 12 or 13 hours after the UTC day"
        ),
        "fallback": public("carry", f"{_PAGE}, data contingencies: the prior day's data"),
        "carry_days": assumed(3, "one business day; three days reach over a weekend"),
    },
    grade={},
    not_expressed=(
        "rounding to a basis point, which a price has not; set `decimals`",
        "affiliates by name; state yours as `screen.affiliates`",
        "the lowest fifth of one segment's volume is trimmed because of specials; a GPU pool has none, nothing is trimmed",
        "republication on the same day above a threshold; use `index restate`",
    ),
)
