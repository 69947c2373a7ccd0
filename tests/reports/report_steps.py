"""Records of the method as the analysis writes them, made by hand, and findings with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from genotex.reports import Findings, ReportPage, Section, all_sections, build_page, ranked
from tests.reports.report_cohort import make_evidence, make_findings, make_infos, make_table, vary

SURROGATES: dict[str, Any] = {
    "mode": "auto",
    "estimated": 4,
    "used": 2,
    "limited": True,
    "share": [0.25, 0.125],
    "residual_df": 17,
    "inflation": 1.12,
    "trait_share": 0.31,
    "ranked_with": True,
    "grades": {"robust": 6, "sensitive": 2, "masked": 1},
    "associations": [
        {
            "surrogate": "SV1",
            "with": "scan date",
            "kind": "characteristic",
            "test": "Kruskal-Wallis test",
            "measure": "eta",
            "size": 0.91,
            "p": 1e-7,
        },
        {
            "surrogate": "SV2",
            "with": "Rheumatoid_Arthritis",
            "kind": "trait",
            "test": "Pearson's correlation",
            "measure": "r",
            "size": -0.55,
            "p": 0.004,
        },
    ],
    "genes_used": 120,
    "notes": ["2 of 4 are used, so that 10 residual degrees of freedom are left"],
}
MIXED: dict[str, Any] = {
    "model": "linear mixed model",
    "share_of_background": 0.62,
    "at_bound": False,
    "residual_df": 20.0,
    "tested": 120,
}
PAIR: dict[str, Any] = {
    "key": "donor",
    "design": "paired",
    "blocks": 10,
    "samples_before": 23,
    "samples": 20,
    "without_value": 0,
    "members": {},
}
TWO_STEP: dict[str, Any] = {
    "condition": "Obesity",
    "cohort": "GSE2",
    "rule": "inclusive",
    "model": "logistic regression, L2",
    "regressors": ["LEP", "FTO"],
    "constant_regressors": ["MC4R"],
    "samples": 40,
    "score_name": "AUROC",
    "score": 0.81,
    "score_source": "nested cross-validation, 5 outer folds",
}
BENCHMARK: dict[str, Any] = {
    "procedure": "benchmark",
    "related_genes": 12,
    "batch_effect": {
        "shares": [1.0, 0.4, 0.35],
        "gaps": [0.6, 0.05],
        "threshold": 200 / 33,
        "found": False,
    },
    "rotated": False,
    "solver": {
        "name": "scikit-learn",
        "lambda": 0.01,
        "objective": 0.1,
        "dual_gap": 0.01,
        "relative_gap": 0.2,
        "iterations": 1000,
    },
    "tuning": [
        {
            "lambda": penalty,
            "selection": {"precision": precision, "recall": 1.0, "f1": 1.0, "jaccard": 0.5},
            "prediction": {"f1": 80.0, "accuracy": 82.0, "precision": 81.0, "recall": 79.0},
            "genes": genes,
        }
        for penalty, precision, genes in ((0.1, 1.5, 4.2), (0.01, 7.5, 20.0), (0.001, 0.0, 900.4))
    ],
}
PERFORMANCE = {
    "prediction": {"accuracy": 82.0, "precision": 81.0, "recall": 79.0, "f1": 80.0},
    "selection": {"precision": 7.5, "recall": 2.0, "f1": 3.0, "jaccard": 1.0},
}


def plain(genes: int = 120) -> Findings:
    return make_findings(*make_table(genes=genes))


def with_surrogates(findings: Findings, **record: Any) -> Findings:
    """Add surrogate variables, under which the first genes lose their places."""
    hidden = {**SURROGATES, **record}
    other = "Without SV" if hidden["ranked_with"] else "With SV"
    genes = findings.result.genes.with_columns(
        pl.col("Coefficient").mul(0.5).alias(f"{other} Coefficient"),
        pl.col("p").reverse().alias(f"{other} p"),
        pl.col("q").reverse().alias(f"{other} q"),
    )
    return vary(findings, genes=genes, method={"hidden": hidden})


def with_mixed(findings: Findings, *, ranks: bool, passes: int = 2, **record: Any) -> Findings:
    """Add a mixed model that finds `passes` genes, the last ones of the table."""
    rank = np.arange(findings.result.genes.height, 0, -1)
    found = rank <= passes
    genes = findings.result.genes.with_columns(
        pl.Series("Mixed Coefficient", np.full(len(rank), 0.1)),
        pl.Series("Mixed t", np.linspace(1, 9, len(rank))),
        pl.Series("Mixed p", rank / 1e4),
        pl.Series("Mixed q", np.where(found, 0.01, 0.4)),
    )
    if ranks:
        genes = genes.with_columns(pl.Series("Significant", found))
    method = {"mixed": {**MIXED, **record}, "ranked_by": "Mixed p" if ranks else "p"}
    return vary(findings, genes=genes, method=method)


def with_pairs(findings: Findings, **record: Any) -> Findings:
    return vary(findings, method={"pair": {**PAIR, **record}})


def with_condition(findings: Findings, **record: Any) -> Findings:
    method = {"adjusted_for": ["Age", "Obesity"], "two_step": {**TWO_STEP, **record}}
    return vary(findings, condition="Obesity", method=method)


def selected(
    coefficients: dict[str, float], *, genes: int = 120, binary: bool = True, **record: Any
) -> Findings:
    """Return findings of the procedure ``benchmark`` with these genes selected."""
    table, roles = make_table(genes=genes)
    values = [coefficients.get(gene) for gene in table.genes]
    sizes = [None if v is None else abs(v) for v in values]
    frame = pl.DataFrame(
        {
            "Variable": table.genes,
            "Coefficient": pl.Series(values, dtype=pl.Float64),
            "Absolute Coefficient": pl.Series(sizes, dtype=pl.Float64),
            "Status": ["not selected" if v is None else "selected" for v in values],
            "Significant": [v is not None for v in values],
        }
    )
    findings = replace(make_findings(table, roles), trait_kind="binary" if binary else "continuous")
    return vary(
        findings,
        tested=table.samples,
        genes=frame,
        cv_performance=PERFORMANCE,
        method={**BENCHMARK, "adjusted_for": [], **record},
    )


def view(key: str, findings: Findings) -> Section | None:
    """Return a section of the page; None where it does not apply."""
    (section,) = [section for section in all_sections() if section.key == key]
    return section.view(findings, ranked(findings))


def remark(key: str, findings: Findings) -> str:
    """Return the line of the answer that leads to a section; empty without one."""
    (section,) = [section for section in all_sections() if section.key == key]
    assert section.remark is not None
    return section.remark(findings, ranked(findings))


def page_of(findings: Findings) -> ReportPage:
    table, roles = make_table(genes=findings.result.genes.height)
    evidence = make_evidence(table, roles)
    return build_page(evidence, table, make_infos(), findings, csv_name="genes.csv")
