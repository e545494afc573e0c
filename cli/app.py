"""The grammar of the command line in one place."""

from __future__ import annotations

import typer

from . import contract_commands, data_commands, demo_command, hedge_command, index_commands

app = typer.Typer(
    name="rentmark",
    help="Compute rental benchmarks, cash-settled compute futures and hedge basis risk.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo_command.demo)
app.command()(data_commands.init)
app.command()(data_commands.ingest)
app.command()(data_commands.feeds)
app.command()(data_commands.batches)
app.command()(data_commands.rejects)
app.command()(data_commands.grade)
app.add_typer(index_commands.app, name="index")
app.command()(contract_commands.contracts)
app.command()(contract_commands.settle)
app.command()(hedge_command.hedge)
