"""Build: from a table of observations to the fixings of a range of dates, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from ..records import Fixing
from ..records.schemas import OBSERVATION_SCHEMA
from .ballot import Ballot, read_ballots
from .fixing import make_fixing
from .governing import HoldWatch
from .methodology import Benchmark
from .panel import VOTING_COLUMNS, WINDOW_SCHEMA, in_windows, selected, votes, windows_table
from .rating import bound_ratings, last_instants, rateable_sellers, rated_sellers
from .reading import columns_read
from .sampling import joined, parts_of
from .state import Memory, State
from .trade_versions import CORRECTION_COLUMNS
from .windows import Window

if TYPE_CHECKING:
    import ibis


READ_COLUMNS = ("buyer", "aggregator", "gpus_available")
"""What only some rules ask."""


def voting_columns(benchmark: Benchmark) -> tuple[str, ...]:
    """The columns of an observation that the panel of this benchmark reads."""
    return (*VOTING_COLUMNS, *(name for name in READ_COLUMNS if name in columns_read(benchmark.methodology)))


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


def bind_ratings(benchmark: Benchmark, windows: Sequence[Window], engine: Engine) -> bool:
    """Bind ``ratings`` where the grade asks for one: the sellers at hand, rated on each date. Says whether."""
    if benchmark.grade.rating is None:
        return False
    key = f"sellers {benchmark.grade.chip} {benchmark.grade.rating.scheme}"
    sellers = engine.query(key, lambda: rateable_sellers(bound_observations(), benchmark))
    instants = last_instants(windows)
    engine.bind_table("ratings", rated_sellers(benchmark, instants, sellers["seller"].to_pylist()))
    return True


def ballots_by_date(
    benchmark: Benchmark, windows: Sequence[Window], engine: Engine, *, corrected: bool, reconstructed: bool
) -> dict[date, list[Ballot]]:
    """Run the panel over what the engine has bound and return each date's ballots in their one order.

    ``corrected`` says that ``corrections`` is bound, too. Dates without votes are absent. Where the
    methodology samples its window, the ballots of each part follow those of the whole, marked as such.
    """
    if not windows:
        return {}
    if benchmark.methodology.snapshots is not None:
        apart, parts = parts_of(benchmark, windows)
        whole = replace(benchmark, methodology=benchmark.methodology.model_copy(update={"snapshots": None}))
        asked = [(replace(whole, recorded=None), windows), *((apart, part) for part in parts)]
        found = [
            ballots_by_date(b, w, engine, corrected=corrected, reconstructed=reconstructed) for b, w in asked
        ]
        return joined(found[0], found[1:])
    engine.bind_table("windows", windows_table(windows))
    rated = bind_ratings(benchmark, windows, engine)

    def panel() -> ibis.Table:
        entered = selected(
            bound_observations().select(*voting_columns(benchmark)),
            bound_windows(),
            benchmark,
            corrections=bound_corrections() if corrected else None,
            ratings=bound_ratings() if rated else None,
            reconstructed=reconstructed,
        )
        return votes(entered, benchmark)

    key = query_key(benchmark, "votes", corrected=corrected, reconstructed=reconstructed)
    return dict(read_ballots(engine.query(key, panel), benchmark.methodology))


def dates_held(
    benchmark: Benchmark, windows: Sequence[Window], engine: Engine, *, reconstructed: bool
) -> set[date]:
    """Dates in whose window the bound observations hold anything at all that was known by then."""
    engine.bind_table("windows", windows_table(windows))

    def held() -> ibis.Table:
        rows = bound_observations().select("observed_at", "known_at", "recorded_at")
        return (
            in_windows(rows, bound_windows(), benchmark, reconstructed=reconstructed)
            .select("fixing_date")
            .distinct()
        )

    key = query_key(benchmark, "held", corrected=False, reconstructed=reconstructed)
    return set(engine.query(key, held)["fixing_date"].to_pylist())


def sources_absent(
    benchmark: Benchmark, windows: Sequence[Window], engine: Engine, *, reconstructed: bool
) -> dict[date, tuple[str, ...]]:
    """By date the sources of ``outage_sources`` of which the bound observations hold nothing known by then.

    Dates on which every one of them was heard are left out.
    """
    expected = benchmark.methodology.outage_sources
    if not expected or not windows:
        return {}
    engine.bind_table("windows", windows_table(windows))

    def heard() -> ibis.Table:
        rows = bound_observations().select("source", "observed_at", "known_at", "recorded_at")
        rows = rows.filter(rows.source.isin(expected))
        known = in_windows(rows, bound_windows(), benchmark, reconstructed=reconstructed)
        return known.select("fixing_date", "source").distinct()

    key = query_key(benchmark, "sources", corrected=False, reconstructed=reconstructed)
    found = {(row["fixing_date"], row["source"]) for row in engine.query(key, heard).to_pylist()}
    absent = {w.date: tuple(s for s in expected if (w.date, s) not in found) for w in windows}
    return {day: silent for day, silent in absent.items() if silent}


def build_fixings(
    benchmark: Benchmark,
    ballots: Mapping[date, list[Ballot]],
    windows: Iterable[Window],
    *,
    archive_holds: Callable[[date], bool],
    published: Mapping[date, Fixing],
    reconstructed: bool,
    simulated: bool = False,
    states: Mapping[date, State] | None = None,
    absent_sources: Mapping[date, Sequence[str]] | None = None,
    held: Mapping[date, int] | None = None,
) -> list[Fixing]:
    """Fix every window in order of date.

    Rules that look back read the fixings before a date as they stand: the published one where there is
    one, else the candidate made here; or the given ``states``. ``archive_holds`` answers whether the
    archive held anything in the window of a date. ``simulated`` says that the workspace is. A candidate that
    publishing would hold (``hold_move``) stands for nothing after it; ``held`` are values held before. Where
    ``absent_sources`` names sources of a date, they are those of ``outage_sources`` that were silent.
    """
    fixings: list[Fixing] = []
    in_order = sorted(windows, key=lambda window: window.date)
    before = (
        near_fixings(published, in_order[0].date, benchmark.methodology.memory_horizon_days)
        if in_order
        else []
    )
    memory = Memory(benchmark.methodology, before)
    dates = {window.date for window in in_order}
    watch = None
    if benchmark.methodology.hold_move is not None and states is None:
        watch = HoldWatch(published.values(), {d: f for d, f in (held or {}).items() if d not in dates})
    for window in in_order:
        voted = ballots.get(window.date, [])
        made = make_fixing(
            benchmark,
            window,
            voted,
            archive_holds_day=bool(voted) or archive_holds(window.date),
            state=memory.state(window.date) if states is None else states[window.date],
            reconstructed=reconstructed,
            simulated=simulated,
            absent_sources=(absent_sources or {}).get(window.date, ()),
        )
        fixings.append(made)
        standing = published.get(window.date, made)
        if watch and standing is made and watch.measure(made, benchmark.methodology) is not None:
            continue
        memory.put(standing)
    return fixings


def near_fixings(published: Mapping[date, Fixing], day: date, horizon_days: int) -> list[Fixing]:
    """Published fixings before a date that its rules may read: those in the memory, and the last of all."""
    before = sorted(d for d in published if d < day)
    return [published[d] for d in before if (day - d).days <= horizon_days or d == before[-1]]
