"""Tally: the votes of a joint pass, counted and sealed as columns.

A year of ten benchmarks holds hundreds of thousands of votes. Where a fixing needs no more of them than their
prices, their counts and the digest that seals them, no object is made of each vote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..records import canonical_json
from .ballot import Ballot, ballot_of
from .joint import DAY, DAY_MICROS, PLACE
from .methodology import Methodology

VOTE_KEY = (PLACE, DAY, "tier", "seller", "region", "sku")
_FIRST_DAY = date(1970, 1, 1).toordinal()

VenuesOf = Mapping[tuple[Any, ...], list[str]]
"""The venues behind each vote by VOTE_KEY, where some vote has more than one."""


@dataclass(frozen=True, slots=True)
class DayVotes:
    """The votes of one benchmark, tier and UTC day: their ``prices`` in ascending order, micro-USD, and counts.

    ``digest`` is the input digest, the same as that of the ballots.
    """

    prices: tuple[int, ...]
    n_observations: int
    n_venues: int
    gpu_seconds: int
    simulated: bool
    rights_unknown: bool
    digest: str


def venues_by_vote(rows: pa.Table) -> VenuesOf:
    """What ``joint_venues`` found, by vote."""
    found: dict[tuple[Any, ...], list[str]] = {}
    for row in rows.to_pylist():
        found.setdefault(tuple(row[name] for name in VOTE_KEY), []).append(row["seller_venue"])
    return found


def has_several_venues(votes: pa.Table) -> bool:
    """Whether any vote rests on more than one venue."""
    if "venue_low" not in votes.column_names:
        return False
    return bool(pc.any(pc.not_equal(votes["venue_low"], votes["venue_high"]), min_count=0).as_py())


def ballots_in(
    votes: pa.Table, methodology: Methodology, venues: VenuesOf | None
) -> dict[date, list[Ballot]]:
    """The ballots of one benchmark's votes by day, each day's in their one order."""
    found: dict[date, list[Ballot]] = {}
    for row in votes.to_pylist():
        row["venues"] = _venues_behind(row, venues)
        found.setdefault(day_of(row[DAY]), []).append(ballot_of(row, methodology))
    return {day: sorted(ballots, key=lambda b: b.order) for day, ballots in found.items()}


def day_of(micros: int) -> date:
    """The UTC day that starts at this microsecond since 1970."""
    return date.fromordinal(_FIRST_DAY + micros // DAY_MICROS)


def tallied(votes: pa.Table, venues: VenuesOf | None) -> dict[int, dict[date, DayVotes]]:
    """By place and day the votes of a pass whose votes are one per seller, of one tier, by the median."""
    if not votes.num_rows:
        return {}
    place, day, price = (_whole(votes, name) for name in (PLACE, DAY, "median_micros"))
    rank, seller, prefixes = _sellers(votes)
    order = np.lexsort((rank, day, place))
    starts = _starts(place[order], day[order])
    texts, bounds = _contents(votes, order, seller, prefixes)
    prices = price[np.lexsort((price, day, place))].tolist()
    sums = {
        name: np.add.reduceat(_whole(votes, name)[order], starts)
        for name in ("n_observations", "gpu_seconds")
    }
    marks = {
        name: np.logical_or.reduceat(votes[name].to_numpy()[order], starts)
        for name in ("simulated", "rights_unknown")
    }
    n_venues = _venue_counts(votes, order, starts, venues)
    found: dict[int, dict[date, DayVotes]] = {}
    ends = [*starts[1:].tolist(), len(order)]
    for number, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        first = order[start]
        # one text per vote with a comma after it: the list without its last comma
        content = b"[%b]" % texts[bounds[start] : bounds[end] - 1]
        found.setdefault(int(place[first]), {})[day_of(int(day[first]))] = DayVotes(
            prices=tuple(prices[start:end]),
            n_observations=int(sums["n_observations"][number]),
            n_venues=n_venues[number],
            gpu_seconds=int(sums["gpu_seconds"][number]),
            simulated=bool(marks["simulated"][number]),
            rights_unknown=bool(marks["rights_unknown"][number]),
            digest=hashlib.sha256(content).hexdigest(),
        )
    return found


def _whole(votes: pa.Table, name: str) -> npt.NDArray[np.int64]:
    return np.asarray(votes[name].to_numpy(), np.int64)


def _starts(place: npt.NDArray[np.int64], day: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each place and day begins in columns that are ordered by them."""
    changed = np.flatnonzero((place[1:] != place[:-1]) | (day[1:] != day[:-1])) + 1
    return np.concatenate([np.zeros(1, np.int64), changed])


def _sellers(votes: pa.Table) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[str]]:
    """Each vote's rank among sellers in the order that the digest sorts by, its seller's number, and how the
    content of each seller's votes begins.

    ``input_digest`` sorts votes by the text of their content. Votes of one tier differ first in the seller,
    and no quoted name begins another, so that the order of quoted names is the order of the whole texts.
    """
    coded = votes["seller"].combine_chunks().dictionary_encode()
    names = coded.dictionary.to_pylist()
    tier = votes["tier"][0].as_py()
    in_order = {name: rank for rank, name in enumerate(sorted(names, key=repr))}
    ranks = np.array([in_order[name] for name in names], np.int64)
    number = np.asarray(coded.indices.to_numpy(), np.int64)
    begins = [canonical_json([tier, name, None, None]).decode()[:-1] + "," for name in names]
    return ranks[number], number, begins


def _contents(
    votes: pa.Table, order: npt.NDArray[np.int64], seller: npt.NDArray[np.int64], prefixes: Sequence[str]
) -> tuple[bytes, npt.NDArray[np.int64]]:
    """The canonical text of each vote's content in order, a comma after each, and where each begins and ends."""

    def text(name: str) -> pa.Array:
        return pa.array(_whole(votes, name)[order]).cast(pa.large_string())

    begin = pa.array(prefixes, pa.large_string()).take(pa.array(seller[order]))
    folds = np.stack([_whole(votes, name)[order] for name in ("identity_xor", "content_xor")], axis=1)
    digits = folds.astype(">i8").tobytes().hex().encode()
    offsets = np.arange(len(order) + 1, dtype=np.int64) * 32
    fold = pa.Array.from_buffers(
        pa.large_string(), len(order), [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(digits)]
    )
    comma, opened, closed = (pa.scalar(sign, pa.large_string()) for sign in (",", ',"', '"],'))
    joined = pc.binary_join_element_wise(
        begin, text("median_micros"), comma, text("n_observations"), comma, text("gpu_seconds"), opened, fold,
        closed, pa.scalar("", pa.large_string()),
    )  # fmt: skip
    _, bounds, data = joined.buffers()
    return data.to_pybytes(), np.frombuffer(bounds, np.int64, len(order) + 1)


def _venue_counts(
    votes: pa.Table, order: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], venues: VenuesOf | None
) -> list[int]:
    """Distinct venues behind each place and day; a vote without a stated venue counts its seller."""
    ends = [*starts[1:].tolist(), len(order)]
    if "venue_low" not in votes.column_names:
        return [end - start for start, end in zip(starts.tolist(), ends, strict=True)]
    held = list(_venues_of_votes(votes, venues))
    return [
        len({venue for vote in order[start:end].tolist() for venue in held[vote]})
        for start, end in zip(starts.tolist(), ends, strict=True)
    ]


def _venues_of_votes(votes: pa.Table, venues: VenuesOf | None) -> Iterator[Sequence[str]]:
    if venues is None:
        yield from ((venue,) for venue in votes["venue_low"].to_pylist())
        return
    for row in votes.select([*VOTE_KEY]).to_pylist():
        yield venues[tuple(row[name] for name in VOTE_KEY)]


def _venues_behind(row: Mapping[str, Any], venues: VenuesOf | None) -> Sequence[str]:
    if venues is not None:
        return venues[tuple(row[name] for name in VOTE_KEY)]
    return [row.get("venue_low") or row["seller"]]
