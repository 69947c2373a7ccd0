"""The procedure as a whole, on small tables whose answer is known."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from genotex.analysis import AnalysisResult, analyze_table, stored_types
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups

FAST = AnalysisOptions(panel=False)


def solve(
    table: LinkedTable, condition: str | None = None, options: AnalysisOptions = FAST
) -> AnalysisResult:
    return analyze_table(table, {}, Problem("Asthma", condition), options)


def gene(result: AnalysisResult, name: str) -> dict[str, object]:
    return result.genes.row(by_predicate=pl.col("Variable") == name, named=True)


def test_changed_genes_lead_the_list() -> None:
    result = solve(two_groups())
    assert set(result.significant["Variable"]) == {f"GENE{j}" for j in range(5)}
    assert result.genes["Variable"].to_list()[:5] == result.significant["Variable"].to_list()
    assert result.genes["p"][5:].is_sorted(nulls_last=True)
    assert result.method["design"] == ["Intercept", "Age", "Gender", "Asthma"]
    assert result.method["contrast"]["group_sizes"] == {"case": 12, "control": 12}
    assert dict(result.genes.schema) == {k: v() for k, v in stored_types().items()}


def test_coefficient_and_hedges_g_without_covariates_are_the_textbook_ones() -> None:
    table = replace(two_groups(), covariates={})
    row = gene(solve(table), "GENE0")
    cases, controls = table.expression[1::2, 0], table.expression[::2, 0]
    assert row["Coefficient"] == pytest.approx(cases.mean() - controls.mean())
    assert row["Mean Expression"] == pytest.approx(table.expression[:, 0].mean())
    pooled = np.sqrt((cases.var(ddof=1) + controls.var(ddof=1)) / 2)
    # Hedges 1981: the correction is close to 1 - 3 / (4 df - 1).
    expected = (cases.mean() - controls.mean()) / pooled * (1 - 3 / (4 * 22 - 1))
    assert row["Standardised Effect"] == pytest.approx(expected, rel=1e-3)


def test_partial_correlation_of_a_measured_trait() -> None:
    rng = np.random.default_rng(3)
    age = rng.uniform(20, 80, 30)
    level = rng.normal(size=30) + age / 30
    values = rng.normal(8, 1, (30, 8)) + 0.5 * level[:, None] + 0.02 * age[:, None]
    table = linked(level, values, {"Age": age})
    row = gene(solve(table), "GENE3")
    columns = np.column_stack([np.ones(30), age])
    rest = [v - columns @ np.linalg.lstsq(columns, v)[0] for v in (level, values[:, 3])]
    assert row["Standardised Effect"] == pytest.approx(stats.pearsonr(*rest).statistic)
    # The coefficient is per standard deviation of the trait.
    wide = np.column_stack([columns, level])
    slope = np.linalg.lstsq(wide, values[:, 3])[0][-1]
    assert row["Coefficient"] == pytest.approx(slope * level.std(ddof=1))


def test_gene_with_missing_values_is_tested_on_the_samples_that_have_it() -> None:
    table = two_groups()
    table.expression[[0, 1, 5], 2] = np.nan
    row = gene(solve(table), "GENE2")
    assert row["Samples"] == 21
    assert row["p"] is not None


def test_interaction_with_gender_is_found() -> None:
    table = two_groups(samples=40, changed=0)
    both = table.trait_values * table.covariates["Gender"]
    table.expression[:, 3] += 4 * both
    result = solve(table, "Gender")
    row = gene(result, "GENE3")
    assert row["Interaction q"] < 1e-6
    assert row["Interaction Coefficient"] == pytest.approx(4, abs=1.5)
    tested = result.genes.filter(pl.col("Status") == "tested")
    assert tested["Interaction p"].null_count() == 0
    assert solve(table).genes["Interaction p"].null_count() == 60


def test_condition_is_adjusted_for_even_when_covariates_are_not_wanted() -> None:
    options = replace(FAST, covariates=())
    assert solve(two_groups(), "Age", options).method["covariates"] == ["Age"]
    assert solve(two_groups(), None, options).method["covariates"] == []


def test_low_and_constant_genes_are_listed_but_not_tested() -> None:
    table = two_groups()
    table.expression[:, 58] = 2.5
    table.expression[:, 59] = 0.5 + np.arange(24) / 100
    result = solve(table)
    assert gene(result, "GENE58")["Status"] == "constant"
    assert gene(result, "GENE59")["Status"] == "low"
    for name in ("GENE58", "GENE59"):
        row = gene(result, name)
        assert row["p"] is None
        assert row["Significant"] is False
    assert result.method["filter"]["tested"] + result.method["filter"]["low"] == 59
    assert result.genes.height == 60


def test_minimal_effect_and_q_cut() -> None:
    table = two_groups()
    strict = solve(table, options=replace(FAST, min_effect=50.0))
    assert strict.significant.height == 0
    lax = solve(table, options=replace(FAST, q_cut=1.0))
    assert lax.significant.height > 20


def test_panel_coefficients_are_shown_alongside_the_tests() -> None:
    result = solve(two_groups(samples=40), options=AnalysisOptions())
    column = result.genes.drop_nulls("Panel Coefficient")
    chosen = set(column.filter(pl.col("Panel Coefficient") != 0)["Variable"])
    assert chosen & {f"GENE{j}" for j in range(5)}
    assert result.cv_performance["prediction"]["auroc"] > 0.8
    assert result.method["panel"]["genes"] == len(chosen)


def test_six_samples() -> None:
    table = two_groups(samples=6, genes=20)
    result = solve(table, options=AnalysisOptions())
    assert result.genes["p"].null_count() == result.genes.height - result.method["filter"]["tested"]
    assert result.cv_performance == {}
    assert "No panel" in result.method["panel"]["notes"][0]
    assert any("smaller group has 3" in w for w in result.warnings)


def test_one_gene() -> None:
    table = replace(two_groups(genes=1), covariates={})
    row = gene(solve(table), "GENE0")
    plain = stats.ttest_ind(table.expression[1::2, 0], table.expression[::2, 0])
    assert row["p"] == pytest.approx(plain.pvalue)
    assert row["q"] == row["p"]


def test_one_gene_that_the_trait_explains_whole() -> None:
    trait = np.arange(8) % 2
    row = gene(solve(linked(trait, trait[:, None] + 8.0), options=FAST), "GENE0")
    assert np.isfinite(row["t"])
    assert row["p"] < 1e-20
    assert row["Standardised Effect"] is None or np.isfinite(row["Standardised Effect"])


def test_duplicate_genes_get_the_same_answer() -> None:
    table = two_groups()
    table.expression[:, 10] = table.expression[:, 0]
    first, second = (gene(solve(table), name) for name in ("GENE0", "GENE10"))
    del first["Variable"], second["Variable"]
    assert first == pytest.approx(second)


def test_all_genes_constant_is_an_error() -> None:
    with pytest.raises(AnalysisError, match=r"no gene of Asthma can be tested.*constant 3"):
        solve(linked([0, 1] * 4, np.full((8, 3), 7.0)))


def test_no_genes_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="no genes"):
        solve(linked([0, 1] * 4, np.zeros((8, 0))))


def test_infinite_expression_is_an_error() -> None:
    table = two_groups()
    table.expression[0, 0] = -np.inf
    with pytest.raises(AnalysisError, match="infinite"):
        solve(table)


@pytest.mark.parametrize("where", ["expression", "trait", "Age"])
def test_numbers_too_large_to_be_squared_are_an_error(where: str) -> None:
    table = two_groups()
    if where == "expression":
        table.expression[3, 5] = -1.1e100
    elif where == "trait":
        table = replace(table, trait_values=np.linspace(0, 1e160, 24))
    else:
        table.covariates["Age"][2] = 1e300
    with pytest.raises(AnalysisError, match=f"{where} holds values above 1e\\+100"):
        solve(table)


def test_numbers_just_small_enough_have_an_answer() -> None:
    table = two_groups()
    large = replace(table, expression=table.expression * 1e98)
    expected, found = (solve(t, options=FAST).genes for t in (table, large))
    assert found["p"].drop_nulls().is_finite().all()
    assert found["Variable"].to_list()[:5] == expected["Variable"].to_list()[:5]


def test_interaction_is_summed_up() -> None:
    table = two_groups(samples=40, changed=0)
    table.expression[:, 3] += 4 * table.trait_values * table.covariates["Gender"]
    result = solve(table, "Gender")
    record = result.method["interaction"]
    assert record["condition"] == "Gender"
    assert record["tested"] == result.method["filter"]["tested"]
    q_values = result.genes["Interaction q"].drop_nulls()
    assert record["significant"] == (q_values < 0.05).sum() >= 1
    assert record["top"][0]["Variable"] == "GENE3"
    assert len(record["top"]) == 10
    q = [gene["q"] for gene in record["top"]]
    assert q == sorted(q)
    assert result.significant_interactions.height == record["significant"]
    assert result.significant_interactions["Variable"][0] == "GENE3"
    assert f"significant at q < 0.05 for {record['significant']} of" in result.interaction_summary
    assert "(GENE3" in result.interaction_summary


def test_interaction_that_cannot_be_tested_is_summed_up_too() -> None:
    table = two_groups()
    table.covariates["Gender"][:] = np.where(table.trait_values == 1, np.arange(24) % 4 > 1, 0)
    result = solve(table, "Gender")
    assert result.method["interaction"]["tested"] == 0
    assert result.significant_interactions.height == 0
    assert result.interaction_summary == "The interaction with Gender could not be tested."


def test_without_a_condition_there_is_no_interaction() -> None:
    result = solve(two_groups())
    assert "interaction" not in result.method
    assert result.interaction_summary == ""
    assert result.significant_interactions.height == 0


def test_filled_covariates_are_reported() -> None:
    table = two_groups()
    table.covariates["Age"][:2] = np.nan
    assert "Age was missing in 2 samples and filled with their mean." in solve(table).warnings
    table = two_groups()
    table.covariates["Age"][0] = np.nan
    assert "Age was missing in 1 sample and filled with their mean." in solve(table).warnings


def test_two_step_problem_without_the_cohort_of_the_condition() -> None:
    with pytest.raises(UsageError, match="cohort of Obesity must be given"):
        solve(two_groups(), "Obesity")


def test_table_of_another_trait() -> None:
    with pytest.raises(UsageError, match="the table holds Asthma"):
        analyze_table(two_groups(), {}, Problem("Obesity"), FAST)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"procedure": "loud"}, "procedure 'loud' is not known; use sound or benchmark"),
        ({"model": "magic"}, "'magic' is not known"),
        ({"hidden": "maybe"}, "'maybe' is not known"),
        ({"solver": "abacus"}, "'abacus' is not known"),
        ({"regressors": "none"}, "'none' is not known"),
        ({"controls": "some"}, "controls 'some'"),
        ({"q_cut": 0.0}, "q_cut"),
        ({"min_effect": -1.0}, "min_effect"),
        ({"min_effect": float("nan")}, "min_effect"),
        ({"seed": -1}, "seed"),
    ],
)
def test_options_that_are_invalid(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        AnalysisOptions(**wrong)


def test_null_cohorts_are_calibrated() -> None:
    """p-values of 40 null cohorts are uniform, and false discoveries rare."""
    small, cohorts_with_hits = [], 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        spread = np.sqrt(0.1 * 5 / rng.chisquare(5, 300))
        values = rng.normal(8, 1, 300) + rng.normal(size=(24, 300)) * spread
        table = linked(rng.permutation(np.arange(24) % 2), values, {"Age": rng.uniform(20, 80, 24)})
        result = solve(table)
        p = result.genes["p"].drop_nulls()
        small.append((p < 0.05).mean())
        cohorts_with_hits += result.significant.height > 0
    assert np.mean(small) == pytest.approx(0.05, abs=0.007)
    # With q < 0.05 and no true gene, about 5 % of the cohorts have a hit: 2 of 40, rarely above 6.
    assert cohorts_with_hits <= 6


def test_planted_cohorts_keep_the_false_discovery_rate() -> None:
    proportions, power = [], []
    for seed in range(20):
        table = two_groups(samples=40, genes=300, changed=30, shift=1.5, seed=seed)
        found = set(solve(table).significant["Variable"])
        true = {f"GENE{j}" for j in range(30)}
        proportions.append(len(found - true) / max(1, len(found)))
        power.append(len(found & true) / 30)
    assert np.mean(proportions) < 0.07
    assert np.mean(power) > 0.85
