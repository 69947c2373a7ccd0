"""Traits with several levels: F tests, departures from a line, pairs of levels.

Golden values of R limma and lm: made by scripts/golden_limma.R, versions in VERSIONS.txt.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import AnalysisOptions, AnalysisResult, analyze_table
from genotex.analysis.design import Design
from genotex.analysis.f_tests import departure_columns, factor_columns, moderate_f
from genotex.analysis.gene_tests import TestSettings as Settings
from genotex.analysis.levels import Levels, find_levels
from genotex.analysis.linear import fit_weighted_columns
from genotex.analysis.moderated import moderate_variance
from genotex.analysis.precision import Precision
from genotex.formats.linked import LinkedTable
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked

GOLDEN = Path(__file__).parents[1] / "fixtures" / "limma"
FAST = AnalysisOptions(panel=False)


def read(name: str) -> pl.DataFrame:
    table = pl.read_csv(GOLDEN / name, infer_schema=False)
    numbers = [c for c in table.columns if c not in ("gene", "sample")]
    return table.with_columns(pl.col(numbers).str.strip_chars().cast(pl.Float64))


def graded(name: str) -> tuple[Levels, np.ndarray, np.ndarray]:
    """Return the levels, the covariates with intercept, and the expression."""
    clinical = read(f"{name}_clinical.csv")
    levels = find_levels("Grade", clinical["grade"].to_numpy(), "factor")
    assert levels is not None
    others = np.column_stack([np.ones(clinical.height), clinical["age"].to_numpy()])
    return levels, others, read(f"{name}_expression.csv").drop("gene").to_numpy().T


@pytest.mark.parametrize(
    ("name", "suffix", "settings"),
    [
        ("graded", "", Settings(Precision())),
        ("graded", "_trend", Settings(Precision(), trend=True)),
        ("graded", "_robust", Settings(Precision(), robust=True)),
        ("graded_gaps", "", Settings(Precision())),
    ],
)
def test_factor_pairs_and_departure_equal_limma(name: str, suffix: str, settings: Settings) -> None:
    levels, others, values = graded(name)
    golden = read(f"{name}{suffix}_levels_limma.csv")
    design = np.column_stack([others, levels.indicators()])
    ours, fit = factor_columns(values, design, settings, levels)
    np.testing.assert_allclose(fit.f, golden["f"], rtol=1e-7)
    np.testing.assert_allclose(ours["p"], golden["p"], rtol=1e-6)
    for pair, _ in levels.pairs:
        column = pair.replace(" ", "_")
        np.testing.assert_allclose(ours[f"{pair} Coefficient"], golden[column], rtol=1e-7)
        if f"{column}_p" in golden.columns:
            np.testing.assert_allclose(ours[f"{pair} p"], golden[f"{column}_p"], rtol=1e-6)
    line = np.array(levels.values)[levels.place]
    matrix = np.column_stack([others, line])
    names = ("Intercept", "Age", "Grade")
    wide = Design(names, matrix, None, {}, (), departure=levels.departures())
    departure = departure_columns(values, wide, settings)
    np.testing.assert_allclose(departure["Departure F"], golden["departure"], rtol=1e-6)
    np.testing.assert_allclose(departure["Departure p"], golden["departure_p"], rtol=1e-6)


def test_weighted_factor_equals_limma_and_lm() -> None:
    levels, others, values = graded("graded")
    golden = read("graded_observed_levels_limma.csv")
    weights = read("graded_observed.csv").drop("sample").to_numpy()
    design = np.column_stack([others, levels.indicators()])
    fit = fit_weighted_columns(design, values, weights, 3)
    found = moderate_f(fit, moderate_variance(fit.variance, fit.df))
    np.testing.assert_allclose(found.f, golden["f"], rtol=1e-7)
    np.testing.assert_allclose(found.p, golden["p"], rtol=1e-6)
    for pair, contrast in levels.pairs:
        column = golden[pair.replace(" ", "_")]
        np.testing.assert_allclose(fit.contrast(contrast).coefficient, column, rtol=1e-7)


def three_levels(
    bent: int = 0, rising: int = 0, genes: int = 400, each: int = 15, seed: int = 0
) -> LinkedTable:
    """Levels 0, 1, 2; the first genes have their middle level 3 SD off, the next rise."""
    rng = np.random.default_rng(seed)
    level = np.arange(3 * each) % 3
    values = rng.normal(8, 1, (3 * each, genes))
    values[:, :bent] += 3.0 * (level == 1)[:, None]
    values[:, bent : bent + rising] += 1.5 * level[:, None]
    ages = rng.integers(30, 80, 3 * each)
    return linked(level, values, {"Age": ages}, trait="Grade")


def solve(table: LinkedTable, condition: str | None = None, **options: object) -> AnalysisResult:
    return analyze_table(
        table,
        {},
        Problem("Grade", condition),
        replace(FAST, **options),  # type: ignore[arg-type]
    )


def first(genes: int) -> set[str]:
    return {f"GENE{j}" for j in range(genes)}


def test_genes_whose_middle_level_is_off_depart_from_the_line() -> None:
    result = solve(three_levels(bent=100, genes=1000))
    departing = result.genes.filter(pl.col("Departure q") < 0.05)
    assert first(100) <= set(departing["Variable"])
    assert departing.height < 115
    assert result.significant.height < 10
    assert result.method["levels"]["departure"] == {"tested": 1000, "significant": departing.height}
    assert any("depart from a line" in warning for warning in result.warnings)


def test_genes_whose_middle_level_is_off_are_found_by_the_f_test() -> None:
    result = solve(three_levels(bent=100, genes=1000), levels="factor")
    assert first(100) <= set(result.significant["Variable"])
    assert result.significant.height < 115
    assert result.genes["p"].is_sorted(nulls_last=True)
    hits = result.genes.filter(pl.col("Variable").is_in(first(100)))
    assert (hits["1 vs 0 q"] < 0.05).all()
    assert (hits["2 vs 1 q"] < 0.05).all()
    assert (hits["2 vs 0 q"] < 0.05).sum() < 5
    assert hits["t"].null_count() == 100
