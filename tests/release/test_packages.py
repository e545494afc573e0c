"""The wheel and the source archive install and run outside the source tree, with nothing of it in reach."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from tests.house.test_rooms import MAY_IMPORT, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEFT_OUT = (
    ".git", ".venv", "build", "dist", "demo", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "node_modules",
)  # fmt: skip
BUILD = "from setuptools import build_meta as b; import sys; print(getattr(b, 'build_' + sys.argv[1])(sys.argv[2]))"


def build(kind: str, source: Path, target: Path) -> Path:
    """Build a wheel or an sdist from a source tree with the back end that pyproject.toml names."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD, kind, str(target)],
        cwd=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return target / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The source archive of this tree, and the wheel made from that archive alone."""
    base = tmp_path_factory.mktemp("packages")
    shutil.copytree(ROOT, base / "tree", ignore=shutil.ignore_patterns(*LEFT_OUT))
    sdist = build("sdist", base / "tree", base)
    with tarfile.open(sdist) as archive:
        # Python 3.11 before 3.11.4, as Debian 12 has it, knows no filters; the archive is our own.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(base / "unpacked")
    (source,) = (base / "unpacked").iterdir()
    return sdist, build("wheel", source, base)


@pytest.fixture(scope="module")
def installed(packages, tmp_path_factory):
    """An environment with the wheel and this one's dependencies, but not this one's Rentmark."""
    _, wheel = packages
    home = tmp_path_factory.mktemp("installed")
    venv.create(home / "env", with_pip=False)
    site = next((home / "env").glob("lib/python*/site-packages"))
    # Named in a .pth file the folder is only looked through: its own .pth files, the editable install among them, are not.
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(home / "env/bin/python"), "install"]
    subprocess.run(
        [*pip, "--quiet", "--no-deps", "--no-index", "--no-compile", "--ignore-installed", str(wheel)],
        check=True, capture_output=True,
    )  # fmt: skip
    return home


def say(home: Path, *words: str, code: int = 0) -> str:
    """What a program of that environment says, in an empty home and far from the source tree."""
    environment = {
        "PATH": f"{home / 'env/bin'}{os.pathsep}/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [str(home / "env/bin" / words[0]), *words[1:]],
        cwd=home, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_every_room_and_no_other(packages):
    _, wheel = packages
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {
        f"rentmark/{path.relative_to(ROOT).as_posix()}"
        for room in MAY_IMPORT
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == wanted
    assert {f"rentmark/{room}/py.typed" for room in MAY_IMPORT} <= held


def test_the_source_archive_holds_what_the_tests_and_the_site_need(packages):
    sdist, _ = packages
    with tarfile.open(sdist) as archive:
        held = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for name in (
        "Makefile",
        "zensical.toml",
        "docs/index.md",
        "tests/docs/test_pages.py",
        "proof/site.py",
        "LICENSE",
    ):
        assert name in held


def test_the_installed_command_does_the_first_job(installed):
    where = say(installed, "python", "-c", "import rentmark.cli; print(rentmark.cli.__file__)")
    assert Path(where.strip()).is_relative_to(installed)
    assert "Made workspace W" in say(installed, "rentmark", "init", "W", "--sample")
    here = ("--workspace", "W")
    assert "2,508 accepted" in say(installed, "rentmark", "ingest", "tabular", "W/offers.csv", *here)
    assert "Published 1,217" in say(installed, "rentmark", "index", "build", "h100-list", "--publish", *here)
    assert "all reproduce" in say(installed, "rentmark", "index", "verify", *here)
    report = ("hedge", "W/rent.csv", "--benchmark", "h100-list", "--report", "report.html")
    assert "VERDICT: PARTLY" in say(installed, "rentmark", *report, *here)
    assert (installed / "report.html").stat().st_size > 20_000


def test_the_installed_dashboard_finds_its_style_and_scripts(installed):
    made = "import rentmark.dashboard as d, pathlib; p = pathlib.Path(d.__file__).parent; print(len([*p.rglob('*.css'), *p.rglob('*.js')]))"
    here = len([*(ROOT / "dashboard").rglob("*.css"), *(ROOT / "dashboard").rglob("*.js")])
    assert int(say(installed, "python", "-c", made)) == here > 0


def test_extras_and_versions_are_declared():
    extras = PROJECT["optional-dependencies"]
    assert {"dashboard", "spark", "postgres", "live"} <= set(extras)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {PROJECT['version']}" in changes
    assert [part.isdigit() for part in PROJECT["version"].split(".")] == [True] * 3
    for requirement in [*PROJECT["dependencies"], *(each for listed in extras.values() for each in listed)]:
        assert any(sign in requirement for sign in "><="), f"{requirement} states no version"
    named = {line.rsplit(" ", 1)[-1] for line in PROJECT["classifiers"] if "Python :: 3." in line}
    assert {"3.11", "3.12", "3.13"} <= named
