"""Single cells of 10x summed from files of a real size: time, peak memory, speed of unpacking.

    python -m benchmarks single_cells [--gigabytes 20] [--cells 12000] [--folder FOLDER]

One Cell Ranger triplet is made: some 35,000 genes, 12,000 cells, some 60 million counts above zero,
0.8 GB of text, 0.2 GB packed. A series has it as many times, by hard links, as make up the
gigabytes (packed, as GEO lists them); `genotex preprocess` reads every one. The counts of each
sample are compared with those that were drawn.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from isal import igzip
from tests.geo_text import asthma, series_matrix, write_gz

from benchmarks.measuring import GENOTEX, measure
from genotex.arrays import Floats
from genotex.formats import read_gene_csv
from genotex.genes import GeneTable
from genotex.layout import OutputFolder

DEPTH, SEED = 9_000, 1
PIECE = 1_000
TRAIT, SERIES = "Asthma", "GSE1"


def triplet(folder: Path, cells: int) -> Floats:
    """Write the matrix, genes and barcodes of one sample; return the counts of each gene."""
    stream = np.random.default_rng(SEED)
    genes = genes_of_matrix().height
    level = stream.gamma(0.15, 1, genes) + 1e-6
    level /= level.sum()
    sums, count = np.zeros(genes), 0
    lines = folder / "lines"
    with lines.open("wb") as out:
        for start in range(0, cells, PIECE):
            several = min(PIECE, cells - start)
            depth = stream.lognormal(np.log(DEPTH), 0.45, several)
            drawn = stream.poisson(level * depth[:, None])
            cell, gene = np.nonzero(drawn)
            entries = {"gene": gene + 1, "cell": cell + start + 1, "count": drawn[cell, gene]}
            pl.DataFrame(entries).write_csv(out, include_header=False, separator=" ")
            sums += drawn.sum(axis=0)
            count += len(cell)
    head = f"%%MatrixMarket matrix coordinate integer general\n{genes} {cells} {count}\n"
    with igzip.open(folder / "matrix.mtx.gz", "wb") as packed, lines.open("rb") as text:
        packed.write(head.encode())
        while piece := text.read(1 << 24):
            packed.write(piece)
    lines.unlink()
    rows = (f"{one}\t{name}\tGene Expression\n" for one, name in genes_of_matrix().iter_rows())
    write_gz(folder / "features.tsv.gz", "".join(rows))
    write_gz(folder / "barcodes.tsv.gz", "".join(f"{i:016}-1\n" for i in range(cells)))
    return sums


def genes_of_matrix() -> pl.DataFrame:
    """Return Ensembl ids and symbols, one of each for a gene."""
    known = GeneTable.load().genes.filter(pl.col("ensembl").str.len_chars() == 15)
    return known.unique("ensembl").unique("symbol").sort("ensembl").select("ensembl", "symbol")


def series(folder: Path, made: Path, gigabytes: float) -> int:
    """Lay out a series of links to one triplet; return its number of samples."""
    size = sum(path.stat().st_size for path in made.iterdir())
    samples = max(6, round(gigabytes * 1e9 / size))
    head = series_matrix(characteristics=asthma(samples), ids=())
    write_gz(folder / f"{SERIES}_series_matrix.txt.gz", head)
    for i in range(samples):
        for path in made.iterdir():
            os.link(path, folder / f"GSM{i + 1}_{path.name}")
    return samples


def unpacking(path: Path) -> tuple[float, float]:
    """Return the GB that a file unpacks to, and the processor seconds that this alone takes."""
    start, size = time.process_time(), 0
    with igzip.open(path) as packed:
        while piece := packed.read(1 << 20):
            size += len(piece)
    return size / 1e9, time.process_time() - start


def main() -> None:
    """Make the series, read it, and print what that took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=20, help="packed files of the series")
    parser.add_argument("--cells", type=int, default=12_000, help="cells of each sample")
    parser.add_argument("--folder", type=Path, help="where the files are made for a while")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        made, root = Path(name) / "made", Path(name) / "input" / "GEO" / TRAIT / SERIES
        made.mkdir()
        true = triplet(made, chosen.cells)
        samples = series(root, made, chosen.gigabytes)
        packed = sum(path.stat().st_size for path in root.iterdir()) / 1e9
        text, alone = unpacking(made / "matrix.mtx.gz")
        print(f"{samples} samples, {packed:.1f} GB packed, {text * samples:.1f} GB unpacked")
        print(f"unpacking alone: {text / alone:.2f} GB of text for each second of a processor")
        output = OutputFolder(Path(name) / "output")
        words = ["preprocess", str(Path(name) / "input"), str(output.root)]
        took = measure([*GENOTEX, *words])
        print(
            f"genotex preprocess: {took.seconds:.0f} s, processor {took.processor:.0f} s, "
            f"{text * samples / took.processor:.2f} GB of text for each second of a processor"
        )
        print(f"peak memory: {took.peak_gib:.2f} GiB")
        print(f"counts of all samples as drawn: {as_drawn(output, true)}")


def as_drawn(output: OutputFolder, true: Floats) -> bool:
    """Return whether all samples have the same values, in the order of the counts drawn."""
    found = read_gene_csv(output.gene_csv(TRAIT, SERIES))
    values = np.asarray(found.values)
    sums = dict(zip(genes_of_matrix()["symbol"], true, strict=True))
    drawn = np.array([sums[gene] for gene in found.ids])
    order = np.argsort(drawn)
    same = bool((values == values[:, :1]).all())
    return same and bool((np.diff(values[order, 0])[np.diff(drawn[order]) > 0] > 0).all())
