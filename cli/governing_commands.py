"""`index` commands of governance: holds, release, override, overrides, cease, log, versions, statement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

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

DateArgument = Annotated[str, typer.Argument(help="Fixing date, YYYY-MM-DD.", metavar="DATE")]
ActorOption = Annotated[str, typer.Option("--actor", envvar="RENTMARK_ACTOR", help="Who decides.")]
ApprovedByOption = Annotated[
    str, typer.Option("--approved-by", help="A second person, who approves; another name than --actor.")
]


def holds(
    benchmark: Annotated[str | None, typer.Argument(help="Benchmark of rentmark.toml; default all.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List fixings that moved beyond `hold_move` and wait for a second person."""
    from ..workspace import hold_rows, open_holds

    opened = open_workspace(workspace)
    if benchmark is not None:
        opened.configuration.benchmark(benchmark)
    names = [benchmark] if benchmark else list(opened.configuration.benchmarks)
    rows = hold_rows([held for name in names for held in open_holds(opened, name)])
    if as_json:
        print_json({"held": rows})
        return
    if not rows:
        print_line("Nothing is held.")
        return
    print_table(
        ["benchmark", "date", "$/GPU-h", "status", "move", "against", "of", "limit", "published by"],
        [
            [
                row["benchmark"],
                row["date"],
                row["value"],
                row["status"],
                f"{row['move']:+.1%}",
                row["last_value"],
                row["last_date"],
                row["hold_move"],
                row["actor"],
            ]
            for row in rows
        ],
    )


def release(
    benchmark: BenchmarkArgument,
    date: DateArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why the held value is right.")],
    actor: ActorOption,
    approved_by: ApprovedByOption,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Publish a held fixing; a second person approves."""
    from ..workspace import read_date
    from ..workspace import release as release_held

    opened = open_workspace(workspace)
    fixing = release_held(
        opened,
        benchmark,
        read_date(date, "DATE"),
        reason=reason,
        actor=actor,
        approved_by=approved_by,
    )
    _print_row(opened, benchmark, fixing, as_json=as_json, done="released")


def override(
    benchmark: BenchmarkArgument,
    date: DateArgument,
    reason: Annotated[str, typer.Option("--reason", help="The judgement, in words.")],
    actor: ActorOption,
    approved_by: ApprovedByOption,
    value: Annotated[str | None, typer.Option("--value", help="Dollars per GPU-hour.")] = None,
    gap: Annotated[bool, typer.Option("--gap", help="Print no value.")] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Put a judged value, or none, in place of what the rules give; a second person approves."""
    from ..records import UsageError
    from ..workspace import override as override_fixing
    from ..workspace import read_date, read_positive_price

    if gap == (value is not None):
        raise UsageError("An override needs either --value DOLLARS or --gap.")
    opened = open_workspace(workspace)
    fixing = override_fixing(
        opened,
        benchmark,
        read_date(date, "DATE"),
        value_micros=None if value is None else read_positive_price(value, "--value"),
        reason=reason,
        actor=actor,
        approved_by=approved_by,
    )
    _print_row(opened, benchmark, fixing, as_json=as_json, done="set by judgement")


def overrides(
    benchmark: Annotated[str | None, typer.Argument(help="Benchmark of rentmark.toml; default all.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List every value that a person set in place of the rules, with who approved it."""
    opened = open_workspace(workspace)
    if benchmark is not None:
        opened.configuration.benchmark(benchmark)
    names = [benchmark] if benchmark else list(opened.configuration.benchmarks)
    rows = _log(opened, names, only="override")
    if as_json:
        print_json({"overrides": rows})
    elif rows:
        _print_log(rows)
    else:
        print_line("No value was set by judgement.")


def log(benchmark: BenchmarkArgument, workspace: WorkspaceOption = HERE, as_json: JsonOption = False) -> None:
    """List everything decided about a benchmark: versions, holds, releases, overrides, restatements, its end."""
    opened = open_workspace(workspace)
    opened.configuration.benchmark(benchmark)
    rows = _log(opened, [benchmark])
    if as_json:
        print_json({"benchmark": benchmark, "log": rows})
    elif rows:
        _print_log(rows)
    else:
        print_line(f"Nothing was decided about {benchmark} beside what its rules give.")


def cease(
    benchmark: BenchmarkArgument,
    last_date: Annotated[str, typer.Option("--last-date", help="Last fixing date, YYYY-MM-DD.")],
    notice: Annotated[str, typer.Option("--notice", help="Why it ends and what its users should do.")],
    actor: ActorOption,
    approved_by: ApprovedByOption,
    successor: Annotated[str | None, typer.Option("--successor", help="Benchmark that follows it.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Announce the end of a benchmark: nothing is fixed or published after the last date."""
    from ..workspace import cease as cease_benchmark
    from ..workspace import cessation_row, read_date

    opened = open_workspace(workspace)
    ended = cease_benchmark(
        opened,
        benchmark,
        last_date=read_date(last_date, "--last-date"),
        notice=notice,
        actor=actor,
        approved_by=approved_by,
        successor=successor,
    )
    row = cessation_row(ended)
    assert row is not None
    if as_json:
        print_json({"benchmark": benchmark, "cessation": row})
        return
    print_line(row["sentence"])


def versions(
    benchmark: BenchmarkArgument, workspace: WorkspaceOption = HERE, as_json: JsonOption = False
) -> None:
    """Print the changelog of a benchmark's methodology: versions, from when each applies, and what changed."""
    from ..workspace import version_rows

    opened = open_workspace(workspace)
    opened.configuration.benchmark(benchmark)
    rows = version_rows(opened, benchmark)
    if as_json:
        print_json({"benchmark": benchmark, "versions": rows})
        return
    for row in rows:
        start = f"from {row['effective_from']}" if row["effective_from"] else "from the first date"
        print_line(f"{row['version']} {start}: {row['changes']}")
        for change in row["rules_changed"]:
            print_line(f"    {change}")
        if not row["known"]:
            print_line(f"    announced on {row['announced_on']}; not known before")
        span = f", {row['first_date']} to {row['last_date']}" if row["published"] else ""
        print_line(f"    {row['published']:,} published dates{span}; rules {row['methodology_hash'][:12]}")


def statement(
    benchmark: BenchmarkArgument,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write it to a file that ends in .html or .md.")
    ] = None,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Write the benchmark statement: what it measures, from what, by which rules, and what it is not good for."""
    from ..workspace import benchmark_statement, read_as_of, statement_document, write_statement

    view = read_as_of(as_of, reconstructed=reconstructed)
    opened = open_workspace(workspace)
    made = benchmark_statement(opened, benchmark, as_of=view)
    if output is not None:
        write_statement(made, output)
    if as_json:
        print_json(made)
    elif output is not None:
        print_line(f"Statement: {output}")
    else:
        print_line(statement_document(made, "md").rstrip())


COMMANDS = (holds, release, override, overrides, cease, versions, statement, log)


def _print_row(opened: Any, benchmark: str, fixing: Any, *, as_json: bool, done: str) -> None:
    from ..workspace import finality_hours, fixing_row

    hours = finality_hours(opened, benchmark, fixing)
    row = fixing_row(fixing, finality_hours=hours, now=opened.store.now())
    if as_json:
        print_json({"benchmark": benchmark, "row": row})
        return
    value = row["value"] or f"GAP {row['rule']}"
    print_line(
        f"{benchmark} {row['date']} revision {row['revision']}: {value}, {done} by {row['actor']}, "
        f"approved by {row['approved_by']}."
    )


def _log(opened: Any, names: list[str], only: str | None = None) -> list[dict[str, Any]]:
    from ..workspace import governance_log

    rows = [{"benchmark": name} | row for name in names for row in governance_log(opened, name)]
    return [row for row in rows if only is None or row["kind"] == only]


def _print_log(rows: list[dict[str, Any]]) -> None:
    print_table(
        ["recorded at", "what", "date", "rev", "$/GPU-h", "by", "approved by", "why"],
        [
            [
                row["recorded_at"][:16] + "Z",
                row["kind"],
                row["date"],
                row["revision"],
                row["value"],
                row["actor"],
                row["approved_by"],
                row["reason"],
            ]
            for row in rows
        ],
        optional=("rev",),
    )
