"""Designs of the user's own, against R limma (scripts/golden_designs.R)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import DesignData, DesignResult, fit_design
from genotex.cohorts import tmm_factors
from genotex.options import AnalysisOptions

GOLDEN = Path(__file__).parents[1] / "fixtures" / "designs"
PLAIN = AnalysisOptions(hidden="none", weights="none", filter_low=False, panel=False)
COLUMNS = {
    "logFC": "log2_fold_change",
    "CI.L": "ci_low",
    "CI.R": "ci_high",
    "AveExpr": "mean",
    "t": "t",
    "F": "F",
    "P.Value": "p",
    "adj.P.Val": "q",
}
CONTRASTS = {
    "B - A": "group: B - A",
    "C - B": "group: C - B",
    "C - A": "group: C - A",
    "(B + C)/2 - A": "group: (B + C)/2 - A",
    "B - A within female": "group: B - A | sex = female",
    "B - A within male": "group: B - A | sex = male",
}
"""Tests of the golden file in our words; the others are terms or coefficients in both."""


def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


LINEAR, COUNTS = golden("linear"), golden("counts")


def cases(file: dict[str, Any]) -> list[str]:
    # duplicateCorrelation stops early; the cases named donor_exact_* have what it converges to.
    # The quadratic part of a trend has no short name here: it is part of the F test.
    left_out = ("donor_b_a", "donor_c_b", "donor_group_f", "polynomial_quadratic")
    return [name for name in file["cases"] if name not in left_out]


def data_of(file: dict[str, Any], *, missing: bool = False) -> DesignData:
    values = file["expression_missing" if missing else "expression"]
    return DesignData(
        "golden",
        tuple(file["genes"]),
        tuple(file["samples"]),
        np.array(values, dtype=np.float64).T,
        pl.DataFrame(file["table"]),
    )


def counted_data() -> DesignData:
    counts = np.array(COUNTS["counts"], dtype=np.float64)
    totals = counts.sum(axis=0)
    factors = tmm_factors(counts, totals)
    np.testing.assert_allclose(factors, COUNTS["cases"]["voom_b_a"]["norm_factors"], rtol=1e-10)
    sizes = totals * factors
    expression = np.log2((counts + 0.5) / (sizes + 1) * 1e6)
    by_sample = dict(zip(COUNTS["samples"], range(len(totals)), strict=True))
    record = {
        "genes": len(counts),
        "filtered": 0,
        "kept": len(counts),
        "rule": "none",
        "normalisation": "TMM",
        "totals": {s: float(totals[i]) for s, i in by_sample.items()},
        "factors": {s: float(factors[i]) for s, i in by_sample.items()},
        "effective_library_sizes": {s: float(sizes[i]) for s, i in by_sample.items()},
    }
    data = data_of({**COUNTS, "expression": expression.tolist()})
    return replace(data, counts=record)


def fit(data: DesignData, case: dict[str, Any]) -> DesignResult:
    asked = case["options"]
    weights = {"of each sample": "sample", "of each group": "group"}
    options = replace(
        PLAIN,
        trend=bool(asked.get("trend")),
        weights=weights.get(asked.get("weights"), "none"),
    )
    contrast = CONTRASTS.get(case["test"], case["test"])
    if contrast == "group.L":
        contrast = "group: trend"
    (found,) = fit_design(
        data,
        case["formula"],
        [contrast],
        options,
        block=asked.get("block"),
        order={"group": ("A", "B", "C")} if "polynomial" in asked else None,
    )
    return found


def tolerance(name: str) -> float:
    """R estimates weights and correlations by iterations that it ends early."""
    if name.startswith("donor"):
        return 1e-5
    if name.startswith("weights_by_group"):
        return 1e-5
    return 1e-4 if name.startswith("weights") else 1e-8


def check(found: DesignResult, case: dict[str, Any], genes: list[str], rtol: float) -> None:
    ours = found.genes.sort(pl.col("gene").replace_strict(genes, range(len(genes))))
    assert ours["gene"].to_list() == genes
    scale = 1.0
    if case["test"] == "group.L":
        # R's scores of unit length, ours one step from each level to the next.
        scale = float(np.sqrt(2.0))
    for theirs, name in COLUMNS.items():
        if theirs not in case["values"]:
            continue
        values = ours[name].to_numpy()
        if name in ("log2_fold_change", "ci_low", "ci_high"):
            values = values * scale
        np.testing.assert_allclose(values, case["values"][theirs], rtol=rtol, err_msg=name)


@pytest.mark.parametrize("name", cases(LINEAR))
def test_a_design_gives_the_table_of_limma(name: str) -> None:
    case = LINEAR["cases"][name]
    found = fit(data_of(LINEAR, missing=bool(case["options"].get("missing"))), case)

    check(found, case, LINEAR["genes"], tolerance(name))


@pytest.mark.parametrize("name", cases(COUNTS))
def test_a_design_of_counts_gives_the_table_of_voom_and_limma(name: str) -> None:
    case = COUNTS["cases"][name]

    check(fit(counted_data(), case), case, COUNTS["genes"], 1e-8)
