"""A joint pass run on an engine: what each benchmark's fixings are made from, from rows bound once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import pyarrow as pa
import pyarrow.compute as pc

from .ballot import Ballot
from .build import Engine, bound_observations
from .joint import PLACE, Facts, joint_range, joint_venues, joint_votes, pass_key
from .methodology import Benchmark
from .plain import is_plain
from .tally import DayVotes, ballots_in, has_several_venues, tallied, venues_by_vote


@dataclass(frozen=True, slots=True)
class PassVotes:
    """The votes of one benchmark by UTC day: ``counted`` where it is plain, else as ``ballots``."""

    counted: Mapping[date, DayVotes]
    ballots: Mapping[date, list[Ballot]]


def run_pass(benchmarks: Sequence[Benchmark], engine: Engine, facts: Facts) -> list[PassVotes]:
    """The votes of each benchmark from the bound ``observations``, of every UTC day that they hold.

    The benchmarks are one of ``layers``. Only rows that were recorded by the as-of instant may be bound, and
    ``facts`` must be true of them.
    """
    votes = engine.query(
        pass_key("joint votes", benchmarks, facts),
        lambda: joint_votes(bound_observations(), benchmarks, facts),
    )
    venues = None
    if has_several_venues(votes):
        rows = engine.query(
            pass_key("joint venues", benchmarks, facts),
            lambda: joint_venues(bound_observations(), benchmarks, facts),
        )
        venues = venues_by_vote(rows)
    plain = [place for place, benchmark in enumerate(benchmarks) if is_plain(benchmark)]
    counted = tallied(_of_places(votes, plain, len(benchmarks)), venues)
    return [
        PassVotes(counted.get(place, {}), {})
        if place in plain
        else PassVotes({}, ballots_in(_of_places(votes, [place], 0), benchmark.methodology, venues))
        for place, benchmark in enumerate(benchmarks)
    ]


def ranges_met(benchmarks: Sequence[Benchmark], engine: Engine) -> dict[int, tuple[datetime, datetime]]:
    """By place the first and last instant at which a bound observation meets the grade of each benchmark."""
    found = engine.query(
        pass_key("joint range", benchmarks, Facts()),
        lambda: joint_range(bound_observations(), benchmarks),
    )
    return {row[PLACE]: (row["first"], row["last"]) for row in found.to_pylist()}


def _of_places(votes: pa.Table, places: Sequence[int], of: int) -> pa.Table:
    if len(places) == of:
        return votes
    return votes.filter(pc.is_in(votes[PLACE], value_set=pa.array(places, pa.int16())))
