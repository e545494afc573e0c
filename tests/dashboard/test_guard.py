"""Who may ask: this machine alone, or others with a token or through a proxy; nothing else is answered."""

from __future__ import annotations

import pytest
from rentmark.dashboard.app import create_app
from rentmark.dashboard.guard import COOKIE, LARGEST_BODY, Access, host_name, safe_next
from rentmark.records import UsageError

from tests.journeys.typed import type_words

TOKEN = "an-invented-token-of-the-tests"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An empty workspace."""
    root = tmp_path_factory.mktemp("guard") / "w"
    assert type_words("init", root).code == 0
    return root


@pytest.fixture
def local(folder):
    """A client of a server that listens on loopback without a token."""
    return create_app(folder).server.test_client()


@pytest.fixture
def guarded(folder):
    """A client of a server for others, with a token."""
    return create_app(folder, access=Access("0.0.0.0", TOKEN)).server.test_client()


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/feeds", "/metrics", "/_dash-layout", "/csv/market.csv", "/healthz"]
)
def test_a_rebound_name_gets_nothing(local, path):
    answer = local.get(path, headers={"Host": "evil.example:8050"})
    assert answer.status_code == 421
    assert "evil.example" in answer.get_data(as_text=True)
    assert local.get(path, headers={"Host": "127.0.0.1:8050"}).status_code != 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://localhost:9999"},
    ],
)
def test_another_site_can_not_make_a_browser_ask(local, headers):
    answer = local.post("/_dash-update-component", json={}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.get_data(as_text=True)


def test_a_body_too_large_is_refused_by_its_length(local):
    answer = local.post(
        "/_dash-update-component", data=b"{}", environ_overrides={"CONTENT_LENGTH": "1000000000"}
    )
    assert answer.status_code == 413
    assert f"the limit is {LARGEST_BODY:,}" in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"\xff\xfe", b'{"output": 1, "inputs": []}', b'{"output": "a.b", "inputs": {}}'],
)
def test_what_no_page_sends_is_refused(local, body):
    answer = local.post("/_dash-update-component", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert "no request of a page" in answer.get_data(as_text=True)


def test_a_callback_that_is_not_there_is_a_sentence_with_an_id(local, caplog):
    answer = local.post("/_dash-update-component", json={"output": "no.where", "inputs": []})
    assert answer.status_code == 500
    text = answer.get_data(as_text=True)
    assert "Traceback" not in text
    assert text.startswith("This view failed (id ")
    assert caplog.records


def test_without_the_token_nothing_is_answered(guarded):
    for path in ("/api/v1/feeds", "/metrics", "/csv/market.csv", "/_dash-layout"):
        answer = guarded.get(path)
        assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    answer = guarded.get("/b/h100-list?as_of=2026-08-01")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/login?next=/b/h100-list%3Fas_of%3D2026-08-01"
    assert guarded.get("/healthz").status_code == 200


def test_the_token_opens_it_for_programs(guarded):
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/v1/feeds", headers=right).status_code == 200
    assert guarded.get("/api/v1/feeds", headers={"Authorization": f"Bearer {TOKEN}x"}).status_code == 401
    assert guarded.get("/api/v1/feeds", headers={"Authorization": f"Basic {TOKEN}"}).status_code == 401
    described = guarded.get("/api/v1/openapi.json", headers=right).get_json()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_the_token_opens_it_for_a_browser_and_is_not_in_the_cookie(guarded):
    wrong = guarded.post("/login", data={"token": "wrong", "next": "/"})
    assert wrong.status_code == 401
    assert COOKIE not in wrong.headers.get("Set-Cookie", "")
    answer = guarded.post("/login", data={"token": TOKEN, "next": "/contracts"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/contracts")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/api/v1/feeds").status_code == 200


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "evil",
        "javascript:alert(1)",
        "/a\r\nX: 1",
    ],
)
def test_the_login_leads_nowhere_else(text):
    assert safe_next(text) == "/"


def test_the_form_shows_what_was_asked_as_text(guarded):
    page = guarded.get('/login?next=/"><script>alert(1)</script>').get_data(as_text=True)
    assert "<script>" not in page


def test_a_proxy_names_who_asks(folder):
    client = create_app(folder, access=Access(user_header="X-Forwarded-User")).server.test_client()
    refused = client.get("/api/v1/feeds")
    assert refused.status_code == 401
    assert "X-Forwarded-User" in refused.get_json()["error"]
    assert client.get("/api/v1/feeds", headers={"X-Forwarded-User": "reader"}).status_code == 200


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"host": "0.0.0.0"}, "can be reached by others; set a token"),
        ({"host": "::"}, "set a token"),
        ({"host": "rentmark.example"}, "set a token"),
        ({"token": "short"}, "5 characters; use at least 16"),
        ({"host": "0.0.0.0", "user_header": "X-User"}, "listen on 127.0.0.1"),
    ],
)
def test_an_open_server_is_refused_before_it_starts(asked, words):
    with pytest.raises(UsageError, match=words):
        Access(**asked)


def test_serve_says_so_in_one_line(folder):
    said = type_words("serve", "--host", "0.0.0.0", "--workspace", folder)
    assert said.code == 2
    assert said.err == (
        "0.0.0.0 can be reached by others; set a token with --token or RENTMARK_TOKEN, or listen on 127.0.0.1.\n"
    )


@pytest.mark.parametrize(
    ("host", "name"),
    [("localhost:80", "localhost"), ("[::1]:80", "::1"), ("127.0.0.1", "127.0.0.1"), ("a]b", ""), ("", "")],
)
def test_the_name_of_a_host_header(host, name):
    assert host_name(host) == name


def test_every_answer_carries_the_headers_that_keep_a_page_to_itself(local):
    for path in ("/", "/api/v1/feeds", "/nothing-here"):
        headers = local.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
