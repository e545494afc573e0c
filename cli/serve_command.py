"""The dashboard: its server."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import HERE, JsonOption, WorkspaceOption, database_url
from .output import print_json, print_line

PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")]
HostOption = Annotated[
    str, typer.Option("--host", help="Address to listen on; the default is this machine alone.")
]


TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token", envvar="RENTMARK_TOKEN", help="What others must show to be answered.", show_envvar=True
    ),
]
UserHeaderOption = Annotated[
    str | None,
    typer.Option("--user-header", help="Header in which a reverse proxy on this machine names who asks."),
]


def serve(
    port: PortOption = 8050,
    host: HostOption = "127.0.0.1",
    token: TokenOption = None,
    user_header: UserHeaderOption = None,
    workspace: WorkspaceOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Serve the dashboard of a workspace until interrupted. It reads; nothing is published from a page."""
    import sys

    from ..dashboard import serve as serve_dashboard

    def tell(address: str) -> None:
        if as_json:
            print_json({"address": address, "workspace": str(workspace), "reads_only": True})
        else:
            print_line(f"Dashboard: {address}  (Ctrl-C ends it)")
        sys.stdout.flush()  # who started it waits for the address

    serve_dashboard(
        workspace,
        database_url=database_url(),
        host=host,
        port=port,
        token=token,
        user_header=user_header,
        tell=tell,
    )
