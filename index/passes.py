"""A joint pass run on an engine: what each benchmark's fixings are made from, from rows bound once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from .ballot import Ballot
from .build import Engine, bound_observations, bound_windows
from .joint import PLACE, Facts, joint_facts, joint_range, joint_venues, joint_votes, pass_key
from .methodology import Benchmark
from .panel import in_windows
from .plain import is_plain
from .tally import DayVotes, ballots_in, has_several_venues, tallied, venues_by_vote

if TYPE_CHECKING:
    import ibis


@dataclass(frozen=True, slots=True)
class PassVotes:
    """The votes of one benchmark by UTC day: ``counted`` where it is plain, else as ``ballots``."""

    counted: Mapping[date, DayVotes]
    ballots: Mapping[date, list[Ballot]]


def run_pass(
    benchmarks: Sequence[Benchmark], engine: Engine, facts: Facts, *, windowed: bool = False
) -> list[PassVotes]:
    """The votes of each benchmark from the bound ``observations``, of every UTC day that they hold.

    The benchmarks are one of ``layers``, and ``facts`` must be true of the rows. Only rows that were recorded by
    the as-of instant may be bound; or, ``windowed``, any rows with ``windows``, which say until when each day
    was seen, and of which days votes are asked.
    """

    def rows() -> ibis.Table:
        observations = bound_observations()
        if not windowed:
            return observations
        return in_windows(observations, bound_windows(), benchmarks[0], reconstructed=False)

    within = " in windows" if windowed else ""
    votes = engine.query(
        pass_key(f"joint votes{within}", benchmarks, facts), lambda: joint_votes(rows(), benchmarks, facts)
    )
    venues = None
    if has_several_venues(votes):
        found = engine.query(
            pass_key(f"joint venues{within}", benchmarks, facts),
            lambda: joint_venues(rows(), benchmarks, facts),
        )
        venues = venues_by_vote(found)
    plain = [place for place, benchmark in enumerate(benchmarks) if is_plain(benchmark)]
    counted = tallied(_of_places(votes, plain, len(benchmarks)), venues)
    return [
        PassVotes(counted.get(place, {}), {})
        if place in plain
        else PassVotes({}, ballots_in(_of_places(votes, [place], 0), benchmark.methodology, venues))
        for place, benchmark in enumerate(benchmarks)
    ]


def facts_found(engine: Engine) -> Facts:
    """The Facts of the bound ``observations``, counted."""
    (found,) = engine.query("joint facts", lambda: joint_facts(bound_observations())).to_pylist()
    return Facts(
        repeats=found["n_different"] < found["n_offers"],
        machines=found["n_machines"] > 0,
        venues=found["n_venues"] > 0,
    )


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
