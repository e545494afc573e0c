"""A broker's file: every row is an event, a duplicate or a reject with a sentence, and reading it twice is once."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rentmark.contracts import CONTRACTS
from rentmark.contracts.account import BlotterReading, read_blotter, standing, trades_of
from rentmark.records import PAYLOAD_REASONS
from rentmark.records.blotter import BlotterEvent
from rentmark.records.rules import BLOTTER_REASONS

HEADER = "trade_id,broker,account,date,contract,month,side,lots,price,fees,action,strategy,event_id"
NEW = "T1,acme,desk,2026-08-03,cme-gpu1,2026-09,buy,10,3.10,,new,,"
AMEND = "T1,acme,desk,,,,,,3.12,,amend,,"
CANCEL = "T1,acme,,,,,,,,,cancel,,"


def read(*rows: str, before: tuple[BlotterEvent, ...] = (), header: str = HEADER) -> BlotterReading:
    reading = read_blotter("\n".join([header, *rows, ""]).encode(), CONTRACTS, before)
    assert reading.records == len(reading.events) + len(reading.rejects) + reading.duplicates
    return reading


def test_new_amend_and_cancel_come_to_what_stands():
    (event,) = read(NEW).events
    assert (event.lots, event.price_micros, event.traded_on) == (10, 3_100_000, date(2026, 8, 3))
    assert (event.fees_micros, event.strategy, event.action) == (None, None, "new")
    amended = standing(read(NEW, AMEND).events)["acme", "T1"]
    assert (amended.terms.price_micros, amended.terms.lots, amended.events) == (3_120_000, 10, 2)
    assert not amended.cancelled
    cancelled = read(NEW, AMEND, CANCEL)
    assert standing(cancelled.events)["acme", "T1"].cancelled
    assert trades_of(cancelled.events) == {}
    assert trades_of(read(NEW, AMEND).events)["desk"][0].price_micros == 3_120_000


def test_side_gives_the_sign_and_an_amendment_may_turn_it():
    assert read(NEW.replace("buy", "SELL")).events[0].lots == -10
    turned = read(NEW, "T1,acme,desk,,,,sell,4,,12.50,amend,,")
    stands = standing(turned.events)["acme", "T1"].terms
    assert (stands.lots, stands.fees_micros, stands.price_micros) == (-4, 12_500_000, 3_100_000)


def test_the_same_trade_id_of_two_brokers_are_two_trades():
    reading = read(NEW, NEW.replace("acme", "other"))
    assert len(standing(reading.events)) == 2


def test_an_amendment_may_move_a_trade_to_another_account():
    reading = read(NEW, "T1,acme,hedge,,,,,,,,amend,,")
    assert set(trades_of(reading.events)) == {"hedge"}
    assert trades_of(reading.events, "desk") == {}


@pytest.mark.parametrize(
    ("row", "reason", "said"),
    [
        (NEW.replace("T1", ""), "missing_trade_id", "row 1: trade_id is blank"),
        (NEW.replace("acme", " "), "missing_broker", "broker is blank"),
        (NEW.replace("desk", ""), "missing_account", "account is blank; a new trade needs it."),
        (NEW.replace("2026-08-03", ""), "missing_date", "date is blank"),
        (NEW.replace("2026-08-03", "3.8.2026"), "bad_time", "'3.8.2026' is not a date"),
        (
            NEW.replace("cme-gpu1", "cme-gpu9"),
            "unknown_contract",
            "contract is 'cme-gpu9', which is none here",
        ),
        (NEW.replace("cme-gpu1", ""), "missing_contract", "contract is blank"),
        (NEW.replace("2026-09", "2026-13"), "bad_month", "is not a month"),
        (NEW.replace("2026-09", ""), "missing_month", "month is blank"),
        (NEW.replace("2026-09", "2026-07"), "month_expired", "cme-gpu1 2026-07 traded until 2026-07-31"),
        (
            NEW.replace("2026-09", "2031-09"),
            "month_not_listed",
            "cme-gpu1 2031-09 is not listed on 2026-08-03",
        ),
        (NEW.replace("buy", "hold"), "bad_choice", "side is 'hold'; it is buy or sell"),
        (NEW.replace("buy", ""), "bad_choice", "side is blank"),
        (NEW.replace(",10,", ",,"), "missing_lots", "lots is blank"),
        (NEW.replace(",10,", ",1.5,"), "lots_not_whole", "lots is '1.5'; write a whole number"),
        (NEW.replace(",10,", ",-10,"), "lots_not_whole", "lots is '-10'"),
        (NEW.replace(",10,", ",1234567890,"), "lots_not_whole", "up to 9 digits"),
        (NEW.replace(",10,", ",0,"), "no_lots", "lots is 0; leave the trade out."),
        (NEW.replace("3.10", ""), "missing_price", "price is blank"),
        (NEW.replace("3.10", "3,10").replace("3,10", '"3,10"'), "bad_number", "price is '3,10'"),
        (NEW.replace("3.10", "NaN"), "bad_number", "price is 'NaN'"),
        (NEW.replace("3.10", "-3.10"), "price_not_positive", "a price must be above zero"),
        (
            NEW.replace("3.10", "3.105"),
            "off_tick",
            "price is 3.105000, which is no multiple of the tick of cme-gpu1",
        ),
        (NEW.replace(",,new", ",free,new"), "bad_number", "fees is 'free'"),
        (NEW.replace("new", "delete"), "bad_choice", "action is 'delete'; it is new, amend or cancel."),
        (AMEND, "unknown_trade", "it amends trade T1 of acme, which is unknown; send the new trade first."),
        (CANCEL, "unknown_trade", "it cancels trade T1 of acme, which is unknown"),
        (NEW[:30], "truncated_row", "it has 5 cells and the header 13; the file may be cut off."),
        (NEW.replace("desk", "de\x00sk"), "malformed_record", "it holds a NUL"),
    ],
)
def test_a_row_that_can_not_stand_is_refused_beside_one_that_can(row, reason, said):
    other = NEW.replace("T1", "T9")
    reading = read(row, other)
    assert [event.trade_id for event in reading.events] == ["T9"]
    (reject,) = reading.rejects
    assert (reject.reason, reject.position) == (reason, 0)
    assert said in reject.sentence
    assert reject.sentence.endswith(".")
    assert reject.reason in BLOTTER_REASONS


@pytest.mark.parametrize(
    ("rows", "reason", "said"),
    [
        (
            [NEW, NEW.replace("3.10", "3.11")],
            "trade_known",
            "trade T1 of acme is known with other terms; send an amend.",
        ),
        ([NEW, CANCEL, AMEND], "trade_cancelled", "it amends trade T1 of acme, which is cancelled"),
        ([NEW, CANCEL, NEW.replace("3.10", "3.11")], "trade_known", "is known with other terms"),
        ([NEW, AMEND.replace("3.12", "3.125")], "off_tick", "price is 3.125000"),
        ([NEW, "T1,acme,desk,,,,sell,,,,amend,,"], "missing_lots", "lots is blank"),
        ([NEW, "T1,acme,desk,,,,,4,,,amend,,"], "bad_choice", "side is blank"),
    ],
)
def test_an_event_that_does_not_follow_is_refused_and_what_stood_stands(rows, reason, said):
    reading = read(*rows)
    assert [reject.reason for reject in reading.rejects] == [reason]
    assert said in reading.rejects[0].sentence
    assert len(reading.events) == len(rows) - 1


def test_an_amendment_of_a_refused_trade_is_an_amendment_of_an_unknown_one():
    reading = read(NEW.replace("3.10", "3.105"), AMEND)
    assert [reject.reason for reject in reading.rejects] == ["off_tick", "unknown_trade"]


def test_a_file_read_twice_or_grown_changes_nothing_twice():
    rows = [NEW, AMEND, NEW.replace("T1", "T2"), AMEND.replace("3.12", "3.10"), AMEND, CANCEL]
    first = read(*rows)
    assert len(first.events) == len(rows)
    again = read(*rows, before=first.events)
    assert (again.duplicates, again.events, again.rejects) == (len(rows), (), ())
    grown = read(*rows, NEW.replace("T1", "T3"), before=first.events)
    assert (grown.duplicates, [event.trade_id for event in grown.events]) == (len(rows), ["T3"])
    shorter = read(*rows[:3], before=first.events)
    assert (shorter.duplicates, shorter.events, shorter.rejects) == (3, (), ())


def test_an_amendment_that_could_be_old_or_new_is_asked_about_and_never_guessed():
    kept = read(NEW, AMEND, AMEND.replace("3.12", "3.15")).events
    alone = read(AMEND, before=kept)
    assert [reject.reason for reject in alone.rejects] == ["ambiguous_amend"]
    assert "add an event_id" in alone.rejects[0].sentence
    told = read(AMEND + "E7", before=kept)
    assert standing((*kept, *told.events))["acme", "T1"].terms.price_micros == 3_120_000
    assert read(AMEND + "E7", before=(*kept, *told.events)).duplicates == 1
    # one that changes nothing needs no question
    assert read(AMEND.replace("3.12", "3.15"), before=kept).duplicates == 1


def test_columns_nobody_reads_are_named_and_order_does_not_matter():
    reading = read(
        "buy,T1,10,acme,3.10,desk,2026-08-03,2026-09,cme-gpu1,7",
        header="side,trade_id,lots,broker,price,account,date,month,contract,trader",
    )
    assert len(reading.events) == 1
    assert reading.notes == ("columns not read: trader",)


@pytest.mark.parametrize(
    ("payload", "code", "said"),
    [
        (b"", "empty_payload", "holds no rows"),
        (b"\xff\xfe\x00", "not_this_format", "is not text in UTF-8"),
        (b"a,b\n1,2\n", "missing_column", "lacks the column trade_id"),
        (HEADER.encode() + b'\nT1,"acme', "damaged_payload", "is no CSV"),
        (HEADER.replace("fees", "lots").encode() + b"\n", "not_this_format", "has the column lots twice"),
    ],
)
def test_a_file_that_is_no_blotter_is_refused_in_words(payload, code, said):
    reading = read_blotter(payload, CONTRACTS, ())
    assert reading.refusal is not None
    assert reading.refusal.code == code
    assert said in reading.refusal.sentence
    assert code in PAYLOAD_REASONS
    assert (reading.records, reading.events, reading.rejects) == (0, (), ())


ROWS = [
    NEW, AMEND, CANCEL, NEW.replace("T1", "T2"), AMEND.replace("3.12", "3.10"), AMEND.replace("T1", "T2"),
    NEW.replace("3.10", "3.11"), CANCEL.replace("T1", "T2"),
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.sampled_from(ROWS), max_size=12), cut=st.integers(0, 12))
def test_a_good_file_is_idempotent_and_in_two_parts_stands_as_in_one(rows, cut):
    # a refused row may stand once what it lacked is there, which is its remedy: so only rows that stand
    refused = {reject.position for reject in read(*rows).rejects}
    rows = [row for place, row in enumerate(rows) if place not in refused]
    first = read(*rows)
    assert first.rejects == ()
    again = read(*rows, before=first.events)
    assert (again.events, again.rejects, again.duplicates) == ((), (), len(rows))
    # read in two parts, the second with the first before it, they come to the same as at once
    head = read(*rows[:cut])
    both = read(*rows, before=head.events)
    assert standing((*head.events, *both.events)) == standing(first.events)


@settings(max_examples=150, deadline=None)
@given(payload=st.binary(max_size=200))
def test_no_bytes_raise(payload):
    read_blotter(payload, CONTRACTS, ())
    read_blotter(HEADER.encode() + b"\n" + payload, CONTRACTS, ())


@settings(max_examples=100, deadline=None)
@given(cells=st.lists(st.text(max_size=8), min_size=13, max_size=13))
def test_no_cells_raise(cells):
    import csv
    import io

    out = io.StringIO()
    csv.writer(out).writerow(cells)
    reading = read_blotter(f"{HEADER}\n{out.getvalue()}".encode("utf-8", "replace"), CONTRACTS, ())
    assert reading.events == () or reading.events[0].lots
