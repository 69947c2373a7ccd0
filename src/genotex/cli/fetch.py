"""`genotex fetch`: files of the public databases."""

from __future__ import annotations

import typer

from genotex.cli.fetch_benchmark import benchmark
from genotex.cli.fetch_genes import genes
from genotex.cli.fetch_geo import geo
from genotex.cli.fetch_opentargets import opentargets
from genotex.cli.fetch_tcga import tcga

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Fetch files of the public databases, checked, and go on where it stopped.",
)


@app.callback()
def _group() -> None:
    """Fetch files of the public databases, checked, and go on where it stopped."""


app.command()(geo)
app.command()(tcga)
app.command()(genes)
app.command()(opentargets)
app.command()(benchmark)
