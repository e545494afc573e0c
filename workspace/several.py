"""Several benchmarks at once: built in one pass, published one after the other; what refuses one stops no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from ..records import Fixing, RentmarkError, UsageError
from .building import Reader, Renewed, build_several
from .core import Workspace
from .engines import chosen_engine
from .governing import hold_rows, open_holds
from .publishing import publish
from .showing import finality_rows
from .views import AsOf, view_name

OutcomeStatus = Literal["built", "published", "nothing_new", "research", "refused"]
STATUSES = ("OK", "THIN", "CARRIED", "GAP")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of one benchmark: its candidates, what was published of them, or why something was not done.

    ``unpublished`` says that publishing was not asked for, or that a benchmark for research was left out of it.
    """

    benchmark: str
    fixings: list[Fixing] = field(default_factory=list)
    published: list[Fixing] = field(default_factory=list)
    refusal: RentmarkError | None = None
    unpublished: Literal["research", "not_asked"] | None = None
    n_held: int = 0

    @property
    def status(self) -> OutcomeStatus:
        """In a word."""
        if self.refusal is not None:
            return "refused"
        if self.unpublished is not None:
            return "research" if self.unpublished == "research" else "built"
        return "published" if self.published else "nothing_new"

    @property
    def sentence(self) -> str:
        """What was done, or why not."""
        said = [self.built_sentence] if self.fixings else []
        if self.refusal is not None:
            said.append(self.refusal.sentence)
        elif self.unpublished is None:
            said.append(self.published_words())
        elif self.unpublished == "research":
            said.append("A research benchmark is never published.")
        elif not self.fixings:
            said.append(self.built_sentence)
        return " ".join(said)

    @property
    def counts(self) -> dict[str, int]:
        """Its candidates by status."""
        return {status: sum(f.status == status for f in self.fixings) for status in STATUSES}

    @property
    def origins(self) -> str | None:
        """Live, backcast or both, of what was published now; None where nothing was."""
        return ", ".join(sorted({f.origin or "unknown" for f in self.published})) or None

    @property
    def built_sentence(self) -> str:
        """How many dates stand as candidates, and how."""
        if not self.fixings:
            return "No fixing date of its calendar has passed since the first observation."
        counted = ", ".join(f"{n:,} {status}" for status, n in self.counts.items() if n)
        what = "date" if len(self.fixings) == 1 else "dates"
        first, last = self.fixings[0].date, self.fixings[-1].date
        return f"{len(self.fixings):,} {what} from {first} to {last}: {counted}."

    def published_words(self, of: str = "") -> str:
        """How many fixings went onto the tape; ``of`` names the benchmark where nothing beside it does."""
        if self.published:
            count = len(self.published)
            what = f"fixing{'' if count == 1 else 's'}{f' of {of}' if of else ''}"
            return f"Published {count:,} {what}; origin {self.origins}."
        every = "every other date stands" if self.n_held else "every date stands"
        return f"Nothing new to publish: {every} on the tape."


def asked_benchmarks(
    workspace: Workspace, names: Sequence[str], *, everything: bool
) -> tuple[list[str], bool]:
    """The benchmarks that names or ``--all`` mean, each once, and whether the answer is a list.

    Raises UsageError for neither and for both, RentmarkError where rentmark.toml names no benchmark.
    """
    if everything and names:
        raise UsageError(f"--all is every benchmark; leave {' and '.join(names)} out, or leave --all out.")
    if everything:
        known = list(workspace.configuration.benchmarks)
        if not known:
            raise RentmarkError("rentmark.toml names no benchmark; add a [benchmarks.NAME] table.")
        return known, True
    if not names:
        raise UsageError("Which benchmark? Name one or several, or add --all.")
    asked = list(dict.fromkeys(names))
    return asked, len(asked) > 1


def build_benchmarks(
    workspace: Workspace,
    names: Sequence[str],
    *,
    as_of: AsOf | None = None,
    publish_as: str | None = None,
    but_research: bool = False,
    threads: int | None = None,
    engine: str = "duckdb",
    master: str | None = None,
    afresh: bool = False,
) -> list[Outcome]:
    """Build benchmarks, reading the archive once for all that can share it, and publish them where asked.

    ``publish_as`` is who publishes; ``but_research`` leaves benchmarks for research out of that, which are refused
    otherwise. Raises RentmarkError for what concerns all of them, such as an empty archive, and UsageError.
    """
    made: dict[str, Renewed] = {}
    refused: dict[str, RentmarkError] = {}

    def run(asked: Sequence[str]) -> None:
        with chosen_engine(engine, threads=threads, master=master) as opened:
            reader = Reader(workspace, opened)
            apart = refused if len(asked) > 1 else None
            made.update(
                build_several(workspace, asked, as_of=as_of, reader=reader, afresh=afresh, refused=apart)
            )

    try:
        run(names)
    except UsageError:
        raise
    except RentmarkError as failure:
        # The pass itself failed, as on a damaged file that not all of them read: each is tried alone.
        for name in names if len(names) > 1 else ():
            try:
                run([name])
            except RentmarkError as error:
                refused[name] = error
        if not made and all(error.sentence == failure.sentence for error in refused.values()):
            raise
    outcomes = []
    with workspace.store.database.flushed_together():
        for name in names:
            outcome = Outcome(benchmark=name, refusal=refused.get(name), unpublished="not_asked")
            if name in made:
                kept, view = made[name].kept, view_name(as_of)
                outcome.fixings = workspace.store.candidates(name, view) if kept else made[name].made
            if publish_as is not None and outcome.refusal is None:
                _publish(workspace, outcome, publish_as, but_research=but_research)
            outcomes.append(outcome)
    return outcomes


def publish_benchmarks(
    workspace: Workspace,
    names: Sequence[str],
    *,
    through: date | None = None,
    actor: str,
    but_research: bool = False,
) -> list[Outcome]:
    """Publish benchmarks one after the other; see ``publishing.publish`` and ``build_benchmarks``."""
    outcomes = [Outcome(benchmark=name) for name in names]
    with workspace.store.database.flushed_together():
        for outcome in outcomes:
            _publish(workspace, outcome, actor, through=through, but_research=but_research)
    return outcomes


def _publish(
    workspace: Workspace, outcome: Outcome, actor: str, *, through: date | None = None, but_research: bool
) -> None:
    known = workspace.configuration.benchmarks.get(outcome.benchmark)
    if but_research and known is not None and known.research:
        outcome.unpublished = "research"
        return
    outcome.unpublished = None
    try:
        outcome.published = publish(workspace, outcome.benchmark, through=through, actor=actor)
        outcome.n_held = len(open_holds(workspace, outcome.benchmark))
    except RentmarkError as error:
        outcome.refusal = error


def built_row(workspace: Workspace, outcome: Outcome) -> dict[str, Any]:
    """The documented JSON of `index build` of one benchmark."""
    name = outcome.benchmark
    asked = outcome.unpublished is None and outcome.refusal is None
    return {
        "benchmark": name,
        "built": len(outcome.fixings),
        "published": len(outcome.published),
        "statuses": outcome.counts,
        "rows": finality_rows(workspace, name, outcome.fixings),
        "held": hold_rows(open_holds(workspace, name)) if asked else [],
    }


def published_row(workspace: Workspace, outcome: Outcome) -> dict[str, Any]:
    """The documented JSON of `index publish` of one benchmark."""
    name = outcome.benchmark
    return {
        "benchmark": name,
        "published": len(outcome.published),
        "rows": finality_rows(workspace, name, outcome.published),
        "held": [] if outcome.refusal is not None else hold_rows(open_holds(workspace, name)),
    }


def several_row(outcomes: Sequence[Outcome], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The documented JSON of several benchmarks: ``rows`` are theirs, in the same order."""
    return {
        "benchmarks": [
            {**row, "status": outcome.status, "sentence": outcome.sentence}
            for outcome, row in zip(outcomes, rows, strict=True)
        ],
        "refused": sum(outcome.refusal is not None for outcome in outcomes),
    }
