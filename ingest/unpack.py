"""What a payload is, told from its bytes and never from its name, and unpacked within limits."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Literal

from ..records import Refusal
from .not_offers import not_an_offer_text

Format = Literal["csv", "json", "parquet"]

LARGEST_PAYLOAD_BYTES = 4 * 1024**3
"""Decompressed size above which a payload is refused."""
LARGEST_RATIO = 200
"""Decompressed bytes per byte received above which a compressed payload counts as a bomb.
DEFLATE reaches 1,032; repetitive price lists were seen at 8 to 30."""
RATIO_FREE_BYTES = 64 * 1024**2
"""Below this size no ratio is a danger."""

_CHUNK_BYTES = 1 << 20
_SLICE_BYTES = 1 << 16
_FIRST_SLICE_BYTES = 1 << 10
"""Of each member: where members are tiny, little is handed over in vain."""
_NOT_ZERO = re.compile(rb"[^\x00]")
_GZIP = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
_OTHER_FORMATS: dict[bytes, str] = {
    b"PK\x03\x04": "a ZIP archive or a workbook; unpack it, or save it as CSV",
    b"\x28\xb5\x2f\xfd": "Zstandard-compressed; decompress it",
    b"BZh": "bzip2-compressed; decompress it",
    b"\xfd7zXZ": "xz-compressed; decompress it",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"%PDF": "a PDF; save the table as CSV",
    b"ARROW1": "an Arrow file; save it as Parquet",
}
_SNIFFED_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A payload's content. ``truncated`` says that the compressed stream ended before its end."""

    format: Format
    content: bytes | bytearray
    truncated: bool = False


def unpack(payload: bytes, origin_name: str) -> Unpacked | Refusal:
    """Decompress gzip within limits and tell CSV, JSON and Parquet apart by their bytes."""
    content: bytes | bytearray = payload
    truncated = False
    if payload.startswith(_GZIP):
        inflated = _inflate(payload, origin_name)
        if isinstance(inflated, Refusal):
            return inflated
        content, truncated = inflated
    if len(content) > LARGEST_PAYLOAD_BYTES:
        return _too_large(origin_name)
    content = content.removeprefix(_UTF8_MARK)
    if not re.search(rb"\S", content):
        if truncated:
            return Refusal(
                "truncated_payload", f"{origin_name} ends before its first record; fetch it again."
            )
        return Refusal("empty_payload", f"{origin_name} holds no records.")
    if content.startswith(b"PAR1"):
        return Unpacked("parquet", content, truncated)
    for magic, what in _OTHER_FORMATS.items():
        if content.startswith(magic):
            return Refusal("not_this_format", f"{origin_name} is {what}.")
    head = bytes(content[:_SNIFFED_BYTES])
    if b"\x00" in head:
        return Refusal("not_this_format", f"{origin_name} is a binary file, not CSV, JSON or Parquet.")
    json = head.lstrip()[:1] in {b"{", b"["}
    other = not_an_offer_text(head, origin_name, json=json)
    return other or Unpacked("json" if json else "csv", content, truncated)


def _inflate(payload: bytes, origin_name: str) -> tuple[bytearray, bool] | Refusal:
    """Decompress every member of a gzip stream; (content, whether the stream was cut off).

    It is read in slices, so that time grows with the bytes alone: handing over all that is left for each chunk or
    each member would copy it every time, and a small file of very many empty members would take hours.
    """
    content = bytearray()
    damaged = Refusal("damaged_payload", f"{origin_name} is damaged gzip; fetch it again.")
    stream = None
    place, begins = 0, True
    while place < len(payload):
        if stream is None:
            place = _past_padding(payload, place)
            if not payload.startswith(_GZIP, place):
                break
            stream, begins = zlib.decompressobj(wbits=31), True
        piece = payload[place : place + (_FIRST_SLICE_BYTES if begins else _SLICE_BYTES)]
        begins = False
        try:
            content += stream.decompress(piece, _CHUNK_BYTES)
            while stream.unconsumed_tail and not stream.eof:
                if _is_too_large(content, payload):
                    return _too_large(origin_name)
                content += stream.decompress(stream.unconsumed_tail, _CHUNK_BYTES)
        except zlib.error:
            # Where the damage began is unknown, so no row of it can be trusted.
            return damaged
        if _is_too_large(content, payload):
            return _too_large(origin_name)
        place += len(piece) - (len(stream.unused_data) if stream.eof else 0)
        if stream.eof:
            stream = None
    return content, stream is not None


def _past_padding(payload: bytes, place: int) -> int:
    """The first byte from a place on that is no zero: members may be padded, as gzip itself allows."""
    found = _NOT_ZERO.search(payload, place)
    return len(payload) if found is None else found.start()


def _is_too_large(content: bytearray, payload: bytes) -> bool:
    bound = min(LARGEST_PAYLOAD_BYTES, max(RATIO_FREE_BYTES, LARGEST_RATIO * len(payload)))
    return len(content) > bound


def _too_large(origin_name: str) -> Refusal:
    return Refusal(
        "too_large",
        f"{origin_name} unpacks to more than {LARGEST_PAYLOAD_BYTES // 1024**3} GiB, or to more than "
        f"{LARGEST_RATIO} times its size; split it.",
    )
