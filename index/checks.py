"""Contradictions between keys of a methodology, refused when it is read, each in one sentence with its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..records import TIERS
from .calendars import is_day, skipped_days
from .exact import exact

if TYPE_CHECKING:
    from .methodology import Methodology

ESTIMATOR_KEYS = ("tail", "partitions", "spread_floor", "splice", "memory_days")
"""Keys that only some estimators read."""


def refuse_contradictions(rules: Methodology) -> None:
    """Raise ValueError for the first two keys that can't both hold, or a key that would have no effect."""
    for check in (
        _votes,
        _fallback,
        _tiers,
        _weights,
        _estimator,
        _caps,
        _screens,
        _gates,
        _calendar,
        _governance,
    ):
        check(rules)


def _votes(rules: Methodology) -> None:
    if "seller" not in rules.vote and "observation" not in rules.vote:
        raise ValueError('vote must name "seller" or "observation"')
    if "observation" in rules.vote and len(rules.vote) > 1:
        raise ValueError('vote = ["observation"] stands alone: each observation is one vote')


def _fallback(rules: Methodology) -> None:
    if rules.fallback == "carry" and rules.carry_days == 0:
        raise ValueError("fallback = carry needs carry_days of at least 1")
    if rules.fallback == "gap" and rules.carry_days:
        raise ValueError(f"carry_days = {rules.carry_days} has no effect; set fallback = carry or remove it")


def _tiers(rules: Methodology) -> None:
    in_order = [tier for tier in TIERS if tier in rules.inputs]
    if list(rules.inputs) != in_order:
        raise ValueError(f"inputs must keep the order of quality: {', '.join(in_order)}")
    if rules.hierarchy != "waterfall" and len(rules.inputs) < 2:
        raise ValueError(f'hierarchy = "{rules.hierarchy}" needs two tiers or more in inputs')
    _named(rules, "blend", rules.blend, hierarchy="blend")
    _named(rules, "tier_weights", rules.tier_weights, hierarchy="pool")
    if rules.hierarchy == "pool" and rules.weights != "tier":
        raise ValueError(
            'hierarchy = "pool" needs weights = "tier", which says what a vote of each tier weighs'
        )
    if min((rules.tier_weights or {}).values(), default=1) < 1:
        raise ValueError("tier_weights are whole numbers of at least 1; leave a tier out of inputs instead")


def _named(rules: Methodology, key: str, table: Mapping[Any, object] | None, *, hierarchy: str) -> None:
    """A table by tier stands exactly where its hierarchy does, and names every input."""
    if rules.hierarchy == hierarchy:
        if table is None or set(table) != set(rules.inputs):
            raise ValueError(
                f'hierarchy = "{hierarchy}" needs {key} with {", ".join(rules.inputs)}, and no other'
            )
    elif table is not None:
        raise ValueError(f'{key} has no effect; set hierarchy = "{hierarchy}" or remove it')


def _weights(rules: Methodology) -> None:
    if rules.weights == "volume" and "trade" not in rules.inputs:
        raise ValueError('weights = "volume" needs trades; add "trade" to inputs')
    if rules.weights == "capacity" and rules.inputs == ("trade",):
        raise ValueError('weights = "capacity" needs offers; trades state none')
    if rules.weights == "tier" and rules.hierarchy != "pool":
        raise ValueError('weights = "tier" weighs tiers of one pool; set hierarchy = "pool"')
    if rules.capacity_steps is not None:
        if rules.weights != "capacity":
            raise ValueError('capacity_steps has no effect; set weights = "capacity" or remove it')
        sizes = [size for size, _ in rules.capacity_steps]
        if not sizes or sizes != sorted(set(sizes)) or min(weight for _, weight in rules.capacity_steps) < 1:
            raise ValueError(
                "capacity_steps lists [GPUs from, weight] with rising GPUs and weights of at least 1"
            )
    if rules.min_gpu_hours and "trade" not in rules.inputs:
        raise ValueError(f'min_gpu_hours = {rules.min_gpu_hours} needs trades; add "trade" to inputs')


def _estimator(rules: Methodology) -> None:
    name, reads = rules.estimator, rules.rule.reads
    if "volume" in reads and rules.weights != "volume":
        raise ValueError(
            f'estimator = "{name}" weighs by traded hours, but weights = "{rules.weights}"; '
            'set weights = "volume" or choose estimator = "median"'
        )
    if "instants" in reads and rules.votes_by_name:
        raise ValueError(f'estimator = "{name}" places each trade in time; set vote = ["observation"]')
    if "history" in reads and not rules.votes_by_name:
        raise ValueError(f'estimator = "{name}" reads earlier votes of a seller; set vote = ["seller"]')
    if "history" in reads and rules.hierarchy in ("blend", "pool"):
        raise ValueError(f'estimator = "{name}" goes on from one tier; choose another hierarchy')
    for key in ESTIMATOR_KEYS:
        if key in rules.rule.keys and getattr(rules, key) is None:
            raise ValueError(f'estimator = "{name}" needs {key}; set it')
        if key not in rules.rule.keys and getattr(rules, key) is not None:
            raise ValueError(f'{key} has no effect on estimator = "{name}"; remove it')
    if rules.hierarchy == "pool" and rules.remembers_votes:
        raise ValueError(
            "a rule that follows votes from day to day needs them in one tier; choose another hierarchy than pool"
        )
    if rules.matched_days is not None and (not rules.votes_by_name or rules.hierarchy == "blend"):
        raise ValueError('matched_days matches votes of sellers in one tier; set vote = ["seller"]')


def _caps(rules: Methodology) -> None:
    for key, gate in (("cap", "min_sellers"), ("cap_venue", "min_venues")):
        cap, least = getattr(rules, key), getattr(rules, gate)
        if cap is not None and exact(cap) * least < 1:
            raise ValueError(
                f"{key} = {cap} times {gate} = {least} is below 1: so few can't hold the whole weight; "
                f"raise {gate} to {-(-1 // exact(cap))} or raise {key}"
            )
    if rules.weight_floor is not None:
        floor = exact(rules.weight_floor)
        if rules.cap is not None and floor > exact(rules.cap):
            raise ValueError(f"weight_floor = {rules.weight_floor} is above cap = {rules.cap}")
        if floor * rules.min_sellers > 1:
            raise ValueError(
                f"weight_floor = {rules.weight_floor} times min_sellers = {rules.min_sellers} is above 1"
            )
    if rules.max_trade_share is not None and ("trade" not in rules.inputs or rules.votes_by_name):
        raise ValueError(
            'max_trade_share caps what one buyer and one seller trade; it needs "trade" in inputs and '
            'vote = ["observation"]'
        )


def _screens(rules: Methodology) -> None:
    screen = rules.screen
    if screen is None:
        return
    if not rules.votes_by_name and (screen.jump is not None or screen.administered_days is not None):
        raise ValueError('screen.jump and screen.administered_days follow a seller; set vote = ["seller"]')
    if screen.affiliates is not None and "trade" not in rules.inputs:
        raise ValueError('screen.affiliates needs trades; add "trade" to inputs')
    if (screen.administered or screen.administered_days) and "listed" not in rules.inputs:
        raise ValueError('screen.administered leaves list prices out; inputs has no "listed"')


def _gates(rules: Methodology) -> None:
    for thin, least in (("thin_sellers", "min_sellers"), ("thin_observations", "min_observations")):
        soft, hard = getattr(rules, thin), getattr(rules, least)
        if soft is not None and soft <= hard:
            raise ValueError(f"{thin} = {soft} must be above {least} = {hard}")
    if rules.dispersion_days > 1 and (rules.max_dispersion is None or not rules.votes_by_name):
        raise ValueError(
            f'dispersion_days = {rules.dispersion_days} needs max_dispersion and vote = ["seller"]'
        )
    reopen = rules.reopen
    if reopen is None:
        return
    for key in ("min_sellers", "min_votes", "min_observations"):
        higher, bar = getattr(reopen, key), getattr(rules, key)
        if higher is not None and higher <= bar:
            raise ValueError(f"reopen.{key} = {higher} must be above {key} = {bar}")
    if reopen.max_dispersion is not None and (
        rules.max_dispersion is None or exact(reopen.max_dispersion) >= exact(rules.max_dispersion)
    ):
        raise ValueError(f"reopen.max_dispersion = {reopen.max_dispersion} must be below max_dispersion")
    if reopen.days == 1 and not reopen.model_dump(exclude_defaults=True):
        raise ValueError("reopen asks nothing; set a bar or days above 1, or remove it")


def _calendar(rules: Methodology) -> None:
    if (rules.calendar == "weekly") != (rules.weekday is not None):
        raise ValueError('calendar = "weekly" and weekday = "friday", or another day, go together')
    _refuse_skipped(rules, "cutoff", rules.cutoff, rules.cutoff_parts)


def _governance(rules: Methodology) -> None:
    if rules.publication_time is not None and rules.publication_lag_hours:
        raise ValueError(
            f"publication_time = {rules.publication_time!r} and publication_lag_hours = "
            f"{rules.publication_lag_hours} both say when a value counts; keep one"
        )
    _refuse_skipped(rules, "publication_time", rules.publication_time, rules.publication_parts)
    if rules.outage_carry_days and rules.outage_sources is None:
        raise ValueError(
            f"outage_carry_days = {rules.outage_carry_days} has no effect; name outage_sources or remove it"
        )
    if rules.hold_move is None and rules.hold_days != type(rules).model_fields["hold_days"].default:
        raise ValueError(f"hold_days = {rules.hold_days} has no effect; set hold_move or remove it")
    if rules.outage_sources is not None and not rules.outage_sources:
        raise ValueError("outage_sources names no source; name one or remove it")


def _refuse_skipped(
    rules: Methodology, key: str, written: str | None, parts: tuple[int, int, str] | None
) -> None:
    """A local time that the clocks skip on a fixing date would leave that date without an end."""
    if parts is None:
        return
    hour, minute, zone = parts
    for day in skipped_days(hour, minute, zone):
        if is_day(rules.calendar, rules.weekday, day):
            raise ValueError(
                f"{key} = {written!r} does not exist on {day}: the clocks of {zone} skip it; "
                "choose an hour that occurs every day"
            )
