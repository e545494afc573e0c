"""Commands about what comes later: calendar, settlements, curve, simulate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import HERE, AsOfOption, JsonOption, ReconstructedOption, WorkspaceOption, open_workspace
from .output import print_error, print_imported, print_json, print_line, print_table, progress

ContractArgument = Annotated[str, typer.Argument(help="Contract id; see `rentmark contracts`.")]
LaunchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--launch", metavar="DATE[:STEP]", help="Scheduled chip launch and its log step, −0.22 if left out."
    ),
]
settlements = typer.Typer(help="Daily settlements of contract months: import, show.", no_args_is_help=True)
HORIZONS = (1, 5, 21, 63, 126, 252)


def calendar(
    contract: ContractArgument,
    first: Annotated[
        str | None,
        typer.Option("--from", metavar="MONTH", help="First month, YYYY-MM; this month if left out."),
    ] = None,
    months: Annotated[int | None, typer.Option("--months", help="How many months.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """List last trade, roll and limit dates of a contract's months."""
    from ..workspace import contract_calendar

    answer = contract_calendar(workspace, contract, first, months)
    if as_json:
        print_json(answer)
        return
    assumed = " (assumed)" if answer["calendar_assumed"] else ""
    print_line(f"{contract}: {answer['status']}; calendar {answer['calendar'] or 'every day'}{assumed}")
    names = ["month", "fixings", "first_fixing", "last_fixing", "last_trade", "roll", "spot_limit_from"]
    names += ["unit_gpu_hours", "tick_value"]
    print_table(names, [[row[name] for name in names] for row in answer["rows"]])


@settlements.command("import")
def settlements_import(
    file: Annotated[Path, typer.Argument(help="CSV: trade_date,contract,month,settle[,bid,ask,…].")],
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Import daily settlements; repeating a file changes nothing, a later vintage stands beside the first."""
    from ..workspace import import_row, import_settlements

    imported = import_settlements(open_workspace(workspace), file)
    row = import_row(imported)
    if as_json:
        print_json(row)
    else:
        print_imported(row)
    if imported.nothing_done:
        print_error(f"{row['origin_name']}: no row was accepted; correct the rows and import it again.")
        raise typer.Exit(1)


@settlements.command("show")
def settlements_show(
    contract: ContractArgument,
    month: Annotated[str | None, typer.Option("--month", help="Only this contract month.")] = None,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show the settlements known, the latest vintage of each day."""
    from ..workspace import mark_row, marks_of, read_as_of

    opened = open_workspace(workspace)
    opened.configuration.contract(contract)
    known = marks_of(opened, contract, read_as_of(as_of, reconstructed=reconstructed))
    rows = [mark_row(mark) for mark in known.values() if month is None or mark.month == month]
    if as_json:
        print_json({"contract": contract, "rows": rows})
        return
    if not rows:
        print_line(
            f"No settlements of {contract} are known; `rentmark settlements import FILE` brings them in."
        )
        return
    names = ["month", "trade_date", "settle", "bid", "ask", "volume", "open_interest", "vintage"]
    print_table(names, [[row[name] for name in names] for row in rows])


def curve(
    contract: ContractArgument,
    benchmark: Annotated[str, typer.Option("--benchmark", help="Benchmark the months fix on.")],
    model: Annotated[str, typer.Option("--model", help="flat, ou or schwartz-smith.")] = "flat",
    months: Annotated[
        int | None, typer.Option("--months", help="How many months; all listed if left out.")
    ] = None,
    launch: LaunchOption = None,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Percent a year that term payments are discounted at.")
    ] = None,
    as_of: AsOfOption = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Compare with what was known at this instant or date.")
    ] = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show the board of months: marks, a model's prices, and strips from reserved prices."""
    from ..workspace import curve as make_curve
    from ..workspace import read_as_of, read_launches

    with progress() as tell:
        tell(f"fitting {model} to {benchmark}")
        answer = make_curve(
            open_workspace(workspace),
            contract,
            benchmark,
            as_of=read_as_of(as_of, reconstructed=reconstructed),
            against=None if against is None else read_as_of(against, reconstructed=reconstructed),
            model_name=model,
            months=months,
            launches=read_launches(launch or ()),
            annual_rate_percent=rate,
        )
    if as_json:
        print_json(answer)
        return
    _print_curve(answer)


def _print_curve(answer: dict[str, Any]) -> None:
    marks = [name.upper() for name in ("simulated", "reconstructed") if answer[name]]
    marks += ["BACKCAST"] if answer["origin"] == "backcast" else []
    marks += [f"PROXY for {answer['official_underlying']}"] if answer["proxy"] else []
    model = answer["model"]
    print_line(" · ".join(["MODELLED", *marks]))
    print_line(f"{answer['contract']} on {answer['benchmark']} as of {answer['as_of']}: {answer['status']}")
    last = answer["last_fixing"]
    if last is not None:
        print_line(f"last fixing {last['value']} of {last['date']}")
    print_line(f"model: {model['label'] or model['reason']}")
    if model["label"] and not model["premium_identified"]:
        print_line(f"  {model['reason']}")
    for estimate in model["estimates"]:
        low, high = (_figure(estimate[end]) for end in ("low", "high"))
        print_line(f"  {estimate['name']} {_figure(estimate['value'])} ({low} to {high}) {estimate['unit']}")
    for note in model["notes"]:
        print_line(f"  note: {note}")
    if not answer["marks"]:
        print_line("No futures marks; this curve is modelled.")
    names = ["month", "status", "to_come", "mark", "mark_date", "bid", "ask", "open_interest"]
    names += ["modelled", "expectation", "premium %", "parallel_delta", "spot_delta"]
    rows = [{**row, "premium %": row["premium"]["percent"]} for row in answer["rows"]]
    print_table(
        names,
        [
            [_figure(row[name]) if isinstance(row[name], float) else row[name] for name in names]
            for row in rows
        ],
        optional=("expectation", "open_interest", "bid", "ask"),
    )
    print_line(answer["no_carry"])
    if answer["against"] is not None:
        other = answer["against"]
        print_table(
            ["month", "mark then", "mark change", "modelled then", "modelled change"],
            [
                [r["month"], r["mark"], r["mark_change"], r["modelled"], r["modelled_change"]]
                for r in other["rows"]
            ],
            title=f"against {other['as_of']}",
        )
    _print_term(answer["term"])


def _print_term(term: dict[str, Any]) -> None:
    if term["strips"]:
        names = ["seller", "sku", "region", "from_months", "to_months", "short_price", "long_price"]
        names += ["forward", "label", "observed_on"]
        print_table(
            names, [[strip[name] for name in names] for strip in term["strips"]], title="reserved prices"
        )
        print_line(term["sentence"])
    for refusal in term["refused"]:
        print_line(refusal["reason"])


def simulate(
    benchmark: Annotated[str, typer.Argument(help="Benchmark whose fixings are simulated onwards.")],
    model: Annotated[
        str, typer.Option("--model", help="bootstrap, garch, ou, schwartz-smith or still.")
    ] = "bootstrap",
    days: Annotated[int, typer.Option("--days", help="Fixings ahead.")] = 252,
    paths: Annotated[int, typer.Option("--paths", help="How many paths.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Same seed and fixings, same paths.")] = 1,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario", help="glut, launch, term-up, methodology-break or outage, laid over the paths."
        ),
    ] = None,
    scenario_day: Annotated[int, typer.Option("--scenario-day", help="Day on which it begins.")] = 1,
    launch: LaunchOption = None,
    block: Annotated[
        float | None,
        typer.Option("--block", help="Mean block of the bootstrap; chosen from the data if left out."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write every path to this CSV.")] = None,
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Simulate paths of a benchmark: seeded, and simulated in every line."""
    from ..workspace import read_as_of, read_launches, simulation_row, write_paths
    from ..workspace import simulate as draw

    with progress() as tell:
        tell(f"simulating {paths:,} paths of {benchmark}")
        drawn = draw(
            open_workspace(workspace),
            benchmark,
            model=model,
            days=days,
            paths=paths,
            seed=seed,
            scenario_name=scenario,
            scenario_day=scenario_day,
            launches=read_launches(launch or ()),
            block=block,
            as_of=read_as_of(as_of, reconstructed=reconstructed),
        )
        if out is not None:
            write_paths(drawn, out)
        row = simulation_row(drawn)
    if as_json:
        print_json(row)
        return
    rests = f", resting on fixings that are {', '.join(row['rests_on'])}" if row["rests_on"] else ""
    print_line(f"SIMULATED: {row['paths']:,} paths of {benchmark} from {row['last_fixing']['value']}{rests}")
    print_line(f"model: {row['label']}; seed {row['seed']}")
    for note in row["notes"]:
        print_line(f"  note: {note}")
    names = ["day", "date", "mean", "p5", "p25", "p50", "p75", "p95"]
    names += ["term"] if any(line["term"] for line in row["fan"]) else []
    shown = [line for line in row["fan"] if line["day"] in HORIZONS or line["day"] == row["days"]]
    print_table(names, [[line[name] for name in names] for line in shown])
    if out is not None:
        print_line(f"Paths: {out}")


def _figure(value: float | None) -> str:
    return "—" if value is None else f"{value:.4f}".replace("-", "−")
