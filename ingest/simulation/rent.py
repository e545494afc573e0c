"""Rents of an invented renter in the simulated market: what it pays a day for its GPUs.

The renter has one provider. The provider follows the same latent market as everyone, with its own premium, its
own reviews and its own slow drift away from the market, so an index covers the rent in part, not in full.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, get_args

import numpy as np

from ...records import UsageError
from .process import latent_log_prices, two_factor_path
from .quotes import sticky_path
from .scenario import CHIPS, Style, TwoFactor
from .stable import dollars, exponential, normals, round_to_step, stream, uniforms

RentKind = Literal["own_provider", "market", "fixed"]
RENT_KINDS: Final[tuple[RentKind, ...]] = get_args(RentKind)

_PURPOSE = 5
_HOURS_PER_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A renter's provider: its premium on the market, reviews and own drift (assumed)."""

    log_premium: float
    style: Style
    own_drift: TwoFactor


def _provider(premium: float, reviews_per_day: float, band: float, own_volatility: float) -> Provider:
    return Provider(
        log_premium=premium,
        style=Style(reset_per_day=reviews_per_day, menu_cost_log=band, judgement_sd=0.01, price_step=100),
        own_drift=TwoFactor(
            mean_reversion=2.0,
            short_volatility=own_volatility,
            drift=0.0,
            long_volatility=0.0,
            correlation=0.0,
        ),
    )


PROVIDERS: Final[dict[RentKind, Provider]] = {
    "own_provider": _provider(0.05, 1 / 20, 0.08, 0.14),
    "market": _provider(0.02, 1 / 4, 0.03, 0.02),
    "fixed": _provider(0.05, 0.0, 20.0, 0.0),
}


def rent_csv(kind: RentKind, seed: int, first_day: date, days: int, gpus: int) -> bytes:
    """A rent book as ``date,rate_usd_per_gpu_hour,gpu_hours``, one row a day, all GPUs all day.

    Kinds: ``own_provider`` floats with one provider that reprices about every three weeks; ``market``
    follows the market closely; ``fixed`` never changes. Raises UsageError on an unknown kind.
    """
    if kind not in PROVIDERS:
        raise UsageError(f"kind is {kind!r}; the simulated rents are {', '.join(RENT_KINDS)}.")
    if gpus < 1:
        raise UsageError(f"gpus is {gpus}; a renter needs at least one.")
    provider = PROVIDERS[kind]
    purpose = RENT_KINDS.index(kind)
    market = latent_log_prices(seed, first_day, days)[:, CHIPS.index("H100")]
    own, _ = two_factor_path(provider.own_drift, normals(stream(seed, _PURPOSE, purpose, 0), days, 2))
    wanted = np.concatenate([market[:1], market[:-1]]) + own + provider.log_premium
    paid = sticky_path(
        wanted[:, np.newaxis],
        uniforms(stream(seed, _PURPOSE, purpose, 1), days, 1),
        normals(stream(seed, _PURPOSE, purpose, 2), days, 1),
        (provider.style,),
        np.zeros((days, 1), dtype=np.bool_),
    )
    rates = round_to_step(exponential(paid[:, 0]) * 10_000.0, provider.style.price_step).tolist()
    rows = ["date,rate_usd_per_gpu_hour,gpu_hours"]
    rows += [
        f"{first_day + timedelta(days=number)},{dollars(rate)},{gpus * _HOURS_PER_DAY}"
        for number, rate in enumerate(rates)
    ]
    return ("\n".join(rows) + "\n").encode()
