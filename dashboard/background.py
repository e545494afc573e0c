"""Background: answers made one after another while pages are looked at, the last one asked for by a waiting page first."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from ..records import RentmarkError

Key = tuple[Hashable, ...]
ROUND_SECONDS = 1.0
"""Pages that wait are told at most so often, and when nothing is left to do."""


@dataclass(slots=True)
class _Job:
    make: Callable[[], object]
    done: threading.Event = field(default_factory=threading.Event)


class Background:
    """One thread that makes what was asked for. ``rounds`` counts how often pages should look again."""

    def __init__(self) -> None:
        self.rounds = 0
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Key, _Job] = OrderedDict()
        self._worker: threading.Thread | None = None
        self._told_at = 0.0

    def ask(self, key: Key, make: Callable[[], object], *, first: bool) -> threading.Event:
        """Have something made; the event is set once it was tried. ``first`` puts it before all others."""
        with self._lock:
            job = self._jobs.setdefault(key, _Job(make))
            if first:
                self._jobs.move_to_end(key, last=False)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="rentmark-background", daemon=True)
                self._worker.start()
            return job.done

    @property
    def busy(self) -> bool:
        """Whether something is being made."""
        return self._worker is not None

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._worker = None
                    self.rounds += 1
                    return
                key, job = next(iter(self._jobs.items()))
            try:
                job.make()
            except RentmarkError:
                pass  # the data can't be read now; the page that needs it asks again
            finally:
                with self._lock:
                    self._jobs.pop(key, None)
                    if time.monotonic() - self._told_at > ROUND_SECONDS:
                        self._told_at = time.monotonic()
                        self.rounds += 1
                job.done.set()
