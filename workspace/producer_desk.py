"""The producers' desk: a file of producers in memory, put on the cost curve at a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..records import UsageError
from .full_cost import curve_row, study_producers
from .input_files import read_positive_price

MOST_BYTES = 2 * 1024 * 1024
SAMPLE = """date,producer,capacity,full_cost,cash_cost
2026-07-01,amber,40,2.10,1.20
2026-07-01,basalt,25,2.60,1.45
2026-07-01,cinder,30,1.90,1.05
2026-07-01,dune,15,3.20,2.05
2026-07-01,ember,20,2.85,1.80
2026-07-01,fjord,10,3.90,2.60
"""
"""Invented producers: capacity in thousands of GPUs, cost in dollars per GPU-hour."""


@dataclass(frozen=True, slots=True)
class ProducersFile:
    """A file of producers in memory; ``invented`` where it is the sample."""

    name: str
    payload: bytes
    invented: bool = False


def sample_producers() -> ProducersFile:
    """Six invented producers."""
    return ProducersFile("producers.csv", SAMPLE.encode(), invented=True)


def cost_curve_of(file: ProducersFile, *, price: str | None) -> tuple[dict[str, Any], str]:
    """The documented JSON of `cost curve` and the drawing as SVG. Raises RentmarkError with the remedy."""
    from ..grades.operators import cost_curve_svg

    if len(file.payload) > MOST_BYTES:
        raise UsageError(
            f"{file.name} is {len(file.payload) / 1024**2:.0f} MB; the limit is {MOST_BYTES // 1024**2} MB. Nothing was kept."
        )
    price_micros = None if price is None else read_positive_price(price, "The price")
    study = study_producers(file.name, file.payload, price_micros=price_micros)
    return curve_row(study), cost_curve_svg(study.full, price_micros=price_micros)
