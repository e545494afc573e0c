"""A file is whole or absent, whatever happens while it is written."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from rentmark.records import RentmarkError
from rentmark.store import files


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("step", ["fsync", "write", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
):
    path = tmp_path / "folder" / "file"
    files.write_durably(path, b"old")

    def fail(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, step, fail)
    with pytest.raises(RentmarkError, match=f"Writing {path} failed: the disk is full"):
        files.write_durably(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert everything(tmp_path) == ["folder/file"]


def test_an_abandoned_temporary_file_is_removed_and_one_being_written_is_not(tmp_path: Path):
    abandoned, living = tmp_path / ".a.0.tmp", tmp_path / "deeper" / ".b.0.tmp"
    living.parent.mkdir()
    abandoned.write_bytes(b"half")
    living.write_bytes(b"half")
    with living.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert files.remove_abandoned(tmp_path) == 1
        assert everything(tmp_path) == ["deeper/.b.0.tmp"]
    assert files.remove_abandoned(tmp_path) == 1
    assert everything(tmp_path) == []


def test_a_writer_whose_file_a_cleaner_took_starts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    lock = fcntl.flock
    taken = []

    def clean_before_lock(handle: int, kind: int) -> None:
        if not taken:
            taken.extend(tmp_path.glob(".*.tmp"))
            for path in taken:
                path.unlink()
        lock(handle, kind)

    monkeypatch.setattr(fcntl, "flock", clean_before_lock)
    files.write_durably(tmp_path / "file", b"whole")
    assert len(taken) == 1
    assert everything(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"whole"


@pytest.mark.parametrize("relative", ["../file", "/etc/passwd", "a/../../file", ""])
def test_a_ledger_path_cannot_leave_the_workspace(tmp_path: Path, relative: str):
    with pytest.raises(RentmarkError, match="leaves the workspace"):
        files.path_inside(tmp_path, relative)


def test_a_file_in_the_way_of_a_folder_is_one_sentence(tmp_path: Path):
    (tmp_path / "folder").write_bytes(b"")
    with pytest.raises(RentmarkError, match=r"a (file|folder) stands|exists"):
        files.write_durably(tmp_path / "folder" / "file", b"new")


def test_what_is_flushed_once_is_flushed_when_the_block_ends(tmp_path, monkeypatch):
    flushed: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda _handle: flushed.append("one"))
    monkeypatch.setattr(os, "sync", lambda: flushed.append("all"))
    with files.flushed_once():
        assert not files.flushes()
        files.write_durably(tmp_path / "folder" / "file", b"whole")
        assert (flushed, (tmp_path / "folder" / "file").read_bytes()) == ([], b"whole")
    assert flushed == ["all"]
    assert files.flushes()
    files.write_durably(tmp_path / "file", b"whole")
    assert flushed.count("one") >= 2
