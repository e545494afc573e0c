"""The raw archive: payload bytes as received, under their SHA-256."""

from __future__ import annotations

import re
from pathlib import Path

from ..records import RentmarkError, sha256_hex
from .files import file_trouble, remove_abandoned, write_durably

_DIGEST = re.compile(r"[0-9a-f]{64}")


class RawArchive:
    """Payloads under ``root/ab/<sha256>``; what is in it is never rewritten."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, digest: str) -> Path:
        """Where a payload lies. Raises RentmarkError for what is not a SHA-256 in hexadecimal."""
        if _DIGEST.fullmatch(digest) is None:
            raise RentmarkError(
                f"{digest!r} is not a payload digest; give the 64 hexadecimal digits of a SHA-256."
            )
        return self.root / digest[:2] / digest

    def put(self, payload: bytes, digest: str | None = None) -> str:
        """Keep a payload and return its digest; one that is there already is left as it is.

        ``digest`` is its SHA-256 where the caller has just computed it.
        """
        digest = digest or sha256_hex(payload)
        path = self.path(digest)
        if not path.exists():
            write_durably(path, payload)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the payload of a digest.

        Raises RentmarkError naming the file when it is missing, and both digests when its bytes
        have changed since they were received.
        """
        path = self.path(digest)
        try:
            payload = path.read_bytes()
        except FileNotFoundError:
            raise RentmarkError(
                f"Payload {digest} is missing from the raw archive: no file {path}; restore it from a copy."
            ) from None
        except OSError as error:
            raise file_trouble("Reading", path, error) from None
        found = sha256_hex(payload)
        if found != digest:
            raise RentmarkError(
                f"Payload {path} was altered: its SHA-256 is {found}, it was received as {digest}; "
                "restore it from a copy."
            )
        return payload

    def clean_temporary(self) -> int:
        """Remove temporary files that a stopped writer left; returns how many."""
        return remove_abandoned(self.root)
