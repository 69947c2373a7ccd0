"""Problems of an output folder, solved and written."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    ProblemOutcome,
    analyze_table,
    read_result,
    solve_problem,
    solve_problems,
    write_result,
)
from genotex.errors import AnalysisError, FormatError, NoUsableCohortError, UsageError
from genotex.formats import (
    CohortInfo,
    Evidence,
    LinkedTable,
    Role,
    read_evidence,
    read_platforms,
    read_series_matrix,
    update_cohort_info,
    write_evidence,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups

FAST = AnalysisOptions(panel=False)


def put(output: OutputFolder, cohort: str, table: LinkedTable, *, roles: bool = True) -> None:
    size = len(table.samples)
    info = CohortInfo(True, True, True, True, False, True, True, size, None)
    update_cohort_info(output.cohort_info(table.trait), cohort, info)
    write_linked_csv(output.linked_csv(table.trait, cohort), table)
    if not roles:
        return
    kinds: dict[str, Role] = {
        s: "case" if y else ("healthy control" if i % 4 else "other disease")
        for i, (s, y) in enumerate(zip(table.samples, table.trait_values, strict=True))
    }
    evidence = Evidence(table.trait, cohort, "sound", "GEO", "0.1.0", roles=kinds)
    write_evidence(output.evidence(table.trait, cohort), evidence)


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    put(output, "GSE1", two_groups(samples=24))
    put(output, "GSE2", two_groups(samples=40, seed=1))
    return output


def test_largest_cohort_is_analysed_with_its_roles(output: OutputFolder) -> None:
    result = solve_problem(output, Problem("Asthma"), FAST)
    assert result.cohort == "GSE2"
    assert result.cohort_reason == "the largest usable cohort (40 samples)"
    assert result.other_cohorts == {"GSE1": "smaller (24 samples)"}
    assert result.method["contrast"]["controls"] == "healthy"
    assert result.method["contrast"]["group_sizes"] == {"case": 20, "control": 10}
    assert {f"GENE{j}" for j in range(5)} <= set(result.significant["Variable"])


def test_nothing_is_written_before_it_is_asked_for(output: OutputFolder) -> None:
    result = solve_problem(output, Problem("Asthma", "Age"), FAST)
    assert not output.significant_genes("Asthma", "Age").exists()
    write_result(output, result)
    assert output.significant_genes("Asthma", "Age").is_file()
    assert output.all_genes("Asthma", "Age").is_file()


def test_cohort_asked_for(output: OutputFolder) -> None:
    options = replace(FAST, cohort="GSE1")
    assert solve_problem(output, Problem("Asthma"), options).cohort == "GSE1"
    with pytest.raises(UsageError, match="GSE7"):
        solve_problem(output, Problem("Asthma"), replace(FAST, cohort="GSE7"))


def test_folder_of_another_tool_without_roles(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    put(output, "GSE1", two_groups(), roles=False)
    result = solve_problem(output, Problem("Asthma"), FAST)
    assert result.method["contrast"]["group_sizes"] == {"case": 12, "control": 12}
    assert any("no record of roles: all controls are used" in w for w in result.warnings)


def test_preprocessing_that_was_interrupted(output: OutputFolder) -> None:
    """While the record is missing, table and twin may be of two different runs."""
    write_linked_parquet(output.linked_parquet("Asthma", "GSE2"), two_groups(samples=40))
    output.evidence("Asthma", "GSE2").unlink()
    with pytest.raises(AnalysisError, match=r"GSE2 was interrupted; run preprocess again"):
        solve_problem(output, Problem("Asthma"), FAST)


def test_characteristics_in_the_record_are_checked(output: OutputFolder) -> None:
    trait = two_groups(samples=40, seed=1).trait_values
    batch = {f"GSM{i}": f"batch {y:g}" for i, y in enumerate(trait)}
    donor = {f"GSM{i}": f"P{i // 2}" for i in range(40)}
    rewrite_evidence(output, "GSE2", sample_facts={"batch": batch, "donor": donor})
    warnings = solve_problem(output, Problem("Asthma"), replace(FAST, controls="all")).warnings
    assert any("'batch'" in w and "'batch' is not adjusted for" in w for w in warnings)
    assert any("repeated samples suspected" in w for w in warnings)


def test_record_of_an_older_version_without_characteristics(output: OutputFolder) -> None:
    path = output.evidence("Asthma", "GSE2")
    record = json.loads(path.read_text())
    facts = {"batch": {"GSM1": "b1", "GSM2": None}}
    path.write_text(json.dumps({**record, "sample_facts": facts}))
    assert read_evidence(path).sample_facts == facts
    del record["sample_facts"]
    path.write_text(json.dumps(record))
    assert read_evidence(path).sample_facts == {}
    assert solve_problem(output, Problem("Asthma"), FAST).cohort == "GSE2"


def test_values_missing_in_the_unfilled_twin_stay_missing(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    table = two_groups()
    put(output, "GSE1", table)
    table.expression[:3, 7] = np.nan
    csv = output.linked_csv("Asthma", "GSE1")
    write_linked_parquet(output.linked_parquet("Asthma", "GSE1"), table, csv=csv)
    result = solve_problem(output, Problem("Asthma"), replace(FAST, controls="all"))
    assert result.genes.filter(pl.col("Variable") == "GENE7")["Samples"].item() == 21


def test_usable_cohort_whose_table_is_gone(output: OutputFolder) -> None:
    output.linked_csv("Asthma", "GSE2").unlink()
    with pytest.raises(FormatError, match=r"GSE2\.csv"):
        solve_problem(output, Problem("Asthma"), FAST)


def test_message_names_problem_and_cohort_once(output: OutputFolder) -> None:
    blocked = replace(FAST, pair="donor")
    with pytest.raises(UsageError, match=r"^Asthma given Age, GSE2: the cohort has no charact"):
        solve_problem(output, Problem("Asthma", "Age"), blocked)
    rewrite_evidence(output, "GSE2", sample_facts={"donor": {f"GSM{i}": "P1" for i in range(5)}})
    with pytest.raises(AnalysisError, match=r"^Asthma, GSE2: ") as found:
        solve_problem(output, Problem("Asthma"), blocked)
    assert str(found.value).count("Asthma") == 1


def test_trait_without_cohorts(output: OutputFolder) -> None:
    with pytest.raises(NoUsableCohortError):
        solve_problem(output, Problem("Obesity"), FAST)


# Synovial tissue (GSE55457): 13 rheumatoid arthritis, 10 healthy, 10 osteoarthritis.


@pytest.fixture(scope="module")
def synovium(shared_data: Path) -> tuple[LinkedTable, dict[str, Role]]:
    folder = shared_data / "input" / "GEO" / "Rheumatoid_Arthritis" / "GSE55457"
    series = read_series_matrix(next(folder.glob("*matrix*")))
    [platform] = [p for f in folder.glob("GPL96*") for p in read_platforms(f)]
    assert series.expression is not None
    names = dict(zip(platform.table["ID"], platform.table["Gene Symbol"], strict=True))
    rows: dict[str, list[int]] = {}
    for i, probe in enumerate(series.expression.ids):
        symbol = names.get(probe)
        if symbol and "///" not in symbol:
            rows.setdefault(symbol, []).append(i)
    values = np.log2(series.expression.values.astype(float))
    genes = tuple(sorted(rows))
    expression = np.column_stack([values[rows[g]].mean(axis=0) for g in genes])
    gender, age, status = (
        [str(cell).split(": ")[1] for cell in row] for row in series.characteristics[:3]
    )
    kinds: dict[str, Role] = {
        "rheumatoid arthritis": "case",
        "normal control": "healthy control",
        "osteoarthritis": "other disease",
    }
    roles = {s: kinds[v] for s, v in zip(series.samples, status, strict=True)}
    table = LinkedTable(
        "Rheumatoid_Arthritis",
        series.samples,
        np.array([float(v == "rheumatoid arthritis") for v in status]),
        {
            "Age": np.array([float(v) for v in age]),
            "Gender": np.array([float(v == "male") for v in gender]),
        },
        genes,
        expression,
    )
    return table, roles


@pytest.mark.parametrize(
    ("controls", "text", "plain_q"),
    # q of plain regression with age and sex on the same values, from an analysis made elsewhere.
    [
        ("auto", "13 cases against 10 healthy controls", {"CXCL9": 0.017, "CXCL10": 0.017}),
        ("all", "13 cases against 20 controls", {"CXCL9": 0.0002, "CXCL10": 0.0006}),
    ],
)
def test_interferon_signature_of_rheumatoid_arthritis(
    synovium: tuple[LinkedTable, dict[str, Role]],
    controls: str,
    text: str,
    plain_q: dict[str, float],
) -> None:
    options = AnalysisOptions(controls=controls, panel=False, hidden="none")  # type: ignore[arg-type]
    result = analyze_table(*synovium, Problem("Rheumatoid_Arthritis"), options)
    assert result.method["contrast"]["text"].startswith(text)
    assert result.method["covariates"] == ["Age", "Gender"]
    found = dict(result.genes.select("Variable", "q").iter_rows())
    for gene, q in plain_q.items():
        # Borrowing strength between genes sharpens these tests, by less than tenfold.
        assert q / 10 < found[gene] < 1.5 * q
    assert 100 < result.significant.height < 600


def test_interferon_signature_is_found_despite_unmeasured_factors(
    synovium: tuple[LinkedTable, dict[str, Role]],
) -> None:
    options = AnalysisOptions(controls="all", panel=False, hidden="adjust")
    result = analyze_table(*synovium, Problem("Rheumatoid_Arthritis"), options)
    assert result.method["hidden"]["ranked_with"]
    found = dict(result.genes.select("Variable", "q").iter_rows())
    assert all(found[gene] < 0.01 for gene in ("CXCL9", "CXCL10", "GBP1", "TAP1"))


def rewrite_evidence(output: OutputFolder, cohort: str, **changes: object) -> None:
    path = output.evidence("Asthma", cohort)
    write_evidence(path, replace(read_evidence(path), **changes))  # type: ignore[arg-type]


def test_tables_of_the_other_procedure_are_warned_of(output: OutputFolder) -> None:
    assert not any(
        "procedure" in w for w in solve_problem(output, Problem("Asthma"), FAST).warnings
    )
    rewrite_evidence(output, "GSE2", procedure="benchmark")
    warnings = solve_problem(output, Problem("Asthma"), FAST).warnings
    assert "preprocessed by the procedure benchmark" in warnings[0]


def test_controls_chosen_when_preprocessing_hold_unless_chosen_again(output: OutputFolder) -> None:
    rewrite_evidence(output, "GSE2", options={"control_roles": "all"})
    chosen = solve_problem(output, Problem("Asthma"), FAST)
    assert chosen.method["contrast"]["group_sizes"] == {"case": 20, "control": 20}
    again = solve_problem(output, Problem("Asthma"), replace(FAST, controls="healthy"))
    assert again.method["contrast"]["group_sizes"] == {"case": 20, "control": 10}


ASTHMA = Problem("Asthma")


@pytest.fixture
def solved(tmp_path: Path) -> OutputFolder:
    solved = OutputFolder(tmp_path)
    put(solved, "GSE1", two_groups(samples=24))
    put(solved, "GSE2", two_groups(samples=40, seed=1))
    assert solve(solved).result is not None
    page = solved.report("Asthma", None)
    page.parent.mkdir()
    page.write_text("page")
    page.with_suffix(".csv").write_text("genes")
    return solved


def solve(solved: OutputFolder, options: AnalysisOptions = FAST) -> ProblemOutcome:
    [outcome] = solve_problems(solved, [ASTHMA], options)
    return outcome


def make_unusable(solved: OutputFolder, cohort: str) -> None:
    info = CohortInfo(False, True, True, True, True, True, True, 40, None)
    update_cohort_info(solved.cohort_info("Asthma"), cohort, info)


def test_cohort_that_does_not_exist_leaves_the_earlier_result(solved: OutputFolder) -> None:
    outcome = solve(solved, replace(FAST, cohort="GSE404"))
    assert outcome.result is None
    assert "GSE404" in outcome.why
    assert read_result(solved, "Asthma", None).cohort == "GSE2"
    assert solved.report("Asthma", None).exists()


def test_unusable_cohort_asked_for_leaves_the_result_of_another(solved: OutputFolder) -> None:
    make_unusable(solved, "GSE1")
    assert solve(solved, replace(FAST, cohort="GSE1")).result is None
    assert read_result(solved, "Asthma", None).cohort == "GSE2"


def test_earlier_result_of_a_cohort_that_became_unusable_goes(solved: OutputFolder) -> None:
    make_unusable(solved, "GSE2")
    assert solve(solved, replace(FAST, cohort="GSE2")).result is None
    with pytest.raises(AnalysisError, match="run analyze first"):
        read_result(solved, "Asthma", None)


def test_no_usable_cohort_any_more_removes_result_and_report(solved: OutputFolder) -> None:
    for cohort in ("GSE1", "GSE2"):
        make_unusable(solved, cohort)
    assert solve(solved).result is None
    left = [p for folder in ("regress", "report") for p in (solved.root / folder).rglob("*.*")]
    assert left == []


def test_new_result_removes_the_report_of_the_old_one(solved: OutputFolder) -> None:
    assert solve(solved, replace(FAST, cohort="GSE1")).result is not None
    assert read_result(solved, "Asthma", None).cohort == "GSE1"
    assert not solved.report("Asthma", None).exists()
    assert not solved.report("Asthma", None).with_suffix(".csv").exists()


def companions(solved: OutputFolder) -> list[Path]:
    gene_sets, page = solved.enrichment("Asthma", None), solved.meta_report("Asthma", None)
    return [
        gene_sets,
        gene_sets.with_suffix(".csv"),
        solved.meta_genes("Asthma", None),
        solved.meta_table("Asthma", None),
        page,
        page.with_suffix(".csv"),
    ]


@pytest.mark.parametrize("answered", [True, False])
def test_gene_sets_and_combined_cohorts_go_with_their_result(
    solved: OutputFolder, answered: bool
) -> None:
    for path in companions(solved):
        path.write_text("of the earlier result")
    assert solve(solved).result is not None
    assert all(path.exists() for path in companions(solved))  # the very same answer again
    if not answered:
        for cohort in ("GSE1", "GSE2"):
            make_unusable(solved, cohort)
    again = replace(FAST, controls="all")
    assert (solve(solved, again).result is not None) is answered
    assert not any(path.exists() for path in companions(solved))


def test_mistaken_option_is_distinguished_from_data_that_cannot_answer(
    solved: OutputFolder,
) -> None:
    assert solve(solved, replace(FAST, covariates=("Agee",))).wrong_use
    for cohort in ("GSE1", "GSE2"):
        make_unusable(solved, cohort)
    assert not solve(solved).wrong_use


def test_summary_has_samples_and_warnings(solved: OutputFolder) -> None:
    outcome = solve(solved)
    assert outcome.result is not None
    summary = outcome.summary()
    assert summary["samples"] == 30  # 20 cases and the 10 healthy of 20 controls
    assert summary["warnings"] == list(outcome.result.warnings)
    assert summary["genes"] == outcome.result.method["filter"]["tested"]
