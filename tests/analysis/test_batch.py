"""Many problems of one folder: what is written, what is kept, and what is removed."""

from dataclasses import replace
from pathlib import Path

import pytest

from genotex.analysis import AnalysisOptions, ProblemOutcome, read_result, solve_problems
from genotex.bench.problems import Problem
from genotex.errors import AnalysisError
from genotex.formats import CohortInfo, update_cohort_info
from genotex.layout import OutputFolder
from tests.analysis.cohort_tables import two_groups
from tests.analysis.test_solving import put

FAST = AnalysisOptions(panel=False)
ASTHMA = Problem("Asthma")


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    put(output, "GSE1", two_groups(samples=24))
    put(output, "GSE2", two_groups(samples=40, seed=1))
    assert solve(output).result is not None
    page = output.report("Asthma", None)
    page.parent.mkdir()
    page.write_text("page")
    page.with_suffix(".csv").write_text("genes")
    return output


def solve(output: OutputFolder, options: AnalysisOptions = FAST) -> ProblemOutcome:
    [outcome] = solve_problems(output, [ASTHMA], options)
    return outcome


def make_unusable(output: OutputFolder, cohort: str) -> None:
    info = CohortInfo(False, True, True, True, True, True, True, 40, None)
    update_cohort_info(output.cohort_info("Asthma"), cohort, info)


def test_cohort_that_does_not_exist_leaves_the_earlier_result(output: OutputFolder) -> None:
    outcome = solve(output, replace(FAST, cohort="GSE404"))
    assert outcome.result is None
    assert "GSE404" in outcome.why
    assert read_result(output, "Asthma", None).cohort == "GSE2"
    assert output.report("Asthma", None).exists()


def test_unusable_cohort_asked_for_leaves_the_result_of_another(output: OutputFolder) -> None:
    make_unusable(output, "GSE1")
    assert solve(output, replace(FAST, cohort="GSE1")).result is None
    assert read_result(output, "Asthma", None).cohort == "GSE2"


def test_earlier_result_of_a_cohort_that_became_unusable_goes(output: OutputFolder) -> None:
    make_unusable(output, "GSE2")
    assert solve(output, replace(FAST, cohort="GSE2")).result is None
    with pytest.raises(AnalysisError, match="run analyze first"):
        read_result(output, "Asthma", None)


def test_no_usable_cohort_any_more_removes_result_and_report(output: OutputFolder) -> None:
    for cohort in ("GSE1", "GSE2"):
        make_unusable(output, cohort)
    assert solve(output).result is None
    left = [p for folder in ("regress", "report") for p in (output.root / folder).rglob("*.*")]
    assert left == []


def test_new_result_removes_the_report_of_the_old_one(output: OutputFolder) -> None:
    assert solve(output, replace(FAST, cohort="GSE1")).result is not None
    assert read_result(output, "Asthma", None).cohort == "GSE1"
    assert not output.report("Asthma", None).exists()
    assert not output.report("Asthma", None).with_suffix(".csv").exists()


def companions(output: OutputFolder) -> list[Path]:
    gene_sets, page = output.enrichment("Asthma", None), output.meta_report("Asthma", None)
    return [
        gene_sets,
        gene_sets.with_suffix(".csv"),
        output.meta_genes("Asthma", None),
        output.meta_table("Asthma", None),
        page,
        page.with_suffix(".csv"),
    ]


@pytest.mark.parametrize("answered", [True, False])
def test_gene_sets_and_combined_cohorts_go_with_their_result(
    output: OutputFolder, answered: bool
) -> None:
    for path in companions(output):
        path.write_text("of the earlier result")
    assert solve(output).result is not None
    assert all(path.exists() for path in companions(output))  # the very same answer again
    if not answered:
        for cohort in ("GSE1", "GSE2"):
            make_unusable(output, cohort)
    again = replace(FAST, controls="all")
    assert (solve(output, again).result is not None) is answered
    assert not any(path.exists() for path in companions(output))


def test_mistaken_option_is_distinguished_from_data_that_cannot_answer(
    output: OutputFolder,
) -> None:
    assert solve(output, replace(FAST, covariates=("Agee",))).wrong_use
    for cohort in ("GSE1", "GSE2"):
        make_unusable(output, cohort)
    assert not solve(output).wrong_use


def test_summary_tells_samples_and_warnings(output: OutputFolder) -> None:
    outcome = solve(output)
    assert outcome.result is not None
    summary = outcome.summary()
    assert summary["samples"] == 30  # 20 cases and the 10 healthy of 20 controls
    assert summary["warnings"] == list(outcome.result.warnings)
    assert summary["genes"] == outcome.result.method["filter"]["tested"]
