"""The transcription of the published analysis, and tables for both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.analysis import published_analysis as PUBLISHED
from threadpoolctl import threadpool_limits

from genotex.analysis import AnalysisResult, ConditionCohort, analyze_benchmark
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions, RegressorRule
from genotex.problems import Problem, regressor_genes


@dataclass(frozen=True)
class Cohort:
    table: LinkedTable
    related: tuple[str, ...]


def cohort(
    trait: str,
    samples: int,
    genes: int,
    *,
    binary: bool = True,
    seed: int = 0,
    batch: float = 0.0,
    shift: int = 0,
) -> Cohort:
    """Correlated genes; some carry the trait, some are copies, one is constant; Age and Gender.

    The last related gene is in no table. A shift moves the related genes along.
    """
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(samples, 5))
    values = 7 + factors @ rng.normal(size=(5, genes)) * 0.6 + rng.normal(size=(samples, genes))
    planted = np.arange(0, genes, max(genes // 12, 1))
    age = rng.integers(20, 80, samples).astype(float)
    gender = rng.integers(0, 2, samples).astype(float)
    gender[:2] = 0, 1
    level = values[:, planted] @ rng.normal(size=len(planted)) + 0.03 * age + 0.5 * gender
    level = level + rng.normal(size=samples) * level.std()
    trait_values = (level > np.quantile(level, 0.45)).astype(float) if binary else 3 * level
    copies = max(genes // 10, 1)
    values[:, -copies:] = 2 * values[:, :copies]
    values[:, genes // 2] = 5.3
    values += batch * rng.integers(0, 2, samples)[:, None]
    names = tuple(f"G{j}" for j in range(genes))
    related = (
        *(names[j + shift] for j in planted[:-1]),
        *names[1 + shift : genes // 4 + shift : 3],
        "ELSEWHERE",
    )
    table = LinkedTable(
        trait,
        tuple(f"GSM{i}" for i in range(samples)),
        trait_values,
        {"Age": age, "Gender": gender},
        names,
        values,
    )
    return Cohort(table, tuple(dict.fromkeys(related)))


def frame(table: LinkedTable) -> pd.DataFrame:
    genes = pd.DataFrame(table.expression, columns=list(table.genes), index=list(table.samples))
    first = pd.DataFrame(
        {table.trait: table.trait_values, **table.covariates}, index=list(table.samples)
    )
    return pd.concat([first, genes], axis=1)


def solve_published(
    own: Cohort, condition: str | None = None, other: Cohort | None = None, exclusive: bool = False
) -> dict[str, Any]:
    with threadpool_limits(limits=1):
        answer: dict[str, Any] = PUBLISHED.solve(
            frame(own.table),
            own.table.trait,
            own.related,
            condition,
            None if other is None else frame(other.table),
            () if other is None else other.related,
            exclusive,
        )
    return answer


def condition_cohort(own: Cohort, other: Cohort, rule: RegressorRule | None) -> ConditionCohort:
    genes = regressor_genes(
        other.related, own.related, own.table.genes, other.table.genes, rule or "inclusive"
    )
    return ConditionCohort("GSE2", other.table, genes)


def solve_ours(
    own: Cohort,
    condition: str | None = None,
    other: Cohort | None = None,
    *,
    threads: int = 1,
    **options: Any,
) -> AnalysisResult:
    return analyze_benchmark(
        own.table,
        Problem(own.table.trait, condition),
        AnalysisOptions(procedure="benchmark", **options),
        own.related,
        None if other is None else condition_cohort(own, other, options.get("regressors")),
        threads=threads,
    )


def assert_same_answer(ours: AnalysisResult, published: dict[str, Any]) -> None:
    listed, theirs = ours.significant, published["significant_genes"]
    assert listed["Variable"].to_list() == theirs["Variable"].to_list()
    for column in ("Coefficient", "Absolute Coefficient"):
        np.testing.assert_allclose(
            listed[column].to_numpy(), theirs[column].to_numpy(), rtol=0, atol=1e-10
        )
    assert ours.method["solver"]["lambda"] == published["lambda"]
    assert_same_scores(ours.cv_performance, published["cv_performance"])
    for mine, row in zip(ours.method["tuning"], published["tuning"], strict=True):
        assert mine["lambda"] == row["lambda"]
        assert mine["genes"] == row["genes"]
        assert_same_scores(mine, row)


def assert_same_scores(mine: Any, theirs: Any) -> None:
    for part in ("prediction", "selection"):
        assert mine[part].keys() == theirs[part].keys()
        names: Sequence[str] = list(theirs[part])
        np.testing.assert_allclose(
            [mine[part][name] for name in names],
            [theirs[part][name] for name in names],
            rtol=1e-9,
            atol=1e-9,
        )
