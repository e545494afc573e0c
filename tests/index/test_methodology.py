"""A methodology is read whole or refused in one sentence that names the key and the remedy."""

from __future__ import annotations

import tomllib

import pytest
from rentmark.index import ESTIMATORS, BenchmarkSpec, Methodology
from rentmark.records import UsageError

WHERE = "[methodologies.m]"
KNOWN = ", ".join(Methodology.model_fields)
CUTOFF_REMEDY = "write it as HH:MM and a time zone, such as 16:00 America/New_York."


def read(text: str) -> Methodology:
    """Read a methodology written as TOML; a version and listed inputs are there unless stated."""
    return Methodology.read({"version": "1.0.0", "inputs": ["listed"], **tomllib.loads(text)}, WHERE)


REFUSED = [
    ("min_seller = 3", " has an unknown key min_seller; did you mean min_sellers?"),
    ("benchmark = 'x'", f" has an unknown key benchmark; known keys: {KNOWN}."),
    ("inputs = ['listed', 'trade']", ": inputs must keep the order of quality: trade, listed."),
    (
        "inputs = ['executable', 'listed', 'trade']",
        ": inputs must keep the order of quality: trade, executable, listed.",
    ),
    ("inputs = ['listed', 'listed']", " has inputs = ['listed', 'listed']: it names one thing twice."),
    ("inputs = ['asked']", " has inputs.0 = 'asked': input should be 'trade', 'executable' or 'listed'."),
    ("inputs = 'listed'", " has inputs = 'listed': input should be a list."),
    ("inputs = []", " has inputs = []: list should have at least 1 item after validation, not 0."),
    ("vote = ['region']", ': vote must name "seller" or "observation".'),
    ("vote = ['sku']", ': vote must name "seller" or "observation".'),
    ("vote = []", ': vote must name "seller" or "observation".'),
    ("vote = ['seller', 'seller']", " has vote = ['seller', 'seller']: it names one thing twice."),
    (
        "vote = ['observation', 'region']",
        ': vote = ["observation"] stands alone: each observation is one vote.',
    ),
    ("fallback = 'carry'", ": fallback = carry needs carry_days of at least 1."),
    ("carry_days = 2", ": carry_days = 2 has no effect; set fallback = carry or remove it."),
    ("min_sellers = 3\nthin_sellers = 3", ": thin_sellers = 3 must be above min_sellers = 3."),
    ("thin_sellers = 1", ": thin_sellers = 1 must be above min_sellers = 1."),
    (
        "min_observations = 5\nthin_observations = 4",
        ": thin_observations = 4 must be above min_observations = 5.",
    ),
    ("weights = 'volume'", ': weights = "volume" needs trades; add "trade" to inputs.'),
    ("min_gpu_hours = 100", ': min_gpu_hours = 100 needs trades; add "trade" to inputs.'),
    ("cutoff = '4 pm'", f" has cutoff = '4 pm': {CUTOFF_REMEDY}"),
    ("cutoff = '16:00'", f" has cutoff = '16:00': {CUTOFF_REMEDY}"),
    ("cutoff = '24:00 UTC'", f" has cutoff = '24:00 UTC': {CUTOFF_REMEDY}"),
    ("cutoff = '16:60 UTC'", f" has cutoff = '16:60 UTC': {CUTOFF_REMEDY}"),
    ("cutoff = '9:00 UTC'", f" has cutoff = '9:00 UTC': {CUTOFF_REMEDY}"),
    ('cutoff = "16:00 UTC\\n"', rf" has cutoff = '16:00 UTC\n': {CUTOFF_REMEDY}"),
    (
        "cutoff = '16:00 Mars/Olympus'",
        " has cutoff = '16:00 Mars/Olympus': 'Mars/Olympus' is not an IANA time zone such as 'UTC' or 'America/New_York'.",
    ),
    (
        "cutoff = '16:00 America'",
        " has cutoff = '16:00 America': 'America' is not an IANA time zone such as 'UTC' or 'America/New_York'.",
    ),
    (
        "cutoff = '02:30 America/New_York'",
        (
            ": cutoff = '02:30 America/New_York' does not exist on 2020-03-08: the clocks of America/New_York "
            "skip it; choose an hour that occurs every day."
        ),
    ),
    (
        "estimator = 'average'",
        f" has estimator = 'average': it must be one of {', '.join(sorted(ESTIMATORS))}.",
    ),
    (
        "calendar = 'nyse'",
        " has calendar = 'nyse': it must be one of every_day, weekdays, weekly, or a calendar of exchange_calendars such as XNYS.",
    ),
    ("calendar = 'weekly'", ': calendar = "weekly" and weekday = "friday", or another day, go together.'),
    ("weekday = 'friday'", ': calendar = "weekly" and weekday = "friday", or another day, go together.'),
    ("suspect = 'drop'", " has suspect = 'drop': input should be 'keep' or 'exclude'."),
    ("min_sellers = 0", " has min_sellers = 0: input should be greater than or equal to 1."),
    ("min_sellers = true", " has min_sellers = True: input should be a whole number."),
    ("min_sellers = '3'", " has min_sellers = '3': input should be a whole number."),
    ("min_sellers = 3.0", " has min_sellers = 3.0: input should be a whole number."),
    ("min_sellers = nan", " has min_sellers = nan: input should be a whole number."),
    ("include_carried = 'yes'", " has include_carried = 'yes': input should be true or false."),
    ("include_carried = 1", " has include_carried = 1: input should be true or false."),
    ("decimals = 7", " has decimals = 7: input should be less than or equal to 6."),
    ("lookback_hours = 0", " has lookback_hours = 0: input should be greater than or equal to 1."),
    ("version = ''", " has version = '': string should have at least 1 character."),
    ("version = 1", " has version = 1: input should be a valid string."),
]
"""Keys that stand since the first version, alone and two by two."""


@pytest.mark.parametrize(("text", "rest"), REFUSED, ids=[text.replace("\n", "; ") for text, _ in REFUSED])
def test_a_mistake_is_one_sentence_with_the_key_and_the_remedy(text, rest):
    with pytest.raises(UsageError) as refused:
        read(text)
    assert refused.value.sentence == WHERE + rest
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("key", "values"), [("version", {"inputs": ["listed"]}), ("inputs", {"version": "1"})]
)
def test_what_has_no_default_must_be_stated(key, values):
    with pytest.raises(UsageError) as refused:
        Methodology.read(values, WHERE)
    assert refused.value.sentence == f"{WHERE} lacks the key {key}; add it."


def test_a_benchmark_that_misspells_research_is_refused_and_not_published_by_accident():
    with pytest.raises(UsageError) as refused:
        BenchmarkSpec.read({"grade": "g", "methodology": "m", "reserch": True}, "[benchmarks.b]")
    assert refused.value.sentence == "[benchmarks.b] has an unknown key reserch; did you mean research?"


def test_an_omitted_key_has_the_stated_default():
    rules = read("")
    assert (rules.vote, rules.seller_statistic, rules.estimator, rules.weights) == (
        ("seller",),
        "median",
        "median",
        "seller",
    )
    assert (rules.decimals, rules.fallback, rules.include_carried, rules.suspect) == (6, "gap", False, "keep")
    assert (rules.publication_lag_hours, rules.publication_grace_hours, rules.finality_hours) == (0, 24, 24)
    assert (rules.min_sellers, rules.min_votes, rules.min_observations, rules.min_venues) == (1, 1, 1, 1)
    assert rules.cutoff_parts is None


def test_a_cut_off_is_read_into_hour_minute_and_zone():
    assert read("cutoff = '16:05 Europe/London'").cutoff_parts == (16, 5, "Europe/London")


def test_rules_can_not_be_changed_once_read():
    rules = read("")
    with pytest.raises(ValueError, match="frozen"):
        rules.min_sellers = 5
