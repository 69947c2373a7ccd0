"""The tree of commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import genotex
from genotex.cli.agent import app as agent
from genotex.cli.analyze import analyze
from genotex.cli.bench import app as bench
from genotex.cli.clinical import app as clinical
from genotex.cli.compare import compare
from genotex.cli.demo import demo
from genotex.cli.describe import describe
from genotex.cli.enrich import enrich
from genotex.cli.evaluate import EvaluateCommand, evaluate
from genotex.cli.fetch import app as fetch
from genotex.cli.labels import apply_labels, evaluate_labels
from genotex.cli.preprocess import preprocess
from genotex.cli.problems import app as problems
from genotex.cli.report import report
from genotex.cli.sandbox import app as sandbox
from genotex.cli.simulate import simulate
from genotex.cli.solve import solve
from genotex.cli.verify import verify

__all__ = ["ORDER", "app"]

ORDER = (
    *("fetch", "verify", "describe"),
    *("solve", "preprocess", "clinical", "analyze", "report", "enrich"),
    *("agent", "sandbox"),
    *("problems", "bench", "evaluate", "compare", "evaluate-labels", "apply-labels"),
    *("demo", "simulate"),
)
"""The order in the help, a line for each panel."""


class _InOrderOfUse(TyperGroup):
    """Commands and groups of commands mixed; Typer lists all groups last."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names by `ORDER`; one that is not in it comes last."""
        places = {name: place for place, name in enumerate(ORDER)}
        return sorted(self.commands, key=lambda name: places.get(name, len(ORDER)))


def _also_called(**names: str) -> dict[str, Any]:
    """Return settings of a command whose options (``out``) also have other names (``output``)."""
    return {"token_normalize_func": lambda name: names.get(name, name)}


app = typer.Typer(
    cls=_InOrderOfUse,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Raw GEO and TCGA files in, trustworthy trait-associated genes out.",
    epilog="Start with: genotex demo",
)

_DATA, _GENES, _AGENTS = "Data", "Genes of a trait", "Agents"
_BENCHMARK, _TRYING = "The benchmark", "Trying it out"

# Earlier names: --model for --test, before there were language models, and --out for --output.
_TESTS, _OUTPUT = _also_called(model="test"), _also_called(out="output")

app.command(rich_help_panel=_GENES, context_settings=_TESTS)(solve)
app.command(rich_help_panel=_GENES)(preprocess)
app.command(rich_help_panel=_GENES, context_settings=_TESTS)(analyze)
app.command(rich_help_panel=_GENES)(enrich)
app.command(rich_help_panel=_GENES)(report)
app.add_typer(clinical, name="clinical", rich_help_panel=_GENES)
app.add_typer(fetch, name="fetch", rich_help_panel=_DATA)
app.command(rich_help_panel=_DATA)(verify)
app.command(rich_help_panel=_DATA)(describe)
app.add_typer(agent, name="agent", rich_help_panel=_AGENTS)
app.add_typer(sandbox, name="sandbox", rich_help_panel=_AGENTS)
app.add_typer(problems, name="problems", rich_help_panel=_BENCHMARK)
app.add_typer(bench, name="bench", rich_help_panel=_BENCHMARK)
app.command(cls=EvaluateCommand, rich_help_panel=_BENCHMARK, context_settings=_OUTPUT)(evaluate)
app.command(rich_help_panel=_BENCHMARK)(compare)
app.command(rich_help_panel=_BENCHMARK, context_settings=_OUTPUT)(evaluate_labels)
app.command(rich_help_panel=_BENCHMARK)(apply_labels)
app.command(rich_help_panel=_TRYING)(demo)
app.command(rich_help_panel=_TRYING)(simulate)


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
