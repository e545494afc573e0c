"""Whole jobs through the real command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from rentmark.cli import run

OFFERS = "offers/offers_2022-02_2026-08.csv.gz"
GCP = "offers/gcp_gpu_prices_2022-02_2026-07.csv.gz"

REAL_RULES = """
[grades.h100-80gb-mixed]
sources = ["adriannutiu/gpu-rental-prices"]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"

[grades.h100-sxm]
sources = ["adriannutiu/gpu-rental-prices"]
chip = "H100"
form_factor = ["SXM"]
memory_gb = [80]
pricing = "on_demand"

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
vote = ["seller"]
seller_statistic = "median"
estimator = "median"
min_sellers = 3

[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"

[benchmarks.h100-sxm-list]
grade = "h100-sxm"
methodology = "list-median"
"""
"""The grade, methodology and benchmark printed in the design, and the strict grade beside them."""


@dataclass(frozen=True)
class Answer:
    """What one command said."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        assert self.code in (0, 1), self.err
        return json.loads(self.out)


class Person:
    """Types commands in one workspace."""

    def __init__(self, capsys, workspace: Path) -> None:
        self._capsys = capsys
        self.workspace = workspace

    def types(self, *words: str | Path) -> Answer:
        """Run a command against the workspace; no answer may ever hold a traceback."""
        self._capsys.readouterr()
        code = run([str(w) for w in words] + ["--workspace", str(self.workspace)])
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Answer(code, captured.out, captured.err)

    def asks(self, *words: str | Path):
        """Run a command with --json and read the answer."""
        answer = self.types(*words, "--json")
        assert answer.code == 0, answer.err + answer.out
        return answer.json


@pytest.fixture
def person(capsys, tmp_path):
    """A person in a new workspace with the starter rules."""
    folder = tmp_path / "w"
    assert run(["init", str(folder)]) == 0
    return Person(capsys, folder)


def with_rules(person: Person, rules: str) -> Person:
    """Put rules of one's own in rentmark.toml."""
    (person.workspace / "rentmark.toml").write_text(rules, encoding="utf-8")
    return person
