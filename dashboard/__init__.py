"""The dashboard: see the market, question a number, try a hedge.

Owns the Dash app: pages, charts, look, and the server they run on. It calls `workspace` for every figure
and computes nothing that the library does not. May import workspace and records. It reads; nothing is
published from a page.
"""

from __future__ import annotations

from .app import create_app
from .server import serve

__all__ = ["create_app", "serve"]
