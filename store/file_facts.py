"""Facts about an observation file, found once when it is written, that spare a panel whole steps.

A file never changes, so what is true of all its rows stays true: a column that holds one value throughout need
not be read, and a day in which no offer stands twice needs no search for the latest state of each. A file
without facts, of an older version, is read in full: the answer is the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..records import month_of
from .observations import shared_columns

Whole = npt.NDArray[np.int64]

CONSTANT = (
    "kind", "tier", "source", "license", "name_as_written", "venue", "form_factor", "memory_gb", "gpu_count", "price_basis",
    "region", "country", "pricing", "term_months", "service", "interconnect", "tenancy", "minimum_gpus", "machine",
    "carried_by_source", "rights", "simulated", "suspect", "trade_id", "trade_status", "gpu_seconds",
)  # fmt: skip
"""Columns of which it is noted that they hold one value throughout, absence being one."""
LONGEST_NOTED = 200
"""Signs of a longer text aren't repeated in the ledger."""
MOST_NAMED = 100
"""Sources and chips of a file are named up to this many of each."""
_KEY = ("tier", "source", "seller", "region", "pricing", "term_months", "gpu_count", "machine")
"""The parts of an offer key that are columns as they stand; sku and venue have stand-ins."""
_FIRST_DAY = date(1970, 1, 1)
_DAY_MICROS = 86_400_000_000
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class FileFacts:
    """``constants``: columns of one value. ``sources`` and ``chips``: all of them, or None where too many.

    ``repeats``: whether an offer key stands twice on one UTC day; trades are no offers.
    """

    constants: Mapping[str, str | int | bool | None]
    sources: tuple[str, ...] | None
    chips: tuple[str, ...] | None
    repeats: bool

    def to_text(self) -> str:
        """As the ledger keeps it."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps(said, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what the ledger keeps; what an older version did not note is not known."""
        said = json.loads(text)
        named = [said.get(name) for name in ("sources", "chips")]
        sources, chips = (None if names is None else tuple(names) for names in named)
        return cls(said.get("constants", {}), sources, chips, said.get("repeats", True))


def may_hold_any(facts: str | None, sources: Iterable[str]) -> bool:
    """Whether a file of these facts, as the ledger keeps them, may hold a row of one of these sources."""
    named = None if facts is None else FileFacts.from_text(facts).sources
    return named is None or not set(named).isdisjoint(sources)


def facts_by_month(
    observations: pa.Table, shared: Collection[str] | None = None
) -> Callable[[str], FileFacts]:
    """The facts of each month's file of these rows, which may leave some of them out: what is noted stays true.

    A source or a chip that only another month holds is named, too. ``shared`` are the shared_columns, where
    they are known already.
    """
    alike = shared_columns(observations) if shared is None else shared
    constants = dict(_constants(observations, alike))
    sources, chips = _named(observations["source"]), _named(observations["chip"])
    months = {month_of(day) for day in days_of_repeats(observations, constants)}
    return lambda month: FileFacts(constants, sources, chips, repeats=month in months)


def _named(column: pa.ChunkedArray) -> tuple[str, ...] | None:
    found = pc.unique(column).to_pylist()
    return tuple(sorted(found)) if len(found) <= MOST_NAMED else None


def _constants(rows: pa.Table, shared: Collection[str]) -> Iterable[tuple[str, Any]]:
    for name in CONSTANT:
        column = rows[name]
        if column.null_count == len(column):
            yield name, None
        elif name in shared:
            value = column[0].as_py()
            if not isinstance(value, str) or (len(value) <= LONGEST_NOTED and "\x00" not in value):
                yield name, value


def days_of_repeats(rows: pa.Table, constants: Collection[str] = ()) -> set[date]:
    """The UTC days on which two rows that are no trades share an offer key, which is that of ``index.panel``.

    ``constants`` name columns that tell nothing apart.
    """
    kinds = pc.equal(rows["kind"], "trade")
    if pc.any(kinds, min_count=0).as_py():
        rows = rows.filter(pc.invert(kinds))
    if rows.num_rows < 2:
        return set()
    day = np.asarray(rows["observed_at"].cast(pa.int64()).to_numpy(), np.int64) // _DAY_MICROS
    keys: Whole = day - day.min()
    size = int(keys.max()) + 1
    columns = [rows[name] for name in _KEY if name not in constants]
    if "venue" not in constants:
        columns.append(pc.coalesce(rows["venue"], rows["seller"]))
    for column in (*columns, _sku_key(rows)):
        codes, different = _codes(column)
        if size > _LARGEST // different:
            keys, size = _renumbered(keys)
        keys = keys * different + codes
        size *= different
    repeating = np.unique(day[pd.Index(keys).duplicated()])
    return {_FIRST_DAY + timedelta(days=int(number)) for number in repeating}


def _sku_key(rows: pa.Table) -> pa.ChunkedArray:
    """The SKU or what stands for it: name as written, form factor and memory."""
    sku = rows["sku"]
    if not sku.null_count:
        return sku
    parts = [
        pc.fill_null(rows[name].cast(pa.string()), "")
        for name in ("name_as_written", "form_factor", "memory_gb")
    ]
    return pc.coalesce(sku, pc.binary_join_element_wise(*parts, "|"))


def _codes(column: pa.ChunkedArray) -> tuple[Whole, int]:
    """A number for each distinct value, absence being one, and how many there are at most."""
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64), max(len(coded.dictionary), 1)


def _renumbered(keys: Whole) -> tuple[Whole, int]:
    """The same distinctions in numbers as small as can be."""
    codes, distinct = pd.factorize(keys)
    return np.asarray(codes, np.int64), max(len(distinct), 1)
