"""The panel a second time: plain Python, row by row, straight from the definitions.

Slow and obvious on purpose, and sharing no code with the panel expression beyond the record types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction
from statistics import median
from typing import Any

from rentmark.grades.spec import Grade
from rentmark.index import Benchmark, Window

Row = dict[str, Any]
Marks = dict[tuple[date, int], str | None]


def listed(allowed: Sequence[Any] | None, value: Any) -> bool:
    """Whether a value meets a list of a grade; what is not stated meets none, an absent list filters nothing."""
    return allowed is None or value in allowed


def grade_refusal(grade: Grade, row: Row, *, seller_states: bool) -> str | None:
    """The first rule of a grade that a row does not meet."""
    words = grade.form_factor or ()
    silent = row["form_factor"] is None
    admits_silence = "unstated" in words or "unstated_if_silent" in words
    questions: list[tuple[str, bool]] = [
        ("chip", row["chip"] == grade.chip),
        ("form_factor", not words or row["form_factor"] in words or (silent and admits_silence)),
        (
            "seller_states_form_factor",
            not (silent and seller_states and "unstated_if_silent" in words and "unstated" not in words),
        ),
        ("memory_gb", listed(grade.memory_gb, row["memory_gb"])),
        ("interconnect", listed(grade.interconnect, row["interconnect"] or "unstated")),
        ("pricing", grade.pricing in (None, row["pricing"])),
        ("price_basis", grade.price_basis in (None, row["price_basis"])),
        ("source", listed(grade.sources, row["source"])),
        ("sku", listed(grade.skus, row["sku"])),
        ("term_months", listed(grade.term_months, row["term_months"])),
        ("service", listed(grade.services, row["service"])),
        ("tenancy", listed(grade.tenancy, row["tenancy"] or "unstated")),
        ("country", listed(grade.countries, row["country"])),
        ("region", listed(grade.regions, row["region"])),
        ("seller", listed(grade.sellers, row["seller"])),
        ("exclude_region", row["region"] not in (grade.exclude_regions or ())),
        ("exclude_seller", row["seller"] not in (grade.exclude_sellers or ())),
        ("min_gpus", grade.min_gpus is None or (row["gpu_count"] or 0) >= grade.min_gpus),
        (
            "max_gpus",
            grade.max_gpus is None or (row["gpu_count"] is not None and row["gpu_count"] <= grade.max_gpus),
        ),
        (
            "minimum_gpus_at_least",
            grade.minimum_gpus_at_least is None
            or (row["minimum_gpus"] is not None and row["minimum_gpus"] >= grade.minimum_gpus_at_least),
        ),
        (
            "minimum_gpus_at_most",
            grade.minimum_gpus_at_most is None
            or (row["minimum_gpus"] is not None and row["minimum_gpus"] <= grade.minimum_gpus_at_most),
        ),
    ]
    return next((code for code, met in questions if not met), None)


def version_order(row: Row, *, reconstructed: bool) -> tuple[Any, ...]:
    """How late a version of a trade is: the first report never supersedes what amends it."""
    rank = {"corrected": 1, "cancelled": 2}.get(row["trade_status"], 0)
    clocks = (row["known_at"],) if reconstructed else (row["recorded_at"], row["known_at"])
    return (rank > 0, *clocks, rank, row["observation_id"])


def marks(
    rows: Iterable[Row],
    windows: Sequence[Window],
    benchmark: Benchmark,
    *,
    corrections: Iterable[Row] = (),
    reconstructed: bool = False,
) -> Marks:
    """Every row of every window with the first rule that left it out, None where it is in."""
    found: Marks = {}
    held = list(rows)
    events = [row for row in [*held, *corrections] if row["kind"] == "trade" and row["trade_id"] is not None]
    clock = "known_at" if reconstructed else "recorded_at"
    for window in windows:
        seen = [
            row
            for row in held
            if window.start <= row["observed_at"] < window.end and row[clock] <= window.seen_until
        ]
        versions: dict[tuple[str, str], list[Row]] = defaultdict(list)
        numbers = {row["observation_id"] for row in seen}
        for event in events:
            # an amendment reaches its trade from anywhere, a second first report only inside one window
            amends = event["trade_status"] in {"corrected", "cancelled"}
            if event[clock] <= window.seen_until and (amends or event["observation_id"] in numbers):
                versions[event["source"], event["trade_id"]].append(event)
        here = _marks_of_window(seen, versions, benchmark, reconstructed=reconstructed)
        found.update({(window.date, number): code for number, code in here.items()})
    return found


def _marks_of_window(
    seen: list[Row], versions: dict[tuple[str, str], list[Row]], benchmark: Benchmark, *, reconstructed: bool
) -> dict[int, str | None]:
    rules = benchmark.methodology
    stating = {(row["seller"], row["chip"]) for row in seen if row["form_factor"] is not None}
    codes: dict[int, str | None] = {}
    last_seen: dict[Any, Any] = {}
    for row in seen:  # whatever the state of the offer then, but for old prices the source repeats
        if row["kind"] == "offer" and (rules.include_carried or not row["carried_by_source"]):
            key = _offer_key(row)
            last_seen[key] = max(last_seen.get(key, row["observed_at"]), row["observed_at"])
    for row in seen:
        code = grade_refusal(benchmark.grade, row, seller_states=(row["seller"], row["chip"]) in stating)
        if code is None and row["tier"] not in rules.inputs:
            code = "input_tier"
        if code is None and row["rights"] == "forbidden":
            code = "rights_forbidden"
        if code is None and row["carried_by_source"] and not rules.include_carried:
            code = "carried_by_source"
        if code is None and row["suspect"] is not None and rules.suspect == "exclude":
            code = "suspect"
        if (
            code is None
            and row["kind"] == "offer"
            and row["observed_at"] < last_seen.get(_offer_key(row), row["observed_at"])
        ):
            code = "older_state"
        if code is None and row["kind"] == "trade":
            code = _trade_refusal(row, versions, reconstructed=reconstructed)
        codes[row["observation_id"]] = code or _screened(row, rules.screen, rules.inputs)
    _leave_circles_out(seen, codes, rules)
    offers = [row for row in seen if row["kind"] == "offer"]

    standing = [row for row in offers if codes[row["observation_id"]] is None and row["machine"] is not None]
    largest: dict[Any, int] = {}
    for row in standing:
        largest[_machine_key(row)] = max(largest.get(_machine_key(row), 0), row["gpu_count"] or 0)
    for row in standing:
        if (row["gpu_count"] or 0) < largest[_machine_key(row)]:
            codes[row["observation_id"]] = "smaller_size_of_machine"
    return codes


def _screened(row: Row, screen: Any, inputs: Sequence[str]) -> str | None:
    """The screens of a methodology that one row answers."""
    if screen is None:
        return None
    if row["tier"] == "listed" and row["seller"] in (screen.administered or ()):
        return "administered_seller"
    if row["buyer"] is None or "trade" not in inputs:
        return None
    if screen.wash_trades == "exclude" and row["buyer"] == row["seller"]:
        return "wash_trade"
    houses = screen.affiliates or ()
    return "affiliate_trade" if any({row["buyer"], row["seller"]} <= set(h) for h in houses) else None


def _leave_circles_out(seen: list[Row], codes: dict[int, str | None], rules: Any) -> None:
    """Mark trades of two names that stand in both directions."""
    if rules.screen is None or rules.screen.circular_trades == "keep" or "trade" not in rules.inputs:
        return
    named = [r for r in seen if codes[r["observation_id"]] is None and r["kind"] == "trade" and r["buyer"]]
    directions = {(row["seller"], row["buyer"]) for row in named}
    for row in named:
        if row["seller"] != row["buyer"] and (row["buyer"], row["seller"]) in directions:
            codes[row["observation_id"]] = "circular_trade"


def _trade_refusal(
    row: Row, versions: dict[tuple[str, str], list[Row]], *, reconstructed: bool
) -> str | None:
    known = versions.get((row["source"], row["trade_id"]), [])
    latest = max(known, key=lambda event: version_order(event, reconstructed=reconstructed), default=row)
    if latest["observation_id"] != row["observation_id"]:
        return "trade_superseded"
    return "trade_cancelled" if row["trade_status"] == "cancelled" else None


def _offer_key(row: Row) -> tuple[Any, ...]:
    sku = row["sku"]
    named = (row["name_as_written"], row["form_factor"], row["memory_gb"]) if sku is None else sku
    places = (row["source"], row["venue"] or row["seller"], row["seller"], row["region"])
    return (row["tier"], *places, named, row["pricing"], row["term_months"], row["gpu_count"], row["machine"])


def _machine_key(row: Row) -> tuple[Any, ...]:
    return (row["tier"], row["source"], row["venue"] or row["seller"], row["seller"], row["machine"])


def votes(rows: Iterable[Row], kept: Marks, benchmark: Benchmark) -> dict[date, list[tuple[Any, ...]]]:
    """(tier, seller, region, sku, observation, value, observations, GPU-seconds, venues) of each vote, sorted."""
    by_number = {row["observation_id"]: row for row in rows}
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    asked = benchmark.methodology.vote
    for (day, number), code in kept.items():
        if code is None:
            row = by_number[number]
            region = row["region"] if "region" in asked else None
            alone = number if "observation" in asked else None
            named = "|".join(str(row[c] or "") for c in ("name_as_written", "form_factor", "memory_gb"))
            sku = (named if row["sku"] is None else row["sku"]) if "sku" in asked else None
            groups[day, row["tier"], row["seller"], region, sku, alone].append(row)
    found: dict[date, list[tuple[Any, ...]]] = defaultdict(list)
    for (day, tier, seller, region, sku, alone), group in groups.items():
        prices = [Fraction(row["price_micros"]) for row in group]
        mean = benchmark.methodology.seller_statistic == "mean"
        # round() of an exact fraction takes ties to even
        value = round(sum(prices) / len(prices)) if mean else round(median(prices))
        seconds = sum(row["gpu_seconds"] or 0 for row in group)
        venues = tuple(sorted({row["venue"] or row["seller"] for row in group}))
        found[day].append((tier, seller, region, sku, alone, value, len(group), seconds, venues))
    return {day: sorted(group, key=repr) for day, group in found.items()}
