"""Reviewing: a benchmark's period gathered from tape and archive, handed to the review, and its other rules resolved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..index import Ballot, Benchmark, Methodology, is_fixing_date, states_on_tape, window_of
from ..index.presets import PRESETS, with_preset
from ..index.reading import columns_read
from ..index.review import Day
from ..records import Fixing, RentmarkError, UsageError
from .auditing import benchmark_of
from .config import FILE_NAME
from .core import Workspace
from .reader import Reader
from .resolving import resolved_benchmark
from .review_days import days_behind, with_aggregators
from .showing import fixings_shown

if TYPE_CHECKING:
    from ..index.review.parallel import Parallel
    from ..index.review.review import Review
    from ..store import ObservationFile

PANEL_KEYS = (
    "inputs", "vote", "seller_statistic", "include_carried", "suspect", "cutoff", "calendar", "weekday",
    "lookback_hours", "staleness_hours", "snapshots", "adjustments",
)  # fmt: skip
"""Keys of a methodology that its votes depend on, beside the columns that its rules read."""
TRADE_SCREENS = {"administered", "affiliates", "wash_trades", "circular_trades"}
"""Screens that leave rows out before votes are cast."""


def panel_key(benchmark: Benchmark) -> str:
    """What the votes of a period depend on; benchmarks of one key share their reading of the archive."""
    rules = benchmark.methodology
    held = rules.model_dump(mode="json", include=set(PANEL_KEYS))
    screens = None if rules.screen is None else rules.screen.model_dump(mode="json", include=TRADE_SCREENS)
    if screens is not None and "trade" not in rules.inputs and screens["administered"] is None:
        screens = None  # none of them can leave a list price out
    pairs = rules.max_trade_share is not None
    return repr(
        (
            benchmark.grade,
            benchmark.ratings,
            sorted(held.items()),
            screens,
            sorted(columns_read(rules)),
            pairs,
        )
    )


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A review with what its page and its JSON need besides: how it was asked and what marks it carries."""

    review: Review
    marks: tuple[str, ...]
    live_from: date | None
    attributions: tuple[str, ...]
    made_at: datetime


@dataclass(slots=True)
class Panel:
    """Answers with the ballots of a period's dates under any rules; each reading of the archive is made once."""

    reader: Reader
    groups: Sequence[tuple[list[ObservationFile], bool, list[Day]]]
    known: dict[str, Mapping[date, Sequence[Ballot]]] = field(default_factory=dict)

    def ballots(self, benchmark: Benchmark) -> Mapping[date, Sequence[Ballot]]:
        """The ballots of every date of the period that is one under these rules."""
        key = panel_key(benchmark)
        if key not in self.known:
            found: dict[date, Sequence[Ballot]] = {}
            for files, reconstructed, days in self.groups:
                windows = [
                    window_of(benchmark.methodology, d.window.date, d.window.seen_until)
                    for d in days
                    if is_fixing_date(benchmark.methodology, d.window.date)
                ]
                found |= self.reader.ballots(benchmark, windows, files, reconstructed=reconstructed)
            self.known[key] = found
        return self.known[key]


def review_benchmark(
    workspace: Workspace,
    name: str,
    *,
    first: date | None = None,
    last: date | None = None,
    against: str | None = None,
) -> Reviewed:
    """Review a benchmark over a period, by default all of what `index show` prints.

    All of it is worked by the rules of the last row. ``against`` names another benchmark or a methodology, which is
    run on the same dates from the same archive; a preset may be named, too. Raises RentmarkError where there is nothing in the period.
    """
    from ..index.review.principles import Provenance
    from ..index.review.review import Material, review
    from .attributions import attributions_of

    shown = fixings_shown(workspace, name)
    rows = [r for r in shown if (first is None or r.date >= first) and (last is None or r.date <= last)]
    if first is not None and last is not None and first > last:
        raise UsageError(f"--from {first} is after --to {last}; swap them.")
    if not rows:
        raise RentmarkError(
            f"{name} has no row in that period; rows run from {shown[0].date} to {shown[-1].date}."
        )
    benchmark = benchmark_of(workspace, rows[-1])
    other = None if against is None else other_rules(workspace, benchmark, against)
    store = workspace.store
    with workspace.engine() as engine:
        reader = Reader(workspace, engine)
        days = days_behind(workspace, reader, benchmark, rows, shown)
        panel = Panel(reader, _groups(reader, days))
        beside = (
            None if other is None or against is None else _parallel(benchmark, days, other, panel, against)
        )
        ledger = store.ledger()
        made = review(
            Material(
                benchmark=benchmark,
                days=days,
                sequence=store.tape_sequence(name),
                tiers=_all_tiers(benchmark, panel),
                ballots_of=lambda rules: panel.ballots(with_aggregators(rules)),
                provenance=Provenance(
                    n_payloads=len(ledger),
                    first_recorded=min((e.recorded_at for e in ledger), default=store.now()).date(),
                    problems=(
                        *(p.sentence for p in store.check_files()),
                        *(p.sentence for p in store.check_chain(name)),
                    ),
                ),
                parallel=beside,
            )
        )
    return Reviewed(made, _marks(rows), _live_from(rows), attributions_of(workspace, name), store.now())


def other_rules(workspace: Workspace, benchmark: Benchmark, against: str) -> Benchmark:
    """The benchmark, or the same grade under the methodology or preset, that ``against`` names.

    Raises RentmarkError where there is none of that name.
    """
    configuration = workspace.configuration
    if against in configuration.benchmarks:
        return resolved_benchmark(workspace, against)
    if against in configuration.methodologies:
        return replace(
            benchmark,
            methodology_name=against,
            methodology=configuration.methodology(against),
            recorded=None,
        )
    if against in PRESETS:
        rules = Methodology.read(with_preset({"preset": against}, f"preset {against}"), f"preset {against}")
        return replace(benchmark, methodology_name=against, methodology=rules, recorded=None)
    known = [*configuration.benchmarks, *configuration.methodologies, *PRESETS]
    near = get_close_matches(against, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}."
    raise RentmarkError(f"There is no benchmark, methodology or preset {against!r} in {FILE_NAME}; {hint}")


def _groups(reader: Reader, days: Sequence[Day]) -> list[tuple[list[ObservationFile], bool, list[Day]]]:
    """Days by the files that were there when they were built."""
    files_at: dict[tuple[datetime, bool], list[ObservationFile]] = {}
    found: dict[tuple[tuple[str, ...], bool], tuple[list[ObservationFile], list[Day]]] = {}
    for day in days:
        known = (day.window.seen_until, day.fixing.reconstructed)
        if known not in files_at:
            files_at[known] = reader.files(seen_until=known[0], reconstructed=known[1])
        files = files_at[known]
        found.setdefault((tuple(f.path for f in files), known[1]), (files, []))[1].append(day)
    return [(files, reconstructed, held) for (_, reconstructed), (files, held) in found.items()]


def _all_tiers(benchmark: Benchmark, panel: Panel) -> Mapping[date, Sequence[Ballot]]:
    """List prices by seller and trades one by one, of the grade, whatever tiers the methodology reads."""
    plain = benchmark.methodology.model_dump(
        mode="json", include={"cutoff", "calendar", "weekday", "lookback_hours", "staleness_hours"}
    )
    found: dict[date, list[Ballot]] = defaultdict(list)
    for tier, vote in (("listed", "seller"), ("trade", "observation")):
        rules = Methodology.read(
            {k: v for k, v in plain.items() if v is not None}
            | {"version": "1", "inputs": [tier], "vote": [vote]},
            "The plain reading",
        )
        for day, ballots in panel.ballots(replace(benchmark, methodology=rules, recorded=None)).items():
            found[day] += ballots
    return found


def _parallel(one: Benchmark, days: Sequence[Day], other: Benchmark, panel: Panel, against: str) -> Parallel:
    from ..index.review.parallel import parallel
    from ..index.review.sensitivity import refixed

    asked = [d for d in days if is_fixing_date(other.methodology, d.window.date)]
    ballots = panel.ballots(with_aggregators(other))
    made = refixed(other, asked, ballots)
    states = states_on_tape(other.methodology, list(made.values()))
    beside = {
        day: Day(
            window_of(other.methodology, day, by.window.seen_until),
            tuple(ballots.get(day, ())),
            made[day],
            states[day, 0],
        )
        for by in asked
        for day in (by.window.date,)
    }
    return parallel(one, days, other, beside, names=(one.name, against))


def _marks(rows: Sequence[Fixing]) -> tuple[str, ...]:
    held = {
        "SIMULATED": any(r.simulated for r in rows),
        "RECONSTRUCTED": any(r.reconstructed for r in rows),
        "CANDIDATE": any(r.published_at is None for r in rows),
        "BACKCAST": any(r.origin == "backcast" for r in rows),
    }
    return tuple(mark for mark, holds in held.items() if holds)


def _live_from(rows: Sequence[Fixing]) -> date | None:
    """The first date after the last backcast one; None where none is backcast, or none is live."""
    backcast = [r.date for r in rows if r.origin == "backcast"]
    live = [r.date for r in rows if r.origin == "live" and (not backcast or r.date > max(backcast))]
    return min(live) if backcast and live else None


def write_review(reviewed: Reviewed, path: Path, *, command: str | None = None) -> None:
    """Write the review as one HTML page. Raises RentmarkError where the file can't be written."""
    from ..index.review.page import render_review

    text = render_review(
        reviewed.review,
        marks=reviewed.marks,
        live_from=reviewed.live_from,
        attributions=reviewed.attributions,
        made_at=reviewed.made_at,
        command=command,
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}; choose another file.") from None


def review_row(reviewed: Reviewed) -> dict[str, Any]:
    """The documented JSON of `index review`."""
    from .review_rows import rows_of_review

    return rows_of_review(reviewed)
