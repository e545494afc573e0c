"""Sub-indices as an attribution asks for them: each made once, and where one was missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from ...contracts import ContractSpec
from ...grades import Grade
from ..report_model import HedgeReport
from .lines import LineName
from .moves import Series

BenchmarkFor = Callable[[Grade], Mapping[date, int]]
"""Prices of a grade by date in micro-USD per GPU-hour, made as the reference is; empty where there are none."""
IndexNamed = Callable[[str], Mapping[date, int]]
"""Prices of another benchmark by date, as it stands on its tape or as candidates."""


@dataclass(slots=True, kw_only=True)
class Archive:
    """What an attribution reads: the report, the reference as published, and sub-indices as asked for."""

    report: HedgeReport
    contract: ContractSpec | None
    reference: Grade
    benchmark_for: BenchmarkFor
    index_named: IndexNamed
    published: Series
    by_grade: dict[Grade, Series] = field(default_factory=dict)
    by_name: dict[str, Series] = field(default_factory=dict)
    missing: dict[LineName, set[str]] = field(default_factory=dict)
    moved: set[LineName] = field(default_factory=set)

    def of(self, grade: Grade) -> Series:
        """The sub-index of a grade."""
        if grade not in self.by_grade:
            self.by_grade[grade] = Series(self.benchmark_for(grade))
        return self.by_grade[grade]

    def named(self, name: str) -> Series:
        """Another benchmark."""
        if name not in self.by_name:
            self.by_name[name] = Series(self.index_named(name))
        return self.by_name[name]

    def miss(self, name: LineName, month: str) -> None:
        """Note that a line can't be told in a month."""
        self.missing.setdefault(name, set()).add(month)

    @property
    def sign(self) -> int:
        """+1 for a buyer, who pays the rent; −1 for a provider, who receives it."""
        return 1 if self.report.role == "buyer" else -1
