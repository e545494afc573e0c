"""Migrations of the SQL tables, from the first table on.

A migration is a file in ``versions`` written by hand: copy the last one, count ``revision`` up, set
``down_revision`` to it, and move ``HEAD_REVISION`` in ``store/database.py``. It spells out its tables
and imports none, because tables change and history does not; only the guard of append-only tables is
shared (``append_only``), and stays as it is. Never reinterpret what is recorded: add
columns that may be null, add tables, leave the meaning of the old ones.

On SQLite a batch (table-copying) migration drops the triggers that keep a table append-only: create
them again in the same migration.
"""
