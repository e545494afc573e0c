"""Simulating 100,000 paths of 252 days: seconds against those of drawing the same random numbers.

Issue target: under three times the draws, each model in one process, the median of five. The baseline draws
exactly what the simulator draws, from the same generator, and does nothing with it. Run it with
``python bench/paths.py [RESULT.md]``.
"""

from __future__ import annotations

import json
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rentmark.contracts.curve import OrnsteinUhlenbeck, SchwartzSmith
from rentmark.contracts.paths import (
    Garch,
    generator,
    simulate_bootstrap,
    simulate_garch,
    simulate_ou,
    simulate_schwartz_smith,
)

PATHS, DAYS = 100_000, 252
TARGET_RATIO = 3.0
REPEATS = 5
SHAPE = (DAYS, PATHS)
OU = OrnsteinUhlenbeck(kappa=0.07, level=1.0, sigma=0.02)
TWO_FACTOR = SchwartzSmith(kappa=3.0, sigma_chi=0.35, sigma_xi=0.2, rho=0.3, mu_xi=-0.15)
GARCH = Garch(constant=0.0, autoregression=0.1, omega=4e-6, alpha=0.08, beta=0.9, degrees=6.0)
HISTORY = 0.02 * np.random.default_rng(0).standard_normal(900)
"""Invented changes for the bootstrap to draw from."""


def draw_normals() -> None:
    """What the one-factor process draws."""
    generator(1).standard_normal(SHAPE)


def draw_two_normals() -> None:
    """What the two-factor process draws."""
    random = generator(1)
    _first, _second = random.standard_normal(SHAPE), random.standard_normal(SHAPE)


def draw_student() -> None:
    """What the GARCH process draws."""
    generator(1).standard_t(GARCH.degrees, SHAPE)


def draw_blocks() -> None:
    """What the bootstrap draws: whether a block ends, and where the next one begins."""
    random = generator(1)
    _ends = random.random(SHAPE)
    _starts = random.integers(0, len(HISTORY), SHAPE, dtype=np.int32)


def cases() -> list[tuple[str, Callable[[], object], Callable[[], None]]]:
    """(model, simulation, its draws alone)."""
    return [
        ("ou", lambda: simulate_ou(OU, 1.0, paths=PATHS, days=DAYS, seed=1), draw_normals),
        (
            "schwartz-smith",
            lambda: simulate_schwartz_smith(
                TWO_FACTOR, (0.1, 1.0), years_per_step=1 / 365.25, paths=PATHS, days=DAYS, seed=1
            ),
            draw_two_normals,
        ),
        (
            "garch",
            lambda: simulate_garch(
                GARCH,
                2.8,
                last_change=0.0,
                last_shock=0.0,
                last_variance=2e-4,
                paths=PATHS,
                days=DAYS,
                seed=1,
            ),
            draw_student,
        ),
        (
            "bootstrap",
            lambda: simulate_bootstrap(HISTORY, 2.8, block=5.0, paths=PATHS, days=DAYS, seed=1),
            draw_blocks,
        ),
    ]


def seconds(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main() -> int:
    """Print, and keep where a file is named; 1 where a target is missed."""
    how = (
        f"Measured {datetime.now(UTC):%Y-%m-%d} with `python bench/paths.py` on {platform.machine()}, Python "
    )
    how += f"{platform.python_version()}, numpy {np.__version__}, one core. {PATHS:,} paths × {DAYS} days; each figure "
    how += f"is the median of {REPEATS} runs, simulation and draws in turn. Target: under {TARGET_RATIO:g} times the draws."
    lines = [
        "# Simulating paths",
        "",
        how,
        "",
        "| model | seconds | draws alone | ratio | target |",
        "|---|---|---|---|---|",
    ]
    missed = False
    rows: list[dict[str, Any]] = []
    for name, simulate, draw in cases():
        draw()  # the first touch of the memory is nobody's
        pairs = [(seconds(simulate), seconds(draw)) for _ in range(REPEATS)]
        simulated, drawn = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(whole / alone for whole, alone in pairs)
        rows.append(
            {
                "case": f"Monte Carlo, {name}", "size": f"{PATHS:,} x {DAYS}", "seconds": round(simulated, 3),
                "baseline": "numpy's draws alone", "baseline_seconds": round(drawn, 3), "ratio": round(ratio, 2),
                "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            }
        )  # fmt: skip
        missed |= ratio >= TARGET_RATIO
        verdict = "met" if ratio < TARGET_RATIO else "MISSED"
        lines.append(f"| {name} | {simulated:.2f} | {drawn:.2f} | {ratio:.2f} | {verdict} |")
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    target = Path("build/bench.json")
    target.parent.mkdir(exist_ok=True)
    kept = json.loads(target.read_text(encoding="utf-8")) if target.exists() else []
    target.write_text(json.dumps([*kept, *rows], indent=1), encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
