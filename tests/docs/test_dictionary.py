"""The data dictionary names every field of every record, each once, and no other."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from rentmark.contracts import Settlement
from rentmark.records import Fixing, LedgerEntry, Mark, Observation, Reject, Vote

from tests.docs.blocks import DOCS, ROOT

PAGE = (DOCS / "dictionary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "record", [Observation, Reject, LedgerEntry, Vote, Fixing, Settlement, Mark], ids=lambda c: c.__name__
)
def test_the_dictionary_names_every_field(record):
    section = PAGE.split(f"\n## {record.__name__}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (`.*?) \| (.+?) \|$", section, re.MULTILINE)
    named = [name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(field.name for field in fields(record))


def test_the_page_of_security_names_tests_that_exist_and_limits_that_hold():
    from rentmark.ingest import read_parquet, unpack
    from rentmark.workspace import config, hedging, ingesting, input_files, rent_desk

    page = (DOCS / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:tests|proof)/[\w/.]+)`", page))
    assert len(named) > 8
    assert [name for name in named if not (ROOT / name).exists()] == []
    megabyte = 1024**2
    for shown, limit in (
        ("| 256 MB |", 256 * megabyte == ingesting.PAYLOAD_LIMIT_BYTES),
        ("| 4 GiB, and beyond 64 MiB 200 times", 4096 * megabyte == unpack.LARGEST_PAYLOAD_BYTES),
        ("beyond 64 MiB 200 times", (64 * megabyte, 200) == (unpack.RATIO_FREE_BYTES, unpack.LARGEST_RATIO)),
        ("| 50,000,000 |", read_parquet.LARGEST_RECORDS == 50_000_000),
        ("| 64 MB |", 64 * megabyte == input_files.LIMIT_BYTES),
        ("| 20 MB; as Parquet", 20 * megabyte == hedging.RENT_LIMIT_BYTES),
        ("1,000,000 rows, 256 MB", 256 * megabyte == rent_desk.LARGEST_UNPACKED_BYTES),
        ("texts of 1,000 bytes", rent_desk.LONGEST_TEXT_BYTES == 1_000),
        ("| 4 MB |", 4 * megabyte == config.LARGEST_RULES_BYTES),
    ):
        assert shown in page
        assert limit, shown
