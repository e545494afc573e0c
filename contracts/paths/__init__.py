"""Simulated index paths: seeded, vectorised, and simulated wherever they appear.

Owns the simulators (Ornstein–Uhlenbeck, Schwartz–Smith, AR–GARCH with Student-t innovations, the
stationary block bootstrap of actual changes), the fit of the GARCH model, and the named scenarios laid
over any of them. Paths are USD per GPU-hour in floats, one row a fixing and one column a path; they
are statistics and never enter a ledger. Needs numpy; arch is imported where something is fitted.
"""

from __future__ import annotations

from .bootstrap import block_length, bootstrap_changes, simulate_bootstrap
from .curve_panel import SimulatedPanel, simulate_curve_panel
from .draws import Seed, generator
from .fan import PERCENTILES, FanRow, fan
from .garch import Garch, GarchModel, fit_garch, simulate_garch
from .mean_reverting import simulate_ou, simulate_schwartz_smith
from .scenarios import SCENARIOS, Scenario, ScenarioPaths, apply_scenario, scenario

__all__ = [
    "PERCENTILES",
    "SCENARIOS",
    "FanRow",
    "Garch",
    "GarchModel",
    "Scenario",
    "ScenarioPaths",
    "Seed",
    "SimulatedPanel",
    "apply_scenario",
    "block_length",
    "bootstrap_changes",
    "fan",
    "fit_garch",
    "generator",
    "scenario",
    "simulate_bootstrap",
    "simulate_curve_panel",
    "simulate_garch",
    "simulate_ou",
    "simulate_schwartz_smith",
]
