"""Notebooks on RNA-seq series give the same bytes as the pipeline, and wrong steps are reported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genotex.agents import ClinicalTable, Expression, Task, toolkit
from genotex.agents.rules.geo import geo_steps
from genotex.errors import UsageError
from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from tests.agents.conftest import Run, cohort_task, files_of
from tests.agents.test_notebooks import preprocess_both_ways
from tests.rna_seq_text import COUNT_FILE, GENE_IDS, write_counted


def read(folder: Path, output: Path) -> tuple[Expression, ClinicalTable]:
    task = Task("geo", "Asthma", str(folder), str(output), "sound", cohort="GSE1")
    series = toolkit.read_series(toolkit.find_files(task))
    return toolkit.read_expression(series), toolkit.clinical_table(series)


def test_notebook_gives_the_bytes_of_the_pipeline(tmp_path: Path, run_notebooks: Run) -> None:
    source = tmp_path / "input"
    write_counted(source, "GSE1", annotation={"1": "A1BG"})
    (write_counted(source, "GSE2") / COUNT_FILE.format("GSE2")).unlink()
    write_counted(source, "GSE3", rows={gene: [1, 0] * 6 for gene in ("1", "2", "9")})
    submitted = {"GSE4": None, "GSE5": [f"other {i}" for i in range(12)]}
    for series, samples in submitted.items():
        folder = write_counted(source, series, samples=samples)
        (folder / COUNT_FILE.format(series)).rename(folder / f"{series}_counts.txt.gz")
    folders = preprocess_both_ways(source, tmp_path / "both", run_notebooks)
    for direct, written in folders.values():
        ours, theirs = files_of(written), files_of(direct)
        assert set(ours) == set(theirs)
        assert [name for name, content in theirs.items() if ours[name] != content] == []
    for cohort, usable in {"GSE1": True, "GSE2": False, "GSE4": True, "GSE5": False}.items():
        table = OutputFolder(folders["sound"][1]).linked_csv("Asthma", cohort)
        assert table.is_file() == usable
        direct, written = (
            read_evidence(OutputFolder(folder).evidence("Asthma", cohort))
            for folder in folders["sound"]
        )
        for field in ("counts", "mapping", "files", "roles", "linking", "info"):
            assert getattr(written, field) == getattr(direct, field)
        if cohort in ("GSE2", "GSE4"):
            assert direct.notes == written.notes


def test_steps_of_a_counted_series_need_no_mapping(tmp_path: Path) -> None:
    write_counted(tmp_path)
    task = cohort_task(tmp_path, tmp_path / "out", "Asthma", "GSE1", "sound")
    assert geo_steps(task) == (
        "load_data", "read_clinical_features", "extract_gene_data", "normalise_and_link",
        "task_completed",
    )  # fmt: skip
    benchmark = cohort_task(tmp_path, tmp_path / "out", "Asthma", "GSE1", "benchmark")
    assert "normalise_and_link" not in geo_steps(benchmark)


def test_expression_is_reported_as_counts(tmp_path: Path) -> None:
    expression, clinical = read(write_counted(tmp_path), tmp_path / "out")
    assert expression.from_other_files and expression.shape == (12, 12)
    assert str(expression).startswith("expression of other files, 12 rows x 12 samples")
    assert np.array_equal(expression.values, np.floor(expression.values))
    genes = toolkit.normalise_symbols(expression, clinical)
    assert genes.rows == tuple(sorted(GENE_IDS))
    assert genes.counted is not None and genes.counted.record["kept"] == 12


def test_counts_without_the_trait_or_with_mapping_are_refused(tmp_path: Path) -> None:
    expression, _ = read(write_counted(tmp_path), tmp_path / "out")
    with pytest.raises(
        UsageError, match=r"go into normalise_symbols\(expression, clinical\): counts"
    ):
        toolkit.normalise_symbols(expression)
    with pytest.raises(UsageError, match="without mapping"):
        toolkit.map_probes(expression)


def test_counts_of_which_none_is_enough_are_refused(tmp_path: Path) -> None:
    folder = write_counted(tmp_path, rows={gene: [1, 0] * 6 for gene in ("1", "2", "9")})
    expression, clinical = read(folder, tmp_path / "out")
    with pytest.raises(UsageError, match=r"no gene has enough counts .* why_no_genes"):
        toolkit.normalise_symbols(expression, clinical)
