"""Answers of collect, sellers and an export of rejects in a workspace of its own, with invented sources."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HEADER = "observed_at,seller,aggregator,gpu_model,price_per_gpu_hour\n"
FEW = HEADER + "".join(
    f"2026-08-14T06:00:00Z,{name},collector.example,H100,3.10\n" for name in ("datacrunch", "amber", "basalt")
)
FEWER = (
    HEADER + "2026-08-15T06:00:00Z,datacrunch,collector.example,H100,3.10\n2026-08-15T06:00:00Z,opal,,H100,\n"
)


class _Pages(BaseHTTPRequestHandler):
    """Serves an invented price list that loses sellers when it is asked again, and nothing else."""

    asked = 0

    def do_GET(self) -> None:
        body = b""
        if self.path == "/prices":
            body = (FEWER if _Pages.asked else FEW).encode()
            _Pages.asked += 1
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


def collecting_answers(base: Path, ask: Callable[..., Any]) -> dict[str, list[Any]]:
    """What the commands about sources print, by the heading that documents them."""
    folder = base / "w"
    ask("init", folder)
    (base / "few.csv").write_text(FEW.replace("3.10", "3.20"))
    (base / "fewer.csv").write_text(FEWER.replace("3.10", "3.20"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}"
        with (folder / "rentmark.toml").open("a", encoding="utf-8") as rules:
            rules.write(f'\n[collect.amber]\nfeed = "tabular"\nurl = "{url}/prices"\n')
            rules.write(f'\n[collect.gone]\nfeed = "vast"\nurl = "{url}/gone"\n')
        here = ("--workspace", folder)
        collected = [
            ask("collect", *here, code=1),
            ask("collect", *here),
            ask("collect", "amber", "--now", *here, code=1),
        ]
    finally:
        server.shutdown()
        server.server_close()
    return {
        "collect": collected,
        "ingest": [
            ask("ingest", "tabular", base / "few.csv", *here),
            ask("ingest", "tabular", base / "fewer.csv", *here),
            ask("ingest", "tabular", "--again", *here),
        ],
        "batches": [ask("batches", *here)],
        "sellers": [ask("sellers", *here)],
        "rejects": [ask("rejects", "--export", base / "rejects.csv", *here)],
    }
