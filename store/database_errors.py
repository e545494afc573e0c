"""What a database driver says, in one plain sentence with the remedy and without a password."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, ProgrammingError

from ..records import RentmarkError

_SENTENCES = (
    ("readonly database", "is read-only; make it and its folder writable"),
    ("read-write mode during recovery", "is read-only; use a server that takes writes"),
    ("read-only transaction", "is read-only; use a server that takes writes"),
    ("database or disk is full", "has no room: the disk is full; free some space and repeat the command"),
    ("no space left on device", "has no room: the disk is full; free some space and repeat the command"),
    ("unable to open database file", "can't be opened; check that its folder exists and may be written"),
    ("disk i/o error", "can't be read or written: the disk does not answer; check the disk"),
    ("file is not a database", "is not a database, or is damaged; restore it from a copy"),
    ("malformed", "is damaged; restore it from a copy"),
    ("password authentication failed", "refuses the user or the password; check RENTMARK_DATABASE_URL"),
    ("no password supplied", "asks for a password; add it to RENTMARK_DATABASE_URL"),
    ("no such table", "holds no tables of Rentmark; run `rentmark init`"),
    ('relation "', "holds no tables of Rentmark; run `rentmark init`"),
    ("no schema has been selected", "does not let this user do that; grant the rights on its schema"),
    ("permission denied", "does not let this user do that; grant the rights on its schema"),
)
_BUSY = ("database is locked", "database table is locked", "lock timeout", "deadlock detected")


def is_busy(error: DBAPIError) -> bool:
    """Whether another writer held the lock for too long."""
    said = str(error.orig).lower()
    return any(sign in said for sign in _BUSY)


def database_trouble(shown: str, password: object, error: DBAPIError) -> Exception:
    """One sentence about a database, ``shown`` as its URL without a password.

    A statement that the database does not understand is a mistake of this code and comes back as it is.
    """
    said = str(error.orig)
    for sign, sentence in _SENTENCES:
        if sign in said.lower():
            return RentmarkError(f"The database {shown} {sentence}.")
    if isinstance(error, ProgrammingError):
        return error
    first = next((line.strip() for line in said.splitlines() if line.strip()), type(error.orig).__name__)
    if password:
        first = first.replace(str(password), "***")
    return RentmarkError(
        f"The database {shown} does not answer as it should ({first}); check RENTMARK_DATABASE_URL and "
        "that its server runs."
    )
