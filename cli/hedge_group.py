"""The hedge group: one rent judged, a programme run day by day, contracts and methods compared."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from . import hedge_command, hedge_compare_command, hedge_programme_command

REPORT = "report"
"""The command that `rentmark hedge RENT.csv` stands for."""


class RentOrCommand(TyperGroup):
    """A group whose first word may be a file: `rentmark hedge RENT.csv` is a report of it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put REPORT before words that begin with no command."""
        first = next((word for word in args if not word.startswith("-")), None)
        if first is not None and first not in self.commands:
            args = [REPORT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=RentOrCommand,
    subcommand_metavar="RENT.csv | COMMAND [ARGS]...",
    help="How much of your rent a hedge would have covered: `hedge RENT.csv --benchmark ID`.",
    no_args_is_help=True,
)
app.command(REPORT)(hedge_command.hedge)
app.command()(hedge_programme_command.programme)
app.command()(hedge_compare_command.compare)
