"""Somebody else verifies a tape from a copy of the archive and the published files: no workspace, no database."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rentmark.cli import run
from rentmark.records import digest_of

from .conftest import OFFERS, REAL_RULES, Person, with_rules

LATE = """observed_at,seller,gpu_model,form_factor,vram_gb,gpu_count,price_per_gpu_hour,pricing
2026-08-14T06:00:00Z,Invented Late Cloud,H100,SXM,80,8,1.00,on_demand
"""
"""Invented: an offer of a day that is published already; it moves a later build and no row of the tape."""


@pytest.fixture(scope="module")
def handed(tmp_path_factory):
    """What a publisher hands over: a tape with a late revision, its rules and manifest, a copy of the archive."""
    base = tmp_path_factory.mktemp("handed")
    folder = base / "w"
    assert run(["init", str(folder), "--sample"]) == 0

    def types(*words: str | Path) -> None:
        assert run([*(str(w) for w in words), "--workspace", str(folder)]) == 0

    with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
        rules.write('\n[benchmarks.h100-short]\ngrade = "h100-80gb-mixed"\nmethodology = "carried"\n')
        rules.write('[methodologies.carried]\nversion = "1"\ninputs = ["listed"]\nmin_sellers = 9\n')
        rules.write('fallback = "carry"\ncarry_days = 3\n')
    types("ingest", "tabular", folder / "offers.csv")
    types("index", "build", "h100-list", "--publish")
    types("index", "build", "h100-short", "--publish")
    (folder / "late.csv").write_text(LATE)
    types("ingest", "tabular", folder / "late.csv")
    types("index", "restate", "h100-list", "2026-08-14", "--reason", "a late offer")
    out = base / "out"
    out.mkdir()
    types(
        "index",
        "export",
        "h100-list",
        "h100-short",
        "--output",
        out / "tape.csv",
        "--archive",
        out / "archive",
    )
    shutil.rmtree(folder)
    return out


@pytest.fixture
def bundle(handed, tmp_path):
    """A copy to damage."""
    folder = tmp_path / "bundle"
    shutil.copytree(handed, folder)
    return folder


@pytest.fixture
def third_party(capsys, bundle, monkeypatch):
    """Someone with the bundle alone, in a folder that is no workspace."""
    monkeypatch.chdir(bundle)
    monkeypatch.delenv("RENTMARK_WORKSPACE", raising=False)
    return Person(capsys, bundle / "nowhere")


def verifies(person, *words):
    return person.types("index", "verify", "--published", "tape.csv", "--archive", "archive", *words)


def test_every_row_is_made_again_as_it_was_known(third_party, bundle):
    answer = verifies(third_party, "--json").json
    assert (answer["passed"], answer["differences"], answer["problems"]) == (True, [], [])
    rows = (bundle / "tape.csv").read_text(encoding="utf-8").splitlines()
    assert answer["rows_checked"] == len(rows) - 1
    assert any(",a late offer," in row for row in rows), "a revision is among them"
    assert not list(bundle.rglob("*.db"))


def test_level_2_reads_the_payloads_again(third_party):
    answer = verifies(third_party, "--level", "2")
    assert answer.code == 0
    assert " and 2 payloads: all reproduce." in answer.out


def test_it_can_be_asked_of_one_benchmark(third_party):
    one = verifies(third_party, "h100-short", "--json").json["rows_checked"]
    both = verifies(third_party, "--json").json["rows_checked"]
    assert 0 < one < both
    refused = verifies(third_party, "h100-lost")
    assert refused.code == 1
    assert "holds no rows of h100-lost; it holds h100-list, h100-short." in refused.err


def test_one_flipped_byte_of_an_observation_file_is_located(third_party, bundle):
    file = max((bundle / "archive" / "observations").rglob("*.parquet"))
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    file.write_bytes(bytes(damaged))
    answer = verifies(third_party)
    assert answer.code == 1
    assert file.relative_to(bundle).as_posix() in answer.out
    assert "was altered: its SHA-256 is" in answer.out


def test_one_flipped_byte_of_a_payload_is_located_at_level_2(third_party, bundle):
    file = min(p for p in (bundle / "archive" / "raw").rglob("*") if p.is_file())
    damaged = bytearray(file.read_bytes())
    damaged[-2] ^= 1
    file.write_bytes(bytes(damaged))
    assert verifies(third_party).code == 0, "level 1 rests on observations alone"
    answer = verifies(third_party, "--level", "2")
    assert answer.code == 1
    assert file.name in answer.out


def test_one_changed_digit_of_the_csv_is_located(third_party, bundle):
    tape = bundle / "tape.csv"
    lines = tape.read_text(encoding="utf-8").splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if line.startswith("h100-list,2026-08-13,"))
    value = lines[place].split(",")[2]
    lines[place] = lines[place].replace(value, value[:-1] + ("1" if value[-1] != "1" else "2"), 1)
    tape.write_text("".join(lines), encoding="utf-8")
    answer = verifies(third_party, "--json").json
    assert any(
        f"h100-list 2026-08-13 revision 0 (row {place} of the tape) was altered" in p
        for p in answer["problems"]
    )
    [difference] = answer["differences"]
    assert (difference["date"], difference["field"], difference["rebuilt"]) == (
        "2026-08-13",
        "value_micros",
        value,
    )


def test_a_row_left_out_of_the_csv_breaks_the_chain(third_party, bundle):
    tape = bundle / "tape.csv"
    lines = tape.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = next(n for n, line in enumerate(lines) if line.startswith("h100-list,2026-08-13,"))
    tape.write_text("".join(lines[:gone] + lines[gone + 1 :]), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    assert "does not follow the row before it: a row is missing or altered" in answer.out


def test_other_rules_under_the_same_hash_are_told(third_party, bundle):
    file = bundle / "tape.rules.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    hashed = next(h for h, r in document["methodologies"].items() if r["methodology_name"] == "list-median")
    document["methodologies"][hashed]["methodology"]["min_sellers"] = 4
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    other = digest_of(document["methodologies"][hashed])
    assert (
        f"were made under list-median 1.0.0, hash {hashed}; what tape.rules.json holds under it has hash {other}"
        in (answer.out)
    )


def test_the_rules_of_something_else_are_told(third_party, bundle):
    document = json.loads((bundle / "tape.rules.json").read_text(encoding="utf-8"))
    carried = next(h for h, r in document["methodologies"].items() if r["methodology_name"] == "carried")
    document["methodologies"] = {carried: document["methodologies"][carried]}
    (bundle / "mine.json").write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party, "--rules", "mine.json", "--json").json
    assert not answer["passed"]
    [problem] = answer["problems"]
    assert problem.endswith("mine.json holds no rules of that hash.")
    assert answer["differences"] == [], "the other benchmark is still verified"


def test_a_clock_moved_in_the_manifest_is_told(third_party, bundle):
    """Moving the late batch before the first publication would let the late offer into rows it was not in."""
    file = bundle / "tape.manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    document["batches"][1]["recorded_at"] = "2020-01-01T00:00:00Z"
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    assert "the manifest says it was recorded at 2020-01-01T00:00:00Z, its rows say 20" in answer.out


def test_a_span_moved_in_the_manifest_is_told(third_party, bundle):
    """A file is opened for the days that the manifest says it reaches into: a lie would hide its rows."""
    file = bundle / "tape.manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    held = document["files"][0]["last_observed_at"]
    document["files"][0]["last_observed_at"] = document["files"][0]["first_observed_at"]
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    first = document["files"][0]["first_observed_at"]
    said = f"the manifest says it was observed from {first} to {first}, its rows say {first} to {held}."
    assert said in answer.out


def test_a_count_of_corrections_changed_in_the_manifest_is_told(third_party, bundle):
    """Files without corrections are not asked for those of other months' trades."""
    file = bundle / "tape.manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    held = document["files"][0]["corrections"]
    document["files"][0]["corrections"] = held + 1
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    assert f"the manifest counts {held + 1} corrections of trades, its rows hold {held}." in answer.out


def test_a_file_left_out_of_the_manifest_is_told(third_party, bundle):
    file = bundle / "tape.manifest.json"
    document = json.loads(file.read_text(encoding="utf-8"))
    dropped = document["files"].pop()
    file.write_text(json.dumps(document), encoding="utf-8")
    answer = verifies(third_party)
    assert answer.code == 1
    assert dropped["path"].removeprefix("archive/") in answer.out
    assert "the manifest does not name it" in answer.out


def test_a_missing_file_is_told(third_party, bundle):
    file = min((bundle / "archive" / "observations").rglob("*.parquet"))
    file.unlink()
    answer = verifies(third_party)
    assert answer.code == 1
    assert f"{file.relative_to(bundle).as_posix()} of batch 1 is missing from archive" in answer.out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("--published", "tape.csv"), 2, "--published needs a copy of the archive; add --archive DIR."),
        (("--archive", "archive"), 2, "go with --published; add --published FILE.csv."),
        (("--published", "lost.csv", "--archive", "archive"), 1, "There is no published CSV lost.csv"),
        (("--published", "tape.csv", "--archive", "."), 0, ""),
        (("--published", "tape.csv", "--archive", "archive/raw"), 1, "holds no folder observations"),
        (
            ("--published", "tape.csv", "--archive", "archive", "--rules", "tape.csv"),
            1,
            "tape.csv is no JSON",
        ),
        (
            ("--published", "tape.csv", "--archive", "archive", "--manifest", "tape.rules.json"),
            1,
            "is not of format rentmark-manifest-1 but rentmark-rules-1",
        ),
    ],
)
def test_what_was_not_handed_over_is_named(third_party, words, code, sentence):
    answer = third_party.types("index", "verify", *words)
    assert answer.code == code
    assert sentence in answer.err


def test_an_export_says_what_it_can_not_write(person, tmp_path):
    for words, code, sentence in (
        (("h100-list", "--output", tmp_path / "t.csv"), 1, "Nothing of h100-list is published; run"),
        (("h100-list", "--output", tmp_path / "t.txt"), 2, "write a name that ends in .csv"),
        (("h100-lost", "--output", tmp_path / "t.csv"), 1, "no benchmark 'h100-lost'"),
    ):
        answer = person.types("index", "export", *words)
        assert (answer.code, answer.out) == (code, "")
        assert sentence in answer.err
    assert not (tmp_path / "t.csv").exists()


def test_the_real_tape_is_verified_from_its_files_alone(person, shared_data, tmp_path, monkeypatch):
    with_rules(person, REAL_RULES)
    person.asks("ingest", "tabular", shared_data / OFFERS)
    person.asks("index", "build", "h100-list", "--publish")
    told = person.asks(
        "index", "export", "h100-list", "--output", tmp_path / "t.csv", "--archive", tmp_path / "a"
    )
    assert (told["rows"], told["batches"]) == (49, 1)
    person.workspace.rename(tmp_path / "gone")
    monkeypatch.chdir(tmp_path)
    answer = person.types("index", "verify", "--published", "t.csv", "--archive", "a")
    assert answer.out == "Checked 49 tape rows: all reproduce.\n"
