"""Analyses and cohorts as AnnData files."""

from __future__ import annotations

from pathlib import Path

import anndata
import numpy as np
import pytest

import genotex as gx
from genotex.analysis import read_result
from genotex.app import Access
from genotex.cohorts import preprocess
from genotex.formats import read_linked
from genotex.layout import OutputFolder
from tests.app.conftest import Browser, opened
from tests.rna_seq_text import write_counted


def sent(browser: Browser, path: str, place: dict[str, str], folder: Path) -> Path:
    answer = browser.get(path, params=place)
    assert answer.status_code == 200 and ".h5ad" in answer.headers["content-disposition"]
    target = folder / "sent.h5ad"
    target.write_bytes(answer.content)
    return target


def test_an_analysis_has_expression_samples_and_genes(
    browser: Browser, study_folder: Path, place: dict[str, str], tmp_path: Path
) -> None:
    assert "/genes.h5ad?" in browser.get("/genes", params=place).text
    path = sent(browser, "/genes.h5ad", place, tmp_path)
    data = anndata.read_h5ad(path)
    output = OutputFolder(study_folder / "results")
    result = read_result(output, place["trait"], None)
    table = read_linked(output, place["trait"], result.cohort)
    assert tuple(data.obs_names) == table.samples and tuple(data.var_names) == table.genes
    assert np.array_equal(data.X, table.expression, equal_nan=True)
    assert data.obs["group"].value_counts().sum() == np.isfinite(table.trait_values).sum()
    first = result.significant.row(0, named=True)
    row = data.var.loc[first["Variable"]]
    assert any(np.isclose(value, first["p"]) for value in row if isinstance(value, float))
    again = gx.de(path, design="~ group + sex", contrast="group: case - control")
    assert first["Variable"] in again.table.index


def test_a_cohort_of_counts_has_its_counts(access: Access, tmp_path: Path) -> None:
    write_counted(tmp_path / "input")
    preprocess(tmp_path / "input", tmp_path / "results")
    with opened(tmp_path, access) as browser:
        place = {"output": "results", "trait": "Asthma", "cohort": "GSE1"}
        assert "/cohort.h5ad?" in browser.get("/quality", params=place).text
        data = anndata.read_h5ad(sent(browser, "/cohort.h5ad", place, tmp_path))
    counts = data.layers["counts"]
    assert counts.shape == data.shape and counts[0, list(data.var_names).index("A2M")] == 140


@pytest.mark.parametrize("path", ["/genes.h5ad", "/cohort.h5ad"])
def test_only_what_is_in_the_folder_is_sent(
    browser: Browser, place: dict[str, str], path: str
) -> None:
    for wrong in ({"output": "../x"}, {"trait": "Nowhere"}):
        there = place | {"cohort": "GSE90000001"} | wrong
        assert browser.get(path, params=there).status_code == 404
