"""The command that answers the trader: hedge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from .hedge_study import print_study
from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress


def hedge(
    benchmark: Annotated[str, typer.Option("--benchmark", help="Benchmark the hedge is on.")],
    rent: Annotated[
        Path | None, typer.Argument(help="CSV: date,rate_usd_per_gpu_hour[,gpu_hours] or invoices.")
    ] = None,
    book: Annotated[
        Path | None,
        typer.Option("--book", help="Rent book in place of RENT: TOML or CSV, docs/rent-book.md."),
    ] = None,
    rates: Annotated[
        Path | None, typer.Option("--rates", help="CSV of exchange rates for a book in other currencies.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", help="Unit of the rent: cents, per-node:8 or correct.")
    ] = None,
    incidents: Annotated[
        Path | None, typer.Option("--incidents", help="CSV of what no hedge pays for: failures, breaches.")
    ] = None,
    output_figures: Annotated[
        Path | None, typer.Option("--output-figures", help="CSV of accepted tokens by month.")
    ] = None,
    contract: Annotated[
        str | None, typer.Option("--contract", help="Hedge with this contract's months.")
    ] = None,
    role: Annotated[
        Literal["buyer", "provider"] | None,
        typer.Option("--role", help="Who you are; else what the book says, else buyer."),
    ] = None,
    gpus: Annotated[
        int | None, typer.Option("--gpus", min=1, help="GPUs rented, where the file has no hours.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="Hedge ratio the verdict judges; `ols` and `naive` are always shown, docs/hedge-methods.md lists all.",
        ),
    ] = "ols",
    entry_premium: Annotated[
        str, typer.Option("--entry-premium", help="Percent over the last fixing.")
    ] = "0",
    provider: Annotated[
        str | None, typer.Option("--provider", help="Whom you rent from, as the panel names it.")
    ] = None,
    second_source: Annotated[
        str | None, typer.Option("--second-source", help="Benchmark to hold steps of the gap against.")
    ] = None,
    break_date: Annotated[
        list[str] | None, typer.Option("--break-date", help="Test for a break here; may be repeated.")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write the HTML report here.")] = None,
    export: Annotated[
        list[Path] | None, typer.Option("--export", help="Write .json, .csv or .xlsx here; may be repeated.")
    ] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say how much of your rent a hedge would have covered, and why not the rest."""
    from ..workspace import (
        OwnFiles,
        export_row,
        hedge_own,
        read_days,
        read_own_rent,
        read_premium,
        rent_or_book,
        write_report,
    )

    named = rent_or_book(rent, book)
    opened = open_workspace(workspace)
    own = read_own_rent(opened, named, rates=rates, unit=unit)
    with progress() as tell:
        tell(f"hedging {named.name} on {benchmark}")
        result = hedge_own(
            opened,
            own,
            benchmark,
            contract_name=contract,
            role=role,
            gpus=gpus,
            method=method,
            entry_premium_percent=read_premium(entry_premium),
            provider=provider,
            second_source_name=second_source,
            break_dates=read_days(break_date or ()),
            files=OwnFiles(incidents=incidents, output_figures=output_figures),
        )
    if report is not None:
        write_report(result, report, command=shlex.join(["rentmark", *sys.argv[1:]]))
    row = result.to_json()
    for path in export or []:
        export_row("hedge", row, path)
    if as_json:
        print_json(row)
        return
    marks = [m.upper() for m in ("simulated", "reconstructed") if row[m]]
    marks += ["BACKCAST"] if row["origin"] == "backcast" else []
    marks += ["CANDIDATE"] if row["fixing_state"] == "candidate" else []
    marks += [f"PROXY for {row['proxy_for']}"] if row["proxy"] else []
    if marks:
        print_line(" · ".join(marks))
    print_line(f"VERDICT: {row['verdict'].upper()}")
    for sentence in row["sentences"]:
        print_line(sentence)
    print_table(
        ["regression", "ratio", "low", "high", "R²", "n", "unchanged", "without the change", "of"],
        [
            [
                name,
                _figure(r["ratio"]),
                _figure(r["ratio_low"]),
                _figure(r["ratio_high"]),
                _figure(r["r_squared"]),
                r["n"],
                _figure(r["share_unchanged"]),
                _figure(r["ratio_without_most_influential"]),
                r["influential_date"],
            ]
            for name, r in row["regression"].items()
        ],
        optional=("unchanged", "of", "without the change"),
    )
    if row["method"] != "ols":
        print_table(
            [f"{row['method']} ratio", "ratio", "low", "high", "n", "interval by", "why absent"],
            [
                [
                    name,
                    _figure(r["ratio"]),
                    _figure(r["ratio_low"]),
                    _figure(r["ratio_high"]),
                    r["n"],
                    r["interval"],
                    r.get("reason"),
                ]
                for name, r in row["method_ratio"].items()
            ],
            optional=("why absent", "interval by"),
        )
    print_table(
        ["effectiveness", "in sample", "walk-forward", "low", "high", "months unseen"],
        [
            [
                name,
                _figure(e["in_sample"]),
                _figure(e["walk_forward"]),
                _figure(e["walk_forward_low"]),
                _figure(e["walk_forward_high"]),
                e["out_of_sample_months"],
            ]
            for name, e in row["effectiveness"].items()
        ],
    )
    mean, sd, *percentiles = (_figure(row["basis"][key]) or "—" for key in ("mean", "sd", "p5", "p50", "p95"))
    print_line(f"basis (rent − fixing, $/GPU-h): mean {mean}, sd {sd}, 5/50/95 %: {' / '.join(percentiles)}")
    shape = row["basis_shape"]["price"]
    days = shape["half_life_days"]
    returns = f"half of it gone in {days:.0f} days" if days is not None else shape["reason"]
    print_line(
        f"of which premium {_figure(shape['premium'])}, moving part sd {_figure(shape['moving_sd'])}; {returns}"
    )
    if row["breaks"]["descriptive"]:
        print_line("No stable basis: breaks are descriptive, and the premium is an average of the past.")
    for case in row["breaks"]["cases"]:
        causes = " and ".join(case["causes"])
        print_line(
            f"break of the gap on {case['date']}: {case['gap_before']} to {case['gap_after']}, cause: {causes}"
        )
        for found in case["findings"]:
            print_line(f"  {found['cause']}: {found['standing']}; {found['evidence']}")
    print_study(row)
    print_line("A rental hedge does not cover:")
    for risk in row["not_covered"]:
        print_line(f"  {risk}")
    for note in row["notes"]:
        print_line(f"note: {note}")
    if report is not None:
        print_line(f"Report: {report}")
    for path in export or []:
        print_line(f"Written: {path}")


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}".replace("-", "−")
