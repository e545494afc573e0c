"""A grade is read whole or refused in one sentence that names the key and the remedy."""

from __future__ import annotations

import tomllib
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.grades import UNSTATED, UNSTATED_IF_SILENT, Grade, RuleCode
from rentmark.records import PRICINGS, UsageError

WHERE = "[grades.g]"
KNOWN = (
    "chip, form_factor, memory_gb, interconnect, pricing, price_basis, sources, skus, term_months, services, "
    "tenancy, countries, regions, exclude_regions, sellers, exclude_sellers, min_gpus, max_gpus, "
    "minimum_gpus_at_least, minimum_gpus_at_most, rating"
)
LISTS = (
    "form_factor",
    "memory_gb",
    "interconnect",
    "sources",
    "skus",
    "term_months",
    "services",
    "tenancy",
    "countries",
    "regions",
    "exclude_regions",
    "sellers",
    "exclude_sellers",
)


def read(text: str) -> Grade:
    """Read a grade written as TOML; the chip is H100 unless stated."""
    return Grade.read({"chip": "H100", **tomllib.loads(text)}, WHERE)


def sentence(text: str) -> str:
    with pytest.raises(UsageError) as refused:
        read(text)
    assert refused.value.exit_code == 2
    return refused.value.sentence


REFUSED = [
    ("form_factors = ['SXM']", " has an unknown key form_factors; did you mean form_factor?"),
    ("colour = 'red'", f" has an unknown key colour; known keys: {KNOWN}."),
    ("chip = ''", " has chip = '': string should have at least 1 character."),
    ("min_gpus = 8\nmax_gpus = 2", ": min_gpus = 8 is above max_gpus = 2; no row meets both."),
    (
        "minimum_gpus_at_least = 64\nminimum_gpus_at_most = 8",
        ": minimum_gpus_at_least = 64 is above minimum_gpus_at_most = 8; no row meets both.",
    ),
    ("min_gpus = 0", " has min_gpus = 0: input should be greater than or equal to 1."),
    ("max_gpus = 0", " has max_gpus = 0: input should be greater than or equal to 1."),
    (
        "pricing = 'secure'",
        ' has pricing = \'secure\': "secure" is a data-centre offer; write pricing = "on_demand".',
    ),
    ("pricing = 'daily'", f" has pricing = 'daily': it must be one of {', '.join(PRICINGS)}."),
    ("price_basis = 'node'", " has price_basis = 'node': input should be 'instance' or 'gpu_only'."),
    (
        "memory_gb = ['eighty']",
        " has memory_gb.0 = 'eighty': input should be a whole number.",
    ),
    (
        "rating = { scheme = 'invented', at_least = 'silver' }",
        " has rating = {'scheme': 'invented', 'at_least': 'silver'}: there is no rating scheme 'invented'; known: clustermax.",
    ),
    ("rating = { scheme = 'invented' }", " lacks the key rating.at_least; add it."),
    (
        "rating = { scheme = 'clustermax', at_least = 'unavailable' }",
        " has rating = {'scheme': 'clustermax', 'at_least': 'unavailable'}: clustermax: Unavailable means that an operator could not be rated; it is missing, not a tier. The lowest tier is Underperforming.",
    ),
    (
        "interconnect = ['PCIe']",
        " has interconnect = ['PCIe']: 'PCIe' is not an interconnect; write InfiniBand, RoCE, Ethernet, NVLink or leave it blank.",
    ),
    (
        "tenancy = ['dedicated']",
        " has tenancy.0.literal['single','shared'] = 'dedicated': input should be 'single' or 'shared'.",
    ),
    *(
        (f"{key} = []", f": {key} is an empty list, which no row meets; remove the key or fill it.")
        for key in LISTS
    ),
]


@pytest.mark.parametrize(("text", "rest"), REFUSED, ids=[text.replace("\n", "; ") for text, _ in REFUSED])
def test_a_mistake_is_one_sentence_with_the_key_and_the_remedy(text, rest):
    assert sentence(text) == WHERE + rest


def test_a_chip_is_read_into_its_canonical_name_and_an_unknown_one_refused():
    assert Grade(chip="h100").chip == "H100"
    with pytest.raises(UsageError) as refused:
        Grade.read({"chip": "H1000"}, WHERE)
    assert refused.value.sentence == (
        "[grades.g] has chip = 'H1000': no chip of the catalogue has this name; "
        "`rentmark grade` shows how a name is read."
    )


def test_form_factors_are_read_as_rows_are():
    assert read("form_factor = ['SXM5', 'pcie', 'unstated']").form_factor == ("SXM", "PCIe", "unstated")
    assert sentence("form_factor = ['SXN']").startswith("[grades.g] has form_factor = ['SXN']: ")


def test_memory_is_read_into_the_canonical_size():
    # 192 GB are the same board as 180 GB, which is the name the market uses
    assert Grade(chip="B200", memory_gb=(192,)).memory_gb == Grade(chip="B200", memory_gb=(180,)).memory_gb


def test_interconnects_are_read_as_rows_are():
    grade = read("interconnect = ['nvlink', 'NDR InfiniBand', 'RoCEv2', 'unstated']")
    assert grade.interconnect == ("NVLink", "InfiniBand", "RoCE", "unstated")


def test_a_tier_is_read_into_the_word_of_its_scheme():
    grade = read("rating = { scheme = 'clustermax', at_least = 'silver' }")
    assert grade.rating is not None
    assert grade.rating.at_least == "Silver"


def test_a_service_that_is_none_is_refused_with_the_known_ones():
    said = sentence("services = ['vms']")
    assert said.startswith("[grades.g] has services.0 = 'vms': input should be 'managed_cluster', 'vm', ")


def test_a_chip_must_be_stated():
    with pytest.raises(UsageError) as refused:
        Grade.read({"memory_gb": [80]}, WHERE)
    assert refused.value.sentence == "[grades.g] lacks the key chip; add it."


def test_the_grade_of_the_design_is_read():
    grade = read(
        """
        sources = ["adriannutiu/gpu-rental-prices"]
        form_factor = ["SXM", "unstated"]
        memory_gb = [80]
        pricing = "on_demand"
        """
    )
    assert grade.form_factor == ("SXM", "unstated")
    assert grade.memory_gb == (80,)
    assert (grade.chip, grade.pricing) == ("H100", "on_demand")


def test_an_omitted_key_is_null_and_filters_nothing():
    grade = read("")
    assert {name for name, value in grade if value is not None} == {"chip"}
    assert set(LISTS) <= set(Grade.model_fields)


@given(
    st.lists(st.sampled_from(["SXM", "PCIe", "NVL", UNSTATED, UNSTATED_IF_SILENT]), unique=True, min_size=1)
)
def test_the_words_about_silence_are_no_form_factors(words):
    grade = Grade(chip="H100", form_factor=tuple(words))
    assert grade.stated_form_factors == tuple(w for w in words if w in {"SXM", "PCIe", "NVL"})


def test_no_form_factor_key_names_none():
    assert Grade(chip="H100").stated_form_factors == ()


def test_one_size_alone_is_a_grade():
    grade = read("min_gpus = 8\nmax_gpus = 8")
    assert (grade.min_gpus, grade.max_gpus) == (8, 8)


def test_a_grade_can_not_be_changed_once_read():
    grade = read("")
    with pytest.raises(ValueError, match="frozen"):
        grade.chip = "H200"


def test_rule_codes_are_distinct():
    codes = get_args(RuleCode)
    assert len(set(codes)) == len(codes)
