"""The latent price and the stable arithmetic under it: the stated laws hold, on every machine alike."""

from __future__ import annotations

import ast
import math
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from rentmark.ingest.simulation import stable
from rentmark.ingest.simulation.process import latent_log_prices, ramp_path, two_factor_path
from rentmark.ingest.simulation.quotes import sticky_path
from rentmark.ingest.simulation.scenario import CHIPS, EVENTS, Ramp, Style, TwoFactor

FOLDER = Path(stable.__file__).parent
YEAR = 365


@pytest.fixture(scope="module")
def long_run() -> tuple[TwoFactor, np.ndarray, np.ndarray]:
    parameters = TwoFactor(
        mean_reversion=6.0, short_volatility=0.30, drift=-0.15, long_volatility=0.12, correlation=0.3
    )
    shocks = stable.normals(stable.stream(5), 200_000, 2)
    return (parameters, *two_factor_path(parameters, shocks))


def test_mean_reversion_is_recovered_from_a_long_run(long_run):
    parameters, short, _ = long_run
    decay = float(short[1:] @ short[:-1] / (short[:-1] @ short[:-1]))
    assert -math.log(decay) * YEAR == pytest.approx(parameters.mean_reversion, rel=0.08)


def test_volatilities_and_their_correlation_are_recovered_from_a_long_run(long_run):
    parameters, short, long = long_run
    assert np.diff(short).std() * math.sqrt(YEAR) == pytest.approx(parameters.short_volatility, rel=0.01)
    assert np.diff(long).std() * math.sqrt(YEAR) == pytest.approx(parameters.long_volatility, rel=0.01)
    correlation = np.corrcoef(np.diff(short), np.diff(long))[0, 1]
    assert correlation == pytest.approx(parameters.correlation, abs=0.01)


def test_the_stationary_spread_of_the_short_deviation_is_the_published_one(long_run):
    # Var χ = σ_χ²/2κ: Schwartz and Smith (2000), the limit of eq. 3b for a long horizon.
    parameters, short, _ = long_run
    stationary = parameters.short_volatility / math.sqrt(2 * parameters.mean_reversion)
    assert short.std() == pytest.approx(stationary, rel=0.08)


def test_drift_is_recovered_from_a_long_run(long_run):
    parameters, _, long = long_run
    years = len(long) / YEAR
    standard_error = parameters.long_volatility / math.sqrt(years)
    drift = (long[-1] - long[0]) / years
    assert abs(drift - parameters.drift) < 3 * standard_error


def test_only_the_long_level_moves_the_price_far_ahead(long_run):
    # Over ten years the short deviation has died out: the variance per year nears σ_ξ² + 2·ρσ_χσ_ξ/(κ·10) + ….
    parameters, short, long = long_run
    horizon = 10 * YEAR
    price = short + long
    moves = price[horizon:] - price[:-horizon]
    kappa, rho = parameters.mean_reversion, parameters.correlation
    expected = (
        parameters.long_volatility**2 * 10
        + parameters.short_volatility**2 / kappa
        + 2 * rho * parameters.short_volatility * parameters.long_volatility / kappa
    )
    assert moves.var() == pytest.approx(expected, rel=0.35)


def test_a_factor_without_volatility_stands_still():
    parameters = TwoFactor(
        mean_reversion=2.0, short_volatility=0.0, drift=0.0, long_volatility=0.0, correlation=0.0
    )
    short, long = two_factor_path(parameters, stable.normals(stable.stream(1), 50, 2), long_start=0.5)
    assert set(short.tolist()) == {0.0}
    assert set(long.tolist()) == {0.5}


def test_chips_move_together_but_not_in_step():
    logs = latent_log_prices(3, date(2030, 1, 1), 4000)  # after every event
    correlations = np.corrcoef(np.diff(logs, axis=0).T)
    off_diagonal = correlations[np.triu_indices(len(CHIPS), 1)]
    assert np.all(off_diagonal > 0.5)
    assert np.all(off_diagonal < 0.9)


def test_a_ramp_is_nothing_before_whole_after_and_even_between():
    ramp = Ramp(start=date(2024, 1, 1), end=date(2024, 1, 11), log_change=-0.2)
    path = ramp_path(ramp, date(2023, 12, 30), 20)
    assert path[:3].tolist() == [0.0, 0.0, 0.0]
    assert path[7] == pytest.approx(-0.1)
    assert path[12:].tolist() == [-0.2] * 8


def test_events_are_in_the_price_by_their_date_wherever_the_window_begins():
    for event in EVENTS:
        assert event.start < event.end
    early = ramp_path(EVENTS[0], date(2023, 9, 1), 900)
    late = ramp_path(EVENTS[0], date(2023, 9, 1) + timedelta(days=200), 700)
    assert early[200:].tolist() == late.tolist()


def test_a_sticky_price_moves_only_at_a_review_and_then_to_the_wanted_price():
    style = Style(reset_per_day=0.1, menu_cost_log=0.5, judgement_sd=0.0, price_step=100)
    wanted = np.linspace(0.0, 0.3, 200)[:, None]
    draws = stable.uniforms(stable.stream(9), 200, 1)
    path = sticky_path(wanted, draws, np.zeros((200, 1)), (style,), np.zeros((200, 1), dtype=bool))
    reviewed = draws[1:, 0] < 0.1
    assert 10 < reviewed.sum() < 35
    assert path[1:, 0][reviewed].tolist() == wanted[1:, 0][reviewed].tolist()
    assert np.diff(path[:, 0])[~reviewed].tolist() == [0.0] * int((~reviewed).sum())


def test_a_price_never_stays_further_from_the_wanted_one_than_the_menu_cost():
    style = Style(reset_per_day=0.0, menu_cost_log=0.08, judgement_sd=0.0, price_step=100)
    wanted = 0.05 * stable.normals(stable.stream(4), 500, 1).cumsum(axis=0)
    path = sticky_path(
        wanted, np.ones((500, 1)), np.zeros((500, 1)), (style,), np.zeros((500, 1), dtype=bool)
    )
    assert float(np.abs(path - wanted).max()) <= 0.08
    assert 0.05 < float((np.diff(path[:, 0]) != 0).mean()) < 0.6


def test_exponentials_agree_with_the_library_to_a_millionth_of_a_millionth():
    exponents = np.linspace(-20.0, 20.0, 2001)
    ratio = stable.exponential(exponents) / np.exp(exponents)
    assert float(np.abs(ratio - 1.0).max()) < 1e-12


def test_draws_have_the_moments_of_a_standard_normal():
    draws = stable.normals(stable.stream(11), 200_000)
    assert float(draws.mean()) == pytest.approx(0.0, abs=0.01)
    assert float(draws.var()) == pytest.approx(1.0, abs=0.01)
    assert float((draws**3).mean()) == pytest.approx(0.0, abs=0.03)
    # Twelve uniforms have a kurtosis of 3 − 6/(5·12) = 2.9, not 3: the tails are a little thin.
    assert float((draws**4).mean()) == pytest.approx(2.9, abs=0.06)
    assert float(np.abs(draws).max()) <= 6.0


def test_raw_draws_are_the_pinned_ones():
    # PCG64 seeded through SeedSequence([2026, 1]): NumPy keeps both streams fixed (NEP 19).
    assert stable.uniforms(stable.stream(2026, 1), 3).tolist() == [
        0.49023378235524906,
        0.9025537751992464,
        0.7285285378059564,
    ]
    assert stable.normals(stable.stream(2026, 1), 2).tolist() == [0.6304885696154088, 0.2165061361156404]


def test_streams_of_different_purposes_differ():
    assert (
        stable.uniforms(stable.stream(1, 1), 4).tolist() != stable.uniforms(stable.stream(1, 2), 4).tolist()
    )


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0.0000"), (1, "0.0001"), (24_900, "2.4900"), (123_456, "12.3456")]
)
def test_dollars_are_written_exactly(count, text):
    assert stable.dollars(count) == text


def test_a_price_rounds_to_its_step_and_is_never_zero():
    prices = stable.round_to_step(np.array([24_949.0, 24_950.0, 25_050.0, 3.0]), 100)
    assert prices.tolist() == [24_900, 25_000, 25_000, 100]  # ties to even


UNSTABLE = {
    "exp", "log", "log1p", "expm1", "power", "sin", "cos", "default_rng", "Generator", "standard_normal", "mean",
    "std", "var", "dot", "matmul", "math", "random",
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_nothing_is_used_whose_last_bit_depends_on_the_machine(path):
    used = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute | ast.Name)
    }
    if path.name == "stable.py":
        used -= {"random"}  # np.random.PCG64 and SeedSequence, whose raw output is fixed
    assert used & UNSTABLE == set()
