"""What is measured apart from the rent: operator ratings, usable output, full cost, the cost curve.

Owns four answers that a price does not give: who runs the hour well (ratings), what the hour yields
(usable output), what an accepted answer costs (full cost), and who is cheaper (the cost curve). Price, cost
and output are kept apart. Pure: bytes are handed in. Imports records only.

Names load when first used: the account models need pydantic, which a command that lists ratings does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cost import CostLine, CostResult, WindowOutput, full_cost, micros
    from .cost_account import CostFile
    from .cost_curve import (
        PERCENTS,
        Bar,
        CostCurve,
        Exit,
        Move,
        Producer,
        curve_of,
        dates_stated,
        exits,
        moves,
    )
    from .cost_curve_file import read_producers_file
    from .cost_curve_plot import cost_curve_svg
    from .cost_file import read_cost_file
    from .cost_formulas import (
        capital_per_year,
        capital_recovery_factor,
        goodput_loss,
        owned_gpu,
        usd_per_million_accepted_tokens,
    )
    from .frontier import Bounds, pareto_frontier
    from .interpolation import linear, log_linear, steffen, steffen_slopes
    from .premium import RatedPrice, TierPremium, tier_premiums
    from .ratings import (
        OperatorRating,
        operator_key,
        operators_at_or_above,
        rating_at,
        rating_history,
        ratings_in_force,
    )
    from .ratings_file import read_ratings_file
    from .schemes import CLUSTERMAX, SCHEMES, RatingScheme, rating_scheme
    from .service_levels import (
        MLPERF,
        Goodput,
        Request,
        ServiceLevel,
        read_requests_file,
        slo_goodput,
    )
    from .serving import PERCENTILES, ServingFile, ServingRow, Stack, rebase
    from .serving_file import read_serving_file
    from .upgrades import UpgradeOutcome
    from .usable_output import (
        Readings,
        StackComparison,
        StackOutput,
        compare_stacks,
        stack_outputs,
        usd_micros_per_million,
    )

_HOMES = {
    "cost": ("CostLine", "CostResult", "WindowOutput", "full_cost", "micros"),
    "cost_account": ("CostFile",),
    "cost_curve": (
        "PERCENTS",
        "Bar",
        "CostCurve",
        "Exit",
        "Move",
        "Producer",
        "curve_of",
        "dates_stated",
        "exits",
        "moves",
    ),
    "cost_curve_file": ("read_producers_file",),
    "cost_curve_plot": ("cost_curve_svg",),
    "cost_file": ("read_cost_file",),
    "cost_formulas": (
        "capital_per_year",
        "capital_recovery_factor",
        "goodput_loss",
        "owned_gpu",
        "usd_per_million_accepted_tokens",
    ),
    "frontier": ("Bounds", "pareto_frontier"),
    "interpolation": ("linear", "log_linear", "steffen", "steffen_slopes"),
    "premium": ("RatedPrice", "TierPremium", "tier_premiums"),
    "ratings": (
        "OperatorRating",
        "operator_key",
        "operators_at_or_above",
        "rating_at",
        "rating_history",
        "ratings_in_force",
    ),
    "ratings_file": ("read_ratings_file",),
    "schemes": ("CLUSTERMAX", "SCHEMES", "RatingScheme", "rating_scheme"),
    "service_levels": (
        "MLPERF",
        "Goodput",
        "Request",
        "ServiceLevel",
        "read_requests_file",
        "slo_goodput",
    ),
    "serving": ("PERCENTILES", "ServingFile", "ServingRow", "Stack", "rebase"),
    "serving_file": ("read_serving_file",),
    "upgrades": ("UpgradeOutcome",),
    "usable_output": (
        "Readings",
        "StackComparison",
        "StackOutput",
        "compare_stacks",
        "stack_outputs",
        "usd_micros_per_million",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "CLUSTERMAX",
    "MLPERF",
    "PERCENTILES",
    "PERCENTS",
    "SCHEMES",
    "Bar",
    "Bounds",
    "CostCurve",
    "CostFile",
    "CostLine",
    "CostResult",
    "Exit",
    "Goodput",
    "Move",
    "OperatorRating",
    "Producer",
    "RatedPrice",
    "RatingScheme",
    "Readings",
    "Request",
    "ServiceLevel",
    "ServingFile",
    "ServingRow",
    "Stack",
    "StackComparison",
    "StackOutput",
    "TierPremium",
    "UpgradeOutcome",
    "WindowOutput",
    "capital_per_year",
    "capital_recovery_factor",
    "compare_stacks",
    "cost_curve_svg",
    "curve_of",
    "dates_stated",
    "exits",
    "full_cost",
    "goodput_loss",
    "linear",
    "log_linear",
    "micros",
    "moves",
    "operator_key",
    "operators_at_or_above",
    "owned_gpu",
    "pareto_frontier",
    "rating_at",
    "rating_history",
    "rating_scheme",
    "ratings_in_force",
    "read_cost_file",
    "read_producers_file",
    "read_ratings_file",
    "read_requests_file",
    "read_serving_file",
    "rebase",
    "slo_goodput",
    "stack_outputs",
    "steffen",
    "steffen_slopes",
    "tier_premiums",
    "usd_micros_per_million",
    "usd_per_million_accepted_tokens",
]


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
