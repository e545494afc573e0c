"""The price file's YAML: values stay text, a broken line costs itself, and nothing hostile is expanded."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rentmark.ingest.read_yaml import Leaf, read_leaves


def leaves(text: str) -> list[tuple[str, str]]:
    return [(".".join(leaf.path), leaf.value) for leaf in read_leaves(text.encode()) if not leaf.malformed]


def test_values_stand_at_their_path_as_they_were_written() -> None:
    text = """---
# a comment
a:
  b: 1.10000000000000000001
  'c d':
    "e": yes
  f: "x: y"
g: 1e3 # said beside
h:
"""
    assert leaves(text) == [
        ("a.b", "1.10000000000000000001"),
        ("a.c d.e", "yes"),
        ("a.f", "x: y"),
        ("g", "1e3"),
    ]


@pytest.mark.parametrize("mark", ["|", ">", "|2", "|-", ">+"])
def test_a_block_of_text_is_not_data(mark: str) -> None:
    text = f"a:\n  b: {mark}\n\n    c: 1\n      d: 2\n\n  e: 3\nf: 4\n"
    assert leaves(text) == [("a.e", "3"), ("f", "4")]


@pytest.mark.parametrize("line", ["  - 1", "  ? x", "  &a b: 1", "  *a", "  !!tag x: 1", "  {a: 1}", "  b"])
def test_a_line_of_another_kind_costs_itself(line: str) -> None:
    assert read_leaves(f"a:\n{line}\n  z: 1\n".encode()) == [
        Leaf(("a",), line, malformed=True),
        Leaf(("a", "z"), "1"),
    ]


@pytest.mark.parametrize("line", ["\tb: 1", "* b:", "-"])
def test_what_follows_a_broken_line_is_never_taken_for_a_part_of_something_else(line: str) -> None:
    """A broken key must not leave its values to the key before it."""
    found = read_leaves(f"a:\n  b:\n    x: 1\n{line}\n    x: 2\nc: 3\n".encode())
    assert found == [
        Leaf(("a", "b", "x"), "1"),
        Leaf((), line, malformed=True),
        Leaf((), "    x: 2", malformed=True),
        Leaf(("c",), "3"),
    ]


def test_a_flow_collection_is_a_value_and_no_structure() -> None:
    assert leaves("a: {b: 1}\n") == [("a", "{b: 1}")]


def test_deep_nesting_ends_and_costs_no_memory() -> None:
    text = "".join(" " * depth + "a:\n" for depth in range(2_000))
    started = time.perf_counter()
    assert all(leaf.malformed for leaf in read_leaves(text.encode()))
    assert time.perf_counter() - started < 5


@given(st.binary(max_size=400))
def test_no_bytes_raise(content: bytes) -> None:
    read_leaves(content)


KEYS = st.text("abcxyz01-", min_size=1, max_size=6).filter(lambda key: not key.startswith("-"))


@given(
    st.dictionaries(
        KEYS, st.dictionaries(KEYS, st.decimals(0, 1000, places=6).map(str), min_size=1), min_size=1
    )
)
def test_what_was_written_is_read_back(document: dict[str, dict[str, str]]) -> None:
    text = "".join(
        f"{outer}:\n" + "".join(f"  {inner}: {value}\n" for inner, value in values.items())
        for outer, values in document.items()
    )
    expected = [
        (f"{outer}.{inner}", value) for outer, values in document.items() for inner, value in values.items()
    ]
    assert leaves(text) == expected
