"""The story of a change: who moved a value since the day before it, as a row for a page or a program."""

from __future__ import annotations

from datetime import date
from typing import Any

from ..index.review import ChangeStory, Day, SellerPrice, change_sentence, who_moved_it
from ..index.review.wording import short_price
from ..records import STATUSES_OBSERVED, Fixing, Refusal, RentmarkError
from .auditing import benchmark_of
from .core import Workspace
from .reader import Reader
from .review_days import days_behind
from .rows import price
from .showing import fixings_shown
from .states import date_before
from .views import AsOf

NOTHING: dict[str, Any] = {
    "change": None,
    "change_percent": None,
    "share_unchanged": None,
    "n_sellers": None,
    "n_unchanged": None,
    "changed": [],
    "entered": [],
    "left": [],
    "without_seller": [],
    "moved_it": [],
    "matched_change": None,
}
"""What a story without a move holds."""


def change_story(workspace: Workspace, name: str, day: date, *, as_of: AsOf | None = None) -> dict[str, Any]:
    """The move of a benchmark on a date against its last OK or THIN day, told seller by seller.

    Prices are six-decimal strings, shares numbers, an absent figure null with ``reason``. Both days are worked by
    the rules of the later one; ``rules_changed`` says that the earlier was made by others. Raises RentmarkError
    where there is no row on that date.
    """
    rows = fixings_shown(workspace, name, as_of=as_of)
    fixing = next((row for row in rows if row.date == day), None)
    if fixing is None:
        raise RentmarkError(f"{name} has no row on {day}; rows run from {rows[0].date} to {rows[-1].date}.")
    before = date_before(fixing, rows)
    if fixing.status not in STATUSES_OBSERVED:
        needed = benchmark_of(workspace, fixing).methodology.min_sellers
        return (
            _row(fixing, before) | NOTHING | _told(without_value_sentence(fixing, rows, needed), fixing.rule)
        )
    if before is None:
        sentence = f"{name} is {short_price(fixing.value_micros or 0)} on {day}, its first value."
        return _row(fixing, before) | NOTHING | _told(sentence, "no earlier date has a value of its own")
    benchmark = benchmark_of(workspace, fixing)
    with workspace.engine() as engine:
        then, now = days_behind(workspace, Reader(workspace, engine), benchmark, [before, fixing], rows)
    story = who_moved_it(benchmark, then, now)
    if isinstance(story, Refusal):
        return _row(fixing, before) | NOTHING | _told(f"{story.sentence}.")
    return _row(fixing, before) | story_row(story, then, now)


def story_row(story: ChangeStory, before: Day, after: Day) -> dict[str, Any]:
    """The part of the row that tells the move."""
    return {
        "change": price(story.change_micros),
        "change_percent": 100 * story.change,
        "n_sellers": story.n_sellers,
        "n_unchanged": story.n_unchanged,
        "share_unchanged": story.share_unchanged,
        "changed": [_seller_row(s) for s in story.changed],
        "entered": [_seller_row(s) for s in story.entered],
        "left": [_seller_row(s) for s in story.left],
        "without_seller": [
            {
                "seller": w.seller,
                "before": price(w.before_micros),
                "after": price(w.after_micros),
                "change": price(w.change_micros),
                "acted": w.seller in story.acted,
                "reason": w.reason,
            }
            for w in story.without
        ],
        "moved_it": list(story.moved_it),
        "matched_change": price(story.matched_micros),
        "matched_change_reason": story.matched_reason,
        **_told(change_sentence(story)),
        "rules_changed": before.fixing.methodology_hash != after.fixing.methodology_hash,
    }


def _row(fixing: Fixing, before: Fixing | None) -> dict[str, Any]:
    return {
        "benchmark": fixing.benchmark,
        "date": fixing.date.isoformat(),
        "value": price(fixing.value_micros),
        "status": fixing.status,
        "rule": fixing.rule,
        "previous_date": None if before is None else before.date.isoformat(),
        "previous_value": None if before is None else price(before.value_micros),
        "previous_value_reason": "no earlier date has a value of its own" if before is None else None,
        "rules_changed": False,
    }


def _told(sentence: str, reason: str | None = None) -> dict[str, Any]:
    return {"sentence": sentence, "reason": reason}


def _seller_row(seller: SellerPrice) -> dict[str, Any]:
    return {
        "seller": seller.seller,
        "before": price(seller.before_micros),
        "after": price(seller.after_micros),
        "reason": "it came"
        if seller.before_micros is None
        else "it left"
        if seller.after_micros is None
        else None,
    }


def without_value_sentence(fixing: Fixing, rows: list[Fixing], min_sellers: int) -> str:
    """``No price on 2026-07-05: 2 sellers, 3 needed. Nearest: 2026-07-06.``, or from when a value is carried."""
    if fixing.status == "CARRIED":
        return f"{fixing.benchmark} is {short_price(fixing.value_micros or 0)}, carried from {fixing.carried_from}."
    near = min(
        (row.date for row in rows if row.status in STATUSES_OBSERVED),
        key=lambda day: abs((day - fixing.date).days),
        default=None,
    )
    why = {
        "min_sellers": f"{fixing.n_sellers} sellers, {min_sellers} needed",
        "empty_window": "nothing was collected",
        "no_match": "nothing meets the grade",
    }.get(fixing.rule or "", f"{fixing.rule}")
    nearest = "" if near is None else f" Nearest: {near}."
    return f"No price on {fixing.date}: {why}.{nearest}"
