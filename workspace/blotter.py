"""Blotters: brokers' files in, each event once, and what stands of every trade."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from ..contracts import contract_hash
from ..contracts.account import READER_VERSION, StandingTrade, read_blotter, standing
from ..records import RentmarkError, digest_of, sha256_hex
from ..records.blotter import BlotterEvent, BlotterImport
from .core import Workspace
from .input_files import read_input_file
from .marks import taken_in_row
from .rows import instant, price
from .views import AsOf


@dataclass(frozen=True, slots=True)
class ImportedBlotter:
    """What a blotter file came to. ``already`` when these very bytes had been imported before."""

    entry: BlotterImport
    already: bool

    @property
    def nothing_done(self) -> bool:
        """True when no row of the file is on record and something was refused."""
        entry = self.entry
        refused = entry.rejected > 0 or entry.refusal_code is not None
        return entry.accepted == 0 and entry.duplicates == 0 and refused and not self.already


def import_blotter(workspace: Workspace, path: Path) -> ImportedBlotter:
    """Archive a broker's file, read it, and commit its good rows; the same bytes again change nothing.

    Raises RentmarkError where the file is absent or can't be read from disk; a bad row is a reject, and
    a file in another layout is on record with its refusal.
    """
    return import_blotter_bytes(workspace, path.name, read_input_file(path, "blotter"))


def import_blotter_bytes(workspace: Workspace, origin_name: str, payload: bytes) -> ImportedBlotter:
    """The same for bytes at hand."""
    from ..store.blotter import PreparedBlotter, add_blotter, find_blotter_import

    contracts = workspace.configuration.contracts
    digest = sha256_hex(payload)
    # A row that one set of contracts refuses another may admit, so the contracts are part of the key.
    rules_hash = digest_of(
        {
            "reader": READER_VERSION,
            "contracts": {name: contract_hash(spec) for name, spec in contracts.items()},
        }
    )
    before = find_blotter_import(workspace.store, digest, rules_hash)
    if before is not None:
        return ImportedBlotter(before, already=True)
    workspace.store.put_payload(payload)

    def prepare(events: list[BlotterEvent]) -> PreparedBlotter:
        reading = read_blotter(payload, contracts, events)
        refusal = reading.refusal
        return PreparedBlotter(
            records=reading.records,
            duplicates=reading.duplicates,
            events=reading.events,
            rejects=reading.rejects,
            notes=reading.notes,
            refusal_code=None if refusal is None else refusal.code,
            refusal_sentence=None if refusal is None else f"{origin_name} {refusal.sentence}.",
        )

    entry = add_blotter(
        workspace.store,
        prepare,
        payload_digest=digest,
        rules_hash=rules_hash,
        payload_bytes=len(payload),
        origin_name=origin_name,
    )
    return ImportedBlotter(entry, already=False)


def blotter_of(workspace: Workspace, as_of: datetime | None = None) -> list[BlotterEvent]:
    """Every accepted event recorded by an instant (None: now), in order."""
    from ..store.blotter import blotter_events

    return blotter_events(workspace.store, as_of)


def blotter_row(
    workspace: Workspace, account: str | None = None, as_of: AsOf | None = None
) -> dict[str, Any]:
    """The documented JSON of `blotter events`: events, what each trade stands at, and what its chain says.

    ``account`` keeps the trades that stand in it, with all their events. Raises RentmarkError for an
    account no trade is in.
    """
    from ..store.blotter import check_blotter

    events = blotter_of(workspace, None if as_of is None else as_of.instant)
    trades = standing(events)
    if account is not None:
        names = {each.terms.account for each in trades.values()}
        if account not in names:
            raise no_account(account, names)
        trades = {key: each for key, each in trades.items() if each.terms.account == account}
    return {
        "events": [event_row(event) for event in events if event.key in trades],
        "trades": [trade_row(each) for each in trades.values()],
        "problems": [problem.sentence for problem in check_blotter(workspace.store)],
        "simulated": workspace.store.simulated,
    }


def no_account(account: str, known: set[str | None]) -> RentmarkError:
    """What is said of an account no trade is in."""
    names = ", ".join(sorted(str(name) for name in known)) or "none yet"
    return RentmarkError(
        f"There is no account {account!r} in the blotter; known: {names}. `rentmark blotter import FILE` brings trades in."
    )


def blotter_import_row(imported: ImportedBlotter) -> dict[str, Any]:
    """The documented JSON of `blotter import`."""
    entry = imported.entry
    return {
        **taken_in_row(entry, already=imported.already),
        "refusal": entry.refusal_code,
        "reason": entry.refusal_sentence,
        "simulated": entry.simulated,
    }


def event_row(event: BlotterEvent) -> dict[str, Any]:
    """One event as the broker reported it."""
    row: dict[str, Any] = {
        "recorded_at": instant(event.recorded_at),
        "position": event.position,
        "action": event.action,
        **_terms(event),
        "event_id": event.event_id,
    }
    if event.action != "new":
        row["reason"] = "the event leaves it as it was"
    return row


def trade_row(stands: StandingTrade) -> dict[str, Any]:
    """One trade as it stands after all its events."""
    return {**_terms(stands.terms), "events": stands.events, "cancelled": stands.cancelled}


def _terms(event: BlotterEvent) -> dict[str, Any]:
    row: dict[str, Any] = {
        "broker": event.broker,
        "trade_id": event.trade_id,
        "account": event.account,
        "traded_on": None if event.traded_on is None else event.traded_on.isoformat(),
        "contract": event.contract,
        "month": event.month,
        "lots": event.lots,
        "price": price(event.price_micros),
        "fees": price(event.fees_micros),
        "strategy": event.strategy,
    }
    if event.fees_micros is None:
        row["fees_reason"] = "none billed: the account's schedule is used"
    return row
