"""What a preset is: the public part of somebody's methodology in the keys of this project, key by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Standing = Literal["public", "assumed"]

SECOND_HAND = (
    "third-party note that cites the publisher's methodology, read 2026-10; the methodology itself not read"
)
"""Source of what was read at second hand."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """The value of one key, whether it is published or assumed, and where it was read or why it was chosen."""

    value: Any
    standing: Standing
    source: str


def public(value: Any, source: str) -> Keyed:
    """A value that the publisher states; ``source`` names the text and its section."""
    return Keyed(value, "public", source)


def assumed(value: Any, why: str) -> Keyed:
    """A value that is not disclosed and was chosen here; ``why`` says what is undisclosed and how it was chosen."""
    return Keyed(value, "assumed", f"undisclosed, assumed: {why}")


@dataclass(frozen=True, slots=True)
class Preset:
    """A methodology that is public in part.

    ``methodology`` and ``grade`` hold keys as a table of ``rentmark.toml`` would. A key that is not there
    stands at its default, which asks nothing. ``not_expressed`` lists what the publisher does and these keys
    can't say. ``read`` says which texts were read, and when. ``version`` rises whenever a key would change.
    """

    name: str
    version: str
    index: str
    publisher: str
    summary: str
    read: str
    methodology: Mapping[str, Keyed]
    grade: Mapping[str, Keyed]
    not_expressed: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Name and version: what a methodology made from it carries as its own version."""
        return f"{self.name}@{self.version}"

    def values(self) -> dict[str, Any]:
        """The keys as a ``[methodologies.*]`` table holds them, the version among them."""
        return {"version": self.reference} | {key: keyed.value for key, keyed in self.methodology.items()}
