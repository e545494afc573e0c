"""The fenced blocks of a page of documentation, and the commands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
_TITLE = re.compile(r'title="([^"]+)"')
PROMPT: Final = "$ "


@dataclass(frozen=True)
class Block:
    """One fenced block. ``info`` is all that follows its opening fence, ``line`` counts from 1."""

    page: str
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        """First word of the fence: ``console``, ``sh``, ``toml``, …; empty for a drawing."""
        return self.info.split()[0] if self.info else ""

    @property
    def title(self) -> str | None:
        """Name of the file that the block shows, where it says one."""
        found = _TITLE.search(self.info)
        return found[1] if found else None

    @property
    def tag(self) -> str:
        """The word after the language by which a test of its own finds the block; empty without one."""
        words = re.sub(_TITLE, "", self.info).split()[1:]
        return words[0] if words else ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Step:
    """A command of a block and the lines it must print; None where the block shows no output."""

    line: int
    command: str
    expected: tuple[str, ...] | None


def pages() -> list[Path]:
    """Every page that is written by hand, the README first."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    """How a page is called here: its path below docs/, or its name at the root."""
    return page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        indent = match["indent"]
        lines = [line.removeprefix(indent) for line in match["text"].splitlines()]
        found.append(
            Block(
                name_of(page), text.count("\n", 0, match.start()) + 1, match["info"].strip(), "\n".join(lines)
            )
        )
    return found


def steps_of(block: Block) -> list[Step]:
    """The commands of a ``console`` block with their outputs, or of an ``sh`` block without."""
    joined = _joined(block)
    if block.language == "sh":
        return [
            Step(number, line, None)
            for number, line in joined
            if line.strip() and not line.lstrip().startswith("#")
        ]
    steps: list[Step] = []
    for number, line in joined:
        if line.startswith(PROMPT):
            steps.append(Step(number, line.removeprefix(PROMPT), ()))
        else:
            assert steps, f"{block} prints before its first `$ ` line"
            last = steps[-1]
            steps[-1] = Step(last.line, last.command, (*(last.expected or ()), line))
    return steps


def _joined(block: Block) -> list[tuple[int, str]]:
    """Lines with their numbers on the page; a command that ends in a backslash goes on in the next line."""
    lines: list[tuple[int, str]] = []
    open_command = False
    for offset, line in enumerate(block.text.splitlines(), start=1):
        if open_command:
            number, before = lines[-1]
            lines[-1] = (number, f"{before} {line.strip()}")
        else:
            lines.append((block.line + offset, line))
        is_command = block.language == "sh" or lines[-1][1].startswith(PROMPT)
        open_command = is_command and line.endswith("\\")
        if open_command:
            lines[-1] = (lines[-1][0], lines[-1][1].removesuffix("\\").rstrip())
    return lines


def matches(expected: tuple[str, ...], printed: str) -> bool:
    """Whether a command printed what a page shows.

    ``…`` stands for any text within its line, and alone on a line for any number of lines. Blanks at the end of
    a line, and empty lines around tables, don't count.
    """
    wanted = [line.rstrip() for line in expected if line.strip()]
    said = [line.rstrip() for line in printed.splitlines() if line.strip()]
    parts = []
    for line in wanted:
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("…")) + r"\n")
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in said)) is not None
