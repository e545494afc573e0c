"""What an hour yields: the command output."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..records import UsageError
from .options import HERE, JsonOption, WorkspaceOption, open_workspace
from .output import print_json, print_line, print_table

if TYPE_CHECKING:
    from ..workspace import Rent


def output(
    file: Annotated[Path, typer.Argument(help="Serving benchmark rows (InferenceX): JSON, or a CSV export.")],
    target: Annotated[float, typer.Option("--target", help="Output tokens/s per user to hold (median).")],
    hardware: Annotated[str | None, typer.Option("--hardware", help="Only this GPU, such as b200.")] = None,
    precision: Annotated[str | None, typer.Option("--precision", help="Only this, such as fp4.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only this model.")] = None,
    framework: Annotated[str | None, typer.Option("--framework", help="Only this framework.")] = None,
    spec_decoding: Annotated[
        str | None, typer.Option("--spec-decoding", help="Only this speculative decoding; none is none.")
    ] = None,
    isl: Annotated[int | None, typer.Option("--isl", min=1, help="Input tokens of a request.")] = None,
    osl: Annotated[int | None, typer.Option("--osl", min=1, help="Output tokens of a request.")] = None,
    first: Annotated[str | None, typer.Option("--from", help="First date of the rows.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last date of the rows.")] = None,
    max_ttft: Annotated[
        float | None, typer.Option("--max-ttft", min=0, help="Seconds to the first token, at most.")
    ] = None,
    ttft_percentile: Annotated[
        Literal["median", "p90", "p99"], typer.Option("--ttft-percentile", help="Of which requests.")
    ] = "median",
    min_p90: Annotated[
        float | None, typer.Option("--min-p90", min=0, help="Tokens/s for 90 % of requests, at least.")
    ] = None,
    min_p99: Annotated[
        float | None, typer.Option("--min-p99", min=0, help="Tokens/s for 99 % of requests, at least.")
    ] = None,
    compare: Annotated[
        list[str] | None, typer.Option("--compare", help="Give twice: a stack such as sglang/none.")
    ] = None,
    rent: Annotated[
        str | None, typer.Option("--rent", help="USD per GPU-hour: 2.60, or a range 2.00..3.00.")
    ] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Take the rent from a benchmark; with --date.")
    ] = None,
    date: Annotated[str | None, typer.Option("--date", help="Fixing date of --benchmark.")] = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say what each serving stack yields at a target speed per user, and what a million tokens then cost."""
    from ..workspace import Wanted, output_row, read_bounds, read_optional_date, usable_output

    result = usable_output(
        file,
        Wanted(
            hardware=hardware,
            precision=precision,
            model=model,
            framework=framework,
            spec_decoding=spec_decoding,
            isl=isl,
            osl=osl,
            first=read_optional_date(first, "--from"),
            last=read_optional_date(last, "--to"),
        ),
        target=target,
        bounds=read_bounds(
            ttft_seconds=max_ttft,
            ttft_percentile=ttft_percentile,
            p90_interactivity=min_p90,
            p99_interactivity=min_p99,
        ),
        compare=compare or (),
        rent=_rent(rent, benchmark, date, workspace),
    )
    row = output_row(result)
    if as_json:
        print_json(row)
        return
    _print(row)


def _rent(text: str | None, benchmark: str | None, date: str | None, workspace: Path) -> Rent | None:
    from ..workspace import read_date, read_rent, rent_of_fixing

    if text is not None and benchmark is not None:
        raise UsageError("--rent and --benchmark are two rents; keep one.")
    if (benchmark is None) != (date is None):
        raise UsageError("--benchmark and --date go together: a fixing is of a benchmark and a date.")
    if benchmark is not None and date is not None:
        return rent_of_fixing(open_workspace(workspace), benchmark, read_date(date, "--date"))
    return None if text is None else read_rent(text)


def _print(row: dict[str, Any]) -> None:
    print_line(
        f"{row['file']}: {row['model']}, {row['isl']:,} in / {row['osl']:,} out, "
        f"{row['target']:g} output tokens/s per user; {row['rows_used']:,} of {row['rows_read']:,} rows"
        + (f", {row['rows_refused']:,} refused" if row["rows_refused"] else "")
    )
    _print_rent(row["rent"])
    print_table(
        [
            "hardware",
            "stack",
            "precision",
            "knots",
            "rows of",
            "out tok/s/GPU",
            "linear",
            "log-linear",
            "$/M out",
            "flag",
        ],
        [
            [
                s["hardware"],
                f"{s['framework']}/{s['spec_decoding']}",
                s["precision"],
                s["knots"],
                _dates(s["dates"]),
                _two(s["output_tokens_per_second_per_gpu"]),
                _two(s["readings"] and s["readings"]["linear"]),
                _two(s["readings"] and s["readings"]["log_linear"]),
                _cost(s["usd_per_million"]),
                s["flag"],
            ]
            for s in row["stacks"]
        ],
        optional=("precision", "hardware", "rows of"),
    )
    for s in row["stacks"]:
        name = f"{s['framework']}/{s['spec_decoding']}"
        for said in [*([f"{s['flag']}: {s['reason']}"] if s["flag"] else []), *s["warnings"]]:
            print_line(f"{name}: {said}.")
    if row["comparison"] is not None:
        _print_comparison(row["comparison"], row["target"])
    for note in [*row["notes"], *row["source_notice"]]:
        print_line(f"note: {note}")


def _print_rent(rent: dict[str, Any] | None) -> None:
    if rent is None:
        print_line("No rent given; --rent or --benchmark with --date adds what a million tokens cost.")
    elif rent["source"] == "fixing":
        marks = [
            m
            for m, on in (("SIMULATED", rent["simulated"]), ("BACKCAST", rent["origin"] == "backcast"))
            if on
        ]
        marks += ["CANDIDATE"] if rent["state"] == "candidate" else []
        print_line(
            f"rent ${rent['low']} per GPU-hour: {rent['benchmark']} on {rent['date']}, {rent['status']}"
            + "".join(f" · {mark}" for mark in marks)
        )
    else:
        ends = f"${rent['low']}" if rent["source"] == "number" else f"${rent['low']} to ${rent['high']}"
        print_line(f"rent {ends} per GPU-hour, as given")


def _print_comparison(found: dict[str, Any], target: float) -> None:
    readings = found["readings"]
    print_line(
        f"{found['more']} yields {found['output_ratio']:.2f} × the output of {found['less']} at {target:g} tokens/s per "
        f"user; at the same hourly bill its rent per token is {found['rent_per_token_ratio']:.2f} of the other's."
    )
    print_line(
        f"The ratio read three ways: Steffen {readings['steffen']:.2f}, linear {readings['linear']:.2f}, "
        f"log-linear {readings['log_linear']:.2f}."
    )
    for warning in found["warnings"]:
        print_line(f"compared: {warning}.")


def _dates(dates: list[str]) -> str | None:
    if not dates:
        return None
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}, {len(dates)} joined"


def _two(value: float | None) -> str | None:
    return None if value is None else f"{value:,.2f}"


def _cost(costs: list[dict[str, Any]]) -> str | None:
    shown = [f"{float(cost['output']):.2f}" for cost in costs if cost["output"] is not None]
    return "–".join(shown) or None
