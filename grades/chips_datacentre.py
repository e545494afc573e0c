"""Catalogue rows: data-centre chips, newest last within a maker.

Memory: NVIDIA data sheets and what ``nvidia-smi`` reports (error correction takes a sixteenth on
GDDR boards, so an L40S of 48 GB shows 46,068 MiB, about 45). The B200's 192 GB are sold and reported
as 178 to 183, the B300's 288 as 262 to 279, the H200's 141 as 140 to 143: one chip each, one size.
Bands in cents per GPU-hour: see ``Chip.price_low_micros``.

TPU, Trainium, Inferentia and other accelerators that are not GPUs are not in the catalogue: they are
sold by the chip or core of a pod under units of their own, and no GPU-hour good is comparable. Intel's
Gaudi is in, because sellers rent it by the accelerator-hour beside GPUs.
"""

from __future__ import annotations

from .chips import Chip, chip

_24 = {24: (22, 23)}
_48 = {48: (44, 45, 46, 47)}

DATACENTRE_CHIPS: tuple[Chip, ...] = (
    chip("K80", "NVIDIA", "Kepler", "PCIe", {12: (11,)}, cents=(1, 300)),
    chip("M60", "NVIDIA", "Maxwell", "PCIe", {8: (7,)}, cents=(3, 300)),
    chip("P4", "NVIDIA", "Pascal", "PCIe", {8: (7,)}, cents=(5, 400)),
    chip("P40", "NVIDIA", "Pascal", "PCIe", _24, cents=(2, 300)),
    chip("P100", "NVIDIA", "Pascal", "SXM PCIe", {12: (11,), 16: (15,)}, cents=(4, 600)),
    chip("V100", "NVIDIA", "Volta", "SXM PCIe", {16: (15,), 32: (31,)}, cents=(1, 1_500)),
    chip("V100S", "NVIDIA", "Volta", "PCIe", {32: (31,)}, cents=(3, 1_500)),
    chip("T4", "NVIDIA", "Turing", "PCIe", {16: (14, 15)}, cents=(3, 1_000)),
    chip("T4G", "NVIDIA", "Turing", "PCIe", {16: (14, 15)}, cents=(5, 600)),
    chip("A2", "NVIDIA", "Ampere", "PCIe", {16: (14, 15)}, cents=(3, 300)),
    chip("A10", "NVIDIA", "Ampere", "PCIe", _24, cents=(5, 800)),
    chip("A10G", "NVIDIA", "Ampere", "PCIe", _24, cents=(8, 1_000)),
    chip("A16", "NVIDIA", "Ampere", "PCIe", {16: (14, 15)}, cents=(5, 400)),
    chip("A30", "NVIDIA", "Ampere", "PCIe", {24: (23,)}, cents=(5, 600)),
    chip("A40", "NVIDIA", "Ampere", "PCIe", _48, cents=(10, 1_000)),
    chip("A100", "NVIDIA", "Ampere", "SXM PCIe", {40: (39,), 80: (79, 81)}, cents=(5, 1_500)),
    chip("A800", "NVIDIA", "Ampere", "SXM PCIe", {40: (39,), 80: (79, 81)}, cents=(10, 1_500)),
    chip("L2", "NVIDIA", "Ada", "PCIe", _24, cents=(5, 400)),
    chip("L4", "NVIDIA", "Ada", "PCIe", _24, cents=(4, 800)),
    chip("L20", "NVIDIA", "Ada", "PCIe", _48, cents=(10, 1_000)),
    chip("L40", "NVIDIA", "Ada", "PCIe", _48, cents=(15, 1_000)),
    chip("L40S", "NVIDIA", "Ada", "PCIe", _48, cents=(10, 1_500)),
    chip("H20", "NVIDIA", "Hopper", "SXM PCIe", {96: (95,), 141: (140, 143)}, cents=(20, 1_500)),
    chip("H800", "NVIDIA", "Hopper", "SXM PCIe", {80: (79, 81)}, cents=(25, 2_000)),
    chip(
        "H100", "NVIDIA", "Hopper", "SXM PCIe NVL",
        {80: (79, 81), 94: (93, 95)}, cents=(25, 2_000), editions=("mega",),
    ),
    chip("H200", "NVIDIA", "Hopper", "SXM NVL", {141: (140, 142, 143, 144)}, cents=(40, 2_500)),
    # The name `GH200 480GB` states the Grace CPU's LPDDR5X, not the GPU's 96 GB of HBM3.
    chip("GH200", "NVIDIA", "Hopper", "", {96: (94, 95, 97), 144: (141,)}, cents=(30, 2_000), host=(120, 240, 480)),
    chip("B200", "NVIDIA", "Blackwell", "SXM", {180: (178, 179, 183, 192)}, cents=(60, 4_000)),
    chip(
        "B300", "NVIDIA", "Blackwell", "SXM",
        {288: (262, 267, 268, 269, 270, 275, 277, 278, 279)}, cents=(80, 5_000), editions=("ultra",),
    ),
    chip("GB200", "NVIDIA", "Blackwell", "NVL72 NVL4", {186: (184, 185, 188, 189, 192)}, cents=(80, 5_000), host=(480,)),
    chip(
        "GB300", "NVIDIA", "Blackwell", "NVL72",
        {288: (277, 278, 279, 284)}, cents=(80, 6_000), editions=("ultra",), host=(480,),
    ),
    chip("MI100", "AMD", "CDNA", "PCIe", {32: ()}, cents=(5, 500)),
    chip("MI210", "AMD", "CDNA2", "PCIe", {64: ()}, cents=(10, 800)),
    chip("MI250", "AMD", "CDNA2", "OAM", {128: ()}, cents=(20, 1_000)),
    chip("MI250X", "AMD", "CDNA2", "OAM", {128: ()}, cents=(20, 1_000)),
    chip("MI300A", "AMD", "CDNA3", "", {128: ()}, cents=(30, 1_500)),
    chip("MI300X", "AMD", "CDNA3", "OAM", {192: (191,)}, cents=(30, 2_000)),
    chip("MI325X", "AMD", "CDNA3", "OAM", {256: (255,)}, cents=(40, 2_500)),
    chip("MI350X", "AMD", "CDNA4", "OAM", {288: (287,)}, cents=(50, 3_000)),
    chip("MI355X", "AMD", "CDNA4", "OAM", {288: (287,)}, cents=(50, 3_500)),
    chip("Gaudi", "Intel", "Gaudi", "OAM", {32: ()}, cents=(10, 600), also=("gaudi hl205",)),
    chip("Gaudi2", "Intel", "Gaudi", "OAM", {96: ()}, cents=(15, 1_000), also=("gaudi hl225",)),
    chip("Gaudi3", "Intel", "Gaudi", "OAM PCIe", {128: ()}, cents=(20, 1_500), also=("gaudi hl325",)),
)  # fmt: skip
