"""The published CSV loses nothing: what is read back has the seals of what was written."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.records import Fixing, RentmarkError, seal
from rentmark.workspace.published_csv import column_of, read_tape_csv, tape_csv

FULL = Fixing(
    benchmark="b",
    date=date(2026, 7, 6),
    value_micros=3_120_000,
    status="OK",
    rule=None,
    tier="listed",
    n_observations=3,
    n_sellers=3,
    n_votes=3,
    n_venues=3,
    gpu_seconds=7,
    p25_micros=3_000_000,
    p75_micros=-1,
    top_weight="0.333333",
    carried_from=None,
    methodology="m",
    methodology_version="1",
    methodology_hash="0" * 64,
    input_digest="1" * 64,
    effective_at=datetime(2026, 7, 7, tzinfo=UTC),
    simulated=False,
    reconstructed=False,
    rights="allowed",
    settlement_grade=True,
    revision=2,
    origin="live",
    published_at=datetime(2026, 7, 7, 0, 0, 0, 1, tzinfo=UTC),
    built_as_of=datetime(2026, 7, 6, 23, 59, 59, 999999, tzinfo=UTC),
    details='{"screened":{"robust_distance":1}}',
)
AWKWARD = st.sampled_from(
    ["", '"', '""', "a,b", "line\nbreak", "carriage\rreturn", "ä\u2028", "'", " ", "null", "0"]
)


def test_prices_are_named_by_their_unit():
    assert column_of("value_micros") == "value_usd_per_gpu_hour"
    header = tape_csv([FULL]).splitlines()[0].split(",")
    assert header == [column_of(field.name) for field in fields(Fixing)]
    assert ",3.120000," in tape_csv([FULL])


@given(AWKWARD | st.none(), AWKWARD | st.none(), st.integers(-(10**15), 10**15) | st.none())
def test_whatever_stands_in_a_row_comes_back_to_the_byte(reason, actor, value):
    row = replace(FULL, reason=reason, actor=actor, value_micros=value)
    row = replace(row, row_digest=seal(row))
    assert read_tape_csv(tape_csv([row, FULL]), "tape.csv") == [row, FULL]


def test_a_column_that_an_older_tape_lacks_reads_as_null():
    text = tape_csv([replace(FULL, details=None, reason=None)])
    header, line = text.splitlines()
    place = header.split(",").index("approved_by")
    without = [",".join(c for n, c in enumerate(row.split(",")) if n != place) for row in (header, line)]
    assert read_tape_csv("\n".join(without) + "\n", "tape.csv")[0].approved_by is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda t: t.replace("3.120000", "3.12.0"),
            "line 2: value_usd_per_gpu_hour is '3.12.0', which can't be read",
        ),
        (lambda t: t.replace("false", "no", 1), "line 2: simulated is 'no'"),
        (lambda t: t.replace("2026-07-06,", ",", 1), "line 2: date is ''"),
        (lambda t: t + "1,2\n", "line 3: 2 cells under 36 columns"),
        (
            lambda t: t.replace("benchmark", "bench", 1),
            "the column 'bench', which no tape of this version has",
        ),
        (lambda t: "date\n", "lacks the column benchmark"),
        (lambda t: t + '"open', "line 3: unexpected end of data"),
    ],
)
def test_what_can_not_be_read_is_located(change, sentence):
    text = change(tape_csv([FULL]))
    columns = len(fields(Fixing))
    with pytest.raises(RentmarkError, match=sentence.replace("36", str(columns)).replace("?", r"\?")):
        read_tape_csv(text, "tape.csv")
