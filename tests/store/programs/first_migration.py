"""Bring a database up to date: ``first_migration.py URL``, starting at a line on standard input."""

from __future__ import annotations

import sys

from rentmark.store import Database


def main() -> None:
    database = Database(sys.argv[1])
    print("ready", flush=True)
    sys.stdin.readline()
    database.upgrade()
    print(database.revision(), flush=True)
    database.close()


if __name__ == "__main__":
    main()
