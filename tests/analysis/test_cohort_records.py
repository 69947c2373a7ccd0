"""Records and tables of a cohort that were exchanged, edited or damaged after preprocessing."""

import json
import shutil
from pathlib import Path

import pytest

from genotex.analysis import solve_problem
from genotex.cohorts import preprocess
from genotex.errors import FormatError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.geo_text import GENES, asthma, series_matrix, write_gz

FAST = AnalysisOptions(panel=False)
PROBLEM = Problem("Asthma")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for accession, samples in (("GSE1", 24), ("GSE2", 30)):
        text = series_matrix(accession, characteristics=asthma(samples), ids=GENES)
        folder = tmp_path / "input" / "GEO" / "Asthma" / accession
        write_gz(folder / f"{accession}_series_matrix.txt.gz", text)
    return tmp_path / "input"


@pytest.fixture
def output(source: Path, tmp_path: Path) -> OutputFolder:
    preprocess(source, tmp_path / "output")
    output = OutputFolder(tmp_path / "output")
    assert solve_problem(output, PROBLEM, FAST).cohort == "GSE2"
    return output


def test_record_of_another_cohort(source: Path, output: OutputFolder) -> None:
    one, other = (output.evidence("Asthma", name) for name in ("GSE1", "GSE2"))
    shutil.copy(one, other)
    with pytest.raises(FormatError, match="preprocess it again"):
        solve_problem(output, PROBLEM, FAST)
    shutil.copy(other, one)
    other.write_text(one.read_text().replace('"sample_size": 24', '"sample_size": 30'))
    with pytest.raises(FormatError, match="is the record of Asthma, GSE1"):
        solve_problem(output, PROBLEM, FAST)
    preprocess(source, output.root)
    assert solve_problem(output, PROBLEM, FAST).cohort == "GSE2"


def test_number_of_samples_that_was_edited(source: Path, output: OutputFolder) -> None:
    path = output.cohort_info("Asthma")
    records = json.loads(path.read_text())
    records["GSE1"]["sample_size"] = 9999
    path.write_text(json.dumps(records))
    with pytest.raises(FormatError, match=r"GSE1.sample_size: 9999, .* recorded 24"):
        solve_problem(output, PROBLEM, FAST)
    preprocess(source, output.root)
    assert solve_problem(output, PROBLEM, FAST).cohort == "GSE2"


def test_unfilled_table_that_is_gone_damaged_or_of_another_cohort(
    source: Path, output: OutputFolder
) -> None:
    path = output.linked_parquet("Asthma", "GSE2")
    whole = path.read_bytes()
    other = output.linked_parquet("Asthma", "GSE1").read_bytes()
    for content, message in (
        (None, "the table with the missing values of this cohort is gone"),
        (whole[: len(whole) // 2], "the Parquet file is damaged"),
        (other, "is not the table of this cohort"),
    ):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(FormatError, match=message):
            solve_problem(output, PROBLEM, FAST)
        preprocess(source, output.root)
        assert path.read_bytes() == whole
