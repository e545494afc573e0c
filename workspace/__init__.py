"""The workspace: configuration, clock, and the use cases that join the pure rooms to the store.

Owns what a person asks for: ingest, build, publish, show, explain, verify, settle, hedge, demo.
May import every room but dashboard and cli. Names load when first used, so that a command pays
only for what it does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .accounting import positions, profit, statement
    from .auditing import BatchCheck, Verification, explain_fixing, verification_row, verify
    from .blotter import blotter_import_row, blotter_row, import_blotter
    from .building import build, build_and_publish, fixings_for_use, fixings_shown, publish, restate
    from .calibrating import calibrate_factor, read_step
    from .clock import SimulatedClock, SystemClock
    from .collecting import Collected, collect, collect_summary
    from .config import Configuration, read_configuration
    from .core import Workspace, add_samples
    from .curves import contract_calendar, curve
    from .demo import DemoResult, run_demo
    from .forward import read_launches
    from .full_cost import account_cost, cost_row, curve_row, study_curve, write_curve_plot
    from .grading import explain_observation, grade_rows
    from .hedging import hedge_rent, read_premium, read_rent_file, write_report
    from .ingesting import Ingested, ingest_files, ingest_payload, ingest_summary
    from .input_files import read_optional_date, read_positive_price
    from .listing import contract_lines, contract_rows, feed_rows, read_date, reading_row, settlement_row
    from .marks import import_row, import_settlements, mark_row, marks_of
    from .operators import (
        import_ratings,
        operator_history,
        ratings_import_row,
        ratings_view,
        ratings_view_row,
    )
    from .outputs import Wanted, output_row, read_bounds, usable_output
    from .rejecting import export_rejects
    from .rents import Rent, read_rent, rent_of_fixing
    from .rereading import read_again
    from .rows import explanation_row, fixing_row, ledger_row
    from .sellers import alias_rows, seller_rows
    from .settling import settle_month
    from .simulating import simulate, simulation_row, write_paths
    from .strategies import calendar_row, grades_row, lots_rows, margin, roll_row, strip_row
    from .tier_premium import premiums_row, rating_premiums
    from .views import AsOf, read_as_of

_HOMES = {
    "accounting": ("positions", "profit", "statement"),
    "blotter": ("blotter_import_row", "blotter_row", "import_blotter"),
    "strategies": ("calendar_row", "grades_row", "lots_rows", "margin", "roll_row", "strip_row"),
    "auditing": ("BatchCheck", "Verification", "explain_fixing", "verification_row", "verify"),
    "building": ("build", "build_and_publish", "fixings_for_use", "fixings_shown", "publish", "restate"),
    "calibrating": ("calibrate_factor", "read_step"),
    "clock": ("SimulatedClock", "SystemClock"),
    "collecting": ("Collected", "collect", "collect_summary"),
    "config": ("Configuration", "read_configuration"),
    "core": ("Workspace", "add_samples"),
    "curves": ("contract_calendar", "curve"),
    "demo": ("DemoResult", "run_demo"),
    "full_cost": ("account_cost", "cost_row", "curve_row", "study_curve", "write_curve_plot"),
    "forward": ("read_launches",),
    "grading": ("explain_observation", "grade_rows"),
    "hedging": ("hedge_rent", "read_premium", "read_rent_file", "write_report"),
    "ingesting": ("Ingested", "ingest_files", "ingest_payload", "ingest_summary"),
    "input_files": ("read_optional_date", "read_positive_price"),
    "listing": ("contract_lines", "contract_rows", "feed_rows", "read_date", "reading_row", "settlement_row"),
    "operators": (
        "import_ratings",
        "operator_history",
        "ratings_import_row",
        "ratings_view",
        "ratings_view_row",
    ),
    "outputs": ("Wanted", "output_row", "read_bounds", "usable_output"),
    "rents": ("Rent", "read_rent", "rent_of_fixing"),
    "marks": ("import_row", "import_settlements", "mark_row", "marks_of"),
    "rejecting": ("export_rejects",),
    "rereading": ("read_again",),
    "rows": ("explanation_row", "fixing_row", "ledger_row"),
    "sellers": ("alias_rows", "seller_rows"),
    "settling": ("settle_month",),
    "simulating": ("simulate", "simulation_row", "write_paths"),
    "tier_premium": ("premiums_row", "rating_premiums"),
    "views": ("AsOf", "read_as_of"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AsOf",
    "BatchCheck",
    "Collected",
    "Configuration",
    "DemoResult",
    "Ingested",
    "Rent",
    "SimulatedClock",
    "SystemClock",
    "Verification",
    "Wanted",
    "Workspace",
    "account_cost",
    "add_samples",
    "alias_rows",
    "blotter_import_row",
    "blotter_row",
    "build",
    "build_and_publish",
    "calendar_row",
    "calibrate_factor",
    "collect",
    "collect_summary",
    "contract_calendar",
    "contract_lines",
    "contract_rows",
    "cost_row",
    "curve",
    "curve_row",
    "explain_fixing",
    "explain_observation",
    "explanation_row",
    "export_rejects",
    "feed_rows",
    "fixing_row",
    "fixings_for_use",
    "fixings_shown",
    "grade_rows",
    "grades_row",
    "hedge_rent",
    "import_blotter",
    "import_ratings",
    "import_row",
    "import_settlements",
    "ingest_files",
    "ingest_payload",
    "ingest_summary",
    "ledger_row",
    "lots_rows",
    "margin",
    "mark_row",
    "marks_of",
    "operator_history",
    "output_row",
    "positions",
    "premiums_row",
    "profit",
    "publish",
    "rating_premiums",
    "ratings_import_row",
    "ratings_view",
    "ratings_view_row",
    "read_again",
    "read_as_of",
    "read_bounds",
    "read_configuration",
    "read_date",
    "read_launches",
    "read_optional_date",
    "read_positive_price",
    "read_premium",
    "read_rent",
    "read_rent_file",
    "read_step",
    "reading_row",
    "rent_of_fixing",
    "restate",
    "roll_row",
    "run_demo",
    "seller_rows",
    "settle_month",
    "settlement_row",
    "simulate",
    "simulation_row",
    "statement",
    "strip_row",
    "study_curve",
    "usable_output",
    "verification_row",
    "verify",
    "write_curve_plot",
    "write_paths",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
