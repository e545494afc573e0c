"""Computable's CGI: the central third of spread votes of a fixed panel, weights floored and capped."""

from __future__ import annotations

from .base import SECOND_HAND, Preset, assumed, public

COMPUTABLE_CGI = Preset(
    name="computable-cgi",
    version="1.0.0",
    index="Computable Compute GPU Index (CGI)",
    publisher="Computable",
    summary="mean of the central third of every vote at p, p − sd and p + sd, weights between 2.5 % and 30 %",
    read=SECOND_HAND,
    methodology={
        "inputs": assumed(
            ["listed"],
            "list prices and order-book medians are read; a rule with memory keeps to one tier here",
        ),
        "vote": public(["seller"], f"one vote per member of a fixed panel; {SECOND_HAND}"),
        "estimator": public("central_third_mean", SECOND_HAND),
        "spread_floor": public("0.03", f"3 % floor of the standard deviation; {SECOND_HAND}"),
        "memory_days": public(90, f"90-day standard deviation; {SECOND_HAND}"),
        "weights": assumed("seller", "what the weights are before floor and cap is not published"),
        "weight_floor": public("0.025", SECOND_HAND),
        "cap": public("0.3", SECOND_HAND),
        "min_sellers": assumed(4, "no minimum is published; four are the fewest that a cap of 30 % allows"),
        "screen": assumed(
            {
                "robust_z": "3",
                "floor": "0.03",
                "jump": {"move": "0.25", "others": 2, "others_move": "0.10", "wait_days": 5},
            },
            "the jump rule (25 %, two others by 10 %) and the 3 and 3 % of the outlier rule are public; how long a jump "
            "waits is not, and the outlier rule measures from a 20-day mean, for which the day's median stands in",
        ),
        "fallback": public("gap", f"publishes “no index”; {SECOND_HAND}"),
    },
    grade={},
    not_expressed=(
        "the fixed panel; name it as `sellers` of your grade",
        "a marketplace's one vote, the median of its order book; its hosts vote each here",
        "outliers against the mean of 20 days",
        "values are never revised; here nothing is revised unless someone calls `index restate`",
    ),
)
