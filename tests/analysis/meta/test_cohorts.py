"""Every usable cohort of a trait, analysed and combined."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    META_COLUMNS,
    AnalysisResult,
    analyze_cohorts,
    analyze_table,
    combine_results,
    solve_problem,
)
from genotex.errors import AnalysisError, UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.meta.cohort_folder import followed_level, groups, put_cohort, with_samples

ASTHMA = Problem("Asthma")
CHANGED = {f"GENE{j}" for j in range(6)}


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    for number, samples in ((1, 24), (2, 40), (3, 30)):
        put_cohort(output, f"GSE{number}", groups(number, samples))
    return output


def gene(frame: pl.DataFrame, name: str) -> dict[str, float]:
    return frame.row(by_predicate=pl.col("Variable") == name, named=True)


def test_changed_genes_replicate_and_no_other(output: OutputFolder) -> None:
    result = analyze_cohorts(output, ASTHMA)
    assert set(result.replicating["Variable"]) == CHANGED
    assert [c.name for c in result.cohorts] == ["GSE2", "GSE3", "GSE1"]
    assert [c.samples for c in result.cohorts] == [40, 30, 24]
    assert result.genes.columns == list(META_COLUMNS)
    first = result.significant
    assert first["Replication"].is_sorted(descending=True) and first["Replication"].max() > 0.5
    assert result.genes["Significant"].is_sorted(descending=True)
    assert result.genes[first.height :]["p"].is_sorted()
    assert result.effects["Variable"].equals(result.genes["Variable"])
    widths = result.genes["CI Upper"] - result.genes["CI Lower"]
    assert (widths >= result.genes["Fixed CI Upper"] - result.genes["Fixed CI Lower"]).all()
    assert not result.left_out
    assert not result.warnings


def test_effects_are_those_of_the_single_cohorts(output: OutputFolder) -> None:
    result = analyze_cohorts(output, ASTHMA)
    alone = solve_problem(output, ASTHMA, AnalysisOptions(panel=False, cohort="GSE3"))
    for name in ("GENE0", "GENE20"):
        ours, theirs = gene(result.effects, name), gene(alone.genes, name)
        assert ours["GSE3 Effect"] == theirs["Standardised Effect"]
        assert ours["GSE3 Error"] == theirs["Standardised Error"]
        assert ours["GSE3 Coefficient"] == theirs["Coefficient"]


def test_two_cohorts_have_no_random_effects(output: OutputFolder) -> None:
    result = analyze_cohorts(output, ASTHMA, AnalysisOptions(among=("GSE1", "GSE2")))
    assert set(result.replicating["Variable"]) == CHANGED
    for name in ("Random p", "Random q", "Leave-One-Out p"):
        assert result.genes[name].null_count() == result.genes.height
    for ours, fixed in (("Combined Effect", "Fixed Effect"), ("CI Lower", "Fixed CI Lower")):
        assert result.genes[ours].equals(result.genes[fixed])
    assert result.genes["tau2"].null_count() == 0
    assert result.left_out == {"GSE3": "not among the cohorts that were read now"}


def test_two_processes_find_the_same(output: OutputFolder) -> None:
    seen: list[tuple[str, int]] = []
    result = analyze_cohorts(
        output, ASTHMA, jobs=2, progress=lambda name, total: seen.append((name, total))
    )
    assert result.genes.equals(analyze_cohorts(output, ASTHMA).genes)
    assert seen == [("GSE2", 3), ("GSE3", 3), ("GSE1", 3)]


def test_cohort_that_fails_is_left_out_with_its_reason(output: OutputFolder) -> None:
    output.linked_csv("Asthma", "GSE1").unlink()
    table = groups(4)
    put_cohort(output, "GSE4", replace(table, expression=np.full_like(table.expression, 7.0)))
    result = analyze_cohorts(output, ASTHMA)
    assert [c.name for c in result.cohorts] == ["GSE2", "GSE3"]
    assert "GSE1.csv" in result.left_out["GSE1"]
    assert "no gene of Asthma can be tested" in result.left_out["GSE4"]


def solve_by(monkeypatch: pytest.MonkeyPatch, solve: Callable[[str], AnalysisResult]) -> None:
    """Let each cohort be analysed by a function of its name."""

    def solve_named(_: object, problem: Problem, options: AnalysisOptions, __: object) -> object:
        return solve(str(options.cohort))

    monkeypatch.setattr("genotex.analysis.meta.cohorts.solve_problem", solve_named)


@pytest.mark.parametrize("asked", [{"pair": "donor"}, {"covariates": ("Age", "smoking")}])
def test_cohort_that_lacks_what_the_options_name_is_left_out(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    options = AnalysisOptions(panel=False, **asked)
    plain = AnalysisOptions(panel=False)

    def solve(name: str) -> AnalysisResult:
        return solve_problem(
            output, ASTHMA, replace(options if name == "GSE1" else plain, cohort=name)
        )

    with monkeypatch.context() as patched:
        solve_by(patched, solve)
        result = analyze_cohorts(output, ASTHMA, options)
    assert [c.name for c in result.cohorts] == ["GSE2", "GSE3"]
    assert "no characteristic" in result.left_out["GSE1"]
    with pytest.raises(UsageError, match=r"GSE2: .* no characteristic .*GSE1: "):
        analyze_cohorts(output, ASTHMA, options)


def test_all_cohorts_that_fail_by_themselves(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(name: str) -> AnalysisResult:
        raise AnalysisError(f"{name} is too small")

    solve_by(monkeypatch, solve)
    with pytest.raises(AnalysisError, match=r"no cohort can be used.*GSE1 is too small"):
        analyze_cohorts(output, ASTHMA)


def with_pairs(number: int, samples: int) -> AnalysisResult:
    table = groups(number, samples)
    donors = {"donor": {sample: f"D{i // 2}" for i, sample in enumerate(table.samples)}}
    options = AnalysisOptions(panel=False, pair="donor")
    return replace(analyze_table(table, {}, ASTHMA, options, donors), cohort=f"GSE{number}")


@pytest.mark.parametrize(("paired", "word"), [((40, 36), "between"), ((12, 14), "within")])
def test_paired_and_unpaired_cohorts_are_not_combined(
    output: OutputFolder, paired: tuple[int, int], word: str
) -> None:
    results = {f"GSE{n}": with_pairs(n, size) for n, size in zip((5, 6), paired, strict=True)}
    for name in ("GSE1", "GSE3"):
        options = AnalysisOptions(panel=False, cohort=name, controls="all")
        results[name] = solve_problem(output, ASTHMA, options)
    result = combine_results(ASTHMA, results)
    out = {"between": {"GSE1", "GSE3"}, "within": {"GSE5", "GSE6"}}[word]
    assert set(result.left_out) == out
    for name in out:
        assert f"it is compared {word}" in result.left_out[name]
        assert any(f"{name} was left out" in w for w in result.warnings)
    assert {c.paired for c in result.cohorts} == ({"donor"} if word == "between" else {""})


def test_surrogate_variables_are_among_the_facts_of_a_cohort() -> None:
    rng = np.random.default_rng(3)
    results = {}
    for n, with_trait, mode in ((1, 0.0, "adjust"), (2, 1.0, "auto")):
        options = AnalysisOptions(panel=False, covariates=(), hidden=mode)  # type: ignore[arg-type]
        table = groups(n, 60, genes=300)
        factor = 0.5 * rng.normal(size=60) + with_trait * (table.trait_values - 0.5)
        batch = np.outer(factor, rng.normal(size=300))
        table = replace(table, expression=table.expression + 4 * batch)
        results[f"GSE{n}"] = analyze_table(table, {}, ASTHMA, options)
    hidden = [result.method["hidden"] for result in results.values()]
    assert hidden[0]["ranked_with"]
    facts = {c.name: c for c in combine_results(ASTHMA, results).cohorts}
    assert facts["GSE1"].surrogates == hidden[0]["used"] > 0
    # Found there as well, but not used for the ranking.
    assert facts["GSE2"].surrogates == 0 < hidden[1]["used"]


def test_smaller_of_two_cohorts_that_share_samples_is_left_out(output: OutputFolder) -> None:
    there = groups(2, 40).samples
    again = groups(5, 20)
    put_cohort(output, "GSE5", with_samples(again, (*there[:3], *again.samples[3:])))
    result = analyze_cohorts(output, ASTHMA)
    assert "shares 3 of its 20 samples with GSE2" in result.left_out["GSE5"]
    assert any("GSE5 was left out" in w for w in result.warnings)
    assert len(result.cohorts) == 3


def test_cohorts_of_the_other_kind_of_trait_are_left_out(output: OutputFolder) -> None:
    put_cohort(output, "GSE6", followed_level(6, samples=60))
    result = analyze_cohorts(output, ASTHMA)
    assert "its trait is a measured level" in result.left_out["GSE6"]
    assert result.binary


def test_measured_trait_is_combined_as_fishers_z(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    tables = {f"GSE{n}": followed_level(n, samples) for n, samples in ((1, 30), (2, 50))}
    for name, table in tables.items():
        put_cohort(output, name, table)
    result = analyze_cohorts(output, ASTHMA)
    assert set(result.replicating["Variable"]) == {"GENE0", "GENE1"}
    found = gene(result.genes, "GENE0")
    # Without covariates, Fisher's z of numpy's correlation has the variance 1 / (n - 3).
    z = [np.arctanh(np.corrcoef(t.trait_values, t.expression[:, 0])[0, 1]) for t in tables.values()]
    assert found["Combined Effect"] == pytest.approx(np.average(z, weights=[27, 47]), rel=1e-9)
    assert found["Combined Error"] == pytest.approx((27 + 47) ** -0.5, rel=1e-9)
    assert found["Combined r"] == pytest.approx(np.tanh(found["Combined Effect"]))
    assert -1 < found["r CI Lower"] < found["Combined r"] < found["r CI Upper"] < 1


def test_effect_that_one_cohort_turns_round_does_not_replicate(output: OutputFolder) -> None:
    table = groups(9, 40)
    turned = table.expression.copy()
    turned[:, 0] = 16 - turned[:, 0]
    put_cohort(output, "GSE9", replace(table, expression=turned))
    result = analyze_cohorts(output, ASTHMA)
    found = gene(result.genes, "GENE0")
    assert found["Agreement"] == 0.75
    assert found["I2"] > 80
    assert set(result.replicating["Variable"]) == CHANGED - {"GENE0"}


def test_gene_of_a_single_cohort_is_counted_and_not_combined(output: OutputFolder) -> None:
    table = groups(7)
    put_cohort(output, "GSE7", replace(table, genes=("ONLY1", *table.genes[1:])))
    result = analyze_cohorts(output, ASTHMA)
    assert "ONLY1" not in result.genes["Variable"]
    assert result.method["in_one_cohort_only"] == 1
    assert gene(result.genes, "GENE0")["Cohorts"] == 3
    assert gene(result.genes, "GENE1")["Cohorts"] == 4


def test_condition_that_only_one_cohort_has(output: OutputFolder) -> None:
    for number in (1, 2):
        put_cohort(output, f"GSE{number}", replace(groups(number), covariates={}))
    with pytest.raises(AnalysisError, match=r"only GSE3 can be used.*GSE1: no Age; GSE2: no Age"):
        analyze_cohorts(output, Problem("Asthma", "Age"))
    result = analyze_cohorts(output, ASTHMA)
    assert any("not adjusted for the same covariates" in w for w in result.warnings)


def test_no_second_cohort_left_after_the_analysis(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(name: str) -> AnalysisResult:
        if name != "GSE2":
            raise AnalysisError(f"{name} is too small")
        return solve_problem(output, ASTHMA, AnalysisOptions(panel=False, cohort=name))

    solve_by(monkeypatch, solve)
    with pytest.raises(AnalysisError, match=r"only GSE2 can be used.*GSE1 is too small"):
        analyze_cohorts(output, ASTHMA)


def test_cohorts_without_a_gene_in_common(output: OutputFolder) -> None:
    table = groups(8)
    other = replace(table, genes=tuple(f"OTHER{j}" for j in range(len(table.genes))))
    put_cohort(output, "GSE8", other)
    with pytest.raises(AnalysisError, match="no tested gene in common"):
        analyze_cohorts(output, ASTHMA, AnalysisOptions(among=("GSE1", "GSE8")))


def test_options_that_make_no_sense(output: OutputFolder) -> None:
    with pytest.raises(UsageError, match="GSE1 by name"):
        analyze_cohorts(output, ASTHMA, AnalysisOptions(cohort="GSE1"))
    with pytest.raises(UsageError, match="no standard errors"):
        analyze_cohorts(output, ASTHMA, AnalysisOptions(procedure="benchmark"))


def test_different_controls_and_small_cohorts_are_warned_of(output: OutputFolder) -> None:
    put_cohort(output, "GSE9", groups(9, 12))
    results = {
        name: solve_problem(output, ASTHMA, AnalysisOptions(panel=False, cohort=name, controls=who))
        for name, who in (("GSE2", "healthy"), ("GSE9", "all"))
    }
    warnings = " ".join(combine_results(ASTHMA, results).warnings)
    assert "different controls" in warnings
    assert "Fewer than 20 samples in GSE9 (12)" in warnings


@pytest.mark.parametrize("cohorts", [2, 3])
def test_genes_without_any_effect_give_even_p_values(cohorts: int) -> None:
    options = AnalysisOptions(panel=False, filter_low=False)
    results = {
        f"GSE{n}": replace(
            analyze_table(groups(n, 24, changed=0, genes=2000), {}, ASTHMA, options),
            cohort=f"GSE{n}",
        )
        for n in range(1, cohorts + 1)
    }
    result = combine_results(ASTHMA, results)
    assert 0.02 < (result.genes["p"] < 0.05).mean() < 0.06  # type: ignore[operator]
    assert 0.03 < (result.genes["Stouffer p"] < 0.05).mean() < 0.07  # type: ignore[operator]
    assert not result.replicating.height
