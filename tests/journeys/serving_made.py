"""What `serve --json` prints once it can be opened, and that an interrupt ends it without a complaint."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen


def serve_answer(folder: Path) -> Any:
    """Serve a workspace on a free port, read the answer, ask the server once, and interrupt it."""
    command = [
        str(Path(sys.executable).parent / "rentmark"),
        "serve",
        "--port",
        "0",
        "--json",
        "-w",
        str(folder),
    ]
    # a shell that starts a suite in the background has it ignore interrupts, which a child would inherit
    heeding = ["env", "--default-signal=INT", *command]
    with subprocess.Popen(heeding, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stderr is not None
            lines = []
            while not lines or lines[-1] != "}\n":
                lines.append(server.stdout.readline())
                assert lines[-1], server.stderr.read()
            answer = json.loads("".join(lines))
            with urlopen(answer["address"] + "healthz") as healthy:
                assert healthy.status == 200
            server.send_signal(signal.SIGINT)
            assert server.wait(timeout=60) == 0
            assert not server.stderr.read()
        finally:
            server.kill()  # nothing where it has ended; a server that does not end must not hold up the rest
    return answer
