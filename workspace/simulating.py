"""Simulate: paths of a benchmark from a fitted model or its own history, under a named scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..records import MICROS_PER_USD, Refusal, RentmarkError, UsageError, format_instant, quantise
from .core import Workspace
from .forward import as_of_instant, fixings_known, stepping_of
from .rows import price
from .views import AsOf

if TYPE_CHECKING:
    from ..contracts.curve import FixingSeries, Launch
    from ..contracts.curve.models import Estimate
    from ..contracts.curve.series import Floats
    from ..contracts.paths import ScenarioPaths

MODELS = ("bootstrap", "garch", "ou", "schwartz-smith", "still")
MOST_PRICES = 50_000_000
"""Paths × days that one command draws: 400 MB as numbers."""
MOST_PRICES_WRITTEN = 5_000_000


@dataclass(frozen=True)
class Drawn:
    """Paths of a model with what it was fitted on; ``block`` is the bootstrap's mean block length."""

    prices: Floats
    label: str
    estimates: tuple[Estimate, ...]
    notes: tuple[str, ...]
    block: float | None = None


@dataclass(frozen=True)
class Simulated:
    """Simulated paths of a benchmark and what was asked for; everything in it is simulated."""

    benchmark: str
    model: str
    drawn: Drawn
    paths: ScenarioPaths
    dates: tuple[date, ...]
    scenario: str | None
    sentences: tuple[str, ...]
    seed: int
    last_date: date
    last_micros: int
    marks: frozenset[str]
    as_of: str


def simulate(
    workspace: Workspace,
    benchmark_name: str,
    *,
    model: str = "bootstrap",
    days: int = 252,
    paths: int = 10_000,
    seed: int = 1,
    scenario_name: str | None = None,
    scenario_day: int = 1,
    launches: Sequence[Launch] = (),
    block: float | None = None,
    as_of: AsOf | None = None,
) -> Simulated:
    """Draw paths from the fixings known at a view. Same seed and fixings, same paths.

    Raises UsageError for what is asked wrongly and RentmarkError where the model refuses the series.
    """
    from ..contracts.curve import series_of
    from ..contracts.paths import ScenarioPaths, apply_scenario, scenario

    _check(model, days=days, paths=paths, seed=seed, block=block, launches=launches)
    chosen = None if scenario_name is None else scenario(scenario_name)
    known = fixings_known(workspace, benchmark_name, as_of)
    series = series_of(benchmark_name, known.values(), stepping_of(workspace, benchmark_name))
    if not len(series):
        raise RentmarkError(f"{benchmark_name} has no OK or THIN fixing to start from.")
    drawn = _draw(series, model, days=days, paths=paths, seed=seed, launches=launches, block=block)
    if isinstance(drawn, Refusal):
        raise RentmarkError(drawn.sentence)
    laid = ScenarioPaths(drawn.prices, drawn.prices)
    if chosen is not None:
        laid = apply_scenario(
            chosen,
            drawn.prices,
            start=scenario_day - 1,
            steps_per_year=series.stepping.steps_per_year,
        )
    said = () if chosen is None else (f"Scenario {chosen.id}: {chosen.sentence} (source: {chosen.source}).",)
    return Simulated(
        benchmark=benchmark_name,
        model=model,
        drawn=drawn,
        paths=laid,
        dates=series.stepping.dates_after(series.dates[-1], days),
        scenario=scenario_name,
        sentences=said,
        seed=seed,
        last_date=series.dates[-1],
        last_micros=series.value_micros[-1],
        marks=series.marks,
        as_of=format_instant(as_of_instant(workspace, as_of)),
    )


def _check(
    model: str, *, days: int, paths: int, seed: int, block: float | None, launches: Sequence[Launch]
) -> None:
    if model not in MODELS:
        raise UsageError(f"--model {model} is unknown; it is one of {', '.join(MODELS)}.")
    for name, value in (("--days", days), ("--paths", paths)):
        if value < 1:
            raise UsageError(f"{name} {value} is too few; ask for at least 1.")
    if days * paths > MOST_PRICES:
        raise UsageError(f"{paths:,} paths × {days:,} days are above {MOST_PRICES:,} prices; ask for fewer.")
    if seed < 0:
        raise UsageError(f"--seed {seed} is negative; use a whole number from 0 on.")
    if block is not None and model != "bootstrap":
        raise UsageError(f"--block goes with --model bootstrap; {model} draws no blocks.")
    if block is not None and not block >= 1:
        raise UsageError(f"--block {block:g} is too short; a block holds at least 1 change.")
    if launches and model != "schwartz-smith":
        raise UsageError(f"--launch goes with --model schwartz-smith; for {model} use --scenario launch.")


def _draw(
    series: FixingSeries,
    model: str,
    *,
    days: int,
    paths: int,
    seed: int,
    launches: Sequence[Launch],
    block: float | None,
) -> Drawn | Refusal:
    import numpy as np

    from ..contracts.curve import fit_ou
    from ..contracts.paths import fit_garch, simulate_garch, simulate_ou

    last = float(series.prices[-1])
    if model == "still":
        return Drawn(np.full((days, paths), last), "still: the last fixing on every day", (), ())
    if model == "bootstrap":
        return _bootstrap(series, days=days, paths=paths, seed=seed, block=block)
    if model == "schwartz-smith":
        return _two_factor(series, days=days, paths=paths, seed=seed, launches=launches)
    if model == "garch":
        garch = fit_garch(series)
        if isinstance(garch, Refusal):
            return garch
        prices = simulate_garch(
            garch.process,
            last,
            last_change=garch.last_change,
            last_shock=garch.last_shock,
            last_variance=garch.last_variance,
            paths=paths,
            days=days,
            seed=seed,
        )
        return Drawn(prices, garch.label, garch.estimates, garch.notes)
    ou = fit_ou(series)
    if isinstance(ou, Refusal):
        return ou
    prices = simulate_ou(ou.process, ou.last, paths=paths, days=days, seed=seed)
    return Drawn(prices, ou.label, ou.estimates, ou.notes)


def _bootstrap(
    series: FixingSeries, *, days: int, paths: int, seed: int, block: float | None
) -> Drawn | Refusal:
    from ..contracts.paths import block_length, bootstrap_changes, simulate_bootstrap

    changes = bootstrap_changes(series)
    if isinstance(changes, Refusal):
        return changes
    used = block_length(changes) if block is None else block
    prices = simulate_bootstrap(
        changes, float(series.prices[-1]), block=used, paths=paths, days=days, seed=seed
    )
    label = f"stationary block bootstrap of {len(changes)} actual changes, mean block {used:.1f}"
    yearly = 100 * float(changes.mean()) * series.stepping.steps_per_year
    drift = f"The paths keep the drift of that history, {yearly:+.0f} log percent a year; it is no forecast."
    return Drawn(prices, label, (), (drift, *series.flags), used)


def _two_factor(
    series: FixingSeries, *, days: int, paths: int, seed: int, launches: Sequence[Launch]
) -> Drawn | Refusal:
    import numpy as np

    from ..contracts.curve import fit_schwartz_smith
    from ..contracts.curve.launches import steps_by
    from ..contracts.paths import simulate_schwartz_smith

    fitted = fit_schwartz_smith(series, launches=launches)
    if isinstance(fitted, Refusal):
        return fitted
    dates = series.stepping.dates_after(series.dates[-1], days)
    prices = simulate_schwartz_smith(
        fitted.process,
        fitted.state,
        years_per_step=1 / series.stepping.steps_per_year,
        log_steps=np.diff(steps_by(launches, series.dates[-1], dates), prepend=0.0),
        paths=paths,
        days=days,
        seed=seed,
    )
    return Drawn(prices, fitted.label, fitted.estimates, fitted.notes)


def simulation_row(simulated: Simulated) -> dict[str, Any]:
    """The documented JSON of `simulate`: the fan of each day, in six-decimal strings."""
    from ..contracts.curve.telling import estimate_to_json
    from ..contracts.paths import PERCENTILES, fan

    rows = []
    term = simulated.paths.term_usd
    for number, (day, row) in enumerate(zip(simulated.dates, fan(simulated.paths.index), strict=True)):
        line: dict[str, Any] = {"day": number + 1, "date": day.isoformat(), "mean": _usd(row.mean)}
        for place, percent in enumerate(PERCENTILES):
            line[f"p{percent}"] = _usd(None if row.percentiles is None else row.percentiles[place])
        line["term"] = None if term is None else _usd(float(term[number]))
        if row.mean is None:
            line["reason"] = "the scenario leaves the benchmark without a print"
        if term is None:
            line["term_reason"] = "the scenario does not speak of term prices"
        rows.append(line)
    return {
        "benchmark": simulated.benchmark,
        "simulated": True,
        "model": simulated.model,
        "label": simulated.drawn.label,
        "as_of": simulated.as_of,
        "rests_on": sorted(simulated.marks),
        "last_fixing": {"date": simulated.last_date.isoformat(), "value": price(simulated.last_micros)},
        "seed": simulated.seed,
        "paths": int(simulated.drawn.prices.shape[1]),
        "days": len(simulated.dates),
        "block": simulated.drawn.block,
        "scenario": simulated.scenario,
        "estimates": [estimate_to_json(estimate) for estimate in simulated.drawn.estimates],
        "notes": [*simulated.sentences, *simulated.drawn.notes],
        "fan": rows,
    }


def _usd(value: float | None) -> str | None:
    return None if value is None else price(quantise(value * MICROS_PER_USD))


def write_paths(simulated: Simulated, path: Path) -> None:
    """Write the benchmark's paths as CSV: a line a day, a column a path, six decimals, blank without a print.

    The first line says that it is simulated. Raises UsageError above 5,000,000 prices and RentmarkError
    where the file can't be written.
    """
    prices = simulated.paths.index
    if prices.size > MOST_PRICES_WRITTEN:
        raise UsageError(
            f"--out takes {MOST_PRICES_WRITTEN:,} prices and {prices.size:,} were drawn; ask for fewer paths."
        )
    try:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(
                f"# SIMULATED paths of {simulated.benchmark}: {simulated.drawn.label}; seed {simulated.seed}\n"
            )
            file.write("date," + ",".join(f"path_{n + 1}" for n in range(prices.shape[1])) + "\n")
            for day, row in zip(simulated.dates, prices.tolist(), strict=True):
                cells = ("" if isnan(value) else f"{value:.6f}" for value in row)
                file.write(f"{day},{','.join(cells)}\n")
    except OSError as error:
        raise RentmarkError(f"{path} can't be written: {error.strerror}.") from None
