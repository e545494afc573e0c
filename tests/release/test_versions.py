"""Every package has a lowest version that was run, and docs/versions.md holds what ran."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest

from tests.house.test_rooms import ROOT


def load():
    spec = importlib.util.spec_from_file_location("proof_versions", ROOT / "proof" / "versions.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


VERSIONS = load()


def result(case, **changes):
    return {
        "case": case, "python": "3.11.7", "date": "2026-11-30", "passed": True, "result": "9 passed", "minutes": 1.0,
        "versions": {"numpy": "2.2.0"}, **changes,
    }  # fmt: skip


def cells(text, first):
    """The cells of the table row that begins with this cell."""
    (line,) = re.findall(rf"^\| {re.escape(first)} \|.*$", text, flags=re.MULTILINE)
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_declared_package_names_its_lowest_version():
    lowest = VERSIONS.lowest()
    assert lowest["numpy"] == "2.2"
    assert lowest["ibis-framework"] == "12.0.0"
    assert len(lowest) == len({requirement.name for requirement in VERSIONS.declared()})


def test_a_package_without_a_lowest_version_is_refused(monkeypatch):
    monkeypatch.setitem(VERSIONS.PROJECT, "dependencies", ["numpy<3"])
    with pytest.raises(SystemExit, match="numpy<3 names no lowest version; add one with >="):
        VERSIONS.lowest()


def test_the_page_tells_a_failure_and_what_was_not_run():
    results = {
        "lowest": result("lowest"),
        "latest-3.13": result("latest-3.13", passed=False, result="1 failed, 8 passed", python="3.13.0"),
    }
    text = VERSIONS.page(results, ["latest-3.11"], ["3.12"])
    assert cells(text, "lowest")[2] == "9 passed"
    assert cells(text, "latest-3.13")[1:3] == ["3.13.0", "**failed**: 1 failed, 8 passed"]
    assert cells(text, "latest-3.11")[1:3] == ["3.11", "**not run yet**"]
    assert "- Python 3.12 is declared and was not on the machine: not run." in text


def test_the_kept_page_ran_the_lowest_versions_that_are_declared_today():
    text = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    column = cells(text, "package").index("lowest")
    for name, bound in VERSIONS.lowest().items():
        ran = cells(text, name)[column]
        assert re.fullmatch(rf"{re.escape(bound)}(\.0)*", ran), (
            f"{name}: {ran} ran and {bound} is declared; run `python proof/versions.py --only lowest`"
        )
