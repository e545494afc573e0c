"""The documentation as a site under build/site: docs/, the changelog, and a reference made from docstrings.

`make docs` runs it. A warning of the builder, such as a link that leads nowhere, is an error.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = (
    "records", "drawing", "grades", "store", "ingest", "index", "contracts", "backtest", "workspace", "dashboard",
    "cli",
)  # fmt: skip
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ROLE = re.compile(r":\w+:`~?([^`]+)`")


def text_of(thing: Any) -> str:
    """A docstring as Markdown: double backticks and roles become code."""
    text = inspect.cleandoc(thing.__doc__ or "")
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def signature(name: str, thing: Any) -> str:
    """How a function or class is called, as it is written; empty where nothing can be called."""
    try:
        written = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    # A default that is an object of ours prints with its address: the reader needs to know only that there is one.
    written = re.sub(r"<[^<>]* at 0x[0-9a-f]+>", "…", written).replace("'", "")
    return f"{name}{written}"


def members_of(owner: type) -> list[tuple[str, str, str]]:
    """Public methods and properties that a class says something about: name, call, text."""
    found = []
    for name, member in vars(owner).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not callable(function) or not getattr(function, "__doc__", None):
            continue
        found.append(
            (name, "" if isinstance(member, property) else signature(name, function), text_of(function))
        )
    return found


def entry(name: str, thing: Any) -> str:
    """One exported name as a section; a constant stands by its type alone."""
    lines = [f"## {name}", ""]
    if inspect.isclass(thing) or inspect.isroutine(thing):
        called = signature(name, thing)
        lines += ["```python", called, "```", ""] if called else []
        lines += [text_of(thing) or "No more is said than its name.", ""]
        for member, call, text in members_of(thing) if inspect.isclass(thing) else ():
            lines += [f"- `{call or member}`: " + " ".join(text.split()), ""]
    else:
        lines += [f"A constant of type `{type(thing).__name__}`.", ""]
    return "\n".join(lines)


def reference_pages() -> dict[str, str]:
    """Pages of the reference by file name: an index, and each room with all that it exports."""
    pages, rows = {}, []
    for room in ROOMS:
        module = import_module(f"rentmark.{room}")
        names = sorted(module.__all__, key=str.lower)
        rows.append(
            f"| [`rentmark.{room}`](rentmark-{room}.md) | {text_of(module).splitlines()[0]} | {len(names)} |"
        )
        entries = "\n".join(entry(name, getattr(module, name)) for name in names)
        pages[f"rentmark-{room}.md"] = f"# rentmark.{room}\n\n{text_of(module)}\n\n{entries}"
    table = "\n".join(["| room | owns | names |", "|---|---|---|", *rows])
    pages["index.md"] = f"# Reference\n\nMade from docstrings: what each room exports.\n\n{table}\n"
    return pages


def prepare(base: Path) -> None:
    """Put the pages together under build/docs of a folder, with the site's configuration beside it."""
    pages = base / "build" / "docs"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    shutil.copyfile(ROOT / "CHANGELOG.md", pages / "changelog.md")
    (pages / "reference").mkdir()
    for name, text in reference_pages().items():
        (pages / "reference" / name).write_text(text, encoding="utf-8")
    if base != ROOT:
        shutil.copyfile(ROOT / "zensical.toml", base / "zensical.toml")


def build(base: Path) -> list[str]:
    """Build the site under build/site of a prepared folder; returns what the builder warned of."""
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=base, capture_output=True, text=True, check=False)
    said = _COLOUR.sub("", done.stdout + done.stderr).split("Traceback", 1)[0].splitlines()
    if done.returncode == 0 and "No issues found" in said:
        return []
    return [line for line in said if line.strip()] or [f"zensical ended with exit {done.returncode}"]


def main() -> None:
    """Prepare and build; exit 1 with what was warned of."""
    prepare(ROOT)
    warnings = build(ROOT)
    if warnings:
        sys.exit("The site has warnings:\n" + "\n".join(warnings))
    sys.stdout.write("Site: build/site/index.html\n")


if __name__ == "__main__":
    main()
