"""The `rentmark` command: parsing and printing only.

Owns the grammar of the command line. May import workspace and records, and dashboard inside
`serve`. Heavy rooms load inside the command that needs them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["main", "run"]

DEBUG_VARIABLE = "RENTMARK_DEBUG"
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 nothing done or refused, 2 wrong usage."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; an error is one plain line on stderr."""
    from typer.exceptions import Abort, Exit, TyperException
    from typer.main import get_command

    from ..records import RentmarkError
    from .app import app
    from .output import print_error

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
    except (BrokenPipeError, SystemExit):
        # The reader of our output went away (the parser turns that into an exit of its own): a complaint
        # about it would help nobody.
        return 0
    except (
        Exception
    ) as error:  # the last resort: a defect of ours is told in one line, not thrown at a person
        if os.environ.get(DEBUG_VARIABLE):
            raise
        print_error(
            f"Rentmark failed ({type(error).__name__}: {error}). This is a defect; "
            f"set {DEBUG_VARIABLE}=1 to see where, and report it."
        )
        return 1
    if code == INTERRUPTED:  # the parser turns an interrupt into this code and says nothing
        print_error("Stopped; what was committed stays, nothing half-done is kept.")
    return code if isinstance(code, int) else 0
