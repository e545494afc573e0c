"""Verify: any field of a tape row that does not follow from the archive is found and named."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from rentmark.index import compare
from rentmark.index.verify import COMPARED
from rentmark.records import Fixing

from .making import LATER, ballot, benchmark, usd, windows_for
from .test_fixing import fix

ON_TAPE = replace(
    fix(benchmark(thin_sellers=3), [ballot("alpha", "2.00"), ballot("beta", "4.00")]),
    published_at=LATER,
    origin="backcast",
)
ALTERED: dict[str, Any] = {
    "value_micros": usd("3.000001"),
    "status": "OK",
    "rule": "thin_observations",
    "tier": "executable",
    "n_observations": 3,
    "n_sellers": 3,
    "n_votes": 3,
    "n_venues": 3,
    "gpu_seconds": 1,
    "p25_micros": 1,
    "p75_micros": 1,
    "top_weight": "0.500001",
    "carried_from": windows_for(benchmark())[0].date,
    "input_digest": "0" * 64,
    "effective_at": ON_TAPE.effective_at + timedelta(microseconds=1),
    "simulated": True,
    "rights": "unknown",
    "settlement_grade": True,
    "details": '{"screened":{"robust_distance":1}}',
}
NOT_FROM_THE_ARCHIVE = {
    # what the row is looked up by, and the rules it is rebuilt under
    "benchmark", "date", "revision", "methodology", "methodology_version", "methodology_hash", "reconstructed",
    # when, by whom and why it was written, and its place in the chain
    "origin", "published_at", "published_at_real", "built_as_of", "actor", "approved_by", "judgement", "reason",
    "previous_digest", "row_digest",
}  # fmt: skip


def rebuilt(row: Fixing) -> dict[Any, Fixing]:
    return {(row.date, row.revision): replace(row, published_at=None, origin=None)}


def test_every_field_of_a_fixing_is_either_compared_or_set_by_publishing():
    assert {f.name for f in fields(Fixing)} == set(COMPARED) | NOT_FROM_THE_ARCHIVE
    assert not set(COMPARED) & NOT_FROM_THE_ARCHIVE
    assert set(ALTERED) == set(COMPARED)


def test_a_row_that_follows_from_the_archive_has_no_difference():
    assert compare([ON_TAPE], rebuilt(ON_TAPE)) == []


@pytest.mark.parametrize("name", COMPARED)
def test_one_altered_field_is_found_and_named(name):
    altered = replace(ON_TAPE, **{name: ALTERED[name]})
    (difference,) = compare([altered], rebuilt(ON_TAPE))
    assert (difference.field, difference.benchmark, difference.date, difference.revision) == (
        name,
        ON_TAPE.benchmark,
        ON_TAPE.date,
        0,
    )
    assert difference.on_tape != difference.rebuilt
    assert (
        f"{name} is {difference.on_tape} on the tape and {difference.rebuilt} from the archive."
        in difference.sentence
    )


def test_a_value_is_shown_in_dollars():
    (difference,) = compare([replace(ON_TAPE, value_micros=usd("3.25"))], rebuilt(ON_TAPE))
    assert difference.sentence == (
        "invented-h100 2026-07-08 revision 0: value_micros is 3.250000 on the tape and 3.000000 from the archive."
    )
    (difference,) = compare([replace(ON_TAPE, p25_micros=None)], rebuilt(ON_TAPE))
    assert (difference.on_tape, difference.rebuilt) == ("null", "2.500000")


def test_several_altered_fields_are_each_named():
    altered = replace(ON_TAPE, value_micros=None, status="GAP", rule="min_sellers")
    assert [d.field for d in compare([altered], rebuilt(ON_TAPE))] == ["value_micros", "status", "rule"]


def test_a_row_that_cannot_be_rebuilt_is_a_difference():
    (difference,) = compare([ON_TAPE], {})
    assert (difference.field, difference.on_tape, difference.rebuilt) == (
        "row",
        "present",
        "not reproducible",
    )


def test_a_revision_is_compared_with_its_own_rebuild():
    second = replace(ON_TAPE, revision=1, value_micros=usd("9.00"))
    again = rebuilt(ON_TAPE) | {(second.date, 1): second}
    assert compare([ON_TAPE, second], again) == []
    assert [d.revision for d in compare([ON_TAPE, second], rebuilt(ON_TAPE))] == [1]
