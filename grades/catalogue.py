"""The chip catalogue: every GPU model that is known to be rented, and its canonical words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from types import MappingProxyType
from typing import Any

from ..records import digest_of
from .chips import Chip
from .chips_datacentre import DATACENTRE_CHIPS
from .chips_graphics import CONSUMER_CHIPS, WORKSTATION_CHIPS

CATALOGUE: Mapping[str, Chip] = MappingProxyType(
    {entry.name: entry for entry in (*DATACENTRE_CHIPS, *WORKSTATION_CHIPS, *CONSUMER_CHIPS)}
)
"""Chips by canonical name."""

FORM_FACTORS: tuple[str, ...] = ("SXM", "PCIe", "NVL", "OAM", "NVL72", "NVL4")
"""Canonical form factors. SXM2 to SXM6 are SXM, HGX and DGX boards carry SXM, FHHL is a PCIe card. NVL is
the pair of bridged PCIe cards (H100 NVL, H200 NVL); NVL72 and NVL4 are the rack and the board of Grace
superchips and are not NVL."""

_FORM_FACTOR_WORDS: Mapping[str, str] = {form.lower(): form for form in FORM_FACTORS} | {
    "pci": "PCIe",
    "fhhl": "PCIe",
}


@cache
def catalogue_hash() -> str:
    """The SHA-256 of the catalogue's content; part of a methodology's hash."""
    return digest_of([_plain(entry) for _, entry in sorted(CATALOGUE.items())])


def _plain(entry: Chip) -> dict[str, Any]:
    return asdict(entry)


def form_factor_of_word(word: str) -> str | None:
    """The canonical form factor a word in lower case stands for, or None."""
    if re.fullmatch(r"sxm[2-9]?", word):
        return "SXM"
    return _FORM_FACTOR_WORDS.get(word)


def canonical_form_factor(text: str) -> str | None:
    """Read a form-factor column: ``SXM4``, ``sxm`` → SXM, ``pcie`` → PCIe, blank → None (unstated).

    Raises ValueError naming the value for anything else.
    """
    word = re.sub(r"[\s_-]+", "", text).lower()
    if not word:
        return None
    form = form_factor_of_word(word)
    if form is None:
        raise ValueError(f"{text!r} is not a form factor; write {', '.join(FORM_FACTORS)} or leave it blank")
    return form


def canonical_memory(chip: str, gb: float) -> int:
    """The memory in GB that a written size of a chip stands for: an H200's 140 and 143 are 141.

    ``gb`` may be a fraction, as when MiB are divided by 1,024. A size the catalogue does not know
    is kept, rounded to whole GB; so is any size of a chip it does not know.
    Raises ValueError when ``gb`` is not a positive finite number or rounds to 0.
    """
    if not (math.isfinite(gb) and round(gb) >= 1):
        raise ValueError(f"{gb!r} is not a memory size in GB; write a positive whole number")
    written = round(gb)
    entry = CATALOGUE.get(chip)
    canonical = None if entry is None else entry.canonical_memory_gb(written)
    return written if canonical is None else canonical


def inside_price_band(chip: str, price_micros: int) -> bool:
    """Whether a price per GPU-hour lies in the chip's wide band; an unknown chip has no band.

    A price outside is marked ``price_outside_band``, never refused: a methodology decides.
    """
    entry = CATALOGUE.get(chip)
    return entry is None or entry.price_low_micros <= price_micros <= entry.price_high_micros
