"""Rules in words: what the resolved rules of a benchmark say, sentence by sentence, none of it free-hand.

Every sentence is chosen by a key of the grade or the methodology, so that a changed rule changes the words.
What has no sentence of its own stands in the table of all rules (``rules_table``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..grades.spec import UNSTATED, UNSTATED_IF_SILENT, Grade
from .calendars import RULES
from .methodology import Benchmark, Methodology

_TIER_WORDS = {
    "trade": "completed trades",
    "executable": "prices that can be taken now",
    "listed": "advertised prices",
}
_GRADE_WORDS = {
    "memory_gb": "with memory of {} GB",
    "interconnect": "with interconnect {}",
    "pricing": "priced {}",
    "price_basis": "with prices per {}",
    "sources": "from the sources {}",
    "skus": "of the SKUs {}",
    "term_months": "for terms of {} months",
    "services": "delivered as {}",
    "tenancy": "with tenancy {}",
    "countries": "in the countries {}",
    "regions": "in the regions {}",
    "exclude_regions": "outside the regions {}",
    "sellers": "from the sellers {}",
    "exclude_sellers": "from other sellers than {}",
    "min_gpus": "of at least {} GPUs a node",
    "max_gpus": "of at most {} GPUs a node",
    "minimum_gpus_at_least": "whose smallest rental is at least {} GPUs",
    "minimum_gpus_at_most": "whose smallest rental is at most {} GPUs",
}
_HARD_GATES = {
    "min_sellers": "seller",
    "min_votes": "vote",
    "min_observations": "observation",
    "min_venues": "venue",
    "min_gpu_hours": "traded GPU-hour",
}


def good_words(grade: Grade) -> list[str]:
    """What is measured: the good, one clause a key."""
    clauses = []
    if grade.form_factor:
        stated = [f for f in grade.form_factor if f not in (UNSTATED, UNSTATED_IF_SILENT)]
        unstated = {
            UNSTATED: "or not stated",
            UNSTATED_IF_SILENT: "or not stated, of sellers that state none",
        }
        more = [unstated[f] for f in grade.form_factor if f in unstated]
        clauses.append(f"of form factor {_listed(stated) or 'any'}{' ' + more[0] if more else ''}")
    for key, words in _GRADE_WORDS.items():
        value = getattr(grade, key)
        if value is not None:
            clauses.append(words.format(_listed(value) if isinstance(value, tuple) else str(value)))
    if grade.rating is not None:
        clauses.append(
            f"from managed clusters rated {grade.rating.at_least} or better by {grade.rating.scheme}"
        )
    said = f"The price of one GPU-hour of {grade.chip}"
    said += "".join(f", {clause}" for clause in clauses) + ", in US dollars."
    return [
        said,
        "A key that the grade does not name filters nothing; what a seller does not say stays unknown.",
    ]


def input_words(rules: Methodology) -> list[str]:
    """From what it is made, in which order of preference."""
    tiers = [_TIER_WORDS[tier] for tier in rules.inputs]
    said = {
        "waterfall": f"Inputs in order of preference, decided date by date: {'; '.join(tiers)}. "
        "The first tier whose votes pass every hard gate gives the value; a day never mixes tiers.",
        "first": f"The value is that of {tiers[0]} alone; the other tiers stand beside it.",
        "blend": f"The value blends the values of {_listed(tiers)} in stated shares.",
        "pool": f"The votes of {_listed(tiers)} enter one pool, weighed by tier.",
    }[rules.hierarchy]
    more = [said]
    if len(tiers) == 1:
        more = [f"Inputs: {tiers[0]}, and no other."]
    if "trade" not in rules.inputs:
        more.append("No completed trades enter: nobody has to deal at these prices.")
    if rules.lookback_hours is not None:
        more.append(f"Each date looks back over {rules.lookback_hours} hours.")
    if rules.staleness_hours is not None:
        more.append(f"What is older than {rules.staleness_hours} hours at the end is left out.")
    carried = "count" if rules.include_carried else "do not count"
    more.append(f"Old prices that a source repeats {carried}.")
    if rules.suspect == "exclude":
        more.append("Observations doubted at the door are left out.")
    return more


def value_words(rules: Methodology) -> list[str]:
    """How votes become a value."""
    vote = (
        "Each observation is one vote."
        if "observation" in rules.vote
        else f"One vote per {' and '.join(rules.vote)}: the {rules.seller_statistic} of its observations."
    )
    weights = {
        "seller": "Each seller has weight one, split over its votes.",
        "vote": "Each vote has weight one.",
        "volume": "Votes weigh by their GPU-hours.",
        "capacity": "Votes weigh by the GPUs stated as available.",
        "tier": "Votes weigh by their tier.",
    }[rules.weights]
    said = [vote, weights, f"The value is the {rules.estimator.replace('_', ' ')}: {rules.rule.summary}."]
    for key, who in (("cap", "seller"), ("cap_venue", "venue"), ("cap_aggregator", "aggregator")):
        share = getattr(rules, key)
        if share is not None:
            said.append(f"No {who} has more than {percent(share)} of the weight.")
    if rules.max_trade_share is not None:
        said.append(f"No buyer and seller have more than {percent(rules.max_trade_share)} of it together.")
    if rules.screen is not None:
        parts = rules.screen.model_dump(mode="json", exclude_defaults=True)
        said.append(f"Votes and trades are screened first: {_inline(parts)}.")
    said.append(f"It is rounded once, half-even, to {rules.decimals} decimals.")
    return said


def refusal_words(rules: Methodology) -> list[str]:
    """When no value is printed, and what stands in its place."""
    needed = [
        _count(getattr(rules, key), unit)
        for key, unit in _HARD_GATES.items()
        if key == "min_sellers" or getattr(rules, key) > 1
    ]
    said = [f"No value is printed without at least {_listed(needed)}."]
    if rules.max_dispersion is not None:
        said.append(
            f"None is printed where the interquartile range exceeds {percent(rules.max_dispersion)} of the median."
        )
    if rules.max_aggregator_share is not None:
        said.append(
            f"None is printed where over {percent(rules.max_aggregator_share)} of the sellers come through one aggregator."
        )
    for key, what in (("thin_sellers", "sellers"), ("thin_observations", "observations")):
        if getattr(rules, key) is not None:
            said.append(f"Under {getattr(rules, key)} {what} a value is printed as THIN.")
    if rules.reopen is not None:
        parts = rules.reopen.model_dump(mode="json", exclude_defaults=True)
        said.append(f"After a day without a value a day must also meet: {_inline(parts)}.")
    said.append(
        f"A day without a value repeats the last one, flagged CARRIED, for at most {_count(rules.carry_days, 'day')}."
        if rules.fallback == "carry"
        else "A day without a value is a GAP that names its rule; nothing is carried forward."
    )
    if rules.outage_sources is not None:
        then = (
            f"the last value is carried for at most {_count(rules.outage_carry_days, 'day')}"
            if rules.outage_carry_days
            else "there is no value"
        )
        said.append(
            f"Where nothing came from {_listed(rules.outage_sources)}, that is a feed outage: {then}."
        )
    return said


def time_words(rules: Methodology) -> list[str]:
    """Fixing dates, the end of collection, and when a value counts and is final."""
    dates = {
        "every_day": "Every day is a fixing date.",
        "weekdays": "Monday to Friday are fixing dates.",
        "weekly": f"Every {(rules.weekday or '').capitalize()} is a fixing date.",
    }
    said = [
        dates[rules.calendar]
        if rules.calendar in RULES
        else f"Business days of {rules.calendar} are fixing dates."
    ]
    if rules.holidays:
        said.append(f"Holidays of its own: {', '.join(day.isoformat() for day in rules.holidays)}.")
    said.append(
        "A date collects what was observed in the UTC day."
        if rules.cutoff is None
        else f"A date collects what was observed up to {rules.cutoff}."
    )
    if rules.publication_time is not None:
        said.append(f"Its value counts, and is published, from {rules.publication_time} on.")
    else:
        lag = rules.publication_lag_hours
        said.append(
            f"Its value counts from {_count(lag, 'hour')} after that."
            if lag
            else "Its value counts from then on."
        )
    said.append(
        f"Published later than {_count(rules.publication_grace_hours, 'hour')} after it counts, it is a backcast and says so."
    )
    said.append(f"A published value is provisional for {_count(rules.finality_hours, 'hour')}, then final.")
    return said


def judgement_words(rules: Methodology) -> list[str]:
    """Where people come in."""
    said = []
    if rules.hold_move is None:
        said.append("No move is held: a value is published whatever its move (no hold_move is set).")
    else:
        said.append(
            f"A value that moves more than {percent(rules.hold_move)} against the last published one is held until a second "
            "person releases it. A hold blocks its own date alone: later dates are fixed as if the held one had no fixing. "
            f"For {_count(rules.hold_days, 'day')} they are measured against the same last value; then the held level is taken."
        )
    said.append(
        "A person may set a value, or none, in place of what the rules give, with a reason and a second person's "
        "approval; it is printed as THIN (or GAP) under the rule judgement, never of settlement grade."
    )
    return said


def error_words(rules: Methodology) -> list[str]:
    """The error policy."""
    said = [
        "Late data never revise by themselves. A correction is a new revision with its reason; the old row stays."
    ]
    window, threshold = rules.republication_window_days, rules.republication_threshold
    said.append(
        "A correction may be made at any time (no republication_window_days is set)."
        if window is None
        else f"A correction is made within {_count(window, 'day')} of the first publication; a later one is recorded and not made."
    )
    said.append(
        "Every change of the value or of its inputs may be corrected (no republication_threshold is set)."
        if threshold is None
        else f"A change of the value under {percent(threshold)} is immaterial: it is recorded and not made. A changed status is "
        "always material."
    )
    said.append(
        "A correction keeps the rules under which the date was first published; a new version never reaches back."
    )
    return said


def cessation_words(rules: Methodology) -> list[str]:
    """How it ends."""
    days = rules.cessation_notice_days
    notice = (
        "No length of notice is promised (no cessation_notice_days is set)."
        if days is None
        else f"It ends with at least {_count(days, 'day')} of notice."
    )
    return [notice, "After its last date nothing is fixed or published; what was published stays."]


def rules_table(benchmark: Benchmark) -> list[list[str]]:
    """Every rule that is not at its default, by key, as it is hashed."""
    grade = benchmark.grade.model_dump(mode="json", exclude_defaults=True)
    rules = benchmark.methodology.model_dump(mode="json", exclude_defaults=True)
    rows = [[f"grades.{benchmark.grade_name}.{key}", plain(value)] for key, value in grade.items()]
    rows += [
        [f"methodologies.{benchmark.methodology_name}.{key}", plain(value)] for key, value in rules.items()
    ]
    return rows


def percent(share: str) -> str:
    """A share as written in the rules, in percent: ``0.25`` is ``25 %``, ``1/3`` is ``33.33 %``."""
    return f"{float(100 * Fraction(share)):.4g} %"


def plain(value: Any) -> str:
    """A value of a rule as one text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _inline(parts: Mapping[str, Any]) -> str:
    return "; ".join(f"{key} {plain(value)}" for key, value in parts.items())


def _listed(values: Sequence[object]) -> str:
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"
