"""Planted genes found in counts, in the same counts normalised, and in proteins; beside R.

Counts are negative binomial: log-normal means, dispersions that fall with the mean and scatter
around it (as in edgeR's and DESeq2's own simulations), libraries that differ up to fourfold. The
same counts are given as counts per million, as counts that DESeq2 normalised, and as logarithms.
Proteins look like MaxQuant's ``proteinGroups.txt``: intensities whose spread and share of missing
values fall with their level, decoys and contaminants among them. R's edgeR and limma, and DESeq2
where it is installed, analyse the same tables. Printed are the planted genes at q < .05, and the
share of false ones among all at q < .05::

    python -m benchmarks kinds_of_values --each 4
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import genotex as gx
from genotex.genes import GeneTable

GENES, PROTEINS, SHARE = 8_000, 1_500, 0.1
"""Genes and proteins of a table, and how many of them change."""


@dataclass(frozen=True)
class Study:
    """A table, and what was planted in it."""

    values: pl.DataFrame
    samples: pl.DataFrame
    planted: frozenset[str]


def counted(seed: int, each: int) -> Study:
    """Simulate counts in two groups of `each` samples."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], each)
    mean = np.exp(rng.normal(3.5, 2.2, GENES))
    dispersion = (0.03 + 3.0 / mean) * np.exp(rng.normal(0, 0.5, GENES))
    change = _planted(rng, GENES, 0.6, 1.8)
    size = np.exp(rng.uniform(-0.7, 0.7, 2 * each))
    expected = mean[:, None] * size * np.exp2(np.outer(change, groups))
    shape = 1.0 / dispersion[:, None]
    counts = rng.negative_binomial(shape, shape / (shape + expected))
    seen = counts.any(axis=1)
    return _study(counts[seen].astype(np.float64), change[seen], each)


def measured(seed: int, each: int) -> Study:
    """Simulate intensities of proteins, with missing ones, in two groups."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], each)
    level = rng.normal(26, 2.5, PROTEINS)
    spread = (0.2 + 0.9 * np.exp((22 - level) / 2.5)) * np.exp(rng.normal(0, 0.2, PROTEINS))
    change = _planted(rng, PROTEINS, 0.6, 1.8)
    logged = level[:, None] + np.outer(change, groups - 0.5)
    logged = logged + spread[:, None] * rng.normal(size=logged.shape)
    seen = rng.random(logged.shape) < 1 / (1 + np.exp(-(logged - 22.5)))
    kept = seen.sum(axis=1) >= each
    values = np.where(seen, np.rint(np.exp2(logged)), 0.0)
    return _study(values[kept], change[kept], each)


def _planted(rng: np.random.Generator, genes: int, least: float, most: float) -> Any:
    change = np.zeros(genes)
    which = rng.choice(genes, int(SHARE * genes), replace=False)
    change[which] = rng.choice([-1, 1], which.size) * rng.uniform(least, most, which.size)
    return change


def _study(values: Any, change: Any, each: int) -> Study:
    names = sorted(set(GeneTable.load().official.values()))[: len(values)]
    samples = [f"s{i + 1:02d}" for i in range(2 * each)]
    table = pl.DataFrame({"gene": names}).hstack(pl.DataFrame(values, schema=samples))
    groups = ["a"] * each + ["b"] * each
    planted = frozenset(n for n, c in zip(names, change, strict=True) if c)
    return Study(table, pl.DataFrame({"sample": samples, "group": groups}), planted)


def scaled(study: Study, how: Callable[[Any], Any]) -> Study:
    """Return a study with its values changed."""
    names = study.values.columns[1:]
    values = how(study.values.select(names).to_numpy())
    table = study.values.select("gene").hstack(pl.DataFrame(values, schema=names))
    return Study(table, study.samples, study.planted)


def million(counts: Any) -> Any:
    """Return counts per million."""
    return counts / counts.sum(axis=0) * 1e6


def median_of_ratios(counts: Any) -> Any:
    """Return counts over the size factors of DESeq2."""
    logs = np.log(counts[(counts > 0).all(axis=1)])
    return counts / np.exp(np.median(logs - logs.mean(axis=1, keepdims=True), axis=0))


def max_quant(study: Study) -> pl.DataFrame:
    """Return proteins as MaxQuant's table, with decoys and contaminants."""
    table = study.values.rename({name: f"LFQ intensity {name}" for name in study.samples["sample"]})
    marked = table.with_columns(
        pl.lit(None, pl.String).alias("Reverse"),
        pl.lit(None, pl.String).alias("Potential contaminant"),
    )
    ids = [f"P{i:05d}" for i in range(table.height)]
    marked = marked.insert_column(0, pl.Series("Protein IDs", ids)).rename({"gene": "Gene names"})
    decoys = marked.head(20).with_columns(
        ("REV__" + pl.col("Protein IDs")).alias("Protein IDs"), pl.lit("+").alias("Reverse")
    )
    return pl.concat([marked, decoys], how="vertical_relaxed")


R = """
suppressMessages({library(limma); library(edgeR)})
values <- as.matrix(read.delim("values.tsv", row.names = 1, check.names = FALSE))
group <- factor(read.delim("samples.tsv")$group)
design <- model.matrix(~ group)
found <- list()
top <- function(fit) topTable(fit, coef = 2, number = Inf, sort.by = "none")$adj.P.Val
if (kind == "counts") {
  y <- DGEList(values)
  y <- y[filterByExpr(y, design), , keep.lib.sizes = FALSE]
  y <- calcNormFactors(y)
  name <- rownames(y)
  found[["limma voom"]] <- data.frame(name, q = top(eBayes(lmFit(voom(y, design), design))))
  y <- estimateDisp(y, design)
  p <- glmQLFTest(glmQLFit(y, design), coef = 2)$table$PValue
  found[["edgeR quasi-likelihood"]] <- data.frame(name, q = p.adjust(p, "BH"))
  if (requireNamespace("DESeq2", quietly = TRUE)) {
    d <- DESeq2::DESeqDataSetFromMatrix(values, data.frame(group), ~ group)
    q <- DESeq2::results(DESeq2::DESeq(d, quiet = TRUE))$padj
    found[["DESeq2"]] <- data.frame(name = rownames(values), q)
  }
} else {
  if (kind == "linear") values <- log2(values + 0.5)
  if (kind == "proteins") { values[values == 0] <- NA; values <- log2(values) }
  if (kind == "linear") values <- values[rowSums(values > 0) >= min(table(group)), ]
  fit <- lmFit(values, design)
  found[["limma"]] <- data.frame(name = rownames(values), q = top(eBayes(fit)))
  found[["limma trend"]] <- data.frame(name = rownames(values), q = top(eBayes(fit, trend = TRUE)))
}
for (way in names(found))
  write.table(cbind(way, found[[way]]), "found.tsv", sep = "\\t", quote = FALSE,
              row.names = FALSE, col.names = FALSE, append = TRUE)
"""


def by_r(study: Study, kind: str) -> dict[str, frozenset[str]]:
    """Return the genes that R finds, by method; empty without R."""
    if shutil.which("Rscript") is None:
        return {}
    with TemporaryDirectory() as folder:
        study.values.write_csv(Path(folder) / "values.tsv", separator="\t")
        study.samples.write_csv(Path(folder) / "samples.tsv", separator="\t")
        code = f'kind <- "{kind}"\n{R}'
        subprocess.run(["Rscript", "-e", code], cwd=folder, check=True, capture_output=True)
        text = (Path(folder) / "found.tsv").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for way, gene, q in (line.split("\t") for line in text.splitlines()):
        genes = found.setdefault(f"R: {way}", set())
        if q != "NA" and float(q) < 0.05:
            genes.add(gene)
    return {way: frozenset(genes) for way, genes in found.items()}


def by_us(study: Study, table: pl.DataFrame | None = None, **options: Any) -> frozenset[str]:
    """Return the genes that genotex finds, ranked as by default."""
    values = study.values if table is None else table
    found = gx.de(
        values, study.samples, design="~ group", contrast="group: b - a", panel=False, **options
    )
    return frozenset(found.table.index[found.table["q"] < 0.05])


def compared(seed: int, each: int) -> Iterator[tuple[str, str, frozenset[str], Study]]:
    """Give kind of values, method, genes found, and the study."""
    counts = counted(seed, each)
    yield "counts", "genotex", by_us(counts), counts
    if importlib.util.find_spec("pydeseq2"):
        yield "counts", "genotex --counts deseq2", by_us(counts, counts="deseq2"), counts
    for way, found in by_r(counts, "counts").items():
        yield "counts", way, found, counts
    normalised: Mapping[str, Callable[[Any], Any]] = {
        "CPM": million,
        "normalised by DESeq2": median_of_ratios,
        "log2(CPM + 1)": lambda counts: np.log2(million(counts) + 1),
    }
    for kind, how in normalised.items():
        study = scaled(counts, how)
        yield kind, "genotex", by_us(study), study
        yield kind, "genotex --no-trend", by_us(study, trend=False), study
        if not kind.startswith("log2"):
            for way, found in by_r(study, "linear").items():
                yield kind, way, found, study
    proteins = measured(seed, each)
    table = max_quant(proteins)
    yield "proteins (LFQ)", "genotex", by_us(proteins, table), proteins
    yield "proteins (LFQ)", "genotex --no-trend", by_us(proteins, table, trend=False), proteins
    for way, found in by_r(proteins, "proteins").items():
        yield "proteins (LFQ)", way, found, proteins


def main() -> None:
    """Print planted and false genes by kind of values and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=4, help="samples of a group")
    parser.add_argument("--studies", type=int, default=5, help="simulated studies")
    given = parser.parse_args()
    sums: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for seed in range(given.studies):
        for kind, way, found, study in compared(seed, given.each):
            true = len(found & study.planted)
            sums.setdefault((kind, way), []).append((true, len(found), len(study.planted)))
    print(f"{given.studies} studies, {given.each} against {given.each} samples")
    print(f"{'values':22} {'method':26} {'planted':>8} {'found':>7} {'share':>7} {'false':>7}")
    for (kind, way), rows in sums.items():
        true, found, planted = np.mean(rows, axis=0)
        false = 1 - true / max(found, 1)
        share = true / planted
        print(f"{kind:22} {way:26} {planted:8.0f} {true:7.0f} {share:7.3f} {false:7.3f}")


if __name__ == "__main__":
    main()
