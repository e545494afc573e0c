"""The tape is append-only, chained and exact; who reads it as of a time sees what was published by then."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.records import Fixing, RentmarkError, seal
from rentmark.store import Store, superseded_at
from rentmark.store.governance import GovernanceEvent, add_event
from rentmark.store.tables import APPEND_ONLY, BATCH, CANDIDATE, FIXING
from sqlalchemy.exc import DBAPIError

from .blotter_made import event, keep_events
from .making import HOUR, MICROSECOND, START, SteppedClock, commit, make_fixing, offers, publish
from .marks_made import keep_marks, mark
from .ratings_made import keep_a_rating

FIRST, SECOND = date(2026, 7, 7), date(2026, 7, 8)


def test_a_publication_is_sealed_onto_the_row_before(store: Store, clock: SteppedClock):
    one, two = publish(store, make_fixing(FIRST), make_fixing(SECOND))
    clock.step()
    (three,) = publish(store, make_fixing(date(2026, 7, 9), None))
    assert [row.published_at for row in (one, two, three)] == [START, START, START + HOUR]
    assert one.published_at_real == START + timedelta(days=1000)
    assert one.previous_digest is None
    assert (two.previous_digest, three.previous_digest) == (one.row_digest, two.row_digest)
    for row in (one, two, three):
        assert row.row_digest == seal(replace(row, row_digest=None)) == seal(row)
    assert store.tape_sequence("invented-list") == [one, two, three]
    assert store.tape("invented-list") == [one, two, three]
    assert store.check_chain("invented-list") == []
    assert store.benchmarks() == ["invented-list"]


def test_chains_of_two_benchmarks_do_not_mix(store: Store):
    (one,) = publish(store, make_fixing(FIRST))
    (other,) = publish(store, make_fixing(FIRST, benchmark="another-list"))
    (two,) = publish(store, make_fixing(SECOND))
    assert (other.previous_digest, two.previous_digest) == (None, one.row_digest)
    assert store.benchmarks() == ["another-list", "invented-list"]
    assert store.check_chain("invented-list") == store.check_chain("another-list") == []


def test_a_revision_is_seen_from_its_own_publication(store: Store, clock: SteppedClock):
    first, other = publish(store, make_fixing(FIRST, 3_000_000), make_fixing(SECOND))
    clock.step()
    (second,) = publish(store, make_fixing(FIRST, 3_250_000, revision=1, reason="late data"))
    assert store.tape("invented-list", as_of=START - MICROSECOND) == []
    assert store.tape("invented-list", as_of=START) == [first, other]
    assert store.tape("invented-list", as_of=START + HOUR - MICROSECOND) == [first, other]
    assert store.tape("invented-list", as_of=START + HOUR) == [second, other]
    assert store.tape("invented-list") == [second, other]
    assert store.tape("invented-list", revisions="first") == [first, other]
    assert store.tape("invented-list", revisions="all") == [first, second, other]
    assert superseded_at(store.tape("invented-list", revisions="all")) == {(FIRST, 0): START + HOUR}


def test_a_publisher_sees_the_tape_as_it_stands_and_when_it_publishes(store: Store, clock: SteppedClock):
    published = publish(store, make_fixing(FIRST))
    clock.step()
    given_to_make = []

    def make(tape: list[Fixing], published_at: datetime) -> list[Fixing]:
        given_to_make.append((list(tape), published_at))
        tape.clear()
        return []

    assert store.append_fixings(make, "invented-list") == []
    assert given_to_make == [(published, START + HOUR)]
    assert store.tape_sequence("invented-list") == published


def test_a_publication_is_never_stamped_before_the_data_it_may_rest_on(store: Store):
    entries = [commit(store, offers(1, day=day)) for day in range(3)]
    (row,) = publish(store, make_fixing(FIRST))
    assert row.published_at == entries[-1].recorded_at + MICROSECOND
    assert commit(store, offers(1, day=5)).recorded_at == row.published_at + MICROSECOND


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"benchmark": "another-list"}, "does not belong"),
        ({"revision": 1}, "revision 0 is next"),
        ({"revision": 2}, "revision 0 is next"),
        ({"origin": None}, "has no origin"),
    ],
)
def test_a_fixing_that_does_not_follow_is_refused_and_nothing_is_appended(
    sqlite_store: Store, changes: dict[str, object], sentence: str
):
    wrong = make_fixing(SECOND, **({"origin": "live"} | changes))
    with pytest.raises(ValueError, match=sentence):
        sqlite_store.append_fixings(
            lambda _tape, _at: [make_fixing(FIRST, origin="live"), wrong], "invented-list"
        )
    assert sqlite_store.tape("invented-list") == []


def test_text_that_would_come_back_changed_is_refused_before_it_is_sealed(store: Store):
    with pytest.raises(RentmarkError, match="reason is"):
        publish(store, make_fixing(FIRST, reason="a\x00b"))
    assert store.tape("invented-list") == []


def test_what_fails_in_make_publishes_nothing(store: Store):
    def make(_tape: list[Fixing], _at: datetime) -> list[Fixing]:
        raise RentmarkError("no")

    with pytest.raises(RentmarkError, match="no"):
        store.append_fixings(make, "invented-list")
    assert len(publish(store, make_fixing(FIRST))) == 1


def test_writing_inside_make_is_an_error_and_not_a_minute_of_waiting(store: Store):
    def make(_tape: list[Fixing], _at: datetime) -> list[Fixing]:
        store.save_methodology("hash", {})
        return []

    with pytest.raises(RuntimeError, match="write transaction is open"):
        store.append_fixings(make, "invented-list")


def disarm(store: Store, table: str) -> None:
    """Take away the guard of a table, as someone who tampers would."""
    with store.database.writing() as connection:
        if store.database.is_sqlite:
            for change in ("update", "delete"):
                connection.exec_driver_sql(f"DROP TRIGGER {table}_refuses_{change}")
        else:
            connection.exec_driver_sql(f"DROP TRIGGER {table}_refuses_change ON {table}")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value_micros", 3_250_001),
        ("reason", "nothing to see"),
        ("published_at", START - HOUR),
        ("published_at_real", START),
        ("simulated", True),
        ("row_digest", "0" * 64),
    ],
)
def test_a_row_that_was_altered_is_found_and_located(store: Store, column: str, value: object):
    publish(store, *(make_fixing(FIRST + timedelta(days=n)) for n in range(3)))
    disarm(store, "fixing")
    with store.database.writing() as connection:
        connection.execute(sa.update(FIXING).where(FIXING.c.date == SECOND).values({column: value}))
    altered = [p for p in store.check_chain("invented-list") if p.code == "row_altered"]
    assert [(p.sequence, p.date, p.revision) for p in altered] == [(2, SECOND, 0)]
    assert "invented-list 2026-07-08 revision 0 (row 2 of the tape)" in altered[0].sentence


def test_a_row_that_was_taken_out_is_found_at_the_next(store: Store):
    publish(store, make_fixing(FIRST), make_fixing(SECOND), make_fixing(SECOND, revision=1))
    disarm(store, "fixing")
    with store.database.writing() as connection:
        connection.execute(sa.delete(FIXING).where(FIXING.c.sequence == 2))
    found = [(p.code, p.sequence, p.date, p.revision) for p in store.check_chain("invented-list")]
    assert found == [("link_broken", 3, SECOND, 1), ("revision_gap", 3, SECOND, 1)]


def test_a_row_resealed_by_hand_breaks_the_link_after_it(store: Store):
    rows = publish(store, make_fixing(FIRST), make_fixing(SECOND))
    forged = replace(rows[0], value_micros=1)
    disarm(store, "fixing")
    with store.database.writing() as connection:
        connection.execute(
            sa.update(FIXING).where(FIXING.c.sequence == 1).values(value_micros=1, row_digest=seal(forged))
        )
    assert [(p.code, p.sequence) for p in store.check_chain("invented-list")] == [("link_broken", 2)]


@pytest.mark.parametrize("table", [table.name for table in APPEND_ONLY])
@pytest.mark.parametrize("change", ["UPDATE", "DELETE"])
def test_the_database_itself_refuses_to_change_what_is_committed(store: Store, table: str, change: str):
    commit(store, offers(1), rejects=[{**_REJECT}])
    publish(store, make_fixing(FIRST))
    store.save_methodology("hash", {"a": 1})
    store.certify(
        contract="cme-gpu1", month="2026-07", benchmark="invented-list", price_micros=1, who="A", reason="B"
    )
    keep_a_rating(store)
    keep_marks(store, mark())
    keep_events(store, event())
    add_event(store, GovernanceEvent(kind="hold", subject="invented-list", date=FIRST, content={}, actor="a"))
    column = sa.inspect(FIXING.metadata.tables[table]).primary_key.columns.values()[0].name
    statement = f"DELETE FROM {table}" if change == "DELETE" else f"UPDATE {table} SET {column} = {column}"

    def tamper() -> None:
        with store.database.writing() as connection:
            connection.exec_driver_sql(statement)

    with pytest.raises((DBAPIError, RentmarkError), match=f"{table} is append-only"):
        tamper()


_REJECT = {"position": 0, "reason": "missing_price", "field": "price", "value": "", "sentence": "no price."}

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
COUNTS = st.integers(0, 2**63 - 1)
PRICES = st.integers(1, 400).map(lambda quarter: quarter * 250_000)
INSTANTS = st.datetimes(timezones=st.just(UTC))
DATES = st.dates()


def maybe(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | values


FIXINGS = st.builds(
    Fixing,
    benchmark=st.just("invented-list"),
    date=DATES,
    value_micros=PRICES,
    status=st.sampled_from(["OK", "THIN", "CARRIED"]),
    rule=maybe(TEXTS),
    tier=maybe(TEXTS),
    n_observations=COUNTS,
    n_sellers=COUNTS,
    n_votes=COUNTS,
    n_venues=COUNTS,
    gpu_seconds=COUNTS,
    p25_micros=maybe(PRICES),
    p75_micros=maybe(PRICES),
    top_weight=maybe(TEXTS),
    carried_from=maybe(DATES),
    methodology=TEXTS,
    methodology_version=TEXTS,
    methodology_hash=TEXTS,
    input_digest=TEXTS,
    effective_at=INSTANTS,
    simulated=st.booleans(),
    reconstructed=st.booleans(),
    rights=TEXTS,
    settlement_grade=st.booleans(),
    revision=st.just(0),
    origin=st.sampled_from(["live", "backcast"]),
    built_as_of=maybe(INSTANTS),
    actor=maybe(TEXTS),
    approved_by=maybe(TEXTS),
    judgement=maybe(TEXTS),
    reason=maybe(TEXTS),
) | st.builds(make_fixing, DATES, st.none(), origin=st.just("backcast"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=st.lists(FIXINGS, min_size=1, max_size=5, unique_by=lambda fixing: fixing.date))
def test_any_fixing_comes_back_exactly_from_tape_and_candidates(store: Store, database_url, made):
    store.replace_candidates("invented-list", "latest", made, START)
    assert store.candidates("invented-list", "latest") == sorted(made, key=lambda fixing: fixing.date)
    standing = {row.date: row.revision for row in store.tape("invented-list")}
    following = [replace(fixing, revision=standing.get(fixing.date, -1) + 1) for fixing in made]
    appended = store.append_fixings(lambda _tape, _at: following, "invented-list")
    with Store.open(store.root, database_url=database_url, clock=store.clock) as afresh:
        read = afresh.tape_sequence("invented-list")[-len(made) :]
    assert read == appended
    for before, after in zip(following, read, strict=True):
        stamps = ("published_at", "published_at_real", "previous_digest", "row_digest")
        assert before == replace(after, **dict.fromkeys(stamps))
    assert store.check_chain("invented-list") == []


def test_every_field_of_a_fixing_has_its_column():
    names = [field.name for field in fields(Fixing)]
    assert [column.name for column in FIXING.columns] == ["sequence", *names]
    assert [column.name for column in CANDIDATE.columns] == ["view", "built_at", *names]


def test_every_field_of_a_ledger_entry_has_its_column():
    from rentmark.records import LedgerEntry

    assert {field.name for field in fields(LedgerEntry)} <= set(BATCH.c.keys())
