"""A batch is committed once, whole, with counts that add up."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rentmark.records import Batch, Refusal, RentmarkError
from rentmark.records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.store import Store

from .making import (
    DAY,
    MICROSECOND,
    START,
    SteppedClock,
    archived,
    commit,
    make_batch,
    observation,
    offers,
    reject,
)


def test_what_is_committed_is_in_the_ledger_and_the_archive(store: Store):
    rejects = [reject(7), reject(3, "bad_time", "yesterday")]
    entry = commit(store, offers(4), rejects=rejects, duplicates=2, notes=("two rows repeat",))
    assert (entry.records, entry.accepted, entry.rejected, entry.duplicates) == (8, 4, 2, 2)
    assert entry.recorded_at == START
    assert entry.recorded_at_real == START + 1000 * DAY
    assert entry.notes == ("two rows repeat",)
    assert store.ledger() == [entry]
    rows = archived(store)
    assert [row["seller"] for row in sorted(rows, key=lambda row: row["seller"])] == [
        f"seller-{n}" for n in range(4)
    ]
    assert {row["recorded_at"] for row in rows} == {START}
    assert [row["position"] for row in store.rejects()] == [7, 3]
    assert store.rejects(reason="bad_time")[0]["value"] == "yesterday"
    assert store.rejects(limit=1)[0]["batch_id"] == entry.batch_id
    assert store.reject_counts() == {"bad_time": 1, "missing_price": 1}


def test_the_same_reading_again_changes_nothing_and_gives_the_first_counts(store: Store, clock: SteppedClock):
    first = commit(store, offers(4), rejects=[reject(7)], duplicates=1)
    files = store.observation_files()
    clock.step()
    assert commit(store, offers(4), rejects=[reject(7)], duplicates=1) == first
    assert store.ledger() == [first]
    assert store.observation_files() == files
    assert len(store.rejects()) == 1
    found = store.find_batch(first.payload_digest, first.feed, first.feed_version, first.mapping_hash)
    assert found == first
    assert store.find_batch(first.payload_digest, first.feed, "2", first.mapping_hash) is None


def test_a_row_of_an_earlier_payload_is_a_duplicate_whatever_its_other_columns(
    store: Store, clock: SteppedClock
):
    commit(store, offers(4))
    clock.step()
    overlap = [row | {"gpus_available": 5, "content_check": 1} for row in offers(6)]
    entry = commit(store, overlap, payload=b"next day's file", duplicates=1)
    assert (entry.records, entry.accepted, entry.duplicates) == (7, 2, 5)
    assert store.archived_duplicates(entry.batch_id) == 4
    assert len(archived(store)) == 6


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("price_micros", 3_500_000),
        ("observed_at", START),
        ("region", "us-east"),
        ("machine", "m-1"),
        ("gpu_count", None),
        ("pricing", "spot"),
        ("term_months", 12),
        ("trade_id", "t-1"),
    ],
)
def test_a_row_that_differs_in_one_key_column_is_no_duplicate(
    sqlite_store: Store, column: str, value: object
):
    commit(sqlite_store, [observation()])
    entry = commit(sqlite_store, [observation(**{column: value})])
    assert (entry.accepted, entry.duplicates) == (1, 0)


def test_ids_that_collide_are_not_yet_duplicates(sqlite_store: Store):
    commit(sqlite_store, [observation(seller="one", observation_id=42)])
    entry = commit(sqlite_store, [observation(seller="two", observation_id=42)])
    assert (entry.accepted, entry.duplicates) == (1, 0)
    again = commit(sqlite_store, [observation(seller="one", observation_id=42)], payload=b"later")
    assert (again.accepted, again.duplicates) == (0, 1)


def test_a_batch_is_cut_into_the_utc_months_of_observation(store: Store):
    instants = [
        datetime(2026, 7, 31, 23, 59, 59, 999_999, UTC),
        datetime(2026, 8, 1, tzinfo=UTC),
        datetime(2026, 8, 31, 23, tzinfo=UTC),
        datetime(2025, 12, 31, tzinfo=UTC),
    ]
    commit(store, [observation(observed_at=instant) for instant in instants])
    files = store.observation_files()
    assert [(file.month, file.rows) for file in files] == [("2025-12", 1), ("2026-07", 1), ("2026-08", 2)]
    assert files[2].first_observed_at == instants[1]
    assert files[2].last_observed_at == instants[2]
    assert store.observed_months() == ["2025-12", "2026-07", "2026-08"]
    assert store.observed_range() == (instants[3], instants[2])
    assert [file.month for file in store.observation_files(months=["2026-08"])] == ["2026-08"]
    for file, path in zip(files, store.file_paths(files), strict=True):
        assert path.parent.name == f"month={file.month}"
        table = pq.ParquetFile(path).read()
        assert table.schema.equals(OBSERVATION_SCHEMA)
        assert table.num_rows == file.rows


def test_the_same_rows_in_any_order_give_the_same_file(tmp_path, clock: SteppedClock):
    digests = []
    for number, order in enumerate((1, -1)):
        with Store.create(
            tmp_path / str(number), database_url=None, simulated=False, clock=SteppedClock()
        ) as store:
            rows = offers(50) + offers(50, day=2)
            payload = b"the same payload"
            digest = store.put_payload(payload)
            batch = make_batch(rows, digest)
            shuffled = Batch(
                observations=batch.observations.take(list(range(100))[::order]),
                rejects=batch.rejects,
                records=100,
                duplicates=0,
            )
            store.commit_batch(
                shuffled,
                feed="invented",
                feed_version="1",
                mapping_hash="none",
                payload_digest=digest,
                origin_name="offers.csv",
                payload_bytes=len(payload),
                received_at=START,
                rights="allowed",
                simulated=False,
            )
            digests.append([file.sha256 for file in store.observation_files()])
    assert digests[0] == digests[1]


def test_stamps_strictly_increase_even_when_the_clock_stands_or_runs_back(store: Store, clock: SteppedClock):
    first = commit(store, offers(1))
    second = commit(store, offers(1, day=2))
    clock.step(-DAY)
    third = commit(store, offers(1, day=3))
    assert second.recorded_at == first.recorded_at + MICROSECOND
    assert third.recorded_at == second.recorded_at + MICROSECOND
    assert store.latest_instant() == third.recorded_at
    assert store.now() == third.recorded_at
    clock.step(3 * DAY)
    assert store.now() == clock.now()


def test_a_refused_payload_is_in_the_ledger_with_its_sentence(store: Store):
    refusal = Refusal("not_this_format", "offers.csv is not a table; name another feed.")
    entry = commit(store, [], payload=b"\x00\x01", refusal=refusal)
    assert (entry.records, entry.accepted) == (0, 0)
    assert (entry.refusal_code, entry.refusal_sentence) == (refusal.code, refusal.sentence)
    assert store.ledger() == [entry]
    assert store.observation_files() == []
    assert store.observed_range() is None


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800", "\udcff.csv"])
def test_text_from_outside_that_no_database_holds_is_kept_marked(store: Store, text: str):
    entry = commit(store, offers(1), rejects=[reject(0, value="\x00")], origin_name=text)
    assert "\ufffd" in entry.origin_name
    assert store.rejects()[0]["value"] == "\ufffd"


def test_a_simulated_workspace_takes_simulated_data_only(tmp_path, clock: SteppedClock):
    with Store.create(tmp_path, database_url=None, simulated=True, clock=clock) as store:
        for rows, flag in ((offers(2), True), (offers(2, simulated=True), False), ([observation()], False)):
            with pytest.raises(RentmarkError, match="takes simulated sources only"):
                commit(store, rows, simulated=flag)
        assert store.ledger() == []
        assert commit(store, offers(2, simulated=True), simulated=True).simulated
    with Store.open(tmp_path, database_url=None, clock=clock) as reopened:
        assert reopened.simulated


def test_a_real_workspace_marks_a_batch_with_simulated_rows(sqlite_store: Store):
    assert not commit(sqlite_store, offers(2)).simulated
    assert commit(sqlite_store, [*offers(2, day=2), observation(simulated=True)]).simulated


def broken_batches() -> dict[str, Batch]:
    whole = make_batch(offers(2), "0" * 64)
    rows, rejects = whole.observations, whole.rejects
    null_seller = rows.set_column(
        rows.schema.get_field_index("seller"), OBSERVATION_SCHEMA.field("seller"), pa.array(["x", None])
    )
    return {
        "are not": Batch(observations=rows, rejects=rejects, records=3, duplicates=0),
        "columns": Batch(observations=rows.drop_columns("sku"), rejects=rejects, records=2, duplicates=0),
        "may not be null": Batch(observations=null_seller, rejects=rejects, records=2, duplicates=0),
        "another payload": Batch(observations=rows, rejects=rejects, records=2, duplicates=0),
        "stands twice": Batch(
            observations=make_batch(offers(1) * 2, "").observations, rejects=rejects, records=2, duplicates=0
        ),
    }


@pytest.mark.parametrize("broken", list(broken_batches()))
def test_a_feed_that_breaks_its_promise_is_stopped_before_anything_is_written(
    sqlite_store: Store, broken: str
):
    batch = broken_batches()[broken]
    digest = "" if broken == "stands twice" else "0" * 64
    with pytest.raises(ValueError, match=broken):
        sqlite_store.commit_batch(
            batch,
            feed="invented",
            feed_version="1",
            mapping_hash="none",
            payload_digest="1" * 64 if broken == "another payload" else digest,
            origin_name="offers.csv",
            payload_bytes=0,
            received_at=START,
            rights="allowed",
            simulated=False,
        )
    assert sqlite_store.ledger() == []
    assert not list(sqlite_store.root.rglob("*.parquet"))


ROWS = st.lists(
    st.builds(
        dict,
        seller=st.sampled_from(["a", "b"]),
        price_micros=st.sampled_from([250_000, 500_000]),
        region=st.sampled_from([None, "x"]),
        day=st.integers(0, 40),
    ),
    max_size=12,
    unique_by=lambda row: tuple(row.values()),
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(payloads=st.lists(ROWS, max_size=4))
def test_whatever_comes_each_record_is_archived_once_and_counts_add_up(tmp_path_factory, payloads):
    root = tmp_path_factory.mktemp("w")
    with Store.create(root, database_url=None, simulated=False, clock=SteppedClock()) as store:
        for number, rows in enumerate(payloads):
            made = [
                observation(
                    **{k: v for k, v in row.items() if k != "day"}, observed_at=START - row["day"] * DAY
                )
                for row in rows
            ]
            entry = commit(store, made, payload=str(number).encode())
            assert entry.records == entry.accepted + entry.rejected + entry.duplicates
        distinct = {tuple(row.values()) for rows in payloads for row in rows}
        found = archived(store)
        assert len(found) == len(distinct)
        assert len({row["observation_id"] for row in found}) == len(distinct)
        assert sum(entry.accepted for entry in store.ledger()) == len(distinct)
        assert store.check_files() == []


def test_an_empty_batch_has_a_ledger_row_and_no_file(store: Store):
    entry = commit(store, [], payload=b"only bad rows", rejects=[reject(n) for n in range(3)])
    assert (entry.records, entry.accepted, entry.rejected) == (3, 0, 3)
    assert store.observation_files() == []
    assert REJECT_SCHEMA.names[0] == "payload_digest"
    assert {row["payload_digest"] for row in store.rejects(batch_id=entry.batch_id)} == {entry.payload_digest}


def test_identities_of_a_batch_are_those_it_brought(store: Store):
    commit(store, offers(3))
    entry = commit(store, offers(5), payload=b"more")
    brought = {(row["observation_id"], row["content_check"]) for row in offers(5)[3:]}
    assert store.batch_identities(entry.batch_id) == brought


def test_trade_events_that_correct_are_counted_in_the_manifest(sqlite_store: Store):
    trades = [
        observation(kind="trade", tier="trade", trade_id=str(n), trade_status=status, gpu_seconds=3600)
        for n, status in enumerate(["new", "corrected", "cancelled", "new"])
    ]
    commit(sqlite_store, trades)
    commit(sqlite_store, offers(2))
    assert [file.corrections for file in sqlite_store.observation_files()] == [2, 0]
