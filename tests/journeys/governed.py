"""An invented benchmark that is governed: its offers, its rules and their versions, for the journeys about it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path

from rentmark.records import canonical_fixing, canonical_json, format_instant
from rentmark.workspace import Workspace

from tests.journeys.typed import ask, type_words

NAME = "h100-list"
FIRST = date(2026, 7, 1)
RULES = """
[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 2
{keys}
{versions}

[benchmarks.h100-list]
grade = "h100-sxm"
methodology = "list-median"

[benchmarks.h100-next]
grade = "h100-sxm"
methodology = "list-median"
"""
VERSION = """
[[methodologies.list-median.versions]]
version = "{version}"
effective_from = {effective_from}
changes = "{changes}"
rules = {{ {rules} }}
"""


def day(number: int) -> date:
    """The n-th invented day, from 1."""
    return FIRST + timedelta(days=number - 1)


def offers(prices: Mapping[int, Iterable[float]], *, source: str = "invented") -> str:
    """A file with one price a seller and day; sellers are numbered in the order of the prices."""
    rows = ["observed_at,source,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour,pricing"]
    for number, asked in prices.items():
        for seller, price in enumerate(asked, start=1):
            rows.append(
                f"{day(number)}T09:00:00Z,{source},seller-{seller},H100,SXM5,80,{price:.2f},on_demand"
            )
    return "\n".join(rows) + "\n"


def version(number: str, effective_from: date, changes: str, rules: str) -> str:
    return VERSION.format(version=number, effective_from=effective_from, changes=changes, rules=rules)


def write_rules(folder: Path, keys: str = "", versions: str = "") -> None:
    (folder / "rentmark.toml").write_text(RULES.format(keys=keys, versions=versions), encoding="utf-8")


def new_workspace(folder: Path, keys: str = "", versions: str = "") -> Path:
    assert type_words("init", folder).code == 0
    write_rules(folder, keys, versions)
    return folder


def ingest(folder: Path, name: str, text: str) -> None:
    path = folder.parent / name
    path.write_text(text, encoding="utf-8")
    ask("ingest", "tabular", path, "--workspace", folder)


def publish(folder: Path, *words: str, actor: str = "ann") -> dict:
    ask("index", "build", NAME, "--workspace", folder)
    return ask("index", "publish", NAME, "--actor", actor, *words, "--workspace", folder)


def shown(folder: Path, as_of: str) -> str:
    """What `index show --as-of` prints, byte for byte."""
    return type_words("index", "show", NAME, "--as-of", as_of, "--json", "--workspace", folder).out


def now(workspace: Workspace) -> str:
    return format_instant(workspace.store.now())


def export(rows: Iterable) -> bytes:
    """The canonical export of tape rows: what "identical" is judged on."""
    return b"\n".join(canonical_json(canonical_fixing(row)) for row in rows)


def values(rows: list[dict]) -> dict[str, str]:
    return {row["date"]: row["value"] or row["rule"] for row in rows}


def readable(text: str) -> dict:
    return json.loads(text)
