"""Scores of statistical analysis: the genes of every problem that the reference answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from genotex.bench.evaluation.figures import MetricsVersion, figures_of
from genotex.bench.evaluation.folder_items import MISSING, read_or_why, read_reference
from genotex.bench.evaluation.gene_metrics import (
    NO_AGREEMENT,
    GeneAgreement,
    TraitPrediction,
    compare_genes,
    overlap,
    trait_prediction,
)
from genotex.bench.evaluation.options import OURS, ScoringRules
from genotex.bench.evaluation.scores import AnalysisScore, Missing
from genotex.errors import FormatError
from genotex.formats import decode, read_bytes, read_json_object, read_linked_header
from genotex.layout import OutputFolder
from genotex.problems import Problem
from genotex.problems.problem import ONE_STEP_CONDITIONS

_STATED = {"trait_accuracy": "accuracy", "trait_f1": "f1", "trait_r2": "r_squared"}
_LIMITS = {_STATED[each.key]: each.limits for each in figures_of(TraitPrediction)}
"""Of the figures of the trait that an answer states."""
_EXPECTED = 'the benchmark writes {"significant_genes": {"Variable": ["TP53", ...]}}'


@dataclass(frozen=True)
class GeneList:
    """One answer."""

    genes: tuple[str, ...]
    prediction: Mapping[str, float]
    interactions: tuple[str, ...] = ()


def read_gene_list(path: Path, *, any_names: bool = False) -> GeneList:
    """Read ``significant_genes_condition_<C>.json``, of any release and any tool.

    Only ``significant_genes.Variable`` is needed; ``significant_interactions.Variable`` names genes
    whose difference depends on age or sex. `any_names`: Numbers and null in the list are
    names of no gene, and a text is the list of its letters, as for the published scorer.
    """
    # pandas and json.dumps write NaN.
    content = read_json_object(path, _EXPECTED, finite=False)
    found = content.get("significant_genes")
    names = found.get("Variable") if isinstance(found, dict) else None
    place = "significant_genes.Variable"
    if any_names and isinstance(names, str | list):
        # Never the symbol that a number spells.
        names = [f"{n} ({_kind(n)})" if isinstance(n, int | float | None) else n for n in names]
    if not isinstance(names, list):
        msg = f"expected a list of symbols, found {_kind(names)}"
        raise FormatError(msg, path=path, field=place, hint=_EXPECTED)
    for name in names:
        if not isinstance(name, str):
            msg = f"expected symbols only, found {_kind(name)}"
            raise FormatError(msg, path=path, field=place, hint=_EXPECTED)
    changing = content.get("significant_interactions")
    others = changing.get("Variable") if isinstance(changing, dict) else None
    texts = tuple(n for n in others if isinstance(n, str)) if isinstance(others, list) else ()
    return GeneList(tuple(names), _numbers(content.get("cv_performance")), texts)


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


ScoredAnswer = tuple[AnalysisScore | None, Missing | None]
"""The score of a problem, None where the rules leave it out, and why no answer counts."""


@dataclass(frozen=True)
class UniverseFile:
    """A file that names all genes: one symbol a line, or the header of a linked table."""

    kind: Literal["symbols", "linked table"]
    path: Path


@dataclass(frozen=True)
class AnsweredTrait:
    """The problems of one trait, with the genes that could have been found in each."""

    reference: Path
    problems: tuple[tuple[Problem, UniverseFile | None], ...]
    metrics: MetricsVersion
    rules: ScoringRules = OURS

    def read(self, path: Path) -> GeneList:
        """Read an answer by the rules."""
        return read_gene_list(path, any_names=self.rules.any_names)


def score_answers(
    predictions: Sequence[OutputFolder], work: AnsweredTrait
) -> list[list[ScoredAnswer]]:
    """Score the problems of one trait in each of several output folders.

    Each answer of the reference and each list of all genes is read once.
    """
    universes = {
        source: read_universe(source)
        for source in dict.fromkeys(source for _, source in work.problems)
        if source is not None
    }
    scored: list[list[ScoredAnswer]] = [[] for _ in predictions]
    for problem, source in work.problems:
        place = _answer(OutputFolder(work.reference), problem)
        wanted = read_reference(place, work.read, work.rules)
        if isinstance(wanted, str):
            why = Missing("analysis", str(problem), f"reference: {wanted}")
            for items in scored:
                items.append((None, why))
            continue
        universe = None if source is None else universes[source]
        for folder, items in zip(predictions, scored, strict=True):
            path = _answer(folder, problem)
            items.append(_score(problem, path, wanted, universe, work))
    return scored


def _answer(folder: OutputFolder, problem: Problem) -> Path:
    return folder.significant_genes(problem.trait, problem.condition)


def _score(
    problem: Problem,
    path: Path,
    wanted: GeneList,
    universe: frozenset[str] | None,
    work: AnsweredTrait,
) -> ScoredAnswer:
    found = read_or_why(path, work.read)
    if isinstance(found, str):
        missing = Missing("analysis", str(problem), found)
        if found != MISSING and work.rules.drops_unreadable:
            return None, missing
        return _item(problem, None, wanted, NO_AGREEMENT, work), missing
    repeats = work.rules.repeats_count
    agreement = compare_genes(
        found.genes, wanted.genes, universe, work.metrics, repeats_count=repeats
    )
    found, why = (found, "") if work.rules.any_figure else _possible(found)
    impossible = Missing("analysis", str(problem), why) if why else None
    return _item(problem, found, wanted, agreement, work), impossible


def _possible(answer: GeneList) -> tuple[GeneList, str]:
    """Return an answer with 0 for figures of the trait that cannot be, and what they were."""
    outside = {
        name: f"{name} {answer.prediction[name]:g} is impossible"
        for name, (low, high) in _LIMITS.items()
        if not low <= answer.prediction.get(name, high) <= high
    }
    if not outside:
        return answer, ""
    kept = {**answer.prediction, **dict.fromkeys(outside, 0.0)}
    return replace(answer, prediction=kept), f"cv_performance: {'; '.join(outside.values())}"


def _item(
    problem: Problem,
    found: GeneList | None,
    wanted: GeneList,
    agreement: GeneAgreement,
    work: AnsweredTrait,
) -> AnalysisScore:
    trait = trait_prediction(
        None if found is None else found.prediction,
        wanted.prediction,
        work.metrics,
        as_stated=work.rules.trait_as_stated,
    )
    interactions = None
    if wanted.interactions:
        named = () if found is None else found.interactions
        interactions = overlap(named, wanted.interactions).f1
    return AnalysisScore(
        interaction_f1=interactions,
        trait=problem.trait,
        condition=problem.condition,
        kind=problem.kind,
        success=0.0 if found is None else 100.0,
        predicted=0 if found is None else len(set(found.genes)),
        reference=len(set(wanted.genes)),
        **vars(agreement),
        **vars(trait),
    )


def read_universe(source: UniverseFile) -> frozenset[str]:
    """Return all genes that could have been found."""
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
