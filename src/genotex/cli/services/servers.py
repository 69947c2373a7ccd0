"""`genotex serve` and `genotex mcp`: a folder in a browser, and as tools for an assistant."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import CYCLES, screen
from genotex.cli import options as o
from genotex.cli.data.fetch_geo import GeoServers
from genotex.cli.option_classes import Only, with_options
from genotex.errors import UsageError
from genotex.options import ANNOTATOR_FIELDS, Option, PreprocessChoices


@dataclass(frozen=True)
class _Listening:
    """Where the workbench listens, and who may sign in."""

    port: Annotated[int, Option("Port; 0 takes a free one.", least=0, most=65535)] = 0
    browser: Annotated[
        bool, Option("Open the workbench in a browser.", "--browser/--no-browser")
    ] = True
    host: Annotated[
        str, Option("Address to listen on; another than 127.0.0.1 needs a password.")
    ] = "127.0.0.1"
    password_file: Annotated[
        Path | None,
        Option(
            "File whose first line is the password of other machines; with --add-user, of that "
            "account."
        ),
    ] = None
    accounts: Annotated[
        bool,
        Option(
            "Sign people in by name and password, in the place of one-time codes.", "--accounts"
        ),
    ] = False
    add_user: Annotated[
        str | None,
        Option("Make this account or give it a new password, print that, and end.", metavar="NAME"),
    ] = None
    read_only: Annotated[
        bool, Option("With --add-user: it looks at everything, and changes nothing.", "--read-only")
    ] = False
    remove_user: Annotated[str | None, Option("Remove this account, and end.", metavar="NAME")] = (
        None
    )
    public_address: Annotated[
        str, Option("Address under which a reverse proxy passes requests on.", metavar="URL")
    ] = ""
    job_memory: Annotated[
        int | None,
        Option(
            "Memory of a job, which then computes on one thread.", least=1, most=1024, metavar="GIB"
        ),
    ] = None
    folder_limit: Annotated[
        int | None,
        Option(
            "Size of FOLDER from which the workbench adds nothing to it.",
            least=1, most=1 << 20, metavar="GIB",
        ),
    ] = None  # fmt: skip
    code: Annotated[
        bool,
        Option(
            "Print a new one-time code of the workbench that has FOLDER open, and end.", "--code"
        ),
    ] = False


@with_options
def serve(
    folder: Annotated[
        Path, o.argument("FOLDER", "Folder with input, results, or both; or an output folder.")
    ],
    at: _Listening,
    *,
    annotating: Annotated[PreprocessChoices, Only(*ANNOTATOR_FIELDS)],
    servers: GeoServers,
) -> None:
    r"""Open the workbench: samples, analyses and genes of a folder in a browser.

    It listens on this machine only, and signs in the browser that it opens. To
    sign in another one, open the printed address there and type the printed
    code, which works once; --code prints another. What is done in the browser
    can be continued on the command line, and the other way round.

    Examples:
      genotex serve .

      genotex serve results --port 8000 --no-browser

      genotex serve results --code

      genotex serve . --annotator both:ollama:llama3.3

      genotex serve . --add-user anna

      genotex serve . --accounts --public-address https://lab.example.org/genes/
    """
    from genotex.app.access.codes import new_code
    from genotex.app.access.serving import Doors
    from genotex.app.access.serving import serve as run

    password = "" if at.password_file is None else _first_line(at.password_file)
    if at.read_only or at.add_user is not None or at.remove_user is not None:
        _change_accounts(folder, at, password)
        raise typer.Exit(screen.DONE)
    if at.code:
        _print(*new_code(folder))
        raise typer.Exit(screen.DONE)
    gc.set_threshold(*CYCLES)
    run(
        folder,
        port=at.port,
        host=at.host,
        doors=Doors(password, at.accounts, at.public_address, at.job_memory, at.folder_limit),
        browser=at.browser,
        ready=_print,
        geo_addresses=servers.addresses,
        annotator=annotating,
    )
    raise typer.Exit(screen.DONE)


def _change_accounts(folder: Path, at: _Listening, password: str) -> None:
    """Remove an account, or make one and print the password that was made up for it."""
    from genotex.app.access.accounts import add_account, remove_account
    from genotex.studies import Workspace

    if at.read_only and at.add_user is None:
        msg = "--read-only is of an account: give --add-user NAME, too"
        raise UsageError(msg)
    root = Workspace(folder).root
    if at.remove_user is not None:
        remove_account(root, at.remove_user)
    if at.add_user is not None:
        made = add_account(root, at.add_user, password, reads=at.read_only)
        print(f"account {at.add_user}" + ("" if password else f", password {made}"))


def _print(address: str, code: str) -> None:
    """Print what is needed to sign in; the code stays out of the address, which others may see."""
    how = f"code: {code} (works once)" if code else "sign in by name and password"
    print(f"{address}\n{how}", flush=True)


def _first_line(path: Path) -> str:
    try:
        line = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: the password cannot be read: {error}"
        raise UsageError(msg) from error
    if not line:
        msg = f"{path}: its first line must be a password"
        raise UsageError(msg)
    return line


_MISSING = (
    "the server needs more packages: pip install 'genotex[mcp]' (missing: {name}); all other "
    "commands work without"
)


@with_options
def mcp(
    root: Annotated[
        Path,
        Option(
            "Folder with input, results, or both; nothing outside it is read or written.",
            metavar="FOLDER",
        ),
    ],
    write: Annotated[
        bool, Option("Allow fetch and solve to make files in the folder.", "--write")
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
    gc.set_threshold(*CYCLES)
    run_server(root, write=write, addresses=servers.addresses)
    raise typer.Exit(screen.DONE)
