"""The joint panel: the votes of several benchmarks from one pass over a month.

Benchmarks that collect by UTC days, ask no trades and read only their own row can share a pass: every row is
placed under the one benchmark whose rules it meets, and grouped by it. It gives the votes that ``panel`` gives
each benchmark alone, to the last bit; a test holds the two together. What the caller knows of the rows (see
``Facts``) leaves whole steps out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from ..grades.rules import GradeRule, rules_of
from ..records import digest_of
from .methodology import Benchmark, Methodology
from .panel import (
    MACHINE_KEY,
    OFFER_KEY,
    VOTING_COLUMNS,
    bit_xor_fold,
    exact_median,
    with_keys,
    with_latest_state,
)
from .reading import columns_read

if TYPE_CHECKING:
    import ibis

DAY_MICROS = 86_400_000_000
PLACE, DAY = "place", "fixing_date"
"""Columns of the votes: the number of the benchmark in the pass, and the start of the UTC day in microseconds."""

VOTE_COLUMNS = (
    "observation_id", "content_check", "tier", "seller", "observed_at", "price_micros", "carried_by_source", "rights",
    "simulated", "suspect", "gpu_seconds",
)  # fmt: skip
"""What every vote reads of an observation."""
KEY_COLUMNS = frozenset(
    {
        "kind", "source", "venue", "sku", "name_as_written", "form_factor", "memory_gb", "region", "pricing",
        "term_months", "gpu_count", "machine",
    }
)  # fmt: skip
"""What tells one offer from another."""
PANEL_KEYS = frozenset({"inputs", "vote", "include_carried", "suspect"})
"""Keys of a methodology that the joint panel reads."""
LATER_KEYS = frozenset(
    {
        "version", "hierarchy", "blend", "seller_statistic", "estimator", "tail", "partitions", "spread_floor",
        "splice", "memory_days", "weights", "tier_weights", "cap", "cap_venue", "weight_floor", "screen",
        "min_sellers", "min_votes", "min_observations", "min_venues", "min_gpu_hours", "max_dispersion",
        "dispersion_days", "reopen", "thin_sellers", "thin_observations", "calendar", "weekday", "holidays",
        "matched_days", "fallback", "carry_days", "decimals", "publication_lag_hours", "publication_time",
        "publication_grace_hours", "finality_hours", "republication_window_days", "republication_threshold", "cessation_notice_days",
    }
)  # fmt: skip
"""Keys that only speak of votes, dates and what is published. A key that stands in neither list keeps a
benchmark out of joint passes as soon as it is set, so that a new rule of the panel is never passed over."""
PLAIN_RULES = frozenset({"among", "not_among", "at_least", "at_most"})
"""Kinds of grade rules that one row answers from its own columns."""

JointKey = tuple[tuple[str, ...], tuple[str, ...], bool, str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the rows that a pass reads; the defaults are what is true of any rows.

    ``repeats``: an offer may stand twice on one UTC day, so that its latest state must be found.
    ``machines``: a row may name its machine, so that one size of it must be chosen. ``venues``: a row may
    name its venue.
    """

    repeats: bool = True
    machines: bool = True
    venues: bool = True


def joint_key(benchmark: Benchmark) -> JointKey | None:
    """What benchmarks must have in common to share a pass; None for one that needs the whole panel."""
    rules = benchmark.methodology
    alone = (
        bool(set_keys(rules) - PANEL_KEYS - LATER_KEYS)
        or "trade" in rules.inputs
        or "observation" in rules.vote
        or (rules.screen is not None and rules.screen.administered is not None)
        or any(rule.kind not in PLAIN_RULES for rule in rules_of(benchmark.grade))
        or bool(columns_read(rules))
    )
    return None if alone else (rules.inputs, rules.vote, rules.include_carried, rules.suspect)


def set_keys(rules: Methodology) -> set[str]:
    """The keys of a methodology that are not at their default."""
    return set(rules.model_dump(exclude_defaults=True))


def layers(benchmarks: Sequence[Benchmark]) -> list[list[Benchmark]]:
    """Benchmarks in as few passes as they allow: those of one pass have one key and different chips."""
    found: dict[tuple[JointKey, int], list[Benchmark]] = {}
    seen: dict[tuple[JointKey, str], int] = {}
    for benchmark in benchmarks:
        key = joint_key(benchmark)
        if key is None:
            raise ValueError(f"{benchmark.name} can't share a pass")
        depth = seen.get((key, benchmark.grade.chip), 0)
        seen[key, benchmark.grade.chip] = depth + 1
        found.setdefault((key, depth), []).append(benchmark)
    return list(found.values())


def pass_key(what: str, benchmarks: Sequence[Benchmark], facts: Facts) -> str:
    """What a prepared query of a pass depends on."""
    return f"{what} {digest_of([b.methodology_hash for b in benchmarks])} {facts}"


def joint_votes(observations: ibis.Table, benchmarks: Sequence[Benchmark], facts: Facts) -> ibis.Table:
    """One row per benchmark, UTC day, tier and vote key, with the columns of ``panel.votes``.

    PLACE is the benchmark's number in ``benchmarks`` and DAY the day's first microsecond since 1970.
    ``venues`` holds the least and the greatest venue, as ``venue_low`` and ``venue_high``.
    """
    import ibis

    panel, keys = _entered(observations, benchmarks, facts)
    fold = bit_xor_fold()
    found: dict[str, Any] = {
        "twice_median": (panel.price_micros.median() * 2).cast("int64"),
        "n_observations": panel.count(),
        "gpu_seconds": panel.gpu_seconds.sum().fill_null(0).cast("int64"),
        "simulated": panel.simulated.any(),
        "rights_unknown": (panel.rights == "unknown").any(),
        "identity_xor": fold(panel.observation_id),
        "content_xor": fold(panel.content_check),
    }
    if any(b.methodology.seller_statistic == "mean" for b in benchmarks):
        found["price_sum"] = panel.price_micros.cast("decimal(38,0)").sum()
    if facts.venues:
        found |= {"venue_low": panel.seller_venue.min(), "venue_high": panel.seller_venue.max()}
    votes = exact_median(panel.group_by(keys).aggregate(**found))
    return votes.mutate(**{name: ibis.null("string") for name in ("region", "sku") if name not in keys})


def joint_venues(observations: ibis.Table, benchmarks: Sequence[Benchmark], facts: Facts) -> ibis.Table:
    """The distinct venues behind each vote, one a row: asked only where a vote has more than one."""
    import ibis

    panel, keys = _entered(observations, benchmarks, facts)
    found = panel.select(*keys, "seller_venue").distinct()
    return found.mutate(**{name: ibis.null("string") for name in ("region", "sku") if name not in keys})


def joint_range(observations: ibis.Table, benchmarks: Sequence[Benchmark]) -> ibis.Table:
    """First and last instant at which any observation meets the grade of each benchmark, by PLACE."""
    asked = {rule.column for b in benchmarks for rule in rules_of(b.grade)} | {"observed_at"}
    rows = observations.select(*sorted(asked))
    placed = _placed(rows, benchmarks, [rules_of(b.grade) for b in benchmarks])
    return placed.group_by(PLACE).aggregate(first=placed.observed_at.min(), last=placed.observed_at.max())


def joint_facts(observations: ibis.Table) -> ibis.Table:
    """One row that tells the Facts of these rows, for one who believes nothing that was noted of them.

    ``n_offers`` counts the rows, ``n_different`` their offers and days apart by a 64-bit hash: where both are equal, no
    offer stands twice on a day. Two offers of one hash only look like a repeat, which is always safe to say.
    Counting takes a fourth of the time in which latest states are found.
    """
    import ibis

    columns = ["observation_id", "observed_at", "seller", *sorted(KEY_COLUMNS), "tier"]
    table = with_keys(_on_days(observations.select(*columns)))
    offer = ibis.struct({name: table[name] for name in (DAY, *OFFER_KEY)})
    return table.aggregate(
        n_offers=table.count(),
        n_different=offer.hash().nunique(),
        n_machines=table.machine.count(),
        n_venues=table.venue.count(),
    )


def _on_days(rows: ibis.Table) -> ibis.Table:
    """Rows with the start of the UTC day on which each was observed."""
    micros = _unix_micros()(rows.observed_at)
    return rows.mutate(**{DAY: micros - micros % DAY_MICROS})


def _entered(
    observations: ibis.Table, benchmarks: Sequence[Benchmark], facts: Facts
) -> tuple[ibis.Table, list[str]]:
    """The rows that enter the panel of some benchmark, and the key of its votes."""
    shared = benchmarks[0]
    rules, voting = shared.methodology, ("seller", *shared.methodology.vote)
    keyed = facts.repeats or facts.machines or "sku" in voting
    table = _on_days(observations.select(*_columns_of(benchmarks, facts, keyed=keyed)))
    if keyed:
        table = with_keys(table)
    elif facts.venues:
        table = table.mutate(seller_venue=table.venue.fill_null(table.seller))
    if facts.repeats:
        table = with_latest_state(table, shared)
        table = table.filter((table.observed_at >= table.latest_state_at).fill_null(True))
    met = [table.tier.isin(list(rules.inputs)), table.rights != "forbidden"]
    if not rules.include_carried:
        met.append(~table.carried_by_source)
    if rules.suspect == "exclude":
        met.append(table.suspect.isnull())
    table = _placed(table.filter(met), benchmarks, [rules_of(b.grade) for b in benchmarks])
    if facts.machines:
        size = table.gpu_count.fill_null(0)
        largest = size.max().over(group_by=[PLACE, DAY, *MACHINE_KEY])
        smaller = table.machine.notnull() & (size < largest).fill_null(False)
        flagged = table.mutate(refused_here=smaller)
        table = flagged.filter(~flagged.refused_here).drop("refused_here")
    if "sku" in voting:
        table = table.mutate(sku=table.sku_key)
    return table, [PLACE, DAY, "tier", *(name for name in ("seller", "region", "sku") if name in voting)]


def _columns_of(benchmarks: Sequence[Benchmark], facts: Facts, *, keyed: bool) -> list[str]:
    """The columns that a pass reads: each one more is named in every step, which an engine plans anew."""
    asked = {rule.column for b in benchmarks for rule in rules_of(b.grade)} | set(VOTE_COLUMNS)
    if keyed:
        asked |= KEY_COLUMNS
    if facts.venues:
        asked.add("venue")
    if "region" in benchmarks[0].methodology.vote:
        asked.add("region")
    return [name for name in VOTING_COLUMNS if name in asked]


def _placed(
    table: ibis.Table, benchmarks: Sequence[Benchmark], rules: Sequence[Sequence[GradeRule]]
) -> ibis.Table:
    """The rows that meet a grade, each with the PLACE of its benchmark. What all grades ask is asked once."""
    import ibis

    common = [rule for rule in rules[0] if all(rule in others for others in rules)]
    cases = []
    for place in range(len(benchmarks)):
        own = [rule.predicate(table) for rule in rules[place] if rule not in common]
        cases.append((reduce(and_, own, ibis.literal(value=True)), ibis.literal(place, "int16")))
    asked = [rule.predicate(table) for rule in common]
    placed = table.mutate(**{PLACE: ibis.cases(*cases, else_=ibis.null("int16"))})
    return placed.filter([*asked, placed[PLACE].notnull()])


def _micros(instant: Any) -> int:
    """Lends its types to the engine's own ``unix_micros``: microseconds of an instant since 1970 UTC."""
    raise NotImplementedError


def _unix_micros() -> Any:
    import ibis

    kinds = ibis.expr.datatypes
    instant = kinds.Timestamp(timezone="UTC")
    return ibis.udf.scalar.builtin(_micros, name="unix_micros", signature=((instant,), kinds.int64))
