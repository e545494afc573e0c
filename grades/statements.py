"""What the words of a name state, sorted by kind, before any chip is chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from .catalogue import CATALOGUE, form_factor_of_word
from .interconnect import INTERCONNECTS
from .words import (
    ARCHITECTURE_WORDS,
    BASEBOARD_WORDS,
    INTERCONNECT_WORDS,
    MEMORY_TYPE_WORDS,
    MEMORY_UNITS,
    NOISE_WORDS,
    OTHER_ACCELERATORS,
    PARTITION_WORDS,
    RACK_WORDS,
    VENDOR_WORDS,
    model_words,
)

_MEMORY = re.compile(r"([0-9]{1,4})(?:gb|gib|g)")
_COUNT = re.compile(r"([0-9]{1,3})x|x([0-9]{1,3})")
_NUMBER = re.compile(r"[0-9]{1,4}")
_MIG_SLICES = re.compile(r"[1-7]g")
_LARGEST_NODE = 16
"""GPUs of the largest node sold; a larger bare number before a chip may be anything."""


@dataclass(slots=True)
class Statements:
    """The words of one name by kind. Sizes are whole GB as written."""

    models: list[str] = field(default_factory=list)
    vendors: set[str] = field(default_factory=set)
    architectures: set[str] = field(default_factory=set)
    forms: set[str] = field(default_factory=set)
    memories_gb: list[int] = field(default_factory=list)
    memory_types: set[str] = field(default_factory=set)
    counts: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Bare numbers: a memory if the chip comes in that size, else not understood."""
    editions: list[str] = field(default_factory=list)
    interconnects: set[str] = field(default_factory=set)
    on_baseboard: bool = False
    partition: bool = False
    other_accelerator: str | None = None
    unknown: list[str] = field(default_factory=list)

    @property
    def interconnect(self) -> str | None:
        """The interconnect stated, the one between nodes first."""
        return next((name for name in INTERCONNECTS if name in self.interconnects), None)


@cache
def _edition_words() -> frozenset[str]:
    return frozenset(word for entry in CATALOGUE.values() for word in entry.editions)


def state(words: Sequence[str]) -> Statements:
    """Sort the words of a name by what they state."""
    said = Statements()
    skip = False
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if skip:
            skip = False
        elif word in model_words():
            said.models.append(word)
        elif _is_bare_number(word):
            skip = _state_number(said, int(word), at, before, after)
        elif word == "x" and (_is_bare_number(before) or _is_bare_number(after)):
            continue  # the times of a count, which the number beside it states
        elif not _state_size(said, word, after) and not _state_word(said, word):
            said.unknown.append(word)
    return said


def _is_bare_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None and word not in model_words()


def _state_number(said: Statements, number: int, at: int, before: str, after: str) -> bool:
    """State a bare number; True if the word after it belongs to it."""
    if after in MEMORY_UNITS and number:
        said.memories_gb.append(number)
        return True
    leading = at == 0 and after != "" and number <= _LARGEST_NODE
    if number and (leading or "x" in (before, after) or after in ("gpu", "gpus")):
        said.counts.append(number)
    else:
        said.numbers.append(number)
    return False


def _state_size(said: Statements, word: str, after: str) -> bool:
    """State a memory or a count written as one word; False if the word is neither."""
    memory, count = _MEMORY.fullmatch(word), _COUNT.fullmatch(word)
    if memory and _MIG_SLICES.fullmatch(word) and _MEMORY.fullmatch(after):
        said.partition = True
    elif memory and int(memory[1]):
        said.memories_gb.append(int(memory[1]))
    elif count and int(count[1] or count[2]):
        said.counts.append(int(count[1] or count[2]))
    else:
        return False
    return True


def _state_word(said: Statements, word: str) -> bool:
    """State a word of the vocabulary; False if it is not in it."""
    form = form_factor_of_word(word)
    if form is not None:
        said.forms.add(form)
    if word in VENDOR_WORDS:
        said.vendors.add(VENDOR_WORDS[word])
    elif word in ARCHITECTURE_WORDS:
        said.architectures.add(ARCHITECTURE_WORDS[word])
    elif word in INTERCONNECT_WORDS:
        said.interconnects.add(INTERCONNECT_WORDS[word])
    elif word in MEMORY_TYPE_WORDS:
        said.memory_types.add(word)
    elif word in PARTITION_WORDS:
        said.partition = True
    elif word in OTHER_ACCELERATORS:
        said.other_accelerator = word
    elif word in BASEBOARD_WORDS:
        said.on_baseboard = True
    elif word in _edition_words():
        said.editions.append(word)
    elif word in RACK_WORDS:
        said.interconnects.add("NVLink")
    else:
        return form is not None or word in NOISE_WORDS
    return True
