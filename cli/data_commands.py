"""Commands about data: init, ingest, feeds, batches, rejects, grade."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import HERE, JsonOption, WorkspaceOption, database_url, open_workspace
from .output import print_error, print_json, print_line, print_table, progress


def init(
    folder: Annotated[Path, typer.Argument(help="Folder of the new workspace.")],
    sample: Annotated[
        bool, typer.Option("--sample", help="Add invented offers.csv, trades.csv, rent.csv.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a workspace: a commented rentmark.toml, an archive and a database."""
    from ..workspace import Workspace, add_samples

    workspace = Workspace.create(folder, database_url=database_url())
    names = add_samples(workspace.root) if sample else []
    if as_json:
        print_json(
            {"workspace": str(folder), "created": ["rentmark.toml", *names], "samples_invented": sample}
        )
        return
    print_line(
        f"Made workspace {folder} with rentmark.toml" + (f" and {', '.join(names)}" if names else "") + "."
    )
    if names:
        print_line("The sample files are invented; they show the layouts and the commands, not a market.")
    print_line(f"Next: cd {folder}; rentmark ingest tabular offers.csv")


def ingest(
    feed: Annotated[str, typer.Argument(help="Feed id; see `rentmark feeds`.")],
    files: Annotated[list[Path], typer.Argument(help="Payload files.")],
    mapping: Annotated[
        str | None, typer.Option("--mapping", help="A [mappings.NAME] of rentmark.toml.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Ingest payload files: archived raw, parsed, committed whole; repeating a file changes nothing."""
    from ..workspace import ingest_files, ingest_summary

    opened = open_workspace(workspace)
    with progress() as report:
        results = ingest_files(opened, feed, files, mapping_name=mapping, progress=report)
    summary = ingest_summary(results)
    if as_json:
        print_json(summary)
    else:
        for result in results:
            entry = result.entry
            again = " (already ingested; nothing changed)" if result.already else ""
            print_line(
                f"{entry.origin_name}: {entry.records:,} records = {entry.accepted:,} accepted + "
                f"{entry.rejected:,} rejected + {entry.duplicates:,} duplicates{again}"
            )
            for note in entry.notes:
                print_line(f"  note: {note}")
            if entry.rejected:
                print_line(
                    f"  `rentmark rejects --batch {entry.batch_id}` lists the refused records with reasons."
                )
    for result in results:
        if result.entry.refusal_sentence is not None:
            print_error(f"{result.entry.origin_name}: {result.entry.refusal_sentence}")
    if all(r.nothing_done for r in results):
        if not any(r.entry.refusal_sentence for r in results):
            print_error("Nothing was accepted; `rentmark rejects` lists the reasons.")
        raise typer.Exit(1)


def feeds(as_json: JsonOption = False) -> None:
    """List the feeds with their data rights."""
    from ..workspace import feed_rows

    rows = feed_rows()
    if as_json:
        print_json({"feeds": rows})
        return
    print_table(
        ["feed", "kind", "version", "rights", "lag h", "what it reads"],
        [[r["feed"], r["kind"], r["version"], r["rights"], r["lag_hours"], r["summary"]] for r in rows],
    )


def batches(workspace: WorkspaceOption = HERE, as_json: JsonOption = False) -> None:
    """List the ledger: every payload with its counts."""
    from ..workspace import ledger_row

    rows = [ledger_row(entry) for entry in open_workspace(workspace).store.ledger()]
    if as_json:
        print_json({"batches": rows})
        return
    if not rows:
        print_line("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")
        return
    names = [
        "batch_id",
        "feed",
        "origin_name",
        "records",
        "accepted",
        "rejected",
        "duplicates",
        "rights",
        "recorded_at",
    ]
    print_table([n.replace("_", " ") for n in names], [[row[n] for n in names] for row in rows])


def rejects(
    batch: Annotated[int | None, typer.Option("--batch", help="Only this batch.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Only this reason code.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 50,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List refused records, each with its place, reason and remedy; counts by reason first."""
    store = open_workspace(workspace).store
    counts = store.reject_counts()
    rows = store.rejects(batch_id=batch, reason=reason, limit=limit)
    if as_json:
        print_json({"counts": counts, "rejects": rows})
        return
    if not counts:
        print_line("No record was rejected.")
        return
    print_table(["reason", "records"], list(counts.items()))
    for row in rows:
        print_line(row["sentence"])


def grade(
    name: Annotated[str, typer.Argument(help="A GPU name as written by a seller.")],
    as_json: JsonOption = False,
) -> None:
    """Show how a GPU name is read; what a name does not say stays unknown."""
    from ..workspace import reading_row

    row = reading_row(name)
    if row["refusal"] is not None:
        if as_json:
            print_json(row)
        else:
            print_error(row["reason"])
        raise typer.Exit(1)
    if as_json:
        print_json(row)
        return
    for key in ("chip", "form_factor", "memory_gb", "gpu_count", "interconnect"):
        value = row[key]
        print_line(f"{key.replace('_', ' '):14} {'— (the name does not say)' if value is None else value}")
