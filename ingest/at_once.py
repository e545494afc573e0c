"""Readers of whole arrays of texts: prices, instants and numbers in their plain forms.

Each takes an Arrow array of strings and returns an array of values and a flag per text. A flag
says that the text is not in the plain form, or that its value might be refused: then the reader of
single texts decides. Where the flag is false, both readers give the same value; tests hold that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..records.schemas import INSTANT
from .held import Flags, bytes_of, lengths_of

Integers = npt.NDArray[np.int64]

_PLAIN_PRICE = r"^[0-9]{1,6}(\.[0-9]{1,12})?$"
_PRICE_SCALE = 12
"""Decimals of a plain price: below a million dollars its count of 10⁻¹² dollars fits 64 bits."""
_PLAIN_NUMBER = r"^[0-9]{1,12}(\.[0-9]{1,18})?$"
_PLAIN_WHOLE = r"^[0-9]{1,9}$"
_PLAIN_INSTANT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$"
)
_UTC_FORM = "0000-00-00T00:00:00Z"
_EARLIEST, _LATEST = -(3 * 10**16), 2 * 10**17
"""Microseconds of the years 1019 and 8307; nearer the ends of the calendar Python decides."""
_LONGEST_PLAIN = 30
_SLICE = 4_096
"""One text that is no date makes its slice be read one by one, and no more."""


def prices_at_once(texts: pa.Array, per_unit: int) -> tuple[pa.Array, Flags]:
    """Micro-dollars of plain decimals, rounded once, half-even; ``per_unit`` 100 reads cents."""
    scaled, unsure = scaled_at_once(texts)
    micros = micros_of_scaled(scaled, np.full(1, per_unit, np.int64))
    return pa.array(micros), unsure | (micros <= 0)


def scaled_at_once(texts: pa.Array) -> tuple[Integers, Flags]:
    """Plain decimals as counts of 10⁻¹², exactly; 0 for the others, which are flagged."""
    kind = pa.decimal128(6 + _PRICE_SCALE, _PRICE_SCALE)
    exact, unsure = _whole_cast(texts, kind) or _matching_cast(texts, _PLAIN_PRICE, kind)
    halves = np.frombuffer(exact.buffers()[1] or b"", "<i8")[
        2 * exact.offset : 2 * (exact.offset + len(exact))
    ]
    return np.where(unsure, 0, halves[::2]), unsure


def micros_of_scaled(scaled: Integers, units: Integers) -> Integers:
    """Counts of 10⁻¹² dollars, each for ``units`` units, as micro-dollars per unit, half-even."""
    divisor = units * 10 ** (_PRICE_SCALE - 6)
    micros, rest = np.divmod(scaled, divisor)
    twice = 2 * rest
    up = (twice > divisor) | ((twice == divisor) & (micros % 2 == 1))
    return np.asarray(micros + up, np.int64)


def instants_at_once(texts: pa.Array, latest: int | None) -> tuple[pa.Array, Flags]:
    """Microseconds since 1970 of ISO 8601 instants with a zone; later than ``latest`` is unsure."""
    plain, unsure = (
        (texts, np.zeros(len(texts), np.bool_)) if _in_utc(texts) else _matching(texts, _PLAIN_INSTANT)
    )
    parts = []
    for start in range(0, len(plain), _SLICE):
        part = plain.slice(start, _SLICE)
        try:
            parts.append(part.cast(INSTANT).cast(pa.int64()))
        except pa.ArrowInvalid:
            unsure[start : start + _SLICE] = True
            parts.append(pa.nulls(len(part), pa.int64()))
    moments = pa.concat_arrays(parts) if parts else pa.array([], pa.int64())
    counted = np.asarray(moments.fill_null(0).to_numpy(zero_copy_only=False))
    doubtful = (counted < _EARLIEST) | (counted > (_LATEST if latest is None else min(latest, _LATEST)))
    return moments, unsure | doubtful


def _in_utc(texts: pa.Array) -> bool:
    """Whether all are written ``2026-08-14T06:00:00Z``, but for what the digits are."""
    width = len(_UTC_FORM)
    if texts.null_count or len(texts) == 0:
        return False
    if not (lengths_of(texts) == width).all():
        return False
    written = bytes_of(texts).reshape(-1, width)
    return all((written[:, place] == ord(sign)).all() for place, sign in enumerate(_UTC_FORM) if sign != "0")


def numbers_at_once(texts: pa.Array) -> tuple[pa.Array, Flags]:
    """The nearest floats of plain decimals."""
    return _whole_cast(texts, pa.float64()) or _matching_cast(texts, _PLAIN_NUMBER, pa.float64())


def wholes_at_once(texts: pa.Array) -> tuple[pa.Array, Flags]:
    """Positive whole numbers below 10⁹ without a sign or a point."""
    plain, unsure = _matching(texts, _PLAIN_WHOLE)
    numbers = plain.cast(pa.int64())
    return numbers, unsure | np.asarray(pc.less_equal(numbers, 0).fill_null(True), np.bool_)


def texts_at_once(texts: pa.Array) -> tuple[pa.Array, Flags]:
    """The texts as they are; a blank is unsure."""
    return texts, np.asarray(pc.is_null(texts), np.bool_)


def _whole_cast(texts: pa.Array, kind: pa.DataType) -> tuple[pa.Array, Flags] | None:
    """All texts cast, where each is of digits and points alone and short, and none fails; else None.

    Of such texts Arrow takes what is a number and refuses the rest, as it does what has too many digits.
    """
    data = bytes_of(texts)
    if texts.null_count or not len(data) or lengths_of(texts).max() > _LONGEST_PLAIN:
        return None
    if data.min() < ord(".") or data.max() > ord("9") or (data == ord("/")).any():
        return None
    try:
        return texts.cast(kind), np.zeros(len(texts), np.bool_)
    except pa.ArrowInvalid:
        return None


def _matching_cast(texts: pa.Array, pattern: str, kind: pa.DataType) -> tuple[pa.Array, Flags]:
    plain, unsure = _matching(texts, pattern)
    return plain.cast(kind), unsure


def _matching(texts: pa.Array, pattern: str) -> tuple[pa.Array, Flags]:
    """The texts of a pattern, the others null, and a flag for each of the others."""
    matches = pc.match_substring_regex(texts, pattern).fill_null(False)
    unsure = ~np.asarray(matches, np.bool_)
    if unsure.any():
        texts = pc.if_else(matches, texts, pa.scalar(None, texts.type))
    return texts, unsure
