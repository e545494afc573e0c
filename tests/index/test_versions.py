"""Versions of a methodology: which applies on a date, and what a file may not say."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from rentmark.index import Methodology
from rentmark.index.versions import in_force, read_versions
from rentmark.records import UsageError

BASE = {"version": "1.0.0", "inputs": ["listed"], "min_sellers": 3, "cap": "0.5"}
SECOND = {
    "version": "1.1.0",
    "effective_from": date(2026, 8, 1),
    "announced_on": date(2026, 7, 15),
    "changes": "four sellers",
    "rules": {"min_sellers": 4},
}
THIRD = {
    "version": "2.0.0",
    "effective_from": date(2026, 9, 1),
    "changes": "no cap, and the mean",
    "rules": {"estimator": "mean"},
    "without": ["cap"],
}


def read(*entries, **base):
    return read_versions({**BASE, **base, "versions": list(entries)}, "[methodologies.m]")


def test_a_table_without_versions_is_its_only_one():
    (only,) = read_versions(BASE, "[methodologies.m]")
    assert only.methodology == Methodology.read(BASE, "here")
    assert (only.effective_from, only.announced_on) == (None, None)


def test_each_version_is_the_one_before_it_but_for_what_it_states():
    first, second, third = read(SECOND, THIRD)
    assert (first.methodology.min_sellers, second.methodology.min_sellers, third.methodology.min_sellers) == (
        3,
        4,
        4,
    )
    assert (second.methodology.cap, third.methodology.cap) == ("0.5", None)
    assert (second.methodology.estimator, third.methodology.estimator) == ("median", "mean")
    assert [v.version for v in (first, second, third)] == ["1.0.0", "1.1.0", "2.0.0"]


def test_a_later_version_moves_no_hash_of_an_earlier_one():
    alone, with_others = read_versions(BASE, "x")[0], read(SECOND, THIRD)[0]
    assert alone.methodology == with_others.methodology
    assert alone.rules_digest == with_others.rules_digest


@pytest.mark.parametrize(
    ("day", "version"),
    [
        (date(2020, 1, 1), "1.0.0"),
        (date(2026, 7, 31), "1.0.0"),
        (date(2026, 8, 1), "1.1.0"),
        (date(2026, 8, 31), "1.1.0"),
        (date(2026, 9, 1), "2.0.0"),
        (date(2030, 1, 1), "2.0.0"),
    ],
)
def test_the_version_in_force_is_the_last_that_has_taken_effect(day, version):
    assert in_force(read(SECOND, THIRD), day).version == version


def test_a_version_counts_from_the_day_it_was_announced():
    _, second, third = read(SECOND, THIRD)
    assert not second.counts_at(datetime(2026, 7, 14, 23, tzinfo=UTC))
    assert second.counts_at(datetime(2026, 7, 15, tzinfo=UTC))
    assert third.announced_on == third.effective_from, "left out, it is announced as it takes effect"


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{**SECOND, "announced_on": date(2026, 8, 2)}], "a change never reaches back"),
        ([{**SECOND, "rules": {"min_seller": 4}}], "unknown key min_seller; did you mean min_sellers?"),
        ([{**SECOND, "rules": {"version": "9"}}], "give the entry its version"),
        ([{**SECOND, "version": "1.0.0"}], "stands twice"),
        ([THIRD, SECOND], "write versions oldest first"),
        ([{**SECOND, "without": ["screen"]}], "without names screen"),
        ([{k: v for k, v in SECOND.items() if k != "changes"}], "lacks the key changes"),
        ([{**SECOND, "rules": {"thin_sellers": 2}}], "must be above min_sellers"),
        ([{**SECOND, "effective_form": date(2026, 8, 1)}], "did you mean effective_from?"),
        ("1.1.0", "write [[methodologies.m.versions]] tables"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_the_version_and_the_key(entries, said):
    with pytest.raises(UsageError) as refused:
        read_versions({**BASE, "versions": entries}, "[methodologies.m]")
    assert said in refused.value.sentence
