"""Uploads: the bytes of what a page sent, under a name that is only a name."""

from __future__ import annotations

import base64
import binascii

from ..records import RentmarkError

LONGEST_NAME = 120


def uploaded(contents: str, name: str) -> tuple[str, bytes]:
    """The name without a folder, and the bytes. Raises RentmarkError for what is no base 64."""
    bare = file_name(name)
    _, _, text = contents.partition(";base64,")
    try:
        return bare, base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise RentmarkError(f"{bare} did not arrive whole; choose it again.") from None


def file_name(name: str) -> str:
    """The last part of a name, without signs that can't be printed."""
    bare = name.replace("\\", "/").rsplit("/", 1)[-1][:LONGEST_NAME]
    return "".join(sign if sign.isprintable() else "?" for sign in bare) or "file"
