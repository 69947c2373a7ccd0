"""The R script of a design, run by R with limma."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    DesignData,
    DesignResult,
    analyze_table,
    design_table,
    result_table,
    write_r_script,
)
from genotex.errors import UsageError
from genotex.formats import LinkedTable, write_linked_csv
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.fitted_designs import fit_design

from .test_designs import LINEAR, PLAIN, counted_data, data_of


@cache
def has_limma() -> bool:
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", "library(limma); library(statmod)"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def write(folder: Path, data: DesignData, found: DesignResult) -> Path:
    """Write the script and all that it reads."""
    linked = data.linked(found.result.trait)
    known = np.where(np.isnan(linked.expression), 0.0, linked.expression)
    write_linked_csv(folder / "linked.csv", replace(linked, expression=known))
    found.genes.write_csv(folder / "genes.csv")
    return write_r_script(folder, found.result, linked, "linked.csv")


def largest_difference(script: Path) -> float:
    if not has_limma():
        pytest.skip("R with limma and statmod is not installed")
    ran = subprocess.run(["Rscript", str(script)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = re.search(r"largest difference: (\S+)", ran.stdout)
    assert found is not None, ran.stdout
    return float(found[1])


WITH_HIDDEN = replace(PLAIN, hidden="two-step")
CASES = {
    "two levels": ("~ group + age", "group: B - A", PLAIN, None),
    "levels together": ("~ group + sex", "group: (B + C)/2 - A", PLAIN, None),
    "a factor": ("~ group + age", "group", PLAIN, None),
    "a spline": ("~ group + ns(age, 3)", "ns(age, 3)", PLAIN, None),
    "a measured variable": ("~ age + sex", "age", PLAIN, None),
    "an interaction": ("~ group * sex", "group:sex", PLAIN, None),
    "within a level": ("~ group * sex", "group: B - A | sex = female", PLAIN, None),
    "blocks": ("~ group + age", "group: B - A", PLAIN, "donor"),
    "blocks and a factor": ("~ group", "group", PLAIN, "donor"),
    "weights, trend, robust": (
        "~ group", "group: B - A", replace(PLAIN, weights="sample", trend=True, robust=True), None,
    ),
    "effects beyond a size": ("~ group", "group: C - A", replace(PLAIN, min_effect=0.2), None),
    "surrogate variables": ("~ group", "group: B - A", WITH_HIDDEN, None),
    "an offset": ("~ group + offset(age)", "group", PLAIN, None),
}  # fmt: skip


@pytest.mark.nightly  # starts R; the tables of limma that are committed are compared every day
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["complete", "missing", "counts"])
def test_r_gives_the_same_numbers(tmp_path: Path, name: str, kind: str) -> None:
    formula, contrast, options, block = CASES[name]
    if kind == "counts" and "offset" in formula:
        pytest.skip("voom takes counts as they are")
    data = counted_data() if kind == "counts" else data_of(LINEAR, missing=kind == "missing")
    if kind == "counts" and block is not None:
        block = "batch"
    found = fit_design(data, formula, contrast, options, block=block)

    script = write(tmp_path, data, found)

    assert (tmp_path / "missing.csv").exists() == (kind == "missing")
    assert largest_difference(script) < 1e-8


def test_the_design_has_what_is_tested_last_then_weights_and_blocks(tmp_path: Path) -> None:
    data = data_of(LINEAR)
    options = replace(PLAIN, weights="sample")
    found = fit_design(data, "~ group + age", "group: B - A", options, block="donor")

    table = design_table(found.result)

    assert table.columns[0] == "sample"
    assert table.columns[-3:] == ["group[T.B]", "weight", "block"]
    assert table["group[T.B]"].sum() == sum(1 for g in data.table["group"] if g == "B")
    text = write(tmp_path, data, found).read_text()
    assert "# Design:   ~ group + age" in text
    assert 'group <- factor(group, levels = c("A", "B", "C"))' in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.nightly  # starts R
def test_r_deseq2_gives_nearly_the_same_numbers(tmp_path: Path) -> None:
    """PyDESeq2 ends its iterations elsewhere."""
    pytest.importorskip("pydeseq2")
    data = counted_data()
    found = fit_design(data, "~ group", "group: B - A", replace(PLAIN, counts="deseq2"))
    script = write(tmp_path, data, found)
    text = script.read_text()
    assert "library(DESeq2)" in text
    change = "max(abs(found$log2_fold_change - genes$log2_fold_change))"
    script.write_text(f"{text}cat('compared:', {change}, cor(found$t, genes$t), '\\n')\n")
    ran = subprocess.run(["Rscript", str(script)], capture_output=True, text=True, check=False)
    if "there is no package" in ran.stderr:
        pytest.skip("R with DESeq2 is not installed")
    assert ran.returncode == 0, ran.stderr
    compared = re.search(r"compared: (\S+) (\S+)", ran.stdout)
    assert compared is not None, ran.stdout
    assert float(compared[1]) < 0.005 and float(compared[2]) > 0.9999


def test_the_script_has_the_trend_that_the_kind_of_values_asked_for(tmp_path: Path) -> None:
    for kind, setting in (("", "trend = FALSE"), ("reads", "trend = TRUE")):
        data = replace(data_of(LINEAR), kind=kind)
        found = fit_design(data, "~ group", "group: B - A", PLAIN)
        assert setting in write(tmp_path, data, found).read_text()


def test_a_column_called_as_one_of_ours_keeps_its_values() -> None:
    data = data_of(LINEAR)
    weight = np.linspace(50, 90, len(data.samples))
    data = replace(data, table=data.table.with_columns(weight=pl.Series(weight)))
    options = replace(PLAIN, weights="sample")
    found = fit_design(data, "~ group + weight", "group: B - A", options)

    table = design_table(found.result)

    np.testing.assert_allclose(table["weight"].to_numpy(), weight)
    assert "weight_" in table.columns


def plain_cohort() -> LinkedTable:
    """Return a cohort with a binary trait, an age, missing values and an effect on some genes."""
    rng = np.random.default_rng(1)
    table = data_of(LINEAR, missing=True).linked("Asthma")
    trait = rng.integers(0, 2, len(table.samples)) * 1.0
    shift = np.where(np.arange(len(table.genes)) < 5, 1.5, 0.0)
    age = {"Age": rng.uniform(20, 80, len(trait))}
    expression = table.expression + trait[:, None] * shift
    return replace(table, trait_values=trait, covariates=age, expression=expression)


@pytest.mark.parametrize("what", ["groups", "measured", "surrogate variables", "pairs, some alone"])
def test_an_analysis_of_a_trait_is_repeated_in_r(tmp_path: Path, what: str) -> None:
    table = plain_cohort()
    options = AnalysisOptions(panel=False, hidden="none")
    facts = {}
    if what == "measured":
        rng = np.random.default_rng(2)
        table = replace(table, trait_values=rng.normal(size=len(table.samples)))
    elif what == "surrogate variables":
        options = replace(options, hidden="two-step")
    elif what.startswith("pairs"):
        people = [str(i // 2) for i in range(len(table.samples))]
        facts = {"donor": dict(zip(table.samples, people, strict=True))}
        options = replace(options, pair="donor")
    result = analyze_table(table, {}, Problem("Asthma"), options, facts)

    known = np.where(np.isnan(table.expression), 0.0, table.expression)
    write_linked_csv(tmp_path / "linked.csv", replace(table, expression=known))
    result_table(result).write_csv(tmp_path / "genes.csv")
    script = write_r_script(tmp_path, result, table, "linked.csv")

    assert ("block" in design_table(result).columns) == what.startswith("pairs")
    assert largest_difference(script) < 1e-8


def test_a_result_that_no_script_repeats_is_refused() -> None:
    table = plain_cohort()
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(panel=False))
    assert design_table(result).columns[1] == "Intercept"
    with pytest.raises(UsageError, match="not one of a design"):
        design_table(replace(result, regression=None))

    mixed = AnalysisOptions(panel=False, model="mixed")
    with pytest.raises(UsageError, match="mixed model"):
        design_table(analyze_table(table, {}, Problem("Asthma"), mixed))

    levels = np.arange(len(table.samples)) % 3 * 1.0
    factor = AnalysisOptions(panel=False, levels="factor")
    found = analyze_table(replace(table, trait_values=levels), {}, Problem("Asthma"), factor)
    with pytest.raises(UsageError, match="levels of a factor"):
        design_table(found)
