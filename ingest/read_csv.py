"""CSV bytes to text columns: read by Arrow in one pass, damaged rows kept at their place."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from ..records import Refusal
from .columns import Column, clean_texts, whole_column
from .quotes import NEUTRAL, neutralise_stray_quotes
from .raw import Damaged, RawTable, positions_between
from .two_at_once import each

LONGEST_HEADER_BYTES = 1 << 20
_SMALLEST_BLOCK_BYTES = 1 << 20
_LARGEST_BLOCK_BYTES = 1 << 30
_SAMPLE_BYTES = 1 << 18
"""The beginning of a large file tells which columns hardly ever repeat a value."""
_MOSTLY = 0.5
_STEP_BYTES = 1 << 18
_LINE_END = re.compile(b"\n")
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
    header_end = _end_of_header(content)
    names = _header(bytes(content[:header_end]), delimiter)
    if names is None:
        return Refusal("not_this_format", f"{origin_name} has no readable header line; save it as UTF-8 CSV.")
    twice = sorted({name for name in names if name in wanted and names.count(name) > 1})
    if twice:
        return Refusal("not_this_format", f"{origin_name} names the column {twice[0]} twice; keep one.")
    end = content.rfind(b"\n") + 1 if truncated else len(content)
    end = max(end, header_end)
    tail = bytes(content[end:])
    included = [place for place, name in enumerate(names) if name in wanted]
    body = _readable(content, header_end, end, len(names), delimiter)
    if not included or _is_blank(body):
        damaged = _tail(tail, 0)
        return RawTable(
            columns={}, positions=positions_between(len(damaged), damaged), names=names, damaged=damaged
        )
    try:
        table, found = _read(body, len(names), included, delimiter)
    except pa.ArrowInvalid as error:
        what = str(error).splitlines()[0][:200]
        return Refusal("not_this_format", f"{origin_name} could not be read as CSV: {what}.")
    records = table.num_rows + len(found)
    found += _tail(tail, records)
    rows = table.num_rows
    stated = [names[place] for place in included]
    cells = zip(stated, table.columns, strict=True)
    del table
    columns = dict(zip(stated, each(lambda item: _column(*item), cells, rows), strict=True))
    pa.default_memory_pool().release_unused()  # what the reader's threads leave can be half a gigabyte
    notes: tuple[str, ...] = ()
    if not truncated and body[-1] not in b"\r\n":
        notes = ("the last line has no line end; if the file was cut off there, its last value is short",)
    return RawTable(
        columns=columns,
        positions=positions_between(rows + len(found), found),
        names=names,
        damaged=found,
        notes=notes,
    )


def _readable(
    content: bytes | bytearray, start: int, end: int, columns: int, delimiter: str
) -> memoryview | bytes | bytearray:
    """The lines between two places, with what would mislead the reader made NEUTRAL.

    Plain ASCII without quotation marks, as most files are, is not copied.
    """
    if content.isascii() and content.find(b'"', start, end) < 0:
        return memoryview(content)[start:end]
    return neutralise_stray_quotes(_valid_utf8(content[start:end]), columns, delimiter)


def _is_blank(body: memoryview | bytes | bytearray) -> bool:
    return not re.search(rb"\S", body)


def _read(
    body: memoryview | bytes | bytearray, columns: int, included: list[int], delimiter: str
) -> tuple[pa.Table, list[Damaged]]:
    """The included columns as bytes, and the rows that have another number of cells.

    Raises pyarrow.ArrowInvalid where the bytes are no CSV.
    """
    from pyarrow import csv as arrow_csv

    keys = [f"c{place}" for place in range(columns)]
    wanted = [keys[place] for place in included]
    block_bytes = _block_bytes(body)
    found: list[Damaged] = []

    def keep(row: arrow_csv.InvalidRow) -> str:
        short = row.actual_columns < row.expected_columns
        reason = "truncated_row" if short else "malformed_record"
        found.append(Damaged(row.number - 1, reason, "row", row.text))
        return "skip"

    def parse(kinds: dict[str, pa.DataType], *, strict: bool, end: int | None = None) -> pa.Table:
        return arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(body[:end] if end else body)),
            read_options=arrow_csv.ReadOptions(use_threads=strict, column_names=keys, block_size=block_bytes),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=None if strict else keep
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=wanted, column_types=kinds, check_utf8=False, strings_can_be_null=False
            ),
        )

    repeated = pa.dictionary(pa.int32(), pa.binary())
    kinds = dict.fromkeys(wanted, repeated)
    try:
        if len(body) > _SAMPLE_BYTES:
            head = parse(kinds, strict=True, end=_sample_end(body))
            for key in wanted:
                distinct = sum(len(chunk.dictionary) for chunk in head.column(key).chunks)
                if distinct > head.num_rows * _MOSTLY:
                    kinds[key] = pa.binary()
        return parse(kinds, strict=True), found
    except pa.ArrowInvalid:
        # Rows that do not fit are only placed by the reader that takes one block after another.
        return parse(kinds, strict=False), found


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
    """Distinct texts of a dictionary column, whose chunks may hold different dictionaries."""
    if not pa.types.is_dictionary(chunked.type):
        return whole_column(name, _one_array(chunked))
    array = _one_array(chunked.unify_dictionaries())
    values = clean_texts(name, array.dictionary)
    codes = array.indices.to_numpy(zero_copy_only=False)
    # few values need a quarter of the memory, on every row of twenty columns
    return Column(name, values or [None], codes.astype(np.min_scalar_type(-max(len(values), 1))))


def _one_array(chunked: pa.ChunkedArray) -> pa.Array:
    array = chunked.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], chunked.type)
    return array


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


def _sample_end(body: memoryview | bytes | bytearray) -> int:
    """The end of the last line of the sample."""
    sample = bytes(body[:_SAMPLE_BYTES])
    return sample.rfind(b"\n") + 1 or _SAMPLE_BYTES


def _block_bytes(body: memoryview | bytes | bytearray) -> int:
    """A block that holds the longest line, as Arrow needs.

    Only the first line end behind each step is looked for: a line longer than a step lies between
    two of them that follow each other.
    """
    longest, last = 0, -1
    for start in range(0, len(body), _STEP_BYTES):
        found = _LINE_END.search(body, max(start, last))
        end = found.start() if found else len(body)
        longest, last = max(longest, end - last), end
    return min(max(2 * longest, _SMALLEST_BLOCK_BYTES), _LARGEST_BLOCK_BYTES)
