"""How close log2(value + offset) of normalised RNA-seq tables is to edgeR's log counts.

    python -m benchmarks zero_offset [SEEDS]

A table of CPM, TPM, FPKM or TMM-normalised values has lost its counts, and its zeros need an offset
before the logarithm. Counts are simulated with seeds 1 to SEEDS (5), turned into such tables, and
log2(value + offset) is compared with edgeR's ``cpm(log=TRUE, prior.count=2)`` of the counts, for
several ways to choose the offset. Prints the figures of docs/decisions/0010-zeros-of-sequencing.md.

Criteria, set before the first run, for the mean over seeds of each kind of table:

reads
    Reads that the offset is worth in a library of average size and a gene of typical length.
    edgeR's is 2; wanted: 1 to 5.
low
    Spread (standard deviation between samples) of genes with 1 to 10 reads on average, as a ratio
    to the spread of edgeR's values; wanted: 0.75 to 1.33.
middle
    The same for genes with 50 to 500 reads; wanted: 0.9 to 1.1.

Only tables whose zeros would cost genes or samples count, since no other gets an offset. The way
chosen is the one that meets the criteria for the most kinds of tables; if several do, the simplest.
Values rounded to whole numbers are reported on their own: what the rounding has lost, no offset
brings back.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from genotex.cohorts.geo.rna_seq import expressed_genes, tmm_factors
from genotex.genes.scale import zero_offset

Floats = NDArray[np.float64]
Key = tuple[str, str, str]

GENES, SILENT = 7_000, 8_000
PRIOR = 2.0
LOW, MIDDLE = (1, 10), (50, 500)
MOST = 1_000
"""Genes whose spread is looked at."""
WANTED = {"reads": (1.0, 5.0), "low": (0.75, 1.33), "middle": (0.9, 1.1)}
WHOLE = ("TMM, whole numbers", "counts by size factors, whole numbers")
DESIGNS = {
    "100 of one tissue": (100, 1, False),
    "30 of one tissue": (30, 1, False),
    "30 of one tissue, deep": (30, 1, True),
    "8 of one tissue": (8, 1, False),
    "8 of one tissue, deep": (8, 1, True),
    "30 of 5 cell types": (30, 5, False),
    "30 of 5 cell types, deep": (30, 5, True),
    "8 of 2 cell types": (8, 2, False),
    "8 of 2 cell types, deep": (8, 2, True),
}
FILTERS = ("all genes", "10 counts in half", "1 CPM in half")


def draw(rng: np.random.Generator, samples: int, types: int, deep: bool) -> Floats:
    """Draw counts of expressed and of hardly expressed genes, of one tissue or several cell types.

    In a mixture of cell types 15 % of the expressed genes are silent in half of the types.
    Libraries have 3 or, where deep, 25 million reads.
    """
    level = np.concatenate([rng.normal(7.0, 2.2, GENES), rng.normal(-2.5, 2.0, SILENT)])
    level += 3.0 if deep else 0.0
    fold = rng.normal(0.0, 0.5, (len(level), samples))
    if types > 1:
        member = np.arange(samples) % types
        switched = np.flatnonzero(rng.random(GENES) < 0.15)
        off = rng.random((len(switched), types)).argsort(axis=1) < types // 2
        fold[switched] -= np.where(off[:, member], 8.0, 0.0)
    mean = np.exp2(level[:, None] + fold) * np.exp(rng.normal(0.0, 0.4, samples))
    size = 1 / 0.05
    counts: Floats = rng.negative_binomial(size, size / (size + mean)).astype(np.float64)
    return counts


def log_counts(counts: Floats, effective: Floats) -> Floats:
    """Return edgeR's log counts per million (see tests/genes/test_scale.py)."""
    prior = PRIOR * effective / effective.mean()
    return np.log2((counts + prior) / (effective + 2 * prior) * 1e6)


def tables(
    rng: np.random.Generator, counts: Floats, effective: Floats
) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield kinds of tables: name, values, and what one read is worth (genes x samples)."""
    sizes = counts.sum(axis=0)
    length = np.exp(rng.normal(0.7, 0.8, len(counts)))[:, None]
    ones = np.ones_like(counts)
    yield "CPM", counts / sizes * 1e6, ones / sizes * 1e6
    yield "CPM, 2 decimals", np.round(counts / sizes * 1e6, 2), ones / sizes * 1e6
    yield "TMM", counts / effective * 1e6, ones / effective * 1e6
    yield WHOLE[0], np.round(counts / effective * 1e6), ones / effective * 1e6
    scaled = effective / np.median(effective)
    yield "counts by size factors", counts / scaled, ones / scaled
    yield WHOLE[1], np.round(counts / scaled), ones / scaled
    fpkm, one_read = counts / length / sizes * 1e9, ones / length / sizes * 1e9
    yield "FPKM", fpkm, one_read
    yield "FPKM, 2 decimals", np.round(fpkm, 2), one_read
    total = (counts / length).sum(axis=0)
    one_read = ones / length / total * 1e6
    yield "TPM", counts / length / total * 1e6, one_read
    # Reads that fit several genes are shared among them, which gives fractions of a read.
    shared = (rng.random(len(counts)) < 0.3)[:, None]
    share = rng.beta(2, 2, (len(counts), 1))
    fraction = np.where(shared, rng.beta(30 * share, 30 * (1 - share), counts.shape), 1.0)
    rate = np.round(counts * fraction, 2) / length
    yield "TPM, shared reads", rate / rate.sum(axis=0) * 1e6, one_read
    # Some estimates stop just above zero.
    tiny = np.where(rng.random(counts.shape) < 0.1, 10 ** rng.uniform(-6, 0, counts.shape), 1.0)
    rate = (np.minimum(counts, 1) * tiny + np.maximum(counts - 1, 0)) / length
    yield "TPM, traces", rate / rate.sum(axis=0) * 1e6, one_read


def kept(counts: Floats, how: str) -> NDArray[np.bool_]:
    """Tell which genes a submitter left in the table."""
    sizes, half = counts.sum(axis=0), counts.shape[1] / 2
    if how == "1 CPM in half":
        return np.asarray((counts / sizes * 1e6 >= 1).sum(axis=1) >= half)
    if how == "10 counts in half":
        return expressed_genes(counts, sizes, half)
    return np.ones(len(counts), dtype=bool)


def rare_median(values: Floats) -> float:
    """Median of the non-zero values in the rows that are zero in at least half of the samples."""
    zeros = (values == 0).mean(axis=1)
    rare = values[(zeros >= 0.5) & (zeros < 1)]
    return float(np.median(rare[rare > 0])) if (rare > 0).any() else 0.0


def by_zeros(values: Floats, quantile: float) -> float:
    """Worth of a read by how often a row of this mean is zero (Poisson), a quantile over rows."""
    zeros = (values == 0).mean(axis=1)
    some = (zeros > 0) & (zeros < 1)
    if not some.any():
        return 0.0
    return float(np.quantile(values[some].mean(axis=1) / -np.log(zeros[some]), quantile))


def row_quantile(values: Floats, share: float) -> float:
    """Low quantile of the non-zero values of each row that has zeros, the median over rows."""
    zeros = (values == 0).mean(axis=1)
    rows = values[(zeros > 0) & (zeros < 1)]
    if not len(rows):
        return 0.0
    ordered = np.sort(np.where(rows > 0, rows, np.inf), axis=1)
    place = ((rows > 0).sum(axis=1) * share).astype(int)
    return float(np.median(ordered[np.arange(len(rows)), place]))


def sample_minimum(values: Floats) -> float:
    """Smallest non-zero value of each sample, the median over samples."""
    return float(np.median(np.where(values > 0, values, np.inf).min(axis=0)))


WAYS: dict[str, Callable[[Floats], float]] = {
    "1 (habit)": lambda values: 1.0,
    "half the smallest value": lambda values: float(values[values > 0].min()) / 2,
    "5 % quantile": lambda values: float(np.quantile(values[values > 0], 0.05)),
    "2 x smallest of a sample": lambda values: 2 * sample_minimum(values),
    "2 x median of rows with half zeros": lambda values: 2 * rare_median(values),
    "2 x Poisson, lower quartile of rows": lambda values: 2 * by_zeros(values, 0.25),
    "2 x lower quartile of a row with zeros": lambda values: 2 * row_quantile(values, 0.25),
    "2 x lowest tenth of a row with zeros": lambda values: 2 * row_quantile(values, 0.1),
    "2 x smallest of a row with zeros": lambda values: 2 * row_quantile(values, 0.0),
    "zero_offset": zero_offset,
}


def spread(logged: Floats) -> Floats:
    """Return standard deviations by gene."""
    return np.asarray(logged.std(axis=1))


def measures(
    values: Floats, worth: Floats, offset: float, counts: Floats, golden: Floats
) -> dict[str, float]:
    """Return the criteria of one table under one offset; NaN where it has no such genes."""
    level = counts.mean(axis=1)
    weak = np.flatnonzero((level > 0.2) & (level < 50))[:MOST]
    found = {"reads": float(offset / np.median(1 / (1 / worth[weak]).mean(axis=1)))}
    for name, (least, most) in (("low", LOW), ("middle", MIDDLE)):
        genes = np.flatnonzero((level >= least) & (level <= most))[:MOST]
        if len(genes) < 20:
            found[name] = np.nan
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            ours = spread(np.log2(values[genes] + offset)).mean()
        found[name] = float(ours / spread(golden[genes]).mean())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=int, nargs="?", default=5)
    seeds = parser.parse_args().seeds
    found: dict[str, dict[Key, list[dict[str, float]]]] = {way: {} for way in WAYS}
    zeros: dict[str, list[float]] = {}
    kept_zeros = [0, 0]
    for seed in range(1, seeds + 1):
        for design, (samples, types, deep) in DESIGNS.items():
            rng = np.random.default_rng([seed, samples, types, deep])
            counts = draw(rng, samples, types, deep)
            sizes = counts.sum(axis=0)
            effective = sizes * tmm_factors(counts, sizes)
            golden = log_counts(counts, effective)
            masks = {how: kept(counts, how) for how in FILTERS}
            for kind, values, worth in tables(rng, counts, effective):
                for how, mask in masks.items():
                    table, key = values[mask], (kind, design, how)
                    zeros.setdefault(how, []).append(float((table == 0).mean()))
                    kept_zeros[1] += 1
                    if not zero_offset(table):
                        continue
                    kept_zeros[0] += 1
                    for way, choose in WAYS.items():
                        offset = choose(table)
                        one = measures(table, worth[mask], offset, counts[mask], golden[mask])
                        found[way].setdefault(key, []).append(one)
        print(f"seed {seed}", file=sys.stderr, flush=True)
    for how, shares in zeros.items():
        print(f"zeros, {how}: {100 * min(shares):.2f} to {100 * max(shares):.1f} % of the values")
    print(f"zero_offset keeps the zeros of {kept_zeros[0]} of {kept_zeros[1]} tables")
    for way, tables_found in found.items():
        report(way, tables_found)


def report(way: str, tables_found: dict[Key, list[dict[str, float]]]) -> None:
    """Print for how many kinds of tables a way meets the criteria, and how far off it can be."""
    means = {
        key: {name: float(np.mean([one[name] for one in ones])) for name in WANTED}
        for key, ones in tables_found.items()
    }
    for part, keys in (
        ("as computed", [key for key in means if key[0] not in WHOLE]),
        (WHOLE[0], [key for key in means if key[0] == WHOLE[0]]),
        (WHOLE[1], [key for key in means if key[0] == WHOLE[1]]),
    ):
        line = []
        for name, (least, most) in WANTED.items():
            values = {key: means[key][name] for key in keys if not np.isnan(means[key][name])}
            met = sum(least <= value <= most for value in values.values())
            line.append(
                f"{name} {met} of {len(values)} "
                f"({min(values.values()):.2f} to {max(values.values()):.2f})"
            )
        print(f"{way}, {part}: {'; '.join(line)}")
