"""The computable principles checked: each check with its bound, its result and the evidence with dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ..methodology import Methodology
from .attacks import DOWN, UP
from .concentration import DIRECT, Concentration
from .coverage import Coverage
from .days import Day
from .influence import Influence
from .manipulation import Manipulation
from .principles_table import PRINCIPLES, THRESHOLDS
from .replaying import Replay
from .revisions import Revisions
from .stickiness import Stickiness
from .wording import count_of, dates_of, number, percent, signed_percent

Result = Literal["met", "not met", "cannot be computed"]


@dataclass(frozen=True, slots=True)
class Check:
    """One computed check of a principle; ``evidence`` is a sentence with figures and dates."""

    principle: int
    name: str
    asks: str
    threshold: float | None
    found: float | None
    result: Result
    evidence: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the archive says of what stands behind a period, handed in by whoever reads it.

    ``problems`` are damaged or missing files and broken links of the chain.
    """

    n_payloads: int
    first_recorded: date | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The sections that the checks read."""

    rules: Methodology
    days: Sequence[Day]
    coverage: Coverage
    sellers: Concentration
    aggregators: Concentration
    influence: Influence
    manipulation: Manipulation
    stickiness: Stickiness
    revisions: Revisions
    replay: Replay
    provenance: Provenance
    has_parallel: bool


def checks(found: Findings) -> list[Check]:
    """Every computed check, in the order of the principles."""
    return [
        *_design(found),
        *_sufficiency(found),
        *_hierarchy(found),
        *_transparency(found),
        *_review_and_change(found),
        *_transition(found),
        *_records(found),
    ]


def _at_most(
    principle: int, name: str, asks: str, found: float | None, evidence: str, *, key: str | None = None
) -> Check:
    bound = THRESHOLDS[key or name]
    result: Result = "cannot be computed" if found is None else "met" if found <= bound else "not met"
    return Check(principle, name, asks, bound, found, result, evidence)


def _at_least(principle: int, name: str, asks: str, found: float | None, evidence: str) -> Check:
    bound = THRESHOLDS[name]
    result: Result = "cannot be computed" if found is None else "met" if found >= bound else "not met"
    return Check(principle, name, asks, bound, found, result, evidence)


def _yes(principle: int, name: str, asks: str, evidence: str, *, met: bool | None) -> Check:
    result: Result = "cannot be computed" if met is None else "met" if met else "not met"
    return Check(principle, name, asks, None, None, result, evidence)


def _design(f: Findings) -> list[Check]:
    top, hhi = f.sellers.worst, f.sellers.highest_hhi
    through = f.aggregators.worst if f.aggregators.named else None
    largest, alone = f.influence.largest, _largest_alone(f.manipulation)
    no_value = "No date has a value of its own."
    return [
        _at_most(
            6,
            "top_seller_share",
            "no seller holds more of the weight on any date than",
            None if top is None else top.top_share,
            no_value
            if top is None
            else f"{top.top} held {percent(top.top_share)} on {top.date}; the median of the largest share is "
            f"{percent(f.sellers.median_top_share)}.",
        ),
        _at_most(
            6,
            "seller_hhi",
            "the Herfindahl–Hirschman index of sellers is on no date above",
            None if hhi is None else hhi.hhi,
            no_value
            if hhi is None
            else f"{number(hhi.hhi, 0)} on {hhi.date}, of {count_of(hhi.n_names, 'seller')}.",
        ),
        _at_most(
            6,
            "aggregator_share",
            "no aggregator carries more of the weight on any date than",
            None if through is None or through.top == DIRECT else through.top_share,
            "No vote names an aggregator."
            if through is None
            else f"{through.top} carried {percent(through.top_share)} on {through.date}.",
        ),
        _at_most(
            6,
            "leave_one_out",
            "without any one seller the value of a date moves by at most",
            None if largest is None or largest.move is None else abs(largest.move),
            no_value
            if largest is None
            else f"Without {largest.seller} the value of {largest.date} goes {signed_percent(largest.move)}; "
            f"one seller made {f.influence.n_by_one} of {count_of(f.influence.n_moves, 'move')}.",
        ),
        _at_most(
            6,
            "one_seller_move",
            "no seller moves the value of a date by its own price by more than",
            None if alone is None else alone[0],
            no_value if alone is None else alone[1],
        ),
        _at_least(
            6,
            "coverage",
            "dates of the calendar with a value of their own are at least",
            f.coverage.observed,
            f"{f.coverage.counts['OK'] + f.coverage.counts['THIN']} of {f.coverage.dates} dates; the longest gap is "
            f"{count_of(f.coverage.longest_gap, 'date')}"
            + (f" from {f.coverage.longest_gap_from}." if f.coverage.longest_gap_from else "."),
        ),
    ]


def _largest_alone(found: Manipulation) -> tuple[float, str] | None:
    reach = next((r for r in found.reaches if r.kind == "one seller"), None)
    if reach is None:
        return None
    ways = [a for a in (reach.worst(UP), reach.worst(DOWN)) if a is not None]
    if not ways:
        return 0.0, f"No price of one seller moved it on any of {len(found.dates)} dates."
    worst = max(ways, key=lambda a: abs(a.move))
    return abs(
        worst.move
    ), f"{worst.names[0]} could have moved it {signed_percent(worst.move)} on {worst.date}."


def _sufficiency(f: Findings) -> list[Check]:
    observed = f.coverage.counts["OK"] + f.coverage.counts["THIN"]
    traded = sum(d.fixing.tier == "trade" and d.fixing.value_micros is not None for d in f.days)
    screen = f.rules.screen
    trades = "trade" in f.rules.inputs
    affiliates = None if not trades else screen is not None and screen.affiliates is not None
    return [
        _at_least(
            7,
            "min_sellers",
            "the methodology refuses a value of fewer sellers than",
            f.rules.min_sellers,
            f"min_sellers = {f.rules.min_sellers}; {count_of(f.coverage.rules.get('min_sellers', 0), 'date')} refused by it.",
        ),
        _at_least(
            7,
            "thinnest_sellers",
            "the thinnest date with a value has sellers of at least",
            f.coverage.fewest_sellers,
            "No date has a value of its own."
            if f.coverage.fewest_sellers is None
            else f"{f.coverage.fewest_sellers} on {f.coverage.fewest_sellers_on}; the median is "
            f"{number(f.coverage.median_sellers, 0)}.",
        ),
        _at_least(
            7,
            "trade_dates",
            "of the dates with a value, those that rest on trades are at least",
            traded / observed if observed else None,
            f"{traded} of {observed} dates rest on trades."
            + ("" if trades else " The methodology reads advertised prices alone."),
        ),
        _yes(
            7,
            "affiliates",
            "trades between affiliates are left out",
            "The methodology reads no trades."
            if affiliates is None
            else "screen.affiliates names groups; their trades among themselves are left out."
            if affiliates
            else "screen.affiliates names no group, so trades between affiliates count.",
            met=affiliates,
        ),
        _at_most(
            7,
            "unchanged",
            "of the votes on consecutive dates, those at an unchanged price are at most",
            f.stickiness.share_unchanged,
            "No two consecutive dates have a seller in common."
            if f.stickiness.share_unchanged is None
            else f"{percent(f.stickiness.share_unchanged)} unchanged"
            + (
                "."
                if f.stickiness.implied_spell is None
                else f"; a price stands {dates_of(f.stickiness.implied_spell)}."
            ),
        ),
    ]


def _hierarchy(f: Findings) -> list[Check]:
    tiers: dict[str, int] = {}
    for day in f.days:
        if day.fixing.tier is not None and day.fixing.value_micros is not None:
            tiers[day.fixing.tier] = tiers.get(day.fixing.tier, 0) + 1
    shown = ", ".join(f"{tier} {n}" for tier, n in tiers.items()) or "none"
    return [
        _yes(
            8,
            "order",
            "each value comes from the best tier that passes its gates",
            f"inputs = {', '.join(f.rules.inputs)}, hierarchy = {f.rules.hierarchy}; dates by tier: {shown}.",
            met=f.rules.hierarchy in ("waterfall", "first"),
        ),
        _at_most(
            8,
            "carried_dates",
            "dates whose value is carried from an earlier one are at most",
            f.coverage.counts["CARRIED"] / f.coverage.dates,
            f"{count_of(f.coverage.counts['CARRIED'], 'date')} of {f.coverage.dates}; fallback = {f.rules.fallback}.",
        ),
    ]


def _transparency(f: Findings) -> list[Check]:
    untold = [
        d.fixing.date
        for d in f.days
        if (d.fixing.rule is None and d.fixing.value_micros is None)
        or (d.fixing.status in ("OK", "THIN") and (not d.fixing.n_sellers or d.fixing.p25_micros is None))
    ]
    judged = sum(d.fixing.judgement is not None for d in f.days)
    return [
        _yes(
            9,
            "every_row_told",
            "each row states its count, range and rule, or the rule that left no value",
            f"{len(f.days) - len(untold)} of {len(f.days)} rows do; {count_of(judged, 'row')} rest on judgement."
            + (f" The first that does not: {untold[0]}." if untold else ""),
            met=not untold,
        )
    ]


def _review_and_change(f: Findings) -> list[Check]:
    hashes = f.revisions.methodology_hashes
    versions = [version for version, *_ in hashes]
    largest = f.revisions.largest
    size = None
    if largest is not None and largest.before_micros and largest.change_micros is not None:
        size = abs(largest.change_micros) / largest.before_micros
    return [
        _yes(
            10,
            "review_age",
            "the last review is at most a year old",
            "No date of an earlier review is on record here; keep this one.",
            met=None,
        ),
        _yes(
            11,
            "required_fields",
            "gates, fallback, version and rounding are stated",
            f"version {f.rules.version}, min_sellers = {f.rules.min_sellers}, fallback = {f.rules.fallback}, "
            f"decimals = {f.rules.decimals}, estimator = {f.rules.estimator}.",
            met=f.rules.min_sellers > 1,
        ),
        _yes(
            12,
            "versions",
            "each change of the rules has a version of its own",
            "Nothing of the period is published."
            if not hashes
            else f"{count_of(len(hashes), 'set')} of rules in the period: "
            + ", ".join(f"{v} from {d}" for v, _, d in hashes)
            + ".",
            met=len(set(versions)) == len(versions) if hashes else None,
        ),
        _at_most(
            12,
            "restatement",
            "no restatement moved a published value by more than",
            None if not f.revisions.n_published else size or 0.0,
            "Nothing of the period is published."
            if not f.revisions.n_published
            else f"{count_of(len(f.revisions.rows), 'restatement')} of {f.revisions.n_published} published dates"
            + ("." if largest is None else f", the largest on {largest.date}: {percent(size, 2)}."),
        ),
        _yes(
            12,
            "parallel_run",
            "old and new rules were run side by side",
            "See the parallel run below." if f.has_parallel else "None was asked; add --against.",
            met=True if f.has_parallel else None,
        ),
    ]


def _transition(f: Findings) -> list[Check]:
    days = f.rules.cessation_notice_days
    return [
        _yes(
            13,
            "cessation_notice",
            "the methodology states the notice before the benchmark ceases",
            "cessation_notice_days is not stated."
            if days is None
            else f"cessation_notice_days = {days}: {count_of(days, 'day')} of notice.",
            met=days is not None,
        )
    ]


def _records(f: Findings) -> list[Check]:
    unknown = [d.fixing.date for d in f.days if d.fixing.rights != "allowed"]
    problems = f.provenance.problems
    return [
        _yes(
            15,
            "provenance",
            "every payload is archived whole and its data rights allow index use",
            f"{count_of(f.provenance.n_payloads, 'payload')} archived under their SHA-256"
            + (f", first on {f.provenance.first_recorded}" if f.provenance.first_recorded else "")
            + f"; {count_of(len(unknown), 'date')} rest on unknown rights"
            + (f"; {problems[0]}" if problems else "."),
            met=not unknown and not problems,
        ),
        _yes(
            18,
            "replay",
            "every row follows exactly from the archive",
            f.replay.sentence,
            met=None if not f.replay.n_rows else not f.replay.differences,
        ),
    ]


def attestations() -> list[tuple[int, str, str, bool]]:
    """What a person must attest of each principle: number, title, what, and whether checks are computed, too."""
    return [(p.number, p.title, p.attest, p.computed) for p in PRINCIPLES]
