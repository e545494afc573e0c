"""Commands about sources: collect, sellers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import HERE, AsOfOption, JsonOption, WorkspaceOption, open_workspace
from .output import print_error, print_json, print_line, print_table, progress

if TYPE_CHECKING:
    from ..records import LedgerEntry
    from ..workspace import Collected


def collect(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of the collect tables of rentmark.toml; default all.")
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Ask also what was asked lately.")] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Fetch the configured sources once, for cron: one that fails stops no other, each says what it did.

    Exits 1 where a source failed or was refused, or a drift alarm fired; else 0.
    """
    from ..workspace import collect as run

    opened = open_workspace(workspace)
    with progress() as report:
        results = run(opened, names or (), whatever_the_interval=now, progress=report)
    _tell(results, as_json=as_json)


def collect_feed(workspace: Path, feed: str, *, as_json: bool) -> None:
    """`ingest FEED --live`: fetch the sources of one feed now, whatever their interval."""
    from ..workspace import collect as run

    opened = open_workspace(workspace)
    with progress() as report:
        results = run(opened, feed_id=feed, whatever_the_interval=True, progress=report)
    _tell(results, as_json=as_json)


def _tell(results: list[Collected], *, as_json: bool) -> None:
    from ..workspace import collect_summary

    summary = collect_summary(results)
    if as_json:
        print_json(summary)
    else:
        for result in results:
            print_line(f"{result.name} ({result.feed}): {result.status.replace('_', ' ')}: {result.sentence}")
            if result.ingested is not None and not result.ingested.already:
                for line in ledger_notes(result.ingested.entry):
                    print_line(f"  {line}")
    for source in summary["sources"]:
        if source["status"] in ("failed", "refused"):
            print_error(f"{source['name']}: {source['sentence']}")
        for alarm in source["alarms"]:
            print_error(f"{source['name']}: {alarm}")
    if summary["failed"] or summary["alarms"]:
        raise typer.Exit(1)


def ledger_notes(entry: LedgerEntry) -> list[str]:
    """The notes of a batch for a person: drift first, then what the feed and the fetch noted."""
    from ..workspace import ledger_row

    row = ledger_row(entry)
    drift = [f"{change['level'].upper()}: {change['sentence']}" for change in row["drift"]]
    return drift + [f"note: {note}" for note in row["notes"]]


def sellers(
    aliases: Annotated[
        bool, typer.Option("--aliases", help="Show the table of aliases with its dates instead.")
    ] = False,
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List the sellers of the archive with their venue, the collector they came through, and other names."""
    from ..workspace import alias_rows, read_as_of, seller_rows

    view = read_as_of(as_of, reconstructed=False)
    rows = seller_rows(open_workspace(workspace), None if view is None else view.instant)
    if as_json:
        print_json({"sellers": rows, "aliases": alias_rows()})
    elif aliases:
        _print(alias_rows())
    elif not rows:
        print_line("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
    else:
        _print(rows)


def _print(rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    print_table(
        [name.replace("_", " ") for name in names],
        [[row[name] for name in names] for row in rows],
        optional=("first observed at", "kind", "aggregator", "source"),
    )
