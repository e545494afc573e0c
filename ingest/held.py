"""Many values of a column held by Arrow, so that a million texts cost no million Python objects.

A reader that can read a whole array does so through :class:`AtOnce`; what it is unsure of is read
one by one, so that both ways give the same values and the same refusals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .texts import LONGEST_TEXT, Bad, Fault, clean_text, fault_of

T = TypeVar("T")

Flags = npt.NDArray[np.bool_]

FEW = 1_024
"""Up to so many values a plain list is as fast and simpler."""
_NO_FAULTS: Mapping[int, Fault] = MappingProxyType({})
_SPACE, _DELETE = 0x20, 0x7F


@dataclass(frozen=True, slots=True)
class AtOnce(Generic[T]):
    """A reader of one text that also reads many at once.

    ``many`` takes an Arrow array of strings and returns an array of values and a flag per text:
    true where only ``one`` can tell. Where the flag is false both must agree.
    """

    one: Callable[[Any], T | Bad]
    many: Callable[[pa.Array], tuple[pa.Array, Flags]]

    def __call__(self, text: Any) -> T | Bad:
        """Read one text."""
        return self.one(text)


@dataclass(frozen=True, slots=True)
class Held(Sequence[Any]):
    """Values in an Arrow array; those that were refused are null there and stand in ``faults``.

    Unlike a list of values it may hold one value more than once.
    """

    array: pa.Array
    faults: Mapping[int, Fault] = field(default_factory=lambda: _NO_FAULTS)

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(self)[place]
        return self.faults[place] if place in self.faults else self.array[place].as_py()

    def __iter__(self) -> Iterator[Any]:
        values = self.array.to_pylist()
        for place, fault in self.faults.items():
            values[place] = fault
        return iter(values)

    def at(self, places: npt.NDArray[np.signedinteger[Any]]) -> list[Any]:
        """The values at several places."""
        values: list[Any] = self.array.take(pa.array(places)).to_pylist()
        if self.faults:
            values = [
                self.faults.get(place, value) for place, value in zip(places.tolist(), values, strict=True)
            ]
        return values

    def flags(self) -> Flags:
        """True where the value was refused."""
        marks = np.zeros(len(self.array), np.bool_)
        marks[list(self.faults)] = True
        return marks

    def read(self, name: str, reader: AtOnce[Any]) -> Held:
        """Read every value; what was refused before stays refused."""
        array, unsure = reader.many(self.array)
        faults = dict(self.faults)
        places, values = [], []
        for place in np.flatnonzero(unsure & ~self.flags()).tolist():
            value = self.array[place].as_py()
            outcome = reader.one(value)
            if isinstance(outcome, Bad):
                faults[place] = fault_of(outcome, name, value)
            else:
                places.append(place)
                values.append(outcome)
        marks = np.zeros(len(array), np.bool_)
        marks[places] = True
        nothing = unsure & ~marks
        if nothing.any():
            array = pc.if_else(pa.array(nothing), pa.scalar(None, array.type), array)
        if places:
            array = pc.replace_with_mask(array, pa.array(marks), pa.array(values, array.type))
        return Held(array, faults)


def clean_many(name: str, cells: pa.Array) -> Held | list[str | Fault | None]:
    """As :func:`.texts.clean_text` for an Arrow array of bytes or strings; a list where there are few."""
    try:
        texts = cells.cast(pa.string())
    except pa.ArrowInvalid:  # some cell is not UTF-8
        return [clean_text(name, cell) for cell in cells.to_pylist()]
    if not _all_visible(texts):
        texts = pc.utf8_trim_whitespace(texts)
    faults: dict[int, Fault] = {}
    for place in _unfit(texts):
        outcome = clean_text(name, texts[place].as_py())
        if isinstance(outcome, Fault):
            faults[place] = outcome
    if len(texts) <= FEW:
        return [faults.get(place, text or None) for place, text in enumerate(texts.to_pylist())]
    none = lengths_of(texts) == 0
    none[list(faults)] = True
    if none.any():
        texts = pc.if_else(pa.array(none), pa.scalar(None, pa.string()), texts)
    return Held(texts, faults)


def lengths_of(texts: pa.Array) -> npt.NDArray[np.int32]:
    """Bytes of each text; a null has none."""
    offsets = np.frombuffer(texts.buffers()[1] or b"", np.int32)
    return np.diff(offsets[texts.offset : texts.offset + len(texts) + 1])


def _all_visible(texts: pa.Array) -> bool:
    """Whether the texts are ASCII without a space or a control character: nothing is to be trimmed."""
    data = bytes_of(texts)
    return not len(data) or (int(data.min()) > _SPACE and int(data.max()) < _DELETE)


def bytes_of(texts: pa.Array) -> npt.NDArray[np.uint8]:
    """The bytes of all texts, one after another."""
    _, offsets_buffer, data_buffer = texts.buffers()
    if data_buffer is None or not len(texts):
        return np.zeros(0, np.uint8)
    offsets = np.frombuffer(offsets_buffer, np.int32)
    return np.frombuffer(data_buffer, np.uint8)[offsets[texts.offset] : offsets[texts.offset + len(texts)]]


def _unfit(texts: pa.Array) -> list[int]:
    """Places of trimmed texts that may be too long or hold a control character."""
    data = bytes_of(texts)
    long = lengths_of(texts) > LONGEST_TEXT
    visible = not len(data) or (int(data.min()) >= _SPACE and not (data == _DELETE).any())
    if visible:
        return [int(place) for place in np.flatnonzero(long)]
    unfit = pc.match_substring_regex(texts, "[\\x00-\\x1f\\x7f]").fill_null(False)
    return [int(place) for place in np.flatnonzero(long | np.asarray(unfit, np.bool_))]
