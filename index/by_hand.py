"""By hand: the panel of a few rows, in plain Python.

An engine plans the panel's expression anew for every query, which takes longer than a few hundred rows do. Where
the rows of a step are few they are counted here: the same rules, asked in the same order, give the ballots that
``panel`` gives to the last bit. Tests hold the two together over random archives. Benchmarks that ask more than
this module knows go through the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import reduce
from operator import xor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..grades.rules import GradeRule, rules_of
from ..records import to_microseconds
from .ballot import Ballot, ballot_of, input_digest
from .joint import DAY_MICROS, LATER_KEYS, PANEL_KEYS, PLAIN_RULES, set_keys
from .methodology import Benchmark, Methodology
from .panel import MACHINE_KEY, OFFER_KEY
from .passes import PassVotes
from .plain import is_plain
from .reading import columns_read
from .tally import DayVotes
from .trade_versions import SUPERSEDING
from .windows import Window

FEW_ROWS = 2_000
"""Rows up to which counting by hand is quicker than planning a query; the answer is the same on both sides."""
WINDOW_KEYS = frozenset({"cutoff", "lookback_hours", "staleness_hours"})
"""Keys that place a window; a window says them itself."""
_SUPERSEDING_STATUS = {"corrected": 1, "cancelled": 2}
_FIRST_DAY = date(1970, 1, 1).toordinal()

Version = tuple[Any, ...]
"""How late a version of a trade is, by SUPERSEDING."""
Placed = list[tuple[int, int]]
"""Pairs of a window's number and a row's number: the row was observed in the window, and recorded by then."""


def countable(benchmark: Benchmark) -> bool:
    """Whether the panel of a benchmark asks only what is counted here.

    A key that no list names keeps a benchmark with the engine as soon as it is set.
    """
    rules = benchmark.methodology
    screen = rules.screen
    return (
        not set_keys(rules) - PANEL_KEYS - LATER_KEYS - WINDOW_KEYS
        and (screen is None or (screen.administered is None and "trade" not in rules.inputs))
        and all(rule.kind in PLAIN_RULES for rule in rules_of(benchmark.grade))
        and not columns_read(rules)
    )


class FewRows:
    """Observations with VOTING_COLUMNS as Python values by column; instants are microseconds since 1970 UTC.

    ``parts`` are tables, each with the columns that hold one value in all of its rows and are not in it.
    """

    def __init__(self, *parts: tuple[pa.Table, Mapping[str, Any]]) -> None:
        self._parts = parts
        self._rows: int = sum(table.num_rows for table, _ in parts)
        self._columns: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        """How many rows there are."""
        return self._rows

    def column(self, name: str) -> list[Any]:
        """The values of a column, read when first asked; those that the panel derives are made likewise."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._derived(name) if name in _DERIVED else self._read(name)
        return found

    def _read(self, name: str) -> list[Any]:
        values: list[Any] = []
        for table, constants in self._parts:
            if name in constants:
                values += [constants[name]] * table.num_rows
                continue
            column = table[name]
            if pa.types.is_timestamp(column.type):
                column = column.cast(pa.int64())
            values += column.to_pylist()
        return values

    def _derived(self, name: str) -> list[Any]:
        """The derived columns of ``panel.with_keys``, and the keys of an offer and of a machine."""
        if name in _KEYS:
            return list(zip(*(self.column(part) for part in _KEYS[name]), strict=True))
        if name == "seller_venue":
            return [
                seller if venue is None else venue
                for venue, seller in zip(self.column("venue"), self.column("seller"), strict=True)
            ]
        if name == "trade_key":
            kinds, ids = self.column("kind"), self.column("observation_id")
            return [number if kind == "trade" else None for kind, number in zip(kinds, ids, strict=True)]
        written = (self.column(n) for n in ("sku", "name_as_written", "form_factor", "memory_gb"))
        return [
            sku
            if sku is not None
            else f"{words or ''}|{form_factor or ''}|{'' if memory is None else memory}"
            for sku, words, form_factor, memory in zip(*written, strict=True)
        ]


_KEYS = {"offer_key": OFFER_KEY, "machine_key": MACHINE_KEY}
_DERIVED = frozenset({"seller_venue", "sku_key", "trade_key", *_KEYS})


class TradeVersions:
    """Corrections and cancellations of trades, from any month, by the trade that they are versions of."""

    def __init__(self, rows: FewRows | None = None) -> None:
        self._later: dict[tuple[str, str], list[tuple[int | None, Version]]] = {}
        if rows is not None:
            self.add(rows)

    def add_table(self, table: pa.Table) -> None:
        """Add those among events with CORRECTION_COLUMNS, however many others there are."""
        superseding = pc.is_in(table["trade_status"], value_set=pa.array(_SUPERSEDING_STATUS))
        self.add(FewRows((table.filter(superseding), {})))

    def add(self, rows: FewRows) -> None:
        """Add those among these events."""
        for n, status in enumerate(rows.column("trade_status")):
            if status not in _SUPERSEDING_STATUS:
                continue
            named = rows.column("source")[n], rows.column("trade_id")[n]
            if rows.column("kind")[n] == "trade" and named[1] is not None:
                recorded = rows.column("recorded_at")[n]
                self._later.setdefault(named, []).append((recorded, version_of(rows, n)))

    def supersede(self, trade: tuple[str, str], version: Version, seen_until: int) -> bool:
        """Whether one recorded by then comes after this version of the trade."""
        return any(
            recorded is not None and recorded <= seen_until and is_later(other, version)
            for recorded, other in self._later.get(trade, ())
        )


def version_of(rows: FewRows, n: int) -> Version:
    """How late a trade event is, in the order of SUPERSEDING."""
    rank = _SUPERSEDING_STATUS.get(rows.column("trade_status")[n], 0)
    known = {"amends": int(rank > 0), "status_rank": rank}
    return tuple(known[name] if name in known else rows.column(name)[n] for name in SUPERSEDING)


def is_later(other: Version, mine: Version) -> bool:
    """Whether another version comes after mine, by the first part in which they differ; an unknown part tells nothing."""
    for theirs, own in zip(other, mine, strict=True):
        if theirs is None or own is None:
            return False
        if theirs != own:
            return bool(theirs > own)
    return False


def pass_by_hand(
    benchmarks: Sequence[Benchmark], rows: FewRows, windows: Sequence[Window]
) -> list[PassVotes]:
    """What ``passes.run_pass`` gives of these UTC days, each benchmark counted on its own."""
    found = []
    for benchmark in benchmarks:
        ballots = ballots_by_hand(benchmark, rows, windows)
        counted = {day: day_votes(of_day) for day, of_day in ballots.items()}
        found.append(PassVotes(counted, {}) if is_plain(benchmark) else PassVotes({}, ballots))
    return found


def day_votes(ballots: Sequence[Ballot]) -> DayVotes:
    """The ballots of a plain benchmark's day, in their one order, as they are tallied."""
    return DayVotes(
        prices=tuple(b.value_micros for b in ballots),
        n_observations=sum(b.n_observations for b in ballots),
        n_venues=len({venue for b in ballots for venue in b.venues}),
        gpu_seconds=sum(b.gpu_seconds for b in ballots),
        simulated=any(b.simulated for b in ballots),
        rights_unknown=any(b.rights_unknown for b in ballots),
        digest=input_digest(ballots),
    )


def ballots_by_hand(
    benchmark: Benchmark,
    rows: FewRows,
    windows: Sequence[Window],
    corrections: TradeVersions | None = None,
) -> dict[date, list[Ballot]]:
    """What ``build.ballots_by_date`` gives of a ``countable`` benchmark in the strict view.

    ``corrections`` are those of any month that may supersede a trade; those among ``rows`` are added.
    """
    placed = _placed(benchmark.methodology, rows, windows)
    standing = _standing(benchmark, rows, placed, windows, corrections)
    return _votes(benchmark.methodology, rows, _one_size_per_machine(rows, standing), windows)


def dates_by_hand(benchmark: Benchmark, rows: FewRows, windows: Sequence[Window]) -> set[date]:
    """What ``build.dates_held`` gives in the strict view."""
    return {windows[w].date for w, _ in _placed(benchmark.methodology, rows, windows)}


def _placed(rules: Methodology, rows: FewRows, windows: Sequence[Window]) -> Placed:
    """Rows beside the windows that collect them, as far as they were recorded by then: ``panel.in_windows``."""
    observed, recorded = rows.column("observed_at"), rows.column("recorded_at")
    until = [to_microseconds(w.seen_until) for w in windows]
    if all(getattr(rules, key) is None for key in WINDOW_KEYS):
        of_day = {w.date.toordinal() - _FIRST_DAY: number for number, w in enumerate(windows)}
        pairs = ((of_day.get(at // DAY_MICROS), n) for n, at in enumerate(observed))
        near = [(number, n) for number, n in pairs if number is not None]
    else:
        ends = [(to_microseconds(w.start), to_microseconds(w.end)) for w in windows]
        near = [
            (number, n)
            for number, (start, end) in enumerate(ends)
            for n, at in enumerate(observed)
            if start <= at < end
        ]
    return [(w, n) for w, n in near if recorded[n] is not None and recorded[n] <= until[w]]


def _standing(
    benchmark: Benchmark,
    rows: FewRows,
    placed: Placed,
    windows: Sequence[Window],
    corrections: TradeVersions | None,
) -> Placed:
    """Rows that meet every rule one row can answer, supersession and latest state included: ``panel.selected``."""
    rules = benchmark.methodology
    observed, carried = rows.column("observed_at"), rows.column("carried_by_source")
    offers = rows.column("offer_key")
    latest: dict[tuple[Any, ...], int] = {}
    for w, n in placed:
        if rules.include_carried or not carried[n]:
            key = (w, *offers[n])
            latest[key] = max(latest.get(key, observed[n]), observed[n])
    admitted = _admitted(rules, rows, rules_of(benchmark.grade))
    kept = [
        (w, n) for w, n in placed if admitted[n] and observed[n] >= latest.get((w, *offers[n]), observed[n])
    ]
    if "trade" not in rules.inputs:
        return kept
    beaten = _superseded(rows, placed, windows, corrections)
    ids, status = rows.column("observation_id"), rows.column("trade_status")
    return [(w, n) for w, n in kept if (w, ids[n]) not in beaten and status[n] != "cancelled"]


def _admitted(rules: Methodology, rows: FewRows, asked: Sequence[GradeRule]) -> list[bool]:
    """By row whether it meets the grade and is of a tier, of rights and beyond the doubts that may count."""
    admitted = [
        tier in rules.inputs and rights != "forbidden" and (rules.include_carried or not carried)
        for tier, rights, carried in zip(
            *(rows.column(name) for name in ("tier", "rights", "carried_by_source")), strict=True
        )
    ]
    if rules.suspect == "exclude":
        admitted = [a and s is None for a, s in zip(admitted, rows.column("suspect"), strict=True)]
    for rule in asked:
        column = rows.column(rule.column)
        admitted = [a and rule.met_by({rule.column: v}) for a, v in zip(admitted, column, strict=True)]
    return admitted


def _superseded(
    rows: FewRows, placed: Placed, windows: Sequence[Window], corrections: TradeVersions | None
) -> set[tuple[int, int]]:
    """Windows with the ids of trade events of which a later version was known: ``trade_versions.with_superseded``."""
    own = TradeVersions(rows)
    amended = [own] if corrections is None else [own, corrections]
    kinds, trade_ids, ids = (rows.column(name) for name in ("kind", "trade_id", "observation_id"))
    sources = rows.column("source")
    trades = [(w, n) for w, n in placed if kinds[n] == "trade" and trade_ids[n] is not None]
    versions = {n: version_of(rows, n) for _, n in trades}
    first: dict[tuple[int, str, str], list[int]] = {}
    for w, n in trades:
        if not versions[n][0]:
            first.setdefault((w, sources[n], trade_ids[n]), []).append(n)
    beaten = set()
    for w, n in trades:
        trade, mine = (sources[n], trade_ids[n]), versions[n]
        until = to_microseconds(windows[w].seen_until)
        again = () if mine[0] else first[w, trade[0], trade[1]]
        if any(each.supersede(trade, mine, until) for each in amended) or any(
            is_later(versions[other], mine) for other in again
        ):
            beaten.add((w, ids[n]))
    return beaten


def _one_size_per_machine(rows: FewRows, standing: Placed) -> Placed:
    """Of a machine that is offered in several sizes the largest alone."""
    machines, counts = rows.column("machine"), rows.column("gpu_count")
    if all(machine is None for machine in machines):
        return standing
    keys = rows.column("machine_key")
    largest: dict[tuple[Any, ...], int] = {}
    for w, n in standing:
        key = (w, *keys[n])
        largest[key] = max(largest.get(key, 0), counts[n] or 0)
    return [(w, n) for w, n in standing if machines[n] is None or (counts[n] or 0) >= largest[(w, *keys[n])]]


def _votes(
    rules: Methodology, rows: FewRows, entered: Placed, windows: Sequence[Window]
) -> dict[date, list[Ballot]]:
    """One ballot per window, tier and vote key: ``panel.votes``."""
    nothing = [None] * len(rows)
    tier, seller = rows.column("tier"), rows.column("seller")
    region = rows.column("region") if "region" in rules.vote else nothing
    sku = rows.column("sku_key") if "sku" in rules.vote else nothing
    trade = rows.column("observation_id") if "observation" in rules.vote else nothing
    gathered: dict[tuple[Any, ...], list[int]] = {}
    for w, n in entered:
        gathered.setdefault((w, tier[n], seller[n], region[n], sku[n], trade[n]), []).append(n)
    found: dict[date, list[Ballot]] = {}
    for key, numbers in gathered.items():
        row = dict(zip(("tier", "seller", "region", "sku", "vote_trade"), key[1:], strict=True))
        found.setdefault(windows[key[0]].date, []).append(ballot_of(row | _counted(rows, numbers), rules))
    return {day: sorted(found[day], key=lambda b: b.order) for day in sorted(found)}


def _counted(rows: FewRows, numbers: Sequence[int]) -> dict[str, Any]:
    """The columns of a vote that are counted over its observations."""

    def of(name: str) -> list[Any]:
        column = rows.column(name)
        return [column[n] for n in numbers]

    prices = sorted(of("price_micros"))
    return {
        "median_micros": _median_half_even(prices),
        "price_sum": sum(prices),
        "n_observations": len(numbers),
        "gpu_seconds": sum(seconds or 0 for seconds in of("gpu_seconds")),
        "venues": set(of("seller_venue")),
        "simulated": any(of("simulated")),
        "rights_unknown": "unknown" in of("rights"),
        "identity_xor": reduce(xor, of("observation_id")),
        "content_xor": reduce(xor, of("content_check")),
    }


def _median_half_even(prices: Sequence[int]) -> int:
    """The plain median of sorted prices, rounded half-even: ``panel.exact_median``."""
    twice = prices[(len(prices) - 1) // 2] + prices[len(prices) // 2]
    half = twice >> 1
    return half + (twice & half & 1)
