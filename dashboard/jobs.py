"""Jobs: work a page starts and comes back for, in the background, kept for half an hour and nowhere else."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from ..records import RentmarkError
from .failing import failed_sentence

KEPT_SECONDS = 30 * 60
MOST_JOBS = 40
Tell = Callable[[str], None]


@dataclass(slots=True)
class Job:
    """One piece of work. ``sentence`` is what it does while it runs, and why it failed where it did."""

    name: str
    state: Literal["waiting", "running", "done", "failed"] = "waiting"
    sentence: str = "waiting"
    share: float | None = None
    result: Any = None
    made_at: float = field(default_factory=time.monotonic)


class Jobs:
    """Runs one job at a time, so that a page can't take the machine; forgets what is old."""

    def __init__(self, *, kept_seconds: float = KEPT_SECONDS, most: int = MOST_JOBS) -> None:
        self._kept_seconds, self._most = kept_seconds, most
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._queue: list[tuple[Job, Callable[[Tell], Any]]] = []
        self._worker: threading.Thread | None = None

    def start(self, work: Callable[[Tell], Any]) -> str:
        """Queue a job and return its name. Raises RentmarkError where too many wait."""
        job = Job(secrets.token_urlsafe(12))
        with self._lock:
            self._forget_old()
            if len(self._queue) >= self._most:
                raise RentmarkError("Too many reports are being made; try again in a minute.")
            self._jobs[job.name] = job
            self._queue.append((job, work))
            if self._worker is None or not self._worker.is_alive():
                self._worker = threading.Thread(target=self._work, name="rentmark-jobs", daemon=True)
                self._worker.start()
        return job.name

    def find(self, name: str) -> Job | None:
        """A job by its name; None for one that was never there or is forgotten."""
        with self._lock:
            self._forget_old()
            return self._jobs.get(name)

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._worker = None
                    return
                job, work = self._queue.pop(0)
            job.state = "running"

            def tell(sentence: str, job: Job = job) -> None:
                job.sentence = sentence

            try:
                job.result = work(tell)
                job.state = "done"
            except RentmarkError as error:
                job.state, job.sentence = "failed", error.sentence
            except Exception as error:  # noqa: BLE001 - the boundary: a job fails, the server goes on
                job.state, job.sentence = "failed", failed_sentence(error)

    def _forget_old(self) -> None:
        now = time.monotonic()
        old = [n for n, job in self._jobs.items() if now - job.made_at > self._kept_seconds]
        while len(self._jobs) - len(old) > self._most:
            old.append(next(n for n in self._jobs if n not in old))
        for name in old:
            if self._jobs[name].state in ("done", "failed"):
                del self._jobs[name]


class Held:
    """Values under random names for half an hour, such as an uploaded rent; the oldest go first."""

    def __init__(self, *, kept_seconds: float = KEPT_SECONDS, most_bytes: int = 200 * 1024 * 1024) -> None:
        self._kept_seconds, self._most_bytes = kept_seconds, most_bytes
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[float, int, Any]] = OrderedDict()

    def put(self, value: Any, size: int) -> str:
        """Keep a value of so many bytes; returns its name."""
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._held[name] = (time.monotonic(), size, value)
            self._forget_old()
        return name

    def get(self, name: str | None) -> Any:
        """The value of a name, or None where there is none any more."""
        with self._lock:
            self._forget_old()
            found = self._held.get(name or "")
            return None if found is None else found[2]

    def drop(self, name: str) -> None:
        """Forget a value now."""
        with self._lock:
            self._held.pop(name, None)

    def _forget_old(self) -> None:
        now = time.monotonic()
        while self._held:
            name, (at, _, _) = next(iter(self._held.items()))
            total = sum(size for _, size, _ in self._held.values())
            if now - at <= self._kept_seconds and (total <= self._most_bytes or len(self._held) == 1):
                return
            del self._held[name]
