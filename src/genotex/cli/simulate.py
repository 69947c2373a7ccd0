"""`genotex simulate`: a study in true GEO format whose answer is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen

__all__ = ["Samples", "Seed", "simulate"]

Seed = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same study.")]
Samples = Annotated[int, typer.Option("--samples", help="Samples of the largest cohort.")]


def simulate(
    folder: Annotated[Path, typer.Argument(help="Folder for the study; new or empty.")],
    seed: Seed = 1,
    samples: Samples = 80,
    genes: Annotated[int, typer.Option("--genes", help="Number of genes.")] = 4000,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier simulated study.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Write a simulated study in true GEO and TCGA format, with planted genes.

    It holds two cohorts of one trait on different platforms, a cohort of a condition, a TCGA-like
    study, cohorts that must be rejected and one with shifted characteristics; truth.json tells
    what was planted.

    Examples:
      genotex simulate study

      genotex solve study results --trait "Simulated Arthritis"
    """
    from genotex.simulate import simulate_study

    with screen.progress("simulating") as step:
        study = simulate_study(
            folder,
            seed=seed,
            samples=samples,
            genes=genes,
            overwrite=overwrite,
            progress=lambda what: step(what, 8),
        )
    truth = study.truth
    if json:
        screen.print_json({"folder": str(folder), "trait": truth.trait, "seed": seed})
        return
    planted = len(truth.planted[truth.trait])
    screen.say(
        f"{folder}: {len(truth.cohorts)} cohorts; {planted} genes planted for {truth.trait}\n"
        f"next: genotex solve {folder} results --trait {truth.trait}"
    )
