"""Commands about several legs dealt as one: strip, calendar, grades, roll."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .account_commands import BenchmarksOption, MarksOption
from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table

app = typer.Typer(
    help="Strips, calendar and inter-grade spreads, stack-and-roll, at stated marks.",
    no_args_is_help=True,
    add_completion=False,
)
ContractArgument = Annotated[str, typer.Argument(help="Contract id; see `rentmark contracts`.")]
LotsOption = Annotated[int, typer.Option("--lots", help="Lots of the first leg, negative to sell.")]
OnOption = Annotated[
    str | None, typer.Option("--on", metavar="DATE", help="At the marks of this day; today if left out.")
]
AccountOption = Annotated[str, typer.Option("--account", help="Account whose rules are used.")]


@app.command("strip")
def strip(
    contract: ContractArgument,
    first: Annotated[str, typer.Option("--from", metavar="MONTH", help="First month, YYYY-MM.")],
    months: Annotated[int, typer.Option("--months", help="How many months.", min=1)],
    lots: LotsOption = 1,
    on: OnOption = None,
    account: AccountOption = "",
    benchmark: BenchmarksOption = None,
    marks: MarksOption = "best",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Price the same lots in consecutive months: the GPU-hour-weighted mean of their marks."""
    from ..workspace import read_optional_date, strip_row

    _tell(
        strip_row(
            open_workspace(workspace),
            contract,
            first,
            months,
            lots,
            account=account,
            benchmarks=benchmark or (),
            on=read_optional_date(on, "--on"),
            mark_source=marks,
        ),
        as_json=as_json,
    )


@app.command("calendar")
def calendar(
    contract: ContractArgument,
    near: Annotated[str, typer.Argument(help="Month bought, YYYY-MM.")],
    far: Annotated[str, typer.Argument(help="Month sold, YYYY-MM.")],
    lots: LotsOption = 1,
    on: OnOption = None,
    account: AccountOption = "",
    benchmark: BenchmarksOption = None,
    marks: MarksOption = "best",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Price a calendar spread: long the near month, short the far one."""
    from ..workspace import calendar_row, read_optional_date

    _tell(
        calendar_row(
            open_workspace(workspace),
            contract,
            near,
            far,
            lots,
            account=account,
            benchmarks=benchmark or (),
            on=read_optional_date(on, "--on"),
            mark_source=marks,
        ),
        as_json=as_json,
    )


@app.command("grades")
def grades(
    contract: ContractArgument,
    against: Annotated[str, typer.Argument(help="Contract sold against it.")],
    month: Annotated[str, typer.Argument(help="Contract month of both, YYYY-MM.")],
    lots: LotsOption = 1,
    ratio: Annotated[
        str, typer.Option("--ratio", help="GPU-hours sold per GPU-hour bought; 1 is as many.")
    ] = "1",
    on: OnOption = None,
    account: AccountOption = "",
    benchmark: BenchmarksOption = None,
    marks: MarksOption = "best",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Price an inter-grade spread: long one contract, short another in the same month."""
    from ..workspace import grades_row, read_optional_date

    _tell(
        grades_row(
            open_workspace(workspace),
            contract,
            against,
            month,
            lots,
            ratio=ratio,
            account=account,
            benchmarks=benchmark or (),
            on=read_optional_date(on, "--on"),
            mark_source=marks,
        ),
        as_json=as_json,
    )


@app.command("roll")
def roll(
    contract: ContractArgument,
    first: Annotated[str, typer.Argument(help="First month held, YYYY-MM.")],
    start: Annotated[str, typer.Option("--from", metavar="DATE", help="Day of entry.")],
    to: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Day of exit; today if left out.")
    ] = None,
    lots: LotsOption = 1,
    business_days: Annotated[
        int | None, typer.Option("--roll-days", help="Business days before the last trade.", min=0)
    ] = None,
    keep: Annotated[
        str, typer.Option("--keep", help="lots, or gpu_hours: the first month's in every month.")
    ] = "lots",
    account: AccountOption = "",
    benchmark: BenchmarksOption = None,
    marks: MarksOption = "best",
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Hold the near month and roll before its last trade; roll yield on its own line."""
    from ..workspace import read_date, read_optional_date, roll_row

    answer = roll_row(
        open_workspace(workspace),
        contract,
        first,
        lots,
        read_date(start, "--from"),
        end=read_optional_date(to, "--to"),
        business_days=business_days,
        keep=keep,
        account=account,
        benchmarks=benchmark or (),
        mark_source=marks,
    )
    if as_json:
        print_json(answer)
        return
    _print_flags(answer, answer["status"])
    print_table(
        ["line", "amount"],
        [
            [name.replace("_", " "), answer[name]]
            for name in ("price_move", "roll_yield", "slippage", "fees", "total")
        ],
    )
    for step in answer["rolls"]:
        print_line(step["sentence"])
    if answer["fees"] is None:
        print_line(f"note: {answer['fees_reason']}.")


def _tell(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    answer = answer["package"]
    _print_flags(answer, "; ".join(sorted({leg["status"] for leg in answer["legs"]})))
    print_line(f"{answer['kind'].replace('_', ' ')} on {answer['day']}: {answer['price']} per GPU-hour")
    print_line(f"worth {answer['worth']} over {answer['gpu_hours']:,} GPU-hours net")
    names = ["contract", "month", "lots", "gpu_hours", "mark", "fill", "fill_note"]
    print_table(names, [[leg[name] for name in names] for leg in answer["legs"]])


def _print_flags(answer: dict[str, Any], status: str) -> None:
    flags = ["SIMULATED"] if answer["simulated"] else []
    flags += ["MODELLED MARKS"] if answer["modelled_marks"] else []
    print_line(" · ".join([*flags, status]))
