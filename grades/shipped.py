"""Shipped grades: the goods that futures reference and the usual others, usable by name.

``[benchmarks.NAME] grade = "h100-sxm-on-demand"`` needs no ``[grades…]`` table; a table of the same name in
``rentmark.toml`` wins. Each good comes on demand, at spot, and reserved by term.

A board or a memory size is asked for only where the catalogue knows more than one, so that an offer of
"B200" counts although nobody writes the one board it comes on. Prices of the GPU alone, without the machine
around it, are another good and are left out. CME GPU1 and ICE HPR reference H100, GPU2 and BKL B200.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from .spec import Grade

TERMS_MONTHS = (1, 3, 6, 12, 24, 36)
"""Terms for which reserved grades are shipped."""

_GOODS: tuple[tuple[str, str, str | None, int | None], ...] = (
    # name, chip, form factor and memory in GB where the catalogue knows several
    ("h100-sxm", "H100", "SXM", 80),
    ("h100-pcie", "H100", "PCIe", 80),
    ("h100-nvl", "H100", "NVL", 94),
    ("h200-sxm", "H200", "SXM", None),
    ("h200-nvl", "H200", "NVL", None),
    ("gh200-96gb", "GH200", None, 96),
    ("b200", "B200", None, None),
    ("b300", "B300", None, None),
    ("gb200-nvl72", "GB200", "NVL72", None),
    ("gb300", "GB300", None, None),
    ("a100-sxm-80gb", "A100", "SXM", 80),
    ("a100-sxm-40gb", "A100", "SXM", 40),
    ("a100-pcie-80gb", "A100", "PCIe", 80),
    ("a100-pcie-40gb", "A100", "PCIe", 40),
    ("a10", "A10", None, None),
    ("a10g", "A10G", None, None),
    ("a40", "A40", None, None),
    ("l4", "L4", None, None),
    ("l40", "L40", None, None),
    ("l40s", "L40S", None, None),
    ("t4", "T4", None, None),
    ("v100-sxm-16gb", "V100", "SXM", 16),
    ("v100-sxm-32gb", "V100", "SXM", 32),
    ("rtx-4090-24gb", "RTX 4090", None, 24),
    ("rtx-5090", "RTX 5090", None, None),
    ("rtx-a6000", "RTX A6000", None, None),
    ("rtx-6000-ada", "RTX 6000 Ada", None, None),
    ("rtx-pro-6000", "RTX PRO 6000", None, None),
    ("mi300x", "MI300X", None, None),
    ("mi325x", "MI325X", None, None),
    ("mi355x", "MI355X", None, None),
)


def _sales() -> Iterator[tuple[str, dict[str, Any]]]:
    """The ways a good is sold: name, and the keys of the grade."""
    yield "on-demand", {"pricing": "on_demand"}
    yield "spot", {"pricing": "spot"}
    for months in TERMS_MONTHS:
        yield f"reserved-{months}m", {"pricing": "reserved", "term_months": (months,)}


@cache
def shipped_grades() -> Mapping[str, Grade]:
    """The shipped grades by name, read once."""
    grades = {}
    for good, chip, form_factor, memory_gb in _GOODS:
        boards = {} if form_factor is None else {"form_factor": (form_factor,)}
        sizes = {} if memory_gb is None else {"memory_gb": (memory_gb,)}
        for sale, keys in _sales():
            grades[f"{good}-{sale}"] = Grade.model_validate(
                {"chip": chip, **boards, **sizes, **keys, "price_basis": "instance"}
            )
    return MappingProxyType(grades)
