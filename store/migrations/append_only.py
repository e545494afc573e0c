"""How a migration makes the database itself refuse to change what is recorded.

Migrations share this one text. It is history as they are: never change what it does; a table that
needs another guard gets another function.
"""

from __future__ import annotations

from collections.abc import Callable

from alembic import op


def refuse_changes(table: str) -> None:
    """Make the database refuse UPDATE and DELETE (and TRUNCATE) of committed rows of ``table``."""
    sentence = f"{table} is append-only"
    write: dict[str, Callable[[], None]] = {
        "sqlite": lambda: _refuse_on_sqlite(table, sentence),
        "postgresql": lambda: _refuse_on_postgresql(table, sentence),
    }
    write[op.get_bind().dialect.name]()


def _refuse_on_sqlite(table: str, sentence: str) -> None:
    for change in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER {table}_refuses_{change} BEFORE {change} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{sentence}'); END"
        )


def _refuse_on_postgresql(table: str, sentence: str) -> None:
    op.execute(
        f"CREATE FUNCTION {table}_refuses_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{sentence}'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuses_change()"
    )
