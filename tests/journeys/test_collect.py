"""Collecting and reading again through the command line, against a server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from .conftest import Person

OFFERS = (
    "observed_at,seller,gpu_model,form_factor,vram_gb,price_per_gpu_hour\n"
    + "".join(f"2026-08-14T06:00:00Z,seller-{n},H100,SXM5,80,{3 + n / 4}\n" for n in range(5))
    + "2026-08-14T06:00:00Z,=cmd|'/C calc'!A0,H100,SXM5,80,=1+1\n"
)


@contextmanager
def serving(pages: dict[str, tuple[int, bytes]]) -> Iterator[str]:
    """A server on loopback with these pages by path."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = pages.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def with_sources(person: Person, **urls: str) -> None:
    file = person.workspace / "rentmark.toml"
    tables = [f'[collect.{name}]\nfeed = "tabular"\nurl = "{url}"' for name, url in urls.items()]
    file.write_text(file.read_text() + "\n" + "\n".join(tables) + "\n")


def test_collect_runs_all_sources_and_says_what_each_did(person: Person):
    with serving({"/good": (200, OFFERS.encode()), "/bad": (403, b"")}) as base:
        with_sources(person, amber=f"{base}/good", basalt=f"{base}/bad")
        answer = person.types("collect")
        assert answer.code == 1
        assert "amber (tabular): ingested: 6 records = 5 accepted + 1 rejected + 0 duplicates." in answer.out
        assert "basalt (tabular): failed" in answer.out
        assert answer.err.startswith("basalt: ")
        assert "answers 403; check the header that carries the key." in answer.err
        again = person.types("collect", "amber")
        assert (again.code, again.out.count("not due")) == (0, 1)
        told = person.asks("collect", "amber", "--now")
        assert [source["status"] for source in told["sources"]] == ["already_ingested"]
        live = person.types("ingest", "tabular", "--live", "--json")
        assert live.code == 1
        assert [s["status"] for s in json.loads(live.out)["sources"]] == ["already_ingested", "failed"]
    (batch,) = person.asks("batches")["batches"]
    assert batch["fetched_from"] == f"{base}/good"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("collect",), "No [collect.NAME] table of rentmark.toml names a source"),
        (("collect", "amber"), "There is no [collect.amber] in rentmark.toml"),
        (("ingest", "vast", "--live"), "has feed = 'vast'"),
        (("ingest", "vast"), "Name the files of vast, or use --live or --again"),
        (("ingest", "vast", "--live", "--again"), "one of the three"),
        (("ingest", "vast", "--live", "--mapping", "x"), "--mapping goes with files"),
        (("ingest", "vest", "--again"), "did you mean vast"),
    ],
)
def test_wrong_usage_is_one_sentence(person: Person, words: tuple[str, ...], said: str):
    answer = person.types(*words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_rejects_are_exported_and_no_spreadsheet_runs_them(person: Person, tmp_path: Path):
    offers = tmp_path / "offers.csv"
    offers.write_text(OFFERS)
    person.types("ingest", "tabular", offers)
    told = person.asks("rejects", "--export", tmp_path / "rejects.csv")
    assert told == {
        "counts": {"price_not_a_number": 1},
        "rejects": [],
        "exported": 1,
        "file": str(tmp_path / "rejects.csv"),
    }
    lines = (tmp_path / "rejects.csv").read_text().splitlines()
    assert lines[0].startswith("batch_id,origin_name,")
    assert ",'=1+1," in lines[1]
    assert person.types("rejects", "--export", tmp_path / "rejects.parquet").code == 0
    (row,) = pq.read_table(tmp_path / "rejects.parquet").to_pylist()
    assert (row["value"], row["position"], row["reason"]) == ("=1+1", 5, "price_not_a_number")
    wrong = person.types("rejects", "--export", tmp_path / "rejects.xlsx")
    assert (wrong.code, "ends in .csv or .parquet" in wrong.err) == (2, True)
    missing = person.types("rejects", "--export", tmp_path / "nowhere" / "rejects.csv")
    assert (missing.code, "can't be written" in missing.err) == (1, True)


def test_a_payload_beyond_the_limit_is_one_sentence_before_any_work(person: Person, tmp_path: Path):
    huge = tmp_path / "huge.csv"
    with huge.open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    answer = person.types("ingest", "tabular", huge)
    assert answer.code == 1
    assert answer.err == f"{huge} is 300 MB; the limit is 256 MB. Split it.\n"
    assert person.asks("batches")["batches"] == []


def test_sellers_are_listed_with_their_other_names(person: Person, tmp_path: Path):
    offers = tmp_path / "offers.csv"
    offers.write_text(
        "observed_at,seller,aggregator,source,gpu_model,price_per_gpu_hour\n"
        "2026-08-14T06:00:00Z,datacrunch,collector.example,invented,H100,3.10\n"
        "2026-08-15T06:00:00Z,datacrunch,collector.example,invented,H100,3.10\n"
        "2026-08-15T06:00:00Z,vast.ai/77,,invented,H100,2.10\n"
    )
    person.types("ingest", "tabular", offers)
    rows = person.asks("sellers")["sellers"]
    assert [(row["seller"], row["venue"], row["known_as"], row["aggregator"]) for row in rows] == [
        ("77", "vast.ai", None, None), ("datacrunch", None, "verda", "collector.example"),
    ]  # fmt: skip
    assert rows[1]["observations"] == 2
    assert rows[1]["first_observed_at"] == "2026-08-14T06:00:00Z"
    aliases = person.asks("sellers")["aliases"]
    assert {"name": "datacrunch", "seller": "verda", "published_on": "2025-11-06"}.items() <= aliases[
        0
    ].items()
    assert "verda" in person.types("sellers").out
    assert "ClusterMAX" in person.types("sellers", "--aliases").out
    assert person.asks("sellers", "--as-of", "2020-01-01")["sellers"] == []
