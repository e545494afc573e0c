"""Marks: settlements files in, each once, and the marks known at an instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from ..records import Mark, MarkImport, RentmarkError, sha256_hex
from ..records.blotter import BlotterImport
from .core import Workspace
from .rows import instant, price
from .views import AsOf

FILE_LIMIT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ImportedMarks:
    """What a settlements file came to. ``already`` when these very bytes had been imported before."""

    entry: MarkImport
    already: bool

    @property
    def nothing_done(self) -> bool:
        """True when no row of the file stands and something was refused."""
        return self.entry.accepted == 0 and self.entry.duplicates == 0 and not self.already


def import_settlements(workspace: Workspace, path: Path) -> ImportedMarks:
    """Archive a settlements file, read it, and commit its good rows; the same bytes again change nothing.

    Raises RentmarkError where the file can't be read or is in another layout; a bad row is a reject.
    """
    return import_settlement_bytes(workspace, path.name, _read(path))


def import_settlement_bytes(workspace: Workspace, origin_name: str, payload: bytes) -> ImportedMarks:
    """The same for bytes at hand."""
    from ..contracts.curve import join_marks, read_settlements
    from ..store.marks import PreparedMarks, add_marks, find_mark_import

    digest = sha256_hex(payload)
    before = find_mark_import(workspace.store, digest)
    if before is not None:
        return ImportedMarks(before, already=True)
    contracts = workspace.configuration.contracts
    workspace.store.put_payload(payload)
    file = read_settlements(payload, origin_name, contracts, workspace.store.now())

    def prepare(standing: list[Mark], _now: datetime) -> PreparedMarks:
        joined = join_marks(file, standing, contracts)
        return PreparedMarks(
            marks=joined.marks, rejects=joined.rejects, duplicates=joined.duplicates, notes=joined.notes
        )

    entry = add_marks(
        workspace.store,
        prepare,
        payload_digest=digest,
        payload_bytes=len(payload),
        origin_name=origin_name,
    )
    return ImportedMarks(entry, already=False)


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise RentmarkError(f"There is no settlements file {path}; check the path.")
    size = path.stat().st_size
    if size > FILE_LIMIT_BYTES:
        limit = FILE_LIMIT_BYTES // 1024**2
        raise RentmarkError(f"{path} is {size / 1024**2:.0f} MB; the limit is {limit} MB. Split it.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise RentmarkError(f"{path} can't be read: {error.strerror}.") from None


def marks_of(
    workspace: Workspace, contract_name: str, as_of: AsOf | None = None
) -> Mapping[tuple[str, date], Mark]:
    """The latest vintage of each (month, trade date) of a contract known at an as-of (None: now)."""
    from ..contracts.curve import marks_known_at
    from ..store.marks import mark_rows

    rows = mark_rows(workspace.store, contract_name)
    if as_of is None:
        return marks_known_at(rows, None)
    return marks_known_at(rows, as_of.instant, reconstructed=as_of.reconstructed)


def import_row(imported: ImportedMarks) -> dict[str, Any]:
    """The documented JSON of `settlements import`."""
    return taken_in_row(imported.entry, already=imported.already)


def taken_in_row(entry: MarkImport | BlotterImport, *, already: bool) -> dict[str, Any]:
    """The account of an imported file, as every import tells it."""
    return {
        "origin_name": entry.origin_name,
        "payload_digest": entry.payload_digest,
        "recorded_at": instant(entry.recorded_at),
        "records": entry.records,
        "accepted": entry.accepted,
        "rejected": entry.rejected,
        "duplicates": entry.duplicates,
        "already_imported": already,
        "rejects": [asdict(reject) for reject in entry.rejects],
        "notes": list(entry.notes),
    }


def mark_row(mark: Mark) -> dict[str, Any]:
    """One mark in the documented JSON of `settlements show`."""
    row: dict[str, Any] = {
        "contract": mark.contract,
        "month": mark.month,
        "trade_date": mark.trade_date.isoformat(),
        "settle": price(mark.settle_micros),
        "bid": price(mark.bid_micros),
        "ask": price(mark.ask_micros),
        "volume": mark.volume,
        "open_interest": mark.open_interest,
        "vintage": instant(mark.vintage),
        "recorded_at": instant(mark.recorded_at),
    }
    for side in ("bid", "ask"):
        if row[side] is None:
            row[f"{side}_reason"] = "the settlements file gives none"
    return row
