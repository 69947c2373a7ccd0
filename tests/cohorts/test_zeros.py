"""Zeros in tables that are not counts cost neither samples nor genes; what is lost is a warning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import choose_contrast, filter_genes
from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.formats import Evidence, LinkedTable, read_evidence, read_linked, read_linked_csv
from genotex.layout import OutputFolder
from tests.geo_text import GENES, asthma, series_matrix, write_asthma, write_gz


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "input"


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "output")


def run(source: Path, output: OutputFolder, **options: object) -> CohortOutcome:
    chosen = PreprocessOptions(**options)  # type: ignore[arg-type]
    (outcome,) = preprocess(source, output.root, options=chosen)
    assert outcome.error is None
    return outcome


def evidence_of(output: OutputFolder) -> Evidence:
    return read_evidence(output.evidence("Asthma", "GSE1"))


def linked_of(output: OutputFolder) -> LinkedTable:
    return read_linked(output, "Asthma", "GSE1")


def tpm(samples: int = 12) -> np.ndarray:
    """Return TPM of `GENES`: a third hardly expressed, one never, one in a single sample."""
    rng = np.random.default_rng(5)
    level = np.repeat([0.3, 40.0, 4000.0], len(GENES) // 3)[:, None]
    values = rng.poisson(level * np.exp(rng.normal(0, 0.3, (len(GENES), samples)))) * 0.25
    values[0] = 0
    values[1] = np.where(np.arange(samples) == 4, 2.5, 0)
    # One sample of a cell type that is silent in most genes.
    values[:20, 3] = 0
    return values


def test_table_with_many_zeros_keeps_all_samples_and_genes(
    source: Path, output: OutputFolder
) -> None:
    values = tpm()
    assert (values == 0).mean() > 0.2
    write_asthma(source, values=values)
    outcome = run(source, output)
    table = linked_of(output)
    assert len(table.samples) == 12 and len(table.genes) == len(GENES)
    assert not np.isnan(table.expression).any()
    evidence = evidence_of(output)
    assert evidence.mapping["scale"] == "linear"
    offset = evidence.mapping["offset"]
    order = [GENES.index(gene) for gene in table.genes]
    np.testing.assert_allclose(table.expression, np.log2(values[order] + offset).T)
    (kept,) = outcome.expression
    assert kept in evidence.notes
    assert kept.startswith("zeros are kept as measurements (")
    assert outcome.warnings == () and evidence.warnings == []


def test_genes_hardly_seen_are_left_to_the_filter_of_the_analysis(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source, values=tpm())
    run(source, output)
    table = linked_of(output)
    contrast = choose_contrast(table, evidence_of(output).roles, "auto")
    status = dict(
        zip(table.genes, filter_genes(table.expression, contrast, 2, True).status, strict=True)
    )
    assert status[GENES[0]] == "constant" and status[GENES[1]] == "low"
    assert {status[gene] for gene in GENES[10:]} == {"tested"}


def test_benchmark_leaves_the_values(source: Path, output: OutputFolder) -> None:
    values = tpm()
    write_asthma(source, values=values)
    run(source, output, procedure="benchmark")
    table = read_linked_csv(output.linked_csv("Asthma", "GSE1"))
    order = [GENES.index(gene) for gene in table.genes]
    np.testing.assert_allclose(table.expression, values[order].T)
    assert "offset" not in evidence_of(output).mapping


def test_negative_values_are_missing_as_before_and_what_they_cost_is_a_warning(
    source: Path, output: OutputFolder
) -> None:
    values = 2.0 ** np.random.default_rng(1).normal(9, 1, (len(GENES), 12))
    values[:12, :6] *= -1
    values[:, 11] *= -1
    write_asthma(source, values=values)
    outcome = run(source, output)
    assert outcome.warnings == (
        "12 genes missing in more than 20 % of samples dropped",
        "1 samples missing more than 5 % of genes dropped",
        "102 values at or below 0 have no logarithm and count as missing",
    )
    assert list(outcome.warnings) == evidence_of(output).warnings
    assert len(linked_of(output).samples) == 11


def test_few_genes_are_dropped_without_a_warning(source: Path, output: OutputFolder) -> None:
    values = 2.0 ** np.random.default_rng(1).normal(9, 1, (len(GENES), 12))
    values[:10, :6] *= -1
    write_asthma(source, values=values)
    outcome = run(source, output)
    assert "10 genes missing in more than 20 % of samples dropped" in outcome.notes
    assert outcome.warnings == ()


def test_samples_without_trait_are_a_warning_also_when_done_before(
    source: Path, output: OutputFolder
) -> None:
    rows = asthma(24)
    rows[0][:2] = ["disease state: unknown"] * 2
    folder = source / "GEO" / "Asthma" / "GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=rows))
    for unchanged in (False, True):
        outcome = run(source, output)
        assert outcome.unchanged is unchanged
        assert outcome.warnings == ("2 samples without a known trait left out",)
