"""Parsing ahead: a second process reads payloads that are sure to come, while this one archives and builds.

Parsing is a pure function of bytes and context, so what it gives does not depend on where it ran. A process that
can't be started, or ends, costs time and nothing else: its payloads are parsed here.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ..ingest import FeedContext, parse_payload
from ..records import Batch

STEPS_AHEAD = 6
"""How many steps' payloads are handed over before they are asked."""
_SERVE = "from rentmark.workspace.parsing_ahead import serve; serve()"
_LENGTH = 8
"""Bytes in front of a message that say how long it is."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A payload that is sure to come, and what its feed will be told of it."""

    feed_id: str
    payload: bytes
    context: FeedContext


@dataclass(frozen=True, slots=True)
class Arrival:
    """A payload that has come, and what a second process makes of it, None where it was not handed over."""

    coming: Coming
    parsed: Future[Batch] | None

    def parse(self, feed_id: str, payload: bytes, context: FeedContext) -> Batch:
        """What ``ingest.parse_payload`` gives, from the second process where it was asked this very thing."""
        if self.parsed is None or Coming(feed_id, payload, context) != self.coming or self.parsed.cancel():
            return parse_payload(feed_id, payload, context)
        try:
            return self.parsed.result()
        except (OSError, EOFError):  # the other process is gone
            return parse_payload(feed_id, payload, context)


@contextmanager
def parsing_ahead(
    steps: Iterable[Sequence[Coming]], *, second_process: bool
) -> Iterator[Iterator[list[Arrival]]]:
    """The payloads of each step in order, parsed by a second process meanwhile where there is one."""
    process = None
    if second_process:
        with suppress(OSError):
            process = _Parser()
    try:
        yield _arrivals(steps, process)
    finally:
        if process is not None:
            process.close()


def _arrivals(steps: Iterable[Sequence[Coming]], process: _Parser | None) -> Iterator[list[Arrival]]:
    ahead: list[list[Arrival]] = []
    for step in steps:
        ahead.append([Arrival(each, None if process is None else process.submit(each)) for each in step])
        if len(ahead) > STEPS_AHEAD:
            yield ahead.pop(0)
    yield from ahead


class _Parser:
    """The second process, asked one payload at a time by a thread of this one."""

    def __init__(self) -> None:
        # -P: a file beside the user that is named as a library is not taken for it
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with words of this file
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._thread = ThreadPoolExecutor(1)

    def submit(self, coming: Coming) -> Future[Batch]:
        return self._thread.submit(self._ask, coming)

    def _ask(self, coming: Coming) -> Batch:
        _send(self._process.stdin, (coming.feed_id, coming.payload, coming.context))
        batch: Batch = _receive(self._process.stdout)
        return batch

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._thread.shutdown(cancel_futures=True)
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert stream is not None
                stream.close()
        self._process.wait()


def serve() -> None:
    """What the second process does: parse what comes in, until nothing comes any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            _send(answers, parse_payload(*_receive(sys.stdin.buffer)))


def _send(stream: Any, message: Any) -> None:
    content = pickle.dumps(message, protocol=5)
    stream.write(len(content).to_bytes(_LENGTH, "big") + content)
    stream.flush()


def _receive(stream: Any) -> Any:
    length = stream.read(_LENGTH)
    if len(length) < _LENGTH:
        raise EOFError
    content = stream.read(int.from_bytes(length, "big"))
    return pickle.loads(content)  # noqa: S301 - from a process of our own
