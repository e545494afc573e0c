"""Plain fixings: the ordinary list benchmark, straight from counted votes.

A methodology is plain where every vote weighs the same, nothing is screened or capped, no earlier fixing is
read, and the value is a function of the prices alone. ``make_fixing`` gives the same fixing from ballots; a test
holds the two together, field by field.
"""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from functools import lru_cache

from ..records import Fixing, Status, digest_of, percentile_half_even, round_fraction, round_to_decimals
from .estimators import Slate
from .fixing import SETTLEMENT_VENUES
from .gates import Counts, first_unmet, gates
from .joint import joint_key, set_keys
from .methodology import Benchmark
from .tally import DayVotes
from .weights import six_decimals
from .windows import Window

PLAIN_KEYS = frozenset(
    {
        "version", "inputs", "vote", "include_carried", "suspect", "estimator", "min_sellers", "min_votes",
        "min_observations", "min_venues", "thin_sellers", "thin_observations", "calendar", "weekday", "holidays",
        "decimals", "publication_lag_hours", "publication_time", "publication_grace_hours", "finality_hours",
        "republication_window_days", "republication_threshold", "cessation_notice_days",
    }
)  # fmt: skip
"""Keys that a plain methodology may set; any other key makes its fixings from ballots."""
_NO_VOTES = digest_of([])


def is_plain(benchmark: Benchmark) -> bool:
    """Whether the fixings of a benchmark need no ballots."""
    rules = benchmark.methodology
    return (
        joint_key(benchmark) is not None
        and set_keys(rules) <= PLAIN_KEYS
        and rules.vote == ("seller",)
        and len(rules.inputs) == 1
        and rules.rule.value is not None
        and not rules.rule.reads
    )


def plain_fixing(
    benchmark: Benchmark,
    window: Window,
    votes: DayVotes | None,
    *,
    archive_holds_day: bool,
    built_as_of: datetime | None,
    simulated: bool = False,
) -> Fixing:
    """The fixing of one date of a plain benchmark. ``votes`` None is a day on which nobody voted."""
    rules = benchmark.methodology
    tier = rules.inputs[0]
    value: int | None = None
    rule: str | None = "no_match" if archive_holds_day else "empty_window"
    status: Status = "GAP"
    low = high = None
    settles = False
    if votes is not None:
        value, rule, status = _valued(benchmark, votes)
        if value is not None:
            low, high = (percentile_half_even(votes.prices, percent) for percent in (25, 75))
            settles = tier != "listed" and votes.n_venues >= SETTLEMENT_VENUES
    sellers = 0 if votes is None else len(votes.prices)
    return Fixing(
        benchmark=benchmark.name,
        date=window.date,
        value_micros=value,
        status=status,
        rule=rule,
        tier=None if votes is None else tier,
        n_observations=0 if votes is None else votes.n_observations,
        n_sellers=sellers,
        n_votes=sellers,
        n_venues=0 if votes is None else votes.n_venues,
        gpu_seconds=0 if votes is None else votes.gpu_seconds,
        p25_micros=low,
        p75_micros=high,
        top_weight=_equal_share(sellers) if sellers else None,
        carried_from=None,
        methodology=benchmark.methodology_name,
        methodology_version=rules.version,
        methodology_hash=benchmark.methodology_hash,
        input_digest=_NO_VOTES if votes is None else votes.digest,
        effective_at=window.effective_at,
        simulated=simulated or (votes is not None and votes.simulated),
        reconstructed=False,
        rights="unknown" if votes is not None and votes.rights_unknown else "allowed",
        settlement_grade=settles,
        built_as_of=built_as_of,
    )


def _valued(benchmark: Benchmark, votes: DayVotes) -> tuple[int | None, str | None, Status]:
    """The value with the soft gate it misses, or the rule that refuses one."""
    rules = benchmark.methodology
    sellers = len(votes.prices)
    counts = Counts(sellers, sellers, votes.n_observations, votes.n_venues, votes.gpu_seconds)
    asked = gates(rules, rules.inputs[0], counts)
    unmet = first_unmet(asked, hard=True)
    if unmet is not None:
        return None, unmet.code, "GAP"
    exactly = rules.rule.value
    assert exactly is not None
    found = exactly(Slate(prices=votes.prices, weights=(1,) * sellers))
    value = round_to_decimals(round_fraction(found), rules.decimals)
    if value <= 0:
        return None, "rounds_to_zero", "GAP"
    thin = first_unmet(asked, hard=False)
    return value, None if thin is None else thin.code, "OK" if thin is None else "THIN"


@lru_cache(maxsize=1024)
def _equal_share(sellers: int) -> str:
    return six_decimals(Fraction(1, sellers))
