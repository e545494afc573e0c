"""Bad input is normal: a plain sentence or a counted reject, never a traceback, and good rows are in."""

from __future__ import annotations

import gzip

import pytest
from rentmark.cli import run

from tests.journeys.conftest import Person, with_rules

HEADER = "observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour,pricing"
GOOD = "2026-07-01T00:00:00Z,alpha,H100,SXM,80,3.10,on_demand"
BAD_ROWS = {
    "price_not_finite": "2026-07-01T00:00:00Z,beta,H100,SXM,80,NaN,on_demand",
    "price_not_positive": "2026-07-01T00:00:00Z,beta,H100,SXM,80,-1,on_demand",
    "price_not_a_number": '2026-07-01T00:00:00Z,beta,H100,SXM,80,"3,10",on_demand',
    "missing_price": "2026-07-01T00:00:00Z,beta,H100,SXM,80,,on_demand",
    "naive_time": "2026-07-01 00:00:00,beta,H100,SXM,80,3.10,on_demand",
    "future_time": "2999-07-01T00:00:00Z,beta,H100,SXM,80,3.10,on_demand",
    "unknown_chip": "2026-07-01T00:00:00Z,beta,HAL 9000,SXM,80,3.10,on_demand",
    "bad_memory": "2026-07-01T00:00:00Z,beta,H100,SXM,many,3.10,on_demand",
    "bad_time": "yesterday,beta,H100,SXM,80,3.10,on_demand",
    "missing_seller": "2026-07-01T00:00:00Z,,H100,SXM,80,3.10,on_demand",
}


def table(*rows: str) -> bytes:
    return ("\n".join([HEADER, *rows]) + "\n").encode()


@pytest.mark.parametrize(("reason", "row"), BAD_ROWS.items(), ids=BAD_ROWS)
def test_a_bad_row_is_counted_with_its_reason_and_the_good_one_is_in(person, tmp_path, reason, row):
    file = tmp_path / "offers.csv"
    file.write_bytes(table(GOOD, row))
    counts = person.asks("ingest", "tabular", file)
    assert (counts["records"], counts["accepted"], counts["rejected"], counts["duplicates"]) == (2, 1, 1, 0)
    listed = person.asks("rejects")
    assert listed["counts"] == {reason: 1}
    sentence = listed["rejects"][0]["sentence"]
    assert sentence.endswith(".")
    assert listed["rejects"][0]["position"] == 1


@pytest.mark.parametrize(
    "price", ["inf", "-inf", "0", "0.0", "1e400", "3_10", "$3.10", "99999999999999999999"]
)
def test_no_impossible_price_gets_in(person, tmp_path, price):
    file = tmp_path / "offers.csv"
    file.write_bytes(table(GOOD, f"2026-07-01T00:00:00Z,beta,H100,SXM,80,{price},on_demand"))
    counts = person.asks("ingest", "tabular", file)
    assert (counts["accepted"], counts["rejected"]) == (1, 1)


def test_a_truncated_file_keeps_its_good_rows(person, tmp_path):
    file = tmp_path / "offers.csv"
    file.write_bytes(table(GOOD, GOOD.replace("alpha", "beta"))[:-30])
    counts = person.asks("ingest", "tabular", file)
    assert (counts["records"], counts["accepted"], counts["rejected"]) == (2, 1, 1)


def test_a_truncated_gzip_keeps_its_good_rows_and_says_so(person, tmp_path):
    rows = [GOOD.replace("alpha", f"seller-{n}") for n in range(2_000)]
    file = tmp_path / "offers.csv.gz"
    file.write_bytes(gzip.compress(table(*rows))[:-400])
    answer = person.types("ingest", "tabular", file)
    counts = person.asks("batches")["batches"][0]
    assert counts["records"] == counts["accepted"] + counts["rejected"] + counts["duplicates"]
    assert counts["accepted"] > 0
    assert "ends early" in answer.out + answer.err


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8),
        ("empty.csv", b""),
        ("no-price.csv", b"observed_at,seller,gpu_model\n2026-07-01T00:00:00Z,alpha,H100\n"),
        ("latin1.csv", HEADER.encode() + b"\n\xff\xfe\xff\n"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_a_sentence(person, tmp_path, name, payload):
    file = tmp_path / name
    file.write_bytes(payload)
    answer = person.types("ingest", "tabular", file)
    assert answer.code == 1
    assert len(answer.err.strip().splitlines()) == 1
    assert name in answer.err or "Nothing was accepted" in answer.err
    ledger = person.asks("batches")["batches"]
    assert [b["accepted"] for b in ledger] == [0]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("ingest", "tabular", "absent.csv"), 1, "There is no file absent.csv"),
        (("ingest", "nonsense", "absent.csv"), 2, "There is no feed 'nonsense'"),
        (("index", "build", "h100-lst"), 1, "did you mean h100-list?"),
        (("index", "build", "h100-list"), 1, "No data yet."),
        (("index", "show", "h100-list"), 1, "No data yet."),
        (("index", "show", "h100-list", "--as-of", "2026-08-01T10:00:00"), 2, "has no time zone"),
        (("index", "show", "h100-list", "--reconstructed"), 2, "--reconstructed needs --as-of"),
        (("index", "explain", "h100-list", "14.8.2026"), 2, "is not a date"),
        (("settle", "cme-gpu1", "2026-13", "--benchmark", "h100-list"), 2, "is not a month"),
        (("settle", "cme-gpu11", "2026-08", "--benchmark", "h100-list"), 1, "did you mean cme-gpu1?"),
        (("settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list"), 1, "index build h100-list --publish"),
        (("hedge", "absent.csv", "--benchmark", "h100-list"), 1, "There is no rent file absent.csv"),
        (("index", "frobnicate"), 2, "No such command"),
        (("ingest",), 2, "Missing argument"),
    ],
)
def test_a_wrong_command_is_answered_in_one_plain_line(person, words, code, said):
    answer = person.types(*words)
    assert answer.code == code
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            "[methodologies.m]\nversion = '1'\ninputs = ['listed']\nmin_seller = 3\n",
            "did you mean min_sellers?",
        ),
        ("[benchmarks.b]\ngrade = 'g'\nmethodology = 'm'\n", "add [grades.g]"),
        ("clock = 'sundial'\n", "clock = 'sundial'"),
        ("[grades.g]\nchip = 'HAL 9000'\n", "no chip of the catalogue"),
        ("[[[", "can't be read"),
        ("[grade.g]\nchip = 'H100'\n", "unknown section grade"),
    ],
)
def test_a_mistake_in_the_rules_is_named_before_any_work(person, rules, said):
    answer = with_rules(person, rules).types("batches")
    assert answer.code == 2
    assert said in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_no_workspace_is_said_with_the_remedy(capsys, tmp_path):
    answer = Person(capsys, tmp_path).types("batches")
    assert answer.code == 1
    assert "run `rentmark init" in answer.err


def test_init_does_not_overwrite(person, capsys):
    assert run(["init", str(person.workspace)]) == 1
    assert "is a workspace already" in capsys.readouterr().err
