"""A server on loopback that answers by a script, well or badly."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """Answers the n-th request with the n-th answer, and then with the last one again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                with outer._lock:
                    number = len(outer.requests)
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    outer.requests.append((self.command, self.path, headers, body))
                answer = outer.answers[min(number, len(outer.answers) - 1)]
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = _serve

            def log_message(self, *_arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def url(self, path: str = "/prices.json") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def start(self) -> None:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    server = Server(*answers)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def says(
    body: bytes = b"", status: int = 200, headers: dict[str, str] | None = None, length: int | None = None
) -> Answer:
    """A whole answer; ``length`` lies about it."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        if status != 304:
            handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
        if length is not None and length != len(body):
            handler.close_connection = True

    return answer


def drips(pieces: int, seconds: float, released: threading.Event) -> Answer:
    """An answer without an end: a piece every few moments, until the test is over."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for _ in range(pieces):
            handler.wfile.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
            handler.wfile.flush()
            if released.wait(seconds):
                break
        handler.close_connection = True

    return answer


def is_silent(released: threading.Event) -> Answer:
    """No answer at all, until the test is over."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        released.wait(30)
        handler.close_connection = True

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """The connection is closed without a word."""
    handler.close_connection = True
    handler.connection.close()
