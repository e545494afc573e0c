"""A price reporting agency's assessment on rentals: trades above bids and offers above what else is known."""

from __future__ import annotations

from .base import Preset, assumed, public

_NOTE = "Platts and Argus market-on-close practice; third-party note, read 2026-10"

PRICE_ASSESSMENT = Preset(
    name="price-assessment",
    version="1.0.0",
    index="market-on-close assessment in the manner of Platts and Argus, applied to rentals",
    publisher="practice of price reporting agencies",
    summary="volume-weighted mean of trades above a minimum volume, else executable quotes, else list prices",
    read=f"{_NOTE}. No agency publishes such an assessment of compute by these keys",
    methodology={
        "inputs": public(
            ["trade", "executable", "listed"], f"{_NOTE}: trade over bid and offer over other information"
        ),
        "hierarchy": public("waterfall", _NOTE),
        "vote": assumed(["observation"], "what counts once below the trades is a judgement"),
        "weights": public("volume", f"{_NOTE}: volume-weighted average of trades"),
        "estimator": public("volume_weighted_mean", _NOTE),
        "min_gpu_hours": assumed(200, "there is a minimum volume; each market has its own"),
        "min_sellers": assumed(2, "no minimum is published"),
        "calendar": assumed("weekdays", "the trading days of the market; weekdays stand in"),
        "cutoff": assumed("16:30 Europe/London", "the close of the European window; each market has its own"),
    },
    grade={},
    not_expressed=(
        "the assessor's judgement, and how fast a bid or an offer may move in the window",
        "the last minutes of the window; the whole day since the cut-off before is collected",
    ),
)
