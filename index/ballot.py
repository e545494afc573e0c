"""A ballot: the votes of one fixing date and tier, as the panel returned them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

import pyarrow as pa

from ..records import digest_of, divide_half_even, to_microseconds
from .estimators import VoteId
from .gates import Counts, largest_aggregator_share
from .methodology import Methodology


@dataclass(frozen=True, slots=True)
class Ballot:
    """One vote before it is weighed.

    ``identity_xor`` and ``content_xor`` fold the 64-bit identities and content checks of the
    observations behind it, an order-free fingerprint that any accidental change alters. ``instant`` is the
    latest observation in microseconds since 1970 UTC, ``capacity`` the GPUs stated as available; these,
    ``buyer`` and ``aggregators`` are read only where a rule asks for them. ``slice`` is 0 for a vote of the
    window, else the number of the part of it that a sampling vote stands for.
    """

    tier: str
    seller: str
    region: str | None
    observation_id: int | None
    value_micros: int
    n_observations: int
    gpu_seconds: int
    venues: tuple[str, ...]
    simulated: bool
    rights_unknown: bool
    identity_xor: int
    content_xor: int
    sku: str | None = None
    instant: int | None = None
    buyer: str | None = None
    aggregators: tuple[str, ...] = ()
    capacity: int | None = None
    slice: int = 0

    @property
    def id(self) -> VoteId:
        """What it is the vote of, from day to day."""
        return (self.seller, self.region, self.sku)

    @property
    def order(self) -> tuple[int, str, str, str, int, str]:
        """Ascending price, then names: the one order in which estimators see votes."""
        names = (self.seller, self.region or "", self.sku or "")
        return (self.value_micros, *names, self.observation_id or 0, self.tier)

    def content(self) -> list[Any]:
        """What the input digest seals of this vote. What rules may read besides is in the content checks."""
        more = [self.sku, self.slice] if self.slice else [self.sku] if self.sku is not None else []
        return [
            self.tier,
            self.seller,
            self.region,
            self.observation_id,
            self.value_micros,
            self.n_observations,
            self.gpu_seconds,
            f"{self.identity_xor & (2**64 - 1):016x}{self.content_xor & (2**64 - 1):016x}",
            *more,
        ]


def read_ballots(votes: pa.Table, methodology: Methodology) -> Iterator[tuple[date, list[Ballot]]]:
    """Group a votes table by fixing date, each day's ballots in their one order."""
    rows = votes.sort_by([("fixing_date", "ascending")]).to_pylist()
    for day, group in groupby(rows, key=lambda row: row["fixing_date"]):
        ballots = [ballot_of(row, methodology) for row in group]
        yield day, sorted(ballots, key=lambda b: b.order)


def ballot_of(row: dict[str, Any], methodology: Methodology) -> Ballot:
    """One row of a votes table as a ballot."""
    count = int(row["n_observations"])
    if methodology.seller_statistic == "mean":
        value = divide_half_even(int(row["price_sum"]), count)
    else:
        value = int(row["median_micros"])
    return Ballot(
        tier=row["tier"],
        seller=row["seller"],
        region=row["region"],
        observation_id=row.get("vote_trade"),
        value_micros=value,
        n_observations=count,
        gpu_seconds=int(row["gpu_seconds"]),
        venues=tuple(sorted(row["venues"])),
        simulated=bool(row["simulated"]),
        rights_unknown=bool(row["rights_unknown"]),
        identity_xor=int(row["identity_xor"]),
        content_xor=int(row["content_xor"]),
        sku=row.get("sku"),
        instant=None if row.get("last_observed_at") is None else to_microseconds(row["last_observed_at"]),
        buyer=row.get("buyer"),
        aggregators=tuple(sorted(row.get("aggregators") or ())),
        capacity=None if row.get("capacity") is None else int(row["capacity"]),
    )


def count(ballots: Sequence[Ballot]) -> Counts:
    """What the gates count of these ballots."""
    return Counts(
        n_sellers=len({b.seller for b in ballots}),
        n_votes=len(ballots),
        n_observations=sum(b.n_observations for b in ballots),
        n_venues=len({venue for b in ballots for venue in b.venues}),
        gpu_seconds=sum(b.gpu_seconds for b in ballots),
        aggregator_share=largest_aggregator_share(
            [b.seller for b in ballots], [b.aggregators for b in ballots]
        ),
    )


def input_digest(ballots: Sequence[Ballot]) -> str:
    """SHA-256 over the canonically sorted votes and the fingerprints of the observations behind them.

    It depends on what the observations say, not on payload, position or recorded time, nor on
    the order in which they came.
    """
    return digest_of(sorted((b.content() for b in ballots), key=repr))
