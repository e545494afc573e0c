"""Single cells: their cleaned text, or the fault they are refused for."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_TEXT = 1_000
"""Characters of one field; a longer one is no name, price or place, whatever it is."""
LONGEST_SHOWN = 200
"""Characters of a refused value that are kept beside the reason; the payload keeps all of it."""

_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Bad:
    """What a reader returns for a value it refuses: a reason code of ``REJECT_REASONS``.

    ``column`` and ``value`` name another field than the one being read, where a reading of
    several fields fails on one of them.
    """

    reason: str
    column: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A refused value in its column: the reason, the payload's name of the field, the value."""

    reason: str
    column: str
    value: str


def fault_of(bad: Bad, name: str, value: object) -> Fault:
    """The fault of a value of the column ``name`` that a reader refused."""
    seen = bad.value if bad.value is not None else value
    text = "" if seen is None else shown(str(seen))
    return Fault(bad.reason, bad.column or name, text)


def clean_text(name: str, cell: str | bytes | Fault | None) -> str | Fault | None:
    """The text of a cell without surrounding spaces; blank is None.

    Text that is not UTF-8, holds control characters (a line break, the separator of digests) or
    is longer than LONGEST_TEXT is a Fault: it could not be shown, compared or sealed.
    """
    if cell is None or isinstance(cell, Fault):
        return cell
    text = cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell
    text = text.strip()
    if len(text) > LONGEST_TEXT or _CONTROL.search(text):
        return Fault("malformed_record", name, shown(text))
    return text or None


def shown(text: str) -> str:
    """A refused value as it is kept: short, printable, valid UTF-8."""
    short = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", short)
