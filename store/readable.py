"""Rows read for a check: one that can't be read any more is itself a finding, and stops no other."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa


def readable(
    connection: sa.Connection, query: sa.Select[tuple[object, ...]], key: sa.Column[int]
) -> Iterator[tuple[int, sa.RowMapping | None]]:
    """The rows of a query by their key, in its order; None for a row whose values are none of their types.

    SQLite keeps whatever bytes it is given, so an altered date may be no date. ``query`` selects ``key``.
    """
    try:
        rows = list(connection.execute(query).mappings())
    except (ValueError, TypeError):
        keys = query.with_only_columns(key)
        for place in list(connection.scalars(keys)):
            yield place, _one(connection, query.where(key == place))
        return
    for row in rows:
        yield row[key.name], row


def _one(connection: sa.Connection, query: sa.Select[tuple[object, ...]]) -> sa.RowMapping | None:
    try:
        return connection.execute(query).mappings().one()
    except (ValueError, TypeError):
        return None
