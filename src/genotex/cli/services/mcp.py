"""`genotex mcp`: the folder as tools for an assistant, by the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import screen
from genotex.cli.data.fetch_geo import GeoServers
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError

_MISSING = (
    "the server needs more packages: pip install 'genotex[mcp]' (missing: {name}); all other "
    "commands work without"
)


@with_options
def mcp(
    root: Annotated[
        Path,
        typer.Option(
            "--root",
            metavar="FOLDER",
            help="Folder with input, results, or both; nothing outside it is read or written.",
        ),
    ],
    write: Annotated[
        bool,
        typer.Option("--write", help="Allow fetch and solve to make files in the folder."),
    ] = False,
    *,
    servers: GeoServers,
) -> None:
    r"""Offer a folder to an assistant, by the Model Context Protocol.

    An assistant (a desktop application, an editor) starts this command and
    speaks with it on standard input and output. See docs/mcp.md for its
    configuration.

    Examples:
      genotex mcp --root .

      genotex mcp --root study --write
    """
    try:
        from genotex.mcp import run_server
    except ImportError as error:
        raise UsageError(_MISSING.format(name=error.name)) from error
    given = servers.eutils_address, servers.geo_files_address, servers.geo_address
    run_server(root, write=write, addresses=given)
    raise typer.Exit(screen.DONE)
