"""Measure how the tests over several cohorts fare on simulated standardised effects.

    python scripts/measure_meta.py

4,000 genes per study, a tenth of them with a mean difference of 0.8 standard deviations, cohorts of
two equal groups; each row is the mean of ten studies. `tau` is the standard deviation between the
true effects of the cohorts, of the changed genes only or of all genes.

The last lines are of cohorts that do not differ and have no changed gene, whose genes go together
(five hidden factors that have nothing to do with the trait): how far the share of genes with p of
Cochran's Q below 0.05 scatters by chance, and how often `cohorts_differ` would warn.
"""

from __future__ import annotations

import argparse

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

from genotex.analysis.meta import combine_effects, stouffer
from genotex.analysis.meta.cautions import cohorts_differ, differing_share
from genotex.analysis.meta.replication import replicates
from genotex.analysis.multiple_testing import benjamini_hochberg

Floats = NDArray[np.float64]

GENES, SHARE, EFFECT, CUT = 4000, 0.1, 0.8, 0.05
TESTS = ("fixed", "ranking", "replicates", "strict", "Stouffer")


def cohort(
    difference: Floats, samples: int, rng: np.random.Generator, loadings: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return Hedges' g, its standard error, and the p-value of the t-test of each gene.

    Hidden factors, independent of the groups, move the genes by `loadings` (factors x genes).
    """
    case = np.arange(samples) % 2 == 1
    values = rng.normal(size=(samples, len(difference))) + np.outer(case, difference)
    if loadings is not None:
        values += rng.normal(size=(samples, len(loadings))) @ loadings
    first, second = values[case], values[~case]
    df = samples - 2
    squares = first.var(axis=0) * len(first) + second.var(axis=0) * len(second)
    unscaled = np.sqrt(1 / len(first) + 1 / len(second))
    raw = (first.mean(axis=0) - second.mean(axis=0)) / np.sqrt(squares / df)
    correction = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2)
    g = correction * raw
    error = np.sqrt(correction**2 * df / (df - 2) * (unscaled**2 + g**2) - g**2)
    return g, error, 2 * stats.t.sf(np.abs(raw) / unscaled, df)


def study(
    cohorts: int, samples: int, tau: tuple[float, float], rng: np.random.Generator
) -> dict[str, tuple[float, ...]]:
    """Return power, false discovery proportion and share of p < 0.05 among unchanged genes.

    ``differing`` is the share of genes on which cohorts differ (p of Cochran's Q < 0.05).
    """
    changed = np.arange(GENES) < SHARE * GENES
    mean = np.where(changed, EFFECT * rng.choice([-1, 1], GENES), 0.0)
    spread = np.where(changed, *tau)
    parts = [cohort(mean + spread * rng.normal(size=GENES), samples, rng) for _ in range(cohorts)]
    g, error, p = (np.array(part) for part in zip(*parts, strict=True))
    found = combine_effects(g, error)
    fixed = benjamini_hochberg(found.fixed_p) < CUT
    ranking = benjamini_hochberg(found.p) < CUT
    nominal = ((p < CUT) & (np.sign(g) == np.sign(found.effect))).sum(axis=0)
    second = stouffer(p, np.sign(g), np.ones_like(g))
    strict = np.nan_to_num(found.strict_p, nan=1.0)
    hits = {
        "fixed": (fixed, found.fixed_p),
        "ranking": (ranking, found.p),
        "replicates": (replicates(found, nominal, ranking), found.p),
        "strict": (benjamini_hochberg(strict) < CUT, strict),
        "Stouffer": (benjamini_hochberg(second) < CUT, second),
    }
    scores = {name: _score(hit, p, changed) for name, (hit, p) in hits.items()}
    return {**scores, "differing": (float((found.heterogeneity_p < CUT).mean()),)}


def quiet(cohorts: int, samples: int, load: float, rng: np.random.Generator) -> tuple[float, bool]:
    """Return the share of genes on which equal cohorts differ, and whether that is warned of."""
    loadings = load * rng.normal(size=(5, GENES))
    parts = [cohort(np.zeros(GENES), samples, rng, loadings) for _ in range(cohorts)]
    g, error, _ = (np.array(part) for part in zip(*parts, strict=True))
    found = combine_effects(g, error)
    genes = pl.DataFrame({"Q p": found.heterogeneity_p})
    return differing_share(genes), cohorts_differ(genes)


def _score(
    hit: NDArray[np.bool_], p: Floats, changed: NDArray[np.bool_]
) -> tuple[float, float, float]:
    false = float((hit & ~changed).sum() / max(1, hit.sum()))
    return float(hit[changed].mean()), false, float((p[~changed] < CUT).mean())


def main() -> None:
    """Print one line for each design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=10)
    studies = parser.parse_args().studies
    rng = np.random.default_rng(20)
    print("cohorts samples  tau | power, FDP, null p < 0.05 of", ", ".join(TESTS), "| Q p < 0.05")
    for cohorts, samples in ((2, 12), (2, 24), (3, 40), (5, 40), (8, 40)):
        for tau in ((0.0, 0.0), (0.3, 0.0), (0.3, 0.3)):
            rows = [study(cohorts, samples, tau, rng) for _ in range(studies)]
            told = [
                " ".join(f"{value:5.3f}" for value in np.mean([row[name] for row in rows], axis=0))
                for name in (*TESTS, "differing")
            ]
            print(f"{cohorts:7d} {samples:7d} {tau[0]:.1f}/{tau[1]:.1f} | {' | '.join(told)}")
    print("cohorts samples load | mean and standard deviation of the share, warned of")
    for load in (0.0, 0.4, 0.8):
        for cohorts, samples in ((2, 24), (3, 40), (5, 40)):
            told = [quiet(cohorts, samples, load, rng) for _ in range(10 * studies)]
            share, warned = np.array(told, dtype=float).T
            numbers = f"{share.mean():5.3f} {share.std():5.3f} | {warned.mean():4.2f}"
            print(f"{cohorts:7d} {samples:7d} {load:4.1f} | {numbers}")


if __name__ == "__main__":
    main()
