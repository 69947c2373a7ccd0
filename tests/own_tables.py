"""Small expression and sample tables, written as people have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

GENES = (
    "ACTB", "BRCA1", "CDK4", "CDKN2A", "EGFR", "ERBB2", "GAPDH", "IL6", "KRAS", "MYC",
    "PTEN", "RB1", "STAT3", "TNF", "TP53", "VEGFA",
)  # fmt: skip
SAMPLES = ("S1", "S2", "S3", "S4", "S5", "S6")


def log2_values(genes: int = len(GENES), samples: int = 6, seed: int = 1) -> NDArray[np.float64]:
    """Return genes x samples."""
    return np.random.default_rng(seed).normal(8.0, 1.5, (genes, samples)).round(3)


def count_values(genes: int = len(GENES), samples: int = 6, seed: int = 1) -> NDArray[np.float64]:
    """Return genes x samples, whole numbers with some zeros."""
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.5, 400.0, (genes, 1)), (genes, samples)).astype(float)


def write_table(
    path: Path,
    values: NDArray[np.float64],
    *,
    genes: Sequence[str] = GENES,
    samples: Sequence[str] = SAMPLES,
    sign: str = ",",
    corner: str | None = "gene",
    before: Mapping[str, Sequence[object]] | None = None,
    comment: str = "",
) -> Path:
    """Write genes x samples; `before` are further columns, `corner` None a header one short."""
    before = before or {}
    head = [] if corner is None else [corner]
    lines = [sign.join([*head, *before, *samples])]
    for i, (gene, row) in enumerate(zip(genes, values.tolist(), strict=True)):
        cells = [gene, *(str(column[i]) for column in before.values()), *map("{:g}".format, row)]
        lines.append(sign.join(cells))
    path.write_text(comment + "\n".join(lines) + "\n")
    return path


def write_samples(
    path: Path, names: Sequence[str] = SAMPLES, *, column: str = "sample", sign: str = ","
) -> Path:
    """Write a row for each sample: its name, a group and an age."""
    lines = [sign.join((column, "group", "age"))]
    for i, name in enumerate(names):
        lines.append(sign.join((name, "case" if i % 2 else "control", str(40 + i))))
    path.write_text("\n".join(lines) + "\n")
    return path
