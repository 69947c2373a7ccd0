"""The two files of a result over all cohorts."""

import json
from pathlib import Path

import pytest

from genotex.analysis.meta import (
    MetaResult,
    analyze_cohorts,
    read_meta,
    remove_meta,
    write_meta,
)
from genotex.bench.problems import Problem
from genotex.errors import AnalysisError, FormatError
from genotex.layout import OutputFolder
from tests.analysis.meta.cohort_folder import groups, put_cohort


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    for number in (1, 2, 3):
        put_cohort(output, f"GSE{number}", groups(number, 20 + number))
    return output


@pytest.fixture
def result(output: OutputFolder) -> MetaResult:
    return analyze_cohorts(output, Problem("Asthma"))


def test_what_is_read_is_what_was_written(output: OutputFolder, result: MetaResult) -> None:
    path = write_meta(output, result)
    assert path == output.meta_genes("Asthma", None)
    again = read_meta(output, "Asthma", None)
    assert again.genes.equals(result.genes)
    assert again.effects.equals(result.effects)
    assert again.cohorts == result.cohorts
    assert again.summary() == result.summary()
    assert again.method == result.method


def test_json_lists_the_significant_genes_and_the_rule(
    output: OutputFolder, result: MetaResult
) -> None:
    content = json.loads(write_meta(output, result).read_text())
    listed = content["significant_genes"]
    assert listed["Variable"] == result.significant["Variable"].to_list()
    assert listed["Replicates"] == result.significant["Replicates"].to_list()
    assert "partial conjunction" in content["method"]["replication"]
    assert content["method"]["replication_cohorts"] == 2
    assert [q < 0.05 for q in listed["Replication q"]] == listed["Replicates"]
    assert [cohort["name"] for cohort in content["cohorts"]] == ["GSE3", "GSE2", "GSE1"]


def test_writing_again_removes_the_report_of_the_old_numbers(
    output: OutputFolder, result: MetaResult
) -> None:
    page = output.meta_report("Asthma", None)
    page.parent.mkdir()
    page.touch()
    page.with_suffix(".csv").touch()
    write_meta(output, result)
    assert not list(page.parent.iterdir())


def test_removed_result_is_gone(output: OutputFolder, result: MetaResult) -> None:
    path = write_meta(output, result)
    remove_meta(output, "Asthma", None)
    assert not list(path.parent.iterdir())
    with pytest.raises(AnalysisError, match="run analyze with all cohorts first"):
        read_meta(output, "Asthma", None)


def test_table_of_another_run(output: OutputFolder, result: MetaResult) -> None:
    write_meta(output, result)
    with output.meta_table("Asthma", None).open("ab") as table:
        table.write(b"more")
    with pytest.raises(FormatError, match="digests differ"):
        read_meta(output, "Asthma", None)


@pytest.mark.parametrize(
    ("text", "message"), [("{", "is not JSON"), ("{}", "was not written by genotex")]
)
def test_record_that_is_none(
    output: OutputFolder, result: MetaResult, text: str, message: str
) -> None:
    write_meta(output, result).write_text(text)
    with pytest.raises(FormatError, match=message):
        read_meta(output, "Asthma", None)
