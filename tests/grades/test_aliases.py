"""Promises of the alias table: dated, and blind to what was not published yet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from rentmark.grades.aliases import ALIASES, aliases_hash, seller_at
from rentmark.records import day_start


def test_datacrunch_is_verda_from_the_day_that_was_published():
    published = datetime(2025, 11, 6, tzinfo=UTC)
    assert seller_at("datacrunch", published) == "verda"
    assert seller_at("Datacrunch ", published + timedelta(days=300)) == "verda"
    assert seller_at("datacrunch", published - timedelta(microseconds=1)) == "datacrunch"


@pytest.mark.parametrize("alias", ALIASES, ids=lambda alias: alias.name)
def test_no_alias_is_seen_before_its_publication(alias):
    begin = day_start(alias.published_on)
    assert seller_at(alias.name, begin) == alias.seller
    assert seller_at(alias.name, begin - timedelta(seconds=1)) == alias.name
    assert alias.source


def test_a_seller_without_an_alias_stays_as_written():
    assert seller_at("CoreWeave", datetime(2026, 8, 1, tzinfo=UTC)) == "CoreWeave"


def test_the_table_has_one_step_and_one_row_per_name():
    names = [alias.name for alias in ALIASES]
    assert len(set(names)) == len(names)
    assert not {alias.seller for alias in ALIASES} & set(names)
    assert all(name == name.casefold().strip() for name in names)


def test_a_time_without_a_zone_is_an_error():
    with pytest.raises(ValueError, match="no zone"):
        seller_at("datacrunch", datetime(2026, 1, 1))


def test_the_hash_is_sixty_four_digits():
    assert len(aliases_hash()) == 64
    assert int(aliases_hash(), 16) > 0
