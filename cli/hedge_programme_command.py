"""hedge programme: rules run day by day against a rent."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .options import HERE, AsOfOption, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table, progress


def programme(
    rent: Annotated[Path, typer.Argument(help="CSV: date,rate_usd_per_gpu_hour[,gpu_hours] or invoices.")],
    rules: Annotated[
        str,
        typer.Option(
            "--programme", "-p", help="Name of a programmes table of rentmark.toml, or a .toml file."
        ),
    ],
    benchmark: Annotated[
        list[str] | None,
        typer.Option("--benchmark", help="Benchmark of every contract, or CONTRACT=NAME; may be repeated."),
    ] = None,
    role: Annotated[Literal["buyer", "provider"], typer.Option("--role", help="Who you are.")] = "buyer",
    gpus: Annotated[int | None, typer.Option("--gpus", min=1, help="GPUs planned around the clock.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write the HTML page here.")] = None,
    export: Annotated[
        list[Path] | None, typer.Option("--export", help="Write .json, .csv or .xlsx here; may be repeated.")
    ] = None,
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Run a hedge programme day by day on what was known, through the account, at real marks first."""
    from ..workspace import (
        export_row,
        programme_row,
        read_as_of,
        read_rent_file,
        run_programme_on,
        write_programme_page,
    )

    opened = open_workspace(workspace)
    payload = read_rent_file(rent)
    with progress() as tell:
        tell(f"running {rules} on {rent.name}")
        run = run_programme_on(
            opened,
            rules,
            rent.name,
            payload,
            role=role,
            gpus=gpus,
            benchmarks=benchmark or [],
            as_of=None if as_of is None else read_as_of(as_of, reconstructed=False),
        )
    if report is not None:
        write_programme_page(run, report, command=shlex.join(["rentmark", *sys.argv[1:]]))
    row = programme_row(run)
    for path in export or []:
        export_row("hedge programme", row, path)
    if as_json:
        print_json(row)
        return
    _print(row)
    if report is not None:
        print_line(f"Report: {report}")
    for path in export or []:
        print_line(f"Written: {path}")


def _print(row: dict[str, Any]) -> None:
    marks = [m.upper() for m in ("simulated", "backcast") if row[m]]
    marks += ["PROXY"] if row["proxy"] else []
    marks += ["MODELLED MARKS"] if row["margin"]["modelled_marks"] else []
    if marks:
        print_line(" · ".join(marks))
    rules = row["rules"]
    print_line(
        f"{row['programme']}: {rules['style']}, {rules['months_ahead']} month{'s' if rules['months_ahead'] > 1 else ''} ahead, {rules['method']} ratios "
        f"estimated {rules['reestimate']}, {float(rules['fraction']) * 100:g} % of the exposure, {row['role']}"
    )
    for each in row["instruments"]:
        marked = {"both": "settlements, modelled before the first", "modelled": "modelled flat marks"}.get(
            each["marks"], each["marks"]
        )
        cross = "" if each["cross_hedge"] is None else f"; cross hedge: {each['cross_hedge']}"
        print_line(f"  {each['contract']} on {each['benchmark']} ({each['status']}); marks: {marked}{cross}")
    _print_months(row)
    _print_result(row)
    for note in row["notes"]:
        print_line(f"note: {note}")


def _print_months(row: dict[str, Any]) -> None:
    named = list(row["result"]["pnl"])
    titles = ["P&L" if name == "stated" else f"P&L {_percent(name)}" for name in named]
    print_table(
        ["month", "GPU-hours", "lots", "over/under h", "bill", *titles, "settled"],
        [
            [
                m["month"],
                f"{m['gpu_hours']:,.0f}",
                ", ".join(f"{lots} {contract}" for contract, lots in m["lots"].items()) or None,
                f"{m['excess_gpu_hours']:,.0f}".replace("-", "−"),
                _dollars(m["bill"]),
                *(_dollars(m["pnl"][name]) for name in named),
                "yes" if m["settled"] else "no",
            ]
            for m in row["months"]
        ],
        title="Month by month, dollars",
        optional=("settled", "over/under h"),
    )


def _print_result(row: dict[str, Any]) -> None:
    result, actual, margin = row["result"], row["actual_lots"], row["margin"]
    print_line(f"{result['months']} months, bill {_dollars(result['bill'])}")
    for name, amount in result["pnl"].items():
        entry = "" if name == "stated" else f", entered {_percent(name)} over the last fixing"
        outside = result["pnl_outside"][name]
        beside = "" if float(outside) == 0 else f", {_dollars(outside)} of it outside these months"
        print_line(
            f"  futures P&L {_dollars(amount)}{entry}: bill with the hedge {_dollars(result['hedged_bill'][name])}{beside}"
        )
    if result["break_even_premium"] is not None:
        even = f"{result['break_even_premium'] * 100:+.2f}%"
        print_line(f"  breaks even at an entry {_percent(even)} over the last fixing")
    if actual["effectiveness"] is None:
        print_line(f"at actual lots: {actual['reason']}")
    else:
        slope = "—" if actual["slope"] is None else f"{actual['slope']:.3f}".replace("-", "−")
        share = f"{actual['effectiveness']:.3f}".replace("-", "−")
        fit = "—" if actual["r_squared"] is None else f"{actual['r_squared']:.3f}"
        print_line(
            f"at actual lots, {actual['months']} months: HE {share}, slope {slope}, R² {fit}, "
            f"swing {actual['swing_unhedged']:.4f} → {actual['swing_hedged']:.4f} $/GPU-h"
        )
    profit = row["profit"]
    if profit["total"] is not None:
        parts = ", ".join(
            f"{part.replace('_', ' ')} {_dollars(v)}" for part, v in profit["parts"].items() if float(v)
        )
        print_line(
            f"P&L {_dollars(profit['total'])} is {parts}; unexplained {_dollars(profit['unexplained'])}"
        )
    peaks = " / ".join(_dollars(v) for v in margin["peak_draw"].values())
    print_line(
        f"cash put in at most {peaks} ({margin['calls']} calls, {margin['unmet_calls']} unmet); "
        f"largest initial margin {_dollars(margin['largest_initial'])} ({margin['method'] or 'none'}"
        f"{', modelled' if margin['modelled'] else ''}); fees {_dollars(margin['fees'])}, "
        f"interest {_dollars(margin['interest'])}"
    )


def _dollars(text: str) -> str:
    amount = float(text)
    return f"{'−' if amount < 0 else ''}${abs(amount):,.0f}"


def _percent(text: str) -> str:
    """``-10%`` as people read it: ``−10 %``."""
    return text.replace("-", "−").replace("%", " %")
