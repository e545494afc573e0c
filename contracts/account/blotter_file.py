"""Read a blotter: a broker's CSV of trades, amendments and cancellations, row by row.

Columns: ``trade_id, broker, account, date, contract, month, side, lots, price``, and optionally
``fees`` (dollars for the whole trade; blank takes the schedule), ``action`` (new, amend, cancel; blank
is new), ``strategy`` (``roll`` marks a roll) and ``event_id``. A row that can't stand is refused with a
sentence beside the rows that can. ``records = accepted + rejected + duplicates``.

A row is a duplicate when the archive holds what it says at least as often as the file has said it so
far: a file read twice, or a longer one that begins with a shorter one, changes nothing twice. An
amendment that says what an earlier one said, of a trade that stands otherwise now, could be either, and
is refused unless its file brings the trade's history along or it has an ``event_id``.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ...records import Refusal, UsageError, format_micros, micros_from_text, parse_date
from ...records.blotter import ACTIONS, Action, BlotterEvent, BlotterReject, TradeKey
from ..spec import ContractSpec
from .events import StandingTrade, amended, apply_event, standing
from .trades import trade_refusal

READER_VERSION = "1"
REQUIRED = ("trade_id", "broker", "account", "date", "contract", "month", "side", "lots", "price")
OPTIONAL = ("fees", "action", "strategy", "event_id")
MOST_DIGITS = 9
"""Of a number of lots: more than any contract has ever had open."""
_SHOWN = 60
_SIGNS: Mapping[str, int] = {"buy": 1, "b": 1, "long": 1, "sell": -1, "s": -1, "short": -1}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlotterReading:
    """What a file came to beside what stood before; ``refusal`` where it could not be read at all."""

    records: int
    duplicates: int
    events: tuple[BlotterEvent, ...]
    rejects: tuple[BlotterReject, ...]
    notes: tuple[str, ...] = ()
    refusal: Refusal | None = None


class _RowRefusedError(Exception):
    """One row can't stand; carried to the loop over rows, which keeps it as a reject."""

    def __init__(self, reason: str, field: str, value: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason, self.field, self.value, self.sentence = reason, field, value, sentence


def read_blotter(
    payload: bytes, specs: Mapping[str, ContractSpec], before: Iterable[BlotterEvent]
) -> BlotterReading:
    """Read a blotter's bytes against the contracts there are and the events on record.

    Nothing the bytes hold raises: a file that is none of ours is a refusal, a bad row a reject.
    """
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _refused("not_this_format", "is not text in UTF-8")
    if not text.strip():
        return _refused("empty_payload", "holds no rows")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        return _refused("damaged_payload", f"is no CSV ({error})")
    header = [name.strip().lower() for name in rows[0]]
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        return _refused("missing_column", f"lacks the column {missing[0]}; it needs {', '.join(REQUIRED)}")
    doubled = [name for name, count in Counter(header).items() if count > 1 and name in REQUIRED + OPTIONAL]
    if doubled:
        return _refused("not_this_format", f"has the column {doubled[0]} twice; keep one")
    unread = sorted({name for name in header if name and name not in REQUIRED + OPTIONAL})
    reader = _Reader(specs, before)
    body = [row for row in rows[1:] if any(cell.strip() for cell in row)]
    for position, row in enumerate(body):
        reader.take(position, header, row)
    return BlotterReading(
        records=len(body),
        duplicates=reader.duplicates,
        events=tuple(reader.events),
        rejects=tuple(reader.rejects),
        notes=(f"columns not read: {', '.join(unread)}",) if unread else (),
    )


def _refused(code: str, said: str) -> BlotterReading:
    return BlotterReading(records=0, duplicates=0, events=(), rejects=(), refusal=Refusal(code, said))


class _Reader:
    """What stands while a file is read row by row."""

    def __init__(self, specs: Mapping[str, ContractSpec], before: Iterable[BlotterEvent]) -> None:
        kept = list(before)
        self._specs = specs
        self._trades: dict[TradeKey, StandingTrade] = standing(kept)
        self._archived = Counter(event.content_digest for event in kept)
        self._said: Counter[str] = Counter()
        self._replayed: set[TradeKey] = set()
        self.events: list[BlotterEvent] = []
        self.rejects: list[BlotterReject] = []
        self.duplicates = 0

    def take(self, position: int, header: Sequence[str], row: Sequence[str]) -> None:
        """Read one row into an event, a duplicate or a reject."""
        try:
            _check_row(header, row)
            event = _event(dict(zip(header, (cell.strip() for cell in row), strict=True)), position)
            if self._is_duplicate(event):
                self.duplicates += 1
                return
            self._check(event)
        except _RowRefusedError as refused:
            self.rejects.append(
                BlotterReject(
                    position=position,
                    reason=refused.reason,
                    field=refused.field,
                    value=refused.value,
                    sentence=f"row {position + 1}: {refused.sentence}",
                )
            )
            return
        apply_event(self._trades, event)
        self.events.append(event)

    def _is_duplicate(self, event: BlotterEvent) -> bool:
        digest = event.content_digest
        self._said[digest] += 1
        if self._said[digest] > self._archived[digest]:
            return False
        if event.action == "new":
            self._replayed.add(event.key)
        if event.action != "amend" or event.event_id is not None or event.key in self._replayed:
            return True
        stands = self._trades[event.key]
        if amended(stands.terms, event) == stands.terms:
            return True
        raise _RowRefusedError(
            "ambiguous_amend",
            "trade_id",
            event.trade_id,
            f"it amends trade {event.trade_id} of {event.broker} as an earlier event did, and the trade stands "
            "otherwise now; add an event_id to say that it is a new amendment.",
        )

    def _check(self, event: BlotterEvent) -> None:
        named = f"trade {event.trade_id} of {event.broker}"
        stands = self._trades.get(event.key)
        if event.action == "new":
            if stands is not None:
                raise _RowRefusedError(
                    "trade_known",
                    "trade_id",
                    event.trade_id,
                    f"{named} is known with other terms; send an amend.",
                )
            self._check_terms(event)
            return
        if stands is None:
            raise _RowRefusedError(
                "unknown_trade",
                "trade_id",
                event.trade_id,
                f"it {event.action}s {named}, which is unknown; send the new trade first.",
            )
        if stands.cancelled:
            raise _RowRefusedError(
                "trade_cancelled",
                "trade_id",
                event.trade_id,
                f"it {event.action}s {named}, which is cancelled; send a new trade under another id.",
            )
        if event.action == "amend":
            self._check_terms(amended(stands.terms, event))

    def _check_terms(self, terms: BlotterEvent) -> None:
        for name in ("account", "traded_on", "contract", "month", "lots", "price_micros"):
            if getattr(terms, name) is None:
                column = {"traded_on": "date", "price_micros": "price"}.get(name, name)
                raise _RowRefusedError(
                    f"missing_{column}", column, "", f"{column} is blank; a new trade needs it."
                )
        assert terms.contract is not None
        assert terms.month is not None
        assert terms.traded_on is not None
        assert terms.lots is not None
        spec = self._specs.get(terms.contract)
        if spec is None:
            raise _RowRefusedError(
                "unknown_contract",
                "contract",
                terms.contract,
                f"contract is {_short(terms.contract)!r}, which is none here; known: {', '.join(sorted(self._specs))}.",
            )
        try:
            refused = trade_refusal(spec, terms.month, terms.traded_on, terms.lots, terms.price_micros)
        except UsageError as error:
            raise _RowRefusedError("bad_month", "month", terms.month, error.sentence) from None
        if refused is not None:
            field = _FIELD_OF.get(refused.code, "month")
            price = "" if terms.price_micros is None else format_micros(terms.price_micros)
            shown = {"lots": str(terms.lots), "price": price}.get(field, terms.month)
            raise _RowRefusedError(refused.code, field, shown, refused.sentence)


_FIELD_OF: Mapping[str, str] = {
    "lots_not_whole": "lots",
    "no_lots": "lots",
    "price_not_positive": "price",
    "off_tick": "price",
}


def _check_row(header: Sequence[str], row: Sequence[str]) -> None:
    if len(row) != len(header):
        raise _RowRefusedError(
            "truncated_row",
            "row",
            ",".join(row),
            f"it has {len(row)} cells and the header {len(header)}; the file may be cut off.",
        )
    if any("\x00" in cell for cell in row):
        raise _RowRefusedError("malformed_record", "row", ",".join(row), "it holds a NUL; leave it out.")


def _event(cells: Mapping[str, str], position: int) -> BlotterEvent:
    action = _action(cells)
    trade_id, broker = (_required(cells, name) for name in ("trade_id", "broker"))
    event_id = cells.get("event_id") or None
    if action == "cancel":
        return BlotterEvent(
            action=action, trade_id=trade_id, broker=broker, event_id=event_id, position=position
        )
    return BlotterEvent(
        action=action,
        trade_id=trade_id,
        broker=broker,
        event_id=event_id,
        position=position,
        account=cells["account"] or None,
        traded_on=_day(cells["date"]),
        contract=cells["contract"].lower() or None,
        month=cells["month"] or None,
        lots=_lots(cells, action),
        price_micros=_money(cells, "price"),
        fees_micros=_money(cells, "fees"),
        strategy=(cells.get("strategy") or "").lower() or None,
    )


def _action(cells: Mapping[str, str]) -> Action:
    text = (cells.get("action") or "new").lower()
    for action in ACTIONS:
        if text == action:
            return action
    raise _RowRefusedError(
        "bad_choice", "action", text, f"action is {_short(text)!r}; it is new, amend or cancel."
    )


def _required(cells: Mapping[str, str], name: str) -> str:
    value = cells[name]
    if not value:
        raise _RowRefusedError(f"missing_{name}", name, "", f"{name} is blank; every event needs it.")
    return value


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return parse_date(text)
    except ValueError as error:
        raise _RowRefusedError("bad_time", "date", text, f"{error}.") from None


def _lots(cells: Mapping[str, str], action: Action) -> int | None:
    """Signed lots from side and lots, which an amendment gives both or neither."""
    side, text = cells["side"].lower(), cells["lots"]
    if not side and not text and action == "amend":
        return None
    sign = _SIGNS.get(side)
    if sign is None:
        said = "is blank" if not side else f"is {_short(side)!r}"
        raise _RowRefusedError(
            "bad_choice", "side", side, f"side {said}; it is buy or sell, beside the lots."
        )
    if not text:
        raise _RowRefusedError("missing_lots", "lots", "", "lots is blank; write a whole number.")
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise _RowRefusedError(
            "lots_not_whole",
            "lots",
            text,
            f"lots is {_short(text)!r}; write a whole number up to {MOST_DIGITS} digits, the side says which way.",
        )
    return sign * int(text)


def _money(cells: Mapping[str, str], name: str) -> int | None:
    text = cells.get(name) or ""
    if not text:
        return None
    try:
        return micros_from_text(text)
    except ValueError:
        raise _RowRefusedError(
            "bad_number",
            name,
            text,
            f"{name} is {_short(text)!r}; write dollars as a plain decimal such as 3.12.",
        ) from None


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
