"""`index build` and `index publish`: candidates from the archive, and candidates onto the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import HERE, AsOfOption, JsonOption, ReconstructedOption, WorkspaceOption, open_workspace
from .output import print_error, print_json, print_line, print_table, progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..workspace import Outcome, Workspace

BenchmarksArgument = Annotated[
    list[str] | None, typer.Argument(help="Benchmarks of rentmark.toml; or --all.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Every benchmark; those for research are built and not published.")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="Engine threads; the result is the same.")
]
EngineOption = Annotated[str, typer.Option("--engine", help="duckdb or spark; the result is the same.")]
MasterOption = Annotated[
    str | None, typer.Option("--master", help="Where Spark runs, as spark://HOST:7077 or local[2].")
]
AfreshOption = Annotated[bool, typer.Option("--afresh", help="Make every date anew, not only what changed.")]
ActorOption = Annotated[str, typer.Option("--actor", envvar="RENTMARK_ACTOR", help="Who publishes.")]
HOLDS_SHOWN = 5
"""How many held fixings are told below a table."""
BUILT_COLUMNS = ("dates", "first", "last", "OK", "THIN", "CARRIED", "GAP")
PUBLISHED_COLUMNS = ("published", "origin", "held")


def build(
    benchmarks: BenchmarksArgument = None,
    everything: AllOption = False,
    publish_too: Annotated[bool, typer.Option("--publish", help="Publish what was built.")] = False,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    threads: ThreadsOption = None,
    engine: EngineOption = "duckdb",
    master: MasterOption = None,
    afresh: AfreshOption = False,
    actor: ActorOption = "rentmark",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Make candidates for every date the archive covers; an as-of view is stored apart, never published.

    Several benchmarks, or --all, read the archive once; one that is refused stops no other, and the exit code is 1.
    """
    from ..records import UsageError
    from ..workspace import asked_benchmarks, build_benchmarks, built_row, read_as_of

    view = read_as_of(as_of, reconstructed=reconstructed)
    if view is not None and publish_too:
        raise UsageError("--publish does not go with --as-of: an as-of view is never published.")
    opened = open_workspace(workspace)
    names, several = asked_benchmarks(opened, benchmarks or [], everything=everything)
    with progress() as report:
        report(f"building {names[0] if len(names) == 1 else f'{len(names)} benchmarks'}")
        outcomes = build_benchmarks(
            opened, names, as_of=view, publish_as=actor if publish_too else None, but_research=everything,
            threads=threads, engine=engine, master=master, afresh=afresh,
        )  # fmt: skip
    _tell(opened, outcomes, built_row, several=several, as_json=as_json, built=True)


def publish(
    benchmarks: BenchmarksArgument = None,
    everything: AllOption = False,
    through: Annotated[
        str | None, typer.Option("--through", help="Last date to publish; default all.")
    ] = None,
    actor: ActorOption = "rentmark",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Append candidates to the tape as revision 0; running it twice publishes once."""
    from ..workspace import asked_benchmarks, publish_benchmarks, published_row, read_date

    opened = open_workspace(workspace)
    last = None if through is None else read_date(through, "--through")
    names, several = asked_benchmarks(opened, benchmarks or [], everything=everything)
    outcomes = publish_benchmarks(opened, names, through=last, actor=actor, but_research=everything)
    _tell(opened, outcomes, published_row, several=several, as_json=as_json, built=False)


def print_held(benchmark: str, held: Sequence[dict[str, Any]]) -> None:
    """The first held fixings in a sentence each, and how many more there are."""
    for row in held[:HOLDS_SHOWN]:
        print_line(row["sentence"])
    if len(held) > HOLDS_SHOWN:
        print_line(f"… and {len(held) - HOLDS_SHOWN:,} more; `rentmark index holds {benchmark}` lists them.")


def _tell(
    opened: Workspace,
    outcomes: Sequence[Outcome],
    row_of: Callable[[Workspace, Outcome], dict[str, Any]],
    *,
    several: bool,
    as_json: bool,
    built: bool,
) -> None:
    """Print one benchmark as it always was, several as a table with a sentence for each that was refused."""
    if not several:
        (one,) = outcomes
        if one.refusal is not None:
            raise one.refusal
        if as_json:
            print_json(row_of(opened, one))
        else:
            _print_one(opened, one, built=built)
        return
    from ..workspace import several_row

    if as_json:
        print_json(several_row(outcomes, [row_of(opened, each) for each in outcomes]))
    else:
        _print_several(opened, outcomes, built=built)
    for each in outcomes:
        if each.refusal is not None:
            print_error(f"{each.benchmark}: {each.refusal.sentence}")
    if any(each.refusal is not None for each in outcomes):
        raise typer.Exit(1)


def _print_one(opened: Workspace, one: Outcome, *, built: bool) -> None:
    from ..workspace import hold_rows, open_holds

    name = one.benchmark
    if built:
        print_line(f"{name}: {one.built_sentence}")
    if one.unpublished is not None:
        print_line("Candidates only; these values may change.")
    else:
        print_line(one.published_words("" if built else name))
    if one.unpublished is None:
        print_held(name, hold_rows(open_holds(opened, name)))
    if any(f.simulated for f in one.fixings):
        print_line("SIMULATED data.")


def _print_several(opened: Workspace, outcomes: Sequence[Outcome], *, built: bool) -> None:
    from ..workspace import hold_rows, open_holds

    shown = [each for each in outcomes if each.refusal is None or each.fixings]
    publishes = any(each.unpublished != "not_asked" for each in shown)
    columns = [
        "benchmark",
        *(BUILT_COLUMNS if built else ()),
        *(PUBLISHED_COLUMNS if publishes else ()),
        "what",
    ]
    rows = [
        [
            each.benchmark,
            *(_built_cells(each) if built else ()),
            *((len(each.published), each.origins, each.n_held) if publishes else ()),
            each.status.replace("_", " "),
        ]
        for each in shown
    ]
    if rows:
        print_table(columns, rows, optional=("first", "last", "CARRIED", "held"))
    if built and any(each.unpublished == "not_asked" for each in shown):
        print_line("Candidates only; these values may change.")
    for each in shown:
        if each.n_held:
            print_held(each.benchmark, hold_rows(open_holds(opened, each.benchmark)))
    if any(f.simulated for each in shown for f in each.fixings):
        print_line("SIMULATED data.")


def _built_cells(one: Outcome) -> list[Any]:
    counts = one.counts
    ends = [one.fixings[0].date, one.fixings[-1].date] if one.fixings else [None, None]
    return [len(one.fixings), *ends, *counts.values()]
