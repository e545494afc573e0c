"""Drawing: the small SVG pieces and the style sheet that every printed page is made of.

Owns how a page looks, not what it says: scales, ticks, steps, bands and labels as SVG text, and the colours
of light, dark and print. Imports nothing of Rentmark; pure, numbers in and text out.
"""

from __future__ import annotations

from .style import STYLE
from .svg import Frame, svg

__all__ = ["STYLE", "Frame", "svg"]
