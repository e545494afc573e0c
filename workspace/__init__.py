"""The workspace: configuration, clock, and the use cases that join the pure rooms to the store.

Owns what a person asks for: ingest, build, publish, show, explain, verify, settle, hedge, demo.
May import every room but dashboard and cli. Names load when first used, so that a command pays
only for what it does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .auditing import BatchCheck, Verification, explain_fixing, verification_row, verify
    from .building import build, fixings_for_use, fixings_shown, publish, restate
    from .clock import SimulatedClock, SystemClock
    from .config import Configuration, read_configuration
    from .core import Workspace, add_samples
    from .demo import DemoResult, run_demo
    from .hedging import hedge_rent, read_premium, read_rent_file, write_report
    from .ingesting import Ingested, ingest_files, ingest_payload, ingest_summary
    from .listing import contract_lines, contract_rows, feed_rows, read_date, reading_row, settlement_row
    from .rows import explanation_row, fixing_row, ledger_row
    from .settling import settle_month
    from .views import AsOf, read_as_of

_HOMES = {
    "auditing": ("BatchCheck", "Verification", "explain_fixing", "verification_row", "verify"),
    "building": ("build", "fixings_for_use", "fixings_shown", "publish", "restate"),
    "clock": ("SimulatedClock", "SystemClock"),
    "config": ("Configuration", "read_configuration"),
    "core": ("Workspace", "add_samples"),
    "demo": ("DemoResult", "run_demo"),
    "hedging": ("hedge_rent", "read_premium", "read_rent_file", "write_report"),
    "ingesting": ("Ingested", "ingest_files", "ingest_payload", "ingest_summary"),
    "listing": ("contract_lines", "contract_rows", "feed_rows", "read_date", "reading_row", "settlement_row"),
    "rows": ("explanation_row", "fixing_row", "ledger_row"),
    "settling": ("settle_month",),
    "views": ("AsOf", "read_as_of"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AsOf",
    "BatchCheck",
    "Configuration",
    "DemoResult",
    "Ingested",
    "SimulatedClock",
    "SystemClock",
    "Verification",
    "Workspace",
    "add_samples",
    "build",
    "contract_lines",
    "contract_rows",
    "explain_fixing",
    "explanation_row",
    "feed_rows",
    "fixing_row",
    "fixings_for_use",
    "fixings_shown",
    "hedge_rent",
    "ingest_files",
    "ingest_payload",
    "ingest_summary",
    "ledger_row",
    "publish",
    "read_as_of",
    "read_configuration",
    "read_date",
    "read_premium",
    "read_rent_file",
    "reading_row",
    "restate",
    "run_demo",
    "settle_month",
    "settlement_row",
    "verification_row",
    "verify",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Load an exported name from its module on first use (PEP 562)."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
