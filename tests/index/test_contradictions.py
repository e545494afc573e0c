"""Keys of a methodology that can't both hold are refused when it is read, with what to change."""

from __future__ import annotations

import tomllib

import pytest
from rentmark.index import Methodology
from rentmark.records import UsageError

WHERE = "[methodologies.m]"
TRADES = 'inputs = ["trade", "listed"]\n'
BY_TRADE = 'inputs = ["trade"]\nvote = ["observation"]\nweights = "volume"\n'


def read(text: str) -> Methodology:
    """Read a methodology written as TOML; a version and listed inputs are there unless stated."""
    return Methodology.read({"version": "1.0.0", "inputs": ["listed"], **tomllib.loads(text)}, WHERE)


REFUSED = [
    # tiers
    ("hierarchy = 'first'", ': hierarchy = "first" needs two tiers or more in inputs.'),
    (
        f"{TRADES}hierarchy = 'blend'",
        ': hierarchy = "blend" needs blend with trade, listed, and no other.',
    ),
    (
        f"{TRADES}hierarchy = 'blend'\nblend = {{ trade = 0.5, executable = 0.5 }}",
        ': hierarchy = "blend" needs blend with trade, listed, and no other.',
    ),
    (
        f"{TRADES}blend = {{ trade = 0.5, listed = 0.5 }}",
        ': blend has no effect; set hierarchy = "blend" or remove it.',
    ),
    (
        f"{TRADES}hierarchy = 'pool'\ntier_weights = {{ trade = 2, listed = 1 }}",
        ': hierarchy = "pool" needs weights = "tier", which says what a vote of each tier weighs.',
    ),
    (
        f"{TRADES}hierarchy = 'pool'\nweights = 'tier'\ntier_weights = {{ trade = 2, listed = 0 }}",
        ": tier_weights are whole numbers of at least 1; leave a tier out of inputs instead.",
    ),
    (
        f"{TRADES}tier_weights = {{ trade = 2, listed = 1 }}",
        ': tier_weights has no effect; set hierarchy = "pool" or remove it.',
    ),
    ("weights = 'tier'", ': weights = "tier" weighs tiers of one pool; set hierarchy = "pool".'),
    # weights
    ("inputs = ['trade']\nweights = 'capacity'", ': weights = "capacity" needs offers; trades state none.'),
    (
        "capacity_steps = [[1, 1]]",
        ': capacity_steps has no effect; set weights = "capacity" or remove it.',
    ),
    (
        "weights = 'capacity'\ncapacity_steps = [[100, 2], [1, 1]]",
        ": capacity_steps lists [GPUs from, weight] with rising GPUs and weights of at least 1.",
    ),
    ("recency = 2", " has recency = 2: a share is above 0 and at most 1."),
    # estimators
    (
        f"{TRADES}estimator = 'volume_weighted_mean'",
        (
            ': estimator = "volume_weighted_mean" weighs by traded hours, but weights = "seller"; '
            'set weights = "volume" or choose estimator = "median".'
        ),
    ),
    (
        f"{TRADES}weights = 'volume'\nestimator = 'partitioned_volume_weighted_median'\npartitions = 12",
        (
            ': estimator = "partitioned_volume_weighted_median" places each trade in time; '
            'set vote = ["observation"].'
        ),
    ),
    (
        f"{BY_TRADE}estimator = 'partitioned_volume_weighted_median'",
        ': estimator = "partitioned_volume_weighted_median" needs partitions; set it.',
    ),
    (
        "vote = ['observation']\nestimator = 'matched_chain'\nmemory_days = 7",
        ': estimator = "matched_chain" reads earlier votes of a seller; set vote = ["seller"].',
    ),
    ("estimator = 'matched_chain'", ': estimator = "matched_chain" needs memory_days; set it.'),
    (
        "estimator = 'time_dummy'\nmemory_days = 30",
        ': estimator = "time_dummy" needs splice; set it.',
    ),
    (
        f"{TRADES}hierarchy = 'blend'\nblend = {{ trade = 1, listed = 1 }}\nestimator = 'matched_chain'\nmemory_days = 7",
        ': estimator = "matched_chain" goes on from one tier; choose another hierarchy.',
    ),
    ("estimator = 'trimmed_mean'", ': estimator = "trimmed_mean" needs tail; set it.'),
    (
        "estimator = 'trimmed_mean'\ntail = 0.5",
        " has tail = 0.5: a tail is a share above 0 and below one half.",
    ),
    ("tail = 0.1", ': tail has no effect on estimator = "median"; remove it.'),
    ("memory_days = 9", ': memory_days has no effect on estimator = "median"; remove it.'),
    (
        "vote = ['observation']\nmatched_days = 7",
        ': matched_days matches votes of sellers in one tier; set vote = ["seller"].',
    ),
    # caps
    (
        "cap = 0.3\nmin_sellers = 3",
        (
            ": cap = 0.3 times min_sellers = 3 is below 1: so few can't hold the whole weight; "
            "raise min_sellers to 4 or raise cap."
        ),
    ),
    (
        "cap_venue = 0.5",
        (
            ": cap_venue = 0.5 times min_venues = 1 is below 1: so few can't hold the whole weight; "
            "raise min_venues to 2 or raise cap_venue."
        ),
    ),
    (
        "cap = 0.333",
        (
            ": cap = 0.333 times min_sellers = 1 is below 1: so few can't hold the whole weight; "
            "raise min_sellers to 4 or raise cap."
        ),
    ),
    ("cap = true", ' has cap = True: write a number, or a ratio as text such as "1/3".'),
    (
        "cap = '1/0'",
        " has cap = '1/0': write a positive number with at most twelve decimals, or a ratio such as \"1/3\".",
    ),
    ("cap = 0", " has cap = 0: a share is above 0 and at most 1."),
    ("cap = 1.5", " has cap = 1.5: a share is above 0 and at most 1."),
    (
        "cap = 0.5\nmin_sellers = 2\nweight_floor = 0.6",
        ": weight_floor = 0.6 is above cap = 0.5.",
    ),
    ("min_sellers = 3\nweight_floor = 0.4", ": weight_floor = 0.4 times min_sellers = 3 is above 1."),
    (
        f"{TRADES}max_trade_share = 0.1",
        (
            ': max_trade_share caps what one buyer and one seller trade; it needs "trade" in inputs and '
            'vote = ["observation"].'
        ),
    ),
    # screens
    ("screen = { robust = 3 }", " has an unknown key screen.robust; did you mean robust_z?"),
    ("screen = { min_votes = 2 }", " has screen.min_votes = 2: input should be greater than or equal to 3."),
    ("screen = { band = 1 }", " has screen.band = 1: a ratio band is above 1: 2 admits from half to double."),
    (
        "vote = ['observation']\nscreen = { administered_days = 30 }",
        ': screen.jump and screen.administered_days follow a seller; set vote = ["seller"].',
    ),
    (
        "screen = { affiliates = [['alpha', 'beta']] }",
        ': screen.affiliates needs trades; add "trade" to inputs.',
    ),
    (
        f"{TRADES}screen = {{ affiliates = [['alpha']] }}",
        " has screen = {'affiliates': [['alpha']]}: affiliates has the group ['alpha']; a group names at least two.",
    ),
    (
        "inputs = ['trade']\nscreen = { administered = ['alpha'] }",
        ': screen.administered leaves list prices out; inputs has no "listed".',
    ),
    (
        f"{TRADES}hierarchy = 'pool'\nweights = 'tier'\ntier_weights = {{ trade = 2, listed = 1 }}\nscreen = {{ administered_days = 30 }}",
        ": a rule that follows votes from day to day needs them in one tier; choose another hierarchy than pool.",
    ),
    # gates
    (
        "dispersion_days = 5",
        ': dispersion_days = 5 needs max_dispersion and vote = ["seller"].',
    ),
    ("reopen = {}", ": reopen asks nothing; set a bar or days above 1, or remove it."),
    (
        "min_sellers = 3\nreopen = { min_sellers = 3 }",
        ": reopen.min_sellers = 3 must be above min_sellers = 3.",
    ),
    (
        "max_dispersion = 0.2\nreopen = { max_dispersion = 0.2 }",
        ": reopen.max_dispersion = 0.2 must be below max_dispersion.",
    ),
    ("reopen = { max_dispersion = 0.2 }", ": reopen.max_dispersion = 0.2 must be below max_dispersion."),
]


@pytest.mark.parametrize(("text", "rest"), REFUSED, ids=[text.replace("\n", "; ") for text, _ in REFUSED])
def test_a_contradiction_is_one_sentence_with_the_keys_and_the_remedy(text, rest):
    with pytest.raises(UsageError) as refused:
        read(text)
    assert refused.value.sentence == WHERE + rest
    assert refused.value.exit_code == 2


ACCEPTED = [
    "cap = '1/3'\nmin_sellers = 3",
    "cap = 0.25\nmin_sellers = 4\nweight_floor = 0.025",
    "cutoff = '02:30 America/New_York'\ncalendar = 'weekdays'",  # clocks change on Sundays
    f"{TRADES}hierarchy = 'blend'\nblend = {{ trade = 3, listed = '1/2' }}",
    f"{BY_TRADE}estimator = 'partitioned_volume_weighted_median'\npartitions = 12\nmax_trade_share = 0.1",
    "estimator = 'time_dummy'\nmemory_days = 30\nsplice = 'mean'\nvote = ['seller', 'sku']",
    "calendar = 'weekly'\nweekday = 'friday'\ncutoff = '16:00 Europe/London'",
    "weights = 'capacity'\ncapacity_steps = [[1, 1], [100, 2], [1000, 3]]\nrecency = 0.5",
]


@pytest.mark.parametrize("text", ACCEPTED, ids=[text.replace("\n", "; ") for text in ACCEPTED])
def test_keys_that_go_together_are_read(text):
    assert read(text).version == "1.0.0"


def test_no_fallback_is_the_gap_it_leaves():
    assert read("fallback = 'none'") == read("")
