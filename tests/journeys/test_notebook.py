"""The example notebook runs on the invented sample and prints what it shows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "hedge.ipynb"
RUN = """
import sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=600, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""
"""A process of its own: the kernel's libraries warn, and warnings are errors here."""


def printed(path: Path) -> list[str]:
    """What each cell says on its own, without a kernel's warnings or pictures of it."""
    said = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if output.get("name") != "stderr":
                text = output.get("text") or output.get("data", {}).get("text/plain", "")
                said.append("".join(text))
    return said


def test_the_notebook_prints_what_it_shows(tmp_path):
    for needed in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(needed)
    again = tmp_path / "again.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(NOTEBOOK), str(again)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert printed(again) == printed(NOTEBOOK)


def test_the_notebook_was_run_and_says_that_its_data_are_invented():
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert "**invented**" in "".join(book["cells"][0]["source"])
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    assert not any(output["output_type"] == "error" for cell in code for output in cell["outputs"])
    text = json.dumps(book)
    assert "/root" not in text
    assert "/tmp" not in text
    assert any("the same: True" in said for said in printed(NOTEBOOK))
