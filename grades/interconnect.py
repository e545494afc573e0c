"""Interconnects: the few words under which links inside and between nodes are compared."""

from __future__ import annotations

import re

from .words import INTERCONNECT_WORDS

INTERCONNECTS: tuple[str, ...] = ("InfiniBand", "RoCE", "Ethernet", "NVLink")
"""Canonical names. Where a text states several the first of this order is taken: the network between
nodes says more of a node than the link inside it. So NVLink alone means that no network is stated."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")


def canonical_interconnect(text: str) -> str | None:
    """Read an interconnect: ``NDR InfiniBand 400G`` → InfiniBand, ``nvlink`` → NVLink, blank → None (unstated).

    Raises ValueError naming the value where no known interconnect is stated.
    """
    words = [word for word in _SEPARATORS.split(text.lower()) if word]
    if not words:
        return None
    stated = {INTERCONNECT_WORDS[word] for word in words if word in INTERCONNECT_WORDS}
    for name in INTERCONNECTS:
        if name in stated:
            return name
    raise ValueError(f"{text!r} is not an interconnect; write {', '.join(INTERCONNECTS)} or leave it blank")
