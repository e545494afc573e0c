"""Who sells in the archive: sellers with their venues, collectors, other names and days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..grades import ALIASES, seller_at
from ..records import format_instant
from .core import Workspace

_COLUMNS = ("kind", "seller", "venue", "source", "aggregator", "observed_at")


@dataclass(slots=True)
class _Seen:
    """What the archive holds of one seller on one way to us."""

    kind: str
    observations: int
    first: datetime
    last: datetime


def seller_rows(workspace: Workspace, as_of: datetime | None = None) -> list[dict[str, Any]]:
    """Each seller of the archive per venue, source and collector, by name.

    ``known_as`` is the name another source uses, by the aliases published by ``as_of`` (None: now).
    """
    from ..store.observations import read_columns

    store = workspace.store
    seen: dict[tuple[str, str | None, str, str | None], _Seen] = {}
    for path in store.file_paths(store.observation_files(as_of)):
        rows = read_columns(path, _COLUMNS)
        grouped = rows.group_by(list(_COLUMNS[:5])).aggregate(
            [("observed_at", "min"), ("observed_at", "max"), ([], "count_all")]
        )
        for row in grouped.to_pylist():
            key = (row["seller"], row["venue"], row["source"], row["aggregator"])
            _add(seen, key, row)
    moment = as_of or store.now()
    return [
        {
            "seller": seller,
            "known_as": None if (name := seller_at(seller, moment)) == seller else name,
            "venue": venue,
            "source": source,
            "aggregator": aggregator,
            "kind": found.kind,
            "observations": found.observations,
            "first_observed_at": format_instant(found.first),
            "last_observed_at": format_instant(found.last),
        }
        for (seller, venue, source, aggregator), found in sorted(
            seen.items(), key=lambda item: tuple(text or "" for text in item[0])
        )
    ]


def _add(seen: dict[Any, _Seen], key: Any, row: dict[str, Any]) -> None:
    found = seen.get(key)
    if found is None:
        seen[key] = _Seen(row["kind"], row["count_all"], row["observed_at_min"], row["observed_at_max"])
        return
    found.kind = found.kind if found.kind == row["kind"] else "both"
    found.observations += row["count_all"]
    found.first = min(found.first, row["observed_at_min"])
    found.last = max(found.last, row["observed_at_max"])


def alias_rows() -> list[dict[str, Any]]:
    """The table of aliases: two names of one seller, and since when that is known."""
    return [
        {
            "name": alias.name,
            "seller": alias.seller,
            "published_on": alias.published_on.isoformat(),
            "source": alias.source,
        }
        for alias in ALIASES
    ]
