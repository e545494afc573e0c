"""Reading: which columns of an observation, beyond those every panel needs, the rules of a methodology ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .methodology import Methodology

if TYPE_CHECKING:
    import ibis


def columns_read(methodology: Methodology) -> frozenset[str]:
    """Of ``buyer``, ``aggregator``, ``gpus_available`` and ``observed_at``, those that a rule or a vote reads."""
    read = set[str]()
    trades = "trade" in methodology.inputs
    screen = methodology.screen
    if methodology.max_trade_share is not None or (trades and screen is not None):
        read.add("buyer")
    if methodology.cap_aggregator is not None or methodology.max_aggregator_share is not None:
        read.add("aggregator")
    if methodology.weights == "capacity":
        read.add("gpus_available")
    if methodology.recency is not None or "instants" in methodology.rule.reads:
        read.add("observed_at")
    return frozenset(read)


def read_aggregates(panel: ibis.Table, methodology: Methodology) -> dict[str, Any]:
    """What the votes carry of those columns: latest instant, buyer of a lone trade, aggregators, capacity."""
    read = columns_read(methodology)
    found: dict[str, Any] = {}
    if "observed_at" in read:
        found["last_observed_at"] = panel.observed_at.max()
    if methodology.max_trade_share is not None:
        found["buyer"] = panel.buyer.max()
    if "aggregator" in read:
        found["aggregators"] = panel.aggregator.collect(where=panel.aggregator.notnull(), distinct=True)
    if "gpus_available" in read:
        found["capacity"] = panel.gpus_available.sum().cast("int64")
    return found
