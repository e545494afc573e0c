"""Sources are named from what every row of the archive says, whatever is noted of its files. All of it is invented."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rentmark.records import Batch, canonical_json
from rentmark.records.schemas import OBSERVATION_SCHEMA, REJECT_SCHEMA
from rentmark.store import observations
from rentmark.workspace import Workspace
from rentmark.workspace.attributions import attributions_of
from rentmark.workspace.clock import SystemClock

RULES = """
[grades.h100]
chip = "H100"
[methodologies.plain]
version = "1"
inputs = ["listed"]
[benchmarks.plain]
grade = "h100"
methodology = "plain"
"""


def row(chance: Random, position: int, **alike: Any) -> dict[str, Any]:
    seen = datetime(2026, 6, 1 + chance.randrange(28), tzinfo=UTC)
    values: dict[str, Any] = dict.fromkeys(OBSERVATION_SCHEMA.names)
    values |= {
        "kind": "offer", "tier": "listed", "source": chance.choice("abcd"), "license": chance.choice(["x", "y", None]),
        "rights": chance.choice(["allowed", "allowed", "forbidden"]), "chip": chance.choice(["H100", "H200"]),
        "seller": "amber", "observed_at": seen, "known_at": seen, "gpu_count": 8, "currency": "USD",
        "price_basis": "instance", "price_micros": 2_000_000, "pricing": "on_demand", "service": "vm",
        "carried_by_source": False, "simulated": False, "position": position,
    }  # fmt: skip
    values |= alike
    digest = hashlib.sha256(canonical_json({n: str(v) for n, v in values.items()})).digest()
    return values | {
        "observation_id": int.from_bytes(digest[:7]),
        "content_check": int.from_bytes(digest[8:15]),
    }


@pytest.mark.parametrize("seed", range(4))
def test_sources_are_those_of_a_plain_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int):
    chance = Random(seed)
    workspace = Workspace.create(tmp_path / "w", database_url=None, text=RULES, clock=SystemClock())
    for number in range(12):
        names = [name for name in ("source", "license", "rights", "chip") if chance.random() < 0.7]
        alike = {name: value for name, value in row(chance, 0).items() if name in names}
        digest = hashlib.sha256(f"{number}".encode()).hexdigest()
        rows = [row(chance, n, **alike) | {"payload_digest": digest} for n in range(4)]
        batch = Batch(
            observations=pa.Table.from_pylist(rows, OBSERVATION_SCHEMA),
            rejects=REJECT_SCHEMA.empty_table(),
            records=len(rows),
            duplicates=0,
        )
        workspace.store.commit_batch(
            batch, feed="invented", feed_version="1", mapping_hash="none", payload_digest=digest,
            origin_name="rows", payload_bytes=1, received_at=rows[0]["observed_at"], rights="allowed",
            simulated=False,
        )  # fmt: skip
    held = workspace.store.file_paths(workspace.store.observation_files())
    expected = {
        f"{each['source']} (licence: {each['license'] or 'not stated'})"
        for path in held
        for each in pq.ParquetFile(path).read().to_pylist()
        if each["chip"] == "H100" and each["rights"] != "forbidden"
    }
    opened: list[Path] = []
    read = observations.read_columns
    monkeypatch.setattr(
        observations, "read_columns", lambda path, names: opened.append(path) or read(path, names)
    )
    assert set(attributions_of(workspace, "plain")) == expected
    assert 0 < len(opened) <= len(held)
