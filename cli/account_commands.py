"""Commands about an account: blotter, positions, pnl, account, margin, lots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, AsOfOption, JsonOption, WorkspaceOption, open_workspace
from .output import print_error, print_imported, print_json, print_line, print_table

blotter = typer.Typer(
    help="Trades as brokers report them: import, events.", no_args_is_help=True, add_completion=False
)
AccountArgument = Annotated[str, typer.Argument(help="Account of the blotter.")]
BenchmarksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark", metavar="[CONTRACT=]NAME", help="Benchmark a contract fixes on; may be repeated."
    ),
]
ThroughOption = Annotated[
    str | None, typer.Option("--through", metavar="DATE", help="Up to the end of this day.")
]
MarksOption = Annotated[
    str, typer.Option("--marks", help="imported, flat (modelled), or best: imported where there are any.")
]


@blotter.command("import")
def blotter_import(
    file: Annotated[
        Path, typer.Argument(help="CSV: trade_id,broker,account,date,contract,month,side,lots,price[,…].")
    ],
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Import trades, amendments and cancellations; repeating a file changes nothing."""
    from ..workspace import blotter_import_row, import_blotter

    imported = import_blotter(open_workspace(workspace), file)
    row = blotter_import_row(imported)
    if as_json:
        print_json(row)
    else:
        print_imported(row)
    if imported.nothing_done:
        print_error(row["reason"] or f"{row['origin_name']}: no row was accepted; correct the rows.")
        raise typer.Exit(1)


@blotter.command("events")
def blotter_events(
    account: Annotated[str | None, typer.Option("--account", help="Only this account's trades.")] = None,
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show every event on record and what each trade stands at."""
    from ..workspace import blotter_row, read_as_of

    row = blotter_row(open_workspace(workspace), account, read_as_of(as_of, reconstructed=False))
    if as_json:
        print_json(row)
    else:
        names = ["action", "broker", "trade_id", "account", "traded_on", "contract", "month"]
        names += ["lots", "price", "fees", "strategy", "recorded_at"]
        print_table(names, [[event[name] for name in names] for event in row["events"]], title="events")
        names = ["broker", "trade_id", "account", "traded_on", "contract", "month", "lots", "price"]
        names += ["events", "cancelled"]
        print_table(
            names, [[_shown(trade[name]) for name in names] for trade in row["trades"]], title="trades"
        )
    if row["problems"]:
        for problem in row["problems"]:
            print_error(problem)
        raise typer.Exit(1)


def positions(
    account: Annotated[str | None, typer.Option("--account", help="Only this account.")] = None,
    benchmark: BenchmarksOption = None,
    through: ThroughOption = None,
    marks: MarksOption = "best",
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show what each account holds by contract month, at which mark, and what to be warned of."""
    from ..workspace import positions as held
    from ..workspace import read_as_of, read_optional_date

    answer = held(
        open_workspace(workspace),
        account,
        benchmarks=benchmark or (),
        as_of=read_as_of(as_of, reconstructed=False),
        through=read_optional_date(through, "--through"),
        mark_source=marks,
    )
    if as_json:
        print_json(answer)
        return
    names = ["contract", "month", "lots", "gpu_hours", "mark", "mark_date", "break_even", "variation", "fees"]
    names += ["remaining_share", "counted_lots"]
    for each in answer["accounts"]:
        _print_standing(each["standing"])
        print_table(names, [[_shown(row[name]) for name in names] for row in each["rows"]], optional=["fees"])
        for alert in each["alerts"]:
            print_line(f"warning: {alert['sentence']}")


def pnl(
    account: AccountArgument,
    after: Annotated[
        str | None, typer.Option("--after", metavar="DATE", help="From the end of this day; else all.")
    ] = None,
    through: ThroughOption = None,
    benchmark: BenchmarksOption = None,
    marks: MarksOption = "best",
    explain: Annotated[bool, typer.Option("--explain", help="List each part of each ledger line.")] = False,
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Explain what an account made: accrued fixings, curve move, new trades, roll, fees, 0 left over."""
    from ..workspace import profit, read_as_of, read_optional_date

    answer = profit(
        open_workspace(workspace),
        account,
        benchmarks=benchmark or (),
        as_of=read_as_of(as_of, reconstructed=False),
        after=read_optional_date(after, "--after"),
        through=read_optional_date(through, "--through"),
        mark_source=marks,
        explain=explain or as_json,
    )
    if as_json:
        print_json(answer)
        return
    _print_standing(answer["standing"])
    parts = [[name.replace("_", " "), amount] for name, amount in answer["parts"].items()]
    print_table(
        ["part", "amount"], [*parts, ["unexplained", answer["unexplained"]], ["total", answer["total"]]]
    )
    print_line(f"paid in cents: {answer['cash']}")
    for contract in answer["not_told_apart"]:
        print_line(f"note: {contract} has no benchmark here; its accrued fixings are in the curve move.")
    if explain:
        names = ["day", "contract", "month", "part", "amount", "sentence"]
        print_table(names, [[line[name] for name in names] for line in answer["lines"]])


def account(
    name: AccountArgument,
    orders: Annotated[
        Path | None,
        typer.Option(
            "--orders", help="CSV of date,contract,month,lots to fill at marks instead (simulated)."
        ),
    ] = None,
    benchmark: BenchmarksOption = None,
    through: ThroughOption = None,
    marks: MarksOption = "best",
    liquidity_days: Annotated[
        int, typer.Option("--liquidity-days", help="Fixing dates ahead for liquidity at risk.")
    ] = 20,
    explain: Annotated[bool, typer.Option("--explain", help="List each call and each day.")] = False,
    as_of: AsOfOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Write an account's statement: balance, margin, calls line by line, liquidity at risk."""
    from ..workspace import read_as_of, read_optional_date, statement

    answer = statement(
        open_workspace(workspace),
        name,
        orders=orders,
        benchmarks=benchmark or (),
        as_of=read_as_of(as_of, reconstructed=False),
        through=read_optional_date(through, "--through"),
        mark_source=marks,
        liquidity_days=liquidity_days,
        explain=explain or as_json,
    )
    if as_json:
        print_json(answer)
        return
    _print_standing(answer["standing"])
    print_line(f"balance {answer['balance']}, paid in {answer['paid_in']}, peak draw {answer['peak_draw']}")
    margin_of = answer["margin"]
    print_line(f"initial margin {margin_of['initial'] or '—'}: {margin_of['sentence']}")
    for row in answer["liquidity"]:
        print_line(f"liquidity at risk over {row['days']} fixing dates: {_liquidity(row)}")
    for step in answer["steps"]:
        print_line(f"{step['day']}  {step['sentence']}")
    for alert in answer["alerts"]:
        print_line(f"{alert['day']}  warning: {alert['sentence']}")
    if explain:
        _print_calls(answer["calls"])
        names = ["day", "opening", "cash", "deposit", "paid_out", "closing"]
        print_table(names, [[day[each] for each in names] for day in answer["days"]], title="days")
        lines = [
            [day["day"], line["text"], line["amount"]] for day in answer["days"] for line in day["lines"]
        ]
        print_table(["day", "line", "amount"], lines, title="ledger")


def _print_calls(calls: list[dict[str, Any]]) -> None:
    for call in calls:
        print_table(
            ["part", "line", "amount"],
            [[line["part"], line["text"], line["amount"]] for line in call["lines"]],
            title=f"call {call['number']} of {call['day']}: {call['amount']}, {call['status']}",
        )


def margin(
    contract: Annotated[str, typer.Argument(help="Contract id; see `rentmark contracts`.")],
    month: Annotated[str, typer.Argument(help="Contract month, YYYY-MM.")],
    lots: Annotated[int, typer.Option("--lots", help="Lots held, negative if short.")] = 1,
    name: Annotated[str, typer.Option("--account", help="Account whose rules are used.")] = "",
    benchmark: BenchmarksOption = None,
    on: Annotated[str | None, typer.Option("--on", metavar="DATE", help="At the end of this day.")] = None,
    marks: MarksOption = "best",
    liquidity_days: Annotated[int, typer.Option("--liquidity-days", help="Fixing dates ahead.", min=1)] = 20,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show the margin of a position by every method (modelled: none is published), and its liquidity at risk."""
    from ..workspace import margin as reckon
    from ..workspace import read_optional_date

    answer = reckon(
        open_workspace(workspace),
        contract,
        month,
        lots,
        account=name,
        benchmarks=benchmark or (),
        on=read_optional_date(on, "--on"),
        mark_source=marks,
        liquidity_days=liquidity_days,
    )
    if as_json:
        print_json(answer)
        return
    print_line(
        f"{lots} lots of {contract} {month} at {answer['mark']} of {answer['mark_date']} ({answer['mark_source']})"
    )
    print_table(
        ["method", "initial", "maintenance", "how"],
        [
            [key, row["initial"], row["maintenance"], row["sentence"]]
            for key, row in answer["methods"].items()
        ],
    )
    for row in answer["liquidity"]:
        print_line(f"liquidity at risk over {row['days']} fixing dates: {_liquidity(row)}")


def lots(
    contract: Annotated[str, typer.Argument(help="Contract id; see `rentmark contracts`.")],
    gpus: Annotated[int, typer.Option("--gpus", help="GPUs to hedge around the clock; negative sells.")],
    first: Annotated[str, typer.Option("--from", metavar="MONTH", help="First month, YYYY-MM.")],
    months: Annotated[int, typer.Option("--months", help="How many months.", min=1)] = 12,
    ratio: Annotated[str, typer.Option("--ratio", help="Hedge ratio.")] = "1",
    sizing: Annotated[
        str, typer.Option("--sizing", help="per_month, or flat: one number of lots in every month.")
    ] = "per_month",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show the lots that hedge a fleet, month by month; flat sizing has a day-count mismatch and shows it."""
    from ..workspace import lots_rows

    answer = lots_rows(
        workspace, contract, gpus=gpus, first=first, months=months, hedge_ratio=ratio, sizing=sizing
    )
    if as_json:
        print_json(answer)
        return
    names = ["month", "unit_gpu_hours", "wanted_gpu_hours", "exact_lots", "lots", "excess_gpu_hours"]
    names += ["excess_share"] + (["day_count_gpu_hours"] if sizing == "flat" else [])
    print_table(names, [[_shown(row[name]) for name in names] for row in answer["months"]])
    for row in answer["months"]:
        if row["note"]:
            print_line(row["note"])


def _print_standing(answer: dict[str, Any]) -> None:
    """What an answer stands on, before any figure of it."""
    flags = [name.upper() for name in ("simulated", "backcast") if answer[name]]
    flags += ["MODELLED MARKS"] if answer["modelled_marks"] else []
    flags += ["SIMULATED FILLS"] if answer["simulated_fills"] else []
    flags += [f"{contract}: {status}" for contract, status in answer["not_listed"].items()]
    flags += [f"PROXY for {underlying}" for underlying in answer["proxy_for"].values()]
    print_line(" · ".join([f"account {answer['account']} through {answer['through']}", *flags]))
    for contract in answer["fees_unknown"]:
        print_line(f"note: the fees of {contract} are unknown and none are charged.")


def _liquidity(row: dict[str, Any]) -> str:
    if row["worst"] is None:
        return str(row["sentence"])
    share = row["at_quantile"]
    first = f"{share} at {100 * row['quantile']:g} %" if share else f"— ({row['reason']})"
    return f"{first}, worst {row['worst']}; {row['sentence']}"


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4f}" if isinstance(value, float) else value
