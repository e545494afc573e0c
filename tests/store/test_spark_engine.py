"""The Spark engine keeps what every engine promises, and gives DuckDB's fixings to the last bit.

One session on two workers of their own serves all tests. Where Java or pyspark is missing they skip with a
sentence; under CI that is a failure.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rentmark.records import RentmarkError, UsageError, canonical_fixing, canonical_json
from rentmark.store.engines import DuckDBEngine, SparkEngine
from rentmark.store.engines import spark as spark_module
from rentmark.workspace import Workspace
from rentmark.workspace.building import Reader, build_several
from rentmark.workspace.engines import chosen_engine

from .engine_suite import EngineSuite
from .making import DAY, HOUR, START, SteppedClock, commit, observation

MASTER = "local-cluster[2,1,1024]"
RULES = """
[grades.h100]
chip = "H100"
[grades.sxm]
chip = "H100"
form_factor = ["SXM", "unstated"]
pricing = "on_demand"
[grades.h200]
chip = "H200"
[methodologies.median]
version = "1"
inputs = ["listed"]
min_sellers = 2
[methodologies.mean]
version = "1"
inputs = ["listed"]
seller_statistic = "mean"
vote = ["seller", "region"]
[methodologies.traded]
version = "1"
inputs = ["trade", "listed"]
cutoff = "16:00 America/New_York"
[benchmarks.h100]
grade = "h100"
methodology = "median"
[benchmarks.h200]
grade = "h200"
methodology = "median"
[benchmarks.sxm]
grade = "sxm"
methodology = "mean"
[benchmarks.traded]
grade = "h100"
methodology = "traded"
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """One Spark session with two workers."""
    missing = spark_module.missing_part()
    if missing is not None:
        assert not os.environ.get("CI"), missing
        pytest.skip(missing)
    started = spark_module.new_session(MASTER)
    yield started
    started.stop()


class TestSpark(EngineSuite):
    @pytest.fixture(autouse=True)
    def _session(self, session: Any) -> None:
        self.session = session

    def make(self) -> SparkEngine:
        return SparkEngine(session=self.session)


def random_rows(chance: Random, count: int) -> list[dict[str, Any]]:
    """Invented offers and trades of forty days, with ties, repeats, several venues, machines and corrections."""
    rows = {}
    for number in range(count):
        changes: dict[str, Any] = {
            "observed_at": START + chance.randrange(40) * DAY + chance.randrange(24) * HOUR,
            "seller": chance.choice(["amber", "basalt", "cedar", "dune"]),
            "venue": chance.choice([None, "floor", "hall", "yard"]),
            "chip": chance.choice(["H100", "H100", "H200"]),
            "form_factor": chance.choice(["SXM", "PCIe", None]),
            "region": chance.choice([None, "us-1", "eu-1"]),
            "sku": chance.choice([None, "k1", "k2"]),
            "machine": chance.choice([None, None, "m1"]),
            "gpu_count": chance.choice([1, 8]),
            "price_micros": 250_000 * chance.randrange(4, 12) + chance.choice([0, 1]),
            "carried_by_source": chance.random() < 0.1,
            "position": number,
        }
        if chance.random() < 0.3:
            changes |= {
                "kind": "trade", "tier": "trade", "trade_id": f"t{chance.randrange(count)}",
                "trade_status": chance.choice(["new", "new", "corrected", "cancelled"]),
                "gpu_seconds": 3_600 * chance.randrange(1, 50), "buyer": "quartz",
            }  # fmt: skip
        row = observation(**changes)
        rows[row["observation_id"]] = row
    return list(rows.values())


def tape_digest(workspace: Workspace, engine: Any) -> str:
    """SHA-256 of what the benchmarks come to, without clocks."""
    found = build_several(
        workspace, list(workspace.configuration.benchmarks), reader=Reader(workspace, engine), afresh=True
    )
    made = [[canonical_fixing(f) for f in each.made] for each in found.values()]
    assert all(made)
    return hashlib.sha256(canonical_json(made)).hexdigest()


def test_spark_gives_the_fixings_of_duckdb_whatever_the_threads_and_the_order(session: Any, tmp_path: Path):
    chance = Random(7)
    rows = random_rows(chance, 600)
    digests = set()
    for name in ("in order", "shuffled"):
        workspace = Workspace.create(
            tmp_path / name, database_url=None, text=RULES, clock=SteppedClock(START + timedelta(days=90))
        )
        for part in (rows[:300], rows[300:]):  # which of two corrections came last is a matter of record
            if name == "shuffled":
                chance.shuffle(part)
            commit(workspace.store, part)
        for threads in (1, 2):
            with DuckDBEngine(threads=threads) as engine:
                digests.add(tape_digest(workspace, engine))
        if name == "shuffled":
            digests.add(tape_digest(workspace, SparkEngine(session=session)))
        workspace.store.close()
    assert len(digests) == 1


REAL_RULES = """
[grades.h100-80gb-mixed]
sources = ["adriannutiu/gpu-rental-prices"]
chip = "H100"
form_factor = ["SXM", "unstated"]
memory_gb = [80]
pricing = "on_demand"
[grades.a100]
chip = "A100"
pricing = "on_demand"
[methodologies.list-median]
version = "1.0.0"
inputs = ["listed"]
min_sellers = 3
[benchmarks.h100-list]
grade = "h100-80gb-mixed"
methodology = "list-median"
[benchmarks.a100-list]
grade = "a100"
methodology = "list-median"
"""


def test_spark_gives_the_fixings_of_duckdb_on_the_real_offers(
    session: Any, shared_data: Path, tmp_path: Path
):
    from rentmark.cli import run

    folder = tmp_path / "w"
    assert run(["init", str(folder)]) == 0
    (folder / "rentmark.toml").write_text(REAL_RULES, encoding="utf-8")
    offers = shared_data / "offers" / "offers_2022-02_2026-08.csv.gz"
    assert run(["ingest", "tabular", str(offers), "--workspace", str(folder)]) == 0
    workspace = Workspace.open(folder, database_url=None)
    digests = set()
    for threads in (1, 2):
        with DuckDBEngine(threads=threads) as engine:
            digests.add(tape_digest(workspace, engine))
    digests.add(tape_digest(workspace, SparkEngine(session=session)))
    assert len(digests) == 1
    # 6 July 2026: 3.120000 of 10 sellers, as tests/journeys/test_real_offers.py has it of the definitions' authors
    (fixing,) = [f for f in workspace.store.candidates("h100-list", "latest") if f.date == date(2026, 7, 6)]
    assert (fixing.value_micros, fixing.n_sellers) == (3_120_000, 10)


def test_what_is_missing_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spark_module.shutil, "which", lambda _: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(
        RentmarkError, match="Java 17 is missing: run `apt-get install openjdk-17-jre-headless`"
    ):
        SparkEngine(MASTER)
    monkeypatch.setattr(spark_module, "find_spec", lambda _: None)
    with pytest.raises(RentmarkError, match=r"pyspark is missing: run `pip install \"rentmark\[spark\]\"`"):
        SparkEngine(MASTER)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "dask"}, "--engine dask is unknown; choose duckdb or spark"),
        ({"master": MASTER}, "goes with --engine spark"),
        ({"name": "spark", "threads": 2}, r"--threads 2 is for DuckDB; .* local\[2\]"),
    ],
)
def test_options_of_the_other_engine_are_refused(options: dict[str, Any], said: str):
    with pytest.raises(UsageError, match=said), chosen_engine(**options):
        pass
