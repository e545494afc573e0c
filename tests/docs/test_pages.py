"""Every command and code block of the README and of docs/ is run as written, and says what the page says it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, Block, blocks_of, matches, name_of, pages, steps_of
from tests.docs.runner import Reader
from tests.docs.states import BEFORE, DRAWINGS, MAKERS, MAY_EXIT_1, NOT_RUN, READ_BY, STARTS, is_followed

WITH_BLOCKS = [page for page in pages() if any(is_followed(block) for block in blocks_of(page))]


@pytest.fixture(scope="module")
def starts(tmp_path_factory):
    """Makes each beginning once; pages work on copies."""
    made: dict[str, Path] = {}

    def start(kind: str, folder: Path) -> None:
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind) / "w"
            MAKERS[kind](made[kind])
        shutil.copytree(made[kind], folder)

    return start


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_a_page_does_what_it_shows(page, starts, tmp_path, monkeypatch):
    for name in ("RENTMARK_WORKSPACE", "RENTMARK_DATABASE_URL", "RENTMARK_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / "w"
    if name_of(page) in STARTS:
        starts(STARTS[name_of(page)], folder)
    else:
        folder.mkdir()
    reader = Reader(folder, monkeypatch, NOT_RUN, MAY_EXIT_1)
    waiting = {begin: prepare for (where, begin), prepare in BEFORE.items() if where == name_of(page)}
    for block in filter(is_followed, blocks_of(page)):
        for begin in [begin for begin in waiting if block.text.removeprefix("$ ").startswith(begin)]:
            waiting.pop(begin)(folder)
        reader.follow(block)
    assert not waiting, f"{page.name} holds no block that begins with {list(waiting)}"


def test_every_block_that_is_not_run_has_a_reason_that_still_applies():
    blocks = [block for page in pages() for block in blocks_of(page)]
    found = {(block.page, block.info) for block in blocks}
    assert set(READ_BY) | DRAWINGS <= found
    for (page, _), test in READ_BY.items():
        assert page.removesuffix(".md").lower() in (ROOT / test).read_text(encoding="utf-8").lower(), (
            page,
            test,
        )
    lines = {
        step.command.split("  #")[0].strip()
        for block in blocks
        if block.language in {"console", "sh"}
        for step in steps_of(block)
    }
    assert set(NOT_RUN) <= lines
    assert all(len(reason) > 12 for reason in NOT_RUN.values())


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a … c",), "a b c\n", True),
        (("a … c",), "a b\nc\n", False),
        (("a", "…", "c"), "a\nb\nb\nc\n", True),
        (("a", "…", "c"), "a\nc\n", True),
        (("…",), "a\n", True),
        (("a",), "a  \n\n", True),
        (("a",), "a\nb\n", False),
        ((), "a\n", False),
        ((), "", True),
        (("1 + 1 = 2",), "11 = 2\n", False),
    ],
)
def test_an_ellipsis_stands_for_text_in_a_line_and_for_lines_on_its_own(shown, printed, same):
    assert matches(shown, printed) is same


def test_a_command_goes_on_after_a_backslash_and_outputs_belong_to_the_command_before_them():
    block = Block("page.md", 10, "console", "$ one \\\n    two\nsaid\n$ three")
    assert [(s.line, s.command, s.expected) for s in steps_of(block)] == [
        (11, "one two", ("said",)),
        (14, "three", ()),
    ]
