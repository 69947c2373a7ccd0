"""Traits with several levels: F tests, departures from a line, pairs of levels.

Golden values of R limma and lm: made by benchmarks/golden/golden_limma.R, versions in VERSIONS.txt.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    AnalysisResult,
    Design,
    Levels,
    Precision,
    analyze_table,
    departure_columns,
    factor_columns,
    find_levels,
    fit_weighted_columns,
    moderate_f,
    moderate_variance,
    read_result,
    write_result,
)
from genotex.analysis import TestSettings as Settings
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LinkedTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups
from tests.analysis.counted_tables import draw_counted

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
    several = settings.regress_several(design, values, len(levels.values) - 1)
    ours, fit = factor_columns(several, values, settings, levels)
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


def test_what_is_taken_for_levels_unasked() -> None:
    levels = three_levels(genes=30, each=3)
    assert solve(levels).method["levels"]["treatment"] == "ordered"
    ages = np.random.default_rng(1).integers(20, 80, 60)
    measured = find_levels("Age", ages.astype(float), "auto")
    assert measured is None
    lone = np.array([0.0, 0, 0, 1, 1, 1, 2, 2])
    assert find_levels("Grade", lone, "auto") is None
    assert find_levels("Grade", lone, "ordered") is not None
    assert find_levels("Grade", np.repeat([0.0, 0.5, 1, 2], 3), "auto") is not None
    assert find_levels("Grade", np.repeat(np.arange(9.0), 5), "auto") is None
    assert find_levels("Grade", np.repeat(np.arange(8.0), 3), "auto") is not None
    assert find_levels("Grade", np.repeat(np.arange(8.0), 3), "factor") is not None
    assert find_levels("Grade", np.repeat(np.arange(8.0), 3), "line") is None


def test_line_is_tested_as_before_and_recorded() -> None:
    table = three_levels(bent=5, rising=5, genes=60)
    line, ordered = solve(table, levels="line"), solve(table)
    np.testing.assert_allclose(line.genes["t"], ordered.genes["t"])
    assert line.genes["Departure p"].null_count() == 60
    assert "along a line" in line.levels_summary
    assert "--levels factor" in ordered.levels_summary
    assert "--levels ordered" in solve(table, levels="factor").levels_summary


def test_two_values_are_two_groups_whatever_was_asked() -> None:
    plain, asked = (
        analyze_table(two_groups(), {}, Problem("Asthma"), replace(FAST, levels=mode))
        for mode in ("auto", "factor")
    )
    assert plain.genes.equals(asked.genes)
    assert "levels" not in plain.method
    assert plain.levels_summary == ""
    assert any("has two values" in warning for warning in asked.warnings)


def test_levels_that_cannot_be_compared() -> None:
    with pytest.raises(AnalysisError, match="at most; test it along a line"):
        find_levels("Age", np.arange(30.0), "factor")
    with pytest.raises(AnalysisError, match="level 2 has 1 sample only"):
        find_levels("Grade", np.array([0.0, 0, 1, 1, 2]), "ordered")


@pytest.mark.parametrize("chosen", [{"model": "all"}, {"model": "mixed"}, {"min_effect": 0.5}])
def test_what_a_factor_cannot_be_combined_with(chosen: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="levels 'ordered'"):
        AnalysisOptions(levels="factor", **chosen)  # type: ignore[arg-type]


def test_interaction_of_a_factor_is_refused_and_that_of_ordered_levels_tested() -> None:
    table = three_levels(genes=60)
    factor = solve(table, "Age", levels="factor")
    assert any("interaction with Age is not tested" in warning for warning in factor.warnings)
    assert factor.interaction_summary == "The interaction with Age could not be tested."
    assert solve(table, "Age").method["interaction"]["tested"] == 60


def test_gene_that_lacks_a_level() -> None:
    table = three_levels(genes=60)
    table.expression[table.trait_values == 1, 7] = np.nan
    table.expression[:4, 8] = np.nan
    ordered = solve(table).genes.filter(pl.col("Variable") == "GENE7")
    assert ordered["p"].null_count() == 0
    assert ordered["Departure p"].null_count() == 1
    factor = solve(table, levels="factor").genes
    status = dict(zip(factor["Variable"], factor["Status"], strict=True))
    assert (status["GENE7"], status["GENE8"]) == ("too few values", "tested")


def dense_f(y: np.ndarray, design: np.ndarray, cov: np.ndarray, tested: int) -> float:
    """Return the sum of squares of the last columns by generalised least squares, one gene."""
    known = ~np.isnan(y)
    root = np.linalg.inv(np.linalg.cholesky(cov[np.ix_(known, known)]))
    white, y = root @ design[known], root @ y[known]

    def left(x: np.ndarray) -> float:
        return float(((y - x @ np.linalg.lstsq(x, y)[0]) ** 2).sum())

    return left(white[:, :-tested]) - left(white)


@pytest.mark.parametrize("gaps", [False, True])
def test_sums_of_squares_of_weighted_correlated_samples(gaps: bool) -> None:
    rng = np.random.default_rng(2)
    place = rng.permutation(np.arange(24) % 3)
    blocks = np.arange(24) // 2
    weights = rng.uniform(0.5, 2, 24)
    others = np.column_stack([np.ones(24), rng.normal(size=24)])
    design = np.column_stack([others, place == 1, place == 2]).astype(float)
    values = rng.normal(size=(24, 6))
    if gaps:
        values[rng.random(values.shape) < 0.1] = np.nan
    precision = Precision(weights, blocks, correlation=0.4)
    cov = np.where(blocks[:, None] == blocks, 0.4, 0.0)
    np.fill_diagonal(cov, 1.0)
    cov /= np.sqrt(np.outer(weights, weights))
    fit = precision.fit_several(design, values, 2)
    expected = [dense_f(values[:, j], design, cov, 2) for j in range(6)]
    if gaps:
        np.testing.assert_allclose(fit.squares, expected, rtol=1e-8)
    last = precision.fit(design, values)
    np.testing.assert_allclose(fit.contrast(np.array([0.0, 1.0])).coefficient, last.coefficient)
    if not gaps:
        # Whitening by the symmetric root keeps sums of squares, too.
        np.testing.assert_allclose(fit.squares, expected, rtol=1e-8)


@pytest.mark.parametrize(
    "options",
    [
        {"hidden": "adjust"},
        {"hidden": "adjust", "weights": "group"},
        {"hidden": "adjust", "robust": True, "trend": True},
        {"hidden": "sva"},
        {"hidden": "two-step"},
        {"hidden": "none"},
    ],
)
@pytest.mark.parametrize("levels", ["ordered", "factor"])
def test_null_genes_are_calibrated(levels: str, options: dict[str, object]) -> None:
    table = three_levels(genes=2500, each=10, seed=3)
    # A factor that is confounded with the trait in part, and that many genes follow.
    rng = np.random.default_rng(4)
    factor = rng.normal(size=30) + 0.7 * (table.trait_values == 1)
    if options.get("hidden") == "adjust":
        table.expression[:, :1500] += np.outer(factor, rng.normal(0, 0.7, 1500))
    genes = solve(table, levels=levels, **options).genes
    for name in ("p", "1 vs 0 p", "2 vs 1 p", "Departure p"):
        if name in genes.columns and genes[name].null_count() == 0:
            assert 0.03 < (genes[name] < 0.05).mean() < 0.075, name
    assert (genes["q"] < 0.05).sum() <= 2


def test_levels_within_pairs() -> None:
    table = three_levels(bent=10, genes=80)
    people = np.arange(45) // 3
    table.expression[:] += np.random.default_rng(5).normal(0, 3, (15, 80))[people]
    facts = {"donor": {s: f"P{k}" for s, k in zip(table.samples, people, strict=True)}}

    def solve_pairs(mode: str) -> AnalysisResult:
        options = replace(FAST, pair="donor", levels=mode)  # type: ignore[arg-type]
        return analyze_table(table, {}, Problem("Grade"), options, facts)

    assert first(10) <= set(solve_pairs("factor").significant["Variable"])
    ordered = solve_pairs("auto")
    departing = ordered.genes.filter(pl.col("Departure q") < 0.05)
    assert first(10) <= set(departing["Variable"])
    assert ordered.method["contrast"]["text"].startswith("15 blocks by 'donor': 45 samples")


def test_factor_whose_levels_never_meet_within_pairs() -> None:
    rng = np.random.default_rng(6)
    level = np.tile([0.0, 1, 2, 3], 6)
    table = linked(level, rng.normal(8, 1, (24, 30)), trait="Grade")
    donors = [f"P{k // 4}{'a' if k % 4 < 2 else 'b'}" for k in range(24)]
    facts = {"donor": dict(zip(table.samples, donors, strict=True))}
    options = replace(FAST, pair="donor", levels="factor")
    with pytest.raises(AnalysisError, match="within pairs not all levels of Grade"):
        analyze_table(table, {}, Problem("Grade"), options, facts)
    ordered = analyze_table(table, {}, Problem("Grade"), replace(FAST, pair="donor"), facts)
    assert any("Departures from the line are not tested" in w for w in ordered.warnings)


def test_levels_of_people_with_several_samples() -> None:
    table = three_levels(bent=10, genes=80)
    people = [f"P{k // 2}" if k < 30 else f"Q{k}" for k in range(45)]
    facts = {"donor": dict(zip(table.samples, people, strict=True))}
    for mode, column in (("factor", "q"), ("ordered", "Departure q")):
        options = replace(FAST, pair="donor", levels=mode)  # type: ignore[arg-type]
        result = analyze_table(table, {}, Problem("Grade"), options, facts)
        assert result.method["pair"]["design"] == "correlated"
        assert first(10) <= set(result.genes.filter(pl.col(column) < 0.05)["Variable"])


@pytest.mark.parametrize("mode", ["factor", "ordered"])
def test_levels_of_counted_samples(mode: str) -> None:
    table, record = draw_counted(samples=36, genes=300, changed=0)
    level = np.arange(36) % 3
    table.expression[:, :15] += 2.5 * (level == 1)[:, None]
    table = replace(table, trait_values=level.astype(float))
    options = replace(FAST, levels=mode)  # type: ignore[arg-type]
    result = analyze_table(table, {}, Problem("Asthma"), options, counts=record)
    column = "q" if mode == "factor" else "Departure q"
    found = set(result.genes.filter(pl.col(column) < 0.05)["Variable"])
    assert first(15) <= found
    assert len(found) < 20
    assert "weighted by voom" in result.method["model"]


def test_factor_is_adjusted_for_surrogate_variables_and_compared_without() -> None:
    table = three_levels(bent=20, genes=1200, each=12)
    rng = np.random.default_rng(8)
    batch = rng.normal(size=36) + (table.trait_values == 2)
    table.expression[:, 400:] += np.outer(batch, rng.normal(0, 1, 800))
    result = solve(table, levels="factor", hidden="adjust")
    hidden = result.method["hidden"]
    assert hidden["ranked_with"]
    assert hidden["used"] == 1
    assert hidden["associations"][0]["with"] == "Grade"
    assert first(20) <= set(result.significant["Variable"])
    assert result.significant.height < 26
    assert (result.genes["Without SV q"] < 0.05).sum() > 100
    # The levels of a factor have no direction: the grade goes by the F tests alone.
    graded = solve(table, levels="factor").genes
    robust = set(graded.filter(pl.col("Grade") == "robust")["Variable"])
    assert first(20) <= robust and len(robust) < 26
    assert (graded["Grade"] == "sensitive").sum() > 80


def test_unequal_spread_of_levels_is_weighted() -> None:
    table = three_levels(genes=400, each=12, seed=9)
    loud = table.trait_values == 2
    table.expression[loud] = 8 + 3 * (table.expression[loud] - 8)
    result = solve(table, levels="factor", hidden="none")
    assert result.method["weights"]["used"] == "group"
    assert result.method["weights"]["deviation"]["level 2"] == pytest.approx(3, rel=0.15)
    assert any("in the level 2 group" in warning for warning in result.warnings)


def test_result_is_read_back_with_its_pairs(tmp_path: Path) -> None:
    result = solve(three_levels(bent=5, genes=40), levels="factor")
    output = OutputFolder(tmp_path)
    write_result(output, result)
    again = read_result(output, "Grade", None)
    assert again.genes.equals(result.genes)
    assert again.levels_summary == result.levels_summary
