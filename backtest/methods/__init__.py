"""Hedge-ratio methods, one small file each. Owns how a ratio is chosen from past changes.

May import records. Numpy is imported by the caller; a method gets arrays.
"""

from __future__ import annotations

from .base import RatioMethod
from .naive import Naive
from .ols import OrdinaryLeastSquares

METHODS: dict[str, RatioMethod] = {method.name: method for method in (Naive(), OrdinaryLeastSquares())}
"""Every method by name, in the order reports list them."""

__all__ = ["METHODS", "Naive", "OrdinaryLeastSquares", "RatioMethod"]
