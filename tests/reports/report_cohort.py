"""A made-up cohort with planted genes, as the other packages would describe it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from genotex.analysis import AnalysisResult
from genotex.formats import CohortInfo, Evidence, LinkedTable
from genotex.reports import Findings

PLANTED = (
    "CXCL9",
    "CXCL10",
    "GBP1",
    "SLAMF8",
    "ADAMDEC1",
    "JUN",
    "FOSB",
    "NR4A1",
    "ADH1B",
    "CDKN1A",
)


def make_table(
    cases: int = 13,
    controls: int = 10,
    others: int = 10,
    genes: int = 3000,
    effect: float = 2.2,
    seed: int = 1,
) -> tuple[LinkedTable, dict[str, str]]:
    rng = np.random.default_rng(seed)
    n = cases + controls + others
    trait = np.repeat([1.0, 0.0, 0.0], [cases, controls, others])
    roles = np.repeat(["case", "healthy control", "other disease"], [cases, controls, others])
    order = rng.permutation(n)
    trait, roles = trait[order], roles[order]
    names = list(PLANTED) + [f"GENE{i}" for i in range(1, genes)]
    names = names[:genes]
    expression = rng.normal(rng.uniform(4, 12, genes), 0.6, (n, genes))
    expression += np.outer(rng.normal(size=n), rng.normal(0, 0.5, genes))
    planted = min(genes, max(len(PLANTED), genes // 25))
    sizes = rng.uniform(0.3, 1.0, planted) * effect * np.where(rng.random(planted) < 0.6, 1, -1)
    expression[:, :planted] += np.outer(roles == "case", sizes)
    samples = tuple(f"GSM13373{i:02d}" for i in range(n))
    covariates = {
        "Age": rng.integers(30, 80, n).astype(float),
        "Gender": rng.integers(0, 2, n).astype(float),
    }
    table = LinkedTable(
        "Rheumatoid_Arthritis", samples, trait, covariates, tuple(names), expression
    )
    return table, dict(zip(samples, roles.tolist(), strict=True))


def make_findings(
    table: LinkedTable, roles: dict[str, str], *, continuous: bool = False
) -> Findings:
    if continuous:
        tested = table.samples
        x = stats.zscore(table.trait_values)
        y = table.expression
        estimate = (x[:, None] * (y - y.mean(axis=0))).mean(axis=0)
        residual = y - y.mean(axis=0) - np.outer(x, estimate)
        se = np.sqrt((residual**2).sum(axis=0) / (len(x) - 2) / len(x))
    else:
        case = np.array([roles[s] == "case" for s in table.samples])
        control = np.array([roles[s] == "healthy control" for s in table.samples])
        tested = tuple(s for s, c, h in zip(table.samples, case, control, strict=True) if c or h)
        a, b = table.expression[case], table.expression[control]
        estimate = np.nanmean(a, axis=0) - np.nanmean(b, axis=0)
        se = np.sqrt(np.nanvar(a, axis=0, ddof=1) / len(a) + np.nanvar(b, axis=0, ddof=1) / len(b))
    t = estimate / se
    df = len(tested) - 2
    p = 2 * stats.t.sf(np.abs(t), df)
    q = stats.false_discovery_control(p)
    half = stats.t.ppf(0.975, df) * se
    panel = np.full(len(table.genes), np.nan)
    panel[: len(panel) // 2 : 60] = 0.31
    genes = pl.DataFrame(
        {
            "Variable": table.genes, "Coefficient": estimate, "Standard Error": se,
            "CI Lower": estimate - half, "CI Upper": estimate + half, "t": t, "p": p, "q": q,
            "Significant": q < 0.05, "Mean Expression": np.nanmean(table.expression, axis=0),
            "Standardised Effect": t * 0.4, "Panel Coefficient": panel,
        }
    )  # fmt: skip
    result = AnalysisResult(
        trait=table.trait,
        condition=None,
        genes=genes,
        cv_performance={},
        method={
            "procedure": "sound",
            "options": {"q_cut": 0.05},
            "adjusted_for": ["Age", "Gender"],
            "contrast": {"kind": "continuous" if continuous else "binary"},
            "versions": {"genotex": "0.1.0", "python": "3.11.7", "numpy": "2.4.6"},
        },
        warnings=(
            "10 samples with another disease (osteoarthritis) were left out of the contrast.",
            "Values were on a linear scale (99th percentile 4,210) and were log2-transformed",
        ),
        cohort="GSE55457",
        cohort_reason="the largest usable cohort (33 samples)",
        other_cohorts={
            "GSE55235": "Usable, but smaller: 30 samples.",
            "GSE157103": "The expression table is empty.",
        },
    )
    return Findings(result, "continuous" if continuous else "binary", tested)


def vary(
    findings: Findings,
    *,
    tested: tuple[str, ...] | None = None,
    method: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Findings:
    """Return findings with other tested samples, records of the method or fields of the result."""
    result = findings.result
    changed = replace(result, method={**result.method, **(method or {})})
    return replace(
        findings,
        result=replace(changed, **fields),
        tested=findings.tested if tested is None else tested,
    )


def make_evidence(table: LinkedTable, roles: dict[str, str]) -> Evidence:
    return Evidence(
        trait=table.trait,
        cohort="GSE55457",
        procedure="sound",
        source="GEO",
        genotex_version="0.1.0",
        files=[
            {"name": "GSE55457_series_matrix.txt.gz", "size": 3_812_044, "used_for": "matrix"},
            {"name": "GPL96.annot.gz", "size": 5_120_310, "used_for": "platform"},
        ],
        series={
            "title": "Identification of rheumatoid arthritis and osteoarthritis patients",
            "platform": "GPL96",
            "platform_title": "Affymetrix Human Genome U133A Array",
        },
        reading=make_reading(),
        encoded=make_encoded(table, roles),
        roles=roles,
        mapping={
            "id_kind": "probe",
            "gene_column": "Gene Symbol",
            "scale": "linear",
            "rows": 22283,
            "rows_with_symbol": 20995,
            "genes_mapped": 13192,
            "genes": 12988,
        },
        linking={
            "samples": len(table.samples),
            "samples_without_trait": 0,
            "genes_dropped": 112,
            "samples_dropped": 0,
            "values_filled": 431,
            "age": "kept",
            "gender": "kept",
        },
        notes=["1,288 probes had no gene symbol.", "41 ambiguous aliases were dropped."],
    )


def make_reading() -> dict[str, object]:
    trait = {
        "row": 2,
        "key": "clinical status",
        "kind": "binary",
        "confidence": "explicit",
        "sample_field": "characteristics_ch1",
        "evidence": [
            "The value \u201crheumatoid arthritis\u201d is the name of the trait.",
            "\u201costeoarthritis\u201d is another disease of the joint.",
        ],
    }
    age = {
        **trait,
        "row": 1,
        "key": "age",
        "kind": "continuous",
        "evidence": ["Key \u201cage\u201d."],
    }
    gender = {**trait, "row": 0, "key": "gender", "confidence": "inferred", "evidence": []}
    gene = {"available": True, "reason": "expression profiling by array", "evidence": []}
    return {
        "gene": gene, "trait": trait, "age": age, "gender": gender, "notes": [], "by": "rules",
    }  # fmt: skip


def make_encoded(table: LinkedTable, roles: dict[str, str]) -> dict[str, list[dict[str, object]]]:
    values = {
        "healthy control": ("normal control", 0.0),
        "case": ("rheumatoid arthritis", 1.0),
        "other disease": ("osteoarthritis", 0.0),
    }
    trait = [
        {"raw": f"clinical status: {raw}", "code": code, "role": role, "samples": count}
        for role, (raw, code) in values.items()
        if (count := list(roles.values()).count(role))
    ]
    if not table.covariates:
        return {"trait": trait}
    ages, counts = np.unique(table.covariates["Age"], return_counts=True)
    age = [
        {"raw": f"age: {a:g}", "code": float(a), "role": None, "samples": int(n)}
        for a, n in zip(ages, counts, strict=True)
    ]
    gender = [
        {"raw": f"gender: {raw}", "code": code, "role": None, "samples": int(n)}
        for raw, code in (("f", 0.0), ("m", 1.0))
        if (n := (table.covariates["Gender"] == code).sum())
    ]
    return {"trait": trait, "Age": age, "Gender": gender}


def make_infos() -> dict[str, CohortInfo]:
    return {
        "GSE55235": CohortInfo(True, True, True, True, False, False, False, 30, None),
        "GSE55457": CohortInfo(True, True, True, True, False, True, True, 33, None),
        "GSE157103": CohortInfo(False, False, True, False),
        "TCGA": CohortInfo(False, True, False, False),
    }


def with_missing(table: LinkedTable, share: float = 0.05, seed: int = 5) -> LinkedTable:
    holes = np.random.default_rng(seed).random(table.expression.shape) < share
    return replace(table, expression=np.where(holes, np.nan, table.expression))
