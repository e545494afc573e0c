"""Estimators, one small file each: sorted integer votes in, one exact value or a refusal out.

May import records. A new estimator is one file, one line here and one answers file in
``tests/index/answers``; it inherits the base test suite.
"""

from __future__ import annotations

from .base import Earlier, Estimate, Estimator, Parameters, Slate, VoteId, weighted_quantile
from .central_third import CENTRAL_THIRD_MEAN
from .matched_chain import MATCHED_CHAIN
from .mean import MEAN
from .mean_of_means import MEAN_OF_MEANS
from .median import MEDIAN
from .partitioned import PARTITIONED
from .steps import Step, Term
from .time_dummy import TIME_DUMMY
from .trimmed_mean import TRIMMED_MEAN
from .two_stage import TWO_STAGE
from .volume_weighted_mean import VOLUME_WEIGHTED_MEAN
from .volume_weighted_median import VOLUME_WEIGHTED_MEDIAN
from .weighted_median import WEIGHTED_MEDIAN
from .winsorised_mean import WINSORISED_MEAN

ESTIMATORS: dict[str, Estimator] = {
    e.name: e
    for e in (
        MEDIAN,
        WEIGHTED_MEDIAN,
        MEAN,
        TRIMMED_MEAN,
        WINSORISED_MEAN,
        VOLUME_WEIGHTED_MEDIAN,
        VOLUME_WEIGHTED_MEAN,
        PARTITIONED,
        CENTRAL_THIRD_MEAN,
        TWO_STAGE,
        MEAN_OF_MEANS,
        MATCHED_CHAIN,
        TIME_DUMMY,
    )
}

__all__ = [
    "ESTIMATORS",
    "Earlier",
    "Estimate",
    "Estimator",
    "Parameters",
    "Slate",
    "Step",
    "Term",
    "VoteId",
    "weighted_quantile",
]
