"""The workspace's rules: `rentmark.toml` read, checked and resolved."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..contracts import CONTRACTS, ContractSpec, read_contract
from ..contracts.account.rules import AccountRules, read_account
from ..grades import Grade, catalogue_hash, shipped_grades
from ..grades.adjustment import usable_adjustments
from ..index import Benchmark, BenchmarkSpec, Methodology
from ..index.versions import MethodologyVersion, read_versions
from ..ingest import Reading, read_mapping
from ..ingest.collect import CollectSpec, read_collect
from ..records import RentmarkError, UsageError

if TYPE_CHECKING:
    from ..backtest.alarm_rules import WatchRules
    from ..backtest.programmes import ProgrammeSpec

T = TypeVar("T")

FILE_NAME = "rentmark.toml"
LARGEST_RULES_BYTES = 4 * 1024**2
SECTIONS = (
    "clock", "grades", "methodologies", "benchmarks", "contracts", "mappings", "accounts", "collect", "programmes", "watch",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything a workspace states. ``simulated`` is fixed when the workspace is made.

    ``grades`` are the workspace's own; a benchmark and :meth:`grade` also know the shipped ones.
    """

    grades: Mapping[str, Grade]
    methodologies: Mapping[str, Methodology]
    benchmarks: Mapping[str, BenchmarkSpec]
    contracts: Mapping[str, ContractSpec]
    mappings: Mapping[str, Reading] = field(default_factory=dict)
    accounts: Mapping[str, AccountRules] = field(default_factory=dict)
    collect: Mapping[str, CollectSpec] = field(default_factory=dict)
    presets: Mapping[str, str] = field(default_factory=dict)
    """By methodology made from a preset: the preset and the version of it that was written out."""
    programmes: Mapping[str, ProgrammeSpec] = field(default_factory=dict)
    watch: WatchRules | None = None
    """The thresholds of `watch` as written; None where there is no table, which means the defaults."""
    versions: Mapping[str, tuple[MethodologyVersion, ...]] = field(default_factory=dict)
    simulated: bool = False
    _made: dict[tuple[str, int], Benchmark] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Benchmarks resolved before, by name and the identity of their methodology, which each of them holds."""

    def versions_of(self, benchmark: str) -> tuple[MethodologyVersion, ...]:
        """The versions of a benchmark's methodology, oldest first; raises RentmarkError for an unknown one."""
        methodology = self._named("benchmark", benchmark, self.benchmarks).methodology
        return self.versions.get(methodology) or (MethodologyVersion(self.methodologies[methodology]),)

    def benchmark(self, name: str, version: MethodologyVersion | None = None) -> Benchmark:
        """Resolve a benchmark by name, under a version or the first one; raises RentmarkError naming the known ones."""
        spec = self._named("benchmark", name, self.benchmarks)
        methodology = (version or self.versions_of(name)[0]).methodology
        found = self._made.get((name, id(methodology)))
        if found is None:
            found = self._made[name, id(methodology)] = Benchmark(
                name=name,
                grade_name=spec.grade,
                grade=self.grade(spec.grade),
                methodology_name=spec.methodology,
                methodology=methodology,
                research=spec.research,
                catalogue_hash=catalogue_hash(),
            )
        return found

    def grade(self, name: str) -> Grade:
        """A grade by name, the workspace's own before a shipped one; raises RentmarkError for neither."""
        return self._named("grade", name, self.all_grades())

    def all_grades(self) -> Mapping[str, Grade]:
        """The shipped grades and the workspace's own, which win; own ones first."""
        shipped = {n: g for n, g in shipped_grades().items() if n not in self.grades}
        return {**self.grades, **shipped}

    def methodology(self, name: str) -> Methodology:
        """A methodology by name; raises RentmarkError naming the known ones."""
        return self._named("methodology", name, self.methodologies)

    def contract(self, name: str) -> ContractSpec:
        """A contract by name; raises RentmarkError naming the known ones."""
        return self._named("contract", name, self.contracts)

    def programme(self, name: str) -> ProgrammeSpec:
        """A hedge programme by name; raises RentmarkError naming the known ones."""
        return self._named("programme", name, self.programmes)

    def mapping(self, name: str | None) -> Reading | None:
        """A table mapping or a feed's parameters by name, or None for the feed's default."""
        return None if name is None else self._named("mapping", name, self.mappings)

    @staticmethod
    def _named(what: str, name: str, known: Mapping[str, T]) -> T:
        if name in known:
            return known[name]
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}."
        raise RentmarkError(f"There is no {what} {name!r} in {FILE_NAME}; {hint}")


def read_configuration(path: Path) -> Configuration:
    """Read and check a rentmark.toml before any work. Raises UsageError with one plain sentence."""
    try:
        if path.stat().st_size > LARGEST_RULES_BYTES:
            raise UsageError(f"{path} is over {LARGEST_RULES_BYTES // 1024**2} MB; rules are a page of text.")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RentmarkError(f"No workspace in {path.parent}; run `rentmark init {path.parent}`.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{FILE_NAME} can't be read: {error}.") from None
    except RecursionError:
        raise UsageError(f"{FILE_NAME} can't be read: its values are nested too deeply.") from None
    return resolve(document)


def resolve(document: Mapping[str, Any]) -> Configuration:
    """Turn a parsed TOML document into a checked configuration."""
    for key in document:
        if key not in SECTIONS:
            raise UsageError(f"{FILE_NAME} has an unknown section {key}; known: {', '.join(SECTIONS)}.")
    clock = document.get("clock", "real")
    if clock not in ("real", "simulated"):
        raise UsageError(f'{FILE_NAME} has clock = {clock!r}; it must be "real" or "simulated".')
    grades = {n: Grade.read(v, f"[grades.{n}]") for n, v in _tables(document, "grades")}
    presets: dict[str, str] = {}
    versions = {
        n: read_versions(_written_out(n, v, presets), f"[methodologies.{n}]")
        for n, v in _tables(document, "methodologies")
    }
    methodologies = {name: listed[0].methodology for name, listed in versions.items()}
    benchmarks = {n: BenchmarkSpec.read(v, f"[benchmarks.{n}]") for n, v in _tables(document, "benchmarks")}
    shipped = shipped_grades()
    for name, spec in benchmarks.items():
        if spec.grade not in grades and spec.grade not in shipped:
            near = get_close_matches(spec.grade, [*grades, *shipped], n=1)
            hint = f" or did you mean {near[0]}?" if near else "."
            raise UsageError(
                f"[benchmarks.{name}] names grade {spec.grade!r}; add [grades.{spec.grade}]{hint}"
            )
        if spec.methodology not in methodologies:
            raise UsageError(
                f"[benchmarks.{name}] names methodology {spec.methodology!r}; "
                f"add [methodologies.{spec.methodology}]."
            )
        schedules = [version.methodology.adjustments for version in versions[spec.methodology]]
        for schedule in (each for each in schedules if each is not None):
            try:
                usable_adjustments(schedule, grades.get(spec.grade) or shipped[spec.grade])
            except UsageError as error:
                raise UsageError(
                    f"[benchmarks.{name}] on [methodologies.{spec.methodology}]: {error}"
                ) from None
    own = {n: read_contract({"id": n, **v}, f"[contracts.{n}]") for n, v in _tables(document, "contracts")}
    mappings = {n: read_mapping(v, f"[mappings.{n}]") for n, v in _tables(document, "mappings")}
    accounts = {n: read_account(v, f"[accounts.{n}]") for n, v in _tables(document, "accounts")}
    collect = {n: read_collect(n, v, mappings) for n, v in _tables(document, "collect")}
    return Configuration(
        grades=grades,
        methodologies=methodologies,
        benchmarks=benchmarks,
        contracts={**CONTRACTS, **own},
        mappings=mappings,
        accounts=accounts,
        collect=collect,
        presets=presets,
        programmes=_programmes(document),
        watch=_watch(document),
        versions=versions,
        simulated=clock == "simulated",
    )


def _written_out(name: str, values: Mapping[str, Any], presets: dict[str, str]) -> Mapping[str, Any]:
    """A methodology with the keys of its preset, noted by name and version; as it is where it names none."""
    if "preset" not in values and "without" not in values:
        return values
    from ..index.presets import preset_named, with_preset

    written = with_preset(values, f"[methodologies.{name}]")
    presets[name] = preset_named(values["preset"]).reference
    return written


def _watch(document: Mapping[str, Any]) -> WatchRules | None:
    """The thresholds of `watch`; their room is loaded only where there are any."""
    if "watch" not in document:
        return None
    from ..backtest.alarm_rules import read_watch

    return read_watch(document["watch"])


def _programmes(document: Mapping[str, Any]) -> Mapping[str, ProgrammeSpec]:
    """Hedge programmes; their room is loaded only where there are any."""
    tables = _tables(document, "programmes")
    if not tables:
        return {}
    from ..backtest.programmes import read_programme

    return {name: read_programme(values, f"[programmes.{name}]") for name, values in tables}


def _tables(document: Mapping[str, Any], section: str) -> list[tuple[str, Mapping[str, Any]]]:
    tables = document.get(section, {})
    if not isinstance(tables, Mapping):
        raise UsageError(f"{FILE_NAME} has {section} = {tables!r}; write [{section}.NAME] tables.")
    for name, values in tables.items():
        if not isinstance(values, Mapping):
            raise UsageError(
                f"{FILE_NAME} has {section}.{name} = {values!r}; write a table [{section}.{name}]."
            )
    return list(tables.items())
