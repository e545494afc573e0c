"""Compare: the same grade and data fixed under several methodologies; nothing is published or stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Literal

from ..grades.adjustment import usable_adjustments
from ..index import Benchmark, Methodology, Window, build_fixings, meeting_grade, windows_between
from ..index.comparing import Against, Figures, against, figures_of, values_of
from ..index.presets import PRESETS, preset_named, with_preset
from ..index.versions import in_force
from ..records import TIERS, Fixing, RentmarkError, digest_of
from ..records.observation import Tier
from .building import Reader, coverage
from .core import Workspace
from .resolving import resolved_benchmark
from .rulebook import Span, spans

Kind = Literal["benchmark", "methodology", "preset"]
Told = Callable[[int, int, str], None]
"""Told how many methodologies are done, of how many, and which one is next."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to fix the good: a benchmark as it stands, a methodology of the workspace, or a preset.

    ``changes`` are keys that win over it, as TOML holds them.
    """

    kind: Kind
    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How it is named in tables."""
        lead = "" if self.kind == "benchmark" else f"{self.kind} "
        return f"{lead}{self.name}" + (" changed" if self.changes else "")


@dataclass(frozen=True, slots=True)
class Compared:
    """One methodology's series with its figures, and how it differs from the first; or why there is no series.

    ``rule`` and ``reason`` say why nothing could be fixed; a series without any value has them, too.
    """

    method: Method
    benchmark: Benchmark
    fixings: tuple[Fixing, ...]
    figures: Figures
    against: Against
    rule: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Methodologies side by side on one grade; the first is what the others are held against."""

    benchmark: str
    seen_until: datetime
    simulated: bool
    compared: tuple[Compared, ...]


def every_preset() -> list[Method]:
    """All shipped presets as methods."""
    return [Method("preset", name) for name in PRESETS]


def compare_methodologies(
    workspace: Workspace,
    name: str,
    methods: Sequence[Method],
    span: tuple[date | None, date | None] = (None, None),
    *,
    progress: Told = lambda _done, _of, _label: None,
) -> Comparison:
    """Fix the grade of a benchmark under its own rules and under each of ``methods``, on all data recorded by now.

    ``span`` keeps dates from its first to its last, either may be open. Another benchmark stands under its own
    grade. Raises UsageError for a preset, methodology or key that does not exist, RentmarkError for an
    unknown benchmark and for an empty archive.
    """
    base = resolved_benchmark(workspace, name)
    asked = [Method("benchmark", name), *methods]
    resolved = [(method, _resolved(workspace, base, method)) for method in asked]
    seen_until = workspace.store.now()
    compared: list[Compared] = []
    with workspace.engine() as engine:
        archive = _Archive(Reader(workspace, engine), seen_until)
        for done, (method, benchmark) in enumerate(resolved):
            progress(done, len(resolved), method.label)
            dated = spans(workspace, method.name) if method.kind == "benchmark" and not method.changes else ()
            fixings, refused = archive.fixed(benchmark, span, dated)
            rule, reason = refused or (None, None)
            first = compared[0].fixings if compared else fixings
            found = figures_of(fixings), against(first, fixings)
            compared.append(Compared(method, benchmark, tuple(fixings), *found, rule, reason))
    progress(len(resolved), len(resolved), "")
    return Comparison(name, seen_until, workspace.store.simulated, tuple(compared))


def _resolved(workspace: Workspace, base: Benchmark, method: Method) -> Benchmark:
    """The benchmark of a method: the base's grade under its rules, or another benchmark as it stands."""
    if method.kind == "benchmark":
        held = resolved_benchmark(workspace, method.name)
        rules = held.methodology
    elif method.kind == "methodology":
        held = replace(base, methodology_name=method.name)
        workspace.configuration.methodology(method.name)  # refuses a name it does not know
        rules = in_force(
            workspace.configuration.versions[method.name], workspace.store.now().date()
        ).methodology
    else:
        held = replace(base, methodology_name=preset_named(method.name).name)
        rules = Methodology.read(with_preset({"preset": method.name}, method.label), f"preset {method.name}")
    if method.changes:
        written = rules.model_dump(mode="json", exclude_defaults=True) | dict(method.changes)
        rules = Methodology.read(written, method.label)
    if rules.adjustments is not None:
        usable_adjustments(rules.adjustments, held.grade)
    return replace(held, methodology=rules)


class _Archive:
    """The archive as one comparison reads it; what it holds of a grade is asked once."""

    def __init__(self, reader: Reader, seen_until: datetime) -> None:
        self._reader = reader
        self._seen_until = seen_until
        self._files = reader.files(seen_until=seen_until, reconstructed=False)
        self._tiers: dict[str, set[Tier]] = {}
        if not self._files:
            raise RentmarkError("No data yet. Run `rentmark ingest FEED FILE` or `rentmark demo`.")

    def fixed(
        self, benchmark: Benchmark, span: tuple[date | None, date | None], dated: Sequence[Span]
    ) -> tuple[list[Fixing], tuple[str, str] | None]:
        """The fixings of a span; where there is no value among them, the rule and a sentence beside them.

        ``dated`` are the versions of the rules of a benchmark, each with the dates it applies to.
        """
        grade = benchmark.grade_name
        covered = coverage(
            self._reader, benchmark, self._files, self._seen_until, reconstructed=False, rules=dated
        )
        if covered is None:
            return [], ("no_match", f"nothing in the archive meets grade {grade}")
        held, inputs = self._tiers_of(benchmark), benchmark.methodology.inputs
        if not held & set(inputs):
            return [], (
                "no_input",
                f"it reads {_listed(inputs)}, and the archive holds only {_listed(sorted(held))} of grade {grade}",
            )
        first, last = max(covered[0], span[0] or covered[0]), min(covered[1], span[1] or covered[1])
        fixings: list[Fixing] = []
        for part, windows in self._parts(benchmark, dated, first, last):
            fixings += self._built(part, windows, fixings)
        if not fixings:
            return [], (
                "no_dates",
                f"no fixing date of its calendar with data of grade {grade} is in the span",
            )
        if values_of(fixings):
            return fixings, None
        found = figures_of(fixings)
        counted = ", ".join(f"{rule} on {count:,}" for rule, count in found.gap_rules.items())
        out = ", ".join(f"{rule} {count:,}" for rule, count in found.screened.items())
        sentence = f"no value on any of {len(fixings):,} dates: {counted}" + (
            f"; votes left out: {out}" if out else ""
        )
        gates = [rule for rule in found.gap_rules if rule not in ("empty_window", "no_match")]
        return fixings, ((gates or list(found.gap_rules))[0], sentence)

    def _parts(
        self, benchmark: Benchmark, dated: Sequence[Span], first: date, last: date
    ) -> Iterator[tuple[Benchmark, list[Window]]]:
        """Each version of the rules with its windows between two dates."""
        if first > last:
            return
        if not dated:
            yield benchmark, windows_between(benchmark.methodology, first, last, self._seen_until)
        for part in dated:
            yield part.benchmark, part.windows(first, last, self._seen_until)

    def _built(self, rules: Benchmark, windows: Sequence[Window], before: Sequence[Fixing]) -> list[Fixing]:
        """The fixings of these windows; rules that look back read those made before in this comparison."""
        if not windows:
            return []
        reader, files = self._reader, self._files
        return build_fixings(
            rules,
            reader.ballots(rules, windows, files, reconstructed=False),
            windows,
            archive_holds=reader.archive_holds(rules, windows, files, reconstructed=False),
            published={fixing.date: fixing for fixing in before},
            reconstructed=False,
            simulated=reader.workspace.store.simulated,
            absent_sources=reader.absent_sources(rules, windows, files, reconstructed=False),
        )

    def _tiers_of(self, benchmark: Benchmark) -> set[Tier]:
        """The kinds of input that the archive holds of the grade."""
        key = f"{digest_of(benchmark.grade.model_dump(mode='json'))} {benchmark.methodology.adjustments}"
        if key not in self._tiers:
            table = self._reader.table(self._files)
            known = table.filter(table.recorded_at <= self._seen_until)
            ratings = self._reader.ratings_by_day(benchmark, self._files)
            engine = self._reader.engine
            self._tiers[key] = {
                tier
                for tier in TIERS
                if engine.to_arrow(meeting_grade(known.filter(known.tier == tier), benchmark, ratings))[
                    "first"
                ][0].is_valid
            }
        return self._tiers[key]


def _listed(tiers: Sequence[str]) -> str:
    return " and ".join(_IN_WORDS[tier] for tier in tiers)


_IN_WORDS = {"trade": "trades", "executable": "executable quotes", "listed": "list prices"}
