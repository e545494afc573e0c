"""TCI's EU-CRI: a weighted median of European on-demand offers, executable quotes above list prices."""

from __future__ import annotations

from .base import SECOND_HAND, Preset, assumed, public

TCI_EU_CRI = Preset(
    name="tci-eu-cri",
    version="1.0.0",
    index="TCI European Compute Rental Index (EU-CRI)",
    publisher="TCI",
    summary="weighted median over offers, executable quotes weigh more, one provider's share capped",
    read=SECOND_HAND,
    methodology={
        "inputs": public(
            ["executable", "listed"], f"public offers; executable quotes weigh more; {SECOND_HAND}"
        ),
        "hierarchy": public("pool", f"one median over all offers; {SECOND_HAND}"),
        "weights": public("tier", f"executable quotes weigh more; {SECOND_HAND}"),
        "tier_weights": assumed({"executable": 2, "listed": 1}, "how much more is not in the note"),
        "vote": public(["observation"], f"the median is over offers; {SECOND_HAND}"),
        "estimator": public("weighted_median", SECOND_HAND),
        "cap": assumed("0.25", "there is a cap per provider; its size is not in the note"),
        "min_sellers": assumed(4, "there is a minimum; four are the fewest that a cap of a quarter allows"),
        "min_observations": assumed(8, "there is a minimum of offers; its size is not in the note"),
        "staleness_hours": assumed(48, "there is a limit of age; its size is not in the note"),
        "lookback_hours": assumed(48, "an offer counts while it is not stale"),
        "fallback": public("gap", f"a gap and no fallback; {SECOND_HAND}"),
    },
    grade={
        "pricing": public("on_demand", SECOND_HAND),
        "min_gpus": public(2, f"offers of two GPUs or more; {SECOND_HAND}"),
    },
    not_expressed=(
        "extreme offers are drawn in by count before the median",
        "weights by offer; a provider's offers of one tier share its weight here",
        "the list of European countries; name them as `countries` of your grade",
    ),
)
