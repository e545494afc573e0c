"""The one kind of YAML that price files are written in: indented keys with a plain value each.

Numbers stay the text they were written in, which a YAML library would turn into floats; a broken line costs
only itself; nothing is nested by calling itself, expanded, or built from tags. Lists, anchors and flow
collections are not of this kind, and such a line is malformed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_KEY = re.compile(r"""( *)(?:"([^"]*)"|'([^']*)'|([^\s:#\-&*!|>'"%@`{}\[\],][^:#]*?)):(?:[ ]+(.*))?""")
_BLOCK = re.compile(r"[|>][0-9+\-]*")
_DEEPEST = 16
_LONGEST_LINE = 10_000


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value at its path; ``malformed`` marks a line that is none, at the path it stands under."""

    path: tuple[str, ...]
    value: str
    malformed: bool = False


def read_leaves(content: bytes | bytearray) -> list[Leaf]:
    """Every value of a file in order. Text blocks (``|``, ``>``) are left out.

    A line that cannot be read ends what stands above it at its indentation, so that what follows is
    never taken for a part of something else; an indented line under nothing is malformed, too.
    """
    leaves: list[Leaf] = []
    stack: list[tuple[int, str]] = []
    block_indent: int | None = None
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        text = line.rstrip()
        plain = text.lstrip(" ")
        indent = len(text) - len(plain)
        if block_indent is not None and (not plain or indent > block_indent):
            continue
        block_indent = None
        if not plain or plain.startswith("#") or text in {"---", "..."}:
            continue
        match = _KEY.fullmatch(text) if len(text) <= _LONGEST_LINE else None
        while stack and stack[-1][0] >= indent:
            stack.pop()
        above = tuple(key for _, key in stack)
        if match is None or len(stack) >= _DEEPEST or (indent and not stack):
            leaves.append(Leaf(above, text[:_LONGEST_LINE], malformed=True))
            continue
        key = next(name for name in match.group(2, 3, 4) if name is not None).strip()
        value = (match[5] or "").strip()
        if _BLOCK.fullmatch(value):
            block_indent = indent
        elif value:
            leaves.append(Leaf((*above, key), _plain(value)))
        else:
            stack.append((indent, key))
    return leaves


def _plain(value: str) -> str:
    """A value without the quotation marks or the comment around it."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #", 1)[0].strip()
