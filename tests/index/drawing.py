"""Random small archives: few names, a coarse grid of prices and hours, so that everything collides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from hypothesis import strategies as st
from rentmark.index import Benchmark

from .making import benchmark, hours, offer, trade

FIRST_HOUR = datetime(2026, 7, 7, tzinfo=UTC)
DAYS = 3
"""Rows fall on 7, 8 and 9 July 2026."""

CHOICES: dict[str, Sequence[Any]] = {
    "seller": ("alpha", "alpha", "beta", "gamma"),
    "venue": (None, None, "floor", "alpha"),
    "source": ("invented", "invented", "second"),
    "sku": (None, None, "k1"),
    "name_as_written": (None, "H100"),
    "chip": ("H100", "H100", "H100", "H200"),
    "form_factor": ("SXM", "SXM", "PCIe", None, None),
    "memory_gb": (80, 80, 80, 94, None),
    "gpu_count": (1, 1, 2, 4, 8, None),
    "machine": (None, None, "m1", "m2"),
    "pricing": ("on_demand", "on_demand", "on_demand", "spot"),
    "price_basis": ("instance", "instance", "gpu_only"),
    "region": (None, "us-1", "eu-1"),
    "country": (None, "US", "DE"),
    "service": ("vm", "container"),
    "interconnect": (None, None, "NVLink", "InfiniBand", "Ethernet"),
    "tenancy": (None, "single", "single", "shared"),
    "term_months": (None, None, 1),
    "carried_by_source": (False, False, False, True),
    "rights": ("allowed", "allowed", "allowed", "unknown", "forbidden"),
    "suspect": (None, None, None, "price_outside_band"),
}
_LAGS = (0, 1, 48)

BENCHMARKS: dict[str, Benchmark] = {
    "everything": benchmark(inputs=["trade", "executable", "listed"], include_carried=True),
    "unstated": benchmark(
        {"form_factor": ["SXM", "unstated"], "memory_gb": [80], "pricing": "on_demand"},
        inputs=["trade", "listed"],
    ),
    "silent": benchmark(
        {"form_factor": ["SXM", "unstated_if_silent"], "exclude_regions": ["eu-1"]},
        inputs=["trade", "executable", "listed"],
        suspect="exclude",
    ),
    "places": benchmark(
        {
            "countries": ["US", "DE"],
            "regions": ["us-1", "eu-1"],
            "services": ["vm"],
            "price_basis": "instance",
        },
        inputs=["executable", "listed"],
        vote=["seller", "region"],
        seller_statistic="mean",
    ),
    "sizes": benchmark(
        {"min_gpus": 2, "max_gpus": 4, "sellers": ["alpha", "beta"], "sources": ["invented"]},
        inputs=["listed"],
        lookback_hours=48,
    ),
    "networks": benchmark(
        {
            "interconnect": ["NVLink", "InfiniBand", "unstated"],
            "tenancy": ["single"],
            "minimum_gpus_at_least": 2,
            "minimum_gpus_at_most": 1_000,  # rows are numbered in this column
        },
        inputs=["executable", "listed"],
    ),
    "trades": benchmark(
        {"exclude_sellers": ["gamma"], "form_factor": ["unstated"]},
        inputs=["trade"],
        vote=["observation"],
        cutoff="16:00 America/New_York",
    ),
    "screens": benchmark(
        inputs=["trade", "listed"],
        vote=["seller", "sku"],
        screen={
            "administered": ["gamma"],
            "affiliates": [["alpha", "b1"], ["beta", "b2", "b3"]],
            "circular_trades": "exclude",
        },
    ),
    "terms": benchmark(
        {"term_months": [1], "skus": ["k1"]}, inputs=["trade", "executable", "listed"], staleness_hours=30
    ),
}


def draw_row(choose: Any, number: int, trade_ids: int = 3) -> dict[str, Any]:
    """One row. ``choose`` takes a sequence and returns one of it; ``number`` keeps rows apart."""
    is_trade = choose((False, False, True))
    observed = FIRST_HOUR + hours(choose(range(24 * DAYS)))
    known = observed + hours(choose(_LAGS))
    values = {name: choose(options) for name, options in CHOICES.items()}
    values |= {
        "price_micros": 250_000 * choose(range(1, 17)) + choose((0, 0, 0, 1)),
        "observed_at": observed,
        "known_at": known,
        "recorded_at": known + hours(choose(_LAGS)),
        "minimum_gpus": number,
        "position": number,
    }
    if not is_trade:
        return offer(tier=choose(("listed", "listed", "executable")), **values)
    return trade(
        choose((None, *(f"t{place}" for place in range(trade_ids)))),
        trade_status=choose(("new", "new", "corrected", "cancelled")),
        gpu_seconds=3_600 * choose((1, 2, 24)),
        buyer=choose((None, "b1", "b2", "alpha", "beta", "gamma")),
        **values,
    )


@st.composite
def archives(draw: st.DrawFn, largest: int = 14) -> list[dict[str, Any]]:
    """A small archive; no two rows are one record."""
    count = draw(st.integers(1, largest))
    return [draw_row(lambda options: draw(st.sampled_from(options)), number) for number in range(count)]


def large_archive(seed: int, count: int) -> list[dict[str, Any]]:
    """A larger archive of a stated seed."""
    chance = Random(seed)
    return [draw_row(chance.choice, number, trade_ids=count // 10) for number in range(count)]


instants = st.sampled_from([FIRST_HOUR + hours(step) for step in (0, 12, 25, 40, 49, 72, 73, 120, 240)])
"""As-of instants, from before anything is known to after everything is."""
