"""Text that both databases can hold: PostgreSQL takes no NUL, neither takes half a surrogate pair."""

from __future__ import annotations

import re

from ..records import RentmarkError

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Text from outside, with what can't be stored shown as U+FFFD; the payload keeps the bytes."""
    return _UNSTORABLE.sub("\ufffd", text)


def is_storable(text: str) -> bool:
    """Whether a text holds nothing that would come back changed."""
    return _UNSTORABLE.search(text) is None


def require_storable(name: str, text: str | None) -> None:
    """Refuse text that would come back changed. Raises RentmarkError naming the field."""
    if text is not None and _UNSTORABLE.search(text):
        raise RentmarkError(f"{name} is {text!r}, which holds a sign that can't be stored; leave it out.")
