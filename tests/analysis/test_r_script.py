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
    fit_design,
    write_r_script,
)
from genotex.bench import Problem
from genotex.errors import UsageError
from genotex.formats import write_linked_csv
from genotex.options import AnalysisOptions

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


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["complete", "missing", "counts"])
def test_r_gives_the_same_numbers(tmp_path: Path, name: str, kind: str) -> None:
    formula, contrast, options, block = CASES[name]
    if kind == "counts" and "offset" in formula:
        pytest.skip("voom takes counts as they are")
    data = counted_data() if kind == "counts" else data_of(LINEAR, missing=kind == "missing")
    if kind == "counts" and block is not None:
        block = "batch"
    (found,) = fit_design(data, formula, [contrast], options, block=block)

    script = write(tmp_path, data, found)

    assert (tmp_path / "missing.csv").exists() == (kind == "missing")
    assert largest_difference(script) < 1e-8


def test_the_design_has_what_is_tested_last_then_weights_and_blocks(tmp_path: Path) -> None:
    data = data_of(LINEAR)
    options = replace(PLAIN, weights="sample")
    (found,) = fit_design(data, "~ group + age", ["group: B - A"], options, block="donor")

    table = design_table(found.result)

    assert table.columns[0] == "sample"
    assert table.columns[-3:] == ["group[T.B]", "weight", "block"]
    assert table["group[T.B]"].sum() == sum(1 for g in data.table["group"] if g == "B")
    text = write(tmp_path, data, found).read_text()
    assert "# Design:   ~ group + age" in text
    assert 'group <- factor(group, levels = c("A", "B", "C"))' in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_column_called_as_one_of_ours_keeps_its_values() -> None:
    data = data_of(LINEAR)
    weight = np.linspace(50, 90, len(data.samples))
    data = replace(data, table=data.table.with_columns(weight=pl.Series(weight)))
    options = replace(PLAIN, weights="sample")
    (found,) = fit_design(data, "~ group + weight", ["group: B - A"], options)

    table = design_table(found.result)

    np.testing.assert_allclose(table["weight"].to_numpy(), weight)
    assert "weight_" in table.columns


def test_a_result_without_a_design_has_no_script() -> None:
    rng = np.random.default_rng(1)
    data = data_of(LINEAR)
    table = replace(data.linked("Asthma"), trait_values=rng.integers(0, 2, len(data.samples)) * 1.0)
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(panel=False))

    with pytest.raises(UsageError, match="not one of a design"):
        design_table(result)
