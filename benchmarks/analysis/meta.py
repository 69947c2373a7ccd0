"""Measure on simulated cohorts which genes are significant, and which replicate.

    python -m benchmarks meta [--studies 100] [--jobs 2]

Rows with planted genes take a quarter of the studies: means of proportions need fewer.

Two groups of equal size per cohort, 4,000 genes, values normal with standard deviation 1, so
effects are standardised differences. The effect of a gene in a cohort is the sum of

- its common effect, +0.8 or -0.8 for planted genes (a tenth of all, or none), else 0;
- a deviation of this cohort, normal with the between-cohort SD of the row. It is no common effect:
  a gene that has deviations only must not be called significant or replicating;
- in some rows, an effect in one cohort alone.

"Correlated" genes share five hidden factors per cohort that have nothing to do with the groups
(loadings normal with SD 0.8). Seeds: numpy `default_rng([22, row, study])`, rows counted from 0 in
the order of `ROWS`.

Methods (all at 0.05; BH: Benjamini and Hochberg over genes):

count p           p < 0.05 by itself in the same direction in two or more cohorts (habit)
count q           q < 0.05 by itself in the same direction in two or more cohorts (habit)
fixed             BH on the fixed effect
normal            BH on random effects with a normal reference from three cohorts on, on the fixed
                  effect with two: a random-effects meta-analysis with FDR (habit), and what ranked
                  the genes until now
old rule          `normal`, the same direction in all cohorts, p < 0.05 by itself in two or more
                  and, from three on, p < 0.05 in the same direction whichever cohort is left out:
                  what "replicates" meant until now
max p             BH on partial conjunction K of K: the largest p, without heterogeneity
Fisher            BH on partial conjunction 2 of K by Fisher, without heterogeneity
Stouffer          the same by Stouffer
prediction        `normal`, and the 95 % prediction interval (Higgins et al. 2009) excludes zero;
                  needs three cohorts
one tau           as the next two, with one between-cohort SD for all genes (Paule and Mandel over
                  all genes) in place of a distribution: significant, then replicating
significant       BH on `genotex`'s test of a common effect (`common_effect_p`)
replicates        the rule of `genotex`: partial conjunction 2 of K by Stouffer among `significant`

Criteria, written before the study was run:

1. Nothing planted, 2, 3, 5 and 8 cohorts of 40, 4 of 12, and cohorts of 12, 30 and 120,
   between-cohort SD 0, 0.15, 0.3 and 0.5, and correlated genes: at most 10 of 100 studies have any
   replicating gene, in each row.
2. 5 cohorts x 30 samples, SD 0: at least 0.60 of the planted genes replicate.
3. Rows with planted genes: the mean false discovery proportion of replicating genes is at most
   0.05.
4. The ranking is replaced only if the mean false discovery proportion of the new one is at most
   0.05 in each row with planted genes, and where cohorts do not differ its power is at most 0.05
   below that of the old one.

After a pilot of 16 studies per row with other seeds, effects were replaced by normal deviates of
the cohorts' own p-values (`null_scores`), since Hedges' g of 12 samples is not normal.

Rows marked * are stress tests without a criterion: a fifth of the genes scatters with SD 1; the SD
of a gene is heavy-tailed (0.2 over the root of a mean square of 3 degrees of freedom); genes
changed in one cohort alone.

The last lines are about the warning that cohorts differ: cohorts without any difference, and how
often it comes when genes are correlated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import optimize, stats
from scipy.special import gammaln

from genotex.analysis import benjamini_hochberg
from genotex.analysis.meta import (
    CombinedEffects,
    Heterogeneity,
    NullScores,
    combine_effects,
    common_effect_p,
    estimate_heterogeneity,
    null_scores,
    partial_conjunction,
    replication_q,
)
from genotex.analysis.meta.result import cohorts_differ, differing_share

Floats = NDArray[np.float64]
Hits = NDArray[np.bool_]

GENES, EFFECT, CUT = 4000, 0.8, 0.05
METHODS = (
    "count p",
    "count q",
    "fixed", "normal", "old rule", "max p", "Fisher", "Stouffer", "prediction",
    "one tau: significant", "one tau: replicates", "significant", "replicates",
)  # fmt: skip
FACTORS, LOADING = 5, 0.8


@dataclass(frozen=True)
class Row:
    """A design: sizes of the cohorts, and what is true in them."""

    sizes: tuple[int, ...]
    sd: float = 0.0
    planted: float = 0.0
    correlated: bool = False
    scatter: str = "all"
    alone: tuple[float, float] = (0.0, 0.0)

    def label(self) -> str:
        """Return the row in words."""
        same = len(set(self.sizes)) == 1
        sizes = f"{len(self.sizes)} x {self.sizes[0]}" if same else ", ".join(map(str, self.sizes))
        scatter = {
            "all": f"SD {self.sd:g}",
            "planted": f"SD {self.sd:g} of planted genes",
            "fifth": "* SD 1 of a fifth",
            "heavy": "* heavy-tailed SD",
        }
        share, effect = self.alone
        alone = f", * {100 * share:g} % changed by {effect:g} in one cohort" if share else ""
        return f"{sizes} | {scatter[self.scatter]}{', correlated' * self.correlated}{alone}"


UNEQUAL = (12, 30, 120)
EQUAL = ((40,) * 2, (40,) * 3, (40,) * 5, (40,) * 8)
ROWS = (
    *(Row(sizes, sd) for sizes in (*EQUAL, UNEQUAL) for sd in (0.0, 0.15, 0.3, 0.5)),
    *(Row(sizes, sd, correlated=True) for sizes in (*EQUAL, UNEQUAL) for sd in (0.0, 0.3)),
    *(Row(sizes, scatter=kind) for sizes in EQUAL for kind in ("fifth", "heavy")),
    *(Row(sizes, alone=(0.2, 1.0)) for sizes in EQUAL),
    *(Row((12,) * 4, sd) for sd in (0.0, 0.3)),
    *(
        Row(sizes, sd, 0.1)
        for sizes in ((24,) * 2, (40,) * 2, (40,) * 3, (12,) * 4, (30,) * 5, (40,) * 8, UNEQUAL)
        for sd in (0.0, 0.15, 0.3)
    ),
    *(Row(sizes, 0.3, 0.1, scatter="planted") for sizes in EQUAL),
    *(Row(sizes, 0.0, 0.1, correlated=True) for sizes in EQUAL),
    *(Row(sizes, sd, 0.1, alone=(0.03, 2.0)) for sizes in EQUAL for sd in (0.0, 0.3)),
)


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


def simulate(row: Row, rng: np.random.Generator) -> tuple[Hits, Floats, Floats, Floats]:
    """Return which genes are planted, and g, its error and p of each cohort."""
    rank = np.arange(GENES)
    planted = rank < row.planted * GENES
    mean = np.where(planted, EFFECT * rng.choice([-1, 1], GENES), 0.0)
    sd = {
        "all": lambda: np.full(GENES, row.sd),
        "planted": lambda: np.where(planted, row.sd, 0.0),
        "fifth": lambda: np.where(rank % 5 == 0, 1.0, 0.0),
        "heavy": lambda: 0.2 / np.sqrt(rng.chisquare(3, GENES) / 3),
    }[row.scatter]()
    share, size = row.alone
    own = np.zeros((len(row.sizes), GENES))
    alone = np.flatnonzero(~planted & (rank < (row.planted + share) * GENES))
    own[rng.integers(len(row.sizes), size=len(alone)), alone] = size * rng.choice(
        [-1, 1], len(alone)
    )
    loadings = LOADING * rng.normal(size=(FACTORS, GENES)) if row.correlated else None
    parts = [
        cohort(mean + extra + sd * rng.normal(size=GENES), samples, rng, loadings)
        for samples, extra in zip(row.sizes, own, strict=True)
    ]
    g, error, p = (np.array(part) for part in zip(*parts, strict=True))
    return planted, g, error, p


def judge(g: Floats, error: Floats, p: Floats, sizes: tuple[int, ...]) -> dict[str, Hits]:
    """Return which genes each method calls."""
    found = combine_effects(g, error)
    scores = null_scores(g, error, p, np.array(sizes, dtype=float)[:, None])
    shared = estimate_heterogeneity(scores)
    common = common_effect_p(scores, shared)
    signs, whole = np.sign(g), np.sign(found.effect)
    normal = _bh(found.p)
    conjunction = partial_conjunction(p, signs, whole)
    one = Heterogeneity(np.array([_pooled_tau(scores)]), np.ones(1))
    one_p = common_effect_p(scores, one)
    return {
        "count p": _counted(p < CUT, signs),
        "count q": _counted(np.array([_bh(each) for each in p]), signs),
        "fixed": _bh(found.fixed_p),
        "normal": normal,
        "old rule": normal & _old_rule(found, p, signs == whole),
        "max p": _bh(partial_conjunction(p, signs, whole, len(p))),
        "Fisher": _bh(_fisher(p, signs)),
        "Stouffer": _bh(conjunction),
        "prediction": normal & _predicted(found),
        "one tau: significant": _bh(one_p),
        "one tau: replicates": _replicates(one_p, conjunction),
        "significant": _bh(common),
        "replicates": _replicates(common, conjunction),
    }


def _counted(cohorts: Hits, signs: Floats) -> Hits:
    """Return whether two or more cohorts call a gene in the same direction."""
    up, down = ((cohorts & (signs == side)).sum(axis=0) for side in (1, -1))
    hits: Hits = np.maximum(up, down) >= 2
    return hits


def _bh(p: Floats) -> Hits:
    return benjamini_hochberg(p) < CUT


def _replicates(p: Floats, conjunction: Floats) -> Hits:
    hits: Hits = replication_q(np.maximum(p, conjunction), _bh(p)) < CUT
    return hits


def _old_rule(found: CombinedEffects, p: Floats, along: Hits) -> Hits:
    nominal = ((p < CUT) & along).sum(axis=0) >= 2
    steady = ~(found.largest_p >= CUT) & ~found.flips
    hits: Hits = along.all(axis=0) & nominal & steady
    return hits


def _fisher(p: Floats, signs: Floats) -> Floats:
    """Return p of 2 of K by Fisher, in the better direction, doubled."""
    one_sided = np.where(signs > 0, p / 2, 1 - p / 2)
    best = []
    for side in (one_sided, 1 - one_sided):
        others = np.sort(side, axis=0)[1:]
        best.append(
            stats.chi2.sf(
                -2 * np.log(np.fmax(others, np.finfo(float).tiny)).sum(axis=0), 2 * len(others)
            )
        )
    doubled: Floats = np.minimum(1.0, 2 * np.minimum(*best))
    return doubled


def _predicted(found: CombinedEffects) -> Hits:
    """Return whether the 95 % prediction interval excludes zero."""
    df = found.cohorts - 2
    reach = stats.t.ppf(0.975, np.maximum(df, 1)) * np.sqrt(found.tau2 + found.error**2)
    hits: Hits = (np.abs(found.effect) > reach) & (df > 0)
    return hits


def _pooled_tau(scores: NullScores) -> float:
    """Return the SD that makes the spread of all genes equal to its degrees of freedom."""
    g = scores.values

    def excess(tau: float) -> float:
        weights = 1 / (scores.variances + tau**2)
        mean = (weights * g).sum(axis=0) / weights.sum(axis=0)
        return float((weights * (g - mean) ** 2).sum()) - (len(g) - 1) * g.shape[1]

    return float(optimize.brentq(excess, 0.0, 10.0)) if excess(0.0) > 0 else 0.0


def study(number: int, row: int) -> Floats:
    """Return power, false discovery proportion and whether any is false; methods x 3."""
    planted, g, error, p = simulate(ROWS[row], np.random.default_rng([22, row, number]))
    hits = judge(g, error, p, ROWS[row].sizes)
    power = (lambda hit: hit[planted].mean()) if planted.any() else (lambda _: np.nan)
    scores = []
    for name in METHODS:
        false = int((hits[name] & ~planted).sum())
        scores.append((power(hits[name]), false / max(1, int(hits[name].sum())), false > 0))
    return np.array(scores, dtype=float)


def warned(number: int, sizes: tuple[int, ...], load: float) -> tuple[float, bool]:
    """Return the share of genes on which equal cohorts differ, and whether that is warned of."""
    rng = np.random.default_rng([21, len(sizes), round(10 * load), number])
    loadings = load * rng.normal(size=(FACTORS, GENES))
    parts = [cohort(np.zeros(GENES), samples, rng, loadings) for samples in sizes]
    g, error, _ = (np.array(part) for part in zip(*parts, strict=True))
    genes = pl.DataFrame({"Q p": combine_effects(g, error).heterogeneity_p})
    return differing_share(genes), cohorts_differ(genes)


def main() -> None:
    """Print one line for each row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.jobs) as pool:

        def each(work: Callable[[int], Any], studies: int = asked.studies) -> Floats:
            return np.array(list(pool.map(work, range(studies), chunksize=5)), dtype=float)

        print("cohorts x samples | true | " + " | ".join(METHODS))
        for index, row in enumerate(ROWS):
            count = asked.studies // 4 if row.planted else asked.studies
            power, false, wrong = each(partial(study, row=index), count).mean(axis=0).T
            pairs = zip(power, false, strict=True)
            told = [f"{a:.2f}, {b:.3f}" for a, b in pairs] if row.planted else wrong.round(2)
            print(f"{row.label()} | " + " | ".join(map(str, told)), flush=True)
        print("cohorts x samples, loading | mean and SD of the share that differs | warned of")
        for load in (0.0, 0.4, 0.8):
            for sizes in ((24,) * 2, (40,) * 3, (40,) * 5):
                share, told = each(partial(warned, sizes=sizes, load=load)).T
                numbers = f"{share.mean():.3f} {share.std():.3f} | {told.mean():.2f}"
                print(f"{len(sizes)} x {sizes[0]}, {load:g} | {numbers}", flush=True)
