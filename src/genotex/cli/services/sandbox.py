"""`genotex sandbox check`: the isolation mechanisms that this machine has."""

from __future__ import annotations

from dataclasses import asdict

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options

app = typer.Typer(no_args_is_help=True, help="Isolated execution of generated code.")


@app.callback()
def _group() -> None:
    """Isolated execution of generated code."""


@app.command()
@with_options
def check(sandbox: o.SandboxMode = "best", as_json: o.Json = False) -> None:
    """Start a session as for generated code, and try to escape from it.

    Shows which attempts were blocked. Ends with 1 if one was not.

    Examples:
      genotex sandbox check

      genotex sandbox check --sandbox require --json
    """
    from genotex.agents.sandbox import SandboxPolicy, check_sandbox

    checked = check_sandbox(SandboxPolicy(sandbox))
    confinement = checked.confinement
    tried = [{**asdict(c), "protection": str(c.protection)} for c in checked.checks]
    if as_json:
        seconds = round(checked.start_seconds, 3)
        found = {"tried": tried, "held": checked.held, "start_seconds": seconds}
        screen.print_json({**confinement.to_dict(), **found})
    else:
        mechanisms = [asdict(m) for m in confinement.mechanisms]
        screen.table(("name", "active", "detail"), mechanisms)
        screen.show("")
        screen.table(("protection", "tried", "held", "answer"), tried)
        screen.show(f"\nready after {checked.start_seconds:.2f} s")
    if confinement.missing:
        names = ", ".join(confinement.missing)
        screen.notify(f"not protected from generated code: {names}", "warning")
    if not checked.held:
        raise typer.Exit(screen.NOTHING_USABLE)
