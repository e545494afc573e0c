"""A drawing that stands alone: an SVG with its own style sheet, in the colours of one theme."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Theme = Literal["light", "dark"]


def standalone(svg: str, style: str, theme: Theme) -> str:
    """An SVG of a page as a picture of its own: namespace, size, and those rules of ``style`` that are its own.

    The ground is transparent. Raises ValueError for what is no SVG.
    """
    if not svg.startswith("<svg"):
        raise ValueError("this is no SVG")
    named = (
        svg
        if " xmlns=" in svg.split(">", 1)[0]
        else svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    )
    head, body = named.split(">", 1)
    if " width=" not in head and (box := re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)):
        head += f' width="{box.group(1)}" height="{box.group(2)}"'
    return f"{head}><style>{_rules(style, theme)}</style>{body}"


@lru_cache(maxsize=16)
def _rules(style: str, theme: Theme) -> str:
    palettes = re.findall(r":root\{([^}]*)\}", style)
    palette = dict(
        pair.strip().split(":", 1) for pair in palettes[1 if theme == "dark" else 0].split(";") if ":" in pair
    )
    own = "".join(
        f"{selectors}{{{body}}}"
        for selectors, body in re.findall(r"([^{}@]+)\{([^{}]*)\}", style)
        if "svg " in selectors and ":root" not in selectors
    )
    coloured = re.sub(r"var\((--[\w-]+)\)", lambda found: palette.get(found.group(1), "currentColor"), own)
    return coloured.replace("svg ", "").replace("\n", "")
