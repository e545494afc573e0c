"""An invented market long enough to fit models to, its settlements, and the commands that read them."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

FIRST = date(2025, 8, 1)
LAST = date(2026, 8, 20)
SELLERS = ("amber", "basalt", "cinder")
NOT_SETTLED = (date(2026, 5, 25), date(2026, 6, 19), date(2026, 7, 3), date(2026, 8, 11))
"""Holidays of the calendar, and one business day that the file leaves out."""
TERMS = {1: 3.00, 12: 2.40, 36: 1.90, 60: 0.20}
"""Months and USD per GPU-hour of an invented seller's reservations; the last is cheaper in all than the one before."""

OFFER_COLUMNS = (
    "observed_at,seller,source,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,region,pricing,"
    "term_months"
)


def level(day: int) -> float:
    """An invented price that wanders and comes back, different on every day."""
    return 3.0 + 0.25 * math.sin(day / 9) + 0.12 * math.sin(day * 1.7) + 0.05 * math.sin(day * day)


def offers() -> str:
    """Three sellers a day for a year, and one seller's reservations in three regions."""
    lines = [OFFER_COLUMNS]
    for number in range((LAST - FIRST).days + 1):
        day = FIRST + timedelta(days=number)
        for place, seller in enumerate(SELLERS):
            price = level(number) + 0.1 * (place - 1)
            lines.append(f"{day}T10:00:00Z,{seller},invented,8x,H100,SXM,80,8,{price:.4f},eu,on_demand,")
    for region, factor in (("eu", 1.0), ("us", 1.1), ("asia", 1.2)):
        for months, price in TERMS.items():
            if months < 60 or region == "eu":
                lines.append(
                    f"{LAST}T10:00:00Z,dune,invented,8x,H100,SXM,80,8,{price * factor:.6f},{region},reserved,{months}"
                )
    lines.append(f"{LAST}T10:00:00Z,ember,invented,8x,H100,SXM,80,8,2.000000,eu,reserved,12")
    return "\n".join(lines) + "\n"


def settlements() -> str:
    """A curve of ice-hpr on 90 business days, with a bid on some, and rows that are refused."""
    lines = ["trade_date,contract,month,settle,bid,ask,volume,open_interest,vintage"]
    number = 0
    day = date(2026, 4, 6)
    while day <= date(2026, 8, 14):
        if day.weekday() < 5 and day not in NOT_SETTLED:
            for place, month in enumerate(("2026-09", "2026-10", "2026-12")):
                wiggle = 0.004 * math.sin(3 * number + 7 * place)
                settle = level((day - FIRST).days) * 0.2 + 2.4 - 0.03 * place + wiggle
                bid = f"{settle - 0.01:.3f}" if place == 0 else ""
                lines.append(f"{day},ice-hpr,{month},{settle:.3f},{bid},,{place},{10 * place},{day}")
            number += 1
        day += timedelta(days=1)
    lines += ["2026-08-17,ice-hpr,2030-01,3.000,,,,,", "2026-08-19,ice-hpr,2026-09,3.0005,,,,,"]
    return "\n".join(lines) + "\n"


def market(folder: Path, ask: Callable[..., Any]) -> Path:
    """A workspace that holds the invented market, built and published."""
    ask("init", folder)
    (folder / "offers.csv").write_text(offers())
    (folder / "settlements.csv").write_text(settlements())
    ask("ingest", "tabular", folder / "offers.csv", "--workspace", folder)
    ask("index", "build", "h100-sxm-list", "--publish", "--workspace", folder)
    return folder


def forward_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """Answers of the commands about what comes later, by the heading of docs/json.md."""
    folder = market(base / "market", ask)
    told: dict[str, list[Any]] = {}

    def here(heading: str, *words: str | Path, code: int = 0) -> None:
        told.setdefault(heading, []).append(ask(heading, *words, "--workspace", folder, code=code))

    def words(heading: str, *more: str | Path) -> None:
        told.setdefault(heading, []).append(ask(*heading.split(), *more, "--workspace", folder))

    here("calendar", "cme-gpu1", "--from", "2026-08", "--months", "3")
    here("calendar", "ffa-like-balmo", "--from", "2026-08-14")
    here("calendar", "kalshi-like-h100")
    words("settlements import", folder / "settlements.csv")
    words("settlements import", folder / "settlements.csv")
    words("settlements show", "ice-hpr", "--month", "2026-09")
    words("settlements show", "ice-hpr")
    on = ("--benchmark", "h100-sxm-list")
    past = ("--as-of", "2026-08-18", "--reconstructed")
    here("curve", "ice-hpr", *on, *past, "--months", "6", "--against", "2026-06-01", "--rate", "8")
    here("curve", "ice-hpr", *on, *past, "--months", "6", "--model", "ou", "--against", "2025-08-10")
    here(
        "curve", "ice-hpr", *on, *past, "--months", "6", "--model", "schwartz-smith", "--launch", "2026-10-01"
    )
    here("curve", "cme-gpu1", *on, *past, "--months", "2", "--model", "schwartz-smith")
    here("curve", "cme-gpu1", *on, "--months", "1")
    here(
        "curve", "cme-gpu1", *on, "--as-of", "2025-08-10", "--reconstructed", "--months", "1", "--model", "ou"
    )
    for model in ("bootstrap", "garch", "ou", "schwartz-smith"):
        here("simulate", "h100-sxm-list", "--model", model, "--paths", "20", "--days", "5")
    here(
        "simulate",
        "h100-sxm-list",
        "--model",
        "still",
        "--scenario",
        "term-up",
        "--paths",
        "2",
        "--days",
        "9",
    )
    here("simulate", "h100-sxm-list", "--scenario", "outage", "--paths", "2", "--days", "9")
    return told
