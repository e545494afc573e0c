"""Commands about benchmarks: show, revisions, restate, explain; build and publish from `build_commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .build_commands import ActorOption, build, print_held, publish
from .options import (
    HERE,
    AsOfOption,
    BenchmarkArgument,
    JsonOption,
    ReconstructedOption,
    WorkspaceOption,
    open_workspace,
)
from .output import print_json, print_line, print_table

if TYPE_CHECKING:
    from ..records import Fixing
    from ..workspace import Workspace

app = typer.Typer(no_args_is_help=True, help="Build, publish, show, explain and verify benchmarks.")

app.command()(build)
app.command()(publish)
DateArgument = Annotated[str, typer.Argument(help="Fixing date, YYYY-MM-DD.", metavar="DATE")]


@app.command()
def show(
    benchmark: BenchmarkArgument,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only the last N dates.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Print the tape of a benchmark, or candidates marked so where nothing is published."""
    from ..workspace import read_as_of, shown_row

    opened = open_workspace(workspace)
    view = read_as_of(as_of, reconstructed=reconstructed)
    shown = shown_row(opened, benchmark, as_of=view, last=last)
    if as_json:
        print_json(shown)
        return
    rows = shown["rows"]
    marks = _marks(rows)
    if marks:
        print_line(f"{benchmark}: {' · '.join(marks)}")
    if rows[0]["state"] == "candidate":
        print_line("Candidates only; these values may change.")
    print_table(
        [
            "date",
            "$/GPU-h",
            "status",
            "rule",
            "tier",
            "sellers",
            "votes",
            "p25",
            "p75",
            "top",
            "origin",
            "finality",
            "rev",
        ],
        [
            [
                r["date"],
                r["value"],
                r["status"],
                r["rule"],
                r["tier"],
                r["n_sellers"],
                r["n_votes"],
                r["p25"],
                r["p75"],
                None if r["top_weight"] is None else f"{100 * r['top_weight']:.1f} %",
                r["origin"] or r["state"],
                r["finality"],
                r["revision"],
            ]
            for r in rows
        ],
        optional=("p75", "p25", "top", "votes", "tier", "finality"),
    )
    print_held(benchmark, shown["held"])
    if shown["cessation"] is not None:
        print_line(shown["cessation"]["sentence"])


@app.command()
def revisions(
    benchmark: BenchmarkArgument, workspace: WorkspaceOption = HERE, as_json: JsonOption = False
) -> None:
    """List every row of the tape in the order it was appended, with its place in the chain."""
    opened = open_workspace(workspace)
    opened.configuration.benchmark(benchmark)
    rows = _rows(opened, benchmark, opened.store.tape_sequence(benchmark))
    if as_json:
        print_json({"benchmark": benchmark, "rows": rows})
        return
    if not rows:
        print_line(f"Nothing of {benchmark} is published.")
        return
    print_table(
        ["date", "rev", "$/GPU-h", "status", "published at", "by", "reason", "digest"],
        [
            [
                r["date"],
                r["revision"],
                r["value"],
                r["status"],
                r["published_at"],
                r["actor"],
                r["restatement_reason"],
                (r["row_digest"] or "")[:12],
            ]
            for r in rows
        ],
        optional=("by", "digest", "status"),
    )


@app.command()
def restate(
    benchmark: BenchmarkArgument,
    date: DateArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why the published value is wrong.")],
    actor: ActorOption = "rentmark",
    approved_by: Annotated[
        str | None, typer.Option("--approved-by", help="A second person, who approves.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Append a revision of one date from the archive as it stands; the old row stays."""
    from ..workspace import read_date
    from ..workspace import restate as restate_benchmark

    opened = open_workspace(workspace)
    fixing = restate_benchmark(
        opened, benchmark, read_date(date, "DATE"), reason=reason, actor=actor, approved_by=approved_by
    )
    row = _rows(opened, benchmark, [fixing])[0]
    if as_json:
        print_json({"benchmark": benchmark, "row": row})
        return
    print_line(
        f"{benchmark} {row['date']} revision {row['revision']}: {row['value'] or 'GAP ' + str(row['rule'])}."
    )


@app.command()
def explain(
    benchmark: BenchmarkArgument,
    date: DateArgument,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    everything: Annotated[bool, typer.Option("--all", help="List observations left out, too.")] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say why a fixing is what it is: every observation in or out, votes, gates, each seller left out."""
    from ..workspace import explained_row, read_as_of, read_date
    from .explaining import print_explanation

    opened = open_workspace(workspace)
    view = read_as_of(as_of, reconstructed=reconstructed)
    row = explained_row(opened, benchmark, read_date(date, "DATE"), as_of=view)
    if as_json:
        print_json(row)
    else:
        print_explanation(row, everything=everything)


def _rows(opened: Workspace, benchmark: str, fixings: list[Fixing]) -> list[dict[str, Any]]:
    from ..workspace import finality_rows

    return finality_rows(opened, benchmark, fixings)


def _marks(rows: list[dict[str, Any]]) -> list[str]:
    marks = []
    if any(row["simulated"] for row in rows):
        marks.append("SIMULATED")
    if any(row["reconstructed"] for row in rows):
        marks.append("RECONSTRUCTED")
    if any(row["origin"] == "backcast" for row in rows):
        marks.append("BACKCAST rows: published after their time")
    return marks
