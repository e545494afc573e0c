"""Bias, error and coverage of the hedge-ratio methods where the right ratio is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...records import Refusal
from ..methods import METHODS
from .processes import Process, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """One method on one process. ``refused`` runs gave no ratio; figures are of the others.

    ``bias`` and ``rmse`` are of ratio − truth; ``held`` of ``intervals`` intervals held the truth.
    None where no run gave a ratio.
    """

    method: str
    process: str
    n: int
    runs: int
    refused: int
    bias: float | None
    rmse: float | None
    intervals: int
    held: int


def truth_for(method: str, sample: Sample) -> float:
    """What a method tries to find: Dimson the answer within its lags, all others the next ratio."""
    if method == "dimson":
        return sample.three_step_ratio
    return sample.next_ratio


def method_errors(process: Process, n: int, names: Sequence[str], *, runs: int, seed: int) -> list[MethodRow]:
    """Judge the named methods on ``runs`` seeded samples, the same ones for all."""
    import numpy as np

    generator = np.random.default_rng(seed)
    samples = [process.draw(generator, n) for _ in range(runs)]
    rows: list[MethodRow] = []
    for name in names:
        errors: list[float] = []
        intervals = held = 0
        for sample in samples:
            truth = truth_for(name, sample)
            ratio = METHODS[name].estimate(sample.rent, sample.reference)
            if isinstance(ratio, Refusal):
                continue
            errors.append(ratio - truth)
            ends = METHODS[name].interval(sample.rent, sample.reference)
            if not isinstance(ends, Refusal):
                intervals += 1
                held += ends[0] <= truth <= ends[1]
        off = np.array(errors)
        rows.append(
            MethodRow(
                method=name,
                process=process.name,
                n=n,
                runs=runs,
                refused=runs - len(errors),
                bias=float(off.mean()) if errors else None,
                rmse=float(np.sqrt((off * off).mean())) if errors else None,
                intervals=intervals,
                held=held,
            )
        )
    return rows
