"""The story of a change: who moved a value since the day before it, as a row for a page or a program."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from ..index.review import ChangeStory, Day, SellerPrice, change_sentence, who_moved_it
from ..index.review.wording import count_of, short_price
from ..records import STATUSES_OBSERVED, Fixing, Refusal, RentmarkError
from .auditing import benchmark_of
from .core import Workspace
from .reader_pool import keep, open_reader, recalled
from .review_days import days_behind
from .rows import price
from .showing import NEAR_DAYS, fixings_shown, recent_shown
from .states import date_before
from .views import AsOf

if TYPE_CHECKING:
    from ..store.recent import Recent

__all__ = [
    "change_story",
    "count_of",
    "known_story",
    "latest_story",
    "no_price_sentence",
    "without_value_sentence",
]

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
    end = recent_shown(workspace, [name], days=NEAR_DAYS)[name] if as_of is None else None
    if end is not None and not isinstance(end, RentmarkError) and end.last.date == day:
        return latest_story(workspace, end)
    rows = fixings_shown(workspace, name, as_of=as_of)
    fixing = next((row for row in rows if row.date == day), None)
    if fixing is None:
        raise RentmarkError(f"{name} has no row on {day}; rows run from {rows[0].date} to {rows[-1].date}.")
    return story_between(workspace, fixing, date_before(fixing, rows), lambda: rows)


def latest_story(workspace: Workspace, end: Recent, *, as_of: AsOf | None = None) -> dict[str, Any]:
    """The `change_story` of the last row of a benchmark, whose tape need not be read whole."""
    name = end.last.benchmark
    return story_between(workspace, end.last, end.before, lambda: fixings_shown(workspace, name, as_of=as_of))


def known_story(workspace: Workspace, end: Recent) -> dict[str, Any] | None:
    """The `latest_story` where a reader has it at hand; None where it is still to be worked out."""
    return None if end.before is None else recalled(workspace, _key(end.last, end.before))


def story_between(
    workspace: Workspace, fixing: Fixing, before: Fixing | None, shown: Callable[[], Sequence[Fixing]]
) -> dict[str, Any]:
    """The move from one fixing to another. ``shown`` gives the rows they are shown among, where they are asked for.

    Published fixings do not change, nor what was known when they were built: a reader keeps their story.
    """
    if fixing.status not in STATUSES_OBSERVED:
        needed = benchmark_of(workspace, fixing).methodology.min_sellers
        return (
            _row(fixing, before)
            | NOTHING
            | _told(without_value_sentence(fixing, shown(), needed), fixing.rule)
        )
    if before is None:
        sentence = f"{fixing.benchmark} is {short_price(fixing.value_micros or 0)} on {fixing.date}, its first value."
        return _row(fixing, before) | NOTHING | _told(sentence, "no earlier date has a value of its own")
    known = recalled(workspace, _key(fixing, before))
    if known is not None:
        return cast("dict[str, Any]", known)
    benchmark = benchmark_of(workspace, fixing)
    rows = shown() if benchmark.methodology.reads_state else ()
    with open_reader(workspace) as reader:
        then, now = days_behind(workspace, reader, benchmark, [before, fixing], rows, aggregators=False)
    story = who_moved_it(benchmark, then, now)
    if isinstance(story, Refusal):
        told = _row(fixing, before) | NOTHING | _told(f"{story.sentence}.")
    else:
        told = _row(fixing, before) | story_row(story, then, now)
    if _lasts(fixing) and _lasts(before):
        keep(workspace, _key(fixing, before), told)
    return told


def _key(fixing: Fixing, before: Fixing) -> Hashable:
    return "story", fixing, before


def _lasts(fixing: Fixing) -> bool:
    """Whether what a fixing was made from is fixed: it is published, and says what was known when it was built."""
    return fixing.published_at is not None and fixing.built_as_of is not None and not fixing.reconstructed


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


def without_value_sentence(fixing: Fixing, rows: Sequence[Fixing], min_sellers: int) -> str:
    """``No price on 2026-07-05: 2 sellers, 3 needed. Nearest: 2026-07-06.``, or from when a value is carried."""
    if fixing.status == "CARRIED":
        return f"{fixing.benchmark} is {short_price(fixing.value_micros or 0)}, carried from {fixing.carried_from}."
    valued = [row.date for row in rows if row.status in STATUSES_OBSERVED]
    return no_price_sentence(fixing.date, fixing.rule, fixing.n_sellers, min_sellers, valued)


def no_price_sentence(
    day: date, rule: str | None, n_sellers: int, min_sellers: int, valued: Iterable[date]
) -> str:
    """Why a date has no value, and the nearest of the dates that have one; of two as near, the first given."""
    near = min(valued, key=lambda other: abs((other - day).days), default=None)
    why = {
        "min_sellers": f"{count_of(n_sellers, 'seller')}, {min_sellers} needed",
        "empty_window": "nothing was collected",
        "no_match": "nothing meets the grade",
    }.get(rule or "", f"{rule}")
    nearest = "" if near is None else f" Nearest: {near}."
    return f"No price on {day}: {why}.{nearest}"
