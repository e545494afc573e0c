"""List prices: sellers who follow the latent market late, in steps, each with a premium of its own.

A seller reviews a price by chance (Calvo 1983) or when it has drifted too far from the wanted one (an S,s
band: Sheshinski and Weiss 1977); in between it stands still. The wanted price is yesterday's latent price
times the seller's premium, so lists lag the market by the time between reviews.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from .process import ramp_path
from .scenario import (
    B200_LAUNCH_DAY,
    CHIPS,
    EUROPE_WIDENS,
    GOODS,
    REGION_LOG_EFFECT,
    SELLERS,
    STYLES,
    Good,
    Seller,
    Style,
)
from .stable import Floats, Integers, dollars, exponential, normals, round_to_step, stream, uniforms

Flags = NDArray[np.bool_]

SOURCE = "rentmark-simulated"
LICENSE = "simulated (Apache-2.0)"
"""Says what the rows are; the licence of the code that makes them covers them, so they may be indexed."""

OFFER_COLUMNS = (
    "observed_at", "seller", "source", "source_commit", "sku", "gpu_model", "form_factor", "vram_gb",
    "gpu_model_raw", "gpu_count", "price_usd_per_hour_total", "price_per_gpu_hour", "region", "pricing",
    "quantity_gpus", "minimum_gpus", "machine", "verification", "reliability", "carried_by_source",
    "license", "simulated",
)  # fmt: skip

_PURPOSE = 2
_SPOT_PURPOSE = 3
_SPOT_LOG_DISCOUNT = -0.5
_SPOT_SD = 0.05
_SPOT_STEP = 10
_SPOT_WITHHELD_SHARE = 0.0015
_SINGLE_GPU_SURCHARGE = 0.03
_PRICE_UNIT = 10_000.0  # prices are counted in $0.0001


@dataclass(frozen=True, slots=True)
class Quote:
    """One seller's price for one good, behind all its listings of it."""

    seller: Seller
    good: Good
    style: Style


@dataclass(frozen=True, slots=True)
class Listing:
    """One row of a day's offers: a quote in a region and size, on demand or spot."""

    quote: int
    region: str
    gpu_count: int
    pricing: str
    machine: str
    log_offset: float


QUOTES = tuple(
    Quote(seller, GOODS[good], STYLES[seller.style]) for seller in SELLERS for good in seller.goods
)


def _listings_of(number: int, quote: Quote) -> list[Listing]:
    home, *others = quote.seller.regions
    style = quote.seller.style
    if style.endswith("_host"):
        pricing = "secure" if style == "secure_host" else "community"
        machine = f"sim-machine-{number:03d}"  # one machine listed in three sizes
        return [Listing(number, home, size, pricing, machine, 0.0) for size in (8, 4, 2)]
    rows = [Listing(number, home, 8, "on_demand", "", 0.0)]
    rows += [Listing(number, region, 8, "on_demand", "", 0.0) for region in others]
    if style == "hyperscaler":
        spot = [Listing(number, region, 8, "spot", "", _SPOT_LOG_DISCOUNT) for region in quote.seller.regions]
        return rows + spot
    return [*rows, Listing(number, home, 1, "on_demand", "", _SINGLE_GPU_SURCHARGE)]


LISTINGS = tuple(listing for number, quote in enumerate(QUOTES) for listing in _listings_of(number, quote))


@dataclass(frozen=True, slots=True)
class ListPrices:
    """All list prices of a market; rows are days.

    ``log_list`` (days, QUOTES) is the standing list price before any region's effect and rounding,
    ``log_gap`` how far the market price of the good that day lies above it. ``active`` and ``carried``
    (days, QUOTES) say whether a seller's rows stand that day and whether the collector only repeats
    them. ``prices`` (days, LISTINGS) counts $0.0001 per GPU-hour; a spot price is now and then 0, a row that
    a feed has to refuse.
    """

    log_list: Floats
    log_gap: Floats
    active: Flags
    carried: Flags
    prices: Integers


def presence(quote: Quote, first_day: date, days: int) -> tuple[Flags, Flags]:
    """Days on which a quote is listed, and days on which the collector only repeats it."""
    dates = [first_day + timedelta(days=number) for number in range(days)]
    seller = quote.seller
    opening = max(seller.first_day, B200_LAUNCH_DAY) if quote.good.chip == "B200" else seller.first_day
    carried = np.array([_within(day, seller.carried) for day in dates], dtype=np.bool_)
    listed = [opening <= day <= seller.last_day and not _within(day, seller.silent) for day in dates]
    return np.array(listed, dtype=np.bool_), carried


def _within(day: date, span: tuple[date, date] | None) -> bool:
    return span is not None and span[0] <= day <= span[1]


def sticky_path(
    wanted: Floats, review_draws: Floats, judgement: Floats, styles: tuple[Style, ...], entering: Flags
) -> Floats:
    """Log list prices (days, quotes) that follow ``wanted`` by reviews only.

    ``review_draws`` are uniforms, ``judgement`` unit-variance draws, ``entering`` marks first days on
    which a price is set afresh; all (days, quotes). The first day always sets prices.
    """
    chance = np.array([style.reset_per_day for style in styles])
    band = np.array([style.menu_cost_log for style in styles])
    scatter = np.array([style.judgement_sd for style in styles])
    paths = np.empty_like(wanted)
    current = wanted[0] + scatter * judgement[0]
    paths[0] = current
    for day in range(1, len(wanted)):
        review = (review_draws[day] < chance) | (np.abs(current - wanted[day]) > band) | entering[day]
        current = np.where(review, wanted[day] + scatter * judgement[day], current)
        paths[day] = current
    return paths


def list_prices(seed: int, first_day: date, latent: Floats) -> ListPrices:
    """Every seller's list prices from the latent log prices (days, chips); wanted prices lag by a day."""
    days = len(latent)
    chip_of = np.array([CHIPS.index(quote.good.chip) for quote in QUOTES])
    own = np.array([quote.seller.log_premium + quote.good.log_offset for quote in QUOTES])
    yesterday = np.concatenate([latent[:1], latent[:-1]])
    wanted = yesterday[:, chip_of] + own
    presences = [presence(quote, first_day, days) for quote in QUOTES]
    active = np.column_stack([listed for listed, _ in presences])
    carried = np.column_stack([repeated for _, repeated in presences])
    entering = np.zeros_like(active)
    entering[1:] = active[1:] & ~active[:-1]
    # The bookkeeping goes on unseen while a collector repeats a row; what it repeats is held below.
    reviews = uniforms(stream(seed, _PURPOSE, 0), days, len(QUOTES))
    judgement = normals(stream(seed, _PURPOSE, 1), days, len(QUOTES))
    log_list = sticky_path(wanted, reviews, judgement, tuple(quote.style for quote in QUOTES), entering)
    for day in range(1, days):
        log_list[day] = np.where(carried[day], log_list[day - 1], log_list[day])
    prices = _listing_prices(seed, first_day, log_list, wanted)
    offset = np.array([quote.good.log_offset for quote in QUOTES])
    return ListPrices(log_list, latent[:, chip_of] + offset - log_list, active, carried, prices)


def _listing_prices(seed: int, first_day: date, log_list: Floats, wanted: Floats) -> Integers:
    days = len(log_list)
    spot_noise = normals(stream(seed, _SPOT_PURPOSE, 0), days, len(LISTINGS))
    withheld = uniforms(stream(seed, _SPOT_PURPOSE, 1), days, len(LISTINGS)) < _SPOT_WITHHELD_SHARE
    prices = np.empty((days, len(LISTINGS)), dtype=np.int64)
    for column, listing in enumerate(LISTINGS):
        spot = listing.pricing == "spot"
        base = (
            wanted[:, listing.quote] + _SPOT_SD * spot_noise[:, column]
            if spot
            else log_list[:, listing.quote]
        )
        surcharge = region_effect(listing.region, first_day, days) + listing.log_offset
        step = _SPOT_STEP if spot else QUOTES[listing.quote].style.price_step
        prices[:, column] = round_to_step(exponential(base + surcharge) * _PRICE_UNIT, step)
        if spot:
            prices[withheld[:, column], column] = 0  # what sources write when they do not offer it
    return prices


def region_effect(region: str, first_day: date, days: int) -> Floats:
    """What a region costs more than the United States on each day, in logarithms."""
    constant = np.full(days, REGION_LOG_EFFECT[region])
    return constant + ramp_path(EUROPE_WIDENS, first_day, days) if region.startswith("eu-") else constant


def _row_parts(number: int, listing: Listing) -> tuple[str, str, str, str]:
    """The constant texts of a listing's row, around time, prices and the carried mark."""
    quote = QUOTES[listing.quote]
    good = quote.good
    host = bool(listing.machine)
    clock = f"T14:{number % 60:02d}:00Z,"
    before = (
        f"{quote.seller.name},{SOURCE},,{good.sku}-{listing.gpu_count}x,{good.chip},{good.form_factor},"
        f"{good.memory_gb},{good.name_as_written},{listing.gpu_count},"
    )
    stock = "8" if host else str(64 * (1 + number % 5))
    after = (
        f",{listing.region},{listing.pricing},{stock},{listing.gpu_count},{listing.machine},"
        f"{'verified' if host else ''},{'0.9950' if host else ''},"
    )
    return clock, before, after, f",{LICENSE},true"


_PARTS = tuple(_row_parts(number, listing) for number, listing in enumerate(LISTINGS))


def offers_csv(day: date, prices: list[int], active: list[bool], carried: list[bool]) -> bytes:
    """One day's offers as CSV in the default columns of the ``tabular`` feed, with ``simulated`` true.

    ``prices`` has one element per listing in $0.0001 per GPU-hour; ``active`` and ``carried`` one per quote.
    """
    rows = [",".join(OFFER_COLUMNS)]
    stamp = day.isoformat()
    for listing, price, (clock, before, after, end) in zip(LISTINGS, prices, _PARTS, strict=True):
        if active[listing.quote]:
            total = dollars(price * listing.gpu_count)
            mark = "true" if carried[listing.quote] else "false"
            rows.append(f"{stamp}{clock}{before}{total},{dollars(price)}{after}{mark}{end}")
    return ("\n".join(rows) + "\n").encode()
