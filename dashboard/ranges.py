"""The range of a chart as the address states it."""

from __future__ import annotations

from .parts import WIDE_OPEN
from .routing import View


def chosen_range(view: View, default: str) -> tuple[str, int | None]:
    """The name of the range (1M, 3M, 1Y, All) and its days; an unknown name means the default."""
    name = view.query.get("range", default)
    if name not in WIDE_OPEN:
        name = default
    return name, WIDE_OPEN[name]
