"""Wrong use of the toolkit is told so that a reader of the message knows what to do."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import ClinicalTable, Genes, SeriesText, Task
from genotex.agents import toolkit as t
from genotex.errors import FormatError, NoUsableCohortError, UsageError
from genotex.layout import OutputFolder
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import cohort_task
from tests.geo_text import series_matrix, write_asthma, write_gz


@pytest.fixture
def task(tmp_path: Path) -> Task:
    write_asthma(tmp_path / "in")
    return cohort_task(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1", "sound")


@pytest.fixture
def series(task: Task) -> SeriesText:
    return t.read_series(t.find_files(task))


def trait_of(cell: str) -> float | None:
    return {"asthma": 1, "healthy control": 0}.get(cell.partition(":")[2].strip())


def measured(cell: str) -> float | None:
    """Read a number, as of a trait that is measured, or of a sex that is numbered."""
    value = cell.partition(":")[2].strip()
    return float(value) if value.isdigit() else None


@pytest.fixture
def clinical(series: SeriesText) -> ClinicalTable:
    return t.clinical_table(series, t.encode_feature(series, "trait", 0, trait_of))


@pytest.fixture
def genes(series: SeriesText) -> Genes:
    return t.normalise_symbols(t.read_expression(series))


@pytest.fixture
def simulated(study: SimulatedStudy, tmp_path: Path) -> SeriesText:
    """A series whose rows are probes."""
    task = cohort_task(study.folder, tmp_path, "Simulated_Arthritis", "GSE90000001", "sound")
    return t.read_series(t.find_files(task))


def test_row_that_does_not_exist_lists_the_rows(series: SeriesText) -> None:
    told = r"no row 9; its rows are 0 'disease state', 1 'age', 2 'Sex'; or use title"
    with pytest.raises(UsageError, match=told):
        t.encode_feature(series, "trait", 9, trait_of)
    with pytest.raises(UsageError, match=r"there is no row 9; use 0 to 2"):
        t.unique_values(series, 9)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"feature": "sex"}, "feature 'sex' is not known; use trait, age or gender"),
        ({"kind": "categorical"}, "kind 'categorical' is not known"),
        ({"roles": {"disease state: asthma": "patient"}}, "role 'patient' is not known"),
        ({"roles": {"asthma": "case"}}, "`roles` names 'asthma', which no sample has"),
        ({"roles": {"disease state: asthma": "other disease"}}, "but has the code 1"),
        ({"row": 1}, "every value became None"),
    ],
)
def test_encoding_that_makes_no_sense(
    series: SeriesText, changed: dict[str, Any], told: str
) -> None:
    given = {"feature": "trait", "row": 0, "convert": trait_of} | changed
    with pytest.raises(UsageError, match=told):
        t.encode_feature(series, **given)


def test_keyword_that_does_not_exist_lists_those_that_do(task: Task) -> None:
    # GenoTEX paper, appendix H, listing 14.
    with pytest.raises(UsageError, match=r"unexpected keyword argument 'fit_intercept'") as told:
        t.analyse(None, fit_intercept=True)  # type: ignore[call-arg,arg-type]
    assert "its arguments are data, model, covariates" in str(told.value)
    with pytest.raises(UsageError, match="missing a required argument: 'task'"):
        t.find_files()  # type: ignore[call-arg]


def test_steps_in_the_wrong_order_name_which_comes_first(
    series: SeriesText, clinical: ClinicalTable, genes: Genes
) -> None:
    expression = t.read_expression(series)
    with pytest.raises(UsageError, match=r"`genes` must be Genes \(made by normalise_symbols"):
        t.link(clinical, expression)  # type: ignore[arg-type]
    linked = t.link(clinical, genes)
    with pytest.raises(UsageError, match=r"given was LinkedSamples \(made by link"):
        t.judge_bias(linked)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"must be Task \(made by the first cell"):
        t.find_files("input/GEO")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"`table` must be ClinicalTable .* given was None"):
        t.save_table(None)  # type: ignore[arg-type]


def test_probes_must_be_mapped_before_they_are_normalised(simulated: SeriesText) -> None:
    with pytest.raises(UsageError, match=r"not gene symbols .* map them first with map_probes"):
        t.normalise_symbols(t.read_expression(simulated))


def test_columns_that_do_not_exist_list_those_that_do(simulated: SeriesText) -> None:
    expression, annotation = t.read_expression(simulated), t.read_annotation(simulated)
    with pytest.raises(UsageError, match=r"gene_column is 'SYMBOL', .* 'Gene Symbol'"):
        t.map_probes(expression, annotation, id_column="ID", gene_column="SYMBOL")
    with pytest.raises(UsageError, match="id_column is missing; the columns of GPL900001"):
        t.map_probes(expression, annotation)
    with pytest.raises(UsageError, match="no platform 'GPL570'; use GPL900001"):
        t.map_probes(expression, annotation, "ID", "Gene Symbol", platform="GPL570")
    with pytest.raises(UsageError, match=r"preview\(\): there is no column 'SYMBOL'"):
        t.preview(annotation, names=["SYMBOL"])


def test_columns_that_hold_something_else_are_reported(simulated: SeriesText) -> None:
    expression, annotation = t.read_expression(simulated), t.read_annotation(simulated)
    with pytest.raises(FormatError, match=r"'Gene Title' .*all row ids are in column 'ID'"):
        t.map_probes(expression, annotation, "Gene Title", "Gene Symbol")
    with pytest.raises(FormatError, match="'Sequence Type' identifies no genes"):
        t.map_probes(expression, annotation, "ID", "Sequence Type")


def test_annotation_that_is_not_there(series: SeriesText) -> None:
    with pytest.raises(UsageError, match="no file in the folder holds the table of GPL1"):
        t.read_annotation(series)


def test_empty_expression_table_explains_how_to_record_it(tmp_path: Path) -> None:
    text = series_matrix(characteristics=[["age: 1"] * 6], ids=[])
    write_gz(tmp_path / "in" / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    task = cohort_task(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1", "sound")
    expression = t.read_expression(t.read_series(t.find_files(task)))
    for function in (t.identify_rows, t.map_probes, t.normalise_symbols):
        with pytest.raises(UsageError, match=r"no expression table .* save_cohort_info\(task"):
            function(expression)  # type: ignore[operator]


def test_folders_that_hold_no_cohort(task: Task, study: SimulatedStudy, tmp_path: Path) -> None:
    folder = Path(task.folder)
    shutil.rmtree(folder)
    with pytest.raises(UsageError, match="is not a folder; use the `task` of the first cell"):
        t.find_files(task)
    folder.mkdir()
    (folder / "notes.txt").touch()
    with pytest.raises(UsageError, match=r"neither a series matrix .* it holds notes.txt"):
        t.find_files(task)
    tcga = cohort_task(study.folder, tmp_path, "Simulated_Carcinoma", "TCGA", "sound")
    with pytest.raises(UsageError, match="no study was named; name the folder that means Sim"):
        t.find_files(tcga)
    with pytest.raises(UsageError, match=r"there is no study 'LUAD'.*Folders: TCGA_Simulated"):
        t.find_files(tcga, "LUAD")
    problem = Task("statistics", "Asthma", str(folder), task.output)
    with pytest.raises(UsageError, match=r"use choose_data\(task\)"):
        t.find_files(problem)
    with pytest.raises(UsageError, match=r"use find_files\(task\)"):
        t.choose_data(tcga)


def test_geo_and_tcga_files_are_not_taken_for_each_other(
    task: Task, study: SimulatedStudy, tmp_path: Path
) -> None:
    tcga = cohort_task(study.folder, tmp_path, "Simulated_Carcinoma", "TCGA", "sound")
    files = t.find_files(tcga, "TCGA_Simulated_Carcinoma_(SIMC)")
    with pytest.raises(UsageError, match=r"use read_clinical_matrix\(files\)"):
        t.read_series(files)
    with pytest.raises(UsageError, match=r"use read_series\(files\)"):
        t.read_clinical_matrix(t.find_files(task))
    columns = t.read_clinical_matrix(files)
    with pytest.raises(UsageError, match="there is no column 'Age'; use barcode, or one of"):
        t.encode_feature(columns, "age", "Age", float)
    with pytest.raises(UsageError, match="there is no column None; columns: "):
        t.unique_values(columns)


def test_features_in_the_wrong_place_are_reported(
    series: SeriesText, simulated: SeriesText
) -> None:
    trait = t.encode_feature(series, "trait", 0, trait_of)
    with pytest.raises(UsageError, match="`age` was given the feature 'trait'"):
        t.clinical_table(series, None, trait)
    with pytest.raises(UsageError, match="trait was encoded from another series"):
        t.clinical_table(simulated, trait)


def test_table_without_a_trait_is_neither_linked_nor_saved(
    series: SeriesText, genes: Genes
) -> None:
    bare = t.clinical_table(series)
    with pytest.raises(UsageError, match="has no trait, and without it nothing is linked"):
        t.link(bare, genes)
    with pytest.raises(UsageError, match="without a trait is not saved"):
        t.save_table(bare)


def test_record_of_less_than_is_known_is_refused(
    task: Task, clinical: ClinicalTable, genes: Genes
) -> None:
    record: Callable[..., object] = t.save_cohort_info
    for given, told in (
        ({}, "state in why_no_genes why there are none"),
        ({"why_no_genes": "microRNA"}, "clinical=... is missing"),
        ({"genes": genes}, "without clinical"),
        ({"genes": genes, "clinical": clinical}, "they must be linked first"),
    ):
        with pytest.raises(UsageError, match=told):
            record(task, **given)
    assert not OutputFolder(Path(task.output)).cohort_info("Asthma").exists()


def test_record_before_the_tables_names_those_that_are_missing(
    task: Task, clinical: ClinicalTable, genes: Genes
) -> None:
    judged = t.judge_bias(t.handle_missing_values(t.link(clinical, genes)))
    t.save_table(genes)
    told = r"call save_table\(clinical\) and save_table\(judged\) first"
    with pytest.raises(UsageError, match=told):
        t.save_cohort_info(task, clinical, genes, judged)


def test_table_of_a_one_sided_cohort_is_not_saved(tmp_path: Path) -> None:
    rows = [["disease state: healthy control"] + ["disease state: asthma"] * 23]
    path = tmp_path / "in" / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    write_gz(path, series_matrix(characteristics=rows))
    task = cohort_task(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1", "sound")
    series = t.read_series(t.find_files(task))
    clinical = t.clinical_table(series, t.encode_feature(series, "trait", 0, trait_of))
    genes = t.normalise_symbols(t.read_expression(series))
    judged = t.judge_bias(t.handle_missing_values(t.link(clinical, genes)))
    assert not judged.is_usable
    with pytest.raises(UsageError, match=r"too one-sided .*only the table of a usable cohort"):
        t.save_table(judged)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x" * 300, r"only task.output can be written"),  # longer than a name may be
        ("blocked", r"blocked is a file, where a folder is needed"),
    ],
)
def test_folder_that_may_not_be_written_is_reported(
    task: Task, tmp_path: Path, name: str, told: str
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder is needed")
    elsewhere = Task.from_json(task.to_json() | {"output": str(tmp_path / name)})
    series = t.read_series(t.find_files(elsewhere))
    clinical = t.clinical_table(series, t.encode_feature(series, "trait", 0, trait_of))
    with pytest.raises(UsageError, match=told):
        t.save_table(clinical)
    assert blocked.read_text() == "a file where a folder is needed"


def test_problem_without_a_usable_cohort(tmp_path: Path) -> None:
    (tmp_path / "preprocess").mkdir()
    with pytest.raises(NoUsableCohortError, match="Asthma has no preprocessed cohort"):
        t.choose_data(Task("statistics", "Asthma", str(tmp_path), str(tmp_path)))


def test_without_pandas_a_table_names_what_to_use(
    genes: Genes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pandas is not installed here; use \.rows, \.columns"):
        genes.to_pandas()


def test_trait_and_gender_from_one_row_with_the_same_values_are_refused(tmp_path: Path) -> None:
    rows = [["sex: 1", "sex: 2", "sex: 1", "sex: 2"], ["level: 3", "level: 4", "level: 5", "x"]]
    matrix = series_matrix(characteristics=rows)
    write_gz(tmp_path / "in/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz", matrix)
    task = cohort_task(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1", "sound")
    series = t.read_series(t.find_files(task))
    sex = t.encode_feature(series, "gender", 0, lambda cell: int(cell[-1]) - 1)
    wrong = t.encode_feature(series, "trait", 0, measured, kind="continuous")
    with pytest.raises(UsageError, match="trait and gender come from the same row"):
        t.clinical_table(series, wrong, gender=sex)
    right = t.encode_feature(series, "trait", 1, measured, kind="continuous")
    assert t.clinical_table(series, right, gender=sex).rows == ("Asthma", "Gender")
