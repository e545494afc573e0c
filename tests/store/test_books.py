"""Candidates are replaced, methodologies and certificates stay."""

from __future__ import annotations

from datetime import date

import pytest
import sqlalchemy as sa
from rentmark.records import RentmarkError, digest_of
from rentmark.store import Store
from rentmark.store.tables import CERTIFICATE, METHODOLOGY

from .making import HOUR, MICROSECOND, START, SteppedClock, make_fixing, publish
from .test_tape import disarm

DAYS = [date(2026, 7, day) for day in (8, 7, 9)]


def test_a_view_holds_exactly_what_was_built_last(store: Store):
    store.replace_candidates("invented-list", "latest", [make_fixing(day) for day in DAYS], START)
    store.replace_candidates("invented-list", "as-of", [make_fixing(DAYS[0], None)], START - HOUR)
    assert [row.date for row in store.candidates("invented-list", "latest")] == sorted(DAYS)
    assert store.candidates("invented-list", "as-of") == [make_fixing(DAYS[0], None)]
    assert store.views("invented-list") == {"as-of": START - HOUR, "latest": START}
    store.replace_candidates("invented-list", "latest", [make_fixing(DAYS[1])], START + HOUR)
    assert store.candidates("invented-list", "latest") == [make_fixing(DAYS[1])]
    store.replace_candidates("invented-list", "latest", [], START)
    assert store.views("invented-list") == {"as-of": START - HOUR}
    assert store.candidates("another-list", "latest") == []
    assert store.benchmarks() == ["invented-list"]


def test_only_candidates_of_that_benchmark_are_taken(store: Store):
    (published,) = publish(store, make_fixing(DAYS[0]))
    for wrong in (published, make_fixing(DAYS[0], benchmark="another-list")):
        with pytest.raises(ValueError, match="is no candidate"):
            store.replace_candidates("invented-list", "latest", [wrong], START)


def test_a_methodology_comes_back_under_its_hash(store: Store):
    resolved = {"estimator": "median", "min_sellers": 3, "cap": None, "rates": [0.1, 2], "näme": {"b": True}}
    key = digest_of(resolved)
    store.save_methodology(key, resolved)
    store.save_methodology(key, dict(reversed(resolved.items())))
    assert store.methodology(key) == resolved
    with pytest.raises(RentmarkError, match=f"Methodology {key} is kept with other content"):
        store.save_methodology(key, resolved | {"min_sellers": 4})
    with pytest.raises(RentmarkError, match="No methodology is kept under 0000"):
        store.methodology("0000")


def test_what_is_known_to_be_kept_is_what_the_database_holds(store: Store, tmp_path, database_url):
    """Whoever kept it: rules are asked for once, other content under the hash is refused as ever."""
    resolved = {"estimator": "median"}
    key = digest_of(resolved)
    with Store.open(tmp_path / "w", database_url=database_url, clock=SteppedClock()) as other:
        other.save_methodology(key, resolved)
    for _ in range(2):
        store.save_methodology(key, resolved)
        with pytest.raises(RentmarkError, match="is kept with other content"):
            store.save_methodology(key, {"estimator": "mean"})
    assert store.methodology(key) == resolved
    with pytest.raises(Exception, match="append-only"), store.database.writing() as connection:
        connection.execute(sa.update(METHODOLOGY).values(resolved="{}"))


def certify(store: Store, **changes: object):
    given = {
        "contract": "cme-gpu1",
        "month": "2026-07",
        "benchmark": "invented-list",
        "price_micros": 3_148_250,
        "who": "A. Committee",
        "reason": "two days missing, not in a row",
    }
    return store.certify(**(given | changes))


def test_certificates_stay_in_order_and_are_chained(store: Store, clock: SteppedClock):
    first = certify(store)
    clock.step()
    second = certify(store, price_micros=3_150_000, reason="corrected", input_digest="abc")
    other = certify(store, month="2026-08")
    assert (first.certified_at, second.certified_at) == (START, START + HOUR)
    assert other.certified_at == START + HOUR + MICROSECOND
    assert (second.previous_digest, other.previous_digest) == (first.row_digest, second.row_digest)
    assert store.certificates("cme-gpu1", "2026-07", "invented-list") == [first, second]
    assert store.certificates("cme-gpu1", "2026-07", "invented-list", as_of=START) == [first]
    assert store.certificates(month="2026-08") == [other]
    assert store.certificates() == [first, second, other]
    assert store.check_certificates() == []
    assert not first.simulated


@pytest.mark.parametrize(
    ("column", "value"), [("price_micros", 1), ("who", "B"), ("certified_at", START - HOUR)]
)
def test_an_altered_certificate_is_found(store: Store, column: str, value: object):
    certify(store)
    certify(store, month="2026-08")
    disarm(store, "certificate")
    with store.database.writing() as connection:
        connection.execute(sa.update(CERTIFICATE).where(CERTIFICATE.c.sequence == 1).values({column: value}))
    problems = store.check_certificates()
    assert [(p.code, p.sequence) for p in problems] == [("row_altered", 1)]
    assert "cme-gpu1 2026-07 on invented-list" in problems[0].sentence
    with store.database.writing() as connection:
        connection.execute(sa.delete(CERTIFICATE).where(CERTIFICATE.c.sequence == 1))
    assert [(p.code, p.sequence) for p in store.check_certificates()] == [("link_broken", 2)]


def test_a_certificate_of_a_simulated_workspace_says_so(tmp_path, clock: SteppedClock):
    with Store.create(tmp_path, database_url=None, simulated=True, clock=clock) as store:
        assert certify(store).simulated
