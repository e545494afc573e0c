"""hedge compare: contracts and methods ranked for one rent book or a folder of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress

FEW_BOOKS = 3
"""So many books are printed with their whole ranking; of more, the best of each."""


def compare(
    books: Annotated[list[Path], typer.Argument(help="Rent files, or a folder of them.")],
    contracts: Annotated[
        str,
        typer.Option("--contracts", help="Contracts, comma-separated; NAME=BENCHMARK fixes its benchmark."),
    ] = "",
    benchmarks: Annotated[
        str, typer.Option("--benchmarks", help="Benchmarks, comma-separated: of every contract, or alone.")
    ] = "",
    methods: Annotated[
        str, typer.Option("--methods", help="Methods, comma-separated; naive,ols without it.")
    ] = "",
    role: Annotated[Literal["buyer", "provider"], typer.Option("--role", help="Who you are.")] = "buyer",
    export: Annotated[
        list[Path] | None, typer.Option("--export", help="Write .json, .csv or .xlsx here; may be repeated.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Rank contracts and methods by the swing they would have left, in months they had not seen."""
    from ..workspace import compare_hedges, comparison_of_hedges_row, export_row

    opened = open_workspace(workspace)
    with progress() as tell:
        found = compare_hedges(
            opened,
            books,
            contracts=_names(contracts),
            benchmarks=_names(benchmarks),
            methods=_names(methods),
            role=role,
            tell=tell,
        )
    row = comparison_of_hedges_row(found)
    for path in export or []:
        export_row("hedge compare", row, path)
    if as_json:
        print_json(row)
    else:
        _print(row)
        for path in export or []:
            print_line(f"Written: {path}")
    if not row["books"]:
        raise typer.Exit(1)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _print(row: dict[str, Any]) -> None:
    marks = [m.upper() for m in ("simulated", "backcast", "proxy") if row[m]]
    marks += ["CANDIDATE"] if row["fixing_state"] == "candidate" else []
    if marks:
        print_line(" · ".join(marks))
    many = len(row["books"]) > FEW_BOOKS
    for book in row["books"]:
        mine = [each for each in row["ranking"] if each["book"] == book["book"]]
        if not many:
            _print_book(book, mine)
    if many:
        best = {each["book"]: each for each in row["ranking"] if each["rank"] == 1}
        print_table(
            ["book", "best hedge", "method", "verdict", "HE", "low", "high", "swing", "with it", "in set", "months"],
            [
                [
                    book["book"],
                    book["best"] or book.get("reason"),
                    book["best_method"],
                    book["verdict"],
                    *(_figure(best.get(book["book"], {}).get(key)) for key in
                      ("walk_forward", "walk_forward_low", "walk_forward_high", "swing_unhedged", "swing_hedged")),
                    len(book["in_set"]),
                    book["months"],
                ]
                for book in row["books"]
            ],
            title="The hedge that left the least swing, by book ($/GPU-h)",
            optional=("months", "in set"),
        )  # fmt: skip
    for each in row["refused"]:
        print_line(f"refused: {each['book']}: {each['sentence']}")
    print_line(
        f"Rent books judged: {len(row['books'])}, refused: {len(row['refused'])}; "
        f"hedges: {len(row['candidates'])}, by {', '.join(row['methods'])}"
    )


def _print_book(book: dict[str, Any], ranking: list[dict[str, Any]]) -> None:
    print_table(
        ["rank", "contract", "benchmark", "method", "HE unseen", "low", "high", "swing", "with it", "worse", "set", "verdict"],
        [
            [
                each["rank"],
                each["contract"],
                each["benchmark"],
                each["method"],
                *(_figure(each[key]) for key in
                  ("walk_forward", "walk_forward_low", "walk_forward_high", "swing_unhedged", "swing_hedged")),
                None if each["probability_worse"] is None else f"{each['probability_worse'] * 100:.1f} %",
                None if each["in_set"] is None else "in" if each["in_set"] else "out",
                each["verdict"],
            ]
            for each in ranking
        ],
        title=f"{book['book']}: {book['months']} common months, swing in $/GPU-h",
        optional=("worse", "set"),
    )  # fmt: skip
    if book["spa_p_value"] is not None:
        bare = "; not hedging is one of them" if "none" in book["in_set"] else ""
        p = "below 0.001" if book["spa_p_value"] < 0.001 else f"{book['spa_p_value']:.3f}"
        print_line(
            f"That nothing here beats not hedging has p {p}. Can't be told from the best: "
            f"{len(book['in_set'])} of {len(ranking) + 1}{bare}."
        )
    if "reason" in book:
        print_line(f"not ranked: {book['reason']}")


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}".replace("-", "−")
