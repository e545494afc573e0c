"""Versions of a methodology: which rules apply to which fixing date, and what changed from one to the next.

The table of a methodology is its first version. Each ``[[methodologies.NAME.versions]]`` below it states what
is different from the one before, in words and in keys, and from which fixing date on. A version counts from
the day it was announced, so that a view as of earlier does not know it, and it never reaches back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Self

from pydantic import Field, model_validator

from ..records import UsageError, day_start, digest_of
from ..records.specs import SpecModel
from .methodology import Methodology

VERSIONS_KEY = "versions"


class VersionEntry(SpecModel):
    """One entry of ``[[methodologies.NAME.versions]]``.

    ``rules`` are keys that differ from the version before, ``without`` keys that go back to their default.
    ``announced_on`` is the day it was made public; left out, it is ``effective_from``.
    """

    version: str = Field(min_length=1)
    effective_from: date
    announced_on: date | None = None
    changes: str = Field(min_length=1)
    rules: Mapping[str, Any] = Field(default_factory=dict)
    without: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _announced_before_it_counts(self) -> Self:
        if self.announced_on is not None and self.announced_on > self.effective_from:
            raise ValueError(
                f"announced_on = {self.announced_on} is after effective_from = {self.effective_from}; "
                "a change never reaches back: let it take effect later"
            )
        for key in ("version", VERSIONS_KEY):
            if key in self.rules or key in self.without:
                raise ValueError(
                    f"{key} can't stand among the rules of a version; give the entry its version"
                )
        return self


@dataclass(frozen=True, slots=True)
class MethodologyVersion:
    """The whole rules of one version, and from which fixing date they apply.

    The first version has no ``effective_from``: it applies to every date before the second one.
    """

    methodology: Methodology
    effective_from: date | None = None
    announced_on: date | None = None
    changes: str | None = None

    @property
    def version(self) -> str:
        """Its number."""
        return self.methodology.version

    @property
    def rules_digest(self) -> str:
        """SHA-256 over the rules and the date they apply from: what may not be edited once it is recorded."""
        rules = self.methodology.model_dump(mode="json", exclude_defaults=True)
        return digest_of([rules, self.effective_from])

    def counts_at(self, instant: datetime) -> bool:
        """Whether it had been announced by an instant."""
        return self.announced_on is None or day_start(self.announced_on) <= instant


def read_versions(values: Mapping[str, Any], where: str) -> tuple[MethodologyVersion, ...]:
    """Read a methodology with its versions from the TOML table found at ``where``, oldest first.

    Every version is checked whole, as if it stood alone. Raises UsageError with one sentence.
    """
    table, name = dict(values), where.strip("[]")
    listed = table.pop(VERSIONS_KEY, [])
    if not isinstance(listed, list) or not all(isinstance(entry, Mapping) for entry in listed):
        raise UsageError(f"{where} has versions = {listed!r}; write [[{name}.versions]] tables.")
    made = [MethodologyVersion(Methodology.read(table, where))]
    for number, values_of_entry in enumerate(listed, start=2):
        place = f"[[{name}.versions]], version {values_of_entry.get('version', f'number {number}')}"
        entry = VersionEntry.read(values_of_entry, place)
        absent = [key for key in entry.without if key not in table]
        if absent:
            raise UsageError(f"{place}: without names {absent[0]}, which the version before does not state.")
        table = {k: v for k, v in table.items() if k not in entry.without} | dict(entry.rules)
        table["version"] = entry.version
        made.append(
            MethodologyVersion(
                Methodology.read(table, place),
                entry.effective_from,
                entry.announced_on or entry.effective_from,
                entry.changes,
            )
        )
        _refuse_disorder(made, place)
    return tuple(made)


def _refuse_disorder(made: Sequence[MethodologyVersion], place: str) -> None:
    last, before = made[-1], made[:-1]
    if last.version in {earlier.version for earlier in before}:
        raise UsageError(f"{place} stands twice; give every version a number of its own.")
    start = before[-1].effective_from
    if start is not None and last.effective_from is not None and last.effective_from <= start:
        raise UsageError(
            f"{place} has effective_from = {last.effective_from}, which is not after {start} of "
            f"{before[-1].version}; write versions oldest first."
        )


def in_force(versions: Sequence[MethodologyVersion], day: date) -> MethodologyVersion:
    """The version that applies to a fixing date: the last one that has taken effect by then."""
    chosen = versions[0]
    for version in versions[1:]:
        if version.effective_from is not None and version.effective_from <= day:
            chosen = version
    return chosen
