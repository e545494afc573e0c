"""The lowest versions that pyproject.toml declares, the latest, and newer Pythons: each in an environment of its own.

Run: ``python proof/versions.py [--only lowest latest-3.13]``. A case copies the tree to a scratch folder, makes an
environment, installs Rentmark with its extras (for *lowest* under constraints computed from the ``>=`` of
``pyproject.toml``), and runs a stated part of the suite against what is installed. Results stand in
``build/versions.json``; ``docs/versions.md`` is written from them, so that one case can be run again alone. Exits 1
where a case failed, and says what pip or pytest said.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[1]
RESULT: Final = ROOT / "docs" / "versions.md"
KEPT: Final = ROOT / "build" / "versions.json"
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: Final = ("test", "postgres", "dashboard", "live")
LEFT_OUT_EXTRAS: Final = {
    "spark": "its engine is compared by `proof/engines.py`",
    "gpuhunt": "a source of payloads",
    "bench": "baselines of `make bench`",
}
TESTED: Final = (
    "tests/records",
    "tests/grades",
    "tests/index",
    "tests/contracts",
    "tests/backtest",
    "tests/store",
    "tests/ingest/live",
    "tests/dashboard/test_words.py",
    "tests/dashboard/test_charts.py",
    "tests/journeys/test_trades.py",
)
PYTEST: Final = (
    "-q",
    "-n",
    "2",
    "--dist",
    "loadfile",
    "--tb",
    "line",
    "-p",
    "no:cacheprovider",
    "--deselect",
    "tests/store/test_spark_engine.py",
)
LOWEST_PYTHON: Final = "3.11"
DECLARED: Final = tuple(
    line.rsplit(" ", 1)[-1] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)
)
LEFT_OUT: Final = (
    ".git", ".venv", "build", "dist", "demo", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "node_modules",
)  # fmt: skip


def declared() -> Iterator[Requirement]:
    """What the package and the extras of this run ask for."""
    extras = PROJECT["optional-dependencies"]
    for written in [*PROJECT["dependencies"], *(each for name in EXTRAS for each in extras[name])]:
        yield Requirement(written)


def lowest() -> dict[str, str]:
    """The lowest version of each declared package, by name: that of its ``>=`` or ``==``.

    Raises SystemExit where a requirement has neither, since nothing could be tested then.
    """
    found = {}
    for requirement in declared():
        bounds = [bound.version for bound in requirement.specifier if bound.operator in {">=", "=="}]
        if not bounds:
            raise SystemExit(f"pyproject.toml: {requirement} names no lowest version; add one with >=.")
        found[canonicalize_name(requirement.name)] = bounds[0]
    return found


def python_of(version: str) -> str | None:
    """A Python of that version on this machine: this one, one on the path, or one that pyenv keeps."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    kept = sorted(
        Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python")
    )
    for candidate in [shutil.which(f"python{version}"), *map(str, kept)]:
        if candidate is not None and _said([candidate, "--version"]).startswith(f"Python {version}."):
            return candidate
    return None


def _said(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip() if done.returncode == 0 else ""


def run_case(case: str, python: str, source: Path, folder: Path) -> dict[str, Any]:
    """One case in a folder of its own: what was installed, how the tests went, and what was said where it failed."""
    begun = time.perf_counter()
    tree = folder / "tree"
    shutil.copytree(source, tree, ignore=shutil.ignore_patterns(*LEFT_OUT))
    result: dict[str, Any] = {"case": case, "python": _said([python, "--version"]).removeprefix("Python ")}
    result |= {"date": f"{datetime.now(UTC):%Y-%m-%d}", "machine": platform.machine(), "versions": {}}
    subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
    inside = str(folder / "env" / "bin" / "python")
    subprocess.run(
        [inside, "-m", "pip", "install", "--quiet", "--upgrade", "pip"], check=True, capture_output=True
    )
    command = [inside, "-m", "pip", "install", f".[{','.join(EXTRAS)}]"]
    if case == "lowest":
        constraints = folder / "constraints.txt"
        constraints.write_text(
            "".join(f"{name}=={bound}\n" for name, bound in lowest().items()), encoding="utf-8"
        )
        command += ["--constraint", str(constraints)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        return result | {
            "passed": False,
            "result": "can't be installed",
            "said": _end(done.stdout + done.stderr),
        }
    listed = json.loads(_said([inside, "-m", "pip", "list", "--format", "json"]))
    held = {canonicalize_name(each["name"]): each["version"] for each in listed}
    result["versions"] = {name: held[name] for name in sorted(lowest())}
    shared = os.environ.get("RENTMARK_SHARED_DATA", str(ROOT.parent / "shared" / "data"))
    tests = [str(folder / "env" / "bin" / "pytest"), *PYTEST, "--basetemp", str(folder / "kept"), *TESTED]
    ran = subprocess.run(
        tests,
        cwd=tree,
        env={**os.environ, "RENTMARK_SHARED_DATA": shared},
        capture_output=True,
        text=True,
        check=False,
    )
    last = next((line for line in reversed(ran.stdout.splitlines()) if line.strip()), "pytest said nothing")
    result |= {"passed": ran.returncode == 0, "result": re.sub(r" in [\d.]+s.*", "", last.strip("= "))}
    if ran.returncode:
        result["said"] = _end(ran.stdout + ran.stderr)
    return result | {"minutes": round((time.perf_counter() - begun) / 60, 1)}


def _end(text: str) -> str:
    return "\n".join([line for line in text.splitlines() if line and not line.startswith("WARNING")][-40:])


def page(results: dict[str, dict[str, Any]], waiting: list[str], absent: list[str]) -> str:
    """What ran, on which versions, and what did not: cases that wait, Pythons that were absent."""
    lines = [
        "# Versions it runs on",
        "",
        "<!-- written by proof/versions.py -->",
        "",
        (
            f"`pyproject.toml` declares Python {', '.join(DECLARED)} and a lowest version of every package. Each line below is "
            f"a new environment with the extras {', '.join(EXTRAS)}: *lowest* takes exactly the lowest declared versions, "
            "*latest* whatever a new installation gets on that day. Then a part of the suite runs against the installed "
            "package. Repeat: `make versions`."
        ),
        "",
        "| case | Python | tests | date |",
        "|---|---|---|---|",
    ]
    for result in results.values():
        told = result["result"] if result["passed"] else f"**failed**: {result['result']}"
        lines.append(f"| {result['case']} | {result['python']} | {told} | {result['date']} |")
    lines += [f"| {case} | {case.removeprefix('latest-')} | **not run yet** | |" for case in waiting]
    lines += [
        "",
        *(f"- Python {version} is declared and was not on the machine: not run." for version in absent),
    ]
    lines += [
        f"- Run: {', '.join(f'`{name}`' for name in TESTED)}; tests that need what is absent there skip.",
        *(f"- Without the extra `{name}`: {why}." for name, why in LEFT_OUT_EXTRAS.items()),
        "- The whole suite runs on Python 3.11 with the versions of the development environment (`make test`).",
        "",
        f"| package | {' | '.join(results)} |",
        f"|---|{'---|' * len(results)}",
    ]
    names = sorted({name for result in results.values() for name in result["versions"]})
    for name in names:
        cells = [result["versions"].get(name, "—") for result in results.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run the cases and write the page; 1 where one failed."""
    cases = {"lowest": LOWEST_PYTHON, **{f"latest-{version}": version for version in DECLARED}}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(cases), default=list(cases), help="cases to run")
    parser.add_argument("--page", action="store_true", help="only write the page from the results that stand")
    parser.add_argument(
        "--tree", type=Path, default=ROOT, help="another tree of Rentmark to take, as an exported commit"
    )
    asked = parser.parse_args()
    results = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    absent = [version for version in DECLARED if python_of(version) is None]
    failed = False
    for case in [] if asked.page else asked.only:
        python = python_of(cases[case])
        if python is None:
            continue
        print(f"{case} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="rentmark-versions-") as folder:
            results[case] = run_case(case, python, asked.tree, Path(folder))
        failed |= not results[case]["passed"]
        print(results[case].get("said", results[case]["result"]), file=sys.stderr, flush=True)
        others = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
        results = {**others, case: results[case]}  # another case may have ended meanwhile
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    ran = {case: results[case] for case in cases if case in results}
    waiting = [case for case in cases if case not in results and cases[case] not in absent]
    RESULT.write_text(page(ran, waiting, absent), encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
