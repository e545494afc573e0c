"""Nothing that is handed over names a file outside its folder, and no exported cell is a formula."""

from __future__ import annotations

import ast
import csv
import json
import re
from pathlib import Path

import pytest
from rentmark.records import FORMULA_STARTS, Fixing, RentmarkError, neutral
from rentmark.store import RawArchive
from rentmark.workspace.published_csv import read_tape_csv, tape_csv

from tests.house.test_rooms import MAY_IMPORT, ROOT, relative, room_files
from tests.journeys.account_made import FIRST, invented_fixing
from tests.journeys.typed import type_words

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("https://invented.example")',
]


def altered(fixing: Fixing, **changes: object) -> Fixing:
    return Fixing(**({name: getattr(fixing, name) for name in Fixing.__dataclass_fields__} | changes))


@pytest.mark.parametrize("text", FORMULAS)
def test_an_exported_tape_holds_no_formula_and_reads_back_as_it_was(text):
    row = altered(invented_fixing("h100-list", FIRST), actor=text, judgement=text, reason=text)
    written = tape_csv([row])
    (_, cells) = csv.reader(written.splitlines(keepends=True))
    assert not [cell for cell in cells if cell.startswith(FORMULA_STARTS)]
    assert read_tape_csv(written, "tape.csv") == [row]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_neutral_text_begins_with_an_apostrophe(text):
    assert neutral(text) == f"'{text}"
    assert neutral("-2.50") == "-2.50"  # a number stays one


def test_what_begins_a_formula_stands_in_one_place():
    written = re.compile(r"""["']=["'], ["']\+["']""")
    found = [relative(path) for path in room_files() if written.search(path.read_text(encoding="utf-8"))]
    assert found == ["records/cells.py"]


def test_refused_values_are_neutral_in_a_csv(tmp_path):
    folder, file = tmp_path / "w", tmp_path / "offers.csv"
    assert type_words("init", folder).code == 0
    header = "observed_at,source,seller,gpu_model,price_per_gpu_hour,pricing\n"
    rows = [f'2026-07-01T09:00:00Z,invented,amber,H100,"{price}",on_demand\n' for price in ("=1+1", "-5")]
    file.write_text(header + "".join(rows), encoding="utf-8")
    type_words("ingest", "tabular", file, "--workspace", folder)
    out = tmp_path / "rejects.csv"
    assert type_words("rejects", "--export", out, "--workspace", folder).code == 0
    values = [row["value"] for row in csv.DictReader(out.open(encoding="utf-8"))]
    assert values == ["'=1+1", "-5"], "a number stays one"


@pytest.mark.parametrize(
    "digest", ["../../etc/passwd", "/etc/passwd", "", "0" * 63, "0" * 64 + "/..", "A" * 64]
)
def test_the_raw_archive_takes_no_path_for_a_digest(digest, tmp_path):
    with pytest.raises(RentmarkError, match="not a payload digest"):
        RawArchive(tmp_path).get(digest)


@pytest.fixture
def handed(tmp_path):
    """An exported tape with its manifest and archive; its folder."""
    folder = tmp_path / "w"
    for words in (
        ("init", folder, "--sample"),
        ("ingest", "tabular", folder / "offers.csv", "--workspace", folder),
        ("index", "build", "h100-list", "--publish", "--workspace", folder),
        ("index", "export", "h100-list", "--output", tmp_path / "tape.csv", "--archive", tmp_path / "archive",
         "--workspace", folder),
    ):  # fmt: skip
        said = type_words(*words)
        assert said.code == 0, said.err
    return tmp_path


@pytest.mark.parametrize("escape", ["../outside.parquet", "/etc/passwd", "archive/../../outside.parquet"])
def test_a_manifest_can_not_name_a_file_outside_the_archive(handed, escape):
    manifest = handed / "tape.manifest.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["files"][0]["path"] = escape
    manifest.write_text(json.dumps(document), encoding="utf-8")
    said = type_words("index", "verify", "--published", handed / "tape.csv", "--archive", handed / "archive")
    assert said.code == 1
    assert re.search(r"leaves the workspace|outside", said.out + said.err)


def sql_texts(path: Path) -> list[tuple[int, ast.JoinedStr]]:
    """Texts made at run time that begin like a statement of SQL."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            begins = str(node.values[0].value).lstrip()
            if re.match(r"(SELECT|INSERT|UPDATE|DELETE|DROP|CREATE|ALTER|PRAGMA|WITH)\s", begins):
                found.append((node.lineno, node))
    return found


SQL_MADE = {
    "store/database.py": "two settings: a whole number, and one of two words of ours",
    "store/engines/duckdb.py": "names of our own views and columns, and paths as quoted literals",
    "store/migrations": "names of tables and columns of ours in triggers",
}
"""Where a statement is put together at run time, and of what; everything else binds its values."""


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_statements_are_put_together_nowhere_else(room):
    for path in (p for p in room_files() if p.relative_to(ROOT).parts[0] == room):
        where = relative(path)
        if sql_texts(path):
            assert any(where.startswith(known) for known in SQL_MADE), (where, sql_texts(path)[0][0])


def test_a_workspace_under_a_path_with_quotes_is_read(tmp_path):
    folder = tmp_path / 'it\'s a "folder"; DROP TABLE fixing'
    for words in (
        ("init", folder, "--sample"),
        ("ingest", "tabular", folder / "offers.csv", "--workspace", folder),
        ("index", "build", "h100-list", "--publish", "--workspace", folder),
        ("index", "verify", "--workspace", folder),
    ):
        said = type_words(*words)
        assert said.code == 0, said.err


def test_hostile_text_in_a_payload_is_data(tmp_path):
    folder = tmp_path / "w"
    assert type_words("init", folder).code == 0
    seller = "x'); DROP TABLE fixing; --"
    payload = tmp_path / "offers.csv"
    payload.write_text(
        "observed_at,seller,gpu_model,gpu_count,price_per_gpu_hour,pricing,license\n"
        f'2026-08-14T06:00:00Z,"{seller}",H100 SXM5 80GB,8,3.10,on_demand,CC BY 4.0\n',
        encoding="utf-8",
    )
    assert type_words("ingest", "tabular", payload, "--workspace", folder).code == 0
    said = type_words("sellers", "--workspace", folder, "--json")
    assert [row["seller"] for row in json.loads(said.out)["sellers"]] == [seller]
    assert type_words("index", "build", "h100-list", "--workspace", folder).code == 0
