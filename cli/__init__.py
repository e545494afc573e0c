"""The `rentmark` command: parsing and printing only.

Owns the grammar of the command line. May import workspace and records, and dashboard inside
`serve`. Heavy rooms load inside the command that needs them.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from collections.abc import Sequence

__all__ = ["main", "run"]

DEBUG_VARIABLE = "RENTMARK_DEBUG"
INTERRUPTED = 130
SELDOM = (100_000, 50, 100)
"""How seldom a command looks for garbage in cycles, which it makes little of: 5 to 12 % less work in a demo of 250
days, and the same memory. A server that lives for months looks as often as Python would."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 nothing done or refused, 2 wrong usage."""
    gc.set_threshold(*SELDOM)
    code = run(arguments)
    try:
        lost = _reader_is_gone()
    except OSError as error:  # what we printed last can't be written, as on a full disk
        from .output import print_error

        print_error(f"The output can't be written ({error.strerror}); free space or print to another place.")
        lost, code = True, 1
    if lost:  # else the interpreter complains of it when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _output() -> tuple[int, int] | None:
    """Which file of the system our output goes to; None where there is none, as in a test."""
    try:
        held = os.fstat(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return held.st_dev, held.st_ino


def _reader_is_gone() -> bool:
    """Whether nobody reads what we print any more: the other end of a pipe or a socket was closed."""
    if _output() is None:
        return False
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return True
    poller = select.poll()
    poller.register(sys.stdout.fileno(), 0)  # asked for nothing: what is told is an end or an error
    return bool(poller.poll(0))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error is one plain line on stderr."""
    from typer.exceptions import Abort, Exit, TyperException
    from typer.main import get_command

    from ..records import RentmarkError
    from .app import app
    from .output import print_error

    printed_to = _output()
    try:
        code = get_command(app).main(
            args=None if arguments is None else list(arguments), prog_name="rentmark", standalone_mode=False
        )
    except RentmarkError as error:
        print_error(error.sentence)
        return error.exit_code
    except TyperException as error:
        message = error.format_message().rstrip(".")
        if message:  # a bare `rentmark` has printed its help already
            print_error(f"{message}. See `rentmark --help`.")
        return int(error.exit_code)
    except Exit as stop:
        code = stop.exit_code
    except (Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except (
        Exception,
        SystemExit,
    ) as error:  # the last resort: a defect of ours is told in one line, not thrown at a person
        # The parser turns any broken pipe into an exit of its own, also one that is none of our output.
        cause = error.__context__ if isinstance(error, SystemExit) else error
        if isinstance(cause, BrokenPipeError) and (_output() != printed_to or _reader_is_gone()):
            return (
                0  # whoever read our output went away, and rich may have put /dev/null in its place: no fault
            )
        if os.environ.get(DEBUG_VARIABLE):
            raise
        said = error if cause is None else cause
        from ..workspace import machine_trouble

        refused = machine_trouble(said)
        if refused is not None:
            print_error(refused.sentence)
            return refused.exit_code
        print_error(
            f"Rentmark failed ({type(said).__name__}: {said}). This is a defect; "
            f"set {DEBUG_VARIABLE}=1 to see where, and report it."
        )
        return 1
    if code == INTERRUPTED:  # the parser turns an interrupt into this code and says nothing
        print_error("Stopped; what was committed stays, nothing half-done is kept.")
    return code if isinstance(code, int) else 0
