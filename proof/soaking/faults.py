"""What goes wrong on which day: a plan that follows from a seed."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .market import Story

Step = Literal["collect", "build", "watch"]
Kind = Literal["kill", "full disk", "clock back", "clock forward", "twice", "restart"]
DISK_MB = 512


@dataclass(frozen=True)
class Fault:
    """One fault: at which step, and two draws, when (share of the usual time) and how much (0 to 1)."""

    kind: Kind
    step: Step
    when: float
    much: float


def plan(story: Story, seed: int, *, share: float, disk: bool, restarts: bool) -> dict[int, Fault]:
    """The faults by day: ``share`` of the days on which the market itself is quiet, every kind in turn.

    Kills come twice as often as each of the others. Full disks need ``disk``, a file system of our own;
    ``restarts`` a PostgreSQL server of our own.
    """
    steps: tuple[Step, ...] = ("collect", "build", "watch")
    kills: list[tuple[Kind, Step]] = [("kill", step) for step in steps]
    others: list[tuple[Kind, Step]] = [
        ("clock back", "build"),
        ("clock forward", "collect"),
        ("twice", "collect"),
        *(("full disk", step) for step in steps if disk),
        *(("restart", step) for step in steps if restarts),
    ]
    draws = random.Random(seed)  # noqa: S311 - chance here is no secret
    quiet = [day for day in range(1, story.days) if day not in story.told]
    chosen = sorted(draws.sample(quiet, round(share * len(quiet))))
    made: dict[int, Fault] = {}
    turn: list[tuple[Kind, Step]] = []
    for day in chosen:
        if not turn:
            turn = [*draws.sample(kills, 3), *draws.sample(kills + others, 3 + len(others))]
        kind, step = turn.pop()
        made[day] = Fault(kind, step, draws.uniform(0.02, 0.95), draws.random())
    return made


@contextmanager
def own_disk(place: Path) -> Iterator[bool]:
    """A file system in memory at ``place``; False where it can't be mounted, and then it is a plain folder."""
    place.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


@contextmanager
def full(place: Path, left_bytes: int) -> Iterator[None]:
    """Fill the file system but for so many bytes."""
    filler = place / "filler"
    block = b"\x00" * (1 << 20)
    size = 0
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                size += file.write(block)
        except OSError:
            file.truncate(max(0, size - left_bytes))
    try:
        yield
    finally:
        filler.unlink()
