"""SLO goodput: a request counts only if it meets all of its bounds and passes its quality gate.

Bounds shipped by name are MLPerf Inference's (MLCommons), which MLPerf holds against the 99th percentile of
all requests; here they are held against each request.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...records import NaiveInstantError, RentmarkError, parse_instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLevel:
    """Upper bounds in milliseconds; None bounds nothing."""

    ttft_ms: float | None = None
    """Time to the first token."""
    tpot_ms: float | None = None
    """Time per output token after the first."""
    e2e_ms: float | None = None
    """From the request to the last token."""

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds that are set."""
        every = {"ttft_ms": self.ttft_ms, "tpot_ms": self.tpot_ms, "e2e_ms": self.e2e_ms}
        return {name: bound for name, bound in every.items() if bound is not None}


MLPERF: Mapping[str, ServiceLevel] = {
    "mlperf-deepseek-r1-server": ServiceLevel(ttft_ms=2000, tpot_ms=80),
    "mlperf-deepseek-r1-interactive": ServiceLevel(ttft_ms=1500, tpot_ms=15),
    "mlperf-llama2-70b-server": ServiceLevel(ttft_ms=2000, tpot_ms=200),
    "mlperf-llama2-70b-interactive": ServiceLevel(ttft_ms=450, tpot_ms=40),
    "mlperf-llama3.1-405b-server": ServiceLevel(ttft_ms=6000, tpot_ms=175),
    "mlperf-llama3.1-405b-interactive": ServiceLevel(ttft_ms=4500, tpot_ms=80),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as served. A time that was not measured is None and meets no bound.

    ``correct`` is the quality gate's answer; None where no gate looked at it, which does not pass one.
    """

    at: datetime
    ttft_ms: float | None
    tpot_ms: float | None
    e2e_ms: float | None
    correct: bool | None
    output_tokens: int

    def meets(self, level: ServiceLevel) -> bool:
        """Whether it meets all bounds; a bound on what was not measured is not met."""
        found = {"ttft_ms": self.ttft_ms, "tpot_ms": self.tpot_ms, "e2e_ms": self.e2e_ms}
        for name, bound in level.bounds.items():
            value = found[name]
            if value is None or value > bound:
                return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodput:
    """How many requests counted, and why the others did not: each is in the first class that fits."""

    requests: int
    in_breach: int
    missed_bounds: int
    failed_gate: int
    accepted: int
    accepted_tokens: int

    @property
    def share(self) -> float | None:
        """Accepted ÷ all; None without requests."""
        return self.accepted / self.requests if self.requests else None


def slo_goodput(
    requests: Sequence[Request],
    level: ServiceLevel,
    breaches: Sequence[tuple[datetime, datetime]] = (),
) -> Goodput:
    """Count requests that met everything outside the breaches, which are [start, end)."""
    in_breach = missed = failed = accepted = tokens = 0
    for request in requests:
        if any(start <= request.at < end for start, end in breaches):
            in_breach += 1
        elif not request.meets(level):
            missed += 1
        elif not request.correct:
            failed += 1
        else:
            accepted += 1
            tokens += request.output_tokens
    return Goodput(
        requests=len(requests),
        in_breach=in_breach,
        missed_bounds=missed,
        failed_gate=failed,
        accepted=accepted,
        accepted_tokens=tokens,
    )


REQUEST_COLUMNS = ("at", "ttft_ms", "tpot_ms", "e2e_ms", "correct", "output_tokens")
_NEEDED = ("at", "correct", "output_tokens")
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": None}


def read_requests_file(payload: bytes, name: str) -> tuple[Request, ...]:
    """Read ``at,ttft_ms,tpot_ms,e2e_ms,correct,output_tokens``.

    A blank time is unknown. Raises RentmarkError naming the first line that can't be read: a request left
    out would raise the goodput.
    """
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RentmarkError(f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    reader = csv.DictReader(io.StringIO(text), strict=True)
    found: list[Request] = []
    try:
        header = [(cell or "").strip() for cell in reader.fieldnames or ()]
        for column in _NEEDED:
            if column not in header:
                raise RentmarkError(f"{name} has no column {column}; it needs {', '.join(REQUEST_COLUMNS)}.")
        for cells in reader:
            where = f"{name} line {reader.line_num}"
            if None in cells or None in cells.values():
                raise RentmarkError(f"{where} does not have {len(header)} cells; complete it.")
            found.append(_request({key.strip(): value.strip() for key, value in cells.items()}, where))
    except csv.Error as error:
        raise RentmarkError(f"{name} line {reader.line_num} can't be read as CSV: {error}.") from None
    if not found:
        raise RentmarkError(f"{name} holds no requests; without attempts there is no goodput.")
    return tuple(found)


def _request(cells: Mapping[str, Any], where: str) -> Request:
    try:
        at = parse_instant(cells["at"])
    except NaiveInstantError:
        raise RentmarkError(
            f"{where}: at is {cells['at']!r}, which has no time zone; add Z for UTC."
        ) from None
    except ValueError as error:
        raise RentmarkError(f"{where}: at: {error}.") from None
    if cells["correct"].casefold() not in _FLAGS:
        raise RentmarkError(f"{where}: correct is {cells['correct']!r}; write true, false or nothing.")
    tokens = cells["output_tokens"]
    if not tokens.isascii() or not tokens.isdigit():
        raise RentmarkError(f"{where}: output_tokens is {tokens!r}; write a whole number.")
    return Request(
        at=at,
        ttft_ms=_milliseconds(cells, "ttft_ms", where),
        tpot_ms=_milliseconds(cells, "tpot_ms", where),
        e2e_ms=_milliseconds(cells, "e2e_ms", where),
        correct=_FLAGS[cells["correct"].casefold()],
        output_tokens=int(tokens),
    )


def _milliseconds(cells: Mapping[str, Any], column: str, where: str) -> float | None:
    written = cells.get(column, "")
    if written == "":
        return None
    try:
        value = float(written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise RentmarkError(f"{where}: {column} is {written!r}; write milliseconds, 0 or more.")
    return value
