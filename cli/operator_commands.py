"""Commands about operators: import, list, history, premium."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
from .output import print_json, print_line, print_table, print_taken_in

app = typer.Typer(help="Operators: ratings by release, and what a tier costs.", no_args_is_help=True)

SchemeOption = Annotated[str, typer.Option("--scheme", help="Rating scheme.")]


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="CSV: version,published,provider,tier[,…].")],
    scheme: SchemeOption = "clustermax",
    correct: Annotated[
        str | None, typer.Option("--correct", metavar="REASON", help="Why an imported tier was wrong.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Import a ratings file, whole or not at all; repeating a file changes nothing."""
    from ..workspace import import_ratings, ratings_import_row

    row = ratings_import_row(
        import_ratings(open_workspace(workspace), file, scheme=scheme, correction_reason=correct)
    )
    if as_json:
        print_json(row)
        return
    counts = {"ratings": row["records"], "accepted": row["accepted"], "duplicates": row["duplicates"]}
    print_taken_in(row["file"], counts, already="imported" if row["already_imported"] else None)
    for release in row["releases"]:
        print_line(
            f"  {row['scheme']} {release['version']}, published {release['published_on']}: "
            f"{release['operators']:,} operators"
        )


@app.command("list")
def list_ratings(
    scheme: SchemeOption = "clustermax",
    tier: Annotated[str | None, typer.Option("--tier", help="This tier and better ones.")] = None,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List the release in force, now or as of an instant."""
    from ..workspace import ratings_view, ratings_view_row, read_as_of

    view = ratings_view(
        open_workspace(workspace), scheme=scheme, as_of=read_as_of(as_of, reconstructed=reconstructed)
    )
    row = ratings_view_row(view, tier=tier)
    if as_json:
        print_json(row)
        return
    print_line(
        f"{row['name']} {row['version']}, published {row['published_on']}, by {row['publisher']}; as of {row['as_of']}"
        + (" · RECONSTRUCTED" if row["reconstructed"] else "")
        + (" · SIMULATED" if any(r["simulated"] for r in row["ratings"]) else "")
    )
    print_line(", ".join(f"{count} {word}" for word, count in row["tiers"].items() if count))
    print_table(
        ["operator", "tier", "note"],
        [
            [r["operator"], r["tier"], None if r["tier"] else f"{r['as_written']}: missing"]
            for r in row["ratings"]
        ],
    )
    for note in row["notes"]:
        print_line(f"note: {note}")


@app.command()
def history(
    operator: Annotated[str, typer.Argument(help="An operator, as a release or a seller list writes it.")],
    scheme: SchemeOption = "clustermax",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show an operator's rating in every release imported, corrections in the order they came."""
    from ..workspace import operator_history

    rows = operator_history(open_workspace(workspace), operator, scheme=scheme)
    if as_json:
        print_json({"scheme": scheme, "operator": operator, "ratings": rows})
        return
    print_table(
        ["published", "version", "operator", "as written", "recorded at"],
        [[r["published_on"], r["version"], r["operator"], r["as_written"], r["recorded_at"]] for r in rows],
    )


@app.command()
def premium(
    benchmark: BenchmarkArgument,
    scheme: SchemeOption = "clustermax",
    reference: Annotated[
        str | None, typer.Option("--reference", help="Tier to hold the others against; default the fullest.")
    ] = None,
    first: Annotated[str | None, typer.Option("--from", help="First fixing date.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last fixing date.")] = None,
    include_unstated: Annotated[
        bool, typer.Option("--include-unstated", help="Take offers that do not state their service.")
    ] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say what sellers of each tier ask against a reference tier, on one grade and the same dates."""
    from ..workspace import premiums_row, rating_premiums, read_optional_date

    result = rating_premiums(
        open_workspace(workspace),
        benchmark,
        scheme=scheme,
        reference=reference,
        first=read_optional_date(first, "--from"),
        last=read_optional_date(last, "--to"),
        include_unstated=include_unstated,
    )
    row = premiums_row(result)
    if as_json:
        print_json(row)
        return
    print_line(
        f"{row['grade']}, {row['from']} to {row['to']}, against {row['reference']}"
        + (" · SIMULATED" if row["simulated"] else "")
    )
    print_table(
        [
            "tier",
            "premium",
            "95 % low",
            "high",
            "dates",
            "sellers",
            "reference sellers",
            "no interval because",
        ],
        [
            [
                p["tier"],
                _percent(p["premium"]),
                _percent(p["premium_low"]),
                _percent(p["premium_high"]),
                p["dates"],
                len(p["sellers"]),
                len(p["reference_sellers"]),
                p["premium_low_reason"],
            ]
            for p in row["premiums"]
        ],
        optional=("dates", "reference sellers", "sellers"),
    )
    for p in row["premiums"]:
        print_line(f"{p['tier']}: {', '.join(p['sellers'])}")
    if row["unrated"]:
        print_line(f"unrated, left out: {', '.join(row['unrated'])}")
    for warning in row["warnings"]:
        print_line(f"warning: {warning}")


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:+.1f} %".replace("-", "−")
