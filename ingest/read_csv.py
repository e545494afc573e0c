"""CSV bytes to text columns: read by Arrow in one pass, damaged rows kept at their place."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from ..records import Refusal
from .columns import Column, clean_texts
from .quotes import NEUTRAL, neutralise_stray_quotes
from .raw import Damaged, RawTable, positions_between

LONGEST_HEADER_BYTES = 1 << 20
_SMALLEST_BLOCK_BYTES = 4 << 20
_LARGEST_BLOCK_BYTES = 1 << 30
_LINE_END = 10
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


def read_csv(
    content: bytes | bytearray,
    wanted: Collection[str],
    *,
    delimiter: str,
    truncated: bool,
    origin_name: str,
) -> RawTable | Refusal:
    """Read the wanted columns of a CSV file with a header line, every cell as text.

    Rows with too few or too many cells become damaged records at their place. ``truncated``
    marks content that was cut off, whose last line is damaged unless it ends in a line end.
    """
    from pyarrow import csv as arrow_csv

    header_end = _end_of_header(content)
    names = _header(bytes(content[:header_end]), delimiter)
    if names is None:
        return Refusal("not_this_format", f"{origin_name} has no readable header line; save it as UTF-8 CSV.")
    twice = sorted({name for name in names if name in wanted and names.count(name) > 1})
    if twice:
        return Refusal("not_this_format", f"{origin_name} names the column {twice[0]} twice; keep one.")
    body = content[header_end:]
    tail = b""
    if truncated:
        cut = body.rfind(b"\n") + 1
        body, tail = body[:cut], bytes(body[cut:])
    body = neutralise_stray_quotes(_valid_utf8(body), len(names), delimiter)
    included = [place for place, name in enumerate(names) if name in wanted]
    if not re.search(rb"\S", body) or not included:
        damaged = _tail(tail, 0)
        return RawTable(
            columns={}, positions=positions_between(len(damaged), damaged), names=names, damaged=damaged
        )
    found: list[Damaged] = []

    def keep(row: arrow_csv.InvalidRow) -> str:
        short = row.actual_columns < row.expected_columns
        text = row.text
        reason = "truncated_row" if short else "malformed_record"
        found.append(Damaged(row.number - 1, reason, "row", text))
        return "skip"

    keys = [f"c{place}" for place in range(len(names))]
    text_type = pa.dictionary(pa.int32(), pa.binary())
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(body)),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, column_names=keys, block_size=_block_bytes(body)
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=keep
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=[keys[place] for place in included],
                column_types={keys[place]: text_type for place in included},
                check_utf8=False,
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        what = str(error).splitlines()[0][:200]
        return Refusal("not_this_format", f"{origin_name} could not be read as CSV: {what}.")
    records = table.num_rows + len(found)
    found += _tail(tail, records)
    columns = {names[place]: _column(names[place], table.column(keys[place])) for place in included}
    notes: tuple[str, ...] = ()
    if not truncated and body[-1] not in b"\r\n":
        notes = ("the last line has no line end; if the file was cut off there, its last value is short",)
    return RawTable(
        columns=columns,
        positions=positions_between(table.num_rows + len(found), found),
        names=names,
        damaged=found,
        notes=notes,
    )


def _valid_utf8(body: bytes | bytearray) -> bytes | bytearray:
    """The same bytes with those that are no UTF-8 made NEUTRAL, which refuses their own field.

    Arrow cannot hand over a damaged row that is not UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(body)
    try:
        for start in range(0, len(view), _SMALLEST_BLOCK_BYTES):
            decoder.decode(view[start : start + _SMALLEST_BLOCK_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _ESCAPED_BYTE.sub(NEUTRAL, body.decode("utf-8", "surrogateescape")).encode()
    return body


def _tail(tail: bytes, position: int) -> list[Damaged]:
    text = tail.decode("utf-8", "replace")
    return [Damaged(position, "truncated_row", "row", text)] if text.strip() else []


def _column(name: str, chunked: pa.ChunkedArray) -> Column[str | None]:
    """Distinct texts of a dictionary column; its chunks may hold different dictionaries."""
    array = chunked.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], chunked.type)
    values = clean_texts(name, array.dictionary)
    codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return Column(name, values or [None], codes)


def _end_of_header(content: bytes | bytearray) -> int:
    """Where the first record ends: the first line end outside quotation marks."""
    end = -1
    while True:
        end = content.find(b"\n", end + 1)
        if end < 0 or end > LONGEST_HEADER_BYTES:
            first = content.find(b"\n")
            return len(content) if first < 0 else first + 1
        if content.count(b'"', 0, end) % 2 == 0:
            return end + 1


def _header(line: bytes, delimiter: str) -> list[str] | None:
    if len(line) > LONGEST_HEADER_BYTES:
        return None
    try:
        rows = list(csv.reader([line.decode("utf-8").strip("\r\n")], delimiter=delimiter))
    except (UnicodeDecodeError, csv.Error):
        return None
    return [name.strip() for name in rows[0]] if rows and any(rows[0]) else None


def _block_bytes(body: bytes | bytearray) -> int:
    """A block that holds the longest line, as Arrow needs."""
    longest, last = 0, -1
    step = 16 * _SMALLEST_BLOCK_BYTES
    whole = np.frombuffer(body, np.uint8)
    for start in range(0, len(whole), step):
        ends = np.flatnonzero(whole[start : start + step] == _LINE_END) + start
        if len(ends):
            longest = max(longest, int(np.diff(ends, prepend=last).max()))
            last = int(ends[-1])
    longest = max(longest, len(whole) - last)
    return min(max(2 * longest, _SMALLEST_BLOCK_BYTES), _LARGEST_BLOCK_BYTES)
