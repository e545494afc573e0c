"""Reads docs/json.md and holds a JSON answer against it: every key, its type, and a reason for a null."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"
SIX_DECIMALS = re.compile(r"-?\d+\.\d{6}\Z")
DIGEST = re.compile(r"[0-9a-f]{64}\Z")
MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])\Z")
NEEDS_A_REASON = {"price", "usd", "number"}
OPTIONAL = ", optional"


def _is_instant(value: str) -> bool:
    return value.endswith("Z") and datetime.fromisoformat(value).utcoffset() is not None


TYPES = {
    "text": lambda v: isinstance(v, str),
    "data": lambda v: json.dumps(v, allow_nan=False) != "",
    "flag": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "count": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v),
    "price": lambda v: isinstance(v, str) and bool(SIX_DECIMALS.match(v)),
    "usd": lambda v: isinstance(v, str) and bool(SIX_DECIMALS.match(v)),
    "date": lambda v: isinstance(v, str) and date.fromisoformat(v).isoformat() == v,
    "month": lambda v: isinstance(v, str) and bool(MONTH.match(v)),
    "instant": lambda v: isinstance(v, str) and _is_instant(v),
    "digest": lambda v: isinstance(v, str) and bool(DIGEST.match(v)),
}


@dataclass
class Node:
    """What the page says of one place.

    ``home`` is the heading and path that document it; ``words`` are the words an enumeration allows.
    """

    home: str = ""
    kind: str = "object"
    words: frozenset[str] = frozenset()
    nullable: bool = False
    needs_reason: bool = False
    optional: bool = False
    keys: dict[str, Node] = field(default_factory=dict)
    item: Node | None = None
    free: Node | None = None


def sections() -> dict[str, list[tuple[str, str]]]:
    """The (path, type) rows of the table under each ``###`` heading, backticks of the heading removed."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in PAGE.read_text(encoding="utf-8").split("\n### ")[1:]:
        heading, _, body = part.partition("\n")
        body = body.split("\n## ")[0]
        rows = [line.split(" | ") for line in body.splitlines() if line.startswith("| `")]
        paths = [(cells[0].removeprefix("| ").strip("`"), cells[1]) for cells in rows]
        found[heading.replace("`", "")] = [
            (each, kind) for path, kind in paths for each in _alternatives(path)
        ]
    return found


def _alternatives(path: str) -> list[str]:
    braces = re.search(r"\{(.*?)\}", path)
    if braces is None:
        return [path]
    return [path.replace(braces[0], word) for word in braces[1].split(",")]


def tree_of(heading: str) -> Node:
    """The documented shape of what a command prints, or of a named object."""
    everything = sections()
    links = {"-".join(title.lower().split()): title for title in everything}
    root = Node()
    for path, kind in everything[heading]:
        place = root
        for step in path.split("."):
            name = step.removesuffix("[]")
            if name == "*":
                place.free = place.free or Node()
                place = place.free
            else:
                place = place.keys.setdefault(name, Node())
            holder = place
            if step.endswith("[]"):
                place.kind = "list"
                place.item = place.item or Node()
                place = place.item
        place.home = f"{heading}: {path}"
        _describe(place, kind.removesuffix(OPTIONAL), links)
        holder.optional = kind.endswith(OPTIONAL)
    return root


def _describe(place: Node, kind: str, links: dict[str, str]) -> None:
    for ending in (" or null", " or unstated"):
        if kind.endswith(ending):
            kind, place.nullable = kind.removesuffix(ending), True
            place.needs_reason = ending == " or null" and kind in NEEDS_A_REASON
    link = re.fullmatch(r"\[.*\]\(#(.*)\)", kind)
    if link is not None:
        named = tree_of(links[link[1]])
        place.keys, place.free = named.keys, named.free
    elif kind.startswith("`"):
        place.kind, place.words = "words", frozenset(re.findall(r"`([^`]+)`", kind))
    else:
        assert kind in TYPES, f"docs/json.md names no type {kind!r}"
        place.kind = kind


def homes() -> set[str]:
    """Every documented place as ``heading: path``."""
    return {f"{heading}: {path}" for heading, rows in sections().items() for path, _ in rows}


class Reading:
    """Answers held against one shape: what they broke, and which documented places they met."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.problems: set[str] = set()
        self.met: set[str] = set()

    def read(self, answer: Any) -> None:
        """Hold one answer against the shape."""
        self._check(self.root, answer, "")

    def _check(self, node: Node, value: Any, path: str) -> None:
        self.met.add(node.home)
        if value is None:
            if not node.nullable:
                self.problems.add(f"{path} is null, which the page does not allow")
        elif node.kind == "words":
            if value not in node.words:
                self.problems.add(f"{path} is {value!r}, which the page does not list")
        elif node.kind == "list":
            if isinstance(value, list) and node.item is not None:
                for each in value:
                    self._check(node.item, each, f"{path}[]")
            else:
                self.problems.add(f"{path} is no list")
        elif not TYPES[node.kind](value):
            self.problems.add(f"{path} is {value!r}, which is no {node.kind}")
        elif node.kind == "object":
            self._check_object(node, value, path)

    def _check_object(self, node: Node, value: dict[str, Any], path: str) -> None:
        for key, inner in node.keys.items():
            where = f"{path}.{key}".lstrip(".")
            if key not in value:
                if not inner.optional:
                    self.problems.add(f"{where} is missing")
                continue
            self._check(inner, value[key], where)
            told = value.get("reason") or value.get(f"{key}_reason")
            if value[key] is None and inner.needs_reason and not told:
                self.problems.add(f"{where} is null and no reason stands beside it")
        for key in value.keys() - node.keys.keys():
            if node.free is None:
                self.problems.add(f"{path}.{key}".lstrip(".") + " is not documented")
            else:
                self._check(node.free, value[key], f"{path}.*".lstrip("."))
