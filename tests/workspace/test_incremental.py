"""A build that leaves standing what has not changed gives what a build from nothing gives.

Archives grow at random: new days, late days of old months, several sources, corrected trades, payloads read
again, and dates published in between. Everything here is invented.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from rentmark.index.by_hand import FEW_ROWS
from rentmark.records import Batch, canonical_fixing, canonical_json
from rentmark.records.schemas import DUPLICATE_KEY, NOT_CONTENT, OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.store.engines import DuckDBEngine
from rentmark.store.small_files import read_small
from rentmark.workspace import Workspace, build, publish
from rentmark.workspace.building import Reader, build_several, make_several

FIRST = datetime(2026, 6, 20, tzinfo=UTC)
DAYS = 50
RULES = """
[grades.h100]
chip = "H100"
[grades.h100-sxm]
chip = "H100"
form_factor = ["SXM"]
[grades.h200]
chip = "H200"
[grades.b200]
chip = "B200"

[methodologies.plain]
version = "1"
inputs = ["listed"]
min_sellers = 2
[methodologies.carry]
version = "1"
inputs = ["listed"]
min_sellers = 3
fallback = "carry"
carry_days = 3
[methodologies.mean]
version = "1"
inputs = ["listed"]
seller_statistic = "mean"
[methodologies.back]
version = "1"
inputs = ["listed"]
lookback_hours = 72
[methodologies.cut]
version = "1"
inputs = ["listed"]
cutoff = "16:00 America/New_York"
calendar = "weekdays"
[methodologies.traded]
version = "1"
inputs = ["trade", "listed"]
[methodologies.chained]
version = "1"
inputs = ["listed"]
estimator = "matched_chain"
memory_days = 5

[benchmarks.plain]
grade = "h100"
methodology = "plain"
[benchmarks.sxm]
grade = "h100-sxm"
methodology = "plain"
[benchmarks.h200]
grade = "h200"
methodology = "plain"
[benchmarks.late]
grade = "b200"
methodology = "plain"
[benchmarks.carry]
grade = "h100"
methodology = "carry"
[benchmarks.mean]
grade = "h200"
methodology = "mean"
[benchmarks.back]
grade = "h100"
methodology = "back"
[benchmarks.cut]
grade = "h100"
methodology = "cut"
[benchmarks.traded]
grade = "h100"
methodology = "traded"
[benchmarks.chained]
grade = "h100"
methodology = "chained"
"""


class TickingClock:
    """A clock that moves by a minute each time it is asked, from after everything invented here."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 9, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self.instant += timedelta(minutes=1)
        return self.instant

    def real_now(self) -> datetime:
        return self.now()


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    """One engine for all: what it has compiled serves every archive."""
    with DuckDBEngine(threads=1) as opened:
        yield opened


def row(chance: Random, day: int, **changes: Any) -> dict[str, Any]:
    seen = FIRST + timedelta(days=day, hours=chance.randrange(24), minutes=chance.randrange(60))
    values: dict[str, Any] = dict.fromkeys(OBSERVATION_SCHEMA.names)
    values |= {
        "kind": "offer", "tier": "listed", "source": chance.choice(["one", "two"]),
        "seller": chance.choice(["amber", "basalt", "cedar", "dune"]), "observed_at": seen,
        "known_at": seen, "chip": chance.choice(["H100", "H100", "H200"]),
        "form_factor": chance.choice(["SXM", "PCIe", None]), "gpu_count": 8,
        "sku": chance.choice(["k1", "k2", "k3"]), "currency": "USD", "price_basis": "instance",
        "price_micros": 250_000 * chance.randrange(4, 12), "pricing": "on_demand", "service": "vm",
        "carried_by_source": False, "rights": "allowed", "simulated": False,
    }  # fmt: skip
    values |= changes
    for name, of in (
        ("observation_id", {n: values[n] for n in DUPLICATE_KEY}),
        ("content_check", {n: v for n, v in values.items() if n not in NOT_CONTENT}),
    ):
        digest = hashlib.sha256(canonical_json(of)).digest()
        values[name] = int.from_bytes(digest[:8], "little", signed=True)
    return values


def commit(workspace: Workspace, rows: Sequence[dict[str, Any]], name: str, version: str = "1") -> None:
    digest = hashlib.sha256(name.encode()).hexdigest()
    once = {r["observation_id"]: r for r in rows}
    placed = [r | {"payload_digest": digest, "position": n} for n, r in enumerate(once.values())]
    batch = Batch(
        observations=pa.Table.from_pylist(placed, OBSERVATION_SCHEMA),
        rejects=REJECT_SCHEMA.empty_table(),
        records=len(placed),
        duplicates=0,
    )
    workspace.store.commit_batch(
        batch, feed="invented", feed_version=version, mapping_hash="none", payload_digest=digest,
        origin_name=name, payload_bytes=1, received_at=FIRST, rights="allowed", simulated=False,
    )  # fmt: skip


def trades(chance: Random, day: int, number: int) -> list[dict[str, Any]]:
    made = {
        "kind": "trade", "tier": "trade", "gpu_seconds": 3_600 * chance.randrange(1, 9), "chip": "H100",
        "trade_id": f"t{chance.randrange(6)}", "trade_status": chance.choice(["new", "corrected", "cancelled"]),
        "buyer": "quartz", "sku": f"t{number}",
    }  # fmt: skip
    return [row(chance, day, **made)]


def grow(workspace: Workspace, chance: Random, step: int) -> None:
    """Let the archive grow by one batch of a random kind."""
    kind = chance.choice(["day", "day", "late", "many", "again", "trades", "new chip"])
    last = min(DAYS, 8 * (step + 2))
    if kind == "again" and step:
        # the same payload read anew: what the first reading found no longer counts
        earlier = chance.randrange(step)
        commit(
            workspace, [row(chance, chance.randrange(last)) for _ in range(5)], f"p{earlier}", f"{step + 2}"
        )
    elif kind == "trades":
        commit(workspace, trades(chance, chance.randrange(last), step), f"p{step}")
    elif kind == "new chip":
        commit(workspace, [row(chance, last - 1, chip="B200") for _ in range(4)], f"p{step}")
    else:
        days = {"day": [last - 1], "late": [chance.randrange(last)], "many": range(last), "again": [0]}[kind]
        commit(workspace, [row(chance, day) for day in days for _ in range(6)], f"p{step}")


def content(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    return [canonical_fixing(f) for f in workspace.store.candidates(name, "latest")]


@pytest.mark.parametrize("seed", range(3))
def test_what_stands_is_what_would_be_built_again(tmp_path, engine, seed):
    """What is counted by hand step by step is what the engine makes of the whole."""
    chance = Random(seed)
    workspace = Workspace.create(tmp_path / "w", database_url=None, text=RULES, clock=TickingClock())
    commit(workspace, [row(chance, day) for day in range(12) for _ in range(5)], "first")
    commit(workspace, [row(chance, 5, chip="B200") for _ in range(3)], "b200")
    kept = 0
    for step in range(5):
        names = list(workspace.configuration.benchmarks)
        grow(workspace, chance, step)
        hand = FEW_ROWS if seed else 0
        found = build_several(workspace, names, reader=Reader(workspace, engine, few_rows=hand))
        kept += sum(len(each.kept) for each in found.values())
        copy = tmp_path / f"copy{step}"
        shutil.copytree(tmp_path / "w", copy)
        afresh = Workspace.open(copy, database_url=None)
        build_several(afresh, names, afresh=True, reader=Reader(afresh, engine, few_rows=0))
        for name in names:
            assert content(workspace, name) == content(afresh, name), name
        afresh.store.close()
        if chance.random() < 0.5:
            some = chance.choice(names)
            publish(
                workspace, some, through=date(2026, 6, 20) + timedelta(days=chance.randrange(20)), actor="a"
            )
    assert kept > 100


@pytest.mark.parametrize("few_rows", [0, FEW_ROWS])
def test_a_new_day_opens_its_own_file_alone(tmp_path, engine, monkeypatch, few_rows):
    chance = Random(1)
    workspace = Workspace.create(tmp_path / "w", database_url=None, text=RULES, clock=TickingClock())
    for day in range(40):
        commit(workspace, [row(chance, day, sku=f"k{n}", source="one") for n in range(6)], f"day{day}")
    names = ["plain", "h200", "sxm", "mean"]
    reader = Reader(workspace, engine, few_rows=few_rows)
    build_several(workspace, names, reader=reader)
    commit(workspace, [row(chance, 40, sku=f"k{n}", source="one") for n in range(6)], "day40")
    opened: list[Path] = []
    bind = DuckDBEngine.bind_files

    def watched(engine: DuckDBEngine, name: str, paths: Sequence[Path], **more: Any) -> None:
        opened.extend(paths)
        bind(engine, name, paths, **more)

    def read(path: Path, columns: Sequence[str]) -> Any:
        opened.append(path)
        return read_small(path, columns)

    monkeypatch.setattr(DuckDBEngine, "bind_files", watched)
    monkeypatch.setattr("rentmark.workspace.reader.read_small", read)
    found = build_several(workspace, names, reader=reader)
    assert {name: len(each.made) for name, each in found.items()} == dict.fromkeys(names, 1)
    assert len(set(opened)) == 1
    rows = build(workspace, "plain", reader=reader)
    assert [f.date for f in rows] == [FIRST.date() + timedelta(days=n) for n in range(41)]


@pytest.mark.parametrize("few_rows", [0, FEW_ROWS])
def test_some_dates_alone_come_to_what_the_whole_gives(tmp_path, engine, few_rows):
    """Files that reach no window of these dates are left out, but for corrections of trades from any month."""
    chance = Random(4)
    workspace = Workspace.create(tmp_path / "w", database_url=None, text=RULES, clock=TickingClock())
    commit(workspace, [row(chance, day) for day in range(30) for _ in range(6)], "first")
    commit(workspace, [row(chance, 12, chip="B200") for _ in range(3)], "b200")
    for step in range(6):
        grow(workspace, chance, step % 4)
        commit(workspace, trades(chance, chance.randrange(30), step), f"t{step}")
    stateless = ["plain", "sxm", "h200", "late", "mean", "back", "cut", "traded"]
    reader = Reader(workspace, engine, few_rows=few_rows)
    build_several(workspace, stateless, reader=reader)
    whole = {name: {f["date"]: f for f in content(workspace, name)} for name in stateless}
    for first, days in ((0, 1), (10, 3), (28, 1)):
        start = FIRST.date() + timedelta(days=first)
        asked = (start, start + timedelta(days=days - 1))
        made = make_several(workspace, stateless, only=asked, reader=reader)
        for name in stateless:
            near = {f.date: canonical_fixing(f) for f in made[name].made if f.date in whole[name]}
            expected = {day: f for day, f in whole[name].items() if asked[0] <= day <= asked[1]}
            assert near == expected, (name, asked)
    far = date(2026, 8, 20)
    (gap,) = make_several(workspace, ["plain"], only=(far, far), reader=reader)["plain"].made
    assert (gap.status, gap.rule) == ("GAP", "empty_window")


def test_rules_that_changed_leave_nothing_standing(tmp_path):
    chance = Random(2)
    workspace = Workspace.create(tmp_path / "w", database_url=None, text=RULES, clock=TickingClock())
    commit(workspace, [row(chance, day) for day in range(6) for _ in range(5)], "first")
    before = build(workspace, "plain")
    workspace.store.close()
    (tmp_path / "w" / "rentmark.toml").write_text(RULES.replace("min_sellers = 2", "min_sellers = 4"))
    again = Workspace.open(tmp_path / "w", database_url=None)
    after = build(again, "plain")
    assert {f.methodology_hash for f in after}.isdisjoint({f.methodology_hash for f in before})
    assert len(after) == len(before)
