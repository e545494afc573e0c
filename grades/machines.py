"""Instance types of the large clouds whose name stands for a chip, a count and a board.

Sources: Google's GPU machine types (cloud.google.com/compute/docs/gpus), Amazon's accelerated computing
specifications (docs.aws.amazon.com/ec2/latest/instancetypes/ac.html), Microsoft's GPU size families
(learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated; an ``r`` in a size means RDMA over
InfiniBand), Oracle's compute shapes (docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm) and
Scaleway's GPU instances (its ``H100-1-80G`` is the PCIe card), as of October 2026. Memory is the catalogue's canonical size. Amazon's EFA and Google's RoCE fabrics are left
unstated: the size alone does not buy them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from .words import plain_text, rough_words


@dataclass(frozen=True, slots=True)
class Machine:
    """What an instance type is made of: GPUs of one chip on one kind of board."""

    chip: str
    form_factor: str | None
    memory_gb: int
    gpu_count: int
    interconnect: str | None = None


_XLARGE_SINGLE = "xlarge:1 2xlarge:1 4xlarge:1 8xlarge:1 16xlarge:1 12xlarge:4 24xlarge:4 48xlarge:8"

_FAMILIES: tuple[tuple[str, str, str, str | None, int, str | None], ...] = (
    # Google Cloud: prefix, suffix:count, chip, form factor, memory, interconnect
    ("a2-highgpu-", "1g:1 2g:2 4g:4 8g:8", "A100", "SXM", 40, None),
    ("a2-megagpu-", "16g:16", "A100", "SXM", 40, None),
    ("a2-ultragpu-", "1g:1 2g:2 4g:4 8g:8", "A100", "SXM", 80, None),
    ("a3-highgpu-", "1g:1 2g:2 4g:4 8g:8", "H100", "SXM", 80, None),
    ("a3-megagpu-", "8g:8", "H100", "SXM", 80, None),
    ("a3-edgegpu-", "8g:8", "H100", "SXM", 80, None),
    ("a3-ultragpu-", "8g:8", "H200", "SXM", 141, None),
    ("a4-highgpu-", "8g:8", "B200", "SXM", 180, None),
    ("a4x-highgpu-", "4g:4", "GB200", "NVL72", 186, None),
    ("a4x-maxgpu-", "4g-metal:4", "GB300", "NVL72", 288, None),
    ("g2-standard-", "4:1 8:1 12:1 16:1 24:2 32:1 48:4 96:8", "L4", "PCIe", 24, None),
    ("g4-standard-", "48:1 96:2 192:4 384:8", "RTX PRO 6000", "PCIe", 96, None),
    # Amazon EC2
    ("p2.", "xlarge:1 8xlarge:8 16xlarge:16", "K80", "PCIe", 12, None),
    ("p3.", "2xlarge:1 8xlarge:4 16xlarge:8", "V100", "SXM", 16, None),
    ("p3dn.", "24xlarge:8", "V100", "SXM", 32, None),
    ("p4d.", "24xlarge:8", "A100", "SXM", 40, None),
    ("p4de.", "24xlarge:8", "A100", "SXM", 80, None),
    ("p5.", "4xlarge:1 48xlarge:8", "H100", "SXM", 80, None),
    ("p5e.", "48xlarge:8", "H200", "SXM", 141, None),
    ("p5en.", "48xlarge:8", "H200", "SXM", 141, None),
    ("p6-b200.", "48xlarge:8", "B200", "SXM", 180, None),
    ("p6-b300.", "48xlarge:8", "B300", "SXM", 288, None),
    ("p6e-gb200.", "36xlarge:4", "GB200", "NVL72", 186, None),
    (
        "g4dn.",
        "xlarge:1 2xlarge:1 4xlarge:1 8xlarge:1 16xlarge:1 12xlarge:4 metal:8",
        "T4", "PCIe", 16, None,
    ),
    ("g5.", _XLARGE_SINGLE, "A10G", "PCIe", 24, None),
    ("g5g.", "xlarge:1 2xlarge:1 4xlarge:1 8xlarge:1 16xlarge:2 metal:2", "T4G", "PCIe", 16, None),
    ("g6.", _XLARGE_SINGLE, "L4", "PCIe", 24, None),
    ("gr6.", "4xlarge:1 8xlarge:1", "L4", "PCIe", 24, None),
    ("g6e.", _XLARGE_SINGLE, "L40S", "PCIe", 48, None),
    ("g7e.", "2xlarge:1 4xlarge:1 8xlarge:1 12xlarge:2 24xlarge:4 48xlarge:8", "RTX PRO 6000", "PCIe", 96, None),
    # Microsoft Azure
    ("NC", "6:1 12:2 24:4", "K80", "PCIe", 12, None),
    ("NC", "6s_v2:1 12s_v2:2 24s_v2:4", "P100", "PCIe", 16, None),
    ("NC", "6s_v3:1 12s_v3:2 24s_v3:4", "V100", "PCIe", 16, None),
    ("NC", "24rs_v3:4", "V100", "PCIe", 16, "InfiniBand"),
    ("NC", "4as_T4_v3:1 8as_T4_v3:1 16as_T4_v3:1 64as_T4_v3:4", "T4", "PCIe", 16, None),
    ("NC", "24ads_A100_v4:1 48ads_A100_v4:2 96ads_A100_v4:4", "A100", "PCIe", 80, None),
    ("NC", "40ads_H100_v5:1 80adis_H100_v5:2", "H100", "NVL", 94, None),
    ("NCC", "40ads_H100_v5:1", "H100", "NVL", 94, None),
    ("NC", "16ads_A10_v4:1 32ads_A10_v4:2", "A10", "PCIe", 24, None),
    ("NV", "36ads_A10_v5:1 36adms_A10_v5:1 72ads_A10_v5:2", "A10", "PCIe", 24, None),
    ("ND", "40rs_v2:8", "V100", "SXM", 32, "InfiniBand"),
    ("ND", "96asr_v4:8 96asr_A100_v4:8", "A100", "SXM", 40, "InfiniBand"),
    ("ND", "96amsr_A100_v4:8", "A100", "SXM", 80, "InfiniBand"),
    ("ND", "96isr_H100_v5:8", "H100", "SXM", 80, "InfiniBand"),
    ("ND", "96is_H100_v5:8", "H100", "SXM", 80, None),
    ("ND", "96isr_H200_v5:8", "H200", "SXM", 141, "InfiniBand"),
    ("ND", "96isr_MI300X_v5:8", "MI300X", "OAM", 192, "InfiniBand"),
    ("ND", "96is_MI300X_v5:8", "MI300X", "OAM", 192, None),
    ("ND", "128isr_NDR_GB200_v6:4", "GB200", "NVL72", 186, "InfiniBand"),
    ("ND", "128isr_GB300_v6:4", "GB300", "NVL72", 288, "InfiniBand"),
    # Oracle Cloud
    ("VM.GPU2.", "1:1", "P100", None, 16, None),
    ("BM.GPU2.", "2:2", "P100", None, 16, None),
    ("VM.GPU3.", "1:1 2:2 4:4", "V100", "SXM", 16, None),
    ("BM.GPU3.", "8:8", "V100", "SXM", 16, None),
    ("BM.GPU4.", "8:8", "A100", "SXM", 40, None),
    ("BM.GPU.B4.", "8:8", "A100", "SXM", 40, None),
    ("BM.GPU.A100-v2.", "8:8", "A100", "SXM", 80, None),
    ("VM.GPU.A10.", "1:1 2:2", "A10", "PCIe", 24, None),
    ("BM.GPU.A10.", "4:4", "A10", "PCIe", 24, None),
    ("BM.GPU.L40S.", "4:4", "L40S", "PCIe", 48, None),
    ("BM.GPU.H100.", "8:8", "H100", "SXM", 80, None),
    ("BM.GPU.H200.", "8:8", "H200", "SXM", 141, None),
    ("BM.GPU.B200.", "8:8", "B200", "SXM", 180, None),
    ("BM.GPU.GB200.", "4:4", "GB200", "NVL72", 186, None),
    ("BM.GPU.MI300X.", "8:8", "MI300X", "OAM", 192, None),
    # Scaleway
    ("H100-", "1-80G:1 2-80G:2", "H100", "PCIe", 80, None),
    ("H100-SXM-", "2-80G:2 4-80G:4 8-80G:8", "H100", "SXM", 80, None),
    ("L4-", "1-24G:1 2-24G:2 4-24G:4 8-24G:8", "L4", "PCIe", 24, None),
    ("L40S-", "1-48G:1 2-48G:2 4-48G:4 8-48G:8", "L40S", "PCIe", 48, None),
)  # fmt: skip

_PARTITIONS: tuple[tuple[str, str], ...] = (
    ("g4-standard-", "6 12 24"),  # eighth, quarter and half of an RTX PRO 6000
    ("g6f.", "large xlarge 2xlarge 4xlarge"),  # eighth to half of an L4
    ("gr6f.", "4xlarge"),
    ("NV", "6ads_A10_v5 12ads_A10_v5 18ads_A10_v5"),  # sixth, third and half of an A10
    ("NC", "8ads_A10_v4"),
)

_PREFIXES = frozenset({"standard", "ml"})
"""Words before the type: Azure's ``Standard_``, SageMaker's ``ml.``."""
_SUFFIXES = frozenset({"nolssd"})
"""Google's variants without local disks."""


def _names() -> Iterator[tuple[str, Machine]]:
    for prefix, sizes, chip, form_factor, memory_gb, interconnect in _FAMILIES:
        for size in sizes.split():
            suffix, _, count = size.rpartition(":")
            yield prefix + suffix, Machine(chip, form_factor, memory_gb, int(count), interconnect)


def machine_names() -> tuple[str, ...]:
    """Every instance type that is read, as the clouds write it."""
    return tuple(name for name, _ in _names())


def partition_names() -> tuple[str, ...]:
    """Every instance type that is known to be a part of a GPU, as the clouds write it."""
    return tuple(prefix + suffix for prefix, suffixes in _PARTITIONS for suffix in suffixes.split())


@cache
def _machines() -> Mapping[tuple[str, ...], Machine | None]:
    """Machines by the rough words of their name; None marks a part of a GPU."""
    table: dict[tuple[str, ...], Machine | None] = {_key(name): machine for name, machine in _names()}
    table.update((_key(name), None) for name in partition_names())
    return table


def _key(name: str) -> tuple[str, ...]:
    return rough_words(plain_text(name))


def _bare(rough: tuple[str, ...]) -> tuple[str, ...]:
    while len(rough) > 1 and rough[0] in _PREFIXES:
        rough = rough[1:]
    return rough[:-1] if len(rough) > 1 and rough[-1] in _SUFFIXES else rough


def find_machine(rough: tuple[str, ...]) -> Machine | None:
    """The machine an instance type stands for, given the name's rough words; None if it is none."""
    return _machines().get(_bare(rough))


def is_partition_machine(rough: tuple[str, ...]) -> bool:
    """Whether the rough words are an instance type that holds a part of a GPU."""
    bare = _bare(rough)
    return bare in _machines() and _machines()[bare] is None
