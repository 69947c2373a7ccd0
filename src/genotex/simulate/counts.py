"""RNA-seq counts as NCBI gives them: reads of each library fall on genes by their share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.genes import GeneTable
from genotex.simulate.geo_files import write_gzip

__all__ = ["CountedRows", "draw_counts", "name_rows", "write_counts"]

Floats = NDArray[np.float64]

_READS = 12_000_000
_READS_SPREAD = 0.45
_LEVEL_SPREAD = 2.0
"""Sequencing sees a wider range of levels than the scanner of an array."""
_DISPERSION = 0.02
"""Of the machine; that of people is in the expression already."""
_WEAK_SHARE = 0.5
_WEAKEST, _STRONGEST = 0.02, 4.0
_WITHDRAWN = 990_000_001
_GENOME = "GRCh38.p13"


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The genes of a count matrix."""

    ids: tuple[str, ...]
    symbols: tuple[str, ...]  # what the annotation calls them


def name_rows(
    rng: np.random.Generator, symbols: Sequence[str], aliases: Mapping[str, str], table: GeneTable
) -> CountedRows:
    """Assign GeneIDs to the genes, and add others that are hardly expressed."""
    numbers = table.genes.select("symbol", pl.col("gene_id").cast(pl.String))
    known = dict(numbers.iter_rows())
    ids, names = [], []
    for i, symbol in enumerate(symbols):
        current = known.get(symbol) if symbol not in aliases else None
        ids.append(current or str(_WITHDRAWN + i))
        names.append(aliases.get(symbol, symbol))
    simulated = set(symbols)
    others = [symbol for symbol in known if symbol not in simulated and known[symbol]]
    chosen = rng.choice(len(others), size=int(_WEAK_SHARE * len(symbols)), replace=False)
    weak = [others[i] for i in sorted(chosen)]
    return CountedRows((*ids, *(known[symbol] for symbol in weak)), (*names, *weak))


def draw_counts(
    rng: np.random.Generator, expression: Floats, planted: NDArray[np.bool_], weak: int
) -> NDArray[np.int64]:
    """Draw negative binomial counts, genes x samples."""
    genes, samples = expression.shape
    offset = np.where(planted, 0.0, rng.normal(0.0, _LEVEL_SPREAD, genes))
    share = np.exp2(expression + offset[:, None])
    share /= share.sum(axis=0)
    libraries = _READS * np.exp(rng.normal(0.0, _READS_SPREAD, samples))
    low = np.exp(rng.uniform(np.log(_WEAKEST), np.log(_STRONGEST), weak))
    mean = np.vstack([share * libraries, np.outer(low, libraries / _READS)])
    size = 1 / _DISPERSION
    counts: NDArray[np.int64] = rng.negative_binomial(size, size / (size + mean))
    return counts


def write_counts(
    folder: Path, series: str, samples: Sequence[str], rows: CountedRows, counts: NDArray[np.int64]
) -> None:
    """Write count matrix and annotation under the names that NCBI gives them."""
    matrix = pl.DataFrame(counts, schema=list(samples))
    matrix = matrix.insert_column(0, pl.Series("GeneID", rows.ids))
    name = f"{series}_raw_counts_{_GENOME}_NCBI.tsv.gz"
    write_gzip(folder / name, matrix.write_csv(separator="\t").encode())
    annotation = pl.DataFrame(
        {
            "GeneID": rows.ids,
            "Symbol": rows.symbols,
            "Description": ["simulated transcript"] * len(rows.ids),
            "Synonyms": [""] * len(rows.ids),
            "GeneType": ["protein-coding"] * len(rows.ids),
            "EnsemblGeneID": [""] * len(rows.ids),
            "Status": ["active"] * len(rows.ids),
        }
    )
    text = annotation.write_csv(separator="\t", quote_style="never")
    write_gzip(folder / f"Human.{_GENOME}.annot.tsv.gz", text.encode())
