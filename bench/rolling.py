"""Rolling ratios of 100,000 prices in windows of 60, beside bare cumulative sums and a loop of regressions.

Issue targets: within 3 times numpy's cumulative sums, at least 500 times faster than a loop of least squares,
accurate to 1e-10 on price levels of 1e4. All in one process, in turn. Run: ``python bench/rolling.py
[RESULT.md]``. Rows of ``case, size, seconds, baseline, baseline_seconds, ratio, peak_mb`` are appended to
build/bench.json.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rentmark.backtest.rolling import rolling_fit, rolling_ratios
from statsmodels.regression.linear_model import OLS

N, WINDOW, LEVEL = 100_000, 60, 1e4
REPEATS = 21
SEEDS = range(5)
MOST_OF_SUMS, LEAST_OF_LOOP, MOST_ERROR = 3.0, 500.0, 1e-10

Series = np.ndarray


def walks(seed: int) -> tuple[Series, Series]:
    """Invented rent and reference: random walks about 10,000."""
    random = np.random.default_rng(seed)
    reference = LEVEL + np.cumsum(random.standard_normal(N))
    return 0.5 * reference + np.cumsum(random.standard_normal(N)), reference


def cumulative_sums(rent: Series, reference: Series) -> Series:
    """What a newcomer writes: four cumulative sums of prices less their mean."""
    x, y = reference - reference.mean(), rent - rent.mean()
    sums = [np.concatenate([[0.0], np.cumsum(each)]) for each in (x, y, x * x, x * y)]
    sx, sy, sxx, sxy = (each[WINDOW:] - each[:-WINDOW] for each in sums)
    found: Series = (sxy - sx * sy / WINDOW) / (sxx - sx * sx / WINDOW)
    return found


def loop(rent: Series, reference: Series, windows: int) -> Series:
    """One least-squares regression a window."""
    found = np.empty(windows)
    for start in range(windows):
        x = reference[start : start + WINDOW]
        design = np.column_stack([np.ones(WINDOW), x])
        found[start] = np.linalg.lstsq(design, rent[start : start + WINDOW], rcond=None)[0][1]
    return found


def ols_loop(rent: Series, reference: Series, windows: int) -> Series:
    """One regression a window by statsmodels, as an analyst writes it."""
    found = np.empty(windows)
    for start in range(windows):
        design = np.column_stack([np.ones(WINDOW), reference[start : start + WINDOW]])
        found[start] = OLS(rent[start : start + WINDOW], design).fit().params[1]
    return found


def exact(rent: Series, reference: Series) -> Series:
    """Every window centred on its own mean."""
    x = np.lib.stride_tricks.sliding_window_view(reference, WINDOW)
    y = np.lib.stride_tricks.sliding_window_view(rent, WINDOW)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    found: Series = (x * y).sum(axis=1) / (x * x).sum(axis=1)
    return found


def seconds(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def peak_mb(run: Callable[[], object]) -> float:
    """Most memory that Python and numpy held beyond what they had."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def measure() -> tuple[list[dict[str, Any]], float, float]:
    """The rows, the largest error of ours and of the bare sums."""
    rent, reference = walks(0)
    windows = N - WINDOW + 1
    ours, bare = [], []
    for _ in range(REPEATS):
        ours.append(seconds(lambda: rolling_ratios(rent, reference, WINDOW)))
        bare.append(seconds(lambda: cumulative_sums(rent, reference)))
    some = windows // 20
    looped = seconds(lambda: ols_loop(rent, reference, some)) * windows / some
    bare_loop = seconds(lambda: loop(rent, reference, some)) * windows / some
    with_share = statistics.median(
        seconds(lambda: rolling_fit(rent, reference, WINDOW)) for _ in range(REPEATS)
    )
    ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
    our, other = statistics.median(ours), statistics.median(bare)
    size = f"{N:,} x {WINDOW}"
    held = peak_mb(lambda: rolling_ratios(rent, reference, WINDOW))
    rows = [
        row("rolling ratios", size, our, "cumulative sums", other, ratio, held),
        row("rolling ratios", size, our, "loop of statsmodels OLS, a twentieth of it", looped, our / looped, held),
        row("rolling ratios", size, our, "loop of numpy lstsq, a twentieth of it", bare_loop, our / bare_loop, held),
        row(
            "rolling ratios and R²", size, with_share, "cumulative sums", other, with_share / other,
            peak_mb(lambda: rolling_fit(rent, reference, WINDOW)),
        ),
    ]  # fmt: skip
    errors = [0.0, 0.0]
    for seed in SEEDS:
        pair = walks(seed)
        truth = exact(*pair)
        errors[0] = max(errors[0], float(np.abs(rolling_ratios(*pair, WINDOW) - truth).max()))
        errors[1] = max(errors[1], float(np.abs(cumulative_sums(*pair) - truth).max()))
    return rows, errors[0], errors[1]


def row(
    case: str, size: str, took: float, baseline: str, baseline_seconds: float, ratio: float, held: float
) -> dict[str, Any]:
    """One row of build/bench.json."""
    return {
        "case": case,
        "size": size,
        "seconds": round(took, 6),
        "baseline": baseline,
        "baseline_seconds": round(baseline_seconds, 6),
        "ratio": round(ratio, 6),
        "peak_mb": round(held, 1),
    }


def main() -> int:
    """Print, append the rows, and keep a page where a file is named; 1 where a target is missed."""
    rows, error, bare_error = measure()
    faster = 1 / rows[1]["ratio"]
    met = rows[0]["ratio"] <= MOST_OF_SUMS and faster >= LEAST_OF_LOOP and error <= MOST_ERROR
    text = "\n".join(
        [
            "# Rolling ratios",
            "",
            (
                f"Measured {datetime.now(UTC):%Y-%m-%d} with `python bench/rolling.py` on {platform.machine()}, Python"
                f" {platform.python_version()}, numpy {np.__version__}, one core: {N:,} invented prices about {LEVEL:,.0f},"
                f" windows of {WINDOW}, medians of {REPEATS} runs in turn; the loops are timed on a twentieth of the windows."
            ),
            "",
            "| figure | measured | target | |",
            "|---|---|---|---|",
            f"| time, as a multiple of bare cumulative sums | {rows[0]['ratio']:.2f} | at most {MOST_OF_SUMS:g} | {word(rows[0]['ratio'] <= MOST_OF_SUMS)} |",
            f"| times faster than a loop of OLS (statsmodels) | {faster:,.0f} | at least {LEAST_OF_LOOP:g} | {word(faster >= LEAST_OF_LOOP)} |",
            f"| times faster than a loop of numpy's lstsq | {1 / rows[2]['ratio']:,.0f} | | |",
            f"| largest error over {len(SEEDS)} pairs | {error:.1e} | at most {MOST_ERROR:g} | {word(error <= MOST_ERROR)} |",
            f"| the same of bare cumulative sums | {bare_error:.1e} | | |",
            f"| time with R², as a multiple of bare sums | {rows[3]['ratio']:.2f} | | |",
            "",
        ]
    )
    sys.stdout.write(text)
    target = Path("build/bench.json")
    target.parent.mkdir(exist_ok=True)
    kept = json.loads(target.read_text(encoding="utf-8")) if target.exists() else []
    kept = [each for each in kept if not each["case"].startswith("rolling ratios")]
    target.write_text(json.dumps([*kept, *rows], indent=1), encoding="utf-8")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    return int(not met)


def word(met: bool) -> str:
    """How a target stands."""
    return "met" if met else "MISSED"


if __name__ == "__main__":
    raise SystemExit(main())
