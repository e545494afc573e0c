"""Estimators, one small file each: sorted integer votes in, one value or a refusal out.

May import records. A new estimator is one file, one line here and one answers file in
``tests/index/answers``; it inherits the base test suite.
"""

from __future__ import annotations

from .base import Estimator, weighted_quantile
from .median import MEDIAN
from .volume_weighted_median import VOLUME_WEIGHTED_MEDIAN

ESTIMATORS: dict[str, Estimator] = {e.name: e for e in (MEDIAN, VOLUME_WEIGHTED_MEDIAN)}

__all__ = ["ESTIMATORS", "Estimator", "weighted_quantile"]
