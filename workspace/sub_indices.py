"""Sub-indices for an attribution: a reference's prices for another grade, made from the archive and stored nowhere."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from types import TracebackType
from typing import Any, Self

from ..grades import Grade
from ..index import Methodology, build_fixings, windows_between
from ..records import STATUSES_OBSERVED, Fixing
from .building import coverage
from .core import Workspace
from .reader import Reader
from .resolving import resolved_benchmark
from .showing import fixings_for_use

UNGATED: dict[str, Any] = {
    "min_sellers": 1,
    "min_votes": 1,
    "min_observations": 1,
    "min_venues": 1,
    "min_gpu_hours": 0,
    "max_aggregator_share": None,
    "max_dispersion": None,
    "dispersion_days": 1,
    "reopen": None,
    "thin_sellers": None,
    "thin_observations": None,
    "screen": None,
    "cap": None,
    "cap_venue": None,
    "cap_aggregator": None,
    "weight_floor": None,
    "fallback": "gap",
    "carry_days": 0,
    "outage_carry_days": 0,
    "hold_move": None,
}
"""Rules that a sub-index leaves out: they ask for a market, and one provider in one region is none.

``outage_sources`` stays: where a feed is silent the reference has no value of the day, and what the other feeds say of
one provider would be held against nothing.
"""


class SubIndices:
    """Prices of any grade by date, as the reference would make them without its gates, screens and caps.

    A date on which a feed of ``outage_sources`` was silent has none, as it has none of the reference's own.

    Research candidates: they are never stored, published or settled on. The archive is read with one
    engine, opened when the first is asked for; use it as a context.
    """

    def __init__(self, workspace: Workspace, reference: str) -> None:
        self._workspace = workspace
        self._reference = resolved_benchmark(workspace, reference)
        self._open = ExitStack()
        self._reader: Reader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    @property
    def grade(self) -> Grade:
        """The grade of the reference."""
        return self._reference.grade

    def benchmark_for(self, grade: Grade) -> dict[date, int]:
        """Micro-USD per GPU-hour of a grade by date; empty where nothing in the archive meets it."""
        rules: Methodology = self._reference.methodology.model_copy(update=UNGATED)
        benchmark = replace(self._reference, grade=grade, methodology=rules, research=True, recorded=None)
        reader = self._archive()
        seen_until = self._workspace.store.now()
        files = reader.files(seen_until=seen_until, reconstructed=False)
        if not files:
            return {}
        span = coverage(reader, benchmark, files, seen_until, reconstructed=False)
        if span is None:
            return {}
        windows = windows_between(rules, span[0], span[1], seen_until)
        made = build_fixings(
            benchmark,
            reader.ballots(benchmark, windows, files, reconstructed=False),
            windows,
            archive_holds=lambda _: True,
            published={},
            reconstructed=False,
            simulated=self._workspace.store.simulated,
            absent_sources=reader.absent_sources(benchmark, windows, files, reconstructed=False),
        )
        return observed(made)

    def index_named(self, name: str) -> dict[date, int]:
        """Another benchmark by date: its tape, or its candidates where it is for research.

        Raises RentmarkError where there is none, or it holds nothing.
        """
        return observed(fixings_for_use(self._workspace, name))

    def _archive(self) -> Reader:
        if self._reader is None:
            engine = self._open.enter_context(self._workspace.engine())
            self._reader = Reader(self._workspace, engine)
        return self._reader


def observed(fixings: list[Fixing]) -> dict[date, int]:
    """The OK and THIN values by date, each as first published."""
    found: dict[date, int] = {}
    for each in sorted(fixings, key=lambda fixing: fixing.revision):
        if each.status in STATUSES_OBSERVED and each.value_micros is not None:
            found.setdefault(each.date, each.value_micros)
    return found
