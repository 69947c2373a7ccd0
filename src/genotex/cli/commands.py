"""The tree of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import genotex
from genotex.cli.agent import app as agent
from genotex.cli.analyze import analyze
from genotex.cli.apply_labels import apply_labels
from genotex.cli.bench import app as bench
from genotex.cli.clinical import app as clinical
from genotex.cli.compare import compare
from genotex.cli.demo import demo
from genotex.cli.describe import describe
from genotex.cli.enrich import enrich
from genotex.cli.evaluate import EvaluateCommand, evaluate
from genotex.cli.evaluate_labels import evaluate_labels
from genotex.cli.fetch import app as fetch
from genotex.cli.order import InOrderOfUse, also_called
from genotex.cli.preprocess import preprocess
from genotex.cli.problems import app as problems
from genotex.cli.report import report
from genotex.cli.sandbox import app as sandbox
from genotex.cli.simulate import simulate
from genotex.cli.solve import solve
from genotex.cli.verify import verify

__all__ = ["app"]

app = typer.Typer(
    cls=InOrderOfUse,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Raw GEO and TCGA files in, trustworthy trait-associated genes out.",
    epilog="Start with: genotex demo",
)

DATA, GENES, AGENTS = "Data", "Genes of a trait", "Agents"
BENCHMARK, TRYING = "The benchmark", "Trying it out"

# The tests were called models, which a language model is now; --out is what one command called -o.
TESTS, OUTPUT = also_called(model="test"), also_called(out="output")

app.command(rich_help_panel=GENES, context_settings=TESTS)(solve)
app.command(rich_help_panel=GENES)(preprocess)
app.command(rich_help_panel=GENES, context_settings=TESTS)(analyze)
app.command(rich_help_panel=GENES)(enrich)
app.command(rich_help_panel=GENES)(report)
app.add_typer(clinical, name="clinical", rich_help_panel=GENES)
app.add_typer(fetch, name="fetch", rich_help_panel=DATA)
app.command(rich_help_panel=DATA)(verify)
app.command(rich_help_panel=DATA)(describe)
app.add_typer(agent, name="agent", rich_help_panel=AGENTS)
app.add_typer(sandbox, name="sandbox", rich_help_panel=AGENTS)
app.add_typer(problems, name="problems", rich_help_panel=BENCHMARK)
app.add_typer(bench, name="bench", rich_help_panel=BENCHMARK)
app.command(cls=EvaluateCommand, rich_help_panel=BENCHMARK, context_settings=OUTPUT)(evaluate)
app.command(rich_help_panel=BENCHMARK)(compare)
app.command(rich_help_panel=BENCHMARK, context_settings=OUTPUT)(evaluate_labels)
app.command(rich_help_panel=BENCHMARK)(apply_labels)
app.command(rich_help_panel=TRYING)(demo)
app.command(rich_help_panel=TRYING)(simulate)


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
