"""Cells of a CSV that a spreadsheet may open: text is never run as a formula."""

from __future__ import annotations

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What makes a spreadsheet take a cell of a CSV for a formula (OWASP, CSV Injection)."""


def neutral(text: str) -> str:
    """Text that no spreadsheet runs: one that begins like a formula and is no number gets an apostrophe."""
    if not text.startswith(FORMULA_STARTS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
