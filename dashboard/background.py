"""Background: answers made one after another while pages are looked at, the last one asked for by a waiting page first.

Python runs one thread at a time, so work here takes time from the pages. It gives way: while somebody is loading a
page nothing new is begun, unless a page waits for just that, or it has waited long enough.
"""

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
QUIET_SECONDS = 0.4
"""A page being loaded asks again within so long; after it nobody is taken to be waiting."""
PATIENT_SECONDS = 1.2
"""The longest that work is put off: under steady load it still goes on."""


@dataclass(slots=True)
class _Job:
    make: Callable[[], object]
    urgent: bool = False
    done: threading.Event = field(default_factory=threading.Event)


class Background:
    """One thread that makes what was asked for. ``rounds`` counts how often pages should look again."""

    def __init__(self) -> None:
        self.rounds = 0
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._jobs: OrderedDict[Key, _Job] = OrderedDict()
        self._worker: threading.Thread | None = None
        self._told_at = 0.0
        self._asked_at = 0.0

    def ask(self, key: Key, make: Callable[[], object], *, first: bool) -> threading.Event:
        """Have something made; the event is set once it was tried. ``first`` puts it before all others."""
        with self._lock:
            job = self._jobs.setdefault(key, _Job(make))
            if first:
                job.urgent = True
                self._jobs.move_to_end(key, last=False)
                self._changed.notify()
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="rentmark-background", daemon=True)
                self._worker.start()
            return job.done

    def give_way(self) -> None:
        """Somebody asks for a page: put off what nobody waits for."""
        self._asked_at = time.monotonic()

    def end(self, seconds: float) -> None:
        """Drop what was not begun, and wait so long for what was."""
        with self._changed:
            self._jobs.clear()
            worker = self._worker
            self._changed.notify()
        if worker is not None:
            worker.join(seconds)

    def quiet(self, seconds: float) -> bool:
        """Whether nobody has asked for a page for so long and nothing is being made."""
        return not self.busy and time.monotonic() - self._asked_at > seconds

    @property
    def busy(self) -> bool:
        """Whether something is being made."""
        return self._worker is not None

    def _next(self) -> tuple[Key, _Job] | None:
        """The job to do now, once its turn has come; None where there is none left."""
        begun = time.monotonic()
        with self._changed:
            while self._jobs:
                key, job = next(iter(self._jobs.items()))
                now = time.monotonic()
                quiet, patient = self._asked_at + QUIET_SECONDS - now, begun + PATIENT_SECONDS - now
                if job.urgent or quiet <= 0 or patient <= 0:
                    return key, job
                self._changed.wait(min(quiet, patient))
            self._worker = None
            self.rounds += 1
            return None

    def _work(self) -> None:
        while (found := self._next()) is not None:
            key, job = found
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
