"""The canonical texts of many rows from few pieces.

Neighbouring columns of few values, as a chip, its memory and its form, are written once for each combination
that occurs; of each row only the place of its combination is looked up. The texts are those of
:mod:`.canonical_texts`, which also writes the combinations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .canonical_texts import SEPARATOR, Written, append_piece, behind_label, canonical_texts
from .columns import Codes, Column, group_rows

MOST_COMBINATIONS = 1 << 14
"""Texts that are written for one run; beyond, it is cut in two."""

Coded: TypeAlias = Mapping[str, Column[Any]]
"""Columns of a table whose values are few, by name; their codes are those of its rows."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring columns: the text of each combination, and the place of each row's among them."""

    texts: pa.Array
    codes: Codes

    def piece(self, start: int, rows: int) -> pa.Array | str:
        """The texts of some rows, or the one that all rows share."""
        if len(self.texts) == 1:
            return str(self.texts[0].as_py())
        return self.texts.take(pa.array(self.codes[start : start + rows]))


@dataclass(frozen=True, slots=True)
class Plan:
    """How the texts of a table are put together.

    ``parts`` are runs and the names of columns that are written row by row. The label of a column in
    ``labelled_before`` stands at the end of the run before it.
    """

    parts: Sequence[Run | str]
    labelled_before: frozenset[str]

    @property
    def by_row(self) -> list[str]:
        """The columns that are written row by row."""
        return [part for part in self.parts if isinstance(part, str)]

    def pieces(self, written: Mapping[str, Written], start: int, rows: int) -> list[Any]:
        """The pieces of the texts of ``rows`` rows from ``start`` on, as ``join_pieces`` takes them."""
        pieces: list[Any] = [""]
        for part in self.parts:
            if isinstance(part, Run):
                append_piece(pieces, part.piece(start, rows))
            elif part in written:
                found = written[part]
                if found.has_nulls:
                    pieces.append(behind_label(part, found))
                    continue
                if part not in self.labelled_before:
                    append_piece(pieces, f"{SEPARATOR}{part}=")
                append_piece(pieces, found.texts)
        return pieces


def plan_of(table: pa.Table, columns: Sequence[str], coded: Coded) -> Plan | None:
    """The plan for the canonical texts over these columns; None where no run is sure to begin each text."""
    stated = [
        name
        for name in columns
        if name in table.column_names and table.column(name).null_count < table.num_rows
    ]
    parts: list[Run | str] = []
    before = set()
    for group in _neighbours(stated, coded):
        if isinstance(group, str):
            last = parts[-1] if parts else None
            if isinstance(last, Run) and not table.column(group).null_count:
                ended = pc.binary_join_element_wise(last.texts, f"{SEPARATOR}{group}=", "")
                parts[-1] = Run(ended, last.codes)
                before.add(group)
            parts.append(group)
        else:
            parts += _runs(table, group, coded, first=not parts)
        if not isinstance(parts[0], Run) or (len(parts) == 1 and _any_blank(parts[0].texts)):
            return None
    return Plan(parts, frozenset(before)) if parts else None


def _neighbours(stated: Sequence[str], coded: Coded) -> list[list[str] | str]:
    """Lists of coded columns that stand beside each other, and the names of the others between them."""
    groups: list[list[str] | str] = []
    for name in stated:
        if name not in coded or len(coded[name].values) > MOST_COMBINATIONS:
            groups.append(name)
        elif groups and isinstance(groups[-1], list):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _runs(table: pa.Table, names: Sequence[str], coded: Coded, *, first: bool) -> list[Run]:
    """The neighbours as one run, or as several where too many combinations of them occur."""
    telling = {id(coded[name].codes): coded[name] for name in names if len(coded[name].values) > 1}
    rows, codes = group_rows(list(telling.values()), table.num_rows)
    if len(rows) > MOST_COMBINATIONS and len(names) > 1:
        middle = len(names) // 2
        return [
            *_runs(table, names[:middle], coded, first=first),
            *_runs(table, names[middle:], coded, first=False),
        ]
    written = canonical_texts(table.select(names).take(pa.array(rows)), names)
    texts = pa.concat_arrays(list(written))
    if not first:
        lead = pc.if_else(pc.equal(texts, ""), "", SEPARATOR)
        texts = pc.binary_join_element_wise(lead, texts, "")
    return [Run(texts, codes.astype(np.min_scalar_type(-max(len(rows), 1))))]


def _any_blank(texts: pa.Array) -> bool:
    return bool(pc.any(pc.equal(texts, "")).as_py())
