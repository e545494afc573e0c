"""The market board in the terminal and as JSON: what the dashboard opens on."""

from __future__ import annotations

from typing import Any

from .options import HERE, AsOfOption, JsonOption, ReconstructedOption, WorkspaceOption, database_url
from .output import print_json, print_line, print_table, progress

BARS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 24
NONE = "—"


def market(
    as_of: AsOfOption = None,
    reconstructed: ReconstructedOption = False,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Every benchmark's last value, its moves, and how many of its sellers moved."""
    from ..workspace import market as market_board
    from ..workspace import open_for_reading, read_as_of

    view = read_as_of(as_of, reconstructed=reconstructed)
    opened = open_for_reading(workspace, database_url=database_url())
    with progress() as report:
        report("asking who moved each value")
        board = market_board(opened, as_of=view)
    if as_json:
        print_json(board)
        return
    print_line(board["headline"])
    marks = [
        mark
        for mark, holds in (
            ("SIMULATED", board["simulated"]),
            ("RECONSTRUCTED", board["reconstructed"]),
            ("BACKCAST", any(row["origin"] == "backcast" for row in board["rows"])),
        )
        if holds
    ]
    if marks:
        print_line(" · ".join(marks))
    print_table(
        [
            "chip",
            "benchmark",
            "date",
            "$/GPU-h",
            "status",
            "1d",
            "30d",
            "changed",
            "p25–p75",
            "sellers",
            "90 d",
            "age",
        ],
        [_line(row) for row in board["rows"]],
        optional=["90 d", "p25–p75", "age", "30d"],
    )
    for row in board["rows"]:
        if row["date"] is None:
            print_line(f"{row['benchmark']}: {row['reason']}")


def _line(row: dict[str, Any]) -> list[Any]:
    changed = None
    if row["n_changed"] is not None:
        changed = f"{row['n_changed']} of {row['n_sellers']}"
        changed += "".join(
            f", {row[key]} {word}" for key, word in (("n_entered", "came"), ("n_left", "left")) if row[key]
        )
    status = row["status"]
    if row["state"] == "candidate" and not row["reconstructed"]:
        status = f"{status} candidate"
    if row["rule"]:
        status = f"{status} {row['rule']}"
    return [
        row["chip"],
        row["benchmark"],
        row["date"],
        row["value"],
        status,
        _percent(row["change_1d"]) + (f" since {row['change_1d_from']}" if row["previous_is_older"] else ""),
        _percent(row["change_30d"]),
        changed,
        None if row["p25"] is None else f"{row['p25']}–{row['p75']}",
        row["n_sellers"],
        spark_text([point["value"] for point in row["spark"]]),
        None if row["age_days"] is None else f"{row['age_days']} d",
    ]


def spark_text(values: list[str | None]) -> str:
    """The last values as bars, a space where there is none."""
    shown = [None if v is None else float(v) for v in values[-SPARK_WIDTH:]]
    known = [v for v in shown if v is not None]
    if not known:
        return NONE
    low, high = min(known), max(known)
    size = (high - low) or 1.0
    return "".join(" " if v is None else BARS[round((v - low) / size * (len(BARS) - 1))] for v in shown)


def _percent(change: float | None) -> str:
    if change is None:
        return NONE
    text = f"{abs(change) * 100:.1f}"
    if float(text) == 0:
        return f"{text} %"
    return f"{'▲ +' if change > 0 else '▼ −'}{text} %"
