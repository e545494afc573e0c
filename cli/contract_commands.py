"""Commands about contracts: contracts, settle."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table


def contracts(
    name: Annotated[str | None, typer.Argument(help="Show one contract field by field.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List the contracts, or show one with where each field comes from."""
    from ..workspace import contract_lines, contract_rows

    if name is None:
        rows = contract_rows(workspace)
        if as_json:
            print_json({"contracts": rows})
            return
        names = ["contract", "exchange", "chip", "unit", "tick", "averaging", "status"]
        print_table(names, [[row[n] for n in names] for row in rows])
        return
    lines = contract_lines(workspace, name)
    if as_json:
        print_json({"contract": name, "fields": lines})
        return
    print_table(
        ["field", "value", "standing", "source"],
        [[line["field"], line["value"], line["standing"], line["source"]] for line in lines],
        title=name,
    )


def settle(
    contract: Annotated[str, typer.Argument(help="Contract id; see `rentmark contracts`.")],
    month: Annotated[str, typer.Argument(help="Contract month, YYYY-MM.")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Benchmark whose fixings are averaged.")],
    certify: Annotated[
        str | None, typer.Option("--certify", metavar="WHO", help="Certify a month that needs it.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Why it may settle; goes with --certify.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="List each day's fixing, status and weight.")
    ] = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Settle a contract month on fixings as they were published."""
    from ..workspace import settle_month, settlement_row

    settlement = settle_month(
        open_workspace(workspace), contract, month, benchmark, certify_by=certify, reason=reason
    )
    row = settlement_row(settlement, explain=explain or as_json)
    if as_json:
        print_json(row)
        return
    print_line(row["sentence"])
    only = " (indicative only)" if row["indicative_price"] else ""
    print_line(
        f"status {row['status']}{only} · origin {row['origin'] or '—'} · coverage {100 * row['coverage']:.1f} %"
    )
    if row["proxy"]:
        print_line(f"PROXY: {row['proxy_reason']}")
    if row["simulated"]:
        print_line("SIMULATED: the fixings come from a simulated market.")
    if row["ceased_on"]:
        print_line(
            f"{row['benchmark']} ceases after {row['ceased_on']}: no later day of the month has a fixing."
        )
    if row["missing"]:
        print_line("missing: " + ", ".join(f"{m['date']} ({m['reason']})" for m in row["missing"]))
    if explain:
        print_table(
            ["date", "fixing", "status", "state", "weight", "origin", "rev"],
            [
                [
                    d["date"],
                    d["value"],
                    d["status"],
                    d["state"],
                    f"{d['weight']:.6f}",
                    d["origin"],
                    d["revision"],
                ]
                for d in row["days"]
            ],
        )
