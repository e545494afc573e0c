"""The measured part of docs/engines.md: every way of every case gave one tape, and it says on what and when."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "engines.md"
WAYS = {"DuckDB, 1 thread", "DuckDB, 2 threads", "Spark, `local-cluster[2,1,1024]`"}
SHUFFLED = {f"{way}, shuffled input" for way in WAYS}


def test_every_way_of_every_measured_case_gave_one_tape():
    text = PAGE.read_text(encoding="utf-8")
    measured = text.partition("<!-- written by proof/engines.py -->")[2].partition("<!-- up to here -->")[0]
    rows = re.findall(
        r"^\| (.+?) \| (.+?) \| ([\d,]+) \| `([0-9a-f]{16})` \| [\d.]+ \|$", measured, re.MULTILINE
    )
    cases: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for case, way, count, digest in rows:
        cases[case][way] = (count, digest)
    assert len(cases) == 2, "a million invented offers, and real ones"
    assert "1,000,000 invented offers" in cases
    for case, ways in cases.items():
        assert ways.keys() == WAYS | SHUFFLED, case
        assert len(set(ways.values())) == 1, case
    assert re.search(r"Run on \d{4}-\d{2}-\d{2} with `python proof/engines.py --rows 1000000", measured)
    assert not re.search(r"[` ]/\w", measured), "no path of a machine"
