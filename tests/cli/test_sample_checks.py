"""The checks of the samples through the command line, with evidence and on plain linked tables."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.formats import CohortInfo, LinkedTable, update_cohort_info, write_linked_csv
from genotex.layout import OutputFolder
from tests.analysis.sample_cohorts import changed, clean_cohort, repeated_people
from tests.cli.conftest import Run, on_one_line
from tests.geo_text import asthma, series_matrix, write_gz

FAST = ("--no-panel", "--hidden", "none")


def plain_folder(root: Path, table: LinkedTable) -> OutputFolder:
    """Write a linked table in the benchmark's layout, without any evidence."""
    output = OutputFolder(root)
    size = len(table.samples)
    info = CohortInfo(True, True, True, True, False, False, True, size, None)
    update_cohort_info(output.cohort_info(table.trait), "GSE1", info)
    write_linked_csv(output.linked_csv(table.trait, "GSE1"), table)
    return output


def with_outlier() -> LinkedTable:
    table = clean_cohort()
    values = table.expression.copy()
    values[4] += np.random.default_rng(1).normal(0, 2, values.shape[1])
    return changed(table, values)


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return plain_folder(tmp_path, with_outlier())


def quality(output: OutputFolder) -> dict[str, object]:
    text = output.significant_genes("Asthma", None).read_text()
    record: dict[str, object] = json.loads(text)["method"]["quality"]
    return record


def test_outlier_of_a_plain_table_is_warned_of_and_stays(
    genotex: Run, output: OutputFolder
) -> None:
    code, out, err = on_one_line(genotex)("analyze", output.root, "--trait", "Asthma", *FAST)
    assert code == 0
    assert "10 cases against 10 controls" in out
    assert "1 sample differs from the others as a whole: GSM4 (" in err
    assert "--exclude-outliers leaves it out" in err
    assert quality(output)["excluded"] == []


def test_outlier_is_left_out_on_request_and_named_on_screen_record_and_page(
    genotex: Run, output: OutputFolder
) -> None:
    arguments = ("analyze", output.root, "--trait", "Asthma", "--exclude-outliers", *FAST)
    code, out, err = on_one_line(genotex)(*arguments)
    assert code == 0
    assert "10 cases against 9 controls" in out
    assert "1 sample was left out as an outlier: GSM4 (" in err
    assert quality(output)["excluded"] == ["GSM4"]
    assert genotex("report", output.root, "--trait", "Asthma")[0] == 0
    page = next((output.root / "report").glob("*.html")).read_text()
    assert "1 outlier was left out" in page
    assert 'id="samples"' in page and "1 sample was left out as an outlier: GSM4" in page


def test_group_that_becomes_too_small_is_told_without_a_result(
    genotex: Run, tmp_path: Path
) -> None:
    only_two = np.array([0.0 if i in (4, 8) else 1.0 for i in range(20)])
    output = plain_folder(tmp_path, replace(with_outlier(), trait_values=only_two))
    code, _, err = on_one_line(genotex)(
        "analyze", output.root, "--trait", "Asthma", "--exclude-outliers", *FAST
    )
    assert code != 0
    assert "18 cases against 1 controls; each group needs two samples" in err
    assert not output.significant_genes("Asthma", None).exists()


def test_detected_people_are_blocked_on_request_and_named_on_screen_record_and_page(
    genotex: Run, tmp_path: Path
) -> None:
    output = plain_folder(tmp_path, repeated_people())
    arguments = ("analyze", output.root, "--trait", "Asthma", *FAST)
    code, out, err = on_one_line(genotex)(*arguments, "--pair", "none")
    assert code == 0
    assert "15 cases against 15 controls" in out and "adjust with --pair detected" in err
    code, out, err = on_one_line(genotex)(*arguments, "--pair", "detected")
    assert code == 0
    assert "means of repeated samples detected by correlation: 5 cases against 5 controls" in out
    assert "30 samples became 10" in err and "as independent" not in err
    record = json.loads(output.significant_genes("Asthma", None).read_text())["method"]
    assert record["options"]["pair"] == "detected" and record["pair"]["design"] == "averaged"
    assert genotex("report", output.root, "--trait", "Asthma")[0] == 0
    page = next((output.root / "report").glob("*.html")).read_text()
    assert "people detected by correlation" in page
    assert "The tests take each block as one person." in page


def test_option_does_nothing_in_the_benchmark_and_is_refused(
    genotex: Run, output: OutputFolder, tmp_path: Path
) -> None:
    tasks = tmp_path / "task_info.json"
    tasks.write_text(json.dumps({"Asthma": {"related_genes": ["GENE1"], "conditions": []}}))
    code, _, err = on_one_line(genotex)(
        "analyze", output.root, "--trait", "Asthma", "--procedure", "benchmark",
        "--task-info", tasks, "--exclude-outliers",
    )  # fmt: skip
    assert code == 2
    assert "--exclude-outliers does nothing in the procedure 'benchmark'" in err


def test_pool_in_a_title_is_kept_by_preprocessing_and_warned_of(
    genotex: Run, tmp_path: Path
) -> None:
    text = series_matrix(characteristics=asthma(24)).replace("sample GSM3", "pool of 5 donors")
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", text)
    code, _, err = on_one_line(genotex)(
        "solve", tmp_path / "input", tmp_path / "out", "--trait", "Asthma", *FAST
    )
    assert code == 0
    assert "1 of the 24 samples is described as a pool of several people: GSM3" in err
    evidence = json.loads(OutputFolder(tmp_path / "out").evidence("Asthma", "GSE1").read_text())
    assert evidence["sample_texts"]["title"]["GSM3"] == "pool of 5 donors"
