"""Drawings: the step chart by its rules, sparklines, and dots on an axis. Each from documented rows to a component."""

from __future__ import annotations

from .dots import Dot, dots
from .series import Series
from .spark import spark
from .steps import step_chart

__all__ = ["Dot", "Series", "dots", "spark", "step_chart"]
