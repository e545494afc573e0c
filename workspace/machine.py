"""What the machine refused outside the places that expect it."""

from __future__ import annotations

import errno
import os

from ..records import RentmarkError
from ..store.files import REMEDIES

_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.EIO)


def machine_trouble(error: BaseException | None) -> RentmarkError | None:
    """A full, read-only or silent disk, or too many open files, as one sentence; None for all else."""
    if not isinstance(error, OSError) or error.errno not in _OF_THE_MACHINE:
        return None
    where = f" at {error.filename}" if error.filename else ""
    return RentmarkError(
        f"The machine refused to go on{where} ({os.strerror(error.errno)}): {REMEDIES[error.errno]}. "
        "What was committed before stays."
    )
