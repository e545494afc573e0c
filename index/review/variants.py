"""Variants: a methodology with one key changed, for every key that could have been chosen otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...records import UsageError
from ..estimators import ESTIMATORS
from ..exact import exact, written
from ..methodology import Benchmark, Methodology

TAILS = ("0.1", "0.25")
TIGHTER, LOOSER = Fraction(4, 5), Fraction(5, 4)
"""A threshold is asked at four fifths and at five quarters of itself."""
SHARES = ("cap", "cap_venue", "cap_aggregator", "max_trade_share", "weight_floor", "max_aggregator_share")
COUNTS = ("min_sellers", "min_votes", "min_observations", "min_venues", "thin_sellers", "thin_observations")
NOT_VARIED = frozenset(
    {
        "version", "inputs", "blend", "tier_weights", "capacity_steps", "calendar", "weekday", "cutoff", "snapshots",
        "matched_days", "publication_lag_hours", "publication_grace_hours", "finality_hours", "adjustments", "splice",
        "holidays", "publication_time", "outage_sources", "hold_move", "hold_days", "republication_window_days",
        "republication_threshold", "cessation_notice_days",
    }
)  # fmt: skip
"""Keys that are left as they are: they name the good, the calendar or the clock, or print beside the value."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One changed key: its name, what it was and what it is here, and the benchmark under it.

    ``benchmark`` is None where the change contradicts another key; ``reason`` is then the sentence that says so.
    """

    key: str
    was: str
    asked: str
    benchmark: Benchmark | None
    reason: str | None = None


def variants(benchmark: Benchmark) -> list[Variant]:
    """Every variant of a benchmark's methodology, in the order of its keys.

    One that changes nothing is left out. ``hierarchy`` is not turned to a blend or a pool, which need tables of
    their own.
    """
    rules = benchmark.methodology
    found = [_made(benchmark, key, changes) for key, changes in _changes(rules)]
    return [v for v in found if v.benchmark is None or v.benchmark.methodology != rules]


def _changes(rules: Methodology) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A key and what is set for it, other keys that it cannot be without among them."""
    if len(rules.inputs) > 1 and rules.hierarchy in ("waterfall", "first"):
        yield "hierarchy", {"hierarchy": "first" if rules.hierarchy == "waterfall" else "waterfall"}
    if rules.votes_by_name:
        for vote in (["seller"], ["seller", "region"], ["seller", "sku"]):
            yield "vote", {"vote": vote}
    yield "seller_statistic", {"seller_statistic": "mean" if rules.seller_statistic == "median" else "median"}
    yield from _estimators(rules)
    for weights in ("seller", "vote", "capacity"):
        if not rules.rule.reads and rules.hierarchy != "pool":
            yield "weights", {"weights": weights, "capacity_steps": None}
    yield "recency", {"recency": "0.5" if rules.recency is None else None}
    if rules.cap is None:
        least = Fraction(1, rules.min_sellers)  # a lower cap could not be met by so few
        for cap in sorted({max(Fraction(1, 10), least), max(Fraction(1, 5), least)} - {Fraction(1)}):
            yield "cap", {"cap": written(cap)}
    for key in SHARES:
        held = getattr(rules, key)
        if held is not None:
            yield key, {key: _scaled(held, TIGHTER)}
            yield key, {key: _scaled(held, LOOSER, most=Fraction(1))}
            yield key, {key: None}
    yield from _screens(rules)
    for key in COUNTS:
        held = getattr(rules, key)
        if held is not None:
            yield key, {key: held + 1}
            if held > 1:
                yield key, {key: held - 1}
    if rules.min_gpu_hours:
        yield "min_gpu_hours", {"min_gpu_hours": int(rules.min_gpu_hours * TIGHTER)}
        yield "min_gpu_hours", {"min_gpu_hours": int(rules.min_gpu_hours * LOOSER)}
    if rules.max_dispersion is not None:
        yield "max_dispersion", {"max_dispersion": _scaled(rules.max_dispersion, TIGHTER)}
        yield "max_dispersion", {"max_dispersion": _scaled(rules.max_dispersion, LOOSER)}
        yield "max_dispersion", {"max_dispersion": None, "dispersion_days": 1}
    if rules.dispersion_days > 1:
        yield "dispersion_days", {"dispersion_days": 1}
    if rules.reopen is not None:
        yield "reopen", {"reopen": None}
    yield "include_carried", {"include_carried": not rules.include_carried}
    yield "suspect", {"suspect": "exclude" if rules.suspect == "keep" else "keep"}
    yield from _clocks(rules)
    if rules.outage_sources is not None:
        yield "outage_carry_days", {"outage_carry_days": rules.outage_carry_days + 1}
    if rules.fallback == "gap":
        yield "fallback", {"fallback": "carry", "carry_days": 1}
        yield "fallback", {"fallback": "carry", "carry_days": 3}
    else:
        yield "fallback", {"fallback": "gap", "carry_days": 0}
        yield "carry_days", {"carry_days": rules.carry_days + 1}
        if rules.carry_days > 1:
            yield "carry_days", {"carry_days": rules.carry_days - 1}
    for decimals in (2, 4):
        yield "decimals", {"decimals": decimals}


def _estimators(rules: Methodology) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every estimator of the same reading; those of tails at two tails, and the own keys of the chosen one."""
    bare: dict[str, Any] = dict.fromkeys(("tail", "partitions", "spread_floor", "splice", "memory_days"))
    for name, rule in ESTIMATORS.items():
        if rule.reads != rules.rule.reads and rule.reads:
            continue
        if rule.keys == ("tail",):
            for tail in TAILS:
                yield "estimator", bare | {"estimator": name, "tail": tail}
        elif not rule.keys:
            yield "estimator", bare | {"estimator": name}
    for key in ("tail", "spread_floor"):
        held = getattr(rules, key)
        if held is not None:
            yield key, {key: _scaled(held, TIGHTER)}
            yield key, {key: _scaled(held, LOOSER)}
    if rules.partitions is not None:
        yield "partitions", {"partitions": max(1, rules.partitions // 2)}
        yield "partitions", {"partitions": rules.partitions * 2}
    if rules.memory_days is not None:
        yield "memory_days", {"memory_days": rules.memory_days + 1}
        yield "memory_days", {"memory_days": max(1, rules.memory_days - 1)}


def _screens(rules: Methodology) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """No screen at all, each threshold tighter and looser, and a robust distance where there is no screen."""
    if rules.screen is None:
        for z in ("2", "3", "5"):
            yield "screen.robust_z", {"screen": {"robust_z": z}}
        return
    yield "screen", {"screen": None}
    held = rules.screen.model_dump(mode="json", exclude_defaults=True)
    for key in ("robust_z", "venue_deviation"):
        if held.get(key) is not None:
            for factor in (TIGHTER, LOOSER):
                yield f"screen.{key}", {"screen": held | {key: _scaled(held[key], factor)}}
            yield f"screen.{key}", {"screen": {k: v for k, v in held.items() if k != key}}
    if held.get("jump") is not None:
        for factor in (TIGHTER, LOOSER):
            jump = held["jump"] | {"move": _scaled(held["jump"]["move"], factor)}
            yield "screen.jump.move", {"screen": held | {"jump": jump}}
        yield "screen.jump", {"screen": {k: v for k, v in held.items() if k != "jump"}}


def _clocks(rules: Methodology) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if rules.lookback_hours is None:
        yield "lookback_hours", {"lookback_hours": 48}
    else:
        yield "lookback_hours", {"lookback_hours": rules.lookback_hours * 2}
        yield "lookback_hours", {"lookback_hours": None}
    if rules.staleness_hours is None:
        yield "staleness_hours", {"staleness_hours": 12}
        yield "staleness_hours", {"staleness_hours": 20}
    else:
        yield "staleness_hours", {"staleness_hours": max(1, rules.staleness_hours // 2)}
        yield "staleness_hours", {"staleness_hours": rules.staleness_hours * 2}
        yield "staleness_hours", {"staleness_hours": None}


def _scaled(text: str, factor: Fraction, most: Fraction | None = None) -> str:
    value = exact(text) * factor
    return written(value if most is None else min(value, most))


def _made(benchmark: Benchmark, key: str, changes: Mapping[str, Any]) -> Variant:
    rules = benchmark.methodology
    document = rules.model_dump(mode="json", exclude_defaults=True) | dict(changes)
    kept = {name: value for name, value in document.items() if value is not None}
    was, asked = _shown(rules.model_dump(mode="json"), key, changes), _shown(document, key, changes)
    try:
        changed = Methodology.read(kept, "It")
    except UsageError as error:
        return Variant(key, was, asked, None, error.sentence.removeprefix("It: ").removeprefix("It has "))
    return Variant(key, was, asked, replace(benchmark, methodology=changed, recorded=None))


def _shown(document: Mapping[str, Any], key: str, changes: Mapping[str, Any]) -> str:
    """The value of a key, with the tail of an estimator and the days of a carry beside it."""
    value: Any = document
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    words = "none" if value is None else ", ".join(value) if isinstance(value, list) else str(value)
    if isinstance(value, bool):
        words = str(value).lower()
    if isinstance(value, Mapping):
        words = ", ".join(f"{k} {v}" for k, v in value.items())
    beside = {"estimator": "tail", "fallback": "carry_days"}.get(key)
    extra = document.get(beside) if beside is not None and beside in changes else None
    return f"{words} ({beside} {extra})" if extra else words
