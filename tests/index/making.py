"""Invented observations, benchmarks and ballots for the tests of the index engine.

All sellers, prices and hosts here are invented. Prices of drawn rows lie on a grid of a quarter
dollar, so that ties occur.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
from rentmark.grades.spec import Grade
from rentmark.index import (
    Ballot,
    Benchmark,
    Methodology,
    Window,
    ballots_by_date,
    build_fixings,
    correction_events,
    explained_rows,
    selected,
    windows_between,
)
from rentmark.index.build import bind_ratings, bound_corrections, bound_observations, bound_windows, query_key
from rentmark.index.panel import REFUSAL, windows_table
from rentmark.index.rating import bound_ratings
from rentmark.records import Fixing, canonical_json, micros_from_text
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA

DAY = date(2026, 7, 8)
"""The fixing date of a test that needs only one: a Wednesday."""
NOON = datetime(2026, 7, 8, 12, tzinfo=UTC)
LATER = datetime(2026, 10, 1, tzinfo=UTC)
"""An as-of instant after everything invented here."""

_OFFER: dict[str, Any] = {
    "kind": "offer",
    "tier": "listed",
    "source": "invented",
    "seller": "alpha",
    "observed_at": NOON,
    "chip": "H100",
    "form_factor": "SXM",
    "memory_gb": 80,
    "gpu_count": 1,
    "price_micros": 3_000_000,
    "currency": "USD",
    "price_basis": "instance",
    "pricing": "on_demand",
    "service": "vm",
    "carried_by_source": False,
    "rights": "allowed",
    "simulated": False,
    "payload_digest": "0" * 64,
    "position": 0,
}
_TRADE = {"kind": "trade", "tier": "trade", "trade_status": "new", "gpu_seconds": 3_600}


def usd(text: str) -> int:
    """Dollars as micro-dollars."""
    return micros_from_text(text)


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def offer(**changes: Any) -> dict[str, Any]:
    """A listed offer with every column; known an hour and recorded two hours after it was seen."""
    return _finished({**_OFFER, **changes})


def trade(trade_id: str | None = "t1", **changes: Any) -> dict[str, Any]:
    """A completed trade of one GPU-hour with every column."""
    return _finished({**_OFFER, **_TRADE, "trade_id": trade_id, **changes})


def _finished(values: dict[str, Any]) -> dict[str, Any]:
    row = {name: values.pop(name, None) for name in OBSERVATION_SCHEMA.names}
    assert not values, f"no such column: {', '.join(values)}"
    row["known_at"] = row["known_at"] or row["observed_at"] + hours(1)
    row["recorded_at"] = row["recorded_at"] or row["known_at"] + hours(1)
    row["observation_id"] = _digest({name: row[name] for name in DUPLICATE_KEY})
    row["content_check"] = _digest({name: v for name, v in row.items() if name not in NOT_CONTENT})
    return row


def _digest(content: dict[str, Any]) -> int:
    return int.from_bytes(hashlib.sha256(canonical_json(content)).digest()[:8], "little", signed=True)


def table_of(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as an observation table; an archive never holds one record twice."""
    assert len({row["observation_id"] for row in rows}) == len(rows), "two rows are one record"
    return pa.Table.from_pylist(list(rows), schema=OBSERVATION_SCHEMA)


def benchmark(grade: dict[str, Any] | None = None, *, research: bool = False, **rules: Any) -> Benchmark:
    """A benchmark of listed H100 prices; ``grade`` and ``rules`` change its grade and methodology."""
    return Benchmark(
        name="invented-h100",
        grade_name="invented-grade",
        grade=Grade.read({"chip": "H100", **(grade or {})}, "[grades.invented-grade]"),
        methodology_name="invented-method",
        methodology=Methodology.read(
            {"version": "1.0.0", "inputs": ["listed"], **rules}, "[methodologies.invented-method]"
        ),
        research=research,
        catalogue_hash="0" * 64,
    )


def windows_for(
    rules: Benchmark, first: date = DAY, last: date | None = None, seen_until: datetime = LATER
) -> list[Window]:
    return windows_between(rules.methodology, first, last or first, seen_until)


WINDOW = windows_for(benchmark())[0]
"""The window of a test that needs only one: the UTC day."""


class World:
    """An archive of invented rows and the engine that reads it."""

    def __init__(
        self, engine: Any, rows: Sequence[dict[str, Any]], corrections: Sequence[dict[str, Any]] = ()
    ):
        self.engine = engine
        self.rows = list(rows)
        self.table = table_of(rows)
        self.corrections: pa.Table | None = None
        if corrections:
            engine.bind_table("observations", table_of(corrections))
            self.corrections = engine.query("corrections", correction_events)

    def bind(self) -> None:
        """Let the engine see this archive: several may share it."""
        self.engine.bind_table("observations", self.table)
        if self.corrections is not None:
            self.engine.bind_table("corrections", self.corrections)

    @property
    def corrected(self) -> bool:
        return self.corrections is not None

    def ballots(
        self, rules: Benchmark, windows: Sequence[Window] | None = None, *, reconstructed: bool = False
    ) -> dict[date, list[Ballot]]:
        self.bind()
        return ballots_by_date(
            rules,
            windows_for(rules) if windows is None else windows,
            self.engine,
            corrected=self.corrected,
            reconstructed=reconstructed,
        )

    def explained(
        self, rules: Benchmark, window: Window | None = None, *, reconstructed: bool = False
    ) -> list[dict[str, Any]]:
        self.bind()
        return explained_rows(
            rules,
            window or windows_for(rules)[0],
            self.engine,
            corrected=self.corrected,
            reconstructed=reconstructed,
        )

    def fixings(
        self, rules: Benchmark, windows: Sequence[Window] | None = None, *, reconstructed: bool = False
    ) -> list[Fixing]:
        asked = windows_for(rules) if windows is None else windows
        held = {w.date for w in asked if any(w.start <= row["observed_at"] < w.end for row in self.rows)}
        return build_fixings(
            rules,
            self.ballots(rules, asked, reconstructed=reconstructed),
            asked,
            archive_holds=held.__contains__,
            published={},
            reconstructed=reconstructed,
        )

    def fixing(self, rules: Benchmark, window: Window | None = None) -> Fixing:
        return self.fixings(rules, None if window is None else [window])[0]

    def filtered(
        self, rules: Benchmark, windows: Sequence[Window] | None = None, *, reconstructed: bool = False
    ) -> list[tuple[date, int]]:
        """(fixing date, observation) of every row that a build lets in."""
        kept = self._selected(rules, windows, reconstructed=reconstructed, marking=False)
        return sorted((row["fixing_date"], row["observation_id"]) for row in kept)

    def marked(
        self, rules: Benchmark, windows: Sequence[Window] | None = None, *, reconstructed: bool = False
    ) -> dict[tuple[date, int], str | None]:
        """(fixing date, observation) of every row of the windows, with the rule that left it out."""
        rows = self._selected(rules, windows, reconstructed=reconstructed, marking=True)
        marks = {(row["fixing_date"], row["observation_id"]): row[REFUSAL] for row in rows}
        assert len(marks) == len(rows), "a row is marked twice"
        return marks

    def refusals(self, rules: Benchmark, windows: Sequence[Window] | None = None) -> list[str | None]:
        """The refusal of each row in the order given, after checking that the filter agrees."""
        marks = self.marked(rules, windows)
        assert self.filtered(rules, windows) == sorted(key for key, code in marks.items() if code is None)
        dates = {day for day, _ in marks}
        assert len(dates) == 1, "rows of several fixing dates; use marked()"
        day = dates.pop()
        return [marks[day, row["observation_id"]] for row in self.rows]

    def _selected(
        self, rules: Benchmark, windows: Sequence[Window] | None, *, reconstructed: bool, marking: bool
    ) -> list[dict[str, Any]]:
        self.bind()
        self.engine.bind_table("windows", windows_table(windows_for(rules) if windows is None else windows))
        rated = bind_ratings(rules, windows_for(rules) if windows is None else windows, self.engine)
        wanted = ["fixing_date", "observation_id", *([REFUSAL] if marking else [])]

        def rows() -> Any:
            return selected(
                bound_observations(),
                bound_windows(),
                rules,
                corrections=bound_corrections() if self.corrected else None,
                ratings=bound_ratings() if rated else None,
                reconstructed=reconstructed,
                marking=marking,
            ).select(*wanted)

        key = query_key(
            rules, f"rows marking={marking}", corrected=self.corrected, reconstructed=reconstructed
        )
        found: list[dict[str, Any]] = self.engine.query(key, rows).to_pylist()
        return found


def ballot(seller: str = "alpha", price: str = "3.00", **changes: Any) -> Ballot:
    """One vote of one listed observation, before it is weighed."""
    values: dict[str, Any] = {
        "tier": "listed",
        "seller": seller,
        "region": None,
        "observation_id": None,
        "value_micros": usd(price),
        "n_observations": 1,
        "gpu_seconds": 0,
        "venues": (seller,),
        "simulated": False,
        "rights_unknown": False,
        "identity_xor": _digest({"seller": seller, "price": price}),
        "content_xor": 7,
        **changes,
    }
    return Ballot(**values)


def in_order(ballots: Iterable[Ballot]) -> list[Ballot]:
    """Ballots in the one order in which the engine hands them on."""
    return sorted(ballots, key=lambda b: b.order)
