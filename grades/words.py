"""Words of chip names: how a name is cut into words, and what each word says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from .catalogue import CATALOGUE, form_factor_of_word

LONGEST_NAME = 200
"""Characters of the longest name that is read; no chip is named at greater length."""

_LONGEST_WORD = 48
_SEPARATORS = re.compile(r"[\s\-_.,;:()\[\]{}/+|&@#'\"®™]+")
_COLON_COUNT = re.compile(r":([0-9]{1,3})(?![^\s])")
_WITH = re.compile(r"(?<![a-z0-9])w/")
_SINGLE = re.compile(r"[0-9]{1,4}(?:gb|gib|g)|[0-9]{1,3}x|x[0-9]{1,3}|[0-9]{1,4}")
_MODEL_ENDING_IN_X = re.compile(r"(mi[0-9]{3}x)([0-9]{1,2})")

ARCHITECTURE_WORDS: Mapping[str, str] = {
    "kepler": "Kepler", "maxwell": "Maxwell", "pascal": "Pascal", "volta": "Volta", "turing": "Turing",
    "ampere": "Ampere", "ada": "Ada", "lovelace": "Ada", "hopper": "Hopper", "blackwell": "Blackwell",
    "cdna2": "CDNA2", "cdna3": "CDNA3", "cdna4": "CDNA4",
}  # fmt: skip
VENDOR_WORDS: Mapping[str, str] = {
    "nvidia": "NVIDIA", "geforce": "NVIDIA", "tesla": "NVIDIA",
    "amd": "AMD", "radeon": "AMD", "instinct": "AMD",
    "intel": "Intel", "habana": "Intel",
}  # fmt: skip
INTERCONNECT_WORDS: Mapping[str, str] = {
    "infiniband": "InfiniBand", "ib": "InfiniBand", "roce": "RoCE", "rocev2": "RoCE",
    "ethernet": "Ethernet", "nvlink": "NVLink", "nvswitch": "NVLink",
}  # fmt: skip
MEMORY_TYPE_WORDS = frozenset({
    "hbm2", "hbm2e", "hbm3", "hbm3e", "hbm4", "hbm", "gddr5", "gddr5x", "gddr6", "gddr6x", "gddr7",
})  # fmt: skip
MEMORY_UNITS = frozenset({"gb", "gib", "g"})
PARTITION_WORDS = frozenset({
    "mig", "vgpu", "grid", "slice", "fraction", "fractional", "partition", "shared", "timeslice",
})  # fmt: skip
OTHER_ACCELERATORS = frozenset({
    "tpu", "trainium", "trainium2", "trainium3", "inferentia", "inferentia2", "trn1", "trn2", "inf1",
    "inf2", "groq", "cerebras", "fpga", "npu",
})  # fmt: skip
"""Accelerators that are not GPUs and are outside the catalogue (its module says why)."""
BASEBOARD_WORDS = frozenset({"hgx", "dgx"})
"""NVIDIA's eight-way boards: the GPUs on them are SXM modules where the chip is sold as one."""
RACK_WORDS = frozenset({"nvl4", "nvl8", "nvl16", "nvl36", "nvl72"})
"""NVLink domains of n GPUs; a form factor only where the catalogue sells the chip so."""
NOISE_WORDS = frozenset({
    "gpu", "gpus", "graphics", "card", "cards", "tensor", "core", "cores", "accelerator", "accelerators",
    "generation", "gen", "edition", "instance", "instances", "cloud", "compute", "node", "nodes",
    "cluster", "server", "servers", "dedicated", "vram", "memory", "mod",
    "modded", "modified", "high", "freq", "frequency", "with", "cc", "confidential", "computing",
    "superchip", "grace", "vm", "on", "demand", "ondemand", "spot", "secure", "community",
})  # fmt: skip
"""Words that say nothing about the chip."""

_JOINED: Mapping[tuple[str, str], str] = {("max", "q"): "maxq", ("pci", "e"): "pcie"}
_JOINABLE = frozenset({"nvl", "gaudi", "sxm"})
_EXPANSIONS: Mapping[str, tuple[str, ...]] = {
    # SF Compute's instance types: h100i has InfiniBand, h100v is the virtual machine of its CLI.
    "h100i": ("h100", "infiniband"),
    "h100v": ("h100",),
}


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to name a chip: the chip, and whether architecture or memory must be stated too."""

    chip: str
    needs_evidence: bool


def model_key(words: Iterable[str]) -> tuple[str, ...]:
    """The words that tell the model, in order of the alphabet: no maker, no architecture.

    Repeated words stay repeated, so that two names in one (``RTX 4090, RTX 4090 D``) are no chip's.
    """
    return tuple(
        sorted(word for word in words if word not in VENDOR_WORDS and word not in ARCHITECTURE_WORDS)
    )


@cache
def spellings() -> Mapping[tuple[str, ...], tuple[Spelling, ...]]:
    """Chips by their model words; several where only architecture or memory tells them apart."""
    table: dict[tuple[str, ...], list[Spelling]] = {}
    for entry in CATALOGUE.values():
        for text in entry.spellings:
            table.setdefault(model_key(text.split()), []).append(Spelling(entry.name, needs_evidence=False))
        for text in entry.spellings_with_evidence:
            table.setdefault(model_key(text.split()), []).append(Spelling(entry.name, needs_evidence=True))
    return {words: tuple(dict.fromkeys(found)) for words, found in table.items()}


@cache
def model_words() -> frozenset[str]:
    """Every word that some spelling of some chip uses to tell the model."""
    return frozenset(word for words in spellings() for word in words)


@cache
def vocabulary() -> frozenset[str]:
    """Every word the reader knows, except numbers, sizes and counts."""
    known: set[str] = set(model_words())
    for entry in CATALOGUE.values():
        known.update(entry.editions)
    known.update(ARCHITECTURE_WORDS, VENDOR_WORDS, INTERCONNECT_WORDS, MEMORY_TYPE_WORDS, PARTITION_WORDS)
    known.update(OTHER_ACCELERATORS, BASEBOARD_WORDS, RACK_WORDS, NOISE_WORDS, _EXPANSIONS)
    return frozenset(known)


@cache
def _model_letters() -> frozenset[str]:
    return frozenset(word for word in model_words() if len(word) == 1)


def is_known(word: str) -> bool:
    """Whether a word is in the vocabulary or is a form factor."""
    return word in vocabulary() or form_factor_of_word(word) is not None


def plain_text(text: str) -> str:
    """A name in lower case, compatibility forms unified: ``×`` is x, ``½`` is 1/2, ``H100:8`` is h100 x8."""
    unified = unicodedata.normalize("NFKC", text).replace("×", "x").replace("⁄", "/").casefold()
    return _WITH.sub(" with ", _COLON_COUNT.sub(r" x\1", unified))


def rough_words(plain: str) -> tuple[str, ...]:
    """A plain name cut at separators only: the form in which instance types are listed."""
    return tuple(word for word in _SEPARATORS.split(plain) if word)


def words_of(rough: Iterable[str]) -> list[str]:
    """Rough words joined where a separator fell inside one, and cut where several were run together.

    ``H 100`` is h100, ``RTX4090`` is rtx 4090, ``8xH100SXM5`` is 8x h100 sxm5. A word that is
    not made of known pieces stays whole, for the reader to refuse.
    """
    cut: list[str] = []
    for word in _joined(list(rough)):
        for piece in _pieces(word) or (word,):
            cut.extend(_EXPANSIONS.get(piece, (piece,)))
    return cut


def _joined(rough: list[str]) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(rough):
        word, following = rough[at], rough[at + 1] if at + 1 < len(rough) else ""
        both = _JOINED.get((word, following), word + following)
        unit_of_number = word in MEMORY_UNITS and bool(out) and out[-1].isdigit()
        split_inside = word in _JOINABLE or not (is_known(word) or _SINGLE.fullmatch(word) or unit_of_number)
        if following and ((word, following) in _JOINED or (split_inside and is_known(both))):
            out.append(both)
            at += 2
        else:
            out.append(word)
            at += 1
    return out


def _pieces(word: str) -> tuple[str, ...] | None:
    """Cut a word into known pieces, the longest first piece that lets the rest be cut too."""
    if is_known(word) or _SINGLE.fullmatch(word):
        return (word,)
    counted = _MODEL_ENDING_IN_X.fullmatch(word)
    if counted:  # DigitalOcean writes eight MI300X as mi300x8
        return (counted[1], f"x{counted[2]}")
    if len(word) > _LONGEST_WORD or word.startswith("gaudi"):  # its number is its model, never a size
        return None
    rests: list[tuple[str, ...] | None] = [None] * len(word) + [()]
    for start in range(len(word) - 1, -1, -1):
        for end in range(len(word), start, -1):
            rest = rests[end]
            inside_number = end < len(word) and word[end - 1].isdigit() and word[end].isdigit()
            if rest is None or inside_number:
                continue
            piece = word[start:end]
            # A letter run into a word is part of a model (4090d) or unknown (a100x is another card).
            if (is_known(piece) and (end - start > 1 or piece in _model_letters())) or _SINGLE.fullmatch(
                piece
            ):
                rests[start] = (piece, *rest)
                break
    return rests[0]
