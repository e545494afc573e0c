"""The page of all benches: rows grouped by what is measured, each beside its baseline and its bound, in words."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("duckdb", "polars", "pandas", "numpy", "statsmodels", "arch")
ITS_BOUND = "bound of the issue"
"""The baseline of a row that nothing else can be put beside: the seconds it may take."""
MEGABYTES = 1_000_000 / 2**20


@dataclass(frozen=True, slots=True)
class Step:
    """A bench: the heading of its rows, a pattern that its cases begin with, and what is compared with what."""

    heading: str
    cases: str
    said: str


STEPS = {
    "ingest": Step(
        "Ingest",
        r"JSON, |CSV, ",
        "Ours keeps the payload under its SHA-256, parses, gives each record two digests, screens, and commits Parquet and a "
        "ledger row. DuckDB reads the same file to Parquet, and does none of the rest. More: [ingest](bench-ingest.md).",
    ),
    "panel": Step(
        "Panel",
        r"panel ",
        "The median of the sellers' medians by day. Ours also asks every rule of the grade and the as-of instant, finds latest "
        "states, and gives quartiles, counts, gates and digests; the baselines give the median alone, from the same Parquet "
        "files. Ten benchmarks share one pass; the general expression, which trades, look-backs and `explain` use, finds "
        "latest states and sizes of machines by windows over all rows. All values are equal, or the bench stops.",
    ),
    "full_build": Step(
        "Full build, and one more day",
        r"full-build|incremental-day",
        "Ten benchmarks over a year, from the archive to a committed, chained tape. The bare query gives medians alone; the same "
        "steps are those of a build written by hand in SQL. One more day is added to the built year, by a process that stays "
        "open or by a new one. More: [builds](bench-build.md).",
    ),
    "verify": Step(
        "Verify",
        r"verify, ",
        "Level 1 holds files against their SHA-256 and every field of every row on the tape against what the archive gives "
        "again; level 2 also parses each payload again. The build makes the same fixings; the other baselines read the same bytes once. None compares anything.",
    ),
    "rolling": Step(
        "Rolling ratios", r"rolling ratios", "Accuracy stands in [rolling ratios](bench-rolling.md)."
    ),
    "paths": Step(
        "Monte Carlo",
        r"Monte Carlo",
        "numpy's draws are what no simulation can go without. More: [paths](bench-paths.md).",
    ),
    "hedge": Step(
        "Hedge reports",
        r"hedge |programme ",
        "arch makes as many bootstrap draws as the report, one call a draw, and nothing else of it. More: "
        "[hedges](bench-hedge.md).",
    ),
    "names": Step(
        "Names",
        r"names, ",
        "pandas looks for chip, form factor and memory by a pattern each, and refuses nothing.",
    ),
    "dashboard": Step(
        "Dashboard",
        r"board|callbacks",
        "Nothing else serves these pages: the baseline is the bound. More: [the dashboard under load](bench-dashboard.md).",
    ),
    "commands": Step("At the command line", r"start of|`rentmark demo`", "Starts include Python's own."),
}
NAMES = {
    "full-build": "full build of ten benchmarks",
    "incremental-day": "one more day, in an open process",
    "incremental-day-new-process": "one more day, in a new process",
    "duckdb-sql": "DuckDB, bare two-level median",
    "same-steps-sql": "DuckDB, the same steps by hand",
    "pandas-newcomer": "pandas, groupby-apply",
    "duckdb read_csv": "DuckDB, read_csv to Parquet",
    "duckdb read_json": "DuckDB, read_json to Parquet",
}
"""Words for the short names that some benches keep."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What was asked of a case: in words, and whether a row meets it."""

    case: str
    baseline: str
    words: str
    met: Callable[[dict[str, Any]], bool]
    smallest: int = 0
    largest: float = float("inf")

    def holds_for(self, row: dict[str, Any]) -> bool:
        """Whether this bound is asked of this row."""
        size = row["size"] if isinstance(row["size"], int) else 0
        named = re.match(self.case, row["case"]) and re.match(self.baseline, row["baseline"])
        return bool(named) and self.smallest <= size <= self.largest


def at_most(ratio: float) -> Callable[[dict[str, Any]], bool]:
    """A bound on the ratio."""
    return lambda row: row["ratio"] <= ratio


BOUNDS = (
    Bound(r"JSON|CSV", "", "at most 4 ×, under 1 GB", lambda r: r["ratio"] <= 4 and r["peak_mb"] < 1_000),
    Bound("full-build", "duckdb-sql", "at most 4 ×", at_most(4), 10_000_000, 99_999_999),
    Bound(
        "full-build", "duckdb-sql", "at most 2.5 ×, under 1.5 GB",
        lambda r: r["ratio"] <= 2.5 and r["peak_mb"] < 1_500 * MEGABYTES, 100_000_000,
    ),
    Bound("full-build", "same-steps-sql", "at most 1.5 ×", at_most(1.5), 10_000_000),
    Bound("full-build", "pandas-newcomer", "at most 0.25 ×", at_most(0.25), 10_000_000),
    Bound("incremental-day", "", "under 0.10 ×", lambda r: r["ratio"] < 0.10, 10_000_000),
    Bound("rolling ratios$", "cumulative sums", "at most 3 ×", at_most(3)),
    Bound("rolling ratios$", "loop of statsmodels", "at least 500 × faster", at_most(0.002)),
    Bound("Monte Carlo", "numpy's draws", "under 3 ×", lambda r: r["ratio"] < 3),
    Bound("names, (a market|with a long)", "", "under 2 s", lambda r: r["seconds"] < 2),
    Bound("hedge report of five years$", "", "under 20 s", lambda r: r["seconds"] < 20),
    Bound("start of", "", "under 0.4 s", lambda r: r["seconds"] < 0.4),
    Bound("", ITS_BOUND, "", at_most(1)),
)  # fmt: skip
"""What was asked, where something was asked."""


def step_of(row: dict[str, Any]) -> str | None:
    """The bench a row is of; None for one that nothing here knows."""
    return next((name for name, step in STEPS.items() if re.match(step.cases, row["case"])), None)


def machine() -> str:
    """What was measured on, in a line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    held = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    return f"{platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}, {held}"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def in_words(ratio: float) -> str:
    """A ratio of seconds as a person says it: what is slower is told as plainly as what is faster."""
    if ratio > 1.05:
        return f"**{ratio:.3g} × slower**"
    if ratio < 0.95:
        return f"{1 / ratio:,.3g} × faster" if ratio > 0.001 else f"{1 / ratio:,.0f} × faster"
    return "the same"


def bound_of(row: dict[str, Any]) -> str:
    """What was asked of a row and whether it is met; a dash where nothing was."""
    bound = next((each for each in BOUNDS if each.holds_for(row)), None)
    if bound is None:
        return "—"
    words = bound.words or f"under {row['baseline_seconds']:g} s"
    return f"{words}: {'met' if bound.met(row) else '**not met**'}"


def line(row: dict[str, Any]) -> str:
    """One line of a table."""
    size = f"{row['size']:,}" if isinstance(row["size"], int) else str(row["size"])
    if row["baseline"] == ITS_BOUND:
        theirs = ("none", "", "")
    else:
        baseline = NAMES.get(row["baseline"], row["baseline"])
        theirs = (baseline, seconds(row["baseline_seconds"]), in_words(row["ratio"]))
    peaks = f"{row['peak_mb']:,.0f}"
    if row.get("baseline_peak_mb"):
        peaks += f" / {row['baseline_peak_mb']:,.0f}"
    cells = [
        NAMES.get(row["case"], row["case"]),
        size,
        seconds(row["seconds"]),
        *theirs,
        peaks,
        bound_of(row),
    ]
    return f"| {' | '.join(cells)} |"


def seconds(value: float) -> str:
    """Seconds to three digits, small ones too."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def per_million(rows: Sequence[dict[str, Any]]) -> list[str]:
    """How the seconds of a full build go with its size, where two sizes stand."""
    taken = {r["size"]: r["seconds"] for r in rows if r["case"] == "full-build"}
    if len(taken) < 2:
        return []
    each = [f"{1e6 * taken[size] / size:.2f} s at {size:,}" for size in sorted(taken)]
    return [f"Seconds a full build takes per million rows: {', '.join(each)}.", ""]


def page(rows: Sequence[dict[str, Any]], failed: Sequence[str] = ()) -> str:
    """All rows, grouped; the machine; how to repeat."""
    days = sorted({row["measured"] for row in rows if "measured" in row})
    on = sorted({row["machine"] for row in rows if "machine" in row}) or [machine()]
    when = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "on a day that was not kept"
    missed = sum("**not met**" in bound_of(row) for row in rows)
    asked = sum(bound_of(row) != "—" for row in rows)
    lines = [
        "# Benchmarks",
        "",
        "<!-- written by bench/all.py -->",
        "",
        (
            f"Measured {when} on {'; and on '.join(on)}. Repeat: `pip install -e '.[bench]'` for polars, then `make bench`, which "
            "writes this page and `build/bench.json`; `python bench/all.py --help` names sizes and steps. Every offer is invented."
        ),
        "",
        (
            "Ours and a baseline take turns in one run on one machine; figures are medians, of three turns where one takes long, else of five to 21. **Ratios count, seconds do not**: on "
            "another machine both change. Most baselines do a part of the work, and each table says which. Peak is the most "
            "memory the process held, in MB, ours / the baseline's where that was measured."
        ),
        "",
        f"Of {asked} bounds that were asked, {asked - missed} are met and {missed} are not.",
        "",
    ]
    grouped: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(step_of(row), []).append(row)
    for name, step in STEPS.items():
        lines += [f"## {step.heading}", "", step.said, ""]
        mine = grouped.get(name, [])
        if not mine:
            lines += ["Not measured.", ""]
            continue
        lines += [
            "| case | size | seconds | baseline | its seconds | ours is | peak MB | bound |",
            "|---|---:|---:|---|---:|---|---:|---|",
            *(line(row) for row in mine),
            "",
            *(per_million(mine) if name == "full_build" else []),
        ]
    lines += [f"- {name} failed and has no rows." for name in failed]
    return "\n".join(lines).rstrip() + "\n"
