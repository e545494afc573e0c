"""`index compare` and `index presets`: methodologies side by side on one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress

DATES_SHOWN = 5
"""Dates of opposite sign that are told to a person; the JSON holds all."""


def compare(
    benchmarks: Annotated[
        list[str], typer.Argument(help="Benchmark whose grade is fixed; more benchmarks stand as they are.")
    ],
    presets: Annotated[
        list[str] | None,
        typer.Option("--preset", help="A shipped preset; default all, where nothing is named."),
    ] = None,
    methodologies: Annotated[
        list[str] | None, typer.Option("--methodology", help="A methodology of rentmark.toml.")
    ] = None,
    first: Annotated[str | None, typer.Option("--from", help="First date, YYYY-MM-DD.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last date, YYYY-MM-DD.")] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the days side by side to this file.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Fix the same grade and data under several methodologies; nothing is published or stored."""
    from ..workspace import Method, comparison_row, every_preset, read_optional_date, write_comparison
    from ..workspace import compare_methodologies as compare_them

    opened = open_workspace(workspace)
    methods = [Method("benchmark", name) for name in benchmarks[1:]]
    methods += [Method("methodology", name) for name in methodologies or []]
    methods += [Method("preset", name) for name in presets or []]
    span = read_optional_date(first, "--from"), read_optional_date(last, "--to")
    with progress() as report:
        found = compare_them(
            opened,
            benchmarks[0],
            methods or every_preset(),
            span,
            progress=lambda done, of, label: report(f"{done + 1} of {of}: {label}") if label else None,
        )
    row = comparison_row(found)
    row["file"] = None if csv is None else str(csv)
    if csv is not None:
        write_comparison(found, csv)
    if as_json:
        print_json(row)
    else:
        _print_comparison(row)


def _print_comparison(row: dict[str, Any]) -> None:
    marks = "  [SIMULATED]" if row["simulated"] else ""
    print_line(
        f"{row['benchmark']}: grade {row['grade']}, data recorded by {row['as_of']}; nothing is published.{marks}"
    )
    fixed = [each for each in row["compared"] if each["mean"] is not None]
    print_table(
        [
            "methodology", "OK", "THIN", "CARRIED", "GAP", "mean $", "vol", "top share", "mean diff $", "mean |diff| $",
            "largest $", "on", "corr.", "track $", "opposite",
        ],
        [_cells(each) for each in fixed],
        optional=("on", "CARRIED", "top share", "THIN", "mean diff $"),
    )  # fmt: skip
    for each in row["compared"]:
        if each["reason"] is not None:
            print_line(f"  {each['label']}: no value ({each['rule']}): {each['reason']}.")
    for each in fixed:
        days = each["against_first"]["opposite_sign_dates"] if each["against_first"] else []
        if days:
            more = f" and {len(days) - DATES_SHOWN:,} more" if len(days) > DATES_SHOWN else ""
            print_line(f"  {each['label']} moved the other way on {', '.join(days[:DATES_SHOWN])}{more}.")
        if not each["same_grade"]:
            print_line(f"  {each['label']} stands under its own grade, {each['grade']}.")
    print_line(
        "Differences, correlation and tracking error (of changes, USD per GPU-hour) are against the first, on dates "
        "with a value of both; vol is realised, a year."
    )
    if any(each["kind"] == "preset" for each in row["compared"]):
        print_line(
            "A preset is what is public of a methodology, the rest assumed; its values are not the publisher's. "
            "`rentmark index presets NAME` tells which is which."
        )
    if row["file"] is not None:
        print_line(f"Days side by side: {row['file']}.")


def _cells(each: dict[str, Any]) -> list[Any]:
    statuses, other = each["statuses"], each["against_first"]
    own = [
        each["label"],
        *(statuses[name] for name in ("OK", "THIN", "CARRIED", "GAP")),
        each["mean"],
        _percent(each["volatility"]),
        _percent(each["top_share_mean"]),
    ]
    if other is None:
        return [*own, *[None] * 7]
    return [
        *own,
        other["mean_difference"],
        other["mean_absolute_difference"],
        other["largest_absolute_difference"],
        other["largest_on"],
        None if other["correlation"] is None else f"{other['correlation']:.3f}",
        None if other["tracking_error"] is None else f"{other['tracking_error']:.4f}",
        other["opposite_sign"],
    ]


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


def presets(
    name: Annotated[str | None, typer.Argument(help="A preset; default all.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List the shipped presets, or say of one what is public, what is assumed and what it can't express."""
    from ..workspace import preset_rows

    row = preset_rows(name, workspace)
    if as_json:
        print_json(row)
        return
    if name is not None:
        _print_preset(row["presets"][0])
        return
    print_table(
        ["preset", "version", "publisher", "public", "assumed", "not expressed", "in short"],
        [
            [
                each["preset"],
                each["version"],
                each["publisher"],
                *(
                    sum(key["standing"] == standing for key in each["keys"])
                    for standing in ("public", "assumed")
                ),
                len(each["not_expressed"]),
                each["summary"],
            ]
            for each in row["presets"]
        ],
        optional=("publisher",),
    )
    print_line(
        "A preset is what is public of a methodology, the rest assumed; its values are not the publisher's."
    )


def _print_preset(preset: dict[str, Any]) -> None:
    print_line(f"{preset['preset']} {preset['version']}: {preset['index']}, {preset['publisher']}.")
    print_line(f"{preset['summary'][0].upper()}{preset['summary'][1:]}.")
    print_line(f"Read: {preset['read']}.")
    for title, keys in (("Methodology", preset["keys"]), ("Grade it prices; yours is used", preset["grade"])):
        if keys:
            print_line(f"{title}:")
        for key in keys:
            print_line(f"  {key['key']} = {key['value']}")
            print_line(f"      {_standing(key)}")
    if preset["used_by"]:
        print_line(f"Made from it here: {', '.join(preset['used_by'])}.")
    print_line("Not expressed by these keys:")
    for sentence in preset["not_expressed"]:
        print_line(f"  - {sentence}")
    print_line("Written out, so that a later version of the preset changes nothing:")
    print_line(preset["toml"])


def _standing(key: dict[str, Any]) -> str:
    return f"public: {key['source']}" if key["standing"] == "public" else str(key["source"])
