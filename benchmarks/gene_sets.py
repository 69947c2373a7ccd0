"""Gene sets: speed of the test along the ranking, and how it fares where nothing is to be found.

Run: python benchmarks/gene_sets.py
"""

from __future__ import annotations

import resource
import time

import numpy as np

from genotex.analysis.gene_set_tests import ranked_enrichment
from genotex.analysis.multiple_testing import benjamini_hochberg

COHORTS, SAMPLES, GENES, SETS, SIZE = 40, 60, 4000, 50, 40


def main() -> None:
    """Print seconds and memory for 5,000 sets, then the share of null cohorts with a set found."""
    rng = np.random.default_rng(0)
    statistic = np.sort(rng.normal(0, 2, 18_000))[::-1].copy()
    sizes = np.clip(rng.lognormal(3.6, 0.9, 5000), 10, 500).astype(int)
    members = [sorted(rng.choice(18_000, size, replace=False).tolist()) for size in sizes]
    ranked_enrichment(members[:1], statistic, permutations=100, seed=1)
    start = time.process_time()
    ranked_enrichment(members, statistic, permutations=1000, seed=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    seconds = time.process_time() - start
    print(f"{len(members):,} sets, {len(statistic):,} genes: {seconds:.1f} s, peak {peak:.2f} GiB")
    for correlation in (0.0, 0.05, 0.2):
        found = [null_cohort(seed, correlation) for seed in range(COHORTS)]
        share = np.mean([count > 0 for count in found])
        print(
            f"null cohorts, correlation within sets {correlation:g}: {share:.0%} with a set at "
            f"q < 0.05, {np.mean(found) / SETS:.1%} of all sets"
        )


def null_cohort(seed: int, correlation: float) -> int:
    """Return how many sets are found in a cohort whose groups do not differ."""
    rng = np.random.default_rng(seed)
    values = np.sqrt(1 - correlation) * rng.normal(size=(SAMPLES, GENES))
    shared = np.sqrt(correlation) * rng.normal(size=(SAMPLES, SETS))
    values[:, : SETS * SIZE] += np.repeat(shared, SIZE, axis=1)
    cases, controls = values[1::2], values[::2]
    spread = np.sqrt((cases.var(axis=0, ddof=1) + controls.var(axis=0, ddof=1)) * 2 / SAMPLES)
    t = (cases.mean(axis=0) - controls.mean(axis=0)) / spread
    order = np.argsort(-t)
    place = np.argsort(order)
    members = [sorted(place[i * SIZE : (i + 1) * SIZE].tolist()) for i in range(SETS)]
    scores = ranked_enrichment(members, t[order].copy(), permutations=200, seed=1)
    return int((benjamini_hochberg(np.array([s.p for s in scores])) < 0.05).sum())


if __name__ == "__main__":
    main()
