"""Models recover what they were simulated from: fewer runs of what docs/recovery.md shows in full."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROOF = Path(__file__).resolve().parents[2] / "proof" / "recovery_study.py"


@pytest.fixture(scope="module")
def recovery() -> ModuleType:
    """The proof's own module, loaded from its file."""
    spec = importlib.util.spec_from_file_location("recovery_study", PROOF)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def test_ornstein_uhlenbeck_recovers_its_parameters_at_500(recovery):
    study = recovery.ou_study(500, range(100))
    assert study.refused == 0
    for name, found in study.parameters.items():
        # 88 of 100 or fewer happens by chance less than once in 200 where an interval holds 95 %
        assert found.coverage >= 0.88, name
        assert found.open == 0
    assert median(study.parameters["sigma"].values) == pytest.approx(0.35, rel=0.02)
    assert median(study.parameters["level"].values) == pytest.approx(2.8, rel=0.02)


def test_the_bias_of_kappa_is_upwards_and_about_what_the_model_says(recovery):
    from rentmark.contracts.curve import fit_ou

    fits = [fit_ou(recovery.ou_path(250, seed)) for seed in range(200)]
    excess = [fit.process.kappa - recovery.OU.kappa for fit in fits]
    told = [fit.kappa_bias for fit in fits]
    assert sum(excess) / len(excess) > 0
    # Tang & Chen 2009: near 4/n a step, 0.016 here; the mean of 200 runs is known to about 0.002
    assert sum(excess) / len(excess) == pytest.approx(sum(told) / len(told), abs=0.006)


def test_garch_recovers_its_parameters_at_500(recovery):
    study = recovery.garch_study(500, range(100))
    assert study.refused <= 2
    for name in ("autoregression", "alpha", "beta", "degrees"):
        found = study.parameters[name]
        assert found.coverage >= 0.88, name
    assert median(study.parameters["beta"].values) == pytest.approx(0.90, abs=0.05)
    assert median(study.parameters["alpha"].values) == pytest.approx(0.08, abs=0.03)


def test_the_two_factor_model_recovers_its_parameters_and_the_premium_on_a_curve_at_500(recovery):
    study = recovery.panel_study(500, range(20))
    assert study.refused == 0
    for name, found in study.parameters.items():
        # 16 of 20 or fewer happens by chance about once in 60 where an interval holds 95 %
        assert found.coverage > 0.8, name
        assert found.open == 0, name
    for name, within in (("kappa", 0.1), ("sigma_chi", 0.1), ("sigma_xi", 0.1), ("noise_marks", 0.1)):
        found = study.parameters[name]
        assert median(found.values) == pytest.approx(found.truth, rel=within), name
