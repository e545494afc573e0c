"""`index verify` and `index export`: a tape made again, by oneself or by somebody who was handed the files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, progress

FINDINGS_SHOWN = 20
"""How much of what `verify` found is told to a person; one broken link can break every row after it."""


def verify(
    benchmarks: Annotated[
        list[str] | None, typer.Argument(help="Benchmarks; default all on the tape.")
    ] = None,
    level: Annotated[
        int, typer.Option("--level", min=1, max=2, help="2 also parses raw payloads again.")
    ] = 1,
    published: Annotated[
        Path | None,
        typer.Option("--published", help="A published CSV: verify it without workspace and database."),
    ] = None,
    archive: Annotated[
        Path | None, typer.Option("--archive", help="With --published: a copy of the archive.")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option("--rules", help="With --published: rules; default beside the CSV.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="With --published: manifest; default beside the CSV.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Rebuild the tape from the archive and compare; exit code 1 when anything differs."""
    from ..records import UsageError
    from ..workspace import verification_row, verify_published
    from ..workspace import verify as verify_tape

    if published is None and (archive or rules or manifest):
        raise UsageError("--archive, --rules and --manifest go with --published; add --published FILE.csv.")
    if published is not None and archive is None:
        raise UsageError("--published needs a copy of the archive; add --archive DIR.")
    with progress() as report:
        report("verifying")
        if published is not None and archive is not None:
            files = {"rules": rules, "manifest": manifest}
            result = verify_published(published, archive, **files, names=benchmarks or [], level=level)
        else:
            opened = open_workspace(workspace)
            for name in benchmarks or []:
                opened.configuration.benchmark(name)
            result = verify_tape(opened, benchmarks, level=level)
    row = verification_row(result, level)
    if as_json:
        print_json(row)
    else:
        _print_verification(row)
    if not row["passed"]:
        raise typer.Exit(1)


def _print_verification(row: dict[str, Any]) -> None:
    verdict = "all reproduce" if row["passed"] else "NOT reproduced"
    payloads = f" and {len(row['batches']):,} payloads" if row["level"] == 2 else ""
    if not row["rows_checked"]:
        print_line("Nothing is published, so there is no tape to check.")
    print_line(f"Checked {row['rows_checked']:,} tape rows{payloads}: {verdict}.")
    found = [*row["problems"], *(difference["sentence"] for difference in row["differences"])]
    found += [batch["sentence"] for batch in row["batches"] if batch["result"] != "identical"]
    for sentence in found[:FINDINGS_SHOWN]:
        print_line(sentence)
    if len(found) > FINDINGS_SHOWN:
        print_line(f"… and {len(found) - FINDINGS_SHOWN:,} more; --json lists all.")


def export(
    benchmarks: Annotated[list[str], typer.Argument(help="Benchmarks whose tapes are written.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="CSV to write; rules and manifest go beside it.")
    ],
    archive: Annotated[
        Path | None, typer.Option("--archive", help="Also copy the archive to this new folder.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Write tapes as CSV with all that somebody else needs to make them again."""
    from ..workspace import export_bundle

    opened = open_workspace(workspace)
    for name in benchmarks:
        opened.configuration.benchmark(name)
    with progress() as report:
        report("exporting")
        done = export_bundle(opened, benchmarks, output, archive=archive)
    row = {
        "benchmarks": list(done.benchmarks),
        "rows": done.rows,
        "tape": str(done.tape),
        "rules": str(done.rules),
        "manifest": str(done.manifest),
        "archive": None if done.archive is None else str(done.archive),
        "batches": done.batches,
        "files": done.files,
    }
    if as_json:
        print_json(row)
        return
    print_line(f"{done.rows:,} rows of {', '.join(done.benchmarks)}: {done.tape}")
    print_line(f"rules: {done.rules}")
    print_line(f"manifest of {done.batches:,} payloads and {done.files:,} files: {done.manifest}")
    copy = done.archive or "a copy of the folder archive"
    print_line(f"To verify: rentmark index verify --published {done.tape} --archive {copy}")
