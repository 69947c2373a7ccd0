"""A made-up feature, registered once, is in sheet, record and page, and adjusts tests."""

from pathlib import Path

import pytest

from genotex.analysis import solve_problem, write_result
from genotex.clinical import describe_series, find_relations, load_sample_sheet, rule_expert
from genotex.cohorts import (
    PreprocessOptions,
    RawSeries,
    preprocess,
    propose_sheet,
    read_series_file,
)
from genotex.errors import UsageError
from genotex.features import (
    Placed,
    SampleFeature,
    SeriesTexts,
    Statement,
    feature_named,
    recorded_features,
    registered,
    sample_features,
    table_features,
)
from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_report
from tests.geo_text import series_matrix, write_gz

STATES = [f"disease state: {'healthy' if n % 2 else 'asthma'}" for n in range(16)]
HAIR = [f"hair colour: {('Fair', 'Dark')[n // 2 % 2]}" for n in range(16)]


def _colour(key: str, value: str) -> Statement | None:
    return Statement(value.casefold(), value) if key == "hair colour" else None


def _find(texts: SeriesTexts) -> Placed:
    return texts.gather(_colour)


HAIR_FEATURE = SampleFeature(name="hair", label="Colour of hair", scale="levels", find=_find)


def write_series(folder: Path) -> Path:
    path = folder / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    return write_gz(path, series_matrix(characteristics=[STATES, HAIR]))


def test_registered_feature_is_in_sheet_record_page_and_design(tmp_path: Path) -> None:
    path = write_series(tmp_path / "input")
    output = OutputFolder(tmp_path / "output")
    problem = Problem("Asthma", None)
    with registered(HAIR_FEATURE):
        raw = RawSeries(read_series_file(path), ())
        sheet = propose_sheet("GSE1", raw, "Asthma", rule_expert("sound"), PreprocessOptions())
        preprocess(tmp_path / "input", output.root, traits=["Asthma"])
        record = read_evidence(output.evidence("Asthma", "GSE1"))
        plain = solve_problem(output, problem)
        adjusted = solve_problem(output, problem, AnalysisOptions(covariates=("hair",)))
        write_result(output, adjusted)
        page = write_report(output, "Asthma", None).read_text("utf-8")
    assert [row["hair"] for row in sheet.rows[:4]] == ["fair", "fair", "dark", "dark"]
    assert {group["value"]: len(group["samples"]) for group in record.relations["hair"]} == {
        "fair": 8,
        "dark": 8,
    }
    assert "hair" not in plain.method["covariates"]
    assert "hair dark" in str(adjusted.method) or "hair fair" in str(adjusted.method)
    assert "Colour of hair" in page and "characteristic &#39;hair colour&#39;" in page


def test_value_that_a_person_corrects_is_in_the_record(tmp_path: Path) -> None:
    write_series(tmp_path / "input")
    # The last four cells are emptied: nothing is stated of these samples.
    hair = [*["grey"] * 4, *["fair", "fair", "dark", "dark"] * 2, *[""] * 4]
    lines = [f"GSM{n + 1},{('case', 'control')[n % 2]},{hair[n]}" for n in range(16)]
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("\n".join(["sample,group,hair", *lines]))
    output = OutputFolder(tmp_path / "output")
    with registered(HAIR_FEATURE):
        options = PreprocessOptions(samples=sheet, sheet=load_sample_sheet(sheet))
        preprocess(tmp_path / "input", output.root, traits=["Asthma"], options=options)
        groups = read_evidence(output.evidence("Asthma", "GSE1")).relations["hair"]
    found = {(group["value"], group["place"]): len(group["samples"]) for group in groups}
    assert found == {
        ("grey", "sample sheet"): 4,
        ("fair", "characteristic 'hair colour'"): 4,
        ("dark", "characteristic 'hair colour'"): 4,
    }


def test_feature_is_gone_once_it_is_not_registered(tmp_path: Path) -> None:
    path = write_series(tmp_path)
    assert "hair" not in find_relations(describe_series(read_series_file(path))).stated
    assert feature_named("hair") is None


def test_name_of_a_known_feature_is_refused() -> None:
    taken = SampleFeature(name="Gender", label="Gender", scale="levels")
    with pytest.raises(UsageError, match="already"), registered(taken):
        pass


def test_only_age_and_sex_are_in_linked_tables_and_adjusted_for() -> None:
    assert [feature.column for feature in table_features()] == ["Age", "Gender"]
    assert {f.name for f in sample_features() if f.use == "covariate"} == {"age", "sex"}
    assert {f.name for f in recorded_features()} == {
        *("batch", "bmi", "donor", "smoking", "stage", "time point", "tissue", "treatment")
    }
