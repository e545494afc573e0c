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

from ..grades.rules import SELLER_STATES_FORM_FACTOR, grade_rules
from ..grades.spec import UNSTATED_IF_SILENT
from ..records.schemas import INSTANT
from .methodology import Benchmark
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

CORRECTION_COLUMNS = (
    "observation_id", "kind", "source", "known_at", "recorded_at", "trade_id", "trade_status",
)  # fmt: skip
"""What the panel asks of a trade event that may supersede another."""

REFUSAL = "refusal"
"""Column that names the first rule that refused a row; null for a row that entered the panel."""

OFFER_KEY = (
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
MACHINE_KEY = ("source", "seller_venue", "seller", "machine", "trade_key")
SUPERSEDING = ("amends", "recorded_at", "known_at", "status_rank", "observation_id")
"""How late a version of a trade is. A first report, however late it was loaded, never supersedes a
correction or cancellation of it."""
SUPERSEDING_RECONSTRUCTED = ("amends", "known_at", "status_rank", "observation_id")


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
    reconstructed: bool = False,
    marking: bool = False,
) -> ibis.Table:
    """Rows that enter the panel, or with ``marking`` every row with its REFUSAL.

    ``corrections`` holds trade events from outside the windows' months that may supersede a trade.
    Rules are asked in order: methodology's inputs, grade, rights, doubts, then supersession of
    trades, latest state per offer, and one size per machine.
    """
    import ibis

    table = in_windows(observations, windows, benchmark, reconstructed=reconstructed)
    table = _with_keys(table)
    if UNSTATED_IF_SILENT in (benchmark.grade.form_factor or ()):
        table = _with_seller_form_factor(table)
    trades = "trade" in benchmark.methodology.inputs
    if trades:
        versions = _trade_versions(observations, corrections)
        table = _with_superseded(table, versions, reconstructed=reconstructed)
    rules = _row_rules(table, benchmark, trades=trades)
    if marking:
        refusal = ibis.cases(*[(~predicate, code) for code, predicate in rules], else_=ibis.null("string"))
        table = table.mutate(**{REFUSAL: refusal})
    else:
        table = table.filter([predicate for _, predicate in rules])
    latest = _among_kept(table, table.observed_at, marking=marking).max()
    table = _refuse(
        table,
        "older_state",
        table.observed_at < latest.over(group_by=["fixing_date", *OFFER_KEY]),
        marking=marking,
    )
    largest = _among_kept(table, table.gpu_count, marking=marking).max()
    smaller = table.machine.notnull() & (
        table.gpu_count < largest.over(group_by=["fixing_date", *MACHINE_KEY])
    ).fill_null(False)
    return _refuse(table, "smaller_size_of_machine", smaller, marking=marking)


def _with_keys(table: ibis.Table) -> ibis.Table:
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


def _trade_versions(observations: ibis.Table, corrections: ibis.Table | None) -> ibis.Table:
    """Every version of every trade that may supersede another, with its order."""
    import ibis

    def versions(table: ibis.Table) -> ibis.Table:
        trades = table.filter(table.kind == "trade", table.trade_id.notnull())
        return trades.select(
            later_source=trades.source,
            later_trade_id=trades.trade_id,
            later_amends=_amends(trades),
            later_recorded_at=trades.recorded_at,
            later_known_at=trades.known_at,
            later_status_rank=_status_rank(trades),
            later_observation_id=trades.observation_id,
        )

    if corrections is None:
        return versions(observations)
    return ibis.union(versions(observations), versions(corrections), distinct=True)


def _status_rank(table: ibis.Table) -> Any:
    """Order of events of one trade at one instant: new, corrected, cancelled."""
    import ibis

    return ibis.cases((table.trade_status == "cancelled", 2), (table.trade_status == "corrected", 1), else_=0)


def _amends(table: ibis.Table) -> Any:
    """1 for an event that corrects or cancels a trade, 0 for its first report."""
    return (_status_rank(table) > 0).cast("int8")


def _with_superseded(table: ibis.Table, versions: ibis.Table, *, reconstructed: bool) -> ibis.Table:
    """Mark trade events of which a later version was known. Runs before the grade is asked, or a
    correction that changes the chip would leave the old trade in.
    """
    table = table.mutate(status_rank=_status_rank(table), amends=_amends(table))
    order = SUPERSEDING_RECONSTRUCTED if reconstructed else SUPERSEDING
    trades = table.filter(table.kind == "trade", table.trade_id.notnull())
    pairs = trades.inner_join(
        versions, [trades.source == versions.later_source, trades.trade_id == versions.later_trade_id]
    )
    seen = (pairs.later_known_at if reconstructed else pairs.later_recorded_at) <= pairs.seen_until
    later: Any = None
    equal: Any = None
    for column in order:
        mine, other = pairs[column], pairs[f"later_{column}"]
        step = other > mine if equal is None else equal & (other > mine)
        later = step if later is None else later | step
        equal = other == mine if equal is None else equal & (other == mine)
    beaten = pairs.filter(seen & later).select("fixing_date", "observation_id").distinct()
    beaten = beaten.mutate(superseded=True)
    joined = table.left_join(beaten, ["fixing_date", "observation_id"])
    kept = joined.mutate(superseded=joined.superseded.fill_null(False))
    return kept.drop("fixing_date_right", "observation_id_right")


def _row_rules(table: ibis.Table, benchmark: Benchmark, *, trades: bool) -> list[tuple[str, Any]]:
    """Rules that one row can answer, as (code, predicate it must meet)."""
    methodology = benchmark.methodology
    rules: list[tuple[str, Any]] = list(grade_rules(benchmark.grade, table))
    rules.append(("input_tier", table.tier.isin(list(methodology.inputs))))
    rules.append(("rights_forbidden", table.rights != "forbidden"))
    if not methodology.include_carried:
        rules.append(("carried_by_source", ~table.carried_by_source))
    if methodology.suspect == "exclude":
        rules.append(("suspect", table.suspect.isnull()))
    if trades:
        rules.append(("trade_superseded", ~table.superseded))
        rules.append(("trade_cancelled", (table.trade_status != "cancelled").fill_null(True)))
    return rules


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
    """The signature of the engine's own fold of integers; Ibis replaces the body."""
    raise NotImplementedError


def votes(panel: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """One row per fixing date, tier and vote key: value, counts, and the fold of content digests.

    The median of integers is exact: twice the median is an integer, and its half rounds half-even.
    ``price_sum`` serves the mean, which is divided once in integers later.
    """
    import ibis

    bit_xor = ibis.udf.agg.builtin(_bit_xor, name="bit_xor")
    keys = ["fixing_date", "tier"]
    panel = panel.mutate(vote_trade=_vote_trade(panel, benchmark))
    keys += ["seller"]
    if "region" in benchmark.methodology.vote:
        keys += ["region"]
    else:
        panel = panel.mutate(region=ibis.null("string"))
        keys += ["region"]
    keys += ["vote_trade"]
    grouped = panel.group_by(keys).aggregate(
        twice_median=(panel.price_micros.median() * 2).cast("int64"),
        price_sum=panel.price_micros.cast("decimal(38,0)").sum(),
        n_observations=panel.count(),
        gpu_seconds=panel.gpu_seconds.sum().fill_null(0).cast("int64"),
        venues=panel.seller_venue.collect(distinct=True),
        simulated=panel.simulated.any(),
        rights_unknown=(panel.rights == "unknown").any(),
        identity_xor=bit_xor(panel.observation_id),
        content_xor=bit_xor(panel.content_check),
    )
    half = grouped.twice_median >> 1
    odd = grouped.twice_median & 1
    return grouped.mutate(median_micros=half + (odd & (half & 1))).drop("twice_median")


def _vote_trade(panel: ibis.Table, benchmark: Benchmark) -> Any:
    """The identity of a single-observation vote, or null where a vote gathers observations."""
    import ibis

    if "observation" in benchmark.methodology.vote:
        return panel.observation_id
    return ibis.null("int64")


def meeting_grade(observations: ibis.Table, benchmark: Benchmark) -> ibis.Table:
    """First and last instant at which any observation meets the grade: the range a build covers."""
    table = observations
    if UNSTATED_IF_SILENT in (benchmark.grade.form_factor or ()):
        table = table.mutate(**{SELLER_STATES_FORM_FACTOR: table.form_factor.isnull() & False})
    met = table.filter([predicate for _, predicate in grade_rules(benchmark.grade, table)])
    return met.aggregate(first=met.observed_at.min(), last=met.observed_at.max())


def archive_days(observations: ibis.Table) -> ibis.Table:
    """Distinct UTC days on which the archive holds any observation."""
    return observations.select(day=observations.observed_at.date()).distinct()
