"""Doubts that no single record shows, only the payload it came in.

Each marks records and removes none; a methodology decides. A record that is marked already keeps its mark.

* ``whole_node_price``: a price per GPU that grows with the GPUs of the instance, as a whole node's does: at n GPUs
  it is within a quarter of n times the seller's dearest price of one such GPU alone.
* ``repeated_across_chips``: one seller asks one price, to the micro-dollar, for three or more chips at the same
  instant whose usual prices lie a factor of four or more apart. The usual price of a chip is the middle of its band
  in the catalogue, in logarithms. That is what a placeholder looks like.
* ``spot_above_on_demand``: a spot price above the seller's lowest on-demand price for the same thing.
* ``two_prices_one_instant``: one offer with two prices at one instant. Nobody can tell which one was true.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..grades.catalogue import CATALOGUE
from .columns import Column, group_rows

Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]

FEWEST_CHIPS = 3
FURTHEST_RATIO = 4.0
"""Usual prices further apart than this are not one price by chance: a maker's neighbours are within 2."""
NODE_RATIO = 1.25
"""How far a price per GPU may be from n times that of one, to look like the price of all n."""
_WHO = ("source", "venue", "seller", "observed_at")
_WHAT = (
    "sku", "name_as_written", "form_factor", "memory_gb", "gpu_count", "minimum_gpus", "machine", "region",
    "price_basis", "chip",
)  # fmt: skip

_LOOKED_AT = [*_WHO, *_WHAT, "pricing", "term_months", "price_micros"]


def screened(table: pa.Table) -> pa.Table:
    """The table with its doubts marked in ``suspect``; the same table where there are none."""
    if table.num_rows < 2 or table.column("kind")[0].as_py() != "offer":
        return table
    # Every doubt is about rows of one seller at one instant: whoever stands alone there has none.
    rows = _rows_not_alone(table)
    if not len(rows):
        return table
    seen = _Seen(table.select(_LOOKED_AT).take(pa.array(rows)))
    marks = [
        ("two_prices_one_instant", _two_prices(seen)),
        ("spot_above_on_demand", _spot_above(seen)),
        ("repeated_across_chips", _repeated(seen)),
        ("whole_node_price", _whole_node(seen)),
    ]
    if not any(flags.any() for _, flags in marks):
        return table
    among: pa.Array = pa.nulls(len(rows), pa.string())
    for reason, flags in marks:
        among = pc.if_else(pa.array(flags), pa.scalar(reason), among)
    where = np.zeros(table.num_rows, np.bool_)
    where[rows] = True
    found = pc.replace_with_mask(pa.nulls(table.num_rows, pa.string()), pa.array(where), among)
    place = table.column_names.index("suspect")
    return table.set_column(place, table.field(place), pc.coalesce(table.column(place), found))


def _rows_not_alone(table: pa.Table) -> Whole:
    """The rows whose seller has another row at the same instant, ascending.

    In a table that is in order of time the neighbours tell at once which instants stand alone; where most
    do, only the others are grouped.
    """
    instants = table.column("observed_at").cast(pa.int64()).to_numpy()
    if (instants[1:] < instants[:-1]).any():
        return np.flatnonzero(_shared(_Seen(table).groups(_WHO), 2))
    same = instants[1:] == instants[:-1]
    near = np.flatnonzero(np.append(same, False) | np.append(False, same))
    if len(near) > table.num_rows // 2:
        return np.flatnonzero(_shared(_Seen(table).groups(_WHO), 2))
    seen = _Seen(table.select([*_WHO, "price_micros"]).take(pa.array(near)))
    return np.asarray(near[_shared(seen.groups(_WHO), 2)], np.int64) if len(near) else near


class _Seen:
    """The columns of a table as small whole numbers, made when they are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self.rows = table.num_rows
        self.price: Whole = table.column("price_micros").to_numpy()
        self._columns: dict[str, Column[int]] = {}

    def column(self, name: str) -> Column[int]:
        """A column whose values are numbered from 0, null among them."""
        if name not in self._columns:
            self._columns[name] = Column(name, *_numbered(self.table.column(name)))
        return self._columns[name]

    def groups(self, names: Sequence[str]) -> Whole:
        """The group of each row that agrees in every named column."""
        return group_rows([self.column(name) for name in names], self.rows)[1]

    def is_pricing(self, word: str) -> Flags:
        """Which rows are sold so."""
        return np.asarray(pc.equal(self.table.column("pricing"), word), np.bool_)


def _numbered(column: pa.ChunkedArray) -> tuple[range, npt.NDArray[Any]]:
    """The numbers that the values of a column may have, and the number of each row."""
    if column.null_count == len(column) or (
        not column.null_count and column[0].equals(column[-1]) and pc.all(pc.equal(column, column[0])).as_py()
    ):
        return range(1), np.zeros(len(column), np.int8)
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    if pa.types.is_integer(column.type) and not column.null_count:
        values = column.to_numpy()
        least = values.min()
        return range(int(values.max()) - int(least) + 1), values - least
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    return range(len(encoded.dictionary)), encoded.indices.to_numpy(zero_copy_only=False)


def _shared(group: Whole, fewest: int) -> Flags:
    """Rows whose group has at least so many."""
    return np.asarray(np.bincount(group)[group] >= fewest, np.bool_)


def _two_prices(seen: _Seen) -> Flags:
    flags = np.zeros(seen.rows, np.bool_)
    group = seen.groups((*_WHO, *_WHAT, "pricing", "term_months"))
    rows = np.flatnonzero(_shared(group, 2))
    if len(rows):
        low, high = _extremes(group[rows], seen.price[rows])
        flags[rows] = low < high
    return flags


def _spot_above(seen: _Seen) -> Flags:
    flags = np.zeros(seen.rows, np.bool_)
    spot, listed = seen.is_pricing("spot"), seen.is_pricing("on_demand")
    if not (spot.any() and listed.any()):
        return flags
    group = seen.groups((*_WHO, *_WHAT))
    lowest = np.full(int(group.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(lowest, group[listed], seen.price[listed])
    return np.asarray(spot & (seen.price > lowest[group]), np.bool_)


def _repeated(seen: _Seen) -> Flags:
    flags = np.zeros(seen.rows, np.bool_)
    chips = seen.table.column("chip").combine_chunks().dictionary_encode()
    if isinstance(chips, pa.ChunkedArray):
        chips = chips.chunk(0)
    if len(chips.dictionary) < FEWEST_CHIPS:
        return flags
    group = seen.groups((*_WHO, "pricing", "price_micros"))
    rows = np.flatnonzero(_shared(group, FEWEST_CHIPS))
    if not len(rows):
        return flags
    usual = np.array([_usual(name) for name in chips.dictionary.to_pylist()])
    chip = chips.indices.to_numpy(zero_copy_only=False).astype(np.int64)[rows]
    _, here = np.unique(group[rows], return_inverse=True)
    pairs = np.unique(here * len(usual) + chip)
    distinct = np.bincount(pairs // len(usual))
    low, high = _extremes(here, usual[chip])
    flags[rows] = (distinct[here] >= FEWEST_CHIPS) & (high - low >= math.log(FURTHEST_RATIO))
    return flags


def _whole_node(seen: _Seen) -> Flags:
    flags = np.zeros(seen.rows, np.bool_)
    counts = seen.table.column("gpu_count").fill_null(0).to_numpy()
    alone, several = counts == 1, counts > 1
    if not (alone.any() and several.any()):
        return flags
    group = seen.groups((*_WHO, "chip", "form_factor", "memory_gb", "region", "pricing", "term_months"))
    dearest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(dearest, group[alone], seen.price[alone])
    rows = np.flatnonzero(several & (dearest[group] > 0))
    ratio = seen.price[rows] / (counts[rows] * dearest[group[rows]])
    flags[rows] = (ratio >= 1 / NODE_RATIO) & (ratio <= NODE_RATIO)
    return flags


def _extremes(group: Whole, values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """For each row the lowest and the highest value of its group."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    place = np.cumsum(np.diff(group[order], prepend=-1) != 0) - 1
    back = np.empty(len(order), np.int64)
    back[order] = place
    ordered = values[order]
    return np.minimum.reduceat(ordered, starts)[back], np.maximum.reduceat(ordered, starts)[back]


def _usual(chip: str) -> float:
    """The middle of a chip's price band, as a logarithm."""
    entry = CATALOGUE[chip]
    return (math.log(entry.price_low_micros) + math.log(entry.price_high_micros)) / 2
