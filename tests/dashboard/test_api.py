"""The interface answers what the command line prints, carries ETags, and says no in sentences."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from rentmark.dashboard.api import _answer
from rentmark.dashboard.api.endpoints import ENDPOINTS
from rentmark.dashboard.api.openapi import document
from rentmark.dashboard.app import create_app
from rentmark.dashboard.reading import Reading
from rentmark.workspace import Workspace
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks

from tests.journeys.typed import type_words

load_all_checks()
SAME_AS_TYPED = {
    "/market": ["market"],
    "/index/show/h100-list?last=5": ["index", "show", "h100-list", "--last", "5"],
    "/index/show/h100-list?as_of=2026-08-20&reconstructed=true&last=5": [
        "index", "show", "h100-list", "--as-of", "2026-08-20", "--reconstructed", "--last", "5",
    ],
    "/index/revisions/h100-list": ["index", "revisions", "h100-list"],
    "/index/explain/h100-list/2026-08-14": ["index", "explain", "h100-list", "2026-08-14"],
    "/contracts": ["contracts"],
    "/contracts/cme-gpu1": ["contracts", "cme-gpu1"],
    "/calendar/cme-gpu1?from=2026-08&months=3": ["calendar", "cme-gpu1", "--from", "2026-08", "--months", "3"],
    "/settlements/cme-gpu1": ["settlements", "show", "cme-gpu1"],
    "/settle/cme-gpu1/2026-08?benchmark=h100-list": [
        "settle", "cme-gpu1", "2026-08", "--benchmark", "h100-list", "--explain",
    ],
    "/curve/cme-gpu1?benchmark=h100-list&as_of=2026-08-20&reconstructed=true&months=2": [
        "curve", "cme-gpu1", "--benchmark", "h100-list", "--as-of", "2026-08-20", "--reconstructed",
        "--months", "2",
    ],
    "/feeds": ["feeds"],
    "/batches": ["batches"],
    "/rejects": ["rejects"],
    "/sellers": ["sellers"],
    "/grade/list": ["grade", "list"],
}  # fmt: skip
WITHOUT_WORKSPACE = {"feeds"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A published workspace on the invented samples, with one restated view built beside it."""
    root = tmp_path_factory.mktemp("api") / "w"
    assert type_words("init", root, "--sample").code == 0
    for words in (
        ("ingest", "tabular", root / "offers.csv"),
        ("ingest", "trades", root / "trades.csv"),
        ("index", "build", "h100-list", "--publish"),
        ("index", "build", "h100-list", "--as-of", "2026-08-20", "--reconstructed"),
    ):
        assert type_words(*words, "--workspace", root).code == 0
    return root


@pytest.fixture(scope="module")
def server(folder):
    """The Flask server of the dashboard on that workspace."""
    return create_app(folder).server


@pytest.fixture
def client(server):
    """A client that asks it."""
    return server.test_client()


@pytest.mark.parametrize(("address", "words"), SAME_AS_TYPED.items(), ids=SAME_AS_TYPED)
def test_an_answer_is_the_text_that_the_command_line_prints(client, folder, address, words):
    where = [] if words[0] in WITHOUT_WORKSPACE else ["--workspace", folder]
    said = type_words(*words, "--json", *where)
    assert said.code == 0, said.err
    answer = client.get("/api/v1" + address)
    assert answer.status_code == 200
    assert without_now(answer.get_data(as_text=True)) == without_now(said.out)


def without_now(text):
    """The text without the instant at which it was asked."""
    return re.sub(r'("as_of": ")[^"]*', r"\1", text)


def test_csv_has_each_text_of_the_json(client):
    told = client.get("/api/v1/index/show/h100-list").get_json()["rows"]
    text = client.get("/api/v1/index/show/h100-list?format=csv").get_data(as_text=True)
    read = list(csv.DictReader(io.StringIO(text)))
    assert len(read) == len(told) > 1_000
    for line, row in zip(read, told, strict=True):
        for key, value in row.items():
            assert line[key] == (
                "" if value is None else value if isinstance(value, str) else json.dumps(value)
            )
    assert {"BACKCAST"} <= {line["origin"].upper() for line in read}


def test_an_etag_saves_the_body_and_changes_with_the_data(client, folder):
    first = client.get("/api/v1/index/show/h100-list?last=1")
    etag = first.headers["ETag"]
    again = client.get("/api/v1/index/show/h100-list?last=1", headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")
    other = client.get("/api/v1/index/show/h100-list?last=2", headers={"If-None-Match": etag})
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/index/show/none", 404, "no benchmark 'none'"),
        ("/index/show/h100-list?as_of=yesterday", 400, "as_of yesterday is not a time"),
        ("/index/show/h100-list?as_of=2999-01-01", 409, "as_of 2999-01-01 has not come yet"),
        ("/index/show/h100-list?reconstructed=true", 409, "reconstructed needs as_of"),
        ("/index/show/h100-list?last=0", 400, "last is '0'"),
        ("/index/show/h100-list?last=1&last=2", 400, "given 2 times"),
        ("/index/show/h100-list?colour=red", 400, "no parameter 'colour'"),
        ("/index/show/h100-list?format=xml", 400, "json, csv"),
        ("/index/show/h100-list%0d%0aX: 1", 400, "no printable text"),
        ("/index/show/..%2f..%2fetc%2fpasswd", 404, ""),
        ("/index/show/h100-list' OR '1'='1", 404, "no benchmark"),
        ("/index/show/{{7*7}}", 404, "{{7*7}}"),
        ("/index/explain/h100-list/2026-02-30", 400, "2026-02-30"),
        ("/settle/cme-gpu1/2026-08", 400, "benchmark is missing"),
        ("/settle/cme-gpu1/never?benchmark=h100-list", 400, "never"),
        ("/rejects?reason=because", 400, "reason is 'because'"),
        ("/rejects?batch=99", 404, "no batch 99"),
        ("/nothing", 404, "There is no"),
    ],
)
def test_a_wrong_question_is_answered_with_a_sentence(client, address, status, words):
    answer = client.get("/api/v1" + address)
    error = answer.get_json()
    assert answer.status_code == status
    assert words in error["error"]
    assert error["error"][-1] in ".?"
    assert error["id"] is None


def test_it_only_reads(client):
    for method in ("post", "put", "patch", "delete"):
        answer = getattr(client, method)("/api/v1/market")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_a_defect_gives_an_id_and_the_log_has_the_rest(folder, caplog):
    def fails(workspace, values):
        raise ZeroDivisionError("a defect")

    server = create_app(folder).server
    with server.test_request_context("/api/v1/feeds"):
        answer = _answer(replace(ENDPOINTS[0], name="broken", answer=fails), Reading(folder))
    told = json.loads(answer.get_data())
    assert answer.status_code == 500
    assert told["id"]
    assert told["id"] in told["error"]
    assert "Traceback" not in told["error"]
    assert any(told["id"] in record.getMessage() for record in caplog.records)


def test_metrics_count_requests_and_tell_the_state_of_the_data(client, folder):
    client.get("/api/v1/feeds")
    text = client.get("/metrics").get_data(as_text=True)
    assert re.search(r'rentmark_requests_total\{endpoint="api.feeds",method="GET",status="200"\} \d', text)
    assert "rentmark_data_readable 1.0" in text
    rows = len(Workspace.open(folder, database_url=None).store.tape("h100-list"))
    assert f'rentmark_tape_rows{{benchmark="h100-list"}} {float(rows)}' in text
    client.get("/api/v1/<script>")
    assert "<script>" not in client.get("/metrics").get_data(as_text=True)


def test_the_page_lists_every_endpoint_without_a_script(client):
    text = client.get("/api/v1/").get_data(as_text=True)
    assert "<script" not in text
    for endpoint in ENDPOINTS:
        assert f"/api/v1{endpoint.path}" in text


SCHEMA = schemathesis.openapi.from_dict(document())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}


@pytest.mark.parametrize("label", OPERATIONS)
def test_no_question_breaks_the_contract(label, server):
    """schemathesis asks what the document allows and what it does not: no 500, every answer as described."""
    allowed, wrong = (
        OPERATIONS[label].as_strategy(generation_mode=mode)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    )

    @settings(
        max_examples=15, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=allowed | wrong)
    def holds(case):
        case.validate_response(case.call(app=server, headers={"Accept-Encoding": "identity"}))

    holds()
