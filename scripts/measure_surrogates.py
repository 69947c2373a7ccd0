"""False discoveries and power with and without surrogate variables, in simulated cohorts.

    python scripts/measure_surrogates.py [COHORTS]

Prints the table of docs/decisions/0006-hidden-structure.md: COHORTS (200) cohorts of 2,000 genes
for each number of samples, batch and number of affected genes. Two latent factors make the genes
correlate; the batch shifts a third of the genes; half-confounded: three quarters of the cases and a
quarter of the controls are in it.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from genotex.analysis.linear import fit_last_column
from genotex.analysis.moderated import moderate
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.surrogate import find_surrogates

Floats = NDArray[np.float64]

GENES = 2000
SAMPLES = (24, 40, 60, 120)
IN_BATCH = {"none": None, "independent": (0.5, 0.5), "half-confounded": (0.25, 0.75)}
AFFECTED = (0, 100)


def make_cohort(
    rng: np.random.Generator, samples: int, batch: tuple[float, float] | None, affected: int
) -> tuple[Floats, Floats]:
    """Return design and expression; the first genes are the affected ones."""
    trait = np.repeat([0.0, 1.0], samples // 2)
    spread = np.sqrt(0.09 * 6 / rng.chisquare(6, GENES))
    expression = rng.uniform(4, 13, GENES) + rng.normal(size=(samples, GENES)) * spread
    for _ in range(2):
        loading = rng.normal(0, 0.15, GENES) * (rng.random(GENES) < 0.5)
        expression += np.outer(rng.normal(size=samples), loading)
    if batch is not None:
        member = np.zeros(samples)
        for group, share in enumerate(batch):
            start = group * (samples // 2)
            size = round(share * samples / 2)
            member[start + rng.permutation(samples // 2)[:size]] = 1.0
        expression += np.outer(member, rng.normal(0, 0.5, GENES) * (rng.random(GENES) < 1 / 3))
    if affected:
        effect = rng.uniform(0.4, 1.2, affected) * rng.choice([-1.0, 1.0], affected)
        expression[:, :affected] += np.outer(trait, effect)
    return np.column_stack([np.ones(samples), trait]), expression


def score(design: Floats, expression: Floats, affected: int) -> tuple[float, float]:
    """Return false discovery proportion and power at q < 0.05."""
    found = benjamini_hochberg(moderate(fit_last_column(design, expression)).p) < 0.05
    true = int(found[:affected].sum())
    total = int(found.sum())
    return (total - true) / total if total else 0.0, true / affected if affected else np.nan


def measure(cohorts: int, samples: int, batch: str, affected: int) -> str:
    """Return a row of the table."""
    scores: list[tuple[float, float, float, float]] = []
    used: list[int] = []
    for seed in range(1, cohorts + 1):
        rng = np.random.default_rng([seed, samples])
        design, expression = make_cohort(rng, samples, IN_BATCH[batch], affected)
        columns = find_surrogates(expression, design, seed=seed).columns
        wide = np.column_stack([design[:, :-1], columns, design[:, -1]])
        plain, adjusted = (score(d, expression, affected) for d in (design, wide))
        scores.append((*plain, *adjusted))
        used.append(columns.shape[1])
    table = np.array(scores)
    mean = table.mean(axis=0)
    error = table.std(axis=0, ddof=1) / np.sqrt(cohorts)
    cells = [
        f"{mean[0]:.3f} ± {error[0]:.3f}",
        f"{mean[2]:.3f} ± {error[2]:.3f}",
        *(f"{mean[k]:.2f}" if affected else "" for k in (1, 3)),
        f"{np.mean(used):.1f}",
    ]
    return f"| {samples} | {batch} | {affected} | " + " | ".join(cells) + " |"


def main() -> None:
    """Measure and print."""
    cohorts = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| n | batch | affected | FDP without | FDP with | power without | with | surrogates |")
    print("|---|---|---|---|---|---|---|---|")
    with threadpool_limits(limits=1):
        for samples in SAMPLES:
            for batch in IN_BATCH:
                for affected in AFFECTED:
                    print(measure(cohorts, samples, batch, affected), flush=True)


if __name__ == "__main__":
    main()
