"""gpuprice.fyi: a median of fresh list prices of reliable sellers."""

from __future__ import annotations

from .base import Preset, assumed, public

_TEXT = "gpuprice.fyi, Methodology v0.3"

GPUPRICE_FYI = Preset(
    name="gpuprice-fyi",
    version="1.0.0",
    index="gpuprice.fyi",
    publisher="gpuprice.fyi",
    summary="median of list prices not older than twelve hours, doubtful ones left out",
    read=f"{_TEXT}, read 2026-11",
    methodology={
        "inputs": public(["listed"], f"{_TEXT}, What we measure"),
        "vote": public(["observation"], f"{_TEXT}, Quality tiers: eligible listings enter the median"),
        "weights": assumed("vote", "no weights are mentioned; every listing has the same"),
        "estimator": public("median", f"{_TEXT}, Quality tiers"),
        "staleness_hours": public(12, f"{_TEXT}, Freshness & staleness"),
        "suspect": public("exclude", f"{_TEXT}, Quality tiers: suspicious validation is excluded"),
    },
    grade={
        "pricing": public("on_demand", f"{_TEXT}, What we measure; community offers are excluded"),
        "price_basis": public("instance", f"{_TEXT}, What we measure: the instance divided by its GPUs"),
    },
    not_expressed=(
        "sellers rated Reliable, Community or Experimental; name the sellers in your grade",
        "listings that came through an aggregator are excluded",
        "values are made all day; one a day is made here, at its end, so that what was seen before noon is stale",
    ),
)
