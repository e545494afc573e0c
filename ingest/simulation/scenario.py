"""The assumed market: chips, goods, regions, events and sellers. All of it is invented.

Levels and volatilities are of the order quoted for GPU rentals in 2025–26 (hourly prices of a few
dollars, yearly volatility of 15 to 30 %, a chip launch worth about −0.2 in logarithms); they are
assumptions, not estimates, and no seller named here exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

ANCHOR_DAY: Final = date(2023, 9, 1)
"""Day on which a chip's level and trend are stated."""

B200_LAUNCH_DAY: Final = date(2025, 3, 10)
"""Day from which B200 is offered and from which it weighs on the older chips."""

Chip = Literal["H100", "A100", "B200"]
CHIPS: Final[tuple[Chip, ...]] = ("H100", "A100", "B200")


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoFactor:
    """Parameters of ln S = χ + ξ (Schwartz and Smith 2000, Management Science 46(7), eqs. 1–3).

    ``dχ = −κχ dt + σ_χ dz_χ`` is the short deviation, ``dξ = μ dt + σ_ξ dz_ξ`` the long level,
    ``correlation`` that of their shocks. Rates are per year of 365 days, volatilities per √year.
    """

    mean_reversion: float
    short_volatility: float
    drift: float
    long_volatility: float
    correlation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipMarket:
    """One chip's latent price: log level at the anchor day, process, and response to events."""

    log_level: float
    process: TwoFactor
    event_response: float


CHIP_MARKETS: Final[dict[Chip, ChipMarket]] = {
    "H100": ChipMarket(  # about $3.60 at the anchor day
        log_level=1.281,
        process=TwoFactor(
            mean_reversion=4.0, short_volatility=0.26, drift=-0.10, long_volatility=0.14, correlation=0.2
        ),
        event_response=1.0,
    ),
    "A100": ChipMarket(  # about $1.90
        log_level=0.642,
        process=TwoFactor(
            mean_reversion=3.0, short_volatility=0.14, drift=-0.14, long_volatility=0.09, correlation=0.2
        ),
        event_response=0.7,
    ),
    "B200": ChipMarket(  # would have been about $7.00 then; offered from its launch on
        log_level=1.946,
        process=TwoFactor(
            mean_reversion=4.0, short_volatility=0.28, drift=-0.12, long_volatility=0.16, correlation=0.2
        ),
        event_response=0.8,
    ),
}

COMMON_SHOCK_LOADING: Final = 0.85
"""Correlation of each chip's shocks with the market-wide shock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramp:
    """A log change that comes in evenly from the start to the end day and then stays."""

    start: date
    end: date
    log_change: float


EVENTS: Final[tuple[Ramp, ...]] = (
    Ramp(start=date(2024, 2, 1), end=date(2024, 6, 15), log_change=0.24),  # scarcity
    Ramp(start=date(2024, 8, 20), end=date(2025, 1, 31), log_change=-0.46),  # glut
    Ramp(start=B200_LAUNCH_DAY, end=date(2025, 4, 21), log_change=-0.20),  # launch of the next chip
    Ramp(start=date(2025, 11, 1), end=date(2026, 3, 15), log_change=0.34),  # scarcity again
    Ramp(start=date(2026, 5, 15), end=date(2026, 8, 31), log_change=-0.18),  # new halls open
)
"""Scarcity, glut and a chip launch, in logarithms; each chip answers by its ``event_response``."""

LAUNCH_EVENT: Final = 2
"""Index in EVENTS of the launch, which does not lower the price of the launched chip itself."""

REGION_LOG_EFFECT: Final[dict[str, float]] = {
    "us-east": 0.0,
    "us-west": 0.0,
    "eu-north": 0.06,
    "asia-east": 0.09,
}
"""What a region costs more than the United States, in logarithms."""

EUROPE_WIDENS: Final = Ramp(start=date(2025, 9, 15), end=date(2025, 12, 15), log_change=0.05)
"""The European surcharge widens once, so that a book rented there drifts from a US reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Good:
    """What a row offers: the chip and how sellers write it. ``log_offset`` is against the chip's price."""

    chip: Chip
    form_factor: str
    memory_gb: int
    name_as_written: str
    sku: str
    log_offset: float = 0.0


GOODS: Final[dict[str, Good]] = {
    "h100-sxm": Good(
        chip="H100", form_factor="SXM5", memory_gb=80, name_as_written="NVIDIA H100 80GB HBM3", sku="h100-sxm"
    ),
    "h100": Good(  # form factor unstated
        chip="H100", form_factor="", memory_gb=80, name_as_written="H100 80GB", sku="h100", log_offset=-0.04
    ),
    "a100-80": Good(
        chip="A100", form_factor="SXM4", memory_gb=80, name_as_written="A100-SXM4-80GB", sku="a100-80"
    ),
    "b200": Good(chip="B200", form_factor="SXM", memory_gb=192, name_as_written="NVIDIA B200", sku="b200"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a kind of seller sets list prices.

    ``reset_per_day`` is the daily chance of a review (Calvo 1983, Journal of Monetary Economics 12(3));
    ``menu_cost_log`` the gap to the wanted price at which it changes anyway (an S,s band: Sheshinski and
    Weiss 1977, Review of Economic Studies 44(2)); ``judgement_sd`` the scatter of the wanted price at a
    review, in logarithms; ``price_step`` the grid of its prices in $0.0001.
    """

    reset_per_day: float
    menu_cost_log: float
    judgement_sd: float
    price_step: int


STYLES: Final[dict[str, Style]] = {
    "hyperscaler": Style(reset_per_day=1 / 150, menu_cost_log=0.25, judgement_sd=0.02, price_step=100),
    "neocloud": Style(reset_per_day=1 / 35, menu_cost_log=0.10, judgement_sd=0.03, price_step=100),
    "reseller": Style(reset_per_day=1 / 60, menu_cost_log=0.12, judgement_sd=0.04, price_step=500),
    "secure_host": Style(reset_per_day=1 / 8, menu_cost_log=0.05, judgement_sd=0.03, price_step=10),
    "community_host": Style(reset_per_day=1 / 5, menu_cost_log=0.04, judgement_sd=0.04, price_step=10),
}


@dataclass(frozen=True, slots=True)
class Seller:
    """One invented seller: its style, regions (the first is home), own premium, goods and days in the market.

    A name ``venue/host`` is a host on a marketplace. During ``silent`` it lists nothing; during
    ``carried`` the collector repeats its last price and marks the row.
    """

    name: str
    style: str
    regions: tuple[str, ...]
    log_premium: float
    goods: tuple[str, ...]
    first_day: date = date.min
    last_day: date = date.max
    carried: tuple[date, date] | None = None
    silent: tuple[date, date] | None = None


US, WEST, EU, ASIA = "us-east", "us-west", "eu-north", "asia-east"
ALL_SXM = ("h100-sxm", "a100-80", "b200")

SELLERS: Final[tuple[Seller, ...]] = (
    Seller("sim-hyperscaler-01", "hyperscaler", (US, EU), 0.46, ALL_SXM),
    Seller("sim-hyperscaler-02", "hyperscaler", (WEST, EU), 0.40, ALL_SXM),
    Seller("sim-hyperscaler-03", "hyperscaler", (US, ASIA), 0.52, ALL_SXM),
    Seller("sim-neocloud-01", "neocloud", (US, EU), 0.06, ALL_SXM),
    Seller("sim-neocloud-02", "neocloud", (US,), 0.02, ALL_SXM),
    Seller("sim-neocloud-03", "neocloud", (WEST,), -0.03, ("h100-sxm", "b200")),
    Seller("sim-neocloud-04", "neocloud", (US,), 0.10, ("h100-sxm", "a100-80"), last_day=date(2025, 1, 31)),
    Seller("sim-neocloud-05", "neocloud", (EU, US), -0.01, ("h100-sxm", "a100-80")),
    Seller(
        "sim-neocloud-06",
        "neocloud",
        (WEST, ASIA),
        0.04,
        ("h100-sxm", "h100"),
        carried=(date(2025, 10, 3), date(2025, 10, 5)),
        silent=(date(2025, 10, 6), date(2025, 10, 26)),
    ),
    Seller("sim-neocloud-07", "neocloud", (US,), -0.06, ("h100-sxm", "a100-80", "b200")),
    Seller("sim-neocloud-08", "neocloud", (EU,), 0.08, ("h100-sxm", "b200")),
    Seller("sim-neocloud-09", "neocloud", (US,), -0.08, ("h100-sxm", "a100-80"), first_day=date(2024, 5, 6)),
    Seller("sim-neocloud-10", "neocloud", (WEST,), 0.00, ("h100-sxm",), first_day=date(2024, 11, 18)),
    Seller(
        "sim-neocloud-11", "neocloud", (ASIA, US), -0.04, ("h100-sxm", "b200"), first_day=date(2025, 6, 2)
    ),
    Seller("sim-reseller-01", "reseller", (US, EU), 0.12, ("h100", "a100-80")),
    Seller("sim-reseller-02", "reseller", (WEST,), 0.15, ("h100", "a100-80"), last_day=date(2024, 8, 30)),
    Seller("sim-reseller-03", "reseller", (EU, ASIA), 0.07, ("h100",)),
    Seller("sim-market-a/sim-host-01", "secure_host", (US,), -0.14, ("h100-sxm", "a100-80")),
    Seller("sim-market-a/sim-host-02", "secure_host", (EU,), -0.18, ("h100-sxm",)),
    Seller("sim-market-a/sim-host-03", "secure_host", (WEST,), -0.12, ("h100", "b200")),
    Seller("sim-market-a/sim-host-04", "secure_host", (US,), -0.16, ("h100",), first_day=date(2024, 2, 12)),
    Seller("sim-market-b/sim-host-05", "community_host", (US,), -0.26, ("h100-sxm", "a100-80")),
    Seller("sim-market-b/sim-host-06", "community_host", (EU,), -0.30, ("h100",)),
    Seller(
        "sim-market-b/sim-host-07", "community_host", (ASIA,), -0.28, ("a100-80",), last_day=date(2025, 9, 12)
    ),
    Seller("sim-market-b/sim-host-08", "community_host", (WEST,), -0.24, ("h100-sxm", "b200")),
)
"""Twenty-five sellers: three enter early or late, three leave, one falls silent for three weeks."""
