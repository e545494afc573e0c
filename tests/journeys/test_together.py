"""Four commands that ingest different files into one workspace while a fifth builds: all of them succeed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from rentmark.workspace import Workspace, verify

from tests.journeys.typed import ask, type_words
from tests.store import conftest as databases

postgres_url = databases.postgres_url
new_postgres = databases.new_postgres

RULES = """
[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]

[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 1

[benchmarks.h100-list]
grade = "h100-sxm"
methodology = "list-median"
"""
WRITERS, FILES, DAYS, SELLERS = 4, 5, 20, 8
COMMAND = "import sys; from rentmark.cli import run; sys.exit(run(sys.argv[1:]))"
BUILD = """
import sys
from rentmark.cli import run
for _ in range(6):
    code = run(["index", "build", "h100-list", "--json", "--workspace", sys.argv[1]])
    if code:
        sys.exit(code)
"""


def write_files(folder: Path) -> list[list[Path]]:
    """Invented offers; the files of each writer, no row in two of them."""
    made = []
    for writer in range(WRITERS):
        mine = []
        for number in range(FILES):
            rows = ["observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour"]
            for day in range(DAYS):
                moment = date(2026, 7, 25) + timedelta(days=day)
                rows += [
                    f"{moment}T{number:02d}:{writer:02d}:00Z,seller-{writer}-{place},H100,SXM5,80,{2 + place / 4}"
                    for place in range(SELLERS)
                ]
            path = folder / f"offers-{writer}-{number}.csv"
            path.write_text("\n".join(rows) + "\n")
            mine.append(path)
        made.append(mine)
    return made


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_four_ingest_while_a_fifth_builds(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
):
    url = None if kind == "sqlite" else request.getfixturevalue("new_postgres")()
    monkeypatch.delenv("RENTMARK_DATABASE_URL", raising=False)
    if url is not None:
        monkeypatch.setenv("RENTMARK_DATABASE_URL", url)
    folder = tmp_path / "w"
    assert type_words("init", folder).code == 0
    (folder / "rentmark.toml").write_text(RULES)
    files = write_files(tmp_path)
    ask("ingest", "tabular", files[0][0], "--workspace", folder)  # so that the builder has something at once

    def start(*words: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *map(str, words)], env=dict(os.environ), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    running = [
        start("-c", COMMAND, "ingest", "tabular", *mine, "--json", "--workspace", folder) for mine in files
    ]
    running.append(start("-c", BUILD, folder))
    answers = []
    for process in running:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        answers.append(out)

    per_file = DAYS * SELLERS
    for told in map(json.loads, answers[:WRITERS]):
        assert (told["accepted"], told["rejected"], told["duplicates"]) == (FILES * per_file, 0, 0)
    opened = Workspace.open(folder, database_url=url)
    entries = opened.store.ledger()
    assert [entry.batch_id for entry in entries] == list(range(1, WRITERS * FILES + 1))
    assert sum(file.rows for file in opened.store.observation_files()) == WRITERS * FILES * per_file
    assert opened.store.check_files() == []
    assert not list(folder.rglob(".*.tmp"))
    built = ask("index", "build", "h100-list", "--publish", "--workspace", folder)
    assert (built["built"], built["statuses"]["OK"]) == (DAYS, DAYS)
    assert {row["n_sellers"] for row in built["rows"]} == {WRITERS * SELLERS}
    assert verify(opened, level=2).passed
    opened.store.close()
