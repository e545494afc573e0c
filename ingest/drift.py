"""Drift: what changed between a batch and the ones of its source before it.

Compared are offers of one source through one feed: the sellers of its last day and their medians with those
of the batch before, the number of records and the share of refused ones with up to ``HISTORY`` batches. An
*alarm* is a change that a person should look at before an index is published on it; a *notice* is one to
know of. The thresholds are ours, and stand below.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

HISTORY = 10
"""Batches of the same source that counts are compared with."""
FEWEST_BATCHES = 3
"""Batches before counts are compared at all."""
VANISHED_SHARE = 0.25
"""Share of the sellers of the last batch whose absence is an alarm."""
COUNT_FACTOR = 2.0
"""An alarm where records are over this many times their median, or under one part of it."""
REJECT_SHARE, REJECT_FACTOR = 0.05, 3.0
"""An alarm where more than this share is refused, and this many times the median share."""
JUMP, MATCHED_SHARE = 0.10, 0.5
"""An alarm where a chip's median moves by more than a tenth, and the sellers of both batches by under half of it."""
FEWEST_SELLERS = 3
"""Sellers of a chip in both batches before its medians are compared."""
_SHOWN = 12
_DAY_MICROSECONDS = 86_400_000_000

Level = Literal["alarm", "notice"]


@dataclass(frozen=True, slots=True)
class Drift:
    """One change: its code, how grave it is, and what it is in a sentence."""

    code: str
    level: Level
    sentence: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Records of one batch, and how many were refused."""

    records: int
    rejected: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Who offered what at which price on the last UTC day of a batch.

    ``medians`` are those of each (chip, seller), in micro-USD per GPU-hour.
    """

    day: date
    medians: Mapping[tuple[str, str], float]

    @property
    def sellers(self) -> frozenset[str]:
        """Everyone who offered anything."""
        return frozenset(seller for _, seller in self.medians)


def profiles_of(observations: pa.Table) -> dict[str, Profile]:
    """The profile of each source among the offers; ``observations`` hold the columns PROFILE_COLUMNS.

    On-demand offers alone: a seller's spot prices move for reasons of their own.
    """
    listed = pc.and_(pc.equal(observations["kind"], "offer"), pc.equal(observations["pricing"], "on_demand"))
    wanted = np.asarray(listed, np.bool_)
    if not wanted.any():
        return {}
    sources, source_names = _coded(observations["source"])
    days = observations["observed_at"].cast(pa.int64()).to_numpy() // _DAY_MICROSECONDS
    last = np.full(len(source_names), days.min())
    np.maximum.at(last, sources[wanted], days[wanted])
    newest = wanted & (days == last[sources])
    table = observations.filter(pa.array(newest))
    sources = sources[newest]
    chips, chip_names = _coded(table["chip"])
    sellers, seller_names = _coded(table["seller"])
    group = (sources * len(chip_names) + chips) * len(seller_names) + sellers
    price = table["price_micros"].to_numpy()
    order = np.lexsort((price, group))
    group, price = group[order], price[order]
    starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
    sizes = np.diff(starts, append=len(group))
    medians = (price[starts + (sizes - 1) // 2] + price[starts + sizes // 2]) / 2
    found: dict[int, dict[tuple[str, str], float]] = {}
    for place, median in zip(group[starts].tolist(), medians.tolist(), strict=True):
        rest, seller = divmod(place, len(seller_names))
        source, chip = divmod(rest, len(chip_names))
        found.setdefault(source, {})[chip_names[chip], seller_names[seller]] = median
    epoch = date(1970, 1, 1)
    return {
        source_names[source]: Profile(epoch + timedelta(days=int(last[source])), those)
        for source, those in found.items()
    }


PROFILE_COLUMNS = ("kind", "pricing", "source", "chip", "seller", "observed_at", "price_micros")


def _coded(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[Any]]:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def drift_of_sellers(source: str, before: Profile, now: Profile) -> list[Drift]:
    """Sellers that vanished or appeared, and medians that jump with them; nothing where ``now`` is older."""
    if now.day < before.day:
        return []
    found = []
    gone, new = sorted(before.sellers - now.sellers), sorted(now.sellers - before.sellers)
    if gone:
        share = len(gone) / len(before.sellers)
        level: Level = "alarm" if share >= VANISHED_SHARE else "notice"
        found.append(
            Drift(
                "sellers_vanished",
                level,
                f"{source}: {len(gone)} of {len(before.sellers)} sellers of the last batch are absent: {_named(gone)}.",
            )
        )
    if new:
        found.append(
            Drift("sellers_appeared", "notice", f"{source}: {len(new)} sellers appeared: {_named(new)}.")
        )
    chips = sorted({chip for chip, _ in before.medians} & {chip for chip, _ in now.medians})
    for chip in chips:
        jump = _jump(source, chip, before, now)
        if jump is not None:
            found.append(jump)
    return found


def _jump(source: str, chip: str, before: Profile, now: Profile) -> Drift | None:
    then = {seller: price for (of, seller), price in before.medians.items() if of == chip}
    today = {seller: price for (of, seller), price in now.medians.items() if of == chip}
    matched = sorted(then.keys() & today.keys())
    if min(len(then), len(today)) < FEWEST_SELLERS or then.keys() == today.keys():
        return None
    move = math.log(statistics.median(today.values()) / statistics.median(then.values()))
    if abs(move) <= math.log1p(JUMP):
        return None
    same = (
        math.log(
            statistics.median(today[seller] for seller in matched)
            / statistics.median(then[seller] for seller in matched)
        )
        if matched
        else 0.0
    )
    if abs(same) >= MATCHED_SHARE * abs(move):
        return None
    return Drift(
        "median_jumps_with_sellers",
        "alarm",
        f"{source}: the median of {chip} moved {_percent(move)} while the {len(matched)} sellers of both batches "
        f"moved {_percent(same)}: its sellers changed, from {len(then)} to {len(today)}.",
    )


def drift_of_counts(feed: str, before: Sequence[Counts], now: Counts) -> list[Drift]:
    """Records and refused records, against the batches of the same feed before."""
    if len(before) < FEWEST_BATCHES:
        return []
    found = []
    usual = statistics.median(counts.records for counts in before)
    if usual and not usual / COUNT_FACTOR <= now.records <= usual * COUNT_FACTOR:
        found.append(
            Drift(
                "record_count",
                "alarm",
                f"{feed}: {now.records:,} records; the median of the last {len(before)} batches is {usual:,.0f}.",
            )
        )
    shares = [counts.rejected / counts.records for counts in before if counts.records]
    share = now.rejected / now.records if now.records else 0.0
    if shares and share > REJECT_SHARE and share > REJECT_FACTOR * statistics.median(shares):
        found.append(
            Drift(
                "reject_share",
                "alarm",
                f"{feed}: {100 * share:.1f} % of the records are refused; the median of the last {len(shares)} "
                f"batches is {100 * statistics.median(shares):.1f} %.",
            )
        )
    return found


def drift_note(drift: Drift) -> str:
    """A drift as the ledger keeps it."""
    return f"drift {drift.level} {drift.code}: {drift.sentence}"


def drifts_noted(notes: Sequence[str]) -> list[Drift]:
    """The drifts among the notes of a batch."""
    found = []
    for note in notes:
        head, _, sentence = note.partition(": ")
        words = head.split(" ")
        if len(words) == 3 and words[0] == "drift" and words[1] in ("alarm", "notice"):
            level: Level = "alarm" if words[1] == "alarm" else "notice"
            found.append(Drift(words[2], level, sentence))
    return found


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _percent(log_move: float) -> str:
    return f"{100 * math.expm1(log_move):+.1f} %".replace("-", "−")
