"""The market board: each benchmark's last value, its moves, and how many of its sellers moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..index.review.wording import short_price, signed_percent
from ..records import STATUSES_OBSERVED, Fixing, RentmarkError, micros_from_text
from ..store.recent import Recent
from .changes import latest_story
from .core import Workspace
from .forward import as_of_instant
from .readers import view_made
from .rows import fixing_row, instant, price
from .showing import finality_rows, fixings_shown, last_fixings_shown, recent_shown
from .views import AsOf

if TYPE_CHECKING:
    from ..store.recent import Point

LONG_MOVE_DAYS = 30
LONG_MOVE_REACH = 3
"""The 30-day move reaches back this many more days where the thirtieth has no value of its own."""
SPARK_DAYS = 90
__all__ = ["Recent", "fixing_rows", "market", "revision_rows"]
StoryOf = Callable[[Recent], "dict[str, Any] | None"]
"""From the end of a benchmark's fixings to the `change_story` of the last, or None where that is not known (yet)."""


def fixing_rows(
    workspace: Workspace, name: str, *, as_of: AsOf | None = None, days: int | None = None
) -> list[dict[str, Any]]:
    """The rows of `index show`; a view of the past that nobody built is made, not stored, by a reader.

    ``days`` keeps those of so many calendar days up to the last row, without reading the others.
    """
    if days is None:
        shown = fixings_shown(workspace, name, as_of=as_of)
    else:
        shown = last_fixings_shown(workspace, name, days=days, as_of=as_of)
    return finality_rows(workspace, name, shown, as_of=as_of)


def revision_rows(workspace: Workspace, name: str, day: date | None = None) -> list[dict[str, Any]]:
    """The rows of `index revisions`: all of the tape, or those of a day, in the order of the chain."""
    rows = workspace.store.tape_sequence(name)
    return finality_rows(workspace, name, [row for row in rows if day is None or row.date == day])


def market(
    workspace: Workspace, *, as_of: AsOf | None = None, story_of: StoryOf | None = None
) -> dict[str, Any]:
    """The documented JSON of `market`: one row a benchmark, by chip, and the headline.

    ``story_of`` tells who moved a value, where the caller keeps that; by default it is asked of the archive,
    benchmark by benchmark. The headline is that of the first benchmark of rentmark.toml that has a value.
    """
    asked = story_of or (lambda end: latest_story(workspace, end, as_of=as_of))
    names = list(workspace.configuration.benchmarks)
    refused = _views_made(workspace, names, as_of)
    ends = recent_shown(
        workspace, [name for name in names if name not in refused], days=SPARK_DAYS, as_of=as_of
    )
    now, present = workspace.store.now(), as_of_instant(workspace, as_of)
    rows = [
        board_row(workspace, name, (refused | ends)[name], now=now, present=present, story_of=asked)
        for name in names
    ]
    lead = next((row for row in rows if row["value"] is not None), rows[0] if rows else None)
    rows.sort(key=lambda row: (row["chip"], row["benchmark"]))
    return {
        "headline": _headline(lead),
        "as_of": instant(present),
        "reconstructed": as_of is not None and as_of.reconstructed,
        "simulated": workspace.store.simulated,
        "rows": rows,
    }


def _views_made(workspace: Workspace, names: Sequence[str], as_of: AsOf | None) -> dict[str, RentmarkError]:
    """Make the views of the past that nobody built; returns why some can't be made."""
    refused = {}
    for name in names:
        try:
            view_made(workspace, name, as_of)
        except RentmarkError as error:
            refused[name] = error
    return refused


def board_row(
    workspace: Workspace,
    name: str,
    end: Recent | RentmarkError,
    *,
    now: datetime,
    present: datetime,
    story_of: StoryOf,
) -> dict[str, Any]:
    """One benchmark on the board. Where there is nothing to show every figure is null with the reason.

    ``now`` is the clock of the workspace, ``present`` the instant of the view.
    """
    benchmark = workspace.configuration.benchmark(name)
    row: dict[str, Any] = {
        "benchmark": name,
        "chip": benchmark.grade.chip,
        "grade": benchmark.grade_name,
        "methodology": benchmark.methodology_name,
        "research": benchmark.research,
        "min_sellers": benchmark.methodology.min_sellers,
    }
    if isinstance(end, RentmarkError):
        return row | _nothing(end.sentence)
    last, day = end.last, end.before
    month = _month_before(end.points, last)
    printed = fixing_row(last, finality_hours=benchmark.methodology.finality_hours, now=now)
    kept = (
        "date",
        "value",
        "status",
        "rule",
        "reason",
        "n_sellers",
        "p25",
        "p75",
        "state",
        "origin",
        "finality",
        "simulated",
        "reconstructed",
        "settlement_grade",
        "revision",
        "carried_from",
        "methodology_hash",
        "input_digest",
    )
    story = story_of(end)
    counted = None if story is None or story["change"] is None else len(story["changed"])
    return (
        row
        | {key: printed[key] for key in kept}
        | _move("change_1d", last, day, "no earlier value of its own")
        | _move(
            "change_30d",
            last,
            month,
            f"no value {LONG_MOVE_DAYS} to {LONG_MOVE_DAYS + LONG_MOVE_REACH} days before",
        )
        | {
            "n_changed": counted,
            "n_changed_reason": None
            if counted is not None
            else "being worked out"
            if story is None
            else story["reason"],
            "n_entered": None if counted is None else len((story or {})["entered"]),
            "n_left": None if counted is None else len((story or {})["left"]),
            "moved_it": [] if story is None else story["moved_it"],
            "sentence": None if story is None else story["sentence"],
            "spark": [
                {
                    "date": f.date.isoformat(),
                    "value": price(f.value_micros),
                    "reason": None if f.value_micros is not None else f.rule,
                }
                for f in end.points
            ],
            "previous_is_older": day is not None and last.date - day.date > timedelta(days=1),
            "age_days": max(0, (present.date() - last.date).days - 1),
        }
    )


def _month_before(points: Sequence[Point], last: Fixing) -> Point | None:
    """The OK or THIN fixing thirty days before, or one of the three days before that."""
    latest, earliest = (
        last.date - timedelta(days=n) for n in (LONG_MOVE_DAYS, LONG_MOVE_DAYS + LONG_MOVE_REACH)
    )
    within = [f for f in points if earliest <= f.date <= latest and f.status in STATUSES_OBSERVED]
    return within[-1] if within else None


def _move(key: str, last: Fixing, before: Fixing | Point | None, absent: str) -> dict[str, Any]:
    """A move as a ratio less one, with the date it is measured from."""
    if last.status not in STATUSES_OBSERVED or last.value_micros is None:
        return {key: None, f"{key}_from": None, f"{key}_reason": f"no value of its own on {last.date}"}
    if before is None or not before.value_micros:
        return {key: None, f"{key}_from": None, f"{key}_reason": absent}
    ratio = last.value_micros / before.value_micros - 1
    return {key: round(ratio, 10), f"{key}_from": before.date.isoformat(), f"{key}_reason": None}


def _nothing(reason: str) -> dict[str, Any]:
    absent = (
        "date", "value", "status", "rule", "n_sellers", "p25", "p75", "state", "origin", "finality",
        "simulated", "reconstructed", "settlement_grade", "revision", "carried_from", "methodology_hash",
        "input_digest", "change_1d", "change_1d_from", "change_30d", "change_30d_from",
        "n_changed", "n_entered", "n_left", "age_days", "previous_is_older",
    )  # fmt: skip
    return (
        dict.fromkeys(absent)
        | {
            "reason": reason,
            "change_1d_reason": reason,
            "change_30d_reason": reason,
            "n_changed_reason": reason,
        }
        | {"moved_it": [], "sentence": reason, "spark": []}
    )


def _headline(lead: dict[str, Any] | None) -> str:
    """What the board says first: the story of the lead benchmark, or its value while that is worked out."""
    if lead is None:
        return "No benchmark in rentmark.toml. Add a [benchmarks.NAME] table."
    if lead["sentence"] is not None:
        return str(lead["sentence"])
    since = f"since {lead['change_1d_from']}" if lead["previous_is_older"] else "on the day"
    moved = "" if lead["change_1d"] is None else f", {signed_percent(lead['change_1d'])} {since}"
    return f"{lead['benchmark']} is {short_price(micros_from_text(lead['value']))}{moved}."
