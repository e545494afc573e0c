"""Simulating 100,000 paths of 252 days: seconds against those of drawing the same random numbers.

Issue target: under three times the draws, each model in one process, the median of five. The baseline draws
exactly what the simulator draws, from the same generator, and does nothing with it. GARCH is also put beside arch, whose
``simulate`` gives one path a call (a hundredth of the paths are timed) and whose ``forecast`` simulates many at once. Run
it with ``python bench/paths.py [RESULT.md]``; rows are kept in ``build/bench.json``.
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
from measuring import Measured, in_a_process, in_turns, keep, row, seconds_of, tell
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


LOOPED = 100
"""One path in so many is timed where arch gives one a call."""
PER_CENT = 100.0
"""arch is given changes in per cent, as it asks."""


def arch_model() -> tuple[Any, np.ndarray]:
    """The same AR(1)-GARCH(1,1) with Student innovations in arch, and its parameters."""
    from arch import arch_model as model_of

    changes = PER_CENT * HISTORY
    model = model_of(changes, mean="AR", lags=1, vol="GARCH", p=1, q=1, dist="t", rescale=False)
    omega = GARCH.omega * PER_CENT**2
    parameters = [GARCH.constant, GARCH.autoregression, omega, GARCH.alpha, GARCH.beta, GARCH.degrees]
    return model, np.array(parameters)


def arch_loop() -> Callable[[], object]:
    """``simulate`` once a path."""
    model, parameters = arch_model()
    start = {"initial_value": 0.0, "initial_value_vol": 2e-4 * PER_CENT**2}

    def run() -> None:
        for _ in range(PATHS // LOOPED):
            changes = model.simulate(parameters, DAYS, burn=0, **start)["data"]
            2.8 * np.exp(np.cumsum(changes / PER_CENT))

    return run


def arch_forecast() -> Callable[[], object]:
    """``forecast`` by simulation: all paths in one call."""
    model, parameters = arch_model()
    fixed = model.fix(parameters)

    def run() -> None:
        found = fixed.forecast(horizon=DAYS, method="simulation", simulations=PATHS, reindex=False)
        2.8 * np.exp(np.cumsum(found.simulations.values[0] / PER_CENT, axis=1))

    return run


def contender(name: str) -> Callable[[], object]:
    """What a process of its own runs."""
    if name == "arch loop":
        return arch_loop()
    if name == "arch forecast":
        return arch_forecast()
    simulate = next(simulate for model, simulate, _ in cases() if model == name)
    small = generator(1)
    small.standard_t(4.0, 10)  # nothing is loaded while the clock runs
    return simulate


def beside_arch() -> list[dict[str, Any]]:
    """GARCH in turn with arch, each run a process of its own."""
    names = ("garch", "arch loop", "arch forecast")
    runs: dict[str, Callable[[], Measured]] = {
        name: partial(in_a_process, __file__, "--one", name) for name in names
    }
    found = in_turns(runs, REPEATS)
    looped = Measured(found["arch loop"].seconds * LOOPED, found["arch loop"].peak_mb)
    size = f"{PATHS:,} x {DAYS}"
    return [
        row(
            "Monte Carlo, garch", size, found["garch"], "arch, a loop of simulate, a hundredth of it", looped
        ),
        row(
            "Monte Carlo, garch", size, found["garch"], "arch, forecast by simulation", found["arch forecast"]
        ),
    ]


def main() -> int:
    """Print, and keep where a file is named; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, nargs="?", help="page to write")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        tell(contender(asked.one))
        return 0
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
    rows = beside_arch()
    for name, simulate, draw in cases():
        draw()  # the first touch of the memory is nobody's
        pairs = [(seconds_of(simulate), seconds_of(draw)) for _ in range(REPEATS)]
        simulated, drawn = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(whole / alone for whole, alone in pairs)
        peak = in_a_process(__file__, "--one", name).peak_mb
        made = row(
            f"Monte Carlo, {name}", f"{PATHS:,} x {DAYS}", Measured(simulated, peak), "numpy's draws alone",
            Measured(drawn, 0),
        )  # fmt: skip
        rows.append({**made, "ratio": round(ratio, 2)})
        missed |= ratio >= TARGET_RATIO
        verdict = "met" if ratio < TARGET_RATIO else "MISSED"
        lines.append(f"| {name} | {simulated:.2f} | {drawn:.2f} | {ratio:.2f} | {verdict} |")
    text = "\n".join(lines) + "\n"
    sys.stdout.write(text)
    if asked.result:
        asked.result.write_text(text, encoding="utf-8")
    keep(rows)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
