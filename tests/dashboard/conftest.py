"""A server on the shared real data, one on the simulated market, and a person with a browser before them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rentmark.cli import run

from tests.dashboard.visitor import Visitor
from tests.journeys.conftest import OFFERS, REAL_RULES

CHROMIUM = os.environ.get("RENTMARK_CHROMIUM", "/usr/bin/chromium")
MORE_RULES = """
[grades.h200]
sources = ["adriannutiu/gpu-rental-prices"]
chip = "H200"
pricing = "on_demand"

[benchmarks.h200-list]
grade = "h200"
methodology = "list-median"
"""
"""A benchmark that is built and not published, so that candidates are seen."""
DEMO_DAYS = "62"


@contextmanager
def serving(workspace: Path, **environment: str) -> Iterator[str]:
    """The address of a server of its own process, which ends with the block."""
    command = [str(Path(sys.executable).parent / "rentmark"), "serve", "--port", "0", "-w", str(workspace)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://" in line, line
        yield line.split()[1].rstrip("/")
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def real_workspace(shared_data, tmp_path_factory) -> Path:
    """The merged offers with two benchmarks published and one built. Don't write to it."""
    folder = tmp_path_factory.mktemp("dashboard") / "w"
    assert run(["init", str(folder)]) == 0
    (folder / "rentmark.toml").write_text(REAL_RULES + MORE_RULES, encoding="utf-8")
    assert run(["ingest", "tabular", str(shared_data / OFFERS), "--workspace", str(folder)]) == 0
    for name in ("h100-list", "h100-sxm-list"):
        assert run(["index", "build", name, "--publish", "--workspace", str(folder)]) == 0
    assert run(["index", "build", "h200-list", "--workspace", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def demo_workspace(tmp_path_factory) -> Path:
    """Two months of the simulated market. Don't write to it."""
    folder = tmp_path_factory.mktemp("dashboard-demo") / "demo"
    assert run(["demo", str(folder), "--days", DEMO_DAYS, "--json"]) == 0
    return folder


@pytest.fixture(scope="session")
def served(real_workspace) -> Iterator[str]:
    """The address of a server on the real data."""
    with serving(real_workspace) as address:
        yield address


@pytest.fixture(scope="session")
def served_demo(demo_workspace) -> Iterator[str]:
    """The address of a server on the simulated market."""
    with serving(demo_workspace) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium; the test skips where there is none, and fails so under CI."""
    if shutil.which(CHROMIUM) is None:
        message = f"chromium absent: {CHROMIUM} (apt install chromium, or set RENTMARK_CHROMIUM)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visitor(browser, served) -> Iterator[Visitor]:
    """A person before the real data, in a fresh context, light, 1280 px wide."""
    with Visitor.arrives(browser, served) as person:
        yield person


@pytest.fixture
def demo_visitor(browser, served_demo) -> Iterator[Visitor]:
    """A person before the simulated market."""
    with Visitor.arrives(browser, served_demo) as person:
        yield person
