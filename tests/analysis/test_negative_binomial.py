"""DESeq2's test of counts, against R DESeq2 1.38.3 (benchmarks/golden/golden_deseq2.R)."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import DesignData, DesignResult
from genotex.cohorts import read_own_tables
from genotex.errors import UsageError
from genotex.options import AnalysisOptions
from genotex.workflows import DesignInput
from tests.analysis.fitted_designs import fit_design

GOLDEN = Path(__file__).parents[1] / "fixtures" / "deseq2"
PLAIN = AnalysisOptions(
    counts="deseq2", hidden="none", weights="none", filter_low=False, panel=False
)
GROUP = "group: b - a"


@pytest.fixture(scope="module")
def counted() -> DesignData:
    tables = read_own_tables(GOLDEN / "counts.csv", GOLDEN / "samples.csv", scale="counts")
    return DesignInput.of_tables(tables).data


def compared(found: DesignResult, case: str, rtol: float) -> None:
    """Compare the genes with those of R; a gene that R does not test is not tested."""
    golden = pl.read_csv(GOLDEN / "deseq2.csv").rename({"gene": "Variable"})
    genes = found.result.genes.join(golden, on="Variable")
    assert genes.height == golden.height
    known = genes[f"{case}.pvalue"].is_not_null()
    assert (known == (genes["Status"] == "tested")).all()
    tested = genes.filter(known)
    names = {"Coefficient": "log2FoldChange", "Standard Error": "lfcSE", "t": "stat"}
    for ours, theirs in names.items():
        own, other = tested[ours].to_numpy(), tested[f"{case}.{theirs}"].to_numpy()
        np.testing.assert_allclose(own, other, rtol=rtol, atol=rtol)
    ranks = (tested["p"].rank(), tested[f"{case}.pvalue"].rank())
    assert np.corrcoef(*ranks)[0, 1] > 0.999


def test_a_test_of_two_groups_is_that_of_r(counted: DesignData) -> None:
    pytest.importorskip("pydeseq2")
    found = fit_design(counted, "~ group", GROUP, PLAIN)
    compared(found, "plain", 0.01)
    assert found.method["filter"]["outlying count"] == 1
    assert found.method["model"].startswith("negative binomial regression")
    assert found.method["counts"]["test"] == "DESeq2"
    assert "tested by DESeq2's negative binomial regression" in found.result.counts_summary


@pytest.mark.parametrize(
    ("formula", "case", "least"), [("~ age + group", "age", 0.0), ("~ group", "beyond", 0.5)]
)
def test_covariates_and_effects_beyond_a_size_are_those_of_r(
    counted: DesignData, formula: str, case: str, least: float
) -> None:
    pytest.importorskip("pydeseq2")
    compared(fit_design(counted, formula, GROUP, replace(PLAIN, min_effect=least)), case, 0.02)


def test_the_standardised_effect_rests_on_the_log_counts(counted: DesignData) -> None:
    pytest.importorskip("pydeseq2")
    found = fit_design(counted, "~ group", GROUP, PLAIN).result
    voom = fit_design(counted, "~ group", GROUP, replace(PLAIN, counts="voom")).result
    both = found.genes.join(voom.genes, on="Variable", suffix=" voom").filter(
        pl.col("Status") == "tested"
    )
    # The gene with the outlying count takes no part in the trend of the weights.
    np.testing.assert_allclose(
        both["Standardised Effect"].to_numpy(),
        both["Standardised Effect voom"].to_numpy(),
        atol=5e-3,
    )


def test_without_pydeseq2_the_message_says_how_to_install_it(
    counted: DesignData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydeseq2.dds", None)
    with pytest.raises(UsageError, match=r"pip install 'genotex\[deseq2\]'"):
        fit_design(counted, "~ group", GROUP, PLAIN)


def test_what_deseq2_cannot_test_is_refused_with_another_way(counted: DesignData) -> None:
    pytest.importorskip("pydeseq2")
    with pytest.raises(UsageError, match="needs counts of reads, and this cohort has none, or use"):
        fit_design(replace(counted, counts={}), "~ group", GROUP, PLAIN)
    three = counted.table.with_columns(group=pl.Series(["a", "b", "c"] * 4))
    with pytest.raises(UsageError, match="it tests one coefficient; test a difference"):
        fit_design(replace(counted, table=three), "~ group", "group", PLAIN)
    donors = counted.table.with_columns(donor=pl.Series([f"d{i // 2}" for i in range(12)]))
    with pytest.raises(UsageError, match="put the block into the design as a factor"):
        fit_design(replace(counted, table=donors), "~ group", GROUP, PLAIN, block="donor")
    with pytest.raises(UsageError, match="'deseq2' ranks genes itself; use model 'moderated'"):
        AnalysisOptions(counts="deseq2", model="mixed")
