"""The shipped presets by name, and how a methodology is made from one."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from ...records import UsageError
from .base import Preset
from .ccir import CCIR_CRI
from .cf_brr import CF_BRR
from .computable import COMPUTABLE_CGI
from .computepulse import COMPUTEPULSE
from .gpu_markets import GPU_MARKETS_CAPACITY, GPU_MARKETS_MEDIAN
from .gpuprice_fyi import GPUPRICE_FYI
from .ornn import ORNN_OCPI
from .price_assessment import PRICE_ASSESSMENT
from .silicon_data import SILICON_DATA
from .sofr import SOFR
from .tci import TCI_EU_CRI

_ALL = (
    SILICON_DATA,
    ORNN_OCPI,
    COMPUTABLE_CGI,
    TCI_EU_CRI,
    GPU_MARKETS_MEDIAN,
    GPU_MARKETS_CAPACITY,
    CCIR_CRI,
    COMPUTEPULSE,
    GPUPRICE_FYI,
    SOFR,
    CF_BRR,
    PRICE_ASSESSMENT,
)
PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _ALL})


def preset_named(reference: str, where: str = "") -> Preset:
    """The preset of ``NAME`` or ``NAME@VERSION``; a version that is not the shipped one is refused.

    Raises UsageError naming the known presets, or the shipped version.
    """
    name, _, version = reference.partition("@")
    lead = f"{where} names preset" if where else "There is no preset"
    if name not in PRESETS:
        near = get_close_matches(name, PRESETS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(PRESETS)}."
        raise UsageError(f"{lead} {name!r}; {hint}")
    preset = PRESETS[name]
    if version and version != preset.version:
        raise UsageError(
            f"{lead} {reference!r}; this Rentmark ships {preset.reference}. Write its keys out "
            f"(`rentmark index presets {name}`) to stay with what you have."
        )
    return preset


def with_preset(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A methodology table with its ``preset`` written out: the preset's keys, then one's own, which win.

    ``without`` names keys of the preset to leave at their default. A table without ``preset`` stays as it is.
    Raises UsageError for an unknown preset, and for a key of ``without`` that it does not have.
    """
    if "preset" not in values:
        if "without" in values:
            raise UsageError(f"{where} has without and no preset; name a preset or remove it.")
        return dict(values)
    own = {key: value for key, value in values.items() if key not in ("preset", "without")}
    reference, without = values["preset"], values.get("without", [])
    if not isinstance(reference, str):
        raise UsageError(f"{where} has preset = {reference!r}; write the name of a preset.")
    if not isinstance(without, list):
        raise UsageError(f"{where} has without = {without!r}; write a list of keys.")
    preset = preset_named(reference, where)
    for key in without:
        if key not in preset.methodology:
            raise UsageError(
                f"{where} leaves out {key!r}, which {preset.name} does not set; it sets "
                f"{', '.join(preset.methodology)}."
            )
    return {key: value for key, value in preset.values().items() if key not in without} | own
