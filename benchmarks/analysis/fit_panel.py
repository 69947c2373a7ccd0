"""The sparse panel with nested cross-validation and selection frequencies, on simulated cohorts.

    python -m benchmarks fit_panel [--repeat N] [--threads N] [SAMPLES GENES ...]

Processor time (the best of the repeats) and peak memory of this process.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from rich.console import Console

from genotex.analysis import fit_panel

SIZES = [167, 18_530, 500, 20_000, 1_000, 20_000]


def cohort(samples: int, genes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return correlated genes, two covariates and a score that twenty genes make."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(samples, 40))
    loads = rng.normal(size=(40, genes)) * (rng.random((40, genes)) < 0.05)
    expression = 8 + 0.7 * rng.normal(size=(samples, genes)) + 0.5 * factors @ loads
    covariates = rng.normal(size=(samples, 2))
    leading = expression[:, :20] - expression[:, :20].mean(axis=0)
    score = 0.4 * leading @ rng.choice([-1.0, 1.0], 20) + rng.normal(size=samples)
    return expression, covariates, score + 0.4 * covariates[:, 0]


def main() -> None:
    """Fit a binary and a measured trait for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    choices = parser.parse_args()
    console = Console()
    for samples, genes in zip(choices.sizes[::2], choices.sizes[1::2], strict=True):
        expression, covariates, score = cohort(samples, genes)
        for binary in (True, False):
            target = (score > np.median(score)) * 1.0 if binary else score / score.std()
            seconds = []
            for _ in range(choices.repeat):
                start = time.process_time()
                panel = fit_panel(
                    expression, covariates, target, binary=binary, seed=1, threads=choices.threads
                )
                seconds.append(time.process_time() - start)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            console.print(
                f"{samples} x {genes} {'binary' if binary else 'measured'}: {min(seconds):.2f} s, "
                f"{len(panel.coefficients)} genes, peak {peak:.0f} MiB"
            )
