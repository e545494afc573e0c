"""The frontier of a stack: the rows that no other row beats on both interactivity and throughput."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from .serving import Percentile, ServingRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a row must meet to count. A row that does not say what a bound asks for does not meet it."""

    ttft_seconds: float | None = None
    """At most this many seconds to the first token, at ``ttft_percentile`` of the requests."""
    ttft_percentile: Percentile = "median"
    p90_interactivity: float | None = None
    """At least this many tokens/s per user for 90 % of the requests."""
    p99_interactivity: float | None = None

    def refuses(self, row: ServingRow) -> str | None:
        """The first bound that a row does not meet, or None."""
        if self.ttft_seconds is not None:
            seconds = row.ttft_seconds(self.ttft_percentile)
            if seconds is None or seconds > self.ttft_seconds:
                return "ttft"
        for code, least, found in (
            ("p90_interactivity", self.p90_interactivity, row.p90_interactivity),
            ("p99_interactivity", self.p99_interactivity, row.p99_interactivity),
        ):
            if least is not None and (found is None or found < least):
                return code
        return None


def pareto_frontier(rows: Iterable[ServingRow]) -> tuple[ServingRow, ...]:
    """The knots of a stack's curve, by ascending interactivity.

    Scans from the highest median interactivity down and keeps a row only if its total throughput exceeds
    that of every row kept, so throughput falls strictly as interactivity rises.
    """
    kept: list[ServingRow] = []
    for row in sorted(rows, key=_scan_order):
        if not kept or row.total_tokens_per_second_per_gpu > kept[-1].total_tokens_per_second_per_gpu:
            kept.append(row)
    return tuple(reversed(kept))


def _scan_order(row: ServingRow) -> tuple[float, float, float, date, str]:
    """Of rows with one interactivity the best comes first; the rest makes the order total."""
    return (
        -row.median_interactivity,
        -row.total_tokens_per_second_per_gpu,
        -row.output_tokens_per_second_per_gpu,
        row.date,
        row.where,
    )


def dates_of(rows: Sequence[ServingRow]) -> tuple[date, ...]:
    """The distinct dates of rows, ascending."""
    return tuple(sorted({row.date for row in rows}))


def months_of(rows: Sequence[ServingRow]) -> tuple[str, ...]:
    """The distinct calendar months of rows, ascending, as ``2026-05``."""
    return tuple(sorted({f"{row.date:%Y-%m}" for row in rows}))
