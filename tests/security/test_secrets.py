"""No secret stands in the tree: nothing that looks like a key of a known kind, and no password but a placeholder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.test_rooms import ROOT

KINDS = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "an AWS key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{50,}\b",
    "a Google key": r"\bAIza[0-9A-Za-z_\-]{35}\b",
    "a Slack token": r"\bxox[abprs]-[0-9A-Za-z-]{10,}\b",
    "a token of a model host": r"\b(?:sk-[A-Za-z0-9_-]{32,}|hf_[A-Za-z0-9]{30,})\b",
    "a JSON web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b",
}
PASSWORD_IN_URL = re.compile(r"[a-z][a-z0-9+]*://[^/\s:@\"'`{}]+:([^@/\s\"'`]+)@")
PLACEHOLDERS = re.compile(r"(?i)\$?\{.*\}|password|secret|pass|pw|x+|\*+|hunter2|s3cret.*|geheim|.*%.*")
ELSEWHERE = {".git", ".venv", "build", "dist", "demo", "vendor", "__pycache__", ".hypothesis"}
READ = {".py", ".md", ".toml", ".yaml", ".yml", ".json", ".ipynb", ".csv", ".txt", ".js", ".css", ".cfg", ""}


def files() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file()
        and path.suffix in READ
        and not {
            p for p in path.relative_to(ROOT).parts if p in ELSEWHERE or p.endswith((".egg-info", "_cache"))
        }
    ]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in files()
    }


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_key_of_a_known_kind_stands_in_the_tree(kind, texts):
    assert len(texts) > 500
    assert [name for name, text in texts.items() if re.search(KINDS[kind], text)] == []


def test_a_password_in_an_address_is_a_placeholder(texts):
    found = [
        (name, match[0])
        for name, text in texts.items()
        for match in PASSWORD_IN_URL.finditer(text)
        if not name.startswith("tests/")  # they invent passwords, to see them refused or hidden
        if not PLACEHOLDERS.fullmatch(match[1])
    ]
    assert found == []


def test_the_patterns_find_what_they_are_for():
    made = "gh" + "p_" + "a1" * 18, "AK" + "IA" + "Q" * 16, "-----BEGIN " + "RSA PRIVATE KEY-----"
    assert all(any(re.search(kind, text) for kind in KINDS.values()) for text in made)
    found = PASSWORD_IN_URL.search("postgresql://a" + ":b7Xq@host/name")
    assert found is not None
    assert not PLACEHOLDERS.fullmatch(found[1])
