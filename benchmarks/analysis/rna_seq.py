"""RNA-seq cohorts: planted genes found, false findings, and p-values when nothing is associated.

    python -m benchmarks rna_seq [SEEDS]

Simulates a study with an RNA-seq cohort for each seed from 1 to SEEDS (12), goes the whole road
with voom's weights and without, once with the true trait and with the trait given at random; then
the same cohorts as tables of normalised values, without their counts; then a cohort with libraries
of very different sizes; then the time of a large cohort. Prints the figures of docs/calibration.md.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from genotex.analysis import (
    AnalysisResult,
    Precision,
    analyze_table,
    benjamini_hochberg,
    fit_last_column,
    moderate,
)
from genotex.cohorts import preprocess
from genotex.cohorts.geo.rna_seq import tmm_factors
from genotex.formats import (
    CountMatrix,
    Evidence,
    LinkedTable,
    read_count_annotation,
    read_evidence,
    read_linked,
    read_raw_counts,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.simulate import Truth, score_against_truth, simulate_study

COHORT = "GSE90000007"
PERMUTATIONS = 4
LEVELS = (0.05, 0.01, 0.001)
OPTIONS = {
    "as by default": AnalysisOptions(panel=False),
    "no surrogate variables": AnalysisOptions(panel=False, hidden="none"),
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cohort:
    """A preprocessed RNA-seq cohort and what is true of it."""

    truth: Truth
    table: LinkedTable
    evidence: Evidence

    def solve(self, options: AnalysisOptions, weights: bool, seed: int | None) -> AnalysisResult:
        """Analyse it, with the trait given at random where there is a seed."""
        table, roles = self.table, self.evidence.roles
        if seed is not None:
            order = np.random.default_rng(seed).permutation(len(table.samples))
            table, roles = replace(table, trait_values=table.trait_values[order]), {}
        counts = self.evidence.counts if weights else {}
        facts = self.evidence.sample_facts
        return analyze_table(table, roles, Problem(table.trait), options, facts, counts=counts)


def cohorts(seeds: int) -> Iterator[Cohort]:
    """Simulate and preprocess."""
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            study = simulate_study(Path(folder) / "study", seed=seed, rna_seq=True)
            output = OutputFolder(Path(folder) / "output")
            preprocess(study.folder, output.root, traits=[study.truth.trait], cohorts=[COHORT])
            evidence = read_evidence(output.evidence(study.truth.trait, COHORT))
            yield Cohort(study.truth, read_linked(output, study.truth.trait, COHORT), evidence)


def measure_road(seeds: int) -> None:
    """Print planted genes found, and p-values under no association."""
    scores: dict[str, list[tuple[int, float]]] = {}
    null: dict[str, list[Floats]] = {}
    found: dict[str, list[int]] = {}
    for cohort in cohorts(seeds):
        for name, options in OPTIONS.items():
            for weights in (True, False):
                way = f"{name}, {'voom weights' if weights else 'no weights'}"
                result = cohort.solve(options, weights, None)
                score = score_against_truth(cohort.truth, result.significant["Variable"])
                pair = (score.found, score.false_discovery_proportion)
                scores.setdefault(way, []).append(pair)
                for seed in range(PERMUTATIONS):
                    random = cohort.solve(options, weights, seed)
                    p = random.genes["p"].drop_nulls().to_numpy()
                    null.setdefault(way, []).append(p)
                    found.setdefault(way, []).append(random.significant.height)
    show(scores, null, found)


def show(
    scores: dict[str, list[tuple[int, float]]],
    null: dict[str, list[Floats]],
    found: dict[str, list[int]],
) -> None:
    """Print planted genes found and false ones, and p-values under no association."""
    for way, pairs in scores.items():
        true, false = np.array(pairs).T
        print(
            f"{way}: {true.min():.0f} to {true.max():.0f} of 60 found, FDP {false.min():.2f} to "
            f"{false.max():.2f}, mean {false.mean():.2f}"
        )
    for way, runs in null.items():
        shares = shares_below(np.concatenate(runs))
        some = sum(number > 0 for number in found[way])
        print(f"trait at random, {way}: {shares}; findings in {some} of {len(runs)} runs")


def measure_tables(seeds: int) -> None:
    """Print the same for tables of TMM-normalised values and TPM in place of the counts."""
    scores: dict[str, list[tuple[int, float]]] = {}
    null: dict[str, list[Floats]] = {}
    found: dict[str, list[int]] = {}
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            study = simulate_study(Path(folder) / "study", seed=seed, rna_seq=True)
            trait = study.truth.trait
            cohort = study.folder / "GEO" / trait / COHORT
            (path,) = cohort.glob("*_raw_counts_*")
            (annotation,) = cohort.glob("*.annot.tsv.gz")
            counts, symbols = read_raw_counts(path), read_count_annotation(annotation).symbols
            path.unlink()
            empty = gzip.decompress((cohort / f"{COHORT}_series_matrix.txt.gz").read_bytes())
            for kind, values in normalised(counts, seed).items():
                rows = [
                    [symbols[gene], *row] for gene, row in zip(counts.genes, values, strict=True)
                ]
                write_matrix(cohort, empty.decode(), counts.samples, rows)
                output = OutputFolder(Path(folder) / kind)
                preprocess(study.folder, output.root, traits=[trait], cohorts=[COHORT])
                evidence = read_evidence(output.evidence(trait, COHORT))
                made = Cohort(study.truth, read_linked(output, trait, COHORT), evidence)
                result = made.solve(OPTIONS["as by default"], False, None)
                score = score_against_truth(made.truth, result.significant["Variable"])
                pair = (score.found, score.false_discovery_proportion)
                scores.setdefault(kind, []).append(pair)
                for order in range(PERMUTATIONS):
                    random = made.solve(OPTIONS["as by default"], False, order)
                    null.setdefault(kind, []).append(random.genes["p"].drop_nulls().to_numpy())
                    found.setdefault(kind, []).append(random.significant.height)
    show(scores, null, found)


def normalised(counts: CountMatrix, seed: int) -> dict[str, Floats]:
    """Return the tables that a submitter may give: TMM-normalised values and TPM."""
    values = counts.counts.astype(np.float64)
    sizes = values.sum(axis=0)
    length = np.exp(np.random.default_rng(seed).normal(0.7, 0.8, len(values)))
    rate = values / length[:, None]
    return {
        "table of TMM values": values / (sizes * tmm_factors(values, sizes)) * 1e6,
        "table of TPM": rate / rate.sum(axis=0) * 1e6,
    }


def write_matrix(
    cohort: Path, empty: str, samples: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """Write the series matrix of a cohort with a table in it, in the order of `samples`."""
    head, _, _ = empty.partition('"ID_REF"')
    text = head + "\t".join(["ID_REF", *samples]) + "\n"
    text += "".join("\t".join(map(str, row)) + "\n" for row in rows)
    text += "!series_matrix_table_end\n"
    path = cohort / f"{COHORT}_series_matrix.txt.gz"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=1))


def shares_below(p: Floats) -> str:
    """Return the shares of p-values below the usual levels."""
    return ", ".join(f"p < {level:g}: {np.mean(p < level):.4f}" for level in LEVELS)


def measure_depth(runs: int = 20, samples: int = 16, genes: int = 3000, changed: int = 150) -> None:
    """Print what is found where half of each group is sequenced a tenth as deep."""
    trait = np.arange(samples) % 2.0
    design = np.column_stack([np.ones(samples), trait])
    scores: dict[str, list[tuple[float, float]]] = {"voom weights": [], "no weights": []}
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        depth = np.where(np.arange(samples) % 4 < 2, 1.0, 0.1) * np.exp(rng.normal(0, 0.2, samples))
        mean, size = np.outer(depth, np.exp(rng.normal(4.0, 1.5, genes))), 1 / 0.05
        mean[:, :changed] *= np.where(trait == 1, 2.0, 1.0)[:, None]
        counts = rng.negative_binomial(size, size / (size + mean)).astype(np.float64)
        libraries = counts.sum(axis=1)
        values = np.log2((counts + 0.5) / (libraries[:, None] + 1) * 1e6)
        for way, fit in (
            ("voom weights", Precision(libraries=libraries).fit(design, values)),
            ("no weights", fit_last_column(design, values)),
        ):
            hits = np.flatnonzero(benjamini_hochberg(moderate(fit).p) < 0.05)
            true = int((hits < changed).sum())
            scores[way].append((true, 1 - true / max(len(hits), 1)))
    for way, pairs in scores.items():
        true, false = np.array(pairs).mean(axis=0)
        print(f"half a tenth as deep, {way}: {true:.0f} of {changed} found, FDP {false:.3f}")


def measure_time(samples: int = 167, genes: int = 20_000) -> None:
    """Print how long the weighted regression of a large cohort takes on one core."""
    rng = np.random.default_rng(0)
    libraries = rng.lognormal(16, 0.4, samples)
    mean = np.outer(libraries / libraries.mean(), rng.lognormal(4, 2, genes))
    counts = rng.negative_binomial(5, 5 / (5 + mean)).astype(np.float64)
    values = np.log2((counts + 0.5) / (libraries[:, None] + 1) * 1e6)
    design = np.column_stack([np.ones(samples), rng.normal(size=(samples, 8)), rng.random(samples)])
    with threadpool_limits(limits=1):
        start = time.monotonic()
        Precision(libraries=libraries).fit(design, values)
        weighted = time.monotonic() - start
        start = time.monotonic()
        fit_last_column(design, values)
        plain = time.monotonic() - start
    print(f"{samples} x {genes}, 10 columns: {weighted:.2f} s with weights, {plain:.2f} s without")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds", type=int, nargs="?", default=12)
    seeds = parser.parse_args().seeds
    measure_road(seeds)
    measure_tables(seeds)
    measure_depth()
    measure_time()
