"""`genotex problems build`: a list of problems from its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.output_file import check_other_file, check_output_file
from genotex.cli.problems_json import built_json
from genotex.cli.problems_screen import show_built
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.bench.problems import ListedTrait, RelatedGenes, TraitInfo, TraitList

__all__ = ["build"]

COMPARED_AT = (0.05, 0.1, 0.15, 0.2)
"""Thresholds that are tried beside the one asked for, to show how much it matters."""

FRACTION = "<float range> [0<=x<=1]"


def _fraction(value: float) -> float:
    """Refuse what is no fraction; nan is neither below 0 nor above 1."""
    if not 0 <= value <= 1:
        msg = f"{value:g} is no fraction; use a number from 0 to 1"
        raise typer.BadParameter(msg)
    return value


def build(
    associations: Annotated[
        Path | None,
        typer.Option(
            "--associations",
            help="Open Targets' associationByOverallDirect: a folder or file, JSON lines or "
            "Parquet.",
        ),
    ] = None,
    disease_ids: Annotated[
        Path | None,
        typer.Option(
            "--disease-ids",
            help="Which disease ids stand for a trait: lines of trait, tab, id, or JSON or TOML.",
        ),
    ] = None,
    genes_from: Annotated[
        Path | None,
        typer.Option(
            "--genes-from",
            help="Take the related genes of this task_info.json, and compare with its pairs.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The task_info.json to write.")
    ] = None,
    traits: o.TraitListFile = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            metavar=FRACTION,
            callback=_fraction,
            help="Least Jaccard similarity of a pair that no rule decides.",
        ),
    ] = 0.1,
    score: Annotated[
        float,
        typer.Option(
            "--score",
            metavar=FRACTION,
            callback=_fraction,
            help="Related genes have a higher association score.",
        ),
    ] = 0.2,
    gene_table: o.GeneTableFile = None,
    json: o.Json = False,
) -> None:
    r"""Build a task list: related genes, then pairs of trait and condition.

    The rules are those of the benchmark's paper. Without -o nothing is
    written, only told.

    Examples:
      genotex problems build --associations associations \
          --disease-ids ids.tsv -o task_info.json

      genotex problems build --genes-from task_info.json

      genotex problems build --genes-from task_info.json \
          --threshold 0.2 -o fewer.json
    """
    from genotex.bench.problems import (
        GeneOverlap,
        TraitList,
        build_conditions,
        compare_pairs,
        write_task_info,
    )

    if output is not None:
        check_output_file(output)
    known = TraitList.load(traits)
    if genes_from is not None and associations is None and disease_ids is None:
        sources = _from_list(genes_from, known, output)
    elif associations is not None and genes_from is None:
        sources = _from_associations(associations, disease_ids, known, score, gene_table)
    else:
        msg = "give --associations with --disease-ids, or --genes-from alone"
        raise UsageError(msg)
    overlap = GeneOverlap(sources.genes)
    built = build_conditions(sources.traits, sources.genes, overlap, threshold)
    compared = [
        compare_pairs(sources.traits, sources.published, overlap, at)
        for at in sorted({threshold, *COMPARED_AT})
        if sources.published is not None
    ]
    if output is not None:
        write_task_info(output, built)
    if json:
        screen.print_json(built_json(built, threshold, sources.related, compared))
    else:
        show_built(built, threshold, sources.related, compared)
    if output is not None:
        screen.tell(f"saved: {output}")


@dataclass(frozen=True)
class _Sources:
    """What a set is built from: traits, their genes, and where these come from."""

    traits: Sequence[ListedTrait]
    genes: Mapping[str, Sequence[str]]
    related: RelatedGenes | None = None
    published: Mapping[str, TraitInfo] | None = None


def _from_list(path: Path, known: TraitList, output: Path | None) -> _Sources:
    """Take traits and genes of a task list that is there."""
    from genotex.bench.problems import TaskInfo

    if output is not None:
        check_other_file(output, path, "published list; write the built one")
    published = TaskInfo.load(path).traits
    genes = {trait: info.related_genes for trait, info in published.items()}
    return _Sources(known.among(published), genes, published=published)


def _from_associations(
    path: Path, disease_ids: Path | None, known: TraitList, score: float, gene_table: Path | None
) -> _Sources:
    """Find the related genes of all listed traits."""
    from genotex.bench.problems import find_related_genes, read_disease_ids
    from genotex.bench.problems.associations import read_associations
    from genotex.genes import GeneTable

    given = {} if disease_ids is None else read_disease_ids(disease_ids)
    known.among(given)
    traits = tuple(known.traits.values())
    diseases = {trait.name: given.get(trait.name, trait.diseases) for trait in traits}
    wanted = {disease for ids in diseases.values() for disease in ids}
    if not wanted:
        msg = "no trait has a disease id; give them with --disease-ids"
        raise UsageError(msg)
    with screen.progress("reading associations") as step:
        found = read_associations(path, wanted, score, progress=step)
    if found.repeated:
        screen.tell(
            f"{found.repeated:,} associations stand there more than once, the highest score "
            "counts; is this the data set of overall scores?",
            "warning",
        )
    related = find_related_genes(diseases, found, GeneTable.load(gene_table))
    return _Sources(traits, related.genes, related)
