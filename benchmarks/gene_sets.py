"""Speed and memory of the gene set tests, on 10,000 sets, 20,000 genes and 200 samples.

Run: python benchmarks/gene_sets.py

How often the tests find a set where there is none, and how often a planted one:
scripts/measure_gene_sets.py.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from genotex.analysis import (
    Precision,
    camera,
    effect_matrix,
    fit_last_column,
    fry,
    moderate,
    ranked_enrichment,
)

SETS, GENES, SAMPLES = 10_000, 20_000, 200
COVARIATES = 8
DESCRIBED = 1000
"""Sets whose score along the ranking is computed: gseapy takes its time."""


def main() -> None:
    """Print seconds of processor time of each step, and the peak memory."""
    rng = np.random.default_rng(0)
    trait = np.arange(SAMPLES) % 2
    design = np.column_stack([np.ones(SAMPLES), rng.normal(size=(SAMPLES, COVARIATES)), trait])
    values = rng.normal(8, 1, (SAMPLES, GENES))
    sizes = np.clip(rng.lognormal(4, 1, SETS), 10, 500).astype(int)
    places = np.concatenate([np.sort(rng.choice(GENES, size, replace=False)) for size in sizes])
    starts = np.cumsum([0, *sizes])
    members = csr_array((np.ones(len(places)), places, starts), shape=(SETS, GENES))
    print(f"{SETS:,} sets of {sizes.mean():.0f} genes, {GENES:,} genes, {SAMPLES} samples")
    fit = moderate(fit_last_column(design, values))
    effects = effect_matrix(design, values)
    timed("effects", lambda: effect_matrix(design, values))
    counted = Precision(libraries=np.full(SAMPLES, 2e7))
    timed("effects of counts", lambda: effect_matrix(design, values, counted))
    timed("camera", lambda: camera(fit.t, fit.df, effects[:, 1:], members))
    timed("fry", lambda: fry(effects, fit.prior, members))
    statistic = np.sort(fit.t)[::-1].copy()
    some = [places[a:b].tolist() for a, b in pairwise(starts[: DESCRIBED + 1])]
    timed(
        f"scores of {DESCRIBED:,} sets",
        lambda: ranked_enrichment(some, statistic, permutations=1000, seed=1),
    )


def timed(what: str, work: Callable[[], object]) -> None:
    """Do it once and print what it took."""
    start = time.process_time()
    with threadpool_limits(limits=1):
        work()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what}: {seconds:.1f} s, peak so far {peak:.2f} GiB")


if __name__ == "__main__":
    main()
