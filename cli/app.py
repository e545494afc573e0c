"""The grammar of the command line in one place."""

from __future__ import annotations

import typer

from . import (
    account_commands,
    collect_commands,
    compare_command,
    contract_commands,
    cost_commands,
    curve_commands,
    data_commands,
    demo_command,
    governing_commands,
    grade_commands,
    hedge_group,
    index_commands,
    legs_commands,
    market_command,
    operator_commands,
    output_command,
    review_command,
    serve_command,
    verify_command,
    watch_command,
)

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
app.command()(collect_commands.collect)
app.command()(data_commands.feeds)
app.command()(data_commands.batches)
app.command()(data_commands.rejects)
app.command()(collect_commands.sellers)
app.command()(market_command.market)
app.add_typer(grade_commands.app, name="grade")
app.add_typer(index_commands.app, name="index")
index_commands.app.command()(compare_command.compare)
index_commands.app.command()(review_command.review)
index_commands.app.command()(verify_command.export)
index_commands.app.command()(verify_command.verify)
index_commands.app.command()(compare_command.presets)
for command in governing_commands.COMMANDS:
    index_commands.app.command()(command)
app.command()(contract_commands.contracts)
app.command()(contract_commands.settle)
app.command()(curve_commands.calendar)
app.add_typer(curve_commands.settlements, name="settlements")
app.command()(curve_commands.curve)
app.command()(curve_commands.simulate)
app.add_typer(account_commands.blotter, name="blotter")
app.command()(account_commands.positions)
app.command()(account_commands.pnl)
app.command()(account_commands.account)
app.command()(account_commands.margin)
app.command()(account_commands.lots)
app.add_typer(legs_commands.app, name="legs")
app.add_typer(hedge_group.app, name="hedge")
app.command()(watch_command.watch)
app.add_typer(operator_commands.app, name="operators")
app.command()(output_command.output)
app.add_typer(cost_commands.app, name="cost")
app.command()(serve_command.serve)
