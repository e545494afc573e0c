"""The BRR's rules on rentals: the mean of the volume-weighted medians of twelve parts of an hour."""

from __future__ import annotations

from .base import SECOND_HAND, Preset, assumed, public

_NOTE = "CME CF Bitcoin Reference Rate methodology; third-party note, read 2026-10"
_CME = "CME Group, Analysis of the CME CF Bitcoin Reference Rate (to March 2019), read 2026-11"

CF_BRR = Preset(
    name="cf-brr",
    version="1.0.0",
    index="CME CF Bitcoin Reference Rate (BRR), applied to rentals",
    publisher="CF Benchmarks",
    summary="equal mean of the volume-weighted medians of twelve five-minute parts of the hour to 16:00 London",
    read=f"{_CME}; the methodology guide itself: {SECOND_HAND}. The BRR prices bitcoin; nobody applies it to compute",
    methodology={
        "inputs": public(["trade"], f"{_CME}: actual trades"),
        "vote": public(["observation"], f"{_NOTE}: each trade by itself"),
        "weights": public("volume", f"{_CME}: volume-weighted medians"),
        "estimator": public("partitioned_volume_weighted_median", f"{_CME}: non-weighted partitions"),
        "partitions": public(12, f"{_CME}: twelve partitions"),
        "cutoff": public("16:00 Europe/London", _NOTE),
        "lookback_hours": public(1, f"{_NOTE}: trades from 15:00 to 16:00"),
        "screen": public(
            {"venue_deviation": "0.1"}, f"{_NOTE}: a venue over 10 % from the median of venues is excluded"
        ),
        "fallback": public("carry", f"{_NOTE}: on total failure the prior value"),
        "carry_days": assumed(1, "for how long the prior value stands in is not in the note"),
    },
    grade={},
    not_expressed=("constituent venues by name; state yours as `sellers` of your grade",),
)
