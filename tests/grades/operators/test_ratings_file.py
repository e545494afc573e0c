"""A ratings file is read whole or refused in one sentence that names the line."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.grades.operators import CLUSTERMAX, read_ratings_file
from rentmark.records import RentmarkError

HEADER = "version,published,provider,tier"
AMBER = "2.0,2025-11-06,Amber,Gold"


def read(*lines: str, header: str = HEADER):
    return read_ratings_file("\n".join([header, *lines]).encode(), "ratings.csv", CLUSTERMAX)


def test_a_rating_is_read_with_what_stands_beside_it():
    (rating,) = read(
        '2.0,2025-11-06,Amber,gold,"1 of 84, invented",https://invented.example,amber-eu; amber us,true',
        header=f"{HEADER},completeness,source_url,sellers,simulated",
    )
    assert (rating.scheme, rating.version, rating.published_on) == ("clustermax", "2.0", date(2025, 11, 6))
    assert (rating.operator, rating.tier, rating.completeness) == ("Amber", "Gold", "1 of 84, invented")
    assert (rating.sellers, rating.simulated, rating.recorded_at) == (("amber-eu", "amber us"), True, None)


def test_comments_blank_lines_a_mark_of_order_and_an_exact_repeat_do_no_harm():
    payload = f"\ufeff# invented\n{HEADER}\n\n{AMBER}\n{AMBER}\n".encode()
    assert len(read_ratings_file(payload, "ratings.csv", CLUSTERMAX)) == 1


def test_a_version_whose_day_is_not_known_is_taken_with_the_date_it_states():
    assert read("2.1,2026-04-15,Amber,Gold")[0].published_on == date(2026, 4, 15)


BAD = {
    "an unknown tier": (
        ["2.0,2025-11-06,Amber,Goldd"],
        "line 2: tier 'Goldd' is unknown to ClusterMAX; did you mean Gold?",
    ),
    "a word for two tiers": (
        ["2.0,2025-11-06,Amber,Not Recommended"],
        "line 2: tier 'Not Recommended' is not one tier",
    ),
    "two tiers on one date": (
        [AMBER, "2.0,2025-11-06,AMBER,Silver"],
        "line 3: AMBER is Silver here and Gold on line 2, both published 2025-11-06; keep one.",
    ),
    "one release with two dates": (
        ["2.1,2026-04-01,Amber,Gold", "2.1,2026-04-02,Basalt,Gold"],
        "line 3: version 2.1 is published 2026-04-02 here and 2026-04-01 on line 2; a release has one date.",
    ),
    "a date before the publication": (
        ["3.0,2026-09-01,Amber,Gold"],
        "line 2: ClusterMAX 3.0 was published 2026-09-23, not 2026-09-01; correct the date",
    ),
    "a tier before it existed": (
        ["2.0,2025-11-06,Amber,Participation Ribbon"],
        "line 2: ClusterMAX has the tier Participation Ribbon since 2026-09-23",
    ),
    "no date": (["2.0,soon,Amber,Gold"], "line 2: published: 'soon' is not a date"),
    "a blank provider": (["2.0,2025-11-06,,Gold"], "line 2: provider is blank; fill it in."),
    "a provider without a letter": (["2.0,2025-11-06,--,Gold"], "line 2: provider '--' is no name"),
    "a blank tier": (["2.0,2025-11-06,Amber,"], "line 2: tier is blank"),
    "a row cut off": (["2.0,2025-11-06,Amb"], "line 2 has 3 cells and the header 4"),
    "a quotation mark never closed": (['2.0,2025-11-06,"Amber,Gold'], "can't be read as CSV"),
    "a text beyond measure": (
        [f"2.0,2025-11-06,{'A' * 1001},Gold"],
        "provider is longer than 1000 characters",
    ),
    "nothing but a header": ([], "holds no ratings"),
}


@pytest.mark.parametrize(("lines", "said"), BAD.values(), ids=BAD)
def test_a_bad_file_is_one_sentence(lines, said):
    with pytest.raises(RentmarkError) as refused:
        read(*lines)
    assert said in refused.value.sentence
    assert refused.value.sentence.startswith("ratings.csv")
    assert "\n" not in refused.value.sentence


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("version,published,provider", "has no column tier"),
        (f"{HEADER},tier", "has the column tier twice"),
        (f"{HEADER},colour", "has an unknown column colour"),
        ("", "is empty"),
    ],
)
def test_a_header_that_is_none_is_one_sentence(header, said):
    with pytest.raises(RentmarkError) as refused:
        read_ratings_file(header.encode(), "ratings.csv", CLUSTERMAX)
    assert said in refused.value.sentence


def test_a_flag_that_is_none_is_said():
    with pytest.raises(RentmarkError, match=r"simulated is 'perhaps'; write true or false\."):
        read(f"{AMBER},perhaps", header=f"{HEADER},simulated")


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_ratings_or_one_sentence(payload):
    for whole in (payload, f"{HEADER}\n{AMBER}\n".encode() + payload):
        try:
            assert read_ratings_file(whole, "ratings.csv", CLUSTERMAX)
        except RentmarkError as refused:
            assert refused.sentence.startswith("ratings.csv")  # noqa: PT017
