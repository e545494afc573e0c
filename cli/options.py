"""Options every command shares, and how a workspace is found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..workspace import Workspace

WorkspaceOption = Annotated[
    Path,
    typer.Option(
        "--workspace", "-w", envvar="RENTMARK_WORKSPACE", help="Workspace folder.", show_default="."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON with documented keys.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", help="What was known at this instant or date (UTC).")
]
ReconstructedOption = Annotated[
    bool,
    typer.Option(
        "--reconstructed", help="With --as-of: by when the source made it public, from today's archive."
    ),
]
BenchmarkArgument = Annotated[str, typer.Argument(help="Benchmark of rentmark.toml.")]
HERE = Path()


def database_url() -> str | None:
    """The database of tape and ledger when it is not the workspace's own SQLite file."""
    return os.environ.get("RENTMARK_DATABASE_URL") or None


def open_workspace(root: Path) -> Workspace:
    """Open the workspace at ``root``."""
    from ..workspace import Workspace

    return Workspace.open(root, database_url=database_url())
