"""The command that answers the committee: index review."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, BenchmarkArgument, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress

KEYS_SHOWN = 12
"""How many changed keys a person is shown; the page and --json have all."""
RESULT_MARKS = {"met": "✓", "not met": "✗", "cannot be computed": "—"}


def review(
    benchmark: BenchmarkArgument,
    first: Annotated[str | None, typer.Option("--from", help="First date of the period.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last date of the period.")] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Benchmark or methodology to run on the same dates.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", help="Write the HTML page here.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Review a benchmark for its committee: IOSCO checks, who moves it, what manipulation takes, what rules do."""
    from ..workspace import read_date, review_benchmark, review_row, write_review

    opened = open_workspace(workspace)
    with progress() as tell:
        tell(f"reviewing {benchmark}")
        made = review_benchmark(
            opened,
            benchmark,
            first=None if first is None else read_date(first, "--from"),
            last=None if last is None else read_date(last, "--to"),
            against=against,
        )
    if output is not None:
        write_review(made, output, command=shlex.join(["rentmark", *sys.argv[1:]]))
    row = review_row(made)
    if as_json:
        print_json(row)
        return
    _print_review(row)
    if output is not None:
        print_line(f"Review: {output}")


def _print_review(row: dict[str, Any]) -> None:
    if row["marks"]:
        print_line(" · ".join(row["marks"]))
    print_line(f"{row['benchmark']}, {row['from']} to {row['to']}: {row['verdict'].upper()}")
    for sentence in row["sentences"]:
        print_line(sentence)
    print_table(
        ["", "IOSCO", "asks", "bound", "found", "evidence"],
        [
            [
                RESULT_MARKS[c["result"]],
                f"P{c['principle']}",
                c["asks"],
                _figure(c["threshold"]),
                _figure(c["found"]),
                c["evidence"],
            ]
            for c in row["checks"]
        ],
        optional=("found", "bound"),
    )
    bare = ", ".join(f"P{a['principle']}" for a in row["attestations"] if not a["computed"])
    print_line(
        f"Attestation only: {bare}. What a person must attest of each stands in the page and in --json."
    )
    _print_manipulation(row["manipulation"])
    _print_sensitivity(row["sensitivity"])
    if row["parallel"] is not None:
        _print_parallel(row["parallel"])


def _print_manipulation(row: dict[str, Any]) -> None:
    print_table(
        ["cost to manipulate", "up at most", "median", "at price", "down at most", "median ", "at price "],
        [
            [
                a["actor"],
                _move(a["largest_up"]),
                _percent(a["median_up"]),
                None if a["largest_up"] is None else a["largest_up"]["price"],
                _move(a["largest_down"]),
                _percent(a["median_down"]),
                None if a["largest_down"] is None else a["largest_down"]["price"],
            ]
            for a in row["actors"]
        ],
        optional=("median ", "median"),
    )
    if row["wash_trades_reason"] is not None:
        print_line(row["wash_trades_reason"])
        return
    print_table(
        [
            "wash trades",
            "way",
            "cheapest amount, $",
            "GPU-hours",
            "at price",
            "on",
            "median amount, $",
            "dates",
        ],
        [
            [
                f"{w['target']:.0%}".replace("%", " %"),
                w["direction"],
                *(
                    [None] * 4
                    if w["cheapest"] is None
                    else [w["cheapest"][key] for key in ("amount", "gpu_hours", "price", "date")]
                ),
                w["median_amount"],
                f"{w['dates_reached']} of {w['dates']}",
            ]
            for w in row["wash_trades"]
        ],
    )


def _print_sensitivity(rows: list[dict[str, Any]]) -> None:
    asked = [r for r in rows if r["compared"]]
    moving = sorted(
        (r for r in asked if r["changed"] or r["gapped"] or r["gained"]),
        key=lambda r: -(r["mean_absolute_move"] or 0),
    )
    print_table(
        ["key", "is", "asked", "dates changed", "mean", "largest", "on", "lost", "gained"],
        [
            [
                r["key"],
                r["was"],
                r["asked"],
                f"{r['changed']} of {r['compared']}",
                _percent(r["mean_absolute_move"], signed=False),
                _percent(r["largest_move"]),
                r["largest_on"],
                r["gapped"],
                r["gained"],
            ]
            for r in moving[:KEYS_SHOWN]
        ],
        optional=("gained", "lost", "on"),
    )
    more = f" {len(moving) - KEYS_SHOWN} more changes move less." if len(moving) > KEYS_SHOWN else ""
    print_line(f"{len(asked) - len(moving)} of {len(asked)} changed keys change no date.{more}")


def _print_parallel(row: dict[str, Any]) -> None:
    if not row["both"]:
        why = next((day["reason"] for day in row["days"] if day["reason"]), "there is no such date")
        print_line(
            f"Parallel run, {row['other']} beside {row['one']}: no date has a value under both ({why})."
        )
        return
    print_line(
        f"Parallel run, {row['other']} beside {row['one']}: {row['differ']} of {row['both']} common dates differ, by "
        f"{_percent(row['mean_absolute_difference'], signed=False)} on average "
        f"({_percent(row['mean_difference'])} with its sign)."
    )
    print_table(
        ["explained by", "how", "dates", "mean size, $", "sum, $"],
        [
            [e["name"], e["change"], e["dates"], e["mean_absolute"], e["sum"]]
            for e in row["constituents"][:KEYS_SHOWN]
        ],
    )


def _percent(share: float | None, *, signed: bool = True) -> str | None:
    if share is None:
        return None
    size = f"{abs(100 * share):.2f}"
    sign = "" if not signed or not float(size) else "+" if share > 0 else "−"
    return f"{sign}{size} %"


def _move(attack: dict[str, Any] | None) -> str | None:
    return None if attack is None else f"{_percent(attack['move'])} on {attack['date']}"


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:,.4g}".replace("-", "−")
