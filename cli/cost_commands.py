"""What an accepted answer costs, and who is cheaper: cost, cost curve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .options import HERE, JsonOption, WorkspaceOption
from .output import print_json, print_line, print_table

ACCOUNT = "account"
"""The command that `rentmark cost FILE` stands for."""


class FileOrCommand(TyperGroup):
    """A group whose first word may be a file: `rentmark cost FILE` works out an account."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ACCOUNT before words that begin with no command."""
        first = next((word for word in args if not word.startswith("-")), None)
        if first is not None and first not in self.commands:
            args = [ACCOUNT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=FileOrCommand,
    subcommand_metavar="FILE | COMMAND [ARGS]...",
    help="Full cost per accepted token and task: `cost FILE`. Producers on a cost curve: `cost curve FILE`.",
    no_args_is_help=True,
)


@app.command(ACCOUNT)
def account(
    file: Annotated[Path, typer.Argument(help="TOML or CSV of all spending and all output of a period.")],
    requests: Annotated[
        Path | None,
        typer.Option("--requests", help="CSV of requests, judged by the slo table of the account."),
    ] = None,
    workspace: WorkspaceOption = HERE,  # noqa: ARG001 - every command takes it; an account is a file of its own
    as_json: JsonOption = False,
) -> None:
    """Work out the full cost of a period's acceptable output; `rentmark cost FILE` is the same."""
    from ..workspace import account_cost, cost_row

    row = cost_row(account_cost(file, requests))
    if as_json:
        print_json(row)
        return
    print_line(f"{row['name']}, {row['from']} to {row['to']}: spent ${float(row['usd']):,.2f}")
    print_table(
        ["spending", "name", "$", "of which cash $", "share", "note"],
        [
            [
                s["kind"],
                s["name"] or None,
                f"{float(s['usd']):,.2f}",
                f"{float(s['cash_usd']):,.2f}",
                None if s["share"] is None else f"{100 * s['share']:.1f} %",
                s["note"],
            ]
            for s in row["spending"]
        ],
        optional=("share",),
    )
    for each in row["owned"]:
        print_line(f"{each['name']}: ${each['usd_per_useful_gpu_hour']} per useful GPU-hour")
    _print_units(row)
    _print_goodput(row["goodput"])
    for upgrade in row["upgrades"]:
        print_line(_upgrade(upgrade))
    for note in row["notes"]:
        print_line(f"note: {note}")


def _print_units(row: dict[str, Any]) -> None:
    for what, count, cost in (
        ("successful task", "accepted_tasks", "usd_per_successful_task"),
        ("million accepted tokens", "accepted_tokens", "usd_per_million_accepted_tokens"),
    ):
        if row[cost] is None:
            print_line(f"per {what}: — ({row[cost + '_reason']})")
        else:
            print_line(f"per {what}: ${row[cost]} ({row[count]:,.0f} {count.replace('_', ' ')})")
    if row["token_usd_per_million"] is not None:
        print_line(f"by the token form: ${row['token_usd_per_million']} per million accepted tokens")


def _print_goodput(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    bounds = ", ".join(f"{name} ≤ {bound:g}" for name, bound in found["bounds"].items())
    print_line(
        f"{found['accepted']:,} of {found['requests']:,} requests count ({100 * found['share']:.1f} %): "
        f"{found['missed_bounds']:,} missed a bound ({bounds}), {found['failed_gate']:,} failed the quality gate, "
        f"{found['in_breach']:,} fell in a breach"
    )


def _upgrade(row: dict[str, Any]) -> str:
    if row["worth_usd"] is None:
        return f"upgrade {row['name']} (${float(row['usd']):,.2f}): can't be judged: {row['reason']}."
    verdict = "it paid" if row["paid"] else "it did not pay"
    wait = (
        ""
        if row["hours_to_pay"] is None
        else f"; {row['hours_to_pay']:,.1f} hours of the gain equal its cost"
    )
    return (
        f"upgrade {row['name']}: {verdict}: cost ${float(row['usd']):,.2f}, extra {row['extra']:,.0f} {row['unit']} in "
        f"{row['hours_after']:,.1f} hours, worth ${float(row['worth_usd']):,.2f} at the cost before{wait}."
    )


@app.command()
def curve(
    file: Annotated[Path, typer.Argument(help="CSV: date,producer,capacity,full_cost,cash_cost.")],
    price: Annotated[
        str | None, typer.Option("--price", help="Who is under water at this price, in dollars per unit.")
    ] = None,
    product: Annotated[str | None, typer.Option("--product", help="Only this product.")] = None,
    first: Annotated[str | None, typer.Option("--from", help="Earlier date; default the first.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Later date; default the last.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write the curve as SVG here.")] = None,
    workspace: WorkspaceOption = HERE,  # noqa: ARG001 - every command takes it; a curve is a file of its own
    as_json: JsonOption = False,
) -> None:
    """Put producers on a cost curve: quartiles, places at two dates, who is under water, who leaves when."""
    from ..workspace import curve_row, read_optional_date, read_positive_price, study_curve, write_curve_plot

    study = study_curve(
        file,
        product=product,
        first=read_optional_date(first, "--from"),
        last=read_optional_date(last, "--to"),
        price_micros=None if price is None else read_positive_price(price, "--price"),
    )
    if plot is not None:
        write_curve_plot(study, plot)
    row = curve_row(study)
    if as_json:
        print_json(row)
        return
    _print_curve(row)
    if plot is not None:
        print_line(f"Plot: {plot}")


def _print_curve(row: dict[str, Any]) -> None:
    print_line(f"Cost curve of {row['date']}, capacity {row['capacity']:,g}" + _of(row["product"]))
    for basis, name in (("full", "full cost (C3)"), ("cash", "cash cost (C1)")):
        curve_of_basis = row[basis]
        print_table(
            ["rank", "producer", "$", "capacity", "percentile"],
            [
                [p["rank"], p["producer"], p["cost"], f"{p['capacity']:,g}", f"{p['percentile']:.1f}"]
                for p in curve_of_basis["producers"]
            ],
            title=name,
        )
        quartiles = ", ".join(f"{q} {curve_of_basis[q]}" for q in ("p25", "p50", "p75", "p90"))
        print_line(curve_of_basis["reason"] or f"by capacity: {quartiles}")
        if curve_of_basis["unknown"]:
            print_line(f"{basis} cost unknown: {', '.join(curve_of_basis['unknown'])}")
        if row["price"] is not None and curve_of_basis["under_water_share"] is not None:
            names = ", ".join(curve_of_basis["under_water"]) or "nobody"
            print_line(
                f"under water at ${row['price']}: {names} ({100 * curve_of_basis['under_water_share']:.1f} % of capacity)"
            )
    for each in row["exits"]:
        print_line(
            f"below ${each['below']}: {', '.join(each['producers'])} leaves, {100 * each['share']:.1f} % of capacity gone"
        )
    for move in row["moves"]:
        print_line(move["sentence"])
    for note in row["notes"]:
        print_line(f"note: {note}")


def _of(product: str | None) -> str:
    return "" if product is None else f", {product}"
