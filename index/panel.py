"""The panel: one Ibis expression from observations to one vote per vote key and fixing date.

The same expression filters for a build and marks every row with the first rule that refused it
for an explanation; it runs unchanged on any engine Ibis compiles to. Values are integers and
medians are exact, so that results agree to the last bit whatever the engine, thread count or
row order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..grades.rules import SELLER_STATES_FORM_FACTOR
from ..grades.spec import UNSTATED_IF_SILENT
from ..records.schemas import INSTANT
from .adjusting import adjusted_rules, restated, with_factors
from .methodology import Benchmark
from .rating import with_ratings
from .reading import read_aggregates
from .trade_screens import is_circular, screen_rules, screens_circles
from .trade_versions import trade_versions, with_superseded
from .windows import Window

if TYPE_CHECKING:
    import ibis

WINDOW_SCHEMA = pa.schema(
    [
        pa.field("fixing_date", pa.date32(), nullable=False),
        pa.field("window_start", INSTANT, nullable=False),
        pa.field("window_end", INSTANT, nullable=False),
        pa.field("seen_until", INSTANT, nullable=False),
    ]
)

VOTING_COLUMNS = (
    "observation_id", "content_check", "kind", "tier", "source", "sku", "name_as_written", "seller", "venue",
    "observed_at", "known_at", "recorded_at", "chip", "form_factor", "memory_gb", "gpu_count", "price_micros",
    "price_basis", "region", "country", "pricing", "term_months", "service", "interconnect", "tenancy",
    "minimum_gpus", "machine", "carried_by_source", "rights", "simulated", "suspect", "trade_id",
    "trade_status", "gpu_seconds",
)  # fmt: skip
"""What rules and votes ask of an observation. Every step of the panel names its columns, so that
leaving the others out halves the time an engine plans a small query."""

REFUSAL = "refusal"
"""Column that names the first rule that refused a row; null for a row that entered the panel."""

OFFER_KEY = (
    "tier",
    "source",
    "seller_venue",
    "seller",
    "sku_key",
    "region",
    "pricing",
    "term_months",
    "gpu_count",
    "machine",
    "trade_key",
)
"""What one offer is. The tier is part of it: a list price is no later state of an executable quote."""
MACHINE_KEY = ("tier", "source", "seller_venue", "seller", "machine", "trade_key")


def windows_table(windows: Sequence[Window]) -> pa.Table:
    """Windows as an Arrow table that the panel joins."""
    columns = [
        [w.date for w in windows],
        [w.start for w in windows],
        [w.end for w in windows],
        [w.seen_until for w in windows],
    ]
    arrays = [pa.array(c, f.type) for c, f in zip(columns, WINDOW_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=WINDOW_SCHEMA)


def in_windows(
    observations: ibis.Table, windows: ibis.Table, benchmark: Benchmark, *, reconstructed: bool
) -> ibis.Table:
    """Observations joined to the fixing dates that collect them, as far as they were known by then.

    Strict: ``recorded_at ≤ seen_until``. Reconstructed: ``known_at ≤ seen_until``.
    """
    rules = benchmark.methodology
    if rules.cutoff is None and rules.lookback_hours is None and rules.staleness_hours is None:
        dated = observations.mutate(fixing_date=observations.observed_at.date())
        joined = dated.inner_join(windows, "fixing_date")
    else:
        joined = observations.inner_join(
            windows,
            [observations.observed_at >= windows.window_start, observations.observed_at < windows.window_end],
        )
    clock = joined.known_at if reconstructed else joined.recorded_at
    return joined.filter(clock <= joined.seen_until).drop("window_start", "window_end")


def selected(
    observations: ibis.Table,
    windows: ibis.Table,
    benchmark: Benchmark,
    *,
    corrections: ibis.Table | None = None,
    ratings: ibis.Table | None = None,
    reconstructed: bool = False,
    marking: bool = False,
) -> ibis.Table:
    """Rows that enter the panel, or with ``marking`` every row with its REFUSAL.

    ``corrections`` holds trade events from outside the windows' months that may supersede a trade.
    Rules are asked in order: methodology's inputs, grade, rights, doubts, then supersession of
    trades, latest state per offer, screens of sellers and trades, and one size per machine.
    """
    import ibis

    table = in_windows(observations, windows, benchmark, reconstructed=reconstructed)
    table = with_latest_state(with_keys(table), benchmark)
    if UNSTATED_IF_SILENT in (benchmark.grade.form_factor or ()):
        table = _with_seller_form_factor(table)
    table = with_factors(with_ratings(table, ratings), benchmark)
    trades = "trade" in benchmark.methodology.inputs
    if trades:
        versions = trade_versions(observations, corrections)
        table = with_superseded(table, versions, reconstructed=reconstructed)
    rules = _row_rules(table, benchmark, trades=trades)
    if marking:
        refusal = ibis.cases(*[(~predicate, code) for code, predicate in rules], else_=ibis.null("string"))
        table = table.mutate(**{REFUSAL: refusal})
    else:
        table = table.filter([predicate for _, predicate in rules])
    if screens_circles(benchmark.methodology):
        standing = table[REFUSAL].isnull() if marking else True
        table = _refuse(table, "circular_trade", is_circular(table, standing), marking=marking)
    size = table.gpu_count.fill_null(0)
    largest = _among_kept(table, size, marking=marking).max().over(group_by=["fixing_date", *MACHINE_KEY])
    smaller = table.machine.notnull() & (size < largest).fill_null(False)
    table = _refuse(table, "smaller_size_of_machine", smaller, marking=marking)
    return restated(table, benchmark, refusal=table[REFUSAL] if marking else None)


def with_latest_state(table: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """Add when each offer was last seen in the window, whatever its state then.

    It is asked before the grade: an offer that left the grade does not count as it was before. An old
    price that the source repeats is no state of the market, and does not push a seen one out.
    """
    import ibis

    seen = table.observed_at
    if not benchmark.methodology.include_carried:
        seen = ibis.cases((~table.carried_by_source, seen), else_=ibis.null(seen.type()))
    return table.mutate(latest_state_at=seen.max().over(group_by=["fixing_date", *OFFER_KEY]))


def with_keys(table: ibis.Table) -> ibis.Table:
    """Add the derived columns of the offer key: a null sku and a null venue have stand-ins."""
    import ibis

    written = (
        table.name_as_written.fill_null("")
        + "|"
        + table.form_factor.fill_null("")
        + "|"
        + table.memory_gb.cast("string").fill_null("")
    )
    return table.mutate(
        seller_venue=table.venue.fill_null(table.seller),
        sku_key=table.sku.fill_null(written),
        trade_key=ibis.cases((table.kind == "trade", table.observation_id), else_=ibis.null("int64")),
    )


def _with_seller_form_factor(table: ibis.Table) -> ibis.Table:
    """Mark rows whose seller states a form factor for that chip somewhere in the window."""
    states = table.form_factor.notnull().cast("int8").max()
    return table.mutate(
        **{SELLER_STATES_FORM_FACTOR: states.over(group_by=["fixing_date", "seller", "chip"]) == 1}
    )


def _row_rules(table: ibis.Table, benchmark: Benchmark, *, trades: bool) -> list[tuple[str, Any]]:
    """Rules that one row can answer, as (code, predicate it must meet)."""
    methodology = benchmark.methodology
    rules = adjusted_rules(table, benchmark)
    rules.append(("input_tier", table.tier.isin(list(methodology.inputs))))
    rules.append(("rights_forbidden", table.rights != "forbidden"))
    if not methodology.include_carried:
        rules.append(("carried_by_source", ~table.carried_by_source))
    if methodology.suspect == "exclude":
        rules.append(("suspect", table.suspect.isnull()))
    rules.append(("older_state", (table.observed_at >= table.latest_state_at).fill_null(True)))
    if trades:
        rules.append(("trade_superseded", ~table.superseded))
        rules.append(("trade_cancelled", (table.trade_status != "cancelled").fill_null(True)))
    return rules + screen_rules(table, methodology)


def _among_kept(table: ibis.Table, column: Any, *, marking: bool) -> Any:
    """The column where the row still stands; when marking, refused rows are present and must not speak."""
    import ibis

    if not marking:
        return column
    return ibis.cases((table[REFUSAL].isnull(), column), else_=ibis.null(column.type()))


def _refuse(table: ibis.Table, code: str, condition: Any, *, marking: bool) -> ibis.Table:
    """Drop rows that meet the condition, or mark them when marking."""
    import ibis

    if not marking:
        flagged = table.mutate(refused_here=condition)
        return flagged.filter(~flagged.refused_here).drop("refused_here")
    standing = table[REFUSAL].isnull()
    return table.mutate(**{REFUSAL: ibis.cases((standing & condition, code), else_=table[REFUSAL])})


def _bit_xor(x: int) -> int:
    """Lends its types to the engine's own ``bit_xor``, which folds a column; of one value, the value."""
    return x


def bit_xor_fold() -> Any:
    """The engine's exclusive-or over a column of 64-bit integers."""
    import ibis

    return ibis.udf.agg.builtin(_bit_xor, name="bit_xor")


def votes(panel: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """One row per fixing date, tier and vote key: value, counts, and the fold of content digests.

    The median of integers is exact: twice the median is an integer, and its half rounds half-even.
    ``price_sum`` serves the mean, which is divided once in integers later.
    """
    import ibis

    fold = bit_xor_fold()
    keys = ["fixing_date", "tier"]
    panel = panel.mutate(vote_trade=_vote_trade(panel, benchmark))
    keys += ["seller"]
    if "region" in benchmark.methodology.vote:
        keys += ["region"]
    else:
        panel = panel.mutate(region=ibis.null("string"))
        keys += ["region"]
    if "sku" in benchmark.methodology.vote:
        panel = panel.mutate(sku=panel.sku_key)
        keys += ["sku"]
    keys += ["vote_trade"]
    grouped = panel.group_by(keys).aggregate(
        twice_median=(panel.price_micros.median() * 2).cast("int64"),
        price_sum=panel.price_micros.cast("decimal(38,0)").sum(),
        n_observations=panel.count(),
        gpu_seconds=panel.gpu_seconds.sum().fill_null(0).cast("int64"),
        venues=panel.seller_venue.collect(distinct=True),
        simulated=panel.simulated.any(),
        rights_unknown=(panel.rights == "unknown").any(),
        identity_xor=fold(panel.observation_id),
        content_xor=fold(panel.content_check),
        **read_aggregates(panel, benchmark.methodology),
    )
    return exact_median(grouped)


def exact_median(grouped: ibis.Table) -> ibis.Table:
    """Put the median, rounded half-even, in place of twice the median, which is a whole number."""
    half = grouped.twice_median >> 1
    odd = grouped.twice_median & 1
    return grouped.mutate(median_micros=half + (odd & (half & 1))).drop("twice_median")


def _vote_trade(panel: ibis.Table, benchmark: Benchmark) -> Any:
    """The identity of a single-observation vote, or null where a vote gathers observations."""
    import ibis

    if "observation" in benchmark.methodology.vote:
        return panel.observation_id
    return ibis.null("int64")


def meeting_grade(
    observations: ibis.Table, benchmark: Benchmark, ratings: ibis.Table | None = None
) -> ibis.Table:
    """First and last instant at which any observation meets the grade: the range a build covers.

    ``ratings`` are those of the UTC days on which observations were made.
    """
    table = observations.mutate(fixing_date=observations.observed_at.date())
    if UNSTATED_IF_SILENT in (benchmark.grade.form_factor or ()):
        table = table.mutate(**{SELLER_STATES_FORM_FACTOR: table.form_factor.isnull() & False})
    table = with_factors(with_ratings(table, ratings), benchmark)
    met = table.filter([predicate for _, predicate in adjusted_rules(table, benchmark)])
    return met.aggregate(first=met.observed_at.min(), last=met.observed_at.max())
