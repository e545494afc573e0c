"""Data rights through the command line: terms are shown, forbidden sources left out, sources named in reports."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from .conftest import Person, with_rules

RULES = """
[grades.h100-any]
chip = "H100"

[grades.h100-one]
chip = "H100"
sources = ["invented-mit"]

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 2

[benchmarks.any]
grade = "h100-any"
methodology = "list-median"

[benchmarks.one]
grade = "h100-one"
methodology = "list-median"
"""
HEADER = "observed_at,seller,source,license,gpu_model,price_per_gpu_hour"


def offers() -> str:
    """Invented offers of three sources over four months; a forbidden one is the cheapest."""
    lines = [HEADER]
    for number in range(120):
        day = date(2026, 4, 20) + timedelta(days=number)
        for seller, source, license_text, price in (
            ("amber", "invented-mit", "MIT", 3.0),
            ("basalt", "invented-mit", "MIT", 3.2),
            ("citrine", "adriannutiu/gpu-rental-prices", "CC BY 4.0", 3.4),
            ("dolerite", "invented-closed", "internal use only", 1.0),
        ):
            lines.append(f"{day}T06:00:00Z,{seller},{source},{license_text},H100,{price + number % 4 / 4}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def told(person: Person, tmp_path: Path) -> Person:
    with_rules(person, RULES)
    (tmp_path / "offers.csv").write_text(offers())
    person.asks("ingest", "tabular", tmp_path / "offers.csv")
    for benchmark in ("any", "one"):
        person.asks("index", "build", benchmark, "--publish")
    return person


def test_every_feed_shows_its_terms(person: Person, capsys):
    from rentmark.cli import run

    capsys.readouterr()
    assert run(["feeds", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["feeds"]
    assert {row["rights"] for row in rows} == {"allowed", "unknown"}
    assert all(row["license"] and row["attribution"] for row in rows)
    assert all(row["link"] for row in rows if row["feed"] not in ("tabular", "trades", "host-rentals"))
    assert run(["feeds"]) == 0
    assert "rights" in capsys.readouterr().out


def test_a_forbidden_source_is_left_out_by_rule_as_explain_shows(told: Person):
    row = told.asks("index", "explain", "any", "2026-04-20")
    assert row["fixing"]["value"] == "3.200000"  # the middle of 3.00, 3.20 and 3.40; 1.00 may not be used
    out = [each for each in row["observations"] if each["rule"] == "rights_forbidden"]
    assert [each["seller"] for each in out] == ["dolerite"]
    assert "index use" in out[0]["reason"]


def test_reports_name_the_sources_used_as_they_ask(told: Person, tmp_path: Path):
    rent = tmp_path / "rent.csv"
    days = [date(2026, 4, 20) + timedelta(days=number) for number in range(120)]
    rent.write_text(
        "date,rate_usd_per_gpu_hour\n" + "".join(f"{day},{3 + day.day % 3 / 10:.2f}\n" for day in days)
    )
    page = tmp_path / "report.html"
    answer = told.asks("hedge", rent, "--benchmark", "any", "--report", page)
    assert answer["attributions"] == [
        (
            "adriannutiu/gpu-rental-prices: GPU rental price data by gpurentalprices.com "
            "(https://gpurentalprices.com), licensed under CC BY 4.0."
        ),
        "invented-mit (licence: MIT)",
    ]
    text = page.read_text()
    assert "GPU rental price data by gpurentalprices.com" in text
    assert "invented-mit (licence: MIT)" in text
    assert "invented-closed" not in text
    assert told.asks("hedge", rent, "--benchmark", "one")["attributions"] == ["invented-mit (licence: MIT)"]
