"""Prometheus metrics: requests as they were answered, and the state of the data when asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import flask

from ...records import RentmarkError
from ...workspace import Workspace, tape_ends
from ..reading import Reading

if TYPE_CHECKING:
    from prometheus_client.core import Metric

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Bounds of the histogram of answering times; 0.3 s is what a callback may take."""


class Metrics:
    """Counters of one server and a collector of its data."""

    def __init__(self, reading: Reading) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._reading = reading
        self.registry = CollectorRegistry(auto_describe=False)
        labels = ("endpoint", "method")
        self._requests = Counter(
            "rentmark_requests", "Requests answered.", (*labels, "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "rentmark_request_seconds", "Seconds to answer.", labels, buckets=SECONDS, registry=self.registry
        )
        self.registry.register(self)

    def watch(self, server: flask.Flask) -> None:
        """Count every request of a server. An endpoint is a rule of the code, never a text of the asker."""

        @server.before_request
        def started() -> None:
            flask.g.started = time.perf_counter()

        @server.after_request
        def answered(response: flask.Response) -> flask.Response:
            name = flask.request.endpoint or "none"
            method = flask.request.method if flask.request.method in _METHODS else "other"
            self._requests.labels(name, method, str(response.status_code)).inc()
            if "started" in flask.g:
                self._seconds.labels(name, method).observe(time.perf_counter() - flask.g.started)
            return response

    def text(self) -> tuple[bytes, str]:
        """The exposition and its content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def describe(self) -> Iterator[Metric]:
        """Nothing is asked of the data before it is asked for."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The state of the data now."""
        from prometheus_client.core import GaugeMetricFamily

        silent = self._reading.standing().silent
        yield GaugeMetricFamily(
            "rentmark_data_readable", "1 while the data can be read.", value=float(silent is None)
        )
        try:
            state = self._reading.kept("metrics", make=data_state)
        except RentmarkError:
            return
        yield GaugeMetricFamily("rentmark_batches", "Batches of the ledger.", value=state["batches"])
        records = GaugeMetricFamily("rentmark_records", "Records by what became of them.", labels=["became"])
        for became, count in state["records"].items():
            records.add_metric([became], count)
        yield records
        last = GaugeMetricFamily(
            "rentmark_last_fixing_date", "Date of the last row, Unix time.", labels=["benchmark"]
        )
        rows = GaugeMetricFamily("rentmark_tape_rows", "Rows of the tape.", labels=["benchmark"])
        gap = GaugeMetricFamily(
            "rentmark_last_fixing_is_gap", "1 where the last row is a GAP.", labels=["benchmark"]
        )
        for name, tape in state["tapes"].items():
            rows.add_metric([name], tape["rows"])
            last.add_metric([name], tape["last"])
            gap.add_metric([name], tape["gap"])
        yield from (rows, last, gap)
        yield GaugeMetricFamily(
            "rentmark_last_batch_time",
            "When the last batch was committed, Unix time.",
            value=state["last_batch"],
        )


def data_state(workspace: Workspace) -> dict[str, Any]:
    """Counts of the ledger and of each tape, kept while the data stand."""
    from datetime import UTC, datetime

    ledger = workspace.store.ledger()
    tapes: dict[str, dict[str, float]] = {}
    for name, (dates, last) in tape_ends(workspace).items():
        midnight = datetime(last.date.year, last.date.month, last.date.day, tzinfo=UTC)
        tapes[name] = {
            "rows": dates, "last": midnight.timestamp(), "gap": float(last.status == "GAP"),
        }  # fmt: skip
    return {
        "batches": len(ledger),
        "records": {
            "accepted": sum(entry.accepted for entry in ledger),
            "rejected": sum(entry.rejected for entry in ledger),
            "duplicate": sum(entry.duplicates for entry in ledger),
        },
        "tapes": tapes,
        "last_batch": max((entry.recorded_at.timestamp() for entry in ledger), default=0.0),
    }


_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
