"""Statistical analysis: the genes of every problem that the reference answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from genotex.bench.evaluation.gene_lists import GeneList, read_gene_list
from genotex.bench.evaluation.gene_metrics import GeneAgreement, Overlap, compare_genes
from genotex.bench.evaluation.predictions import read_or_why
from genotex.bench.evaluation.scores import AnalysisScore, MetricsVersion, Missing
from genotex.bench.evaluation.trait_prediction import trait_prediction
from genotex.bench.problems import Problem
from genotex.bench.problems.problem import ONE_STEP_CONDITIONS
from genotex.errors import FormatError
from genotex.formats import decode, read_bytes, read_linked_header
from genotex.layout import OutputFolder

__all__ = ["AnsweredTrait", "GeneSource", "read_universe", "score_answers"]

NOTHING = GeneAgreement(Overlap(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)
"""What a missing prediction scores, also where a figure would be undefined."""

ScoredAnswer = tuple[AnalysisScore, Missing | None]
"""The score of a problem, and why it has no answer that counts."""


@dataclass(frozen=True)
class GeneSource:
    """A file that names all genes: one symbol a line, or the header of a linked table."""

    kind: Literal["symbols", "linked table"]
    path: Path


@dataclass(frozen=True)
class AnsweredTrait:
    """The problems of one trait, with the genes that could have been found in each."""

    reference: Path
    problems: tuple[tuple[Problem, GeneSource | None], ...]
    metrics: MetricsVersion


def score_answers(
    predictions: Sequence[OutputFolder], work: AnsweredTrait
) -> list[list[ScoredAnswer]]:
    """Score the problems of one trait in each of several output folders.

    Each answer of the reference and each list of all genes is read once.

    Raises
    ------
    FormatError
        If an answer of the reference or a list of all genes cannot be read.
    """
    universes = {
        source: read_universe(source)
        for source in dict.fromkeys(source for _, source in work.problems)
        if source is not None
    }
    scored: list[list[ScoredAnswer]] = [[] for _ in predictions]
    for problem, source in work.problems:
        wanted = read_gene_list(_answer(OutputFolder(work.reference), problem))
        universe = None if source is None else universes[source]
        for folder, items in zip(predictions, scored, strict=True):
            path = _answer(folder, problem)
            items.append(_score(problem, path, wanted, universe, work.metrics))
    return scored


def _answer(folder: OutputFolder, problem: Problem) -> Path:
    return folder.significant_genes(problem.trait, problem.condition)


def _score(
    problem: Problem,
    path: Path,
    wanted: GeneList,
    universe: frozenset[str] | None,
    metrics: MetricsVersion,
) -> ScoredAnswer:
    found = read_or_why(path, read_gene_list)
    if isinstance(found, str):
        missing = Missing("analysis", str(problem), found)
        return _item(problem, None, wanted, NOTHING, metrics), missing
    agreement = compare_genes(found.genes, wanted.genes, universe, metrics)
    return _item(problem, found, wanted, agreement, metrics), None


def _item(
    problem: Problem,
    found: GeneList | None,
    wanted: GeneList,
    agreement: GeneAgreement,
    metrics: MetricsVersion,
) -> AnalysisScore:
    trait = trait_prediction(
        None if found is None else found.prediction, wanted.prediction, metrics
    )
    return AnalysisScore(
        trait=problem.trait,
        condition=problem.condition,
        kind=problem.kind,
        success=0.0 if found is None else 100.0,
        precision=agreement.overlap.precision,
        recall=agreement.overlap.recall,
        f1=agreement.overlap.f1,
        auroc=agreement.auroc,
        auprc=agreement.auprc,
        gsea_es=agreement.gsea_es,
        gsea_es_within=agreement.gsea_es_within,
        predicted=0 if found is None else len(set(found.genes)),
        reference=len(set(wanted.genes)),
        trait_kind=trait.kind,
        trait_accuracy=trait.accuracy,
        trait_f1=trait.f1,
        trait_r2=trait.r2,
    )


def read_universe(source: GeneSource) -> frozenset[str]:
    """Return all genes that could have been found.

    Raises
    ------
    FormatError
        If the file cannot be read or names no gene.
    """
    if source.kind == "symbols":
        names: Iterable[str] = map(str.strip, decode(read_bytes(source.path)).splitlines())
        genes = frozenset(names) - {""}
    else:
        _, *columns = read_linked_header(source.path)
        genes = frozenset(columns) - set(ONE_STEP_CONDITIONS)
    if not genes:
        msg = "names no gene"
        raise FormatError(msg, path=source.path, hint="one symbol a line is expected")
    return genes
