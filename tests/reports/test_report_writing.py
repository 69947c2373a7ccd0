"""Reports written from an output folder, through the real readers and the real analysis."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl
import pytest

from genotex.analysis import read_result, solve_problem, write_result
from genotex.errors import AnalysisError, UsageError
from genotex.formats import (
    Evidence,
    LinkedTable,
    update_cohort_info,
    write_evidence,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo, TraitInfo
from genotex.reports import write_report, write_unanswered_report
from tests.reports.report_cohort import make_evidence, make_infos, make_table, with_missing

TRAIT = "Rheumatoid_Arthritis"


def prepare(
    root: Path,
    table: LinkedTable,
    roles: dict[str, str],
    *,
    condition: str | None = None,
    record: bool = True,
    **options: Any,
) -> OutputFolder:
    output = OutputFolder(root)
    write_linked_csv(output.linked_csv(TRAIT, "GSE55457"), with_missing(table, 0.0))
    if record:
        write_linked_parquet(output.linked_parquet(TRAIT, "GSE55457"), table)
    for cohort, info in make_infos().items():
        update_cohort_info(output.cohort_info(TRAIT), cohort, info)
    if record:
        write_evidence(output.evidence(TRAIT, "GSE55457"), make_evidence(table, roles))
    told = AnalysisOptions(**{"panel": False, **options})
    write_result(output, solve_problem(output, Problem(TRAIT, condition), told, tasks()))
    return output


def tasks() -> TaskInfo:
    """Return related genes of the trait: some that differ and some that do not."""
    related = ("CXCL9", "GBP1", "JUN", *(f"GENE{i}" for i in range(11, 20)))
    return TaskInfo(Path("task_info.json"), {TRAIT: TraitInfo(related, ())})


pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def solved(tmp_path: Path) -> OutputFolder:
    return prepare(tmp_path, *make_table(genes=60))


def files_below(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def test_report_and_table_lie_where_the_layout_says(solved: OutputFolder) -> None:
    path = write_report(solved, TRAIT, None)
    assert path == solved.report(TRAIT, None)
    assert files_below(path.parent) == [path.with_suffix(".csv").name, path.name]
    html = path.read_text(encoding="utf-8")
    assert f'href="{path.with_suffix(".csv").name}"' in html
    assert "the largest usable cohort (33 samples)" in html
    assert "Smyth 2004" in html


def test_csv_has_every_gene_and_the_numbers_of_the_result(solved: OutputFolder) -> None:
    path = write_report(solved, TRAIT, None).with_suffix(".csv")
    genes = {row["Variable"]: row for row in read_result(solved, TRAIT, None).genes.to_dicts()}
    with path.open(newline="", encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["gene"] for row in rows} == set(genes)
    for row in rows:
        gene = genes[row["gene"]]
        for ours, theirs in (
            ("log2_fold_change", "Coefficient"), ("standard_error", "Standard Error"),
            ("ci_low", "CI Lower"), ("ci_high", "CI Upper"), ("p", "p"), ("q", "q"), 
            ("mean", "Mean Expression"),
        ):  # fmt: skip
            value = float(row[ours]) if row[ours] else None
            assert value == gene[theirs]
        assert (row["significant"] == "true") == gene["Significant"]
    values = [float(row["p"]) for row in rows if row["p"] and row["significant"] != "true"]
    assert values == sorted(values)


def test_csv_is_read_by_pandas(solved: OutputFolder) -> None:
    pandas = pytest.importorskip("pandas")
    path = write_report(solved, TRAIT, None).with_suffix(".csv")
    frame = pandas.read_csv(path, index_col="gene")
    assert len(frame) == 60
    assert frame["p"].dtype == float
    assert frame["significant"].dtype == bool


def test_page_shows_the_same_numbers_as_the_result(solved: OutputFolder) -> None:
    html = write_report(solved, TRAIT, None).read_text(encoding="utf-8")
    result = read_result(solved, TRAIT, None)
    assert f"<span>{result.significant.height}</span>" in html
    first = result.genes.row(0, named=True)
    written = re.search(rf'<th scope="row">{first["Variable"]}</th><td>([^<]+)</td>', html)
    assert written
    shown = float(written[1].replace("\N{MINUS SIGN}", "-"))
    assert math.isclose(shown, first["Coefficient"], abs_tol=0.005)


@pytest.mark.everyday
@pytest.mark.usefixtures("with_figures")
def test_same_input_same_files(solved: OutputFolder, tmp_path: Path) -> None:
    first = write_report(solved, TRAIT, None, path=tmp_path / "a" / "r.html")
    second = write_report(solved, TRAIT, None, path=tmp_path / "b" / "r.html")
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".csv").read_bytes() == second.with_suffix(".csv").read_bytes()


def test_condition_with_interaction(tmp_path: Path) -> None:
    output = prepare(tmp_path, *make_table(genes=40), condition="Age")
    path = write_report(output, TRAIT, "Age")
    html = path.read_text(encoding="utf-8")
    assert path.name == "Rheumatoid_Arthritis_condition_Age.html"
    assert "given Age" in html
    assert "trait by Age interaction" in html
    frame = pl.read_csv(path.with_suffix(".csv"))
    assert {"interaction", "interaction_standard_error", "interaction_t", "interaction_p"} < set(
        frame.columns
    )
    result = read_result(output, TRAIT, "Age")
    assert '<section id="interaction">' in html
    assert "Interaction with Age" in html
    table = html[html.index('<section id="interaction">') :]
    first = re.search(r'<th scope="row">([^<]+)</th>', table)
    assert first is not None
    assert first[1] == result.method["interaction"]["top"][0]["Variable"]
    # In the answer, under the table and in the methods.
    assert len(re.findall("The change depends on age for|No gene passes .* with age", html)) == 2
    assert "The interaction of trait and age was tested" in html


def test_csv_states_why_a_gene_was_not_tested(tmp_path: Path) -> None:
    table, roles = make_table(genes=40)
    table.expression[:, 38] = 7.0
    table.expression[2:, 39] = float("nan")
    path = write_report(prepare(tmp_path, table, roles), TRAIT, None).with_suffix(".csv")
    status = dict(pl.read_csv(path).select("gene", "status").iter_rows())
    assert status[table.genes[38]] == "constant"
    assert status[table.genes[39]] == "too few values"
    assert status["CXCL9"] == "tested"


def test_columns_of_the_documentation_are_those_of_the_csv(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "result-files.md").read_text()
    text = text[text.index("## Columns") : text.index("## `method`")]
    rows = [line.split("|")[2] for line in text.splitlines() if line.startswith("| ")]
    documented = {name for row in rows for name in re.findall("`([^`]+)`", row)}
    made = make_table(cases=14, controls=14, genes=240)
    found: set[str] = set()
    analyses = ((made, None, "none"), (batched(*made), "Age", "sva"), (dense(*made), None, "auto"))
    for i, (cohort, condition, hidden) in enumerate(analyses):
        options = {"panel": True, "model": "all", "hidden": hidden}
        output = prepare(tmp_path / str(i), *cohort, condition=condition, **options)
        found |= set(columns_of(write_report(output, TRAIT, condition)))
    output = prepare(tmp_path / "benchmark", *make_table(genes=40), procedure="benchmark")
    found |= set(columns_of(write_report(output, TRAIT, None)))
    assert found <= documented
    # Names of other kinds of trait, which other tests have seen.
    assert documented - found == {
        "change_per_sd", "change_per_unit", "largest_difference", "largest_coefficient", "f", "F",
        "partial_r", "partial_r_standard_error", "partial_r_ci_low", "partial_r_ci_high",
        "departure_f", "departure_p", "departure_q",
    }  # fmt: skip


def columns_of(page: Path) -> list[str]:
    return pl.read_csv(page.with_suffix(".csv")).columns


def batched(table: LinkedTable, roles: dict[str, str]) -> tuple[LinkedTable, dict[str, str]]:
    """Shift half of the genes in every second sample: hidden structure that is there to find."""
    expression = table.expression.copy()
    expression[::2, ::2] += 2.5
    return replace(table, expression=expression), roles


def dense(table: LinkedTable, roles: dict[str, str]) -> tuple[LinkedTable, dict[str, str]]:
    """Let nearly every gene follow a disease that some cases have more of than others."""
    rng = np.random.default_rng(0)
    severity = table.trait_values * rng.uniform(0.5, 2.5, len(table.samples))
    moved = np.outer(severity, rng.normal(0, 2.0, len(table.genes)))
    return replace(table, expression=table.expression + moved), roles


def test_surrogate_variables_of_a_real_analysis_are_reported(tmp_path: Path) -> None:
    table, roles = batched(*make_table(cases=14, controls=14, genes=240))
    path = write_report(prepare(tmp_path, table, roles, hidden="sva"), TRAIT, None)
    html = path.read_text(encoding="utf-8")
    assert '<section id="unmeasured">' in html
    assert "Every gene&#39;s test is adjusted for" in html
    assert "Leek and Storey 2008" in html
    assert {"without_sv_change", "without_sv_p", "without_sv_q"} < set(columns_of(path))


def test_mixed_model_of_a_real_analysis_ranks_page_and_csv(tmp_path: Path) -> None:
    path = write_report(prepare(tmp_path, *make_table(genes=60), model="mixed"), TRAIT, None)
    frame = pl.read_csv(path.with_suffix(".csv"))
    known = frame["mixed_p"].drop_nulls()
    assert known.is_sorted()
    assert frame["significant"].sum() == (frame["mixed_q"] < 0.05).sum()
    assert f">{frame['gene'][0]}</th>" in path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("with_figures")
def test_benchmark_is_reported_from_the_filled_table(tmp_path: Path) -> None:
    output = prepare(tmp_path, *make_table(genes=40), procedure="benchmark")
    path = write_report(output, TRAIT, None)
    html = path.read_text(encoding="utf-8")
    chosen = read_result(output, TRAIT, None).significant["Variable"].to_list()
    frame = pl.read_csv(path.with_suffix(".csv"))
    assert frame.columns == ["gene", "coefficient", "absolute_coefficient", "selected"]
    assert set(frame.filter("selected")["gene"]) == set(chosen)
    assert f"<span>{len(chosen)}</span> selected genes" in html
    assert 'id="figure-coefficients"' in html
    assert 'id="figure-volcano"' not in html
    assert "Prior knowledge of the same trait" in html
    assert "p-value</th>" not in html


def test_trait_name_as_people_write_it(solved: OutputFolder) -> None:
    assert write_report(solved, "Rheumatoid Arthritis", None) == solved.report(TRAIT, None)


@pytest.mark.usefixtures("with_figures")
def test_twin_with_missing_values(tmp_path: Path) -> None:
    table, roles = make_table(genes=50)
    output = prepare(tmp_path, with_missing(table, 0.03), roles)
    assert "nan" not in write_report(output, TRAIT, None).with_suffix(".csv").read_text().lower()


@pytest.mark.usefixtures("with_figures")
def test_cohort_of_six_samples(tmp_path: Path) -> None:
    output = prepare(tmp_path, *make_table(cases=3, controls=3, others=0, genes=30))
    assert write_report(output, TRAIT, None).is_file()


@pytest.mark.usefixtures("with_figures")
def test_continuous_trait(tmp_path: Path) -> None:
    table, roles = make_table(genes=30)
    levels = replace(
        table, trait_values=table.covariates["Age"] + table.expression[:, 0], covariates={}
    )
    html = write_report(prepare(tmp_path, levels, roles), TRAIT, None).read_text(encoding="utf-8")
    assert "33 samples along the measured level" in html


def test_folder_of_another_tool_without_record(tmp_path: Path) -> None:
    output = prepare(tmp_path, *make_table(genes=30), record=False)
    html = write_report(output, TRAIT, None).read_text(encoding="utf-8")
    assert "prepared by another tool" in html


def test_record_of_an_unusable_cohort_gives_the_reason(solved: OutputFolder) -> None:
    why = "trait not available: no characteristic tells it"
    notes = ["row ids: 100 % probes", why]
    record = Evidence(TRAIT, "GSE157103", "sound", "GEO", "0.1.0", notes=notes)
    write_evidence(solved.evidence(TRAIT, "GSE157103"), record)
    assert f"Not usable: {why}." in write_report(solved, TRAIT, None).read_text(encoding="utf-8")
    page = write_unanswered_report(solved, TRAIT, None, {}).read_text(encoding="utf-8")
    assert f"Not usable: {why}." in page


def test_failing_write_leaves_nothing(
    solved: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(frame: pl.DataFrame, file: BinaryIO) -> None:
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_report(solved, TRAIT, None)
    assert files_below(solved.report(TRAIT, None).parent) == []


def test_failing_page_keeps_the_old_report(
    solved: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_report(solved, TRAIT, None)
    before = {p: p.read_bytes() for p in path.parent.iterdir()}

    def broken(page: object) -> str:
        raise ValueError("no template")

    monkeypatch.setattr("genotex.reports.problem.report.render_page", broken)
    with pytest.raises(ValueError, match="no template"):
        write_report(solved, TRAIT, None)
    assert {p: p.read_bytes() for p in path.parent.iterdir()} == before


def test_problem_that_was_not_analysed(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="run analyze first"):
        write_report(OutputFolder(tmp_path), "Asthma", None)


def test_report_that_would_overwrite_its_own_table(solved: OutputFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csv"):
        write_report(solved, TRAIT, None, path=tmp_path / "genes.csv")


def test_unanswered_report_gives_reasons_and_removes_an_old_table(solved: OutputFolder) -> None:
    table = write_report(solved, TRAIT, None).with_suffix(".csv")
    assert table.is_file()
    path = write_unanswered_report(solved, TRAIT, None, {"GSE55457": "trait biased"})
    html = path.read_text(encoding="utf-8")
    assert not table.exists()
    assert "Not answerable" in html
    assert "Trait biased." in html
    assert "GSE157103" in html


def test_unanswered_report_of_an_empty_folder(tmp_path: Path) -> None:
    path = write_unanswered_report(OutputFolder(tmp_path), "Crohn's Disease", "Age", {})
    assert path.name == "Crohns_Disease_condition_Age.html"
    assert "the output folder has none" in path.read_text(encoding="utf-8")
