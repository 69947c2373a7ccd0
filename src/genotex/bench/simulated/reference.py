"""The answers of a simulated benchmark as an output folder, made from the truth.

Nothing here calls the package's own preprocessing or analysis, so that their results can be scored
against this folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from genotex.arrays import Floats
from genotex.bench.evaluation.folder_items import TRAPS_FILE
from genotex.errors import NoUsableCohortError
from genotex.formats import (
    CohortInfo,
    ExpressionMatrix,
    LinkedTable,
    write_clinical_csv,
    write_cohort_info,
    write_gene_csv,
    write_json,
    write_linked_csv,
)
from genotex.io import atomic_write
from genotex.layout import TCGA_COHORT, OutputFolder
from genotex.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair
from genotex.simulate import CohortTruth, SimulatedCohort

CANARY = "genotex-world-answers 3f0c6a52-9d1e-4b7a-8f43-c1a6d7e2b95d"
"""In every file of answers: a text that holds it has seen them."""
_DECIMALS = 3
_CODES = {"case": 1.0, "healthy control": 0.0, "other disease": 0.0, "unknown": np.nan}
_GENE_MISSING, _SAMPLE_MISSING = 0.20, 0.05
_ABSENT = CohortInfo(
    is_usable=False, is_gene_available=False, is_trait_available=False, is_available=False
)


def write_cohorts(output: OutputFolder, trait: str, cohorts: Sequence[SimulatedCohort]) -> None:
    """Write the tables and the ``cohort_info.json`` of a trait."""
    records = {cohort.name: _write_cohort(output, trait, cohort) for cohort in cohorts}
    records.setdefault(TCGA_COHORT, _ABSENT)
    write_cohort_info(output.cohort_info(trait), records)


def write_traps(output: OutputFolder, made: Mapping[str, Sequence[SimulatedCohort]]) -> None:
    """Write which cohorts have which traps."""
    traps = {
        trait: {cohort.name: list(cohort.truth.traps) for cohort in cohorts}
        for trait, cohorts in made.items()
    }
    write_json(output.root / TRAPS_FILE, {"canary": CANARY, "traps": traps})


def _write_cohort(output: OutputFolder, trait: str, cohort: SimulatedCohort) -> CohortInfo:
    features = _features(trait, cohort.truth)
    if trait in features:
        path = output.clinical_csv(trait, cohort.name)
        write_clinical_csv(path, list(cohort.truth.samples), features)
    expression = cohort.expression
    if expression is not None:
        expression = replace(expression, values=expression.values.round(_DECIMALS))
        write_gene_csv(output.gene_csv(trait, cohort.name), expression)
    if trait not in features or expression is None:
        return replace(
            _ABSENT, is_gene_available=expression is not None, is_trait_available=trait in features
        )
    people = cohort.truth.samples
    unfit = {sample for sample, person in people.items() if person.get("unfit")}
    table = _linked(trait, list(people), features, expression, unfit)
    biased = _is_biased(table.trait_values)
    if cohort.truth.usable:
        write_linked_csv(output.linked_csv(trait, cohort.name), table)
    info = CohortInfo.of_linked(
        biased=biased,
        has_age="Age" in table.covariates,
        has_gender="Gender" in table.covariates,
        samples=len(table.samples),
        note=cohort.truth.reason,
    )
    return info if cohort.truth.usable else replace(info, is_usable=False)


def _features(trait: str, truth: CohortTruth) -> dict[str, Floats]:
    """Return the recorded trait, age and sex; a feature that never varies is omitted."""
    people = truth.samples.values()
    columns = {
        trait: [p["level"] if "level" in p else _CODES[p["group"]] for p in people],
        "Age": [p["age"] for p in people],
        "Gender": [p["gender"] for p in people],
    }
    numbers = {
        name: np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
        for name, cells in columns.items()
    }
    return {
        name: values
        for name, values in numbers.items()
        if len(np.unique(values[~np.isnan(values)])) > 1
    }


def _is_biased(values: Floats) -> bool:
    """Return whether the rarer of two labels has fewer than 5 samples and less than 10 %."""
    levels, counts = np.unique(values, return_counts=True)
    rare = counts.min() < 5 and counts.min() < 0.1 * counts.sum()
    return len(levels) < 2 or (len(levels) == 2 and bool(rare))


def _linked(
    trait: str,
    samples: Sequence[str],
    features: Mapping[str, Floats],
    genes: ExpressionMatrix,
    unfit: Collection[str],
) -> LinkedTable:
    """Return clinical features and genes of the same samples, gaps dropped or filled.

    Unfit samples are left out. In the order of the benchmark: samples without the trait go, genes
    missing in more than a fifth of the samples, samples missing more than a twentieth of the genes;
    then Age gets its mean, Gender its mode, a gene its mean.
    """
    column = {sample: i for i, sample in enumerate(genes.samples) if sample not in unfit}
    rows = [i for i, s in enumerate(samples) if s in column and not np.isnan(features[trait][i])]
    expression = genes.values[:, [column[samples[i]] for i in rows]].T
    kept_genes = np.isnan(expression).mean(axis=0) <= _GENE_MISSING
    expression = expression[:, kept_genes]
    kept = np.isnan(expression).mean(axis=1) <= _SAMPLE_MISSING
    expression, rows = expression[kept], [i for i, keep in zip(rows, kept, strict=True) if keep]
    covariates = {name: values[rows] for name, values in features.items() if name != trait}
    return LinkedTable(
        trait,
        tuple(samples[i] for i in rows),
        features[trait][rows],
        {
            name: _filled(values, _mode(values) if name == "Gender" else np.nanmean(values))
            for name, values in covariates.items()
        },
        tuple(gene for gene, keep in zip(genes.ids, kept_genes, strict=True) if keep),
        _filled(expression, np.nanmean(expression, axis=0)).round(_DECIMALS),
    )


def _filled(values: Floats, middle: np.floating | Floats) -> Floats:
    return np.where(np.isnan(values), middle, values)


def _mode(values: Floats) -> np.floating:
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    mode: np.floating = levels[counts.argmax()]
    return mode


_Sizes = Callable[[Problem], Mapping[str, float]]
"""Genes with their sizes, the largest first."""


def write_answers(
    output: OutputFolder, tasks: TaskInfo, answer: _Sizes, interactions: _Sizes
) -> list[Problem]:
    """Write the genes of every problem that can be answered, and return those problems.

    A problem has an answer when the tables of `write_cohorts` hold a cohort, or a pair, for it.
    """
    answered = [problem for problem in tasks.problems() if _has_answer(output, problem, tasks)]
    for problem in answered:
        genes, changing = answer(problem), interactions(problem)
        sizes = [round(size, _DECIMALS) for size in genes.values()]
        content = {
            "significant_genes": {
                "Variable": list(genes),
                "Coefficient": sizes,
                "Absolute Coefficient": [abs(size) for size in sizes],
            },
            **({"significant_interactions": {"Variable": list(changing)}} if changing else {}),
            "cv_performance": {},
            "canary": CANARY,
        }
        with atomic_write(output.significant_genes(problem.trait, problem.condition)) as part:
            part.write_text(json.dumps(content, indent=4) + "\n", encoding="utf-8")
    return answered


def _has_answer(output: OutputFolder, problem: Problem, tasks: TaskInfo) -> bool:
    try:
        if problem.kind is ProblemKind.TWO_STEP:
            choose_pair(output, problem, tasks)
        else:
            choose_cohort(output, problem)
    except NoUsableCohortError:
        return False
    return True
