"""Files that are either whole or absent, even when the machine stops halfway.

A file is written beside its place under a name that starts with a dot, flushed to the disk, and
renamed. The writer holds a lock on it meanwhile, so that cleaning up can tell an abandoned
temporary file from one that another process is writing at this moment.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ..records import RentmarkError

TEMPORARY_SUFFIX = ".tmp"

REMEDIES = {
    errno.ENOSPC: "the disk is full; free some space and repeat the command",
    errno.EDQUOT: "the disk quota is used up; free some space and repeat the command",
    errno.EROFS: "the disk is read-only; mount it for writing or use another folder",
    errno.EACCES: "permission is denied; check who owns the folder",
    errno.EPERM: "permission is denied; check who owns the folder",
    errno.ENOENT: "it does not exist; restore it from a copy",
    errno.ENOTDIR: "a file stands where a folder is needed; move it away",
    errno.EISDIR: "a folder stands where a file is needed; move it away",
    errno.ENAMETOOLONG: "the name is too long; use a shorter folder",
    errno.EMFILE: "too many files are open; raise the limit with `ulimit -n`",
    errno.EIO: "the disk does not answer; check it before going on",
}
"""What to do about a failure of the file system, by its number."""


def file_trouble(doing: str, path: Path, error: OSError) -> RentmarkError:
    """Turn a failure of the file system into one sentence; ``doing`` is such as "writing"."""
    remedy = REMEDIES.get(error.errno or 0, f"{error.strerror or error}; check the folder")
    return RentmarkError(f"{doing} {path} failed: {remedy}.")


class _Flushing:
    """Whether this process flushes each file and each commit by itself."""

    each = True


@contextmanager
def flushed_once() -> Iterator[None]:
    """Flush what this process writes when the block ends, and not file by file and commit by commit.

    For a workspace that can be made again: a stopped process leaves it whole, a power cut may not.
    """
    before, _Flushing.each = _Flushing.each, False
    try:
        yield
    finally:
        _Flushing.each = before
        os.sync()


def flushes() -> bool:
    """Whether every file and every commit is flushed to the disk by itself."""
    return _Flushing.each


def sync_folder(folder: Path) -> None:
    """Make renames inside a folder survive a power cut."""
    if not _Flushing.each:
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create a folder and its missing parents, each entry flushed to its parent."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def _open_locked(folder: Path, name: str) -> tuple[int, Path]:
    """Open a new temporary file and lock it; a cleaner may have been faster, then try again."""
    while True:
        path = folder / f".{name}.{secrets.token_hex(8)}{TEMPORARY_SUFFIX}"
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, path
        os.close(handle)


def write_durably(path: Path, payload: bytes | memoryview) -> None:
    """Write a whole file, replacing what stands there; it is whole or absent at any moment.

    Raises RentmarkError when the disk is full, read-only or otherwise refuses.
    """
    try:
        make_folder(path.parent)
        handle, temporary = _open_locked(path.parent, path.name)
        try:
            _write_all(handle, payload)
            if _Flushing.each:
                os.fsync(handle)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        sync_folder(path.parent)
    except OSError as error:
        raise file_trouble("Writing", path, error) from None


def _write_all(handle: int, payload: bytes | memoryview) -> None:
    rest = memoryview(payload)
    while rest:
        rest = rest[os.write(handle, rest) :]


def remove_abandoned(folder: Path) -> int:
    """Remove temporary files under a folder whose writer has ended; returns how many.

    Files of a living writer are locked and stay. A folder that may not be written is left as it is.
    """
    removed = 0
    for path in sorted(folder.rglob(f".*{TEMPORARY_SUFFIX}")):
        try:
            handle = os.open(path, os.O_RDONLY)
        except OSError:
            continue  # renamed by its writer meanwhile, or not ours to read
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
            removed += 1
        except OSError:
            continue  # a writer holds it, or the folder is read-only: it does no harm there
        finally:
            os.close(handle)
    return removed


def file_digest(path: Path) -> str:
    """The SHA-256 of a file's bytes as hexadecimal digits; raises OSError when it can't be read."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def path_inside(root: Path, relative: str) -> Path:
    """The place of a relative path under ``root``.

    Raises RentmarkError for an absolute path or one that climbs out: a ledger that names such a
    path has been tampered with.
    """
    written = PurePosixPath(relative)
    if written.is_absolute() or ".." in written.parts or not written.parts:
        raise RentmarkError(f"The path {relative!r} leaves the workspace {root}; the ledger was altered.")
    return root / written
