"""Ornn's OCPI: a winsorised mean of executed rentals, weighed by GPUs."""

from __future__ import annotations

from .base import SECOND_HAND, Preset, assumed, public

ORNN_OCPI = Preset(
    name="ornn-ocpi",
    version="1.0.0",
    index="Ornn Compute Price Index (OCPI)",
    publisher="Ornn",
    summary="winsorised mean of the rentals executed in the hour before 16:00 New York, weighed by their size",
    read=SECOND_HAND,
    methodology={
        "inputs": public(["trade"], f"executed on-demand rentals alone; {SECOND_HAND}"),
        "vote": public(["observation"], f"each rental enters by itself; {SECOND_HAND}"),
        "weights": assumed(
            "volume", "weights are GPUs; GPU-hours stand in, which is the same where rentals last alike"
        ),
        "estimator": public("winsorised_mean", SECOND_HAND),
        "tail": assumed("0.05", "the share drawn in at either end (α) is not published"),
        "cutoff": public("16:00 America/New_York", f"daily value at 16:00 Eastern; {SECOND_HAND}"),
        "lookback_hours": public(1, f"rolling hour; {SECOND_HAND}"),
        "min_sellers": assumed(2, "“two distinct counterparties” is read as two sellers"),
        "screen": public({"wash_trades": "exclude"}, f"two distinct counterparties; {SECOND_HAND}"),
        "fallback": public("carry", f"the last value is carried, then the index is suspended; {SECOND_HAND}"),
        "carry_days": assumed(3, "how long a value is carried is not published"),
    },
    grade={"pricing": public("on_demand", SECOND_HAND)},
    not_expressed=(
        "weights by GPUs; GPU-hours are what a trade states here",
        "hardware verified by the venue",
        "hourly values; one a day is made here",
        "suspension by decision of the administrator; use `index cease`",
        "restatement of errors by the administrator; use `index restate`",
    ),
)
