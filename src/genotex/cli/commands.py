"""The tree of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import genotex
from genotex.cli.analyze import analyze
from genotex.cli.bench import app as bench
from genotex.cli.clinical import app as clinical
from genotex.cli.compare import compare
from genotex.cli.demo import demo
from genotex.cli.enrich import enrich
from genotex.cli.evaluate import EvaluateCommand, evaluate
from genotex.cli.preprocess import preprocess
from genotex.cli.report import report
from genotex.cli.simulate import simulate
from genotex.cli.solve import solve

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Raw GEO and TCGA files in, trustworthy trait-associated genes out.",
    epilog="Start with: genotex demo",
)
app.command()(solve)
app.command()(preprocess)
app.command()(analyze)
app.command()(enrich)
app.command()(report)
app.add_typer(clinical, name="clinical")
app.add_typer(bench, name="bench")
app.command(cls=EvaluateCommand)(evaluate)
app.command()(compare)
app.command()(simulate)
app.command()(demo)


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
