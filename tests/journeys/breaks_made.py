"""An invented market and rents beside it: one that breaks, one that breaks without noise, one that never moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

FIRST = date(2026, 2, 1)
DAYS = 150
BREAK = 90
SELLERS = ("amber", "basalt", "cinder", "dune", "ember")
COLUMNS = (
    "observed_at,seller,source,sku,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,region,pricing"
)
WATCH_ALL = "\n[watch]\nrecent_days = 366\n"
"""The first watch then looks back over everything."""


def level(number: int) -> float:
    """An invented price in cents that wanders, different on nearly every day."""
    return round(3.0 + 0.2 * math.sin(number / 11) + 0.05 * math.sin(number * 1.7), 2)


def offers(first: int = 0, last: int = DAYS, *, factor: float = 1.0) -> str:
    """Five sellers a day at one price each, the middle one at ``level``."""
    lines = [COLUMNS]
    for number in range(first, last):
        day = FIRST + timedelta(days=number)
        for place, seller in enumerate(SELLERS):
            price = (level(number) + 0.1 * (place - 2)) * factor
            lines.append(f"{day}T10:00:00Z,{seller},invented,8x,H100,SXM,80,8,{price:.4f},eu,on_demand")
    return "\n".join(lines) + "\n"


def rent(gap: Callable[[int], float]) -> str:
    """A rent that stands ``gap`` dollars above the reference."""
    lines = ["date,rate_usd_per_gpu_hour"]
    lines += [f"{FIRST + timedelta(days=number)},{level(number) + gap(number):.4f}" for number in range(DAYS)]
    return "\n".join(lines) + "\n"


RENTS: dict[str, Callable[[int], float]] = {
    "broken.csv": lambda number: (0.2 if number < BREAK else 0.9) + 0.02 * math.sin(number * number),
    "stepped.csv": lambda number: 0.2 if number < BREAK else 0.9,
    "steady.csv": lambda _number: 0.2,
}


def make_market(folder: Path) -> None:
    """The offers and the rents as files in ``folder``."""
    (folder / "market.csv").write_text(offers(), encoding="utf-8")
    for name, gap in RENTS.items():
        (folder / name).write_text(rent(gap), encoding="utf-8")


def break_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """Hedge reports of the three rents, and watches that fire and that do not, by heading."""
    folder = base / "w"
    told: dict[str, list[Any]] = {"Hedge report": [], "watch": []}
    make_market(base)
    ask("init", folder)
    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write(WATCH_ALL)
    at = ("--workspace", folder)
    ask("ingest", "tabular", base / "market.csv", *at)
    ask("index", "build", "h100-list", "--publish", *at)
    for name in RENTS:
        told["Hedge report"].append(
            ask(
                "hedge", base / name, "--benchmark", "h100-list", "--provider", "amber",
                "--second-source", "h100-list", "--break-date", "2026-05-01", *at,
            )
        )  # fmt: skip
    watched = ("watch", base / "broken.csv", "--benchmark", "h100-list", *at)
    told["watch"] += [
        ask(*watched, code=1),
        ask(*watched),
        ask("watch", "--since", "2026-06-01", *at, code=1),
    ]
    stepped = ("watch", base / "stepped.csv", "--benchmark", "h100-list", "--since", "2026-02-01", *at)
    told["watch"].append(ask(*stepped, code=1))
    (base / "short.csv").write_text("date,rate_usd_per_gpu_hour\n2026-06-29,3.00\n", encoding="utf-8")
    told["watch"].append(ask("watch", base / "short.csv", "--benchmark", "h100-list", *at))
    return told
