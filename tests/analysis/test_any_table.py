"""For any table, the analysis gives a defined result or one of our own errors."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.random import Generator

from genotex.analysis import analyze_table, read_result, write_result
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable, Role
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked

ROLES: list[Role] = ["case", "healthy control", "other disease", "unknown"]


def odd_table(rng: Generator) -> LinkedTable:
    samples, genes = int(rng.integers(5, 40)), int(rng.integers(1, 30))
    shape = (samples, genes)
    trait = [
        rng.integers(0, 2, samples).astype(float),
        rng.normal(size=samples),
        rng.integers(0, 3, samples).astype(float),
    ][rng.integers(3)]
    values = [
        rng.normal(8, 1, shape),
        rng.integers(0, 3, shape).astype(float),
        np.exp(rng.normal(0, 3, shape)),
        1e150 * rng.normal(size=shape),
        np.full(shape, 1e-300),
    ][rng.integers(5)]
    if rng.random() < 0.3:
        values[:, -1] = trait
    if rng.random() < 0.3:
        values[:, 0] = values[:, genes // 2]
    if rng.random() < 0.4:
        values[rng.random(shape) < rng.choice([0.05, 0.3, 0.8])] = np.nan
    if rng.random() < 0.3:
        trait[rng.random(samples) < 0.2] = np.nan
    ages = [
        rng.uniform(20, 80, samples),
        np.nan_to_num(trait) * 10 + 20,
        np.where(rng.random(samples) < 0.4, np.nan, rng.uniform(20, 80, samples)),
    ]
    genders = [
        rng.integers(0, 2, samples),
        np.zeros(samples),
        np.nan_to_num(trait),
        np.full(samples, np.nan),
    ]
    covariates = {"Age": ages[rng.integers(3)], "Gender": genders[rng.integers(4)]}
    return linked(trait, values, covariates)


@pytest.mark.parametrize("batch", range(4))
def test_odd_tables(tmp_path: Path, batch: int) -> None:
    solved = 0
    for seed in range(60):
        rng = np.random.default_rng([batch, seed])
        table = odd_table(rng)
        roles = {s: ROLES[rng.integers(4)] for s in table.samples}
        condition = [None, "Age", "Gender"][rng.integers(3)]
        options = AnalysisOptions(trend=bool(rng.integers(2)), panel=seed % 6 == 0)
        try:
            result = analyze_table(table, roles, Problem("Asthma", condition), options)
        except AnalysisError as error:
            assert len(str(error)) > 20
            continue
        solved += 1
        tested = result.genes.filter(pl.col("Status") == "tested")
        for column in ("Coefficient", "CI Lower", "CI Upper", "t", "p", "q"):
            assert tested[column].is_finite().all()
        assert tested["q"].is_between(0, 1).all()
        write_result(OutputFolder(tmp_path), result)
        read_result(OutputFolder(tmp_path), "Asthma", condition)
    assert solved > 15
