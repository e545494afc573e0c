"""The command that answers the trader: hedge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress


def hedge(
    rent: Annotated[Path, typer.Argument(help="CSV: date,rate_usd_per_gpu_hour[,gpu_hours] or invoices.")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Benchmark the hedge is on.")],
    contract: Annotated[
        str | None, typer.Option("--contract", help="Hedge with this contract's months.")
    ] = None,
    role: Annotated[Literal["buyer", "provider"], typer.Option("--role", help="Who you are.")] = "buyer",
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
    report: Annotated[Path | None, typer.Option("--report", help="Write the HTML report here.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say how much of your rent a hedge would have covered, and why not the rest."""
    from ..workspace import hedge_rent, read_premium, read_rent_file, write_report

    opened = open_workspace(workspace)
    payload = read_rent_file(rent)
    with progress() as tell:
        tell(f"hedging {rent.name} on {benchmark}")
        result = hedge_rent(
            opened,
            rent.name,
            payload,
            benchmark,
            contract_name=contract,
            role=role,
            gpus=gpus,
            method=method,
            entry_premium_percent=read_premium(entry_premium),
        )
    if report is not None:
        write_report(result, report, command=shlex.join(["rentmark", *sys.argv[1:]]))
    row = result.to_json()
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
    print_line("A rental hedge does not cover:")
    for risk in row["not_covered"]:
        print_line(f"  {risk}")
    for note in row["notes"]:
        print_line(f"note: {note}")
    if report is not None:
        print_line(f"Report: {report}")


def _figure(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}".replace("-", "−")
