"""The tree of commands. A command's module is imported when it is called or listed."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

import genotex

_DATA, _GENES, _AGENTS = "Data", "Genes of a trait", "Agents"
_BENCHMARK, _TRYING = "The benchmark", "Trying it out"


@dataclass(frozen=True)
class _Command:
    """A command, or a group of commands: where the help lists it and which module holds it."""

    panel: str
    module: str
    """In `genotex.cli`; holds a Typer named ``app``, or a function named like the command."""
    earlier: dict[str, str] = field(default_factory=dict)
    """Names that its options had, and their names now."""
    kind: str | None = None
    """Name of the command's class in the module, where it needs its own."""


# Earlier names: --model for --test, before there were language models, and --out for --output.
_TESTS, _OUTPUT = {"model": "test"}, {"out": "output"}

COMMANDS = {
    "find": _Command(_DATA, "data.find"),
    "fetch": _Command(_DATA, "data.fetch"),
    "verify": _Command(_DATA, "data.verify"),
    "describe": _Command(_DATA, "data.describe"),
    "audit": _Command(_GENES, "genes.audit"),
    "solve": _Command(_GENES, "genes.solve", _TESTS),
    "de": _Command(_GENES, "genes.de"),
    "preprocess": _Command(_GENES, "data.preprocess"),
    "clinical": _Command(_GENES, "data.clinical"),
    "analyze": _Command(_GENES, "genes.analyze", _TESTS),
    "report": _Command(_GENES, "genes.analysed"),
    "enrich": _Command(_GENES, "genes.analysed"),
    "serve": _Command(_GENES, "services.servers"),
    "atlas": _Command(_GENES, "genes.atlas"),
    "mcp": _Command(_GENES, "services.servers"),
    "agent": _Command(_AGENTS, "services.agent"),
    "sandbox": _Command(_AGENTS, "services.sandbox"),
    "problems": _Command(_BENCHMARK, "benchmark.problems"),
    "bench": _Command(_BENCHMARK, "benchmark.bench"),
    "evaluate": _Command(_BENCHMARK, "benchmark.evaluate", _OUTPUT, kind="EvaluateCommand"),
    "compare": _Command(_BENCHMARK, "benchmark.compare"),
    "evaluate-labels": _Command(_BENCHMARK, "benchmark.labels", _OUTPUT),
    "apply-labels": _Command(_BENCHMARK, "benchmark.labels"),
    "demo": _Command(_TRYING, "data.simulate"),
    "simulate": _Command(_TRYING, "data.simulate"),
}
"""In the order of the help."""


class _Commands(TyperGroup):
    """Commands and groups of commands mixed, in the order of `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names; nothing is imported."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, imported the first time."""
        # For an unknown name, Typer suggests similar ones among the commands that it has.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load(name, COMMANDS[name])
        return super().get_command(ctx, cmd_name)


def _load(name: str, command: _Command) -> Any:
    module = import_module(f"genotex.cli.{command.module}")
    around = typer.Typer()
    if hasattr(module, "app"):
        around.add_typer(module.app, name=name, rich_help_panel=command.panel)
    else:
        names = command.earlier
        around.command(
            name,
            cls=getattr(module, command.kind) if command.kind else None,
            context_settings={"token_normalize_func": lambda given: names.get(given, given)},
            rich_help_panel=command.panel,
        )(getattr(module, name.replace("-", "_")))
    return typer.main.get_group(around).commands[name]


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Raw GEO and TCGA files in, trustworthy trait-associated genes out.",
    epilog="Start with: genotex demo",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"genotex {genotex.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Raw GEO and TCGA files in, trustworthy trait-associated genes out."""
