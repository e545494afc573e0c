"""Replaying: whether the rows of a period follow from the ballots in the archive, field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..fixing import make_fixing
from ..methodology import Benchmark
from ..verify import Difference, compare
from .days import Day
from .wording import count_of


@dataclass(frozen=True, slots=True)
class Replay:
    """Rows made again under the rules they were made with; ``n_other_rules`` were made under other ones."""

    n_rows: int
    differences: tuple[Difference, ...]
    n_other_rules: int

    @property
    def sentence(self) -> str:
        """How many reproduce, and what the first difference is."""
        said = f"{self.n_rows - len({d.date for d in self.differences})} of {count_of(self.n_rows, 'row')} reproduce to the last digit"
        if self.n_other_rules:
            said += f"; {count_of(self.n_other_rules, 'row')} made under earlier rules were not tried (index verify does)"
        return f"{said}." + (f" {self.differences[0].sentence}" if self.differences else "")


def replay(benchmark: Benchmark, days: Sequence[Day]) -> Replay:
    """Make each row again from its ballots and state, and compare."""
    mine = [day for day in days if day.fixing.methodology_hash == benchmark.methodology_hash]
    made = {}
    for day in mine:
        again = make_fixing(
            benchmark,
            day.window,
            day.ballots,
            absent_sources=day.absent_sources,
            archive_holds_day=bool(day.ballots) or day.fixing.rule != "empty_window",
            state=day.state,
            reconstructed=day.fixing.reconstructed,
            simulated=day.fixing.simulated,
        )
        made[day.fixing.date, day.fixing.revision] = replace(again, revision=day.fixing.revision)
    return Replay(len(mine), tuple(compare([day.fixing for day in mine], made)), len(days) - len(mine))
