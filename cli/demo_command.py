"""The demo: a simulated market from the first offer to the hedge report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from .options import JsonOption, database_url
from .output import print_json, print_line, print_table
from .serve_command import PortOption
from .serve_command import serve as serve_dashboard

if TYPE_CHECKING:
    from datetime import date


def demo(
    folder: Annotated[Path, typer.Argument(help="Folder of the simulated workspace.")] = Path("demo"),
    days: Annotated[
        int | None, typer.Option("--days", min=40, help="Days to simulate; default 37 months.")
    ] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Then serve its dashboard.")] = False,
    port: PortOption = 8050,
    as_json: JsonOption = False,
) -> None:
    """Simulate a GPU rental market day by day: benchmarks, settlements, a hedge. All of it says simulated."""
    from ..records import UsageError
    from ..workspace import run_demo

    if serve and as_json:
        raise UsageError("--serve does not go with --json; run `rentmark serve` on the workspace instead.")
    with _bar(silent=as_json) as tell:
        options = {} if days is None else {"days": days}
        result = run_demo(folder, database_url=database_url(), progress=tell, **options)
    if as_json:
        print_json(
            {
                "workspace": str(result.root),
                "simulated": True,
                "days": result.days,
                "records": result.records,
                "published": result.published,
                "settlements": result.settlements,
                "hedge": result.hedge,
                "report": str(result.report),
            }
        )
        return
    print_line(
        f"SIMULATED market: {result.days} days, {result.records:,} records, {result.published:,} fixings."
    )
    print_table(
        ["contract", "month", "status", "fixings", "origin", "settlement", "indicative", "fair value"],
        [
            [
                s["contract"],
                s["month"],
                s["status"],
                f"{s['fixings']} of {s['expected']}",
                s["origin"],
                s["final_settlement_price"],
                s["indicative_price"],
                s["in_month"]["fair_value"] if s["in_month"] else None,
            ]
            for s in result.settlements[-6:]
        ],
        title="SIMULATED settlements, the last three months ($ per GPU-hour)",
    )
    print_line(f"Hedge of the simulated rent book, cme-gpu1 on h100-list: {result.hedge['verdict'].upper()}")
    print_line(result.hedge["sentence"])
    print_line(f"Report: {result.report.resolve()}")
    print_line(f"Look further: rentmark index show h100-list --last 20 --workspace {result.root}")
    if serve:
        serve_dashboard(port=port, workspace=folder)


class _bar:  # noqa: N801 – used as a context manager, like a function
    """A progress bar on stderr; plain lines per simulated year where stderr is no terminal."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._progress: object | None = None

    def __enter__(self) -> Self:
        if not self._silent and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("simulating {task.description}"),
                BarColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task("", total=None)
        return self

    def __call__(self, day: date, done: int, total: int) -> None:
        """Tell which day is being simulated."""
        if self._progress is not None:
            self._progress.update(self._task, description=str(day), completed=done, total=total)  # type: ignore[attr-defined]
        elif not self._silent and done % 100 == 0:
            sys.stderr.write(f"simulating {day} ({done} of {total} days)\n")

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()  # type: ignore[attr-defined]
