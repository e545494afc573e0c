"""When a source was last asked, kept beside the archive; and one command at a time that asks it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from ..records import RentmarkError, format_instant, parse_instant

_FOLDER = "archive/collect"


class Attempts:
    """The attempts at one source of ``[collect.NAME]``, under its lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def last(self) -> datetime | None:
        """When the source was last asked, or None where it never was, or the file is damaged."""
        try:
            return parse_instant(self._path.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def note(self, moment: datetime) -> None:
        """Keep that the source is asked now. Raises RentmarkError where the disk refuses."""
        from ..store.files import write_durably

        write_durably(self._path, f"{format_instant(moment)}\n".encode())


@contextmanager
def attempting(root: Path, name: str) -> Iterator[Attempts | None]:
    """The attempts at a source while no other command asks it; None where one does.

    Raises RentmarkError where the folder can't be written.
    """
    folder = root / _FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / f"{name}.lock", os.O_CREAT | os.O_RDWR, 0o666)
    except OSError as error:
        raise RentmarkError(f"{folder} can't be written: {error.strerror}; check the disk.") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield Attempts(folder / f"{name}.asked")
    finally:
        os.close(handle)
