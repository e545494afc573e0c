"""What a section of the report is made of: the pieces that all printed pages share."""

from __future__ import annotations

from ...drawing.tables import Row, Section

__all__ = ["Row", "Section"]
