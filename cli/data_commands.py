"""Commands about data: init, ingest, feeds, batches, rejects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..workspace import Ingested

from ..records import RentmarkError, UsageError
from .collect_commands import collect_feed, ledger_notes
from .options import HERE, JsonOption, WorkspaceOption, database_url, open_workspace
from .output import print_error, print_json, print_line, print_table, print_taken_in, progress


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
    print_line(f"Next: cd {folder}; rentmark ingest tabular {'offers.csv' if sample else 'YOUR_OFFERS.csv'}")


def ingest(
    feed: Annotated[str, typer.Argument(help="Feed id; see `rentmark feeds`.")],
    files: Annotated[list[Path] | None, typer.Argument(help="Payload files.")] = None,
    mapping: Annotated[
        str | None, typer.Option("--mapping", help="Name of a mapping in rentmark.toml.")
    ] = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="Fetch the feed's sources, the collect tables of rentmark.toml, now."),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Read payloads again: the feed was mended, or the clock.")
    ] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Ingest payload files: archived raw, parsed, committed whole; repeating a file changes nothing."""
    if (bool(files) + live + again) != 1:
        raise UsageError(f"Name the files of {feed}, or use --live or --again; one of the three.")
    if mapping is not None and not files:
        raise UsageError("--mapping goes with files; a source names its mapping in [collect.NAME].")
    if live:
        collect_feed(workspace, feed, as_json=as_json)
    elif again:
        _ingest_again(workspace, feed, as_json=as_json)
    else:
        _ingest_files(workspace, feed, files or [], mapping, as_json=as_json)


def _ingest_files(
    workspace: Path, feed: str, files: list[Path], mapping: str | None, *, as_json: bool
) -> None:
    from ..workspace import ingest_files

    opened = open_workspace(workspace)
    with progress() as report:
        results = ingest_files(opened, feed, files, mapping_name=mapping, progress=report)
    _tell(results, as_json=as_json)
    if all(r.nothing_done for r in results):
        if not any(r.entry.refusal_sentence for r in results):
            print_error("Nothing was accepted; `rentmark rejects` lists the reasons.")
        raise typer.Exit(1)


def _ingest_again(workspace: Path, feed: str, *, as_json: bool) -> None:
    from ..workspace import read_again

    opened = open_workspace(workspace)
    with progress() as report:
        results = read_again(opened, feed, progress=report)
    _tell(results, as_json=as_json)
    if not results and not as_json:
        print_line(f"Every payload of {feed} was read by this version of the feed; nothing to do.")


def _tell(results: list[Ingested], *, as_json: bool) -> None:
    from ..workspace import ingest_summary

    if as_json:
        print_json(ingest_summary(results))
    for result in results if not as_json else ():
        entry = result.entry
        counts = {
            "records": entry.records,
            "accepted": entry.accepted,
            "rejected": entry.rejected,
            "duplicates": entry.duplicates,
        }
        print_taken_in(entry.origin_name, counts, already="ingested" if result.already else None)
        for row in ledger_notes(entry):
            print_line(f"  {row}")
        if entry.rejected:
            print_line(
                f"  `rentmark rejects --batch {entry.batch_id}` lists the refused records with reasons."
            )
    for result in results:
        if result.entry.refusal_sentence is not None:
            print_error(_named(result.entry.origin_name, result.entry.refusal_sentence))


def _named(name: str, sentence: str) -> str:
    """The sentence, beginning with the file it is about."""
    return sentence if sentence.startswith(name) else f"{name}: {sentence}"


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
    print_table(
        [n.replace("_", " ") for n in names],
        [[row[n] for n in names] for row in rows],
        optional=("recorded at", "rights", "batch id", "feed"),
    )


def rejects(
    batch: Annotated[int | None, typer.Option("--batch", help="Only this batch.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Only this reason code.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most this many.")] = 50,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write them all to this .csv or .parquet.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List refused records, each with its place, reason and remedy; counts by reason first."""
    from ..records.rules import REJECT_REASONS

    opened = open_workspace(workspace)
    store = opened.store
    if batch is not None and batch not in {entry.batch_id for entry in store.ledger()}:
        raise RentmarkError(f"There is no batch {batch}; `rentmark batches` lists them.")
    if reason is not None and reason not in REJECT_REASONS:
        raise UsageError(f"There is no reject reason {reason!r}; known: {', '.join(REJECT_REASONS)}.")
    counts = store.reject_counts(batch)
    if reason is not None:
        counts = {code: count for code, count in counts.items() if code == reason}
    if export is not None:
        from ..workspace import export_rejects

        written = export_rejects(opened, export, batch_id=batch, reason=reason)
        if as_json:
            print_json({"counts": counts, "rejects": [], "exported": written, "file": str(export)})
        else:
            print_line(f"Wrote {written:,} refused records to {export}.")
        return
    rows = store.rejects(batch_id=batch, reason=reason, limit=limit)
    if as_json:
        print_json({"counts": counts, "rejects": rows})
        return
    if not counts:
        print_line("No record was rejected" + ("." if batch is None and reason is None else " for that."))
        return
    print_table(["reason", "records"], list(counts.items()))
    for row in rows:
        print_line(row["sentence"])
    total = sum(counts.values())
    if len(rows) < total:
        print_line(f"The first {len(rows):,} of {total:,}; --limit {total} lists all.")
