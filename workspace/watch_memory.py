"""What a watch remembers: what it told, and up to where it looked at the sellers behind each value.

The sellers of a day are read from the archive again, which is the cost of a watch. What was made from them stands as
long as the rows they stand behind do, so each month of rows that were looked at leaves a digest: a month that still
has it is not read again, one that has not (a held date released since, candidates of a study built anew) is read again
from its beginning on.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..index.governing import JUDGEMENT
from ..records import Fixing, RentmarkError, canonical_fixing, digest_of, month_of, parse_date

if TYPE_CHECKING:
    from ..backtest.alarms import Alarm

MEMORY_FILE = "watch.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """How far the sellers behind a benchmark's values were looked at.

    ``months`` are digests of the rows up to ``through``, by month; ``alarms`` what fired there under ``bound``.
    """

    through: date
    months: Mapping[str, str]
    bound: float
    alarms: tuple[Alarm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What is remembered of one subject: watched since when, the keys of what was told, and how far was looked."""

    since: date
    fired: tuple[str, ...]
    looked: Looked | None = None


def looked_through(rows: Sequence[Fixing], bound: float, alarms: Sequence[Alarm]) -> Looked:
    """What to remember after the sellers behind these rows, at least one, were looked at."""
    through = rows[-1].date
    return Looked(through=through, months=_digests(rows, through), bound=bound, alarms=tuple(alarms))


def still_to_look_at(
    rows: Sequence[Fixing], looked: Looked | None, bound: float
) -> tuple[Sequence[Fixing], tuple[Alarm, ...]]:
    """The rows whose sellers are to be read, and the alarms of those before them, which stand.

    ``rows`` are the values watched, in order of date. The first of what is returned is one that was looked at
    before, for the next to be held against; it is nothing where there is no new row.
    """
    if looked is None or looked.bound != bound:
        return rows, ()
    digests = _digests(rows, looked.through)
    changed = {m for m in digests.keys() | looked.months.keys() if digests.get(m) != looked.months.get(m)}
    first = min(changed, default=None)
    known = sum(row.date <= looked.through and (first is None or month_of(row.date) < first) for row in rows)
    place = known - 1
    while known < len(rows) and place > 0 and rows[place].rule == JUDGEMENT:
        place -= 1  # behind a judged value there may be no sellers to hold the next against
    if place < 0:
        return rows, ()
    kept = tuple(each for each in looked.alarms if rows[0].date < each.date <= rows[place].date)
    return (rows[place:] if known < len(rows) else ()), kept


def _digests(rows: Sequence[Fixing], through: date) -> dict[str, str]:
    months = groupby((row for row in rows if row.date <= through), key=lambda row: month_of(row.date))
    return {month: digest_of([_mark(row) for row in held]) for month, held in months}


def _mark(row: Fixing) -> str:
    """What tells a row from every other: of a published one its seal."""
    return row.row_digest or digest_of(canonical_fixing(row))


def remembered(root: Path) -> dict[str, Remembered]:
    """What the watches of a workspace remember, by subject. Raises RentmarkError for a file that can't be read."""
    path = root / MEMORY_FILE
    if not path.is_file():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {subject: _read(each) for subject, each in held.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RentmarkError(f"{path} can't be read; delete it to watch from anew.") from None


def _read(held: Mapping[str, Any]) -> Remembered:
    from ..backtest.alarms import Alarm

    sellers = held.get("sellers")
    looked = None
    if sellers is not None:
        looked = Looked(
            through=parse_date(sellers["through"]),
            months=dict(sellers["months"]),
            bound=float(sellers["bound"]),
            alarms=tuple(
                Alarm(
                    kind=each["kind"],
                    subject=each["subject"],
                    date=parse_date(each["date"]),
                    value=each["value"],
                    threshold=each["threshold"],
                    sentence=each["sentence"],
                )
                for each in sellers["alarms"]
            ),
        )
    return Remembered(since=parse_date(held["since"]), fired=tuple(held["fired"]), looked=looked)


def _written(held: Remembered) -> dict[str, Any]:
    row: dict[str, Any] = {"since": held.since.isoformat(), "fired": list(held.fired)}
    if held.looked is None:
        return row
    looked = held.looked
    return row | {
        "sellers": {
            "through": looked.through.isoformat(),
            "months": dict(looked.months),
            "bound": looked.bound,
            "alarms": [each.to_json() for each in looked.alarms],
        }
    }


def remember(root: Path, news: Mapping[str, Remembered]) -> None:
    """Add what was told, by subject, to what is remembered; of two looks the one that went further is kept.

    Raises RentmarkError where the disk refuses.
    """
    path = root / MEMORY_FILE
    new = path.with_suffix(".new")
    try:
        with _alone_in(root):
            kept = remembered(root)
            for subject, found in news.items():
                held = kept.get(subject, Remembered(since=found.since, fired=()))
                kept[subject] = Remembered(
                    since=held.since,
                    fired=tuple(dict.fromkeys([*held.fired, *found.fired])),
                    looked=_further(held.looked, found.looked),
                )
            text = json.dumps({name: _written(each) for name, each in kept.items()}, indent=1, sort_keys=True)
            with new.open("w", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None


def _further(one: Looked | None, other: Looked | None) -> Looked | None:
    if one is None or other is None:
        return other or one
    return one if one.through > other.through else other


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other watch keeps what it told in this workspace."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
