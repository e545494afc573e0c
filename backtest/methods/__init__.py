"""Hedge-ratio methods, one small file each. Owns how a ratio is chosen from past changes.

May import records. Numpy is imported by the caller; a method gets arrays. ``DEFAULTS`` are judged in
every report, the others when asked for by name.
"""

from __future__ import annotations

from .base import RatioEstimate, RatioMethod
from .bekk import ScalarBekk
from .cvar import MinimumCvar
from .dcc import DynamicCorrelation
from .dimson import Dimson, dimson_hours
from .error_correction import ErrorCorrection
from .naive import Naive
from .ols import OrdinaryLeastSquares
from .rolling import Expanding, Rolling, expanding_ratios, rolling_ratios

METHODS: dict[str, RatioMethod] = {
    method.name: method
    for method in (
        Naive(),
        OrdinaryLeastSquares(),
        Dimson(),
        ErrorCorrection(),
        Rolling(),
        Expanding(),
        DynamicCorrelation(),
        ScalarBekk(),
        MinimumCvar(),
    )
}
"""Every method by name, in the order reports list them."""
DEFAULTS = ("naive", "ols")
"""Methods in every report; ``docs/hedge-methods.md`` says why these."""

__all__ = [
    "DEFAULTS",
    "METHODS",
    "Dimson",
    "DynamicCorrelation",
    "ErrorCorrection",
    "Expanding",
    "MinimumCvar",
    "Naive",
    "OrdinaryLeastSquares",
    "RatioEstimate",
    "RatioMethod",
    "Rolling",
    "ScalarBekk",
    "dimson_hours",
    "expanding_ratios",
    "rolling_ratios",
]
