"""The house rules hold: who may import whom, who may touch the world, and what is packaged."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "records": set(),
    "drawing": set(),
    "grades": {"records"},
    "store": {"records"},
    "ingest": {"records", "grades"},
    "index": {"records", "grades", "drawing"},
    "contracts": {"records"},
    "backtest": {"records", "grades", "contracts", "index", "drawing"},
    "workspace": {"records", "grades", "store", "ingest", "index", "contracts", "backtest", "drawing"},
    "dashboard": {"workspace", "records"},
    "cli": {"workspace", "records", "dashboard"},
}
"""The import table of the design."""
PURE = ("records", "drawing", "grades", "ingest", "index", "contracts", "backtest")
IMPURE_FILES = {"ingest/live.py"}
WORLDLY_MODULES = {
    "socket",
    "urllib",
    "http",
    "requests",
    "httpx",
    "subprocess",
    "tempfile",
    "shutil",
    "os",
    "glob",
}
PURE_SUBMODULES = {"urllib.parse"}
"""Text handling that lives in a package which also opens sockets."""
WORLDLY_CALLS = {
    "open",
    "now",
    "utcnow",
    "today",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "unlink",
}
WORLDLY_TIME = {"time", "monotonic", "perf_counter", "sleep"}
LONGEST_FILE = 400


def room_files() -> list[Path]:
    """Every Python file of every room."""
    return sorted(p for room in MAY_IMPORT for p in (ROOT / room).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_rooms(path: Path) -> set[str]:
    """Rooms that a file imports, relatively or by their full name."""
    depth = len(path.relative_to(ROOT).parts) - 1
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if node.level > depth:
                found |= {module[0]} if module[0] else {alias.name for alias in node.names}
            elif node.level == 0 and module[0] == "rentmark" and len(module) > 1:
                found.add(module[1])
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            found |= {name[1] for name in names if name[0] == "rentmark" and len(name) > 1}
    return found


@pytest.mark.parametrize("path", room_files(), ids=relative)
def test_a_room_imports_only_what_the_table_allows(path):
    room = path.relative_to(ROOT).parts[0]
    assert imported_rooms(path) - {room} <= MAY_IMPORT[room]


@pytest.mark.parametrize(
    "path", [p for p in room_files() if p.relative_to(ROOT).parts[0] in PURE], ids=relative
)
def test_a_pure_room_touches_no_file_socket_or_clock(path):
    if relative(path) in IMPURE_FILES:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name.split(".")[0] for alias in node.names} & WORLDLY_MODULES, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            if node.module not in PURE_SUBMODULES:
                assert (node.module or "").split(".")[0] not in WORLDLY_MODULES, node.lineno
        elif isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            assert name not in WORLDLY_CALLS, f"{name} at line {node.lineno}"
            if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "time":
                assert name not in WORLDLY_TIME, f"time.{name} at line {node.lineno}"


def test_the_package_list_is_the_folders():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {
        "rentmark." + ".".join(p.parent.relative_to(ROOT).parts)
        for room in MAY_IMPORT
        for p in (ROOT / room).rglob("__init__.py")
    }
    assert set(document["packages"]) == folders
    assert document["package-dir"] == {
        name: name.removeprefix("rentmark.").replace(".", "/") for name in folders
    }


@pytest.mark.parametrize("room", sorted({p.relative_to(ROOT).parts[0] for p in room_files()}))
def test_each_room_says_what_it_owns_and_exports_what_it_names(room):
    tree = ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))
    assert len(ast.get_docstring(tree) or "") > 60
    assert any(isinstance(node, ast.Assign) and node.targets[0].id == "__all__" for node in tree.body)
    assert (ROOT / room / "py.typed").exists()


@pytest.mark.parametrize("path", [*room_files(), *sorted((ROOT / "tests").rglob("*.py"))], ids=relative)
def test_a_file_is_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


def test_no_use_case_is_called_like_a_file_of_the_workspace() -> None:
    """A file, once imported, takes the place of a function of its name in the package."""
    from rentmark import workspace

    files = {path.stem for path in (ROOT / "workspace").glob("*.py")}
    assert files & set(workspace.__all__) == set()
