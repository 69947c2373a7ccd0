"""Scores of statistical analysis: the genes of every problem that the reference answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from genotex.bench.evaluation.folder_items import read_or_why
from genotex.bench.evaluation.gene_metrics import GeneAgreement, Overlap, compare_genes
from genotex.bench.evaluation.scores import AnalysisScore, MetricsVersion, Missing
from genotex.bench.problems import Problem
from genotex.bench.problems.problem import ONE_STEP_CONDITIONS
from genotex.errors import FormatError
from genotex.formats import read_json_object, read_linked_header
from genotex.formats.raw import decode, read_bytes
from genotex.layout import OutputFolder

__all__ = [
    "AnsweredTrait",
    "GeneList",
    "GeneSource",
    "TraitKind",
    "TraitPrediction",
    "read_gene_list",
    "read_universe",
    "score_answers",
    "trait_kind",
    "trait_prediction",
]

_EXPECTED = 'the benchmark writes {"significant_genes": {"Variable": ["TP53", ...]}}'


@dataclass(frozen=True)
class GeneList:
    """One answer.

    Attributes
    ----------
    genes : tuple of str
        Symbols in the order of the file, the most important first.
    prediction : mapping of str to float
        ``cv_performance.prediction``, its finite numbers only; empty where it is missing.
    """

    genes: tuple[str, ...]
    prediction: Mapping[str, float]


def read_gene_list(path: Path) -> GeneList:
    """Read ``significant_genes_condition_<C>.json``, of any release and any tool.

    Only ``significant_genes.Variable`` is needed.

    Raises
    ------
    FormatError
        If that is not a list of symbols, or the file not a JSON object.
    """
    content = read_json_object(path, _EXPECTED)
    found = content.get("significant_genes")
    names = found.get("Variable") if isinstance(found, dict) else None
    place = "significant_genes.Variable"
    if not isinstance(names, list):
        msg = f"expected a list of symbols, found {_kind(names)}"
        raise FormatError(msg, path=path, field=place, hint=_EXPECTED)
    for name in names:
        if not isinstance(name, str):
            msg = f"expected symbols only, found {_kind(name)}"
            raise FormatError(msg, path=path, field=place, hint=_EXPECTED)
    return GeneList(tuple(names), _numbers(content.get("cv_performance")))


def _numbers(performance: object) -> dict[str, float]:
    prediction = performance.get("prediction") if isinstance(performance, dict) else None
    if not isinstance(prediction, dict):
        return {}
    return {
        str(name): float(value)
        for name, value in prediction.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


TraitKind = Literal["binary", "continuous"]


@dataclass(frozen=True)
class TraitPrediction:
    """Accuracy and F1 in percent, R2; None where the trait is of the other or an unknown kind."""

    kind: TraitKind | None
    accuracy: float | None
    f1: float | None
    r2: float | None


def trait_kind(prediction: Mapping[str, float]) -> TraitKind | None:
    """Return whether a trait is binary or continuous, by ``cv_performance.prediction``."""
    if "accuracy" in prediction or "f1" in prediction:
        return "binary"
    return "continuous" if "r_squared" in prediction else None


def trait_prediction(
    predicted: Mapping[str, float] | None,
    reference: Mapping[str, float],
    metrics: MetricsVersion = "default",
) -> TraitPrediction:
    """Return how well a prediction file predicts the trait.

    Parameters
    ----------
    predicted : mapping of str to float or None
        ``cv_performance.prediction``; None when there is no file that can be read. A missing
        figure counts 0 where the kind of the trait is known; all figures of a missing file are 0.
    reference : mapping of str to float
        The same of the reference; it decides about the kind, if it has one.
    metrics : {"default", "legacy"}
        ``legacy`` counts a continuous trait as an accuracy and F1 of 0.
    """
    found = predicted or {}
    kind = trait_kind(reference) or trait_kind(found)
    failed = predicted is None and kind is None
    if kind == "binary" or failed:
        return TraitPrediction(kind, found.get("accuracy", 0.0), found.get("f1", 0.0), None)
    if kind is None:
        return TraitPrediction(None, None, None, None)
    binary = 0.0 if metrics == "legacy" else None
    return TraitPrediction(kind, binary, binary, found.get("r_squared", 0.0))


_NOTHING = GeneAgreement(Overlap(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0)
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
        return _item(problem, None, wanted, _NOTHING, metrics), missing
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
