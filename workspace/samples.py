"""The invented files of ``rentmark init --sample``: ``offers.csv``, ``trades.csv`` and ``rent.csv``.

Nothing in them is a market fact. They are made from a seed by the same process as the simulated market and
say ``invented-sample`` as their source; they carry no licence column, so they count as the user's own. They
are small and hold what a first look should meet: weekly prices of forty months and daily ones in July and August
2026, a seller that enters, one that leaves, a day with too few sellers, and single rows of other grades,
of an old price, of an exact repeat and of bad writing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

import numpy as np

from ..ingest.simulated import rent_series
from ..ingest.simulation.process import latent_log_prices
from ..ingest.simulation.quotes import sticky_path
from ..ingest.simulation.scenario import CHIPS, Style
from ..ingest.simulation.stable import (
    Integers,
    dollars,
    exponential,
    normals,
    round_to_step,
    stream,
    uniforms,
)

__all__ = ["SAMPLE_FIRST_DAY", "SAMPLE_LAST_DAY", "SAMPLE_SOURCE", "sample_files"]

SAMPLE_SOURCE: Final = "invented-sample"
SAMPLE_FIRST_DAY: Final = date(2023, 5, 3)
SAMPLE_LAST_DAY: Final = date(2026, 8, 31)

_SEED: Final = 18
_GPUS: Final = 64
_DAYS: Final = (SAMPLE_LAST_DAY - SAMPLE_FIRST_DAY).days + 1
_DAILY_FROM: Final = date(2026, 7, 1)
_LESSON_DAY: Final = date(2026, 8, 14)
_THIN_DAY: Final = date(2026, 7, 5)
_THIN_DAY_SELLERS: Final = 2
_STYLE: Final = Style(reset_per_day=1 / 25, menu_cost_log=0.08, judgement_sd=0.02, price_step=100)

_OFFER_COLUMNS: Final = (
    "observed_at", "seller", "source", "sku", "gpu_model", "form_factor", "vram_gb", "gpu_model_raw",
    "gpu_count", "price_per_gpu_hour", "region", "pricing", "carried_by_source",
)  # fmt: skip
_TRADE_COLUMNS: Final = (
    "trade_id", "executed_at", "reported_at", "seller", "buyer", "chip", "form_factor", "memory_gb",
    "gpu_count", "gpu_hours", "price_usd_per_gpu_hour", "status", "region", "pricing", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Seller:
    """An invented seller of H100: its premium in logarithms, form factor as written, and days in the file."""

    name: str
    log_premium: float
    form_factor: str = "SXM5"
    first_day: date = date.min
    last_day: date = date.max


_SELLERS: Final = (
    _Seller("sample-seller-01", 0.02),
    _Seller("sample-seller-02", -0.05),
    _Seller("sample-seller-03", 0.10),
    _Seller("sample-seller-04", -0.01, ""),
    _Seller("sample-seller-05", 0.06, last_day=date(2026, 8, 6)),
    _Seller("sample-seller-06", -0.10, ""),
    _Seller("sample-seller-07", 0.00),
    _Seller("sample-seller-08", 0.14),
    _Seller("sample-seller-09", -0.03),
    _Seller("sample-seller-10", 0.04, ""),
    _Seller("sample-seller-11", -0.07),
    _Seller("sample-seller-12", -0.12, first_day=date(2026, 7, 20)),
)


def sample_files() -> dict[str, bytes]:
    """The three invented files by name; the same bytes each time.

    ``offers.csv`` reads with the default mapping of the feed ``tabular``: two rows are rejected (a blank
    price, a time without a zone) and one is a duplicate. ``trades.csv`` reads with the feed ``trades``
    and holds one correction and one cancellation. ``rent.csv`` is ``date,rate_usd_per_gpu_hour,gpu_hours``
    of an invented renter of 64 GPUs.
    """
    prices = _list_prices()
    return {
        "offers.csv": _offers(prices),
        "trades.csv": _trades(prices),
        "rent.csv": rent_series(
            "own_provider", seed=_SEED, first_day=SAMPLE_FIRST_DAY, days=_DAYS, gpus=_GPUS
        ),
    }


def _list_prices() -> Integers:
    """List prices in $0.0001 per GPU-hour, shape (days, sellers): sticky, each with its premium."""
    market = latent_log_prices(_SEED, SAMPLE_FIRST_DAY, _DAYS)[:, [CHIPS.index("H100")]]
    wanted = np.concatenate([market[:1], market[:-1]]) + np.array([seller.log_premium for seller in _SELLERS])
    path = sticky_path(
        wanted,
        uniforms(stream(_SEED, 101), _DAYS, len(_SELLERS)),
        normals(stream(_SEED, 102), _DAYS, len(_SELLERS)),
        (_STYLE,) * len(_SELLERS),
        np.zeros(wanted.shape, dtype=np.bool_),
    )
    return round_to_step(exponential(path) * 10_000.0, _STYLE.price_step)


def _offers(prices: Integers) -> bytes:
    rows = [",".join(_OFFER_COLUMNS)]
    for number in range(_DAYS):
        day = SAMPLE_FIRST_DAY + timedelta(days=number)
        if day < _DAILY_FROM and number % 7:
            continue
        sellers = [n for n, seller in enumerate(_SELLERS) if seller.first_day <= day <= seller.last_day]
        if day == _THIN_DAY:
            sellers = sellers[:_THIN_DAY_SELLERS]
        listed = prices[number].tolist()
        for n in sellers:
            carried = day == _LESSON_DAY and _SELLERS[n].name == "sample-seller-09"
            rows.append(_offer(day, _SELLERS[n], dollars(listed[n]), carried=carried))
        if day == _LESSON_DAY:
            rows += _lessons(day, listed)
    return ("\n".join(rows) + "\n").encode()


def _lessons(day: date, listed: list[int]) -> list[str]:
    """Rows beside the grade on the day the README explains, then one exact repeat and two bad rows."""
    spot, card, repeated, other = _SELLERS[2], _SELLERS[6], _SELLERS[0], _SELLERS[1]
    good = _offer(day, other, dollars(listed[1]), region="eu-north")
    return [
        _offer(day, spot, dollars(listed[2] * 6 // 10), pricing="spot"),
        _offer(
            day,
            card,
            dollars(listed[6] * 8 // 10),
            form_factor="PCIe",
            name="NVIDIA H100 PCIe",
            sku="h100-pcie-8x",
        ),
        _offer(day, repeated, dollars(listed[0])),
        _offer(day, other, "", region="eu-north"),
        good.replace("Z,", ",", 1),
    ]


def _offer(
    day: date,
    seller: _Seller,
    price: str,
    *,
    pricing: str = "on_demand",
    region: str = "us-east",
    form_factor: str | None = None,
    name: str | None = None,
    sku: str | None = None,
    carried: bool = False,
) -> str:
    form = seller.form_factor if form_factor is None else form_factor
    written = name or ("NVIDIA H100 80GB HBM3" if form else "H100 80GB")
    code = sku or ("h100-sxm-8x" if form else "h100-8x")
    minute = _SELLERS.index(seller)
    return (
        f"{day}T09:{minute:02d}:00Z,{seller.name},{SAMPLE_SOURCE},{code},H100,{form},80,{written},"
        f"8,{price},{region},{pricing},{'true' if carried else 'false'}"
    )


def _trades(prices: Integers) -> bytes:
    """Two or three trades a day in July and August 2026, up to 10 % below list."""
    rows = [",".join(_TRADE_COLUMNS)]
    first = (_DAILY_FROM - SAMPLE_FIRST_DAY).days
    draws = uniforms(stream(_SEED, 103), _DAYS, 3, 4).tolist()
    number = 0
    for offset in range(first, _DAYS):
        day = SAMPLE_FIRST_DAY + timedelta(days=offset)
        sellers = [n for n, seller in enumerate(_SELLERS) if seller.first_day <= day <= seller.last_day]
        for place, (which, discount, size, buyer) in enumerate(draws[offset][: 2 + offset % 2]):
            number += 1
            n = sellers[int(which * len(sellers))]
            price = round(int(prices[offset, n]) * (1.0 - 0.1 * discount))
            executed = datetime(day.year, day.month, day.day, 10 + 4 * place, tzinfo=UTC)
            trade = _TradeRow(number, executed, _SELLERS[n], int(buyer * 9) + 1, 8 << int(size * 4), price)
            rows.append(trade.write(executed, "new", price))
            later = executed + timedelta(days=2)
            if day == date(2026, 8, 5) and place == 0:
                rows.append(trade.write(later, "corrected", price - 500))
            if day == date(2026, 8, 19) and place == 0:
                rows.append(trade.write(later, "cancelled", price))
    return ("\n".join(rows) + "\n").encode()


@dataclass(frozen=True, slots=True)
class _TradeRow:
    """An invented trade of one week; ``price`` counts $0.0001 per GPU-hour."""

    number: int
    executed: datetime
    seller: _Seller
    buyer: int
    gpu_count: int
    price: int

    def write(self, reported: datetime, status: str, price: int) -> str:
        """The trade as a row, as reported at that time."""
        return (
            f"sample-{self.number:04d},{_stamp(self.executed)},{_stamp(reported)},{self.seller.name},"
            f"buyer-{self.buyer:02d},H100,{self.seller.form_factor},80,{self.gpu_count},{self.gpu_count * 168},"
            f"{dollars(price)},{status},us-east,on_demand,{SAMPLE_SOURCE}"
        )


def _stamp(instant: datetime) -> str:
    return f"{instant:%Y-%m-%dT%H:%M:%SZ}"
