"""What must be true of a workspace after a fault and at the end of the year. Each raises AssertionError."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta

from rentmark.workspace import Workspace

from .commanding import Said
from .market import BENCHMARKS, FIRST
from .reference import BatchKey, Counts, Reference, counts_of, fixings_of, key_of

GRACE = timedelta(hours=24)
"""The default of ``publication_grace_hours``."""


def check_answer(said: Said, *codes: int) -> None:
    """One of these exit codes; no traceback, no defect; what failed says so in a sentence."""
    told = f"`rentmark {' '.join(said.words)}` ended with {said.code}: {said.err or said.out}"
    assert said.code in codes, told
    assert "Traceback" not in said.out + said.err, told
    assert "This is a defect" not in said.err, told
    assert said.code <= 0 or said.json is not None or said.err.strip(), told


def check_books(workspace: Workspace, expected: Mapping[BatchKey, Counts], *, whole: bool) -> int:
    """Every batch is there once with its counts and files, and nothing else; returns how many there are.

    ``whole``: all that were expected are there. Without it some may be missing, as after a kill.
    """
    store = workspace.store
    entries = store.ledger()
    found = Counter(map(key_of, entries))
    assert set(found) <= set(expected), "a batch that nobody sent"
    assert not [key for key, times in found.items() if times > 1], "a batch twice"
    if whole:
        assert set(found) == set(expected), f"{len(expected) - len(found)} batches are missing"
    named = store.observation_files()
    rows: Counter[int] = Counter()
    for file in named:
        rows[file.batch_id] += file.rows
    for entry in entries:
        records, accepted, rejected, duplicates = counts_of(entry)
        assert records == accepted + rejected + duplicates, entry.origin_name
        assert counts_of(entry) == expected[key_of(entry)], entry.origin_name
        assert rows[entry.batch_id] == accepted, entry.origin_name
    assert sum(store.reject_counts().values()) == sum(entry.rejected for entry in entries)
    archive = store.root / "archive"
    held = {path.relative_to(store.root).as_posix() for path in (archive / "observations").rglob("*.parquet")}
    assert held == {file.path for file in named}, "a file that no batch names, or none for a batch"
    assert not list(archive.rglob(".*.tmp")), "a temporary file is left"
    stamps = [entry.recorded_at for entry in entries]
    assert all(earlier < later for earlier, later in itertools.pairwise(stamps)), "a stamp goes back"
    return len(entries)


def check_tape(workspace: Workspace) -> int:
    """Each date once, none left out, stamps that increase, an origin that its stamp bears out; counts the rows."""
    rows = 0
    for name in BENCHMARKS:
        tape = workspace.store.tape_sequence(name)
        rows += len(tape)
        dates = [fixing.date for fixing in tape]
        assert dates == [FIRST + timedelta(days=n) for n in range(len(tape))], (
            f"{name}: a date twice, or none"
        )
        assert {fixing.revision for fixing in tape} <= {0}
        stamps = [fixing.published_at for fixing in tape if fixing.published_at is not None]
        assert len(stamps) == len(tape)
        assert all(earlier <= later for earlier, later in itertools.pairwise(stamps)), (
            f"{name}: a stamp goes back"
        )
        for fixing in tape:
            assert fixing.published_at is not None
            on_time = fixing.published_at <= fixing.effective_at + GRACE
            assert fixing.origin == ("live" if on_time else "backcast"), f"{name} {fixing.date}"
    return rows


def check_same(workspace: Workspace, expected: Reference) -> None:
    """The tape is that of a year nobody disturbed: values, refusals, rules and inputs, row by row."""
    for name in BENCHMARKS:
        found, wanted = fixings_of(workspace, name), expected.fixings[name]
        wrong = [pair for pair in zip(found, wanted, strict=False) if pair[0] != pair[1]]
        assert not wrong, f"{name}: {len(wrong)} rows differ, first {wrong[0]}"
        assert len(found) == len(wanted), f"{name}: {len(found)} rows, {len(wanted)} without faults"


def check_told(told: Counter[tuple[str, str, str]], expected: Reference, twice_allowed: int) -> int:
    """Every alarm of the undisturbed year was told, and no other; returns how many were told again."""
    wanted = {(kind, name, str(day)) for kind, name, day in expected.alarms}
    assert not wanted - set(told), f"never told: {sorted(wanted - set(told))}"
    assert not set(told) - wanted, f"told without cause: {sorted(set(told) - wanted)}"
    again = sum(told.values()) - len(told)
    assert again <= twice_allowed, f"{again} alarms were told again, {twice_allowed} could have been"
    return again


def check_flat(handles: Sequence[int], resting_mb: Sequence[float]) -> None:
    """Handles of the server do not grow over the year, nor its memory while the data stand still.

    ``resting_mb``: before, in the middle of and after some hundred rounds of requests at the end.
    """
    tenth = max(1, len(handles) // 10)
    assert max(handles[-tenth:]) <= max(handles[tenth : 3 * tenth]) + 2, f"handles grow: {handles}"
    before, half, after = resting_mb
    assert after - half <= max(0.05 * half, 3.0), f"memory grows: {before:.0f}, {half:.0f}, {after:.0f} MB"
