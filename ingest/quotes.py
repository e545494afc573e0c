"""A stray quotation mark must not swallow the rows behind it.

CSV lets a quoted field run over line ends. A field whose closing quote was lost would then run
to the next quote in the file, or to its end, and take good rows with it. Here each line that
leaves a quote open is looked at: if the record closes within a few lines and has the right
number of columns it is left alone; otherwise the marks of that one line are made harmless.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

NEUTRAL = "\x01"
"""Stands where a byte stood that could not be read; as a control character it refuses its own field."""

_BLOCK_BYTES = 16 * 1024**2
_QUOTE, _LINE_END = 34, 10
_LONGEST_RECORD_LINES = 100
_LONGEST_RECORD_BYTES = 65_536


def neutralise_stray_quotes(content: bytes | bytearray, columns: int, delimiter: str) -> bytes | bytearray:
    """The content with quotation marks that close nowhere sensible replaced by NEUTRAL.

    Returns the same object when there is nothing to do, else a copy of the same length.
    """
    if content.find(b'"') < 0:
        return content
    odd, ends = _odd_lines(content)
    field = re.compile(
        rb'(?:\A|(?<=%b))(?:"(?:[^"]++|"")*+")?[^%b]*+' % ((re.escape(delimiter.encode()),) * 2)
    )
    changed: bytearray | None = None
    settled_through = -1
    for place, line in enumerate(odd.tolist()):
        if line <= settled_through:
            continue
        start = int(ends[line - 1]) + 1 if line else 0
        if not _leaves_quote_open(field, bytes(content[start : int(ends[line])])):
            continue
        closing = int(odd[place + 1]) if place + 1 < len(odd) else None
        if closing is not None and closing - line <= _LONGEST_RECORD_LINES:
            record = bytes(content[start : min(int(ends[closing]), start + _LONGEST_RECORD_BYTES)])
            if len(field.findall(record)) == columns and not _leaves_quote_open(field, record):
                settled_through = closing
                continue
        if changed is None:
            changed = bytearray(content)
        stop = int(ends[line])
        changed[start:stop] = changed[start:stop].replace(b'"', NEUTRAL.encode())
    return content if changed is None else changed


def _leaves_quote_open(field: re.Pattern[bytes], line: bytes) -> bool:
    """Whether some field of the line begins with a quotation mark that is not closed in it."""
    return any(found.startswith(b'"') and not _closed(found) for found in field.findall(line))


def _closed(found: bytes) -> bool:
    return re.match(rb'"(?:[^"]++|"")*+"', found) is not None


def _odd_lines(content: bytes | bytearray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Lines with an odd number of quotation marks, and the end of every line, counted from 0."""
    whole = np.frombuffer(content, np.uint8)
    all_ends: list[npt.NDArray[np.int64]] = []
    all_parities: list[npt.NDArray[np.uint8]] = []
    parity = np.uint8(0)
    for start in range(0, len(whole), _BLOCK_BYTES):
        block = whole[start : start + _BLOCK_BYTES]
        # Only the last bit of the running count matters, so that it may wrap around.
        running = np.cumsum(block == _QUOTE, dtype=np.uint8) + parity
        here = np.flatnonzero(block == _LINE_END)
        all_ends.append(here.astype(np.int64) + start)
        all_parities.append((running[here] & 1).astype(np.uint8))
        parity = running[-1]
    all_ends.append(np.array([len(whole)], np.int64))
    all_parities.append(np.array([parity & 1], np.uint8))
    ends = np.concatenate(all_ends).astype(np.int64)
    parities = np.concatenate(all_parities)
    return np.flatnonzero(np.diff(parities, prepend=np.uint8(0))).astype(np.int64), ends
