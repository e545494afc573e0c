"""Printing what a hedge report says of the user's own book: exposure, attribution, incidents, cost of output."""

from __future__ import annotations

from typing import Any

from .output import print_line, print_table

MONTHS_BACK = 3
MONTHS_AHEAD = 3
MOST_REFUSED = 5


def print_study(row: dict[str, Any]) -> None:
    """Print the study of a hedge report's JSON, as far as it has one."""
    if row["unit_question"] is not None:
        print_line(row["unit_question"])
    _refused(row["rent"])
    _attribution(row["attribution"])
    _exposure(row["exposure"])
    _incidents(row["incidents"])
    _cost(row["cost_view"])


def _refused(rent: dict[str, Any]) -> None:
    if not rent["rows_refused"]:
        return
    print_line(f"{rent['rows_refused']} of {rent['rows_read']} rows of {rent['name']} were refused.")
    for each in rent["refused"][:MOST_REFUSED]:
        print_line(f"  {each['sentence']}")
    more = rent["rows_refused"] - MOST_REFUSED
    if more > 0:
        print_line(f"  {more} more are in --json.")


def _attribution(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    if found["total"] is None:
        print_line(f"Nothing is attributed: {found['reason']}.")
        return
    print_table(
        ["left over, by cause", found["unit"], "low", "high", "why"],
        [
            [each["line"], each["amount"], each["low"], each["high"], each.get("reason") or each["meaning"]]
            for each in found["lines"]
        ]
        + [["T", found["total"], None, None, "actual bill − budget bill − futures P&L"]],
        optional=("why",),
    )
    at = " / ".join(found["total_by_entry"].values()).replace("-", "−")
    print_line(f"T had every month been entered at −10 / 0 / +10 %: {at}; the difference is roll.")
    for note in found["notes"]:
        print_line(note)


def _exposure(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    rows = found["contracts"]
    months = sorted({each["month"] for each in rows})
    ahead = sorted({each["month"] for each in rows if each["to_come"]})
    near = {*[month for month in months if month not in ahead][-MONTHS_BACK:], *ahead[:MONTHS_AHEAD]}
    if rows:
        print_table(
            ["month", "contract", "price", "planned GPU-h", "exposed GPU-h", "forecast, notice by"],
            [
                [
                    each["month"],
                    each["contract"],
                    ", ".join(each["price"]),
                    _hours(each["planned_gpu_hours"]),
                    _hours(each["exposed_gpu_hours"]),
                    (each["notice_by"] or "yes") if each["forecast"] else None,
                ]
                for each in rows
                if each["month"] in near
            ],
        )
        if len(near) < len(months):
            print_line(f"Exposure: {len(near)} of {len(months)} months; --json and the report have all.")
    above = [each for each in found["months"] if each["adds_risk"]]
    if above:
        print_line(f"In {len(above)} of {len(found['months'])} months the position is above the exposure.")
        print_line(f"  {above[-1]['reason']}")


def _incidents(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    print_table(
        ["not covered", "incidents", "GPU-hours", "USD"],
        [[each["kind"], each["count"], _hours(each["gpu_hours"]), each["amount"]] for each in found["kinds"]],
    )
    for each in found["refused"]:
        print_line(each["sentence"])


def _cost(found: dict[str, Any] | None) -> None:
    if found is None:
        return
    print_table(
        ["rent per million accepted tokens", "not hedged", "entry −10 %", "0 %", "+10 %", "why absent"],
        [
            [
                each["month"],
                each["unhedged"],
                *([None] * 3 if each["hedged"] is None else each["hedged"].values()),
                each.get("reason"),
            ]
            for each in found["months"]
        ],
        optional=("why absent",),
    )
    print_line(found["sentence"])
    for each in found["refused"]:
        print_line(each["sentence"])


def _hours(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f}".replace("-", "−")
