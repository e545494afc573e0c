"""A price for a whole instance, shared by its GPUs: exact, and rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from .at_once import micros_of_scaled, scaled_at_once
from .columns import Bad, Column, join
from .fields import money_of, shared_price_of
from .held import Held
from .texts import Fault, fault_of

_MOST_GPUS = 1_000_000
"""Up to so many a count of 10⁻¹² dollars is divided within 64 bits."""


def price_per_gpu(totals: Column[str | None], counts: Column[int | None], per_unit: int = 1) -> Column[int]:
    """Micro-USD per GPU-hour of totals for ``counts`` GPUs each; ``per_unit`` 100 reads cents.

    A total that is no price is refused for that first, then a row whose count is not known.
    """

    def read(text: str | None, count: int | None) -> int | Bad:
        if count is not None:
            return shared_price_of(text, count, per_unit)
        alone = money_of(text, per_unit)
        return alone if isinstance(alone, Bad) else Bad("bad_gpu_count", counts.name, "")

    if not isinstance(totals.values, Held):
        return join([totals, counts], read)
    scaled, unsure = scaled_at_once(totals.values.array)
    gpus = counts.to_numpy(missing=0)
    sure = ~unsure[totals.codes] & (gpus > 0) & (gpus <= _MOST_GPUS)
    micros = micros_of_scaled(scaled[totals.codes], np.where(sure, gpus, 1) * per_unit)
    sure &= micros > 0
    faults: dict[int, Fault] = {}
    rest = np.flatnonzero(~sure)
    for row, text, count in zip(rest.tolist(), totals.at(rest), counts.at(rest), strict=True):
        outcome = _first(totals.name, text, count, read)
        if isinstance(outcome, Fault):
            faults[row] = outcome
        else:
            micros[row] = outcome
    values = pa.array(micros, mask=_marks(len(micros), faults))
    return Column(totals.name, Held(values, faults), np.arange(len(micros), dtype=np.int64))


def _first(name: str, text: Any, count: Any, read: Any) -> int | Fault:
    for part in (text, count):
        if isinstance(part, Fault):
            return part
    outcome = read(text, count)
    return fault_of(outcome, name, text) if isinstance(outcome, Bad) else outcome


def _marks(rows: int, faults: dict[int, Fault]) -> Any:
    marks = np.zeros(rows, np.bool_)
    marks[list(faults)] = True
    return marks
