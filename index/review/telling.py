"""The sentence of a move: what it is, and who moved it."""

from __future__ import annotations

from datetime import timedelta

from .moves import ChangeStory, WithoutMove
from .wording import count_of, names_of, short_price, signed_percent

ONE_DAY = timedelta(days=1)
MOST_OF_IT = 0.5
"""A seller moved most of it where less than this share of the move is left without it."""
NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def change_sentence(story: ChangeStory) -> str:
    """The move and its cause, such as ``h100-list is $3.466, +4.1 % on the day. One seller (spheron) moved it; …``.

    A move against a date further back than the day before names that date.
    """
    since = "on the day" if story.date - story.previous_date == ONE_DAY else f"since {story.previous_date}"
    moved = signed_percent(story.change) if story.change_micros else "unchanged"
    return f"{story.benchmark} is {short_price(story.value_micros)}, {moved} {since}. {_who(story)}"


def _who(story: ChangeStory) -> str:
    if not story.acted:
        return "No seller changed its price, came or left."
    if not story.change_micros:
        return f"{_deeds(story)}; the value stayed."
    if len(story.moved_it) == 1:
        return f"One seller ({story.moved_it[0]}) moved it; without it, unchanged."
    if story.moved_it:
        many = len(story.moved_it)
        counted = NUMBERS[many] if many < len(NUMBERS) else f"{many}"
        return f"{counted} sellers ({names_of(story.moved_it)}) moved it; without any one of them, unchanged."
    most = story.most_different
    if most is None:
        return f"{_deeds(story)}."
    if most.change_micros is None:
        return f"{_deeds(story)}; without {most.seller}, no value ({most.reason})."
    left = abs(most.change_micros) < MOST_OF_IT * abs(story.change_micros)
    same_way = most.change_micros * story.change_micros > 0
    if left and same_way:
        return f"One seller ({most.seller}) moved most of it; without it, {_rest(most)}."
    return f"{_deeds(story)}; no one of them alone: without {most.seller}, {_rest(most)}."


def _rest(without: WithoutMove) -> str:
    return signed_percent((without.change_micros or 0) / (without.before_micros or 1))


def _deeds(story: ChangeStory) -> str:
    """What sellers did: ``2 of 22 sellers changed price, 1 came and 3 left``."""
    parts = []
    if story.changed:
        parts.append(f"{len(story.changed)} of {count_of(story.n_sellers, 'seller')} changed price")
    noun = "" if parts else " sellers"
    if story.entered:
        parts.append(f"{len(story.entered)}{noun if len(story.entered) > 1 or not noun else ' seller'} came")
        noun = ""
    if story.left:
        parts.append(f"{len(story.left)}{noun if len(story.left) > 1 or not noun else ' seller'} left")
    return names_of(parts)
