"""The hedge report as one self-contained page: HTML, inline SVG, no script, no request.

Owns how a report looks. May import records and its own room. Nothing is read from disk: template
and style sheet are Python strings.
"""

from __future__ import annotations

from .page import render_report
from .parts import FirstPage, first_page

__all__ = ["FirstPage", "first_page", "render_report"]
