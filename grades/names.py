"""The name reader: what a chip name, as a seller wrote it, says, and nothing that it does not say.

A name is cut into words; every word must be known, and the words that tell the model must be exactly
one chip's. So a name is never read as a chip it is not: an unknown word (``Laptop``, ``Max-Q`` on a GeForce)
refuses the name instead of being skipped. Two facts are read from what is certain rather than written:

* ``H100 80GB HBM3`` is SXM: it is what ``nvidia-smi`` calls the SXM5 board, and of the H100 boards of 80 GB
  only SXM5 has HBM3; the PCIe card has HBM2e and the NVL 94 GB (NVIDIA, H100 Tensor Core GPU Architecture,
  2022, and H100 NVL product brief). ``H100`` with HBM3 and no size may be SXM or NVL: unstated.
* HGX and DGX boards carry SXM modules, and ``H100-MEGA`` is SkyPilot's name for Google's a3-megagpu.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..records import Refusal
from .catalogue import CATALOGUE, canonical_memory
from .chips import Chip
from .machines import Machine, find_machine, is_partition_machine
from .statements import Statements, state
from .words import LONGEST_NAME, Spelling, model_key, plain_text, rough_words, spellings, words_of

_FRACTION = re.compile(r"(?<![0-9.])([1-9])\s*/\s*([2-9]|1[0-9]|2[0-4])(?![0-9]|\s*g)")
_DECIMAL_PART = re.compile(r"(?<![a-z0-9.])0\.[0-9]")
_VGPU_PROFILE = re.compile(r"[0-9]{1,2}q")
_VERDA_COUNT = re.compile(r"[0-9]{1,2}[a-z][a-z0-9]*")
_VERDA_CPUS = re.compile(r"[0-9]{1,3}v")
_VERDA_SXM = re.compile(r"([0-9]{2,3})s")
_VULTR_VRAM = re.compile(r"([0-9]{1,4})vram")
_VULTR_HOST = re.compile(r"[0-9]{1,4}[cg]")


@dataclass(frozen=True, slots=True)
class NameReading:
    """What a name says. A field the name does not state is None."""

    chip: str
    """Canonical name in the catalogue."""
    form_factor: str | None
    memory_gb: int | None
    """Memory of one GPU in GB, in the catalogue's canonical size where it knows the size."""
    gpu_count: int | None
    interconnect: str | None
    """InfiniBand, RoCE, Ethernet or NVLink; the network between nodes where both are stated."""


def read_name(text: str) -> NameReading | Refusal:
    """Read a chip name, an instance type or a model name, in any case and with any separators.

    Returns a Refusal ``unknown_chip`` or ``partition_of_chip`` with a sentence that names the
    name and the remedy. Never raises, whatever the text.
    """
    return _read(text, None)


def read_names(names: Sequence[str | None]) -> list[NameReading | Refusal | None]:
    """Read many names, each distinct one once; an absent name stays None."""
    readings = {name: None if name is None else _read(name, None) for name in set(names)}
    return [readings[name] for name in names]


def canonical_chip(text: str, memory_gb: int | None = None) -> str | None:
    """The canonical chip of a model column such as ``gpu_model``; None if it names none.

    ``memory_gb`` from the same row tells apart models that share a number: ``RTX 6000`` with 48 is
    the RTX 6000 Ada. Only the chip is taken; use :func:`read_name` for the rest of a name.
    """
    reading = _read(text, memory_gb)
    return None if isinstance(reading, Refusal) else reading.chip


def _read(text: str, memory_hint_gb: int | None) -> NameReading | Refusal:
    if len(text) > LONGEST_NAME:  # asked before the cache, which would keep the text
        return _unknown(text, f"is {len(text)} characters long and a chip's name is short")
    return _read_once(text, memory_hint_gb)


@lru_cache(maxsize=65_536)
def _read_once(text: str, memory_hint_gb: int | None) -> NameReading | Refusal:
    plain = plain_text(text)
    rough = rough_words(plain)
    if not rough:
        return _unknown(text, "is blank")
    maker: tuple[str, ...] = ()
    while rough[0] == "nvidia" and len(rough) > 1:  # said before an instance type too
        maker, rough = rough[:1], rough[1:]
    if _is_fraction(plain) or is_partition_machine(rough):
        return _partition(text)
    machine = find_machine(rough)
    if machine is not None:
        return _machine_reading(text, machine, stated_nvidia=bool(maker))
    total_vram_gb: int | None = None
    vultr = _VULTR_VRAM.fullmatch(rough[-1])
    if rough[0] == "vcg" and vultr:  # Vultr: vcg-CHIP-CPUs-RAM-VRAM, where VRAM may be part of a GPU
        total_vram_gb = int(vultr[1])
        rough = tuple(word for word in rough[1:-1] if not _VULTR_HOST.fullmatch(word))
    said = state(words_of((*_verda(rough), *maker)))
    if said.partition or any(_VGPU_PROFILE.fullmatch(word) for word in rough):
        return _partition(text)
    found = _chip_of(text, said, memory_hint_gb)
    if isinstance(found, Refusal):
        return found
    if total_vram_gb is not None and total_vram_gb < min(found.memory_gb):
        return _partition(text)
    return _reading(found, said, total_vram_gb)


def _is_fraction(plain: str) -> bool:
    part = _FRACTION.search(plain)
    return _DECIMAL_PART.search(plain) is not None or (part is not None and int(part[1]) < int(part[2]))


def _machine_reading(text: str, machine: Machine, *, stated_nvidia: bool) -> NameReading | Refusal:
    if stated_nvidia and CATALOGUE[machine.chip].vendor != "NVIDIA":
        return _unknown(text, f"names NVIDIA beside an instance with {machine.chip}")
    return NameReading(
        machine.chip, machine.form_factor, machine.memory_gb, machine.gpu_count, machine.interconnect
    )


def _verda(rough: tuple[str, ...]) -> tuple[str, ...]:
    """Verda's types: count and chip, memory with S for SXM, CPUs: 1H100.80S.30V is 1h100 80gb sxm."""
    if not (2 <= len(rough) <= 3 and _VERDA_COUNT.fullmatch(rough[0]) and _VERDA_CPUS.fullmatch(rough[-1])):
        return rough
    board = _VERDA_SXM.fullmatch(rough[1]) if len(rough) == 3 else None
    return (rough[0], f"{board[1]}gb", "sxm") if board else rough[:-1]


def _chip_of(text: str, said: Statements, memory_hint_gb: int | None) -> Chip | Refusal:
    if said.other_accelerator is not None:
        return _unknown(
            text,
            f"names a {said.other_accelerator}, which is not a GPU and has no GPU-hour",
            "leave it out",
        )
    if said.unknown:
        return _unknown(text, f"holds the word {said.unknown[0]!r}, which is not known")
    spelled = spellings().get(model_key(said.models), ())
    if not spelled:
        together = " ".join(said.models)
        return _unknown(text, f"names no one chip with {together!r}" if said.models else "names no chip")
    sizes = said.memories_gb or said.numbers or (() if memory_hint_gb is None else (memory_hint_gb,))
    fitting = [option for option in spelled if _fits(CATALOGUE[option.chip], said)]
    if not fitting:
        return _unknown(text, "names a chip of another maker or architecture beside it")
    chosen = _choose(fitting, said, sizes)
    if chosen is None:
        options = ", ".join(option.chip for option in spelled)
        return _unknown(text, f"may be {options}", "write which, or add the memory")
    foreign = [word for word in said.editions if word not in chosen.editions]
    foreign += [] if said.memories_gb else [str(n) for n in said.numbers if not _is_size(chosen, n)]
    foreign += [str(n) for n in said.numbers] if said.memories_gb else []
    if foreign:
        return _unknown(text, f"holds {foreign[0]!r}, which says nothing known of the {chosen.name}")
    return chosen


def _fits(entry: Chip, said: Statements) -> bool:
    return said.vendors <= {entry.vendor} and said.architectures <= {entry.architecture}


def _is_size(entry: Chip, gigabytes: int) -> bool:
    return entry.canonical_memory_gb(gigabytes) is not None


def _choose(fitting: list[Spelling], said: Statements, sizes: Sequence[int]) -> Chip | None:
    """The one chip that the words and the evidence allow, or None."""
    matching = [o for o in fitting if any(_is_size(CATALOGUE[o.chip], size) for size in sizes)]
    if matching:
        fitting = matching
    elif not said.architectures:
        fitting = [option for option in fitting if not option.needs_evidence]
    names = {option.chip for option in fitting}
    return CATALOGUE[names.pop()] if len(names) == 1 else None


def _reading(entry: Chip, said: Statements, total_vram_gb: int | None) -> NameReading:
    counts = set(said.counts)
    gpu_count = counts.pop() if len(counts) == 1 else None
    memory_gb = _memory(entry, said, gpu_count)
    if total_vram_gb is not None:
        sizes = [size for size in entry.memory_gb if total_vram_gb % size == 0]
        if len(sizes) == 1:
            memory_gb, gpu_count = sizes[0], total_vram_gb // sizes[0]
    if "mega" in said.editions and memory_gb is None:
        memory_gb = 80
    return NameReading(
        entry.name, _form_factor(entry, said, memory_gb), memory_gb, gpu_count, said.interconnect
    )


def _memory(entry: Chip, said: Statements, gpu_count: int | None) -> int | None:
    written = said.memories_gb or said.numbers
    sizes: set[int] = set()
    for size in written:
        if size in entry.host_memory_gb and not _is_size(entry, size):
            continue
        each, rest = divmod(size, gpu_count or 1)
        # 640 GB is never the memory of one GPU: beside eight GPUs it is all of theirs.
        is_total = rest == 0 and _is_size(entry, each) and not _is_size(entry, size)
        sizes.add(canonical_memory(entry.name, each if is_total else size))
    return sizes.pop() if len(sizes) == 1 else None


def _form_factor(entry: Chip, said: Statements, memory_gb: int | None) -> str | None:
    stated = {form for form in said.forms if form not in ("NVL72", "NVL4") or form in entry.form_factors}
    if said.on_baseboard and "SXM" in entry.form_factors:
        stated.add("SXM")
    if not stated and "mega" in said.editions:
        return "SXM"
    if not stated and entry.name == "H100" and memory_gb == 80:
        if "hbm3" in said.memory_types:
            return "SXM"
        if "hbm2e" in said.memory_types:
            return "PCIe"
    return stated.pop() if len(stated) == 1 else None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


def _unknown(text: str, why: str, remedy: str = "write the chip alone, such as H100 SXM 80GB") -> Refusal:
    return Refusal("unknown_chip", f"{_shown(text)} {why}; {remedy}.")


def _partition(text: str) -> Refusal:
    return Refusal(
        "partition_of_chip",
        f"{_shown(text)} is a part of a GPU, and a part is not priced like a whole one; leave it out.",
    )
