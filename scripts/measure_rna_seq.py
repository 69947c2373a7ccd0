"""RNA-seq cohorts: planted genes found, false findings, and p-values when nothing is associated.

    python scripts/measure_rna_seq.py [SEEDS]

Simulates a study with an RNA-seq cohort for each seed from 1 to SEEDS (12), goes the whole road
with voom's weights and without, once with the true trait and with the trait given at random; then
a cohort with libraries of very different sizes; then the time of a large cohort. Prints the
figures of docs/rna-seq.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from genotex.analysis import AnalysisOptions, AnalysisResult, analyze_table
from genotex.analysis.linear import fit_last_column
from genotex.analysis.moderated import moderate
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.voom import fit_counts
from genotex.cohorts import preprocess
from genotex.formats import Evidence, LinkedTable, read_evidence, read_linked
from genotex.layout import OutputFolder
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
            ("voom weights", fit_counts(design, values, libraries)),
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
        fit_counts(design, values, libraries)
        weighted = time.monotonic() - start
        start = time.monotonic()
        fit_last_column(design, values)
        plain = time.monotonic() - start
    print(f"{samples} x {genes}, 10 columns: {weighted:.2f} s with weights, {plain:.2f} s without")


def main() -> None:
    """Measure and print."""
    measure_road(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    measure_depth()
    measure_time()


if __name__ == "__main__":
    main()
