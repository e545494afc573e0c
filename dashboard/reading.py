"""Reading: every figure of a page comes through here, from the open workspace or from what was last read.

What is read is kept under the heads of the data, so that it is read again when something was committed and
only then. When the database falls silent the last values read are shown, and the frame says since when.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from ..records import RentmarkError
from ..workspace import (
    AsOf,
    Workspace,
    data_heads,
    forget_views,
    is_being_written,
    open_for_reading,
    view_made,
)
from .background import Background, Key
from .failing import failed_sentence

T = TypeVar("T")
KEPT_VALUES = 512
"""Answers kept at most; the least recently asked goes first."""
LARGE_KINDS = frozenset({"explanation"})
KEPT_LARGE = 24
"""Explanations kept at most: each holds every observation of its window."""
HEADS_ARE_FRESH = timedelta(seconds=1)
READING = "rentmark-reading"
"""Where the Flask server keeps its reading, among its extensions."""
RULES_FILE = "rentmark.toml"


@dataclass(frozen=True, slots=True)
class Standing:
    """What the frame says of the data: ``token`` changes when a page should be drawn again.

    ``silent`` is the sentence of a database or a rules file that can't be read; ``writing`` whether another
    command is writing now.
    """

    token: str
    silent: str | None
    writing: bool


@dataclass(frozen=True, slots=True)
class _Failed:
    """What stands for an answer that was refused or failed in the background."""

    sentence: str


@dataclass(slots=True)
class _Kept(Generic[T]):
    heads: str
    value: T
    read_at: datetime


class Reading:
    """One workspace, opened once, shared by the threads of the server."""

    def __init__(self, root: Path, *, database_url: str | None = None) -> None:
        self.root = root
        self._database_url = database_url
        self._lock = threading.RLock()
        self._workspace: Workspace | None = None
        self._rules_stamp: int | None = None
        self._heads = ""
        self._heads_at = datetime.min.replace(tzinfo=UTC)
        self._writing = False
        self._writing_at = self._heads_at
        self._silent_since: datetime | None = None
        self._silent_sentence = ""
        self._last_good: datetime | None = None
        self._kept: OrderedDict[Key, _Kept[Any]] = OrderedDict()
        self._making: dict[Key, threading.Lock] = {}
        self._background = Background()
        self._waiting = threading.local()

    def workspace(self) -> Workspace:
        """The open workspace, opened again after its rules changed. Raises RentmarkError with the remedy."""
        with self._lock:
            stamp = self._rules_changed_at()
            if self._workspace is None or stamp != self._rules_stamp:
                opened = open_for_reading(self.root, database_url=self._database_url)
                if self._workspace is not None:
                    self._workspace.store.close()
                self._workspace, self._rules_stamp = opened, stamp
                self._heads_at = datetime.min.replace(tzinfo=UTC)
            return self._workspace

    def close(self, seconds: float) -> None:
        """End the background, given so long, and close the workspace."""
        self._background.end(seconds)
        with self._lock:
            opened, self._workspace = self._workspace, None
        if opened is not None:
            opened.store.close()

    def heads(self) -> str:
        """A text that changes when data or rules changed. Raises RentmarkError where they can't be read."""
        with self._lock:
            now = self.clock()
            if self._heads and now - self._heads_at < HEADS_ARE_FRESH and self._silent_since is None:
                return self._heads
            try:
                workspace = self.workspace()
                heads = f"{self._rules_stamp}/{data_heads(workspace)}"
            except RentmarkError as error:
                self._silent_since = self._silent_since or now
                self._silent_sentence = error.sentence
                raise
            if heads != self._heads:
                forget_views(workspace)
            self._heads, self._heads_at, self._last_good = heads, now, now
            self._silent_since = None
            return heads

    def data_token(self) -> str:
        """The heads, or the last ones where they can't be read: what a drawn page is of."""
        try:
            return self.heads()
        except RentmarkError:
            return self._heads

    def kept(self, kind: str, *key: Hashable, make: Callable[[Workspace], T]) -> T:
        """An answer, made once for each state of the data; the last one where the data can't be read now.

        Raises RentmarkError where it can't be made and never was.
        """
        whole: Key = (kind, *key)
        try:
            heads = self.heads()
        except RentmarkError:
            old = self._found(whole)
            if old is None:
                raise
            return cast("T", old.value)
        with self._lock:
            found = self._found(whole)
            if found is not None and found.heads == heads:
                self._kept.move_to_end(whole)
                return cast("T", found.value)
            making = self._making.setdefault(whole, threading.Lock())
        with making:
            found = self._found(whole)
            if found is not None and found.heads == heads:
                return cast("T", found.value)
            try:
                value = make(self.workspace())
                self._is_still_there()
            except RentmarkError:
                if found is None or not self._is_silent():
                    raise
                return cast("T", found.value)
            finally:
                with self._lock:
                    self._making.pop(whole, None)
            self._keep(whole, heads, value)
            return value

    def kept_soon(
        self, kind: str, *key: Hashable, make: Callable[[Workspace], T], patience: float = 0.0
    ) -> T | None:
        """The answer where it is known, or is made within ``patience`` seconds of the page; else the last one, or None.

        It is then made in the background, and the page that asked is drawn again once it is there. Raises
        RentmarkError with the sentence of what was refused, or failed, in the background.
        """
        whole: Key = (kind, *key)
        heads = self.data_token()
        found = self._kept.get(whole)
        if found is None or found.heads != heads:
            done = self._background.ask(whole, lambda: self._try(whole, make), first=patience > 0)
            if patience:
                done.wait(max(0.0, patience - self._page_seconds()))
                found = self._kept.get(whole)
            if found is None or found.heads != heads:
                self.wait()
        if found is not None and isinstance(found.value, _Failed):
            raise RentmarkError(found.value.sentence)
        return None if found is None else cast("T", found.value)

    def wait(self) -> None:
        """Say that the page drawn by this thread lacks something that is being made."""
        self._waiting.pages = True

    def forget_waiting(self) -> None:
        """Begin a page: nothing it asked for is being waited for yet."""
        self._waiting.pages = False
        self._waiting.begun = time.monotonic()

    def _page_seconds(self) -> float:
        """Seconds since this thread began its page; 0 where it draws none."""
        begun: float | None = getattr(self._waiting, "begun", None)
        return 0.0 if begun is None else time.monotonic() - begun

    def page_asked(self) -> None:
        """Say that somebody waits for an answer now: the background lets it go first."""
        self._background.give_way()

    def is_waiting(self) -> bool:
        """Whether the page drawn by this thread waits for something from the background."""
        return bool(getattr(self._waiting, "pages", False))

    def is_quiet(self, seconds: float) -> bool:
        """Whether nobody has asked for a page for so long, and nothing is being made."""
        return self._background.quiet(seconds)

    def is_busy(self) -> bool:
        """Whether the background is making something."""
        return self._background.busy

    def standing(self) -> Standing:
        """What the frame says now; asked by every open page every few seconds."""
        try:
            heads = self.heads()
        except RentmarkError:
            return Standing(f"{self._heads}|{self._background.rounds}|silent", self._silence(), writing=False)
        return Standing(f"{heads}|{self._background.rounds}", None, self._is_being_written())

    def view_made(self, name: str, as_of: AsOf | None) -> None:
        """Make a view of the past that nobody built, once for each state of the data."""
        if as_of is not None:
            self.kept("view", name, as_of.view, make=lambda workspace: _made(workspace, name, as_of))

    def view_ready(self, name: str, as_of: AsOf | None, *, patience: float = 0.0) -> bool:
        """Whether a view of the past is there; where not, it is made in the background. Raises as ``kept_soon``."""
        if as_of is None:
            return True
        self.kept_soon(
            "view", name, as_of.view, make=lambda workspace: _made(workspace, name, as_of), patience=patience
        )
        found = self._found(("view", name, as_of.view))
        return found is not None and found.heads == self._heads  # an older one was forgotten with its data

    def background_rounds(self) -> int:
        """How often the background has finished its work: part of the key of what waits for it."""
        return self._background.rounds

    def is_simulated(self) -> bool:
        """Whether the workspace is a simulated market; False where it can't be opened."""
        try:
            return self.workspace().store.simulated
        except RentmarkError:
            return False

    @staticmethod
    def clock() -> datetime:
        """The machine's instant in UTC: when something was read."""
        return datetime.now(UTC)

    def _is_being_written(self) -> bool:
        """Asked at most once a second, however many pages are open: the question takes the lock for an instant."""
        with self._lock:
            now = self.clock()
            if now - self._writing_at >= HEADS_ARE_FRESH:
                self._writing_at = now
                try:
                    self._writing = is_being_written(self.workspace())
                except RentmarkError:
                    self._writing = False
            return self._writing

    def _is_still_there(self) -> None:
        """Ask the heads again: what was made while the database went away is not kept."""
        with self._lock:
            self._heads_at = datetime.min.replace(tzinfo=UTC)
        self.heads()

    def _is_silent(self) -> bool:
        try:
            self._is_still_there()
        except RentmarkError:
            return True
        return False

    def _silence(self) -> str:
        since = self._silent_since or self.clock()
        if self._last_good is None:
            return self._silent_sentence
        return (
            f"Database silent since {since:%H:%M} UTC. Showing {self._last_good:%H:%M}; retrying."
            if self._rules_changed_at() == self._rules_stamp
            else f"{self._silent_sentence} Showing {self._last_good:%H:%M} UTC; retrying."
        )

    def _keep(self, whole: Key, heads: str, value: object) -> None:
        with self._lock:
            self._kept[whole] = _Kept(heads, value, self.clock())
            self._kept.move_to_end(whole)
            if whole[0] in LARGE_KINDS:
                same = [key for key in self._kept if key[0] == whole[0]]
                for key in same[:-KEPT_LARGE]:
                    del self._kept[key]
            while len(self._kept) > KEPT_VALUES:
                self._kept.popitem(last=False)

    def _found(self, whole: Key) -> _Kept[Any] | None:
        """What is kept under a key, if it was made."""
        found = self._kept.get(whole)
        return None if found is None or isinstance(found.value, _Failed) else found

    def _try(self, whole: Key, make: Callable[[Workspace], object]) -> None:
        """Make an answer in the background, or keep why it can't be made of the data as they are."""
        heads = self.heads()
        try:
            self.kept(str(whole[0]), *whole[1:], make=make)
        except RentmarkError as error:
            if not self._is_silent():
                self._keep(whole, heads, _Failed(error.sentence))
        except Exception as error:  # noqa: BLE001 – one answer fails, the others are made
            self._keep(whole, heads, _Failed(failed_sentence(error)))

    def _rules_changed_at(self) -> int | None:
        try:
            return (self.root / RULES_FILE).stat().st_mtime_ns
        except OSError:
            return None


def _made(workspace: Workspace, name: str, as_of: AsOf) -> bool:
    view_made(workspace, name, as_of)
    return True
