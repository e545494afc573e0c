"""Rolling ratios of 100,000 prices in windows of 60, beside bare cumulative sums, statsmodels and loops of regressions.

Issue targets: within 3 times numpy's cumulative sums, at least 500 times faster than a loop of least squares,
accurate to 1e-10 on price levels of 1e4. All in one process, in turn; the peak of each is that of a process of its own.
Run: ``python bench/rolling.py [RESULT.md]``. Rows are kept in ``build/bench.json``.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Measured, in_a_process, keep, row, seconds_of, tell
from rentmark.backtest.rolling import rolling_fit, rolling_ratios
from statsmodels.regression.linear_model import OLS
from statsmodels.regression.rolling import RollingOLS

N, WINDOW, LEVEL = 100_000, 60, 1e4
REPEATS = 21
SLOW_REPEATS = 5
LOOPED = 50
"""One window in so many is timed in a loop of regressions."""
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


def rolling_ols(rent: Series, reference: Series) -> Series:
    """What statsmodels has for it, with its intercept."""
    design = np.column_stack([np.ones(N), reference])
    found: Series = RollingOLS(rent, design, window=WINDOW).fit(params_only=True).params[WINDOW - 1 :, 1]
    return found


def exact(rent: Series, reference: Series) -> Series:
    """Every window centred on its own mean."""
    x = np.lib.stride_tricks.sliding_window_view(reference, WINDOW)
    y = np.lib.stride_tricks.sliding_window_view(rent, WINDOW)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    found: Series = (x * y).sum(axis=1) / (x * x).sum(axis=1)
    return found


CONTENDERS: dict[str, Callable[[Series, Series], object]] = {
    "ours": lambda rent, reference: rolling_ratios(rent, reference, WINDOW),
    "ours with R²": lambda rent, reference: rolling_fit(rent, reference, WINDOW),
    "cumulative sums": cumulative_sums,
    "statsmodels RollingOLS": rolling_ols,
    "loop of statsmodels OLS": lambda rent, reference: ols_loop(rent, reference, (N - WINDOW + 1) // LOOPED),
    "loop of numpy lstsq": lambda rent, reference: loop(rent, reference, (N - WINDOW + 1) // LOOPED),
}
FAST = ("ours", "cumulative sums", "ours with R²")


def measure() -> tuple[list[dict[str, Any]], float, float]:
    """The rows, the largest error of ours and of the bare sums."""
    pair = walks(0)
    taken: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for turn in range(REPEATS):
        for name in FAST if turn >= SLOW_REPEATS else CONTENDERS:
            taken[name].append(seconds_of(partial(CONTENDERS[name], *pair)))
    found = {}
    for name, times in taken.items():
        whole = LOOPED if name.startswith("loop") else 1
        peak = in_a_process(__file__, "--one", name).peak_mb
        found[name] = Measured(statistics.median(times) * whole, peak)
    size = f"{N:,} x {WINDOW}"
    rows = []
    for name in list(CONTENDERS)[2:]:
        said = f"{name}, a fiftieth of it" if name.startswith("loop") else name
        rows.append(row("rolling ratios", size, found["ours"], said, found[name]))
    sums = found["cumulative sums"]
    rows.append(row("rolling ratios and R²", size, found["ours with R²"], "cumulative sums", sums))
    for line, ours in ((rows[0], "ours"), (rows[-1], "ours with R²")):
        both = zip(taken[ours], taken["cumulative sums"], strict=True)
        line["ratio"] = round(statistics.median(one / other for one, other in both), 4)
    errors = [0.0, 0.0]
    for seed in SEEDS:
        pair = walks(seed)
        truth = exact(*pair)
        errors[0] = max(errors[0], float(np.abs(rolling_ratios(*pair, WINDOW) - truth).max()))
        errors[1] = max(errors[1], float(np.abs(cumulative_sums(*pair) - truth).max()))
    return rows, errors[0], errors[1]


def main() -> int:
    """Print, append the rows, and keep a page where a file is named; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", help="page to write")
    parser.add_argument("--one", choices=list(CONTENDERS), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        tell(partial(CONTENDERS[asked.one], *walks(0)))
        return 0
    rows, error, bare_error = measure()
    beside = {each["baseline"]: 1 / each["ratio"] for each in rows[:-1]}
    faster = next(times for name, times in beside.items() if name.startswith("loop of statsmodels"))
    met = rows[0]["ratio"] <= MOST_OF_SUMS and faster >= LEAST_OF_LOOP and error <= MOST_ERROR
    text = "\n".join(
        [
            "# Rolling ratios",
            "",
            (
                f"Measured {datetime.now(UTC):%Y-%m-%d} with `python bench/rolling.py` on {platform.machine()}, Python"
                f" {platform.python_version()}, numpy {np.__version__}, one core: {N:,} invented prices about {LEVEL:,.0f},"
                f" windows of {WINDOW}, medians of {REPEATS} runs in turn, of {SLOW_REPEATS} for statsmodels and the loops, which are timed on a fiftieth of"
                " the windows."
            ),
            "",
            "| figure | measured | target | |",
            "|---|---|---|---|",
            f"| time, as a multiple of bare cumulative sums | {rows[0]['ratio']:.2f} | at most {MOST_OF_SUMS:g} | {word(rows[0]['ratio'] <= MOST_OF_SUMS)} |",
            f"| times faster than a loop of OLS (statsmodels) | {faster:,.0f} | at least {LEAST_OF_LOOP:g} | {word(faster >= LEAST_OF_LOOP)} |",
            *(
                f"| times faster than {name} | {times:,.0f} | | |"
                for name, times in list(beside.items())[1::2]
            ),
            f"| largest error over {len(SEEDS)} pairs | {error:.1e} | at most {MOST_ERROR:g} | {word(error <= MOST_ERROR)} |",
            f"| the same of bare cumulative sums | {bare_error:.1e} | | |",
            f"| time with R², as a multiple of bare sums | {rows[-1]['ratio']:.2f} | | |",
            "",
        ]
    )
    sys.stdout.write(text)
    keep(rows)
    if asked.result:
        asked.result.write_text(text, encoding="utf-8")
    return int(not met)


def word(met: bool) -> str:
    """How a target stands."""
    return "met" if met else "MISSED"


if __name__ == "__main__":
    raise SystemExit(main())
