"""Build: from a table of observations to the fixings of a range of dates, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from ..records import STATUSES_OBSERVED, Fixing
from ..records.schemas import OBSERVATION_SCHEMA
from .ballot import Ballot, read_ballots
from .fixing import make_fixing
from .methodology import Benchmark
from .panel import CORRECTION_COLUMNS, WINDOW_SCHEMA, selected, votes, windows_table
from .windows import Window

if TYPE_CHECKING:
    import ibis


class Engine(Protocol):
    """What runs a panel expression: DuckDB on a laptop, Spark on a cluster.

    ``observations`` and ``corrections`` are bound by the caller; see ``store.engines``.
    """

    def bind_table(self, name: str, table: pa.Table) -> None:
        """Let a name stand for rows."""
        ...

    def query(self, key: str, make: Callable[[], ibis.Table]) -> pa.Table:
        """Run an expression over bound names, compiled once per key."""
        ...


def bound_observations() -> ibis.Table:
    """The observation schema as an unbound table, whose rows an engine binds."""
    import ibis

    fields = {n: kind.copy(nullable=True) for n, kind in ibis.schema(OBSERVATION_SCHEMA).items()}
    return ibis.table(fields, name="observations")


def bound_corrections() -> ibis.Table:
    """Trade events of any month that may supersede a trade, with CORRECTION_COLUMNS, as an unbound table."""
    import ibis

    kinds = ibis.schema(OBSERVATION_SCHEMA)
    return ibis.table({n: kinds[n].copy(nullable=True) for n in CORRECTION_COLUMNS}, name="corrections")


def correction_events() -> ibis.Table:
    """The corrections and cancellations among bound observations."""
    rows = bound_observations()
    return rows.filter(rows.trade_status.isin(["corrected", "cancelled"])).select(*CORRECTION_COLUMNS)


def bound_windows() -> ibis.Table:
    """The windows as an unbound table."""
    import ibis

    return ibis.table(ibis.schema(WINDOW_SCHEMA), name="windows")


def query_key(benchmark: Benchmark, what: str, *, corrected: bool, reconstructed: bool) -> str:
    """What a prepared query of this benchmark depends on."""
    return f"{what} {benchmark.methodology_hash} corrected={corrected} reconstructed={reconstructed}"


def ballots_by_date(
    benchmark: Benchmark, windows: Sequence[Window], engine: Engine, *, corrected: bool, reconstructed: bool
) -> dict[date, list[Ballot]]:
    """Run the panel over what the engine has bound and return each date's ballots in their one order.

    ``corrected`` says that ``corrections`` is bound, too. Dates without votes are absent.
    """
    if not windows:
        return {}
    engine.bind_table("windows", windows_table(windows))

    def panel() -> ibis.Table:
        entered = selected(
            bound_observations(),
            bound_windows(),
            benchmark,
            corrections=bound_corrections() if corrected else None,
            reconstructed=reconstructed,
        )
        return votes(entered, benchmark)

    key = query_key(benchmark, "votes", corrected=corrected, reconstructed=reconstructed)
    return dict(read_ballots(engine.query(key, panel), benchmark.methodology))


def build_fixings(
    benchmark: Benchmark,
    ballots: Mapping[date, list[Ballot]],
    windows: Iterable[Window],
    *,
    archive_holds: Callable[[date], bool],
    published: Mapping[date, Fixing],
    reconstructed: bool,
) -> list[Fixing]:
    """Fix every window in order of date.

    A carry reads the last OK or THIN value before it: the published one where there is one, else
    the candidate made here. ``archive_holds`` answers whether any observation is held for a day.
    """
    fixings: list[Fixing] = []
    in_order = sorted(windows, key=lambda window: window.date)
    earlier = _last_published_before(published, in_order[0].date) if in_order else None
    for window in in_order:
        made = make_fixing(
            benchmark,
            window,
            ballots.get(window.date, []),
            archive_holds_day=bool(ballots.get(window.date)) or archive_holds(window.date),
            earlier=earlier,
            reconstructed=reconstructed,
        )
        fixings.append(made)
        stands = published.get(window.date, made)
        if stands.status in STATUSES_OBSERVED:
            earlier = stands
    return fixings


def _last_published_before(published: Mapping[date, Fixing], day: date) -> Fixing | None:
    before = [f for d, f in published.items() if d < day and f.status in STATUSES_OBSERVED]
    return max(before, key=lambda f: f.date, default=None)
