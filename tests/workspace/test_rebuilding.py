"""Tapes rebuilt together are rebuilt as each is alone, by a pass or by a panel of its own, and the same faults are found.

Archives grow at random between publications: new days, late days, payloads read again, corrected trades. Some dates
are restated. Everything here is invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from rentmark.index import Difference
from rentmark.records import Fixing, RentmarkError
from rentmark.store.engines import DuckDBEngine
from rentmark.store.tables import OBSERVATION_FILE
from rentmark.workspace import Workspace, publish, rebuilding, restate, verify
from rentmark.workspace import reader as reading
from rentmark.workspace.building import Reader, build_several
from rentmark.workspace.rebuilding import rebuild_and_compare

from tests.store.test_tape import disarm

from .test_incremental import FIRST, RULES, TickingClock, commit, engine, grow, row

__all__ = ["engine"]

JOINT = ["plain", "sxm", "h200", "late", "carry", "mean", "chained"]
ALONE = ["back", "cut", "traded"]
Rebuild = Callable[[Sequence[Sequence[Fixing]]], list[Difference]]


def bring(workspace: Workspace, rows: Sequence[dict[str, Any]], name: str) -> None:
    """Commit a batch with its payload, whose bytes are its name."""
    workspace.store.put_payload(name.encode())
    commit(workspace, rows, name)


def new_workspace(folder: Path) -> Workspace:
    return Workspace.create(folder, database_url=None, text=RULES, clock=TickingClock())


def published(folder: Path, engine: DuckDBEngine, seed: int) -> Workspace:
    """A workspace whose tapes were written in several goes, from an archive that grew in between."""
    chance = Random(seed)
    workspace = new_workspace(folder)
    names = list(workspace.configuration.benchmarks)
    commit(workspace, [row(chance, day) for day in range(12) for _ in range(5)], "first")
    commit(workspace, [row(chance, 5, chip="B200") for _ in range(3)], "b200")
    for step in range(4):
        grow(workspace, chance, step)
        some = names if step == 3 else chance.sample(names, 4)
        build_several(workspace, some, reader=Reader(workspace, engine))
        for name in some:
            publish(workspace, name, through=(FIRST + timedelta(days=6 * (step + 1))).date(), actor="a")
    commit(workspace, [row(chance, day) for day in (3, 4) for _ in range(9)], "late of old days")
    for name in ("plain", "carry", "traded"):
        with suppress(RentmarkError):  # where nothing changed
            restate(workspace, name, (FIRST + timedelta(days=3)).date(), reason="late", actor="a")
    return workspace


def tapes_of(workspace: Workspace, names: Sequence[str]) -> list[list[Fixing]]:
    return [workspace.store.tape(name, revisions="all") for name in names]


def tampered(tape: Sequence[Fixing], chance: Random) -> list[Fixing]:
    """The tape with some fields of some rows changed."""
    changed = list(tape)
    if len(tape) < 2:
        return changed
    for place in chance.sample(range(len(tape)), 2):
        fault: dict[str, Any] = chance.choice(
            [
                {"value_micros": (tape[place].value_micros or 0) + 1},
                {"n_sellers": tape[place].n_sellers + 1},
                {"input_digest": "0" * 64},
                {"rule": "invented"},
            ]
        )
        changed[place] = replace(tape[place], **fault)
    return changed


def places(differences: Sequence[Difference]) -> Counter[tuple[Any, ...]]:
    return Counter((d.benchmark, d.date, d.revision, d.field, d.on_tape, d.rebuilt) for d in differences)


@pytest.mark.parametrize("seed", range(3))
def test_together_or_alone_the_same_faults_are_found(tmp_path, engine, monkeypatch, seed):
    workspace = published(tmp_path / "w", engine, seed)
    tapes = tapes_of(workspace, [*JOINT, *ALONE])
    assert sum(len(tape) for tape in tapes) > 150
    assert any(row.revision for tape in tapes for row in tape)
    reader = Reader(workspace, engine, few_rows=0)
    assert rebuild_and_compare(workspace, reader, tapes) == []
    chance = Random(seed)
    forged = [tampered(tape, chance) for tape in tapes]
    together = rebuild_and_compare(workspace, reader, forged)
    changed = sum(
        a != b for tape, other in zip(tapes, forged, strict=True) for a, b in zip(tape, other, strict=True)
    )
    assert len({(d.benchmark, d.date, d.revision) for d in together}) == changed > 2 * len(JOINT)
    assert [d for tape in forged for d in rebuild_and_compare(workspace, reader, [tape])] == together
    monkeypatch.setattr(rebuilding, "joint_key", lambda _: None)
    assert rebuild_and_compare(workspace, reader, forged) == together


def test_an_archive_that_says_something_else_is_found_alike(tmp_path, engine, monkeypatch):
    """The tapes of one archive, held against another, in which the same days hold other offers."""
    names = ["plain", "sxm", "h200", "late", "mean", "back", "cut", "traded"]
    workspace = published(tmp_path / "w", engine, 5)
    tapes = tapes_of(workspace, names)
    other = new_workspace(tmp_path / "other")
    commit(other, [row(Random(6), day) for day in range(12) for _ in range(5)], "others")
    for made_by in {fixing.methodology_hash for tape in tapes for fixing in tape}:
        other.store.save_methodology(made_by, workspace.store.methodology(made_by))
    reader = Reader(other, engine, few_rows=0)
    together = rebuild_and_compare(other, reader, tapes)
    assert {d.benchmark for d in together} == set(names)
    monkeypatch.setattr(rebuilding, "joint_key", lambda _: None)
    assert rebuild_and_compare(other, reader, tapes) == together


def test_an_offer_that_became_another_chip_is_told_by_a_file_without_the_first(tmp_path, engine):
    """Whichever benchmarks are built together: its latest state is asked before its grade."""
    workspace = new_workspace(tmp_path / "w")
    offer = {"source": "one", "sku": "k1", "form_factor": "SXM"}
    for hour, chip, sellers in ((3, "H100", ("amber", "basalt", "cedar")), (9, "B200", ("cedar",))):
        at = FIRST + timedelta(hours=hour)
        rows = [row(Random(1), 0, **offer, chip=chip, seller=s, observed_at=at) for s in sellers]
        bring(workspace, rows, chip)
    build_several(workspace, ["plain"], reader=Reader(workspace, engine))
    (fixing,) = publish(workspace, "plain", actor="a")
    assert (fixing.n_sellers, fixing.n_observations) == (2, 2)
    assert verify(workspace).passed


class Counted:
    """How often files were bound as observations, and which queries an engine ran."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bound: list[int] = []
        self.asked: Counter[str] = Counter()
        bind, query = DuckDBEngine.bind_files, DuckDBEngine.query

        def binding(engine: DuckDBEngine, name: str, paths: Sequence[Path], **more: Any) -> None:
            self.bound.append(len(paths))
            bind(engine, name, paths, **more)

        def querying(engine: DuckDBEngine, key: str, make: Callable[[], Any]) -> Any:
            self.asked[" ".join(key.split()[:2])] += 1
            return query(engine, key, make)

        monkeypatch.setattr(DuckDBEngine, "bind_files", binding)
        monkeypatch.setattr(DuckDBEngine, "query", querying)

    def take(self) -> tuple[list[int], dict[str, int]]:
        found = self.bound, dict(self.asked)
        self.bound, self.asked = [], Counter()
        return found


def daily(folder: Path, engine: DuckDBEngine, names: Sequence[str]) -> Workspace:
    """A workspace that publishes every day, once that day's file has come: each date with an as-of of its own."""
    chance = Random(1)
    workspace = new_workspace(folder)
    for day in range(8):
        prices = [
            row(chance, day, sku=f"k{n}", chip=chip) for n in range(6) for chip in ("H100", "H200", "B200")
        ]
        bring(workspace, prices, f"day{day}")
        build_several(workspace, names, reader=Reader(workspace, engine))
        for name in names:
            publish(workspace, name, actor="a")
    return workspace


def test_several_benchmarks_share_one_pass_over_the_archive(tmp_path, engine, monkeypatch):
    """Three chips under one methodology, published day by day: all files are opened once, and one query is run."""
    names = ["plain", "h200", "late"]
    workspace = daily(tmp_path / "w", engine, names)
    counted = Counted(monkeypatch)
    found = verify(workspace, names)
    assert (found.passed, found.rows_checked) == (True, 24)
    assert counted.take() == ([8], {"joint votes": 1})
    for name in names:
        assert verify(workspace, [name]).passed
        assert counted.take() == ([8], {"joint votes": 1}), name
    monkeypatch.setattr(rebuilding, "joint_key", lambda _: None)
    assert verify(workspace, names).passed
    bound, asked = counted.take()
    assert (len(bound), sum(asked.values())) == (1, 3)


def test_no_more_than_a_month_is_read_at_once(tmp_path, engine, monkeypatch):
    names = ["plain", "h200", "carry"]
    workspace = new_workspace(tmp_path / "w")
    chance = Random(3)
    # from 20 June on: rows of June, July and August
    bring(workspace, [row(chance, day) for day in range(50) for _ in range(6)], "three months")
    build_several(workspace, names, reader=Reader(workspace, engine))
    for name in names:
        publish(workspace, name, actor="a")
    counted = Counted(monkeypatch)
    assert verify(workspace, names).passed
    assert counted.take() == ([3], {"joint votes": 2})
    monkeypatch.setattr(reading, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(rebuilding, "ROWS_WORTH_A_COUNT", 0)
    monkeypatch.setattr(rebuilding, "ROWS_WORTH_OPENING", 0)
    assert verify(workspace, names).passed
    bound, asked = counted.take()
    assert set(bound) == {1}
    assert asked == {"joint votes": 6, "joint facts": 3}


def test_what_the_ledger_notes_of_a_file_is_not_believed(tmp_path, engine):
    """A build trusts a note that no offer stands twice on a day; where the note is a lie, verification finds the value."""
    workspace = new_workspace(tmp_path / "w")
    chance = Random(4)
    twice = [
        row(chance, 2, seller=seller, source="one", sku="k1", chip="H100", form_factor="SXM", region=None,
            price_micros=price, observed_at=FIRST + timedelta(days=2, hours=hour))
        for seller in ("amber", "basalt") for hour, price in ((3, 1_000_000), (9, 2_000_000))
    ]  # fmt: skip
    bring(workspace, twice, "twice")
    disarm(workspace.store, "observation_file")
    with workspace.store.database.writing() as connection:
        noted = connection.scalar(sa.select(OBSERVATION_FILE.c.facts))
        assert noted is not None
        assert '"repeats": true' in noted
        lie = noted.replace('"repeats": true', '"repeats": false')
        connection.execute(sa.update(OBSERVATION_FILE).values(facts=lie))
    build_several(workspace, ["plain"], reader=Reader(workspace, engine, few_rows=0))
    (fixing,) = publish(workspace, "plain", actor="a")
    assert fixing.value_micros == 1_500_000
    found = {d.field: d.rebuilt for d in verify(workspace).differences}
    assert found["value_micros"] == "2.000000"
