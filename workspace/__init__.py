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
    from .books import OwnFiles, OwnRent, read_own_rent, rent_or_book
    from .break_evidence import read_days
    from .building import build
    from .bundle import Exported, export_bundle
    from .calibrating import calibrate_factor, read_step
    from .changes import change_story, count_of, known_story, no_price_sentence
    from .choices import rule_choices
    from .clock import SimulatedClock, SystemClock
    from .collecting import Collected, collect, collect_summary
    from .comparing import Compared, Comparison, Method, compare_methodologies, every_preset
    from .comparing_rows import comparison_row, preset_rows, write_comparison
    from .config import Configuration, read_configuration
    from .core import Workspace, add_samples
    from .correcting import override, restate
    from .curves import contract_calendar, curve
    from .demo import DemoResult, run_demo
    from .exporting import export_row
    from .forward import read_launches
    from .full_cost import account_cost, cost_row, curve_row, study_curve, write_curve_plot
    from .governing import cease, cessation_row, governance_log, hold_rows, open_holds
    from .grading import explain_observation, grade_rows
    from .hedge_comparing import compare_hedges, comparison_of_hedges_row
    from .hedging import hedge_own, hedge_rent, read_premium, read_rent_file, write_report
    from .ingesting import Ingested, ingest_files, ingest_payload, ingest_summary
    from .input_files import read_optional_date, read_positive_price
    from .listing import contract_lines, contract_rows, feed_rows, read_date, reading_row, settlement_row
    from .machine import machine_trouble
    from .market_board import Recent, fixing_rows, market, revision_rows
    from .marks import import_row, import_settlements, mark_row, marks_of
    from .operators import (
        import_ratings,
        operator_history,
        ratings_import_row,
        ratings_view,
        ratings_view_row,
    )
    from .outputs import Wanted, output_row, read_bounds, usable_output
    from .producer_desk import ProducersFile, cost_curve_of, sample_producers
    from .programmes import programme_row, run_programme_on, write_programme_page
    from .publishing import build_and_publish, publish, release
    from .readers import data_heads, forget_views, is_being_written, open_for_reading, view_made
    from .rejecting import export_rejects, reject_sample
    from .rent_desk import (
        RentFile,
        check_rent_file,
        judge_rent,
        method_rows,
        read_rent_upload,
        reading_of_rent,
        report_file,
        report_first_page,
        sample_rent,
        unit_options,
    )
    from .rents import Rent, read_rent, rent_of_fixing
    from .rereading import read_again
    from .reviewing import Reviewed, review_benchmark, review_row, write_review
    from .rows import explanation_row, fixing_row, ledger_row
    from .rulebook import cessation, finality_hours, version_rows
    from .sellers import alias_rows, seller_rows
    from .sellers_behind import panel_sellers, votes_around
    from .settling import settle_month
    from .several import (
        Outcome,
        asked_benchmarks,
        build_benchmarks,
        built_row,
        publish_benchmarks,
        published_row,
        several_row,
    )
    from .showing import explained_row, finality_rows, fixings_for_use, fixings_shown, shown_row, tape_ends
    from .simulating import simulate, simulation_row, write_paths
    from .stating import benchmark_statement, statement_document, write_statement
    from .strategies import calendar_row, grades_row, lots_rows, margin, roll_row, strip_row
    from .third_party import verify_published
    from .tier_premium import premiums_row, rating_premiums
    from .views import AsOf, format_view, read_as_of, read_view_instant
    from .watching import remember_told, watch_alarms

_HOMES = {
    "accounting": ("positions", "profit", "statement"),
    "blotter": ("blotter_import_row", "blotter_row", "import_blotter"),
    "bundle": ("Exported", "export_bundle"),
    "comparing": ("Compared", "Comparison", "Method", "compare_methodologies", "every_preset"),
    "comparing_rows": ("comparison_row", "preset_rows", "write_comparison"),
    "strategies": ("calendar_row", "grades_row", "lots_rows", "margin", "roll_row", "strip_row"),
    "auditing": ("BatchCheck", "Verification", "explain_fixing", "verification_row", "verify"),
    "books": ("OwnFiles", "OwnRent", "read_own_rent", "rent_or_book"),
    "building": ("build",),
    "calibrating": ("calibrate_factor", "read_step"),
    "changes": ("change_story", "count_of", "known_story", "no_price_sentence"),
    "clock": ("SimulatedClock", "SystemClock"),
    "collecting": ("Collected", "collect", "collect_summary"),
    "config": ("Configuration", "read_configuration"),
    "core": ("Workspace", "add_samples"),
    "correcting": ("override", "restate"),
    "governing": ("cease", "cessation_row", "governance_log", "hold_rows", "open_holds"),
    "rulebook": ("cessation", "finality_hours", "version_rows"),
    "stating": ("benchmark_statement", "statement_document", "write_statement"),
    "curves": ("contract_calendar", "curve"),
    "demo": ("DemoResult", "run_demo"),
    "full_cost": ("account_cost", "cost_row", "curve_row", "study_curve", "write_curve_plot"),
    "exporting": ("export_row",),
    "forward": ("read_launches",),
    "grading": ("explain_observation", "grade_rows"),
    "break_evidence": ("read_days",),
    "hedge_comparing": ("compare_hedges", "comparison_of_hedges_row"),
    "hedging": ("hedge_own", "hedge_rent", "read_premium", "read_rent_file", "write_report"),
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
    "rent_desk": (
        "RentFile",
        "check_rent_file",
        "judge_rent",
        "method_rows",
        "read_rent_upload",
        "reading_of_rent",
        "report_file",
        "report_first_page",
        "sample_rent",
        "unit_options",
    ),
    "rents": ("Rent", "read_rent", "rent_of_fixing"),
    "market_board": ("Recent", "fixing_rows", "market", "revision_rows"),
    "machine": ("machine_trouble",),
    "marks": ("import_row", "import_settlements", "mark_row", "marks_of"),
    "programmes": ("programme_row", "run_programme_on", "write_programme_page"),
    "producer_desk": ("ProducersFile", "cost_curve_of", "sample_producers"),
    "publishing": ("build_and_publish", "publish", "release"),
    "sellers_behind": ("panel_sellers", "votes_around"),
    "readers": ("data_heads", "forget_views", "is_being_written", "open_for_reading", "view_made"),
    "rejecting": ("export_rejects", "reject_sample"),
    "rereading": ("read_again",),
    "reviewing": ("Reviewed", "review_benchmark", "review_row", "write_review"),
    "choices": ("rule_choices",),
    "rows": ("explanation_row", "fixing_row", "ledger_row"),
    "sellers": ("alias_rows", "seller_rows"),
    "settling": ("settle_month",),
    "showing": (
        "explained_row",
        "finality_rows",
        "fixings_for_use",
        "fixings_shown",
        "shown_row",
        "tape_ends",
    ),
    "several": (
        "Outcome",
        "asked_benchmarks",
        "build_benchmarks",
        "built_row",
        "publish_benchmarks",
        "published_row",
        "several_row",
    ),
    "simulating": ("simulate", "simulation_row", "write_paths"),
    "third_party": ("verify_published",),
    "tier_premium": ("premiums_row", "rating_premiums"),
    "watching": ("remember_told", "watch_alarms"),
    "views": ("AsOf", "format_view", "read_as_of", "read_view_instant"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AsOf",
    "BatchCheck",
    "Collected",
    "Compared",
    "Comparison",
    "Configuration",
    "DemoResult",
    "Exported",
    "Ingested",
    "Method",
    "Outcome",
    "OwnFiles",
    "OwnRent",
    "ProducersFile",
    "Recent",
    "Rent",
    "RentFile",
    "Reviewed",
    "SimulatedClock",
    "SystemClock",
    "Verification",
    "Wanted",
    "Workspace",
    "account_cost",
    "add_samples",
    "alias_rows",
    "asked_benchmarks",
    "benchmark_statement",
    "blotter_import_row",
    "blotter_row",
    "build",
    "build_and_publish",
    "build_benchmarks",
    "built_row",
    "calendar_row",
    "calibrate_factor",
    "cease",
    "cessation",
    "cessation_row",
    "change_story",
    "check_rent_file",
    "collect",
    "collect_summary",
    "compare_hedges",
    "compare_methodologies",
    "comparison_of_hedges_row",
    "comparison_row",
    "contract_calendar",
    "contract_lines",
    "contract_rows",
    "cost_curve_of",
    "cost_row",
    "count_of",
    "curve",
    "curve_row",
    "data_heads",
    "every_preset",
    "explain_fixing",
    "explain_observation",
    "explained_row",
    "explanation_row",
    "export_bundle",
    "export_rejects",
    "export_row",
    "feed_rows",
    "finality_hours",
    "finality_rows",
    "fixing_row",
    "fixing_rows",
    "fixings_for_use",
    "fixings_shown",
    "forget_views",
    "format_view",
    "governance_log",
    "grade_rows",
    "grades_row",
    "hedge_own",
    "hedge_rent",
    "hold_rows",
    "import_blotter",
    "import_ratings",
    "import_row",
    "import_settlements",
    "ingest_files",
    "ingest_payload",
    "ingest_summary",
    "is_being_written",
    "judge_rent",
    "known_story",
    "ledger_row",
    "lots_rows",
    "machine_trouble",
    "margin",
    "mark_row",
    "market",
    "marks_of",
    "method_rows",
    "no_price_sentence",
    "open_for_reading",
    "open_holds",
    "operator_history",
    "output_row",
    "override",
    "panel_sellers",
    "positions",
    "premiums_row",
    "preset_rows",
    "profit",
    "programme_row",
    "publish",
    "publish_benchmarks",
    "published_row",
    "rating_premiums",
    "ratings_import_row",
    "ratings_view",
    "ratings_view_row",
    "read_again",
    "read_as_of",
    "read_bounds",
    "read_configuration",
    "read_date",
    "read_days",
    "read_launches",
    "read_optional_date",
    "read_own_rent",
    "read_positive_price",
    "read_premium",
    "read_rent",
    "read_rent_file",
    "read_rent_upload",
    "read_step",
    "read_view_instant",
    "reading_of_rent",
    "reading_row",
    "reject_sample",
    "release",
    "remember_told",
    "rent_of_fixing",
    "rent_or_book",
    "report_file",
    "report_first_page",
    "restate",
    "review_benchmark",
    "review_row",
    "revision_rows",
    "roll_row",
    "rule_choices",
    "run_demo",
    "run_programme_on",
    "sample_producers",
    "sample_rent",
    "seller_rows",
    "settle_month",
    "settlement_row",
    "several_row",
    "shown_row",
    "simulate",
    "simulation_row",
    "statement",
    "statement_document",
    "strip_row",
    "study_curve",
    "tape_ends",
    "unit_options",
    "usable_output",
    "verification_row",
    "verify",
    "verify_published",
    "version_rows",
    "view_made",
    "votes_around",
    "watch_alarms",
    "write_comparison",
    "write_curve_plot",
    "write_paths",
    "write_programme_page",
    "write_report",
    "write_review",
    "write_statement",
]


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
