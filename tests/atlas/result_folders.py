"""Output folders with results, written directly in the format of an analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtr

from genotex.analysis import AnalysisResult, benjamini_hochberg, stored_types, write_result
from genotex.formats import Evidence, write_evidence
from genotex.layout import OutputFolder
from genotex.procedure import Procedure

GENES = [f"GENE{i:03d}" for i in range(300)]
HALF = 20


def gene_table(t: np.ndarray, genes: Sequence[str]) -> pl.DataFrame:
    """Return a table of all genes with these t statistics; the last gene was not tested."""
    error = np.linspace(0.1, 0.3, len(t))
    p = 2 * stdtr(2 * HALF - 2, -np.abs(t))
    q = benjamini_hochberg(p)
    columns: dict[str, Any] = {
        "Variable": list(genes),
        "Coefficient": t * error,
        "Absolute Coefficient": np.abs(t * error),
        "Standard Error": error,
        "t": t,
        "p": p,
        "q": q,
        "Standardised Effect": t * np.sqrt(2 / HALF),
        "Standardised Error": np.sqrt(2 / HALF + t**2 / (HALF**2)),
        "Samples": np.full(len(t), 2 * HALF),
        "Status": ["tested"] * len(t),
        "Significant": q < 0.05,
    }
    frame = pl.DataFrame(columns).with_row_index("place")
    last = pl.col("place") == len(t) - 1
    numbers = [n for n in columns if stored_types()[n].is_numeric()]
    frame = frame.with_columns(
        *(pl.when(~last).then(pl.col(name)).alias(name) for name in numbers),
        pl.when(last).then(pl.lit("low")).otherwise("Status").alias("Status"),
        (pl.col("Significant") & ~last).alias("Significant"),
    )
    return frame.select(
        [
            (pl.col(name) if name in columns else pl.lit(None)).cast(kind).alias(name)
            for name, kind in stored_types().items()
        ]
    ).sort("p", nulls_last=True)


def write_cohort(
    folder: Path,
    trait: str,
    cohort: str,
    *,
    seed: int = 0,
    changed: Mapping[str, float] | None = None,
    genes: Sequence[str] = GENES,
    samples: Sequence[str] | None = None,
    kind: str = "binary",
    condition: str | None = None,
) -> AnalysisResult:
    """Write the result of a cohort; `changed` genes have their t statistic moved."""
    rng = np.random.default_rng(seed)
    t = rng.standard_t(2 * HALF - 2, len(genes))
    t += np.array([(changed or {}).get(gene, 0.0) for gene in genes])
    ids = list(samples or (f"GSM{1000 * (seed + 1) + i}" for i in range(2 * HALF)))
    groups = {"case": ids[:HALF], "control": ids[HALF:], "left_out": []}
    method = {
        "procedure": "sound",
        "ranked_by": "p",
        "contrast": {"kind": kind, "text": "20 cases against 20 controls", "samples": groups},
    }
    output = OutputFolder(folder)
    result = AnalysisResult(trait, condition, gene_table(t, genes), {}, method, cohort=cohort)
    write_result(output, result)
    evidence = Evidence(
        trait,
        cohort,
        Procedure.SOUND,
        "GEO",
        "1",
        series={"platform": "GPL1"},
        sample_texts={"source_name": {s: "whole blood, donor" for s in ids}},
    )
    write_evidence(output.evidence(trait, cohort), evidence)
    return result
