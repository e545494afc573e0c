"""Reading serving benchmark rows (InferenceX): JSON of its results, and the CSV its dashboard exports.

Traps, all measured on real files: ``output_tput_per_gpu`` of a disaggregated row divides by the decode
GPUs only; on other rows the counts of prefill and decode GPUs mean nothing; CSV exports write seconds
under headings that say ``(ms)``.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from ...records import RentmarkError, parse_date
from .serving import PERCENTILES, ServingFile, ServingRow, Stack, rebase

_HEADINGS: Mapping[str, tuple[str, ...]] = {
    "hardware": ("hw", "hardware"),
    "framework": ("framework",),
    "model": ("model",),
    "precision": ("precision",),
    "spec_decoding": ("spec_decoding", "spec_method", "spec decoding"),
    "disagg": ("disagg", "disaggregated"),
    "isl": ("isl",),
    "osl": ("osl",),
    "conc": ("conc", "concurrency"),
    "num_prefill_gpu": ("num_prefill_gpu", "num prefill gpus"),
    "num_decode_gpu": ("num_decode_gpu", "num decode gpus"),
    "date": ("date",),
    "total": ("tput_per_gpu", "throughput/gpu (tok/s)"),
    "output": ("output_tput_per_gpu", "output throughput/gpu (tok/s)"),
    "input": ("input_tput_per_gpu", "input throughput/gpu (tok/s)"),
    **{f"{p}_intvty": (f"{p}_intvty", f"{p} interactivity (tok/s/user)") for p in PERCENTILES},
    **{f"{p}_tpot": (f"{p}_tpot", f"{p} tpot (ms)") for p in PERCENTILES},
    **{f"{p}_ttft": (f"{p}_ttft", f"{p} ttft (ms)") for p in PERCENTILES},
}
_FIELD_OF = {heading: field for field, headings in _HEADINGS.items() for heading in headings}
_NEEDED = ("hardware", "framework", "model", "precision", "isl", "osl", "date", "total", "output")
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no", "")
SMALLEST, LARGEST = 1e-9, 1e12
"""Outside these no figure of a serving row means anything, in whatever unit."""
SAME_QUANTITY = 0.2
"""Interactivity × seconds per token is 1. A product within a fifth of 1 (or of 1,000: milliseconds) tells the
unit of a row's times, whatever its heading says; the two medians of one row agree far closer than that."""


class _RowError(ValueError):
    """A row that can't be used, in words."""


def read_serving_file(payload: bytes, name: str) -> ServingFile:
    """Read a CSV or JSON file of serving rows, told apart by its first sign.

    Rows that can't be used are refused, each with a sentence; the good rows of the file are in. Raises
    RentmarkError where the file is neither, or holds no usable row.
    """
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    records = _json_records(text, name) if text.lstrip()[:1] in ("[", "{") else _csv_records(text, name)
    rows: list[ServingRow] = []
    refused: list[str] = []
    milliseconds = unknown_unit = 0
    for where, record in records:
        fields = {
            _FIELD_OF[key]: value
            for key, value in ((str(k).strip().casefold(), v) for k, v in record.items())
            if key in _FIELD_OF
        }
        try:
            scale = _time_scale(fields)
            rows.append(_row(fields, f"{name} {where}", scale))
        except _RowError as error:
            refused.append(f"{name} {where}: {error}")
            continue
        milliseconds += scale == 0.001
        unknown_unit += scale is None
    if not rows:
        first = f" The first: {refused[0]}" if refused else ""
        raise RentmarkError(f"{name} holds no serving row that can be used.{first}")
    notes = []
    if milliseconds:
        notes.append(f"{milliseconds} rows give their times in milliseconds; they were divided by 1,000.")
    if unknown_unit:
        notes.append(
            f"{unknown_unit} rows do not show the unit of their times (no time per output token that agrees "
            "with the interactivity); their times to first token count as unknown."
        )
    return ServingFile(tuple(rows), tuple(refused), tuple(notes), _comments(text))


def _comments(text: str) -> tuple[str, ...]:
    """Comment lines above the header."""
    found = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        found.append(line.lstrip("# ").rstrip())
    return tuple(found)


def _csv_records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    reader = csv.reader(io.StringIO(text), strict=True)
    header: list[str] | None = None
    try:
        for cells in reader:
            if not cells or cells[0].startswith("#"):
                continue
            if header is None:
                header = cells
                _check_header(header, name)
                continue
            yield f"line {reader.line_num}", dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise RentmarkError(f"{name} line {reader.line_num} can't be read as CSV: {error}.") from None
    if header is None:
        raise RentmarkError(f"{name} is empty; it needs a header line and serving rows.")


def _check_header(header: list[str], name: str) -> None:
    present = {_FIELD_OF.get(cell.strip().casefold()) for cell in header}
    lacking = [_HEADINGS[field][0] for field in _NEEDED if field not in present]
    if not present & {"median_intvty", "median_tpot"}:
        lacking.append("median_intvty")
    if lacking:
        raise RentmarkError(
            f"{name} lacks the columns {', '.join(lacking)}; give an InferenceX results file or CSV export."
        )


def _json_records(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = _json_lines(text, name)
    if isinstance(document, Mapping):
        lists = [value for value in document.values() if isinstance(value, list)]
        document = lists[0] if len(lists) == 1 else [document]
    for number, record in enumerate(document, start=1):
        if not isinstance(record, Mapping):
            raise RentmarkError(f"{name} record {number} is no object; give an InferenceX results file.")
        metrics = record.get("metrics")
        yield f"record {number}", {**record, **(metrics if isinstance(metrics, Mapping) else {})}


def _json_lines(text: str, name: str) -> list[Any]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                raise RentmarkError(
                    f"{name} line {number} can't be read as JSON; fetch the file again."
                ) from None
    return found


def _row(fields: Mapping[str, Any], where: str, scale: float | None) -> ServingRow:
    disaggregated = _flag(fields, "disagg")
    total, output = _positive(fields, "total"), _positive(fields, "output")
    entering = _number(fields, "input")
    gpus = None
    if disaggregated:
        prefill, decode = _count(fields, "num_prefill_gpu"), _count(fields, "num_decode_gpu")
        if prefill is None or decode is None:
            raise _RowError("a disaggregated row needs num_prefill_gpu and num_decode_gpu; add them.")
        gpus = prefill + decode
        output = rebase(output, decode, gpus)
        entering = None if entering is None else rebase(entering, prefill, gpus)
    interactivity = {p: _number(fields, f"{p}_intvty") for p in PERCENTILES}
    median = interactivity["median"]
    if median is None:
        per_token = _number(fields, "median_tpot")
        # without an interactivity nothing shows the unit of the times, which is seconds by the files' own rule
        median = None if not per_token else 1 / per_token
    if median is None or median <= 0:
        raise _RowError(
            "median_intvty is blank or 0; a row without an interactivity has no place on a curve."
        )
    ttft = {p: _number(fields, f"{p}_ttft") for p in PERCENTILES}
    seconds = {p: None if scale is None or v is None else v * scale for p, v in ttft.items()}
    return ServingRow(
        stack=Stack(
            _text(fields, "hardware"),
            _text(fields, "framework"),
            _text(fields, "spec_decoding", default="unstated"),
            _text(fields, "precision"),
        ),
        model=_text(fields, "model"),
        isl=_whole(fields, "isl"),
        osl=_whole(fields, "osl"),
        concurrency=_count(fields, "conc"),
        date=_date(fields),
        disaggregated=disaggregated,
        gpus=gpus,
        total_tokens_per_second_per_gpu=total,
        output_tokens_per_second_per_gpu=output,
        input_tokens_per_second_per_gpu=entering,
        median_interactivity=median,
        p90_interactivity=interactivity["p90"],
        p99_interactivity=interactivity["p99"],
        median_ttft_seconds=seconds["median"],
        p90_ttft_seconds=seconds["p90"],
        p99_ttft_seconds=seconds["p99"],
        where=where,
    )


def _time_scale(fields: Mapping[str, Any]) -> float | None:
    """What turns a row's times into seconds, or None where nothing shows their unit."""
    interactivity, per_token = _number(fields, "median_intvty"), _number(fields, "median_tpot")
    if not interactivity or not per_token:
        return None
    product = interactivity * per_token
    if abs(product - 1) < SAME_QUANTITY:
        return 1.0
    return 0.001 if abs(product / 1000 - 1) < SAME_QUANTITY else None


def _text(fields: Mapping[str, Any], field: str, default: str | None = None) -> str:
    written = fields.get(field)
    text = "" if written is None else str(written).strip()
    if text:
        return text
    if default is None:
        raise _RowError(f"{_HEADINGS[field][0]} is blank; add it.")
    return default


def _flag(fields: Mapping[str, Any], field: str) -> bool:
    written = fields.get(field)
    key = "" if written is None else str(written).strip().casefold()
    if key not in (*_TRUE, *_FALSE):
        raise _RowError(f"{_HEADINGS[field][0]} is {written!r}; write true or false.")
    return key in _TRUE


def _number(fields: Mapping[str, Any], field: str) -> float | None:
    written = fields.get(field)
    if written is None or str(written).strip() == "":
        return None
    try:
        value = math.nan if isinstance(written, bool) else float(written)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise _RowError(f"{_HEADINGS[field][0]} is {str(written)[:40]!r}; it must be a number, 0 or more.")
    if value > LARGEST or 0 < value < SMALLEST:
        raise _RowError(f"{_HEADINGS[field][0]} is {value:g}, which no machine measures; check its unit.")
    return value


def _positive(fields: Mapping[str, Any], field: str) -> float:
    value = _number(fields, field)
    if value is None:
        raise _RowError(f"{_HEADINGS[field][0]} is blank; without it the row says nothing about output.")
    if value == 0:
        raise _RowError(f"{_HEADINGS[field][0]} is 0; a run that produced nothing is no point of a curve.")
    return value


def _count(fields: Mapping[str, Any], field: str) -> int | None:
    value = _number(fields, field)
    if value is None:
        return None
    if value != int(value) or value == 0:
        raise _RowError(f"{_HEADINGS[field][0]} is {value:g}; it must be a whole number above 0.")
    return int(value)


def _whole(fields: Mapping[str, Any], field: str) -> int:
    value = _count(fields, field)
    if value is None:
        raise _RowError(f"{_HEADINGS[field][0]} is blank; add it.")
    return value


def _date(fields: Mapping[str, Any]) -> date:
    written = _text(fields, "date")
    try:
        return parse_date(written[:10])
    except ValueError as error:
        raise _RowError(f"date: {error}.") from None
