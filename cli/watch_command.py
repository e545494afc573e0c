"""The command that warns: watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress


def watch(
    rent: Annotated[Path | None, typer.Argument(help="Rent file to watch beside --benchmark.")] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Watch this one; all that have fixings without it.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Count every alarm from this date as new, and remember nothing."),
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Run the alarms on new data; exit 1 when one fires."""
    import sys

    from ..workspace import read_rent_file, remember_told, watch_alarms

    opened = open_workspace(workspace)
    payload = None if rent is None else read_rent_file(rent)
    with progress() as tell:
        tell("watching")
        found = watch_alarms(
            opened,
            benchmark=benchmark,
            rent_name=None if rent is None else rent.name,
            rent=payload,
            since=since,
        )
    row = found.to_json()
    if as_json:
        print_json(row)
    else:
        _print(row)
    sys.stdout.flush()  # told first, remembered then: whatever stops us in between, no alarm is lost
    remember_told(opened, found)
    if row["fired"]:
        raise typer.Exit(1)


def _print(row: dict[str, Any]) -> None:
    if row["simulated"]:
        print_line("SIMULATED")
    new = [each for each in row["alarms"] if each["new"]]
    if new:
        print_table(
            ["date", "alarm", "what"], [[each["date"], each["kind"], each["sentence"]] for each in new]
        )
    older = len(row["alarms"]) - len(new)
    told = f"{len(new)} new alarm{'' if len(new) == 1 else 's'} as of {row['as_of']}, from {row['since']} on"
    print_line(f"{told}; {older} told before." if older else f"{told}.")
    missing = [each for each in row["checks"] if not each["made"]]
    for each in missing:
        print_line(f"not checked: {each['kind']} of {each['subject']}: {each['reason']}")
