"""Which chip an offer is for: columns and the name as written, read together.

Columns win over names; where both speak and differ the record is kept and marked. What neither
says stays null. A partition of a GPU is not a GPU, whatever the column says.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..grades.catalogue import CATALOGUE, canonical_form_factor, canonical_memory
from ..grades.names import NameReading, canonical_chip, read_name
from .columns import Bad, Column, constant, join

_PARTITION = "partition_of_chip"
_LARGEST_MEMORY_GB = 100_000
"""No GPU has so much; beyond it a number is no size, and would not fit its column."""
_SILENT = frozenset({"unstated", "unknown"})
"""Words in a form-factor column that say nothing."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """What is rented, with the usual price band of its chip in micro-USD per GPU-hour."""

    chip: str
    form_factor: str | None
    memory_gb: int | None
    gpu_count: int | None
    """GPUs the name states; a column wins over it."""
    interconnect: str | None
    name_as_written: str
    disagrees: bool
    """A column and the name as written say different things."""
    low_micros: int
    high_micros: int


def read_hardware(
    chip: Column[str | None],
    form_factor: Column[str | None],
    memory_gb: Column[float | None],
    name: Column[str | None],
) -> Column[Hardware]:
    """Read the four columns together, each distinct combination once.

    ``memory_gb`` may hold fractions, as when MiB were divided by 1,024.
    """

    def read(
        chip_text: str | None, form_text: str | None, memory: float | None, name_text: str | None
    ) -> Hardware | Bad:
        named = _reading(name_text, memory, name.name)
        if isinstance(named, Bad) and named.reason == _PARTITION:
            return named
        stated = _reading(chip_text, memory, chip.name)
        if isinstance(stated, Bad):
            return stated
        source = stated or named
        if source is None:
            return Bad("unknown_chip", chip.name or name.name, "")
        if isinstance(source, Bad):
            return source
        form = _form_factor(form_text, form_factor.name)
        if isinstance(form, Bad):
            return form
        gigabytes = _memory(source.chip, memory, memory_gb.name)
        if isinstance(gigabytes, Bad):
            return gigabytes
        by_name = named if isinstance(named, NameReading) else None
        return _combine(source, by_name, form, gigabytes, written=name_text or chip_text or source.chip)

    return join([chip, form_factor, memory_gb, name], read)


def named_hardware(
    name: Column[str | None],
    *,
    memory_gb: Column[float | None] | None = None,
    form_factor: Column[str | None] | None = None,
    chip: Column[str | None] | None = None,
) -> Column[Hardware]:
    """As :func:`read_hardware` for a payload that may state no more than a name."""
    unsaid: Column[str | None] = constant("", None, name.rows)
    no_size: Column[float | None] = constant("", None, name.rows)
    return read_hardware(chip or unsaid, form_factor or unsaid, memory_gb or no_size, name)


def _combine(
    source: NameReading, by_name: NameReading | None, form: str | None, memory: int | None, *, written: str
) -> Hardware:
    agrees_on_chip = by_name is not None and by_name.chip == source.chip
    spoken = [source] + ([by_name] if by_name is not None and agrees_on_chip else [])

    def first(attribute: str) -> str | int | None:
        values = (getattr(reading, attribute) for reading in spoken)
        return next((value for value in values if value is not None), None)

    said_form, said_memory, said_count, said_link = (
        first(attribute) for attribute in ("form_factor", "memory_gb", "gpu_count", "interconnect")
    )
    disagrees = (by_name is not None and not agrees_on_chip) or any(
        stated is not None and said is not None and stated != said
        for stated, said in ((form, said_form), (memory, said_memory))
    )
    if by_name is not None and agrees_on_chip:
        disagrees = disagrees or any(
            said is not None and named is not None and said != named
            for said, named in (
                (source.form_factor, by_name.form_factor),
                (source.memory_gb, by_name.memory_gb),
            )
        )
    entry = CATALOGUE[source.chip]
    return Hardware(
        chip=source.chip,
        form_factor=form if form is not None else _text(said_form),
        memory_gb=memory if memory is not None else _whole(said_memory),
        gpu_count=_whole(said_count),
        interconnect=_text(said_link),
        name_as_written=written,
        disagrees=disagrees,
        low_micros=entry.price_low_micros,
        high_micros=entry.price_high_micros,
    )


def _text(value: str | int | None) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: str | int | None) -> int | None:
    return value if isinstance(value, int) else None


def _reading(text: str | None, memory: float | None, column: str) -> NameReading | Bad | None:
    """What a text says of a GPU; memory from its row tells apart models that share a number."""
    if text is None:
        return None
    reading = read_name(text)
    if isinstance(reading, NameReading):
        return reading
    if reading.code == _PARTITION:
        return Bad(_PARTITION, column, text)
    chip = None if memory is None else canonical_chip(text, round(memory))
    return Bad("unknown_chip", column, text) if chip is None else NameReading(chip, None, None, None, None)


def _form_factor(text: str | None, column: str) -> str | Bad | None:
    if text is None or text.lower() in _SILENT:
        return None
    try:
        return canonical_form_factor(text)
    except ValueError:
        return Bad("bad_choice", column, text)


def _memory(chip: str, written: float | None, column: str) -> int | Bad | None:
    if written is None:
        return None
    if written > _LARGEST_MEMORY_GB:
        return Bad("bad_memory", column, str(written))
    try:
        return canonical_memory(chip, written)
    except ValueError:
        return Bad("bad_memory", column, str(written))


def naming(text: str | None) -> str | None:
    """The text where it names a chip, else None: for fields that hold a name or a code, as it comes."""
    return text if text is not None and isinstance(read_name(text), NameReading) else None


def size_if_silent(name: str | None, gigabytes: float) -> int | None:
    """A memory size that an unreliable field states, where the name states none and the chip has that size."""
    reading = None if name is None else read_name(name)
    if not isinstance(reading, NameReading) or reading.memory_gb is not None or not 1 <= gigabytes < 10_000:
        return None
    return CATALOGUE[reading.chip].canonical_memory_gb(round(gigabytes))
