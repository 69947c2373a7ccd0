"""The comparison behind a stored result, set up again from the output folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import AnalysisResult, TraitEffects, read_result, read_trait_effects, shrink
from genotex.errors import AnalysisError, FormatError
from genotex.formats import LinkedTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo, TraitInfo
from tests.analysis.cohort_tables import linked, two_groups
from tests.analysis.counted_tables import draw_counted
from tests.analysis.hidden_cohorts import with_batch
from tests.analysis.stored_cohorts import solve_stored, store

FAST = AnalysisOptions(panel=False)
PROBLEM = Problem("Asthma")


UNFILTERED = replace(FAST, filter_low=False, weights="none")


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path)


def solve(
    output: OutputFolder, table: LinkedTable, options: AnalysisOptions = FAST, **record: Any
) -> AnalysisResult:
    store(output, "GSE1", table, **record)
    return solve_stored(output, PROBLEM, options)


def check(result: AnalysisResult, effects: TraitEffects, t: str = "t") -> None:
    """The effects give the stored t-statistics, with the residual degrees of freedom stored."""
    residual_df = effects.matrix.shape[1] - 1
    assert residual_df == result.method["residual_df"]
    variance = (effects.matrix[:, 1:] ** 2).mean(axis=1)
    prior = effects.prior
    prior_df = np.broadcast_to(
        prior.df if prior.df_of_gene is None else prior.df_of_gene, variance.shape
    )
    shrunk = shrink(variance, np.full(len(variance), residual_df), prior.variance, prior_df)
    table = result.genes.with_columns(ratio=pl.col("Coefficient") / pl.col("Standard Error"))
    stored = dict(table.select("Variable", t).iter_rows())
    expected = [stored[gene] for gene in effects.genes]
    np.testing.assert_allclose(effects.matrix[:, 0] / np.sqrt(shrunk), expected, rtol=1e-8)
    np.testing.assert_allclose(effects.t, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"trend": True},
        {"covariates": ("smoking", "Age")},
        {"controls": "all", "filter_low": False},
        {"model": "all"},
        {"robust": True},
        {"weights": "group"},
        {"weights": "sample", "robust": True, "trend": True},
    ],
)
def test_same_statistics_with_every_choice(output: OutputFolder, changes: dict[str, Any]) -> None:
    table = two_groups(genes=150)
    smoking = {s: ("yes" if i % 5 < 2 else "no") for i, s in enumerate(table.samples)}
    solve(output, table, replace(FAST, **changes), sample_facts={"smoking": smoking})
    result = read_result(output, "Asthma", None)
    effects = read_trait_effects(output, result)
    check(result, effects)
    assert effects.left_out == 0 and len(effects.genes) > 100


def test_pairs(output: OutputFolder) -> None:
    table = two_groups(genes=150)
    donor = {sample: f"P{i // 2}" for i, sample in enumerate(table.samples)}
    result = solve(output, table, replace(FAST, pair="donor"), sample_facts={"donor": donor})
    assert result.method["pair"]["blocks"] == 12
    check(result, read_trait_effects(output, result))


def people(table: LinkedTable) -> dict[str, str]:
    """The last samples have no partner, so that the correlation of partners is estimated."""
    return {s: f"P{min(i // 2, i - 6)}" for i, s in enumerate(table.samples)}


def test_people_with_and_without_a_partner(output: OutputFolder) -> None:
    table = two_groups(genes=150)
    donor = people(table)
    table.expression[:] += np.repeat(np.random.default_rng(2).normal(0, 0.7, (12, 150)), 2, axis=0)
    result = solve(output, table, replace(FAST, pair="donor"), sample_facts={"donor": donor})
    assert result.method["pair"]["design"] == "correlated"
    assert result.method["pair"]["correlation"] > 0.05
    check(result, read_trait_effects(output, result))


def test_effects_against_some_size_are_tested_against_none(output: OutputFolder) -> None:
    result = solve(output, two_groups(genes=150), replace(FAST, min_effect=0.5))
    assert (result.genes["t"] == 0).any()
    check(result, read_trait_effects(output, result), "ratio")


def test_surrogate_variables(output: OutputFolder) -> None:
    trait = np.repeat([0.0, 1.0], [10, 10])
    table = linked(trait, with_batch(20, 300, seed=1))
    result = solve(output, table, replace(FAST, hidden="adjust"))
    assert result.method["hidden"]["ranked_with"] and "SV1" in result.method["design"]
    assert result.method["hidden"]["inflation"] > 1.01
    check(result, read_trait_effects(output, result))


@pytest.mark.parametrize("changes", [{}, {"weights": "group", "pair": "donor"}])
def test_sequencing_counts_keep_their_weights(
    output: OutputFolder, changes: dict[str, Any]
) -> None:
    table, counts = draw_counted()
    counts["factors"] = dict.fromkeys(table.samples, 1.0)
    donor = {s: f"P{i % 9}" for i, s in enumerate(table.samples)}
    options = replace(FAST, **changes)
    result = solve(output, table, options, counts=counts, sample_facts={"donor": donor})
    assert result.method["counts"]["weights"] == "voom"
    check(result, read_trait_effects(output, result))


def test_continuous_trait_and_condition(output: OutputFolder) -> None:
    rng = np.random.default_rng(5)
    table = linked(
        rng.normal(40, 9, 30), rng.normal(8, 1, (30, 120)), {"Age": rng.integers(30, 80, 30)}
    )
    store(output, "GSE1", table)
    result = solve_stored(output, Problem("Asthma", "Age"), FAST)
    check(result, read_trait_effects(output, result))


def test_genes_with_missing_values_are_left_out_and_counted(output: OutputFolder) -> None:
    """Of the other genes t and prior are those that they have alone, as limma must have them."""
    table = two_groups(genes=150)
    table.expression[3, 20:27] = np.nan
    result = solve(output, table, UNFILTERED)
    effects = read_trait_effects(output, result)
    gaps = {f"GENE{j}" for j in range(20, 27)}
    assert effects.left_out == len(gaps)
    assert set(effects.genes) == set(table.genes) - gaps
    whole = [j for j, gene in enumerate(table.genes) if gene not in gaps]
    alone = replace(
        table, genes=effects.genes, expression=np.ascontiguousarray(table.expression[:, whole])
    )
    check(solve(output, alone, UNFILTERED), effects)


def test_hardly_a_gene_without_missing_values(output: OutputFolder) -> None:
    table = two_groups(genes=60)
    table.expression[np.arange(55) % 24, np.arange(55)] = np.nan
    result = solve(output, table)
    with pytest.raises(AnalysisError, match=r"^Asthma, GSE1: \d of \d+ tested genes have no miss"):
        read_trait_effects(output, result)


def two_step(output: OutputFolder) -> AnalysisResult:
    rng = np.random.default_rng(3)
    related = [f"GENE{j}" for j in range(100, 106)]
    for cohort, trait in (("GSE1", "Asthma"), ("GSE2", "Obesity")):
        hidden = rng.integers(0, 2, 24)
        status = np.arange(24) % 2 if trait == "Asthma" else hidden
        values = rng.normal(8, 1, (24, 150))
        values[:, 100:120] += 2.0 * hidden[:, None]
        store(output, cohort, linked(status, values, trait=trait))
    tasks = TaskInfo(
        Path("task_info.json"),
        {"Asthma": TraitInfo(("GENE1",), ("Obesity",)), "Obesity": TraitInfo(tuple(related), ())},
    )
    return solve_stored(output, Problem("Asthma", "Obesity"), FAST, tasks=tasks)


def test_two_step_problem_is_set_up_again_without_the_task_list(output: OutputFolder) -> None:
    result = two_step(output)
    assert "Obesity" in result.method["design"]
    check(result, read_trait_effects(output, result))
    output.linked_parquet("Obesity", "GSE2").unlink()
    output.linked_csv("Obesity", "GSE2").unlink()
    with pytest.raises((FormatError, AnalysisError), match="GSE2"):
        read_trait_effects(output, result)


def test_table_that_changed_since(output: OutputFolder) -> None:
    table = two_groups(genes=150)
    result = solve(output, table)
    table.expression[0, 30] += 0.5
    store(output, "GSE1", table)
    with pytest.raises(
        AnalysisError,
        match=r"^Asthma, GSE1: the analysis cannot be repeated: \d+ of \d+ genes have another t.*"
        r"tables have changed since, or the software.*run analyze again",
    ):
        read_trait_effects(output, result)


def test_genes_that_changed_since(output: OutputFolder) -> None:
    result = solve(output, two_groups(genes=150))
    store(output, "GSE1", two_groups(genes=140))
    with pytest.raises(AnalysisError, match=r"\d+ genes are tested, not the \d+ of the result"):
        read_trait_effects(output, result)


def test_options_of_another_version(output: OutputFolder) -> None:
    result = solve(output, two_groups(genes=150))
    for changed in ({**result.method["options"], "new": 1}, {}):
        other = replace(result, method={**result.method, "options": changed})
        with pytest.raises(AnalysisError, match=r"made by another version.*run analyze again"):
            read_trait_effects(output, other)


def test_result_that_names_no_cohort(output: OutputFolder) -> None:
    result = replace(solve(output, two_groups(genes=150)), cohort="")
    with pytest.raises(AnalysisError, match="does not record how it was made"):
        read_trait_effects(output, result)


def test_cohort_whose_tables_are_gone(output: OutputFolder) -> None:
    result = solve(output, two_groups(genes=150))
    output.linked_parquet("Asthma", "GSE1").unlink()
    output.linked_csv("Asthma", "GSE1").unlink()
    with pytest.raises(FormatError, match="GSE1"):
        read_trait_effects(output, result)
