"""What the choices of a user change in the procedure sound: hidden structure, model, pairs."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    AnalysisResult,
    analyze_table,
    check_p_values,
    excess_near_one,
    null_share,
    write_result,
)
from genotex.errors import UsageError
from genotex.formats import LinkedTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, Hidden, Model
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups


def batched(samples: int = 60, genes: int = 600, changed: int = 20, seed: int = 0) -> LinkedTable:
    """Seven of ten cases but three of ten controls in a batch that moves half of the genes."""
    rng = np.random.default_rng(seed)
    trait = np.arange(samples) % 2
    batch = rng.random(samples) < np.where(trait == 1, 0.7, 0.3)
    values = rng.normal(8, 1, (samples, genes))
    values[:, ::2] += batch[:, None] * rng.normal(0, 2, genes // 2)
    values[:, 1 : 2 * changed : 2] += 1.5 * trait[:, None]
    return linked(trait, values)


PLANTED = {f"GENE{j}" for j in range(1, 40, 2)}


def solve(
    table: LinkedTable, hidden: Hidden = "auto", model: Model = "moderated"
) -> AnalysisResult:
    options = AnalysisOptions(panel=False, hidden=hidden, model=model)
    return analyze_table(table, {}, Problem("Asthma"), options)


def false_share(result: AnalysisResult) -> float:
    found = set(result.significant["Variable"])
    return len(found - PLANTED) / max(1, len(found))


def test_hidden_batch_is_adjusted_for_and_both_analyses_are_reported() -> None:
    table = batched()
    result, plain = solve(table, "adjust"), solve(table, hidden="none")
    assert false_share(plain) > 0.3
    assert false_share(result) < 0.1
    assert len(set(result.significant["Variable"]) & PLANTED) >= 18
    hidden = result.method["hidden"]
    assert hidden["ranked_with"] and hidden["used"] == 1
    assert [name for name in result.method["design"] if name.startswith("SV")] == ["SV1"]
    assert result.method["covariates"] == []
    assert hidden["change"]["significant_without"] == plain.significant.height
    assert hidden["change"]["significant_with"] == result.significant.height
    both = result.genes.join(plain.genes, on="Variable")
    np.testing.assert_allclose(both["Without SV p"], both["p_right"], rtol=1e-12)


def test_the_default_ranks_without_hidden_factors_and_grades_each_gene() -> None:
    table = batched()
    graded, plain, adjusted = solve(table), solve(table, "none"), solve(table, "adjust")
    columns = ["Variable", "Coefficient", "p", "q", "Significant"]
    assert graded.genes.select(columns).equals(plain.genes.select(columns))
    without, with_them = (set(each.significant["Variable"]) for each in (plain, adjusted))
    expected = {
        "robust": without & with_them, "sensitive": without - with_them,
        "masked": with_them - without,
    }  # fmt: skip
    for result in (graded, adjusted):
        found = {name: set(result.genes.filter(pl.col("Grade") == name)["Variable"])
                 for name in expected}  # fmt: skip
        assert found == expected
        counts = {name: len(genes) for name, genes in expected.items()}
        assert result.method["hidden"]["grades"] == counts
        assert f": {counts['robust']} robust (significant with and" in result.hidden_summary
    assert len(expected["robust"] - PLANTED) < 3 < len(expected["sensitive"])
    assert plain.genes["Grade"].null_count() == 600 and plain.hidden_summary == ""


def test_genes_are_graded_where_no_factor_is_found_and_not_where_none_fits() -> None:
    clean = two_groups(samples=60, genes=300, shift=1.5)
    found = solve(clean)
    assert found.method["hidden"]["used"] == 0
    assert (found.significant["Grade"] == "robust").all() and found.significant.height > 3
    few = solve(batched(samples=10, seed=2))
    assert few.method["hidden"]["estimated"] > few.method["hidden"]["used"] == 0
    assert few.genes["Grade"].null_count() == few.genes.height


def test_opposite_changes_are_not_the_same_finding() -> None:
    """A factor that exceeds the trait in both groups turns the change of the genes that follow."""
    table = batched()
    up = pl.col("Coefficient") > 0
    genes = solve(table).genes.filter(pl.col("Grade") == "robust")
    assert genes.filter(up == (pl.col("With SV Coefficient") > 0)).height == genes.height


def test_small_cohort_is_adjusted_too_and_both_analyses_are_reported() -> None:
    table = batched(samples=30)
    result, plain = solve(table, "adjust"), solve(table, hidden="none")
    assert result.method["hidden"]["ranked_with"]
    assert false_share(result) < 0.2 < false_share(plain)
    assert result.method["hidden"]["change"]["significant_without"] == plain.significant.height
    assert result.genes["Without SV p"].drop_nulls().len() == plain.genes["p"].drop_nulls().len()


def test_mixed_model_ranks_when_it_is_asked_to() -> None:
    table = two_groups(samples=60, genes=300, shift=1.0)
    both, first = solve(table, "none", "all"), solve(table, "none", "mixed")
    assert both.method["ranked_by"] == "p" and first.method["ranked_by"] == "Mixed p"
    assert both.significant["Replication"].is_sorted(descending=True)
    assert first.genes["Mixed p"].drop_nulls().is_sorted()
    assert first.significant["Mixed q"].max() < 0.05  # type: ignore[operator]
    same = both.genes.join(first.genes, on="Variable")
    # A column means the same, whichever test ranks.
    for name in ("Coefficient", "p", "Mixed p"):
        np.testing.assert_array_equal(same[name], same[f"{name}_right"])
    assert any("conservative" in warning for warning in first.warnings)
    assert "mixed" not in solve(table, "none").method


def test_record_is_that_of_the_mixed_model_when_it_ranks() -> None:
    table = batched()
    result, plain = solve(table, "adjust", "mixed"), solve(table, "adjust")
    method = result.method
    assert method["ranked_by"] == "Mixed p"
    assert method["design"] == ["Intercept", "Asthma"]
    assert method["residual_df"] == method["mixed"]["residual_df"] == 58
    assert method["hidden"]["moderated_with"] and not method["hidden"]["ranked_with"]
    p = result.genes["Mixed p"].drop_nulls().to_numpy()
    assert method["pi0"] == null_share(p)
    assert method["excess_near_one"] == excess_near_one(p)
    assert method["significant"] == (result.genes["Mixed q"].drop_nulls() < 0.05).sum()
    # The moderated t has its own place, and is the same as where it ranks.
    kept = {key: plain.method[key] for key in ("design", "residual_df", "pi0", "significant")}
    assert {**kept, **method["moderated"]} == method["moderated"]
    assert "moderated" not in plain.method
    json.dumps(method, allow_nan=False)


def test_histogram_check_looks_at_the_test_that_ranks() -> None:
    table = two_groups(samples=60, genes=600, changed=500, shift=2.0)
    mixed, plain = solve(table, "none", "mixed"), solve(table, "none")
    assert mixed.significant.height < 300 < mixed.method["moderated"]["significant"]
    assert any("more than half" in warning for warning in plain.warnings)
    assert not any("more than half" in warning for warning in mixed.warnings)
    expected = check_p_values(mixed.genes["Mixed p"].drop_nulls().to_numpy(), 0)
    assert [warning for warning in mixed.warnings if "histogram" in warning] == expected


def paired(pairs: int = 14) -> tuple[LinkedTable, dict[str, dict[str, str | None]]]:
    """Every donor gives a case and a control, and donors differ more than the groups."""
    rng = np.random.default_rng(1)
    trait = np.arange(2 * pairs) % 2
    donor = np.arange(2 * pairs) // 2
    values = rng.normal(8, 0.3, (2 * pairs, 40)) + rng.normal(0, 3, (pairs, 40))[donor]
    values[:, :4] += 0.8 * trait[:, None]
    table = linked(trait, values, {"Age": (30 + donor).astype(float)})
    return table, {"donor": {s: f"P{d}" for s, d in zip(table.samples, donor, strict=True)}}


def test_pairs_are_compared_within_themselves() -> None:
    table, facts = paired()
    problem = Problem("Asthma")
    apart = analyze_table(table, {}, problem, AnalysisOptions(panel=False), facts)
    result = analyze_table(table, {}, problem, AnalysisOptions(pair="Donor"), facts)
    assert apart.significant.height == 0
    assert any("Paired or repeated samples suspected" in w for w in apart.warnings)
    assert {f"GENE{j}" for j in range(4)} <= set(result.significant["Variable"])
    assert not any("suspected" in warning for warning in result.warnings)
    assert result.method["pair"]["key"] == "donor"
    # The donors' own levels hold their ages already.
    assert result.method["covariates"] == []
    assert result.method["residual_df"] == 28 - 15
    assert "within pairs" in result.method["panel"]["notes"][0]


def test_pair_by_a_characteristic_that_is_not_there() -> None:
    table, facts = paired()
    with pytest.raises(UsageError, match="donor"):
        analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(pair="family"), facts)


def test_characteristic_named_as_covariate_is_adjusted_for() -> None:
    table = two_groups(samples=40)
    bmi = np.random.default_rng(2).normal(27, 4, 40)
    facts = {"BMI": {s: f"{v:.1f}" for s, v in zip(table.samples, bmi, strict=True)}}
    options = AnalysisOptions(panel=False, hidden="none", covariates=("bmi",))
    result = analyze_table(table, {}, Problem("Asthma"), options, facts)
    assert result.method["covariates"] == ["BMI"]
    with pytest.raises(UsageError, match=r"'height'.*'BMI'"):
        analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(covariates=("height",)), facts)


def test_list_holds_only_columns_that_are_filled(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    for model, there in (("moderated", False), ("all", True)):
        result = solve(two_groups(), "none", model)  # type: ignore[arg-type]
        content = json.loads(write_result(output, result).read_text())
        assert ("Mixed q" in content["significant_genes"]) is there
        assert "With SV q" not in content["significant_genes"]
        assert "q" in content["significant_genes"]


def test_threads_change_nothing_in_the_answer() -> None:
    table = batched()
    one, two = (
        analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(), threads=threads)
        for threads in (1, 2)
    )
    assert one.genes.equals(two.genes)
    assert one.method == two.method and one.warnings == two.warnings
    assert one.cv_performance == two.cv_performance


def with_covariates(condition: str | None = None, **covariates: np.ndarray) -> AnalysisResult:
    """Genes that follow age, which the cases have more of."""
    rng = np.random.default_rng(7)
    trait = np.repeat([0.0, 1.0], 20)
    age = 50 + 12 * trait + rng.normal(0, 4, 40)
    values = rng.normal(8, 1, (40, 300))
    values[:, :150] += 0.2 * (age - 50)[:, None] * rng.choice([-1, 1], 150)
    table = linked(trait, values, {"Age": age, **covariates})
    options = AnalysisOptions(panel=False, hidden="none")
    return analyze_table(table, {}, Problem("Asthma", condition), options)


def test_genes_found_without_covariates_are_counted_where_they_are_many_more() -> None:
    result = with_covariates()
    without = result.method["without_covariates"]
    assert without > 1.5 * result.significant.height
    sentence = f"Without covariates (Age), {without} genes would be significant."
    assert result.covariates_summary == sentence


def test_a_condition_that_is_a_covariate_anyway_is_stated() -> None:
    given_age, plain = with_covariates("Age"), with_covariates()
    assert given_age.method["without_covariates"] is None
    assert given_age.genes["p"].to_list() == pytest.approx(plain.genes["p"].to_list())
    assert "Age is a covariate without this condition too" in given_age.covariates_summary


def test_sva_is_that_of_r_without_weights_unless_they_are_asked_for() -> None:
    table = batched()
    table.expression[1::2] = 8 + 2 * (table.expression[1::2] - 8)
    for hidden, weights, used in (
        ("sva", "auto", "none"), ("two-step", "auto", "none"), ("sva", "group", "group"),
        ("auto", "auto", "group"), ("adjust", "auto", "group"),
    ):  # fmt: skip
        asked = AnalysisOptions(panel=False, hidden=hidden, weights=weights)  # type: ignore[arg-type]
        found = analyze_table(table, {}, Problem("Asthma"), asked)
        assert found.method["weights"]["used"] == used, (hidden, weights)
