"""The page of benchmarks says what is slower as plainly as what is faster, and which bounds are not met."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest

from tests.docs.blocks import DOCS, ROOT


def load(name):
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLE = load("table")


@pytest.fixture
def all_benches(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    yield load("all")
    for name in ("measuring", "table"):
        sys.modules.pop(name, None)


def row(case, baseline, *, size=1_000_000, seconds=2.0, baseline_seconds=1.0, peak_mb=100):
    return {
        "case": case, "size": size, "seconds": seconds, "baseline": baseline, "baseline_seconds": baseline_seconds,
        "ratio": seconds / baseline_seconds, "peak_mb": peak_mb, "measured": "2026-11-30", "machine": "a machine",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (4.178, "**4.18 × slower**"),
        (1.06, "**1.06 × slower**"),
        (1.0, "the same"),
        (0.5, "2 × faster"),
        (0.0006, "1,667 × faster"),
    ],
)
def test_a_ratio_is_told_in_words_in_both_directions(ratio, said):
    assert TABLE.in_words(ratio) == said


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (row("CSV, 21 columns", "duckdb read_csv", seconds=3.9), "at most 4 ×, under 1 GB: met"),
        (row("CSV, 21 columns", "duckdb read_csv", seconds=4.2), "at most 4 ×, under 1 GB: **not met**"),
        (row("CSV, 21 columns", "duckdb read_csv", peak_mb=1_001), "at most 4 ×, under 1 GB: **not met**"),
        (row("full-build", "duckdb-sql", seconds=9.0), "—"),
        (row("full-build", "duckdb-sql", size=10_000_000, seconds=3.9), "at most 4 ×: met"),
        (row("full-build", "duckdb-sql", size=100_000_000, seconds=3.0), "at most 2.5 ×, under 1.5 GB: **not met**"),
        (row("incremental-day-new-process", "full-build", size=10_000_000, seconds=0.12), "under 0.10 ×: **not met**"),
        (row("rolling ratios", "loop of statsmodels OLS, a fiftieth of it", seconds=0.001), "at least 500 × faster: met"),
        (row("start of `rentmark --help`", "an empty Python", seconds=0.5), "under 0.4 s: **not met**"),
        (row("callbacks, 95th percentile of 127", "bound of the issue", baseline_seconds=0.3), "under 0.3 s: **not met**"),
        (row("verify, level 1", "SHA-256 of the same files by hashlib", seconds=90.0), "—"),
    ],
)  # fmt: skip
def test_a_bound_is_asked_where_one_was_and_of_that_size_alone(made, said):
    assert TABLE.bound_of(made) == said


def test_the_page_groups_rows_and_names_what_has_none():
    rows = [
        row("full-build", "duckdb-sql", size=1_000_000, seconds=1.0),
        row("full-build", "duckdb-sql", size=10_000_000, seconds=9.0),
        row("CSV, 21 columns", "duckdb read_csv", seconds=4.2),
    ]
    text = TABLE.page(rows, ["hedge"])
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings == [step.heading for step in TABLE.STEPS.values()]
    ingest = text.split("## Ingest")[1].split("\n## ")[0]
    assert (
        "| CSV, 21 columns | 1,000,000 | 4.2 | DuckDB, read_csv to Parquet | 1 | **4.2 × slower** | 100 |"
        in ingest
    )
    assert "1.00 s at 1,000,000, 0.90 s at 10,000,000" in text
    assert "Of 2 bounds that were asked, 0 are met and 2 are not." in text
    assert text.split("## Verify")[1].split("\n## ")[0].endswith("Not measured.\n")
    assert "- hedge failed and has no rows." in text


def test_a_run_covers_every_step_and_replaces_rows_of_its_own_size_alone(all_benches, tmp_path):
    sizes = (1_000_000, 100_000_000)
    runs = all_benches.runs(sizes, str(tmp_path), tmp_path)
    assert {run.step for run in runs} == set(TABLE.STEPS)
    assert all((ROOT / "bench" / run.words[0]).is_file() for run in runs)
    (dashboard,) = [run for run in runs if run.step == "dashboard"]
    assert dashboard.words[1:] == ("--keep", str(tmp_path))
    small, large = [run for run in runs if run.step == "full_build"]
    assert "--skip-pandas" in large.words
    assert "--skip-pandas" not in small.words
    built = row("full-build", "duckdb-sql", size=1_000_000)
    assert all_benches.belongs(built, small)
    assert not all_benches.belongs(built, large)
    assert [run.step for run in runs if all_benches.stands(run, [built])] == ["full_build"]


def test_a_script_that_fails_gives_no_rows_and_one_that_misses_a_target_keeps_them(
    all_benches, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(all_benches, "ROOT", tmp_path)
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "broken.py").write_text(
        "raise SystemExit('polars is not installed')", encoding="utf-8"
    )
    missing = (
        "import pathlib, json\n"
        "pathlib.Path('build').mkdir()\n"
        "pathlib.Path('build/bench.json').write_text(json.dumps([{'case': 'names, a market', 'size': 1}]))\n"
        "raise SystemExit(1)\n"
    )
    (tmp_path / "bench" / "missing.py").write_text(missing, encoding="utf-8")
    assert all_benches.measure(all_benches.Run("names", ("broken.py",))) == []
    assert "polars is not installed" in capsys.readouterr().err
    (kept,) = all_benches.measure(all_benches.Run("names", ("missing.py",)))
    assert kept["case"] == "names, a market"
    assert {"measured", "machine"} <= set(kept)


def test_every_row_of_the_kept_page_is_known_to_a_bench_of_its_own():
    text = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert "written by bench/all.py" in text
    named = {**{v: k for k, v in TABLE.NAMES.items()}}
    cases = [
        line.split(" | ")[0].removeprefix("| ")
        for line in text.splitlines()
        if re.match(r"\| .* \| [\d\"`]", line)
    ]
    assert cases
    for case in cases:
        known = TABLE.step_of({"case": named.get(case, case)})
        assert known is not None, case
        assert (ROOT / "bench" / f"{known}.py").is_file()
