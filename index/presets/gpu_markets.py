"""GPU Markets' two medians: sellers alike, and by tiers of capacity."""

from __future__ import annotations

from collections.abc import Mapping

from .base import SECOND_HAND, Keyed, Preset, assumed, public

_SHARED: Mapping[str, Keyed] = {
    "inputs": public(["listed"], f"list prices; {SECOND_HAND}"),
    "vote": assumed(["seller"], "what has one vote is not in the note"),
    "screen": assumed(
        {"robust_z": "3.5"},
        "outliers are found by the median absolute deviation; the threshold is not in the note, 3.5 is Iglewicz & Hoaglin 1993",
    ),
    "min_venues": public(3, f"under three venues the value is suppressed; {SECOND_HAND}"),
    "finality_hours": public(24, f"provisional for 24 hours; {SECOND_HAND}"),
}

GPU_MARKETS_MEDIAN = Preset(
    name="gpu-markets-median",
    version="1.0.0",
    index="GPU Markets index, equal weights",
    publisher="GPU Markets",
    summary="plain median of list prices, outliers by MAD, suppressed under three venues",
    read=SECOND_HAND,
    methodology={**_SHARED, "estimator": public("median", f"equal-weight median; {SECOND_HAND}")},
    grade={},
    not_expressed=("revisions after the value is final; use `index restate`",),
)
GPU_MARKETS_CAPACITY = Preset(
    name="gpu-markets-capacity",
    version="1.0.0",
    index="GPU Markets index, weights by tier of capacity",
    publisher="GPU Markets",
    summary="weighted median of list prices, weights 3, 2 and 1 by tier of capacity",
    read=SECOND_HAND,
    methodology={
        **_SHARED,
        "estimator": public("weighted_median", SECOND_HAND),
        "weights": public("capacity", f"tiers of capacity; {SECOND_HAND}"),
        "capacity_steps": assumed(
            [[1, 1], [100, 2], [1000, 3]],
            "the weights 3, 2 and 1 are public; from how many GPUs a tier begins is not in the note",
        ),
    },
    grade={},
    not_expressed=(
        "a provider's capacity as the publisher judges it; what its offers state as available stands in",
        "revisions after the value is final; use `index restate`",
    ),
)
