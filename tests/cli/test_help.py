"""Every command explains itself: what it does, each argument, each option."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from rentmark.cli import run
from rentmark.cli.app import app
from typer.main import get_command

HEAVY = {
    "pandas",
    "statsmodels",
    "scipy",
    "arch",
    "ibis",
    "duckdb",
    "exchange_calendars",
    "sqlalchemy",
    "pyarrow",
    "numpy",
}


def commands() -> Iterator[tuple[tuple[str, ...], object]]:
    """Every command with the words that call it, groups included."""
    waiting = [((), get_command(app))]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        for name, inner in getattr(command, "commands", {}).items():
            waiting.append(((*words, name), inner))


COMMANDS = dict(sorted(commands(), key=lambda each: each[0]))


def shown(out: str) -> str:
    """The words of a help page without its frames and line breaks."""
    return " ".join(out.translate(str.maketrans("│╭╮╰╯─", "      ")).split())


@pytest.fixture
def helped(capsys, monkeypatch):
    """The help page of a command, wide enough for every column."""
    monkeypatch.setenv("COLUMNS", "200")

    def ask(words: tuple[str, ...]) -> str:
        assert run([*words, "--help"]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return shown(said.out)

    return ask


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words) or "rentmark")
def test_help_names_and_explains_every_argument_and_option(helped, words):
    page = helped(words)
    command = COMMANDS[words]
    assert " ".join((command.help or "").split()) in page
    for parameter in command.params:
        if parameter.name == "help":
            continue
        explanation = " ".join((parameter.help or "").split())
        assert explanation.endswith("."), parameter.name
        assert explanation in page, parameter.name
        names = parameter.opts if parameter.param_type_name == "option" else [parameter.name]
        assert all(name in page for name in names), parameter.name


@pytest.mark.parametrize(
    "words", [w for w, c in COMMANDS.items() if not hasattr(c, "commands")], ids=" ".join
)
def test_every_command_takes_json_and_those_of_a_workspace_take_one(words):
    options = {option for parameter in COMMANDS[words].params for option in parameter.opts}
    assert "--json" in options
    assert "--workspace" in options or words[0] in {"demo", "init", "feeds", "grade"}


@pytest.mark.parametrize("words", [(), ("index",)], ids=["rentmark", "index"])
def test_no_arguments_show_the_help_and_say_nothing_else(capsys, words):
    assert run(list(words)) == 2
    said = capsys.readouterr()
    assert "Usage:" in said.out + said.err
    assert "See `rentmark --help`" not in said.out + said.err


def test_help_loads_no_heavy_library():
    code = (
        "import sys; from rentmark.cli import run; run(['index', 'build', '--help']); "
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
