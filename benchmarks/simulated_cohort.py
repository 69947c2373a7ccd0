"""Simulated cohorts whose affected genes are known, for the study of calibration.

log2 expression of gene g in sample i is

    level_g + sd_g spread_i (sqrt(f_g) w_g' F_i + sqrt(c_g) B_block(g),i + sqrt(1 - f_g - c_g) e_gi)
            + effect_g case_i + shift_g late_i + age_g (age_i - 55) / 10 + sex_g male_i

- sd_g^2 follows a scaled inverse chi-square distribution, the model behind the moderated t
  (Smyth 2004, doi:10.2202/1544-6115.1027), 4 degrees of freedom, scale 0.45.
- F_i are four latent factors that all genes load on, as cell composition makes them in tissue; w_g
  is a unit vector, the first factors weigh most. f_g is 0.3 in the mean.
- B are blocks of 25 genes that move together (half of the genes, c_g = 0.15), as pathways do.
- F, B and e are standard normal and know nothing of the trait.

Degrees of freedom, scale and shares are those of two real cohorts of synovial tissue (GSE55235 and
GSE55457 by the procedure ``sound``, 12,399 genes, trait regressed out): prior degrees of freedom
3.4 and 3.1, prior deviation 0.51 and 0.47, the three largest principal components of the
standardised residuals 14, 11 and 9 % of their variance, root mean square correlation of two genes
0.16 beyond chance. The model gives about 12, 9 and 6 % and 0.16.

Affected genes: half of them in whole blocks of one sign, the others anywhere; |log2 fold change| is
gamma distributed (shape 2, mean 0.6), so that many are too weak to be found. A batch shifts 30 % of
the genes by normal amounts of deviation 0.5; it takes half of the samples by chance (independent)
or 70 % of the cases and 30 % of the controls (confounded). Cases are three years older and more
often women; 8 % of the genes change with age, 2 % with sex.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.formats.linked import LinkedTable

__all__ = ["Batch", "Scenario", "SimulatedCohort", "simulate_cohort"]

Floats = NDArray[np.float64]
Batch = Literal["none", "independent", "confounded"]

TRAIT = "Simulated_Trait"
PRIOR_DF, PRIOR_SD = 4.0, 0.45
FACTOR_WEIGHTS = (1.0, 0.85, 0.7, 0.5)
BLOCK_GENES, BLOCK_SHARE = 25, 0.15
EFFECT_SHAPE, EFFECT_MEAN = 2.0, 0.6
BATCH_GENES, BATCH_SD = 0.30, 0.5
LATE_CASES, LATE_CONTROLS = 0.7, 0.3
AGE_GENES, AGE_SD = 0.08, 0.15
SEX_GENES, SEX_SD = 0.02, 0.30


@dataclass(frozen=True)
class Scenario:
    """What kind of cohort to draw.

    Parameters
    ----------
    samples, genes : int
        Size of the cohort.
    affected : int
        Genes that differ between cases and controls.
    case_share : float
        Share of the samples that are cases.
    batch : {"none", "independent", "confounded"}
        Whether there are two batches, and whether they go with the trait.
    case_spread : float
        Residual deviation of the cases relative to that of the controls.
    factor_share : float
        Mean share of a gene's variance that the latent factors take; at most 0.7.
    """

    samples: int
    genes: int
    affected: int = 0
    case_share: float = 0.5
    batch: Batch = "none"
    case_spread: float = 1.0
    factor_share: float = 0.3


@dataclass(frozen=True, eq=False)
class SimulatedCohort:
    """A cohort and its truth.

    Attributes
    ----------
    table : LinkedTable
        Trait, Age, Gender and expression, nothing missing.
    effects : ndarray of float64, shape (p,)
        log2 fold change of each gene, 0 where nothing is planted.
    late : ndarray of float64, shape (n,)
        1 for the samples of the second batch, all 0 without one. The table does not tell it.
    """

    table: LinkedTable
    effects: Floats
    late: Floats

    @property
    def affected(self) -> NDArray[np.bool_]:
        """Mask of the genes that differ, shape (p,)."""
        return np.asarray(self.effects != 0)


def simulate_cohort(scenario: Scenario, seed: int) -> SimulatedCohort:
    """Draw one cohort; the same scenario and seed give the same cohort.

    Parameters
    ----------
    scenario : Scenario
        What kind of cohort.
    seed : int
        Seed of everything that is drawn.
    """
    rng = np.random.default_rng(seed)
    n, p = scenario.samples, scenario.genes
    case = _cases(rng, n, scenario.case_share)
    late = _late(rng, case, scenario.batch)
    age = np.clip(rng.normal(55, 12, n) + 3 * case, 20, 90).round()
    male = (rng.random(n) < np.where(case == 1, 0.4, 0.5)).astype(np.float64)
    effects = _effects(rng, p, scenario.affected)
    values = _residuals(rng, n, p, scenario.factor_share)
    values *= np.where(case == 1, scenario.case_spread, 1.0)[:, None]
    values += np.clip(rng.normal(7.5, 1.9, p), 3.5, 13.5)
    known = np.column_stack([case, late, (age - 55) / 10, male])
    values += known @ np.vstack(
        [
            effects,
            _some(rng, p, BATCH_GENES, BATCH_SD),
            _some(rng, p, AGE_GENES, AGE_SD),
            _some(rng, p, SEX_GENES, SEX_SD),
        ]
    )
    table = LinkedTable(
        TRAIT,
        tuple(f"SAMPLE{i}" for i in range(n)),
        case,
        {"Age": age, "Gender": male},
        tuple(f"GENE{j}" for j in range(p)),
        values,
    )
    return SimulatedCohort(table, effects, late)


def _cases(rng: np.random.Generator, samples: int, share: float) -> Floats:
    case = np.zeros(samples)
    case[: round(share * samples)] = 1
    return rng.permutation(case)


def _late(rng: np.random.Generator, case: Floats, batch: Batch) -> Floats:
    late = np.zeros(len(case))
    if batch == "none":
        return late
    if batch == "independent":
        late[: len(case) // 2] = 1
        return rng.permutation(late)
    for group, share in ((1, LATE_CASES), (0, LATE_CONTROLS)):
        members = rng.permutation(np.flatnonzero(case == group))
        late[members[: round(share * len(members))]] = 1
    return late


def _effects(rng: np.random.Generator, genes: int, affected: int) -> Floats:
    """Draw log2 fold changes: whole blocks for half of the genes, single genes for the rest."""
    effects = np.zeros(genes)
    blocks = rng.permutation(_blocks(genes))[: affected // 2 // BLOCK_GENES]
    for block in blocks:
        members = slice(block * BLOCK_GENES, (block + 1) * BLOCK_GENES)
        effects[members] = rng.choice([-1.0, 1.0]) * _sizes(rng, BLOCK_GENES)
    left = affected - len(blocks) * BLOCK_GENES
    single = rng.choice(np.flatnonzero(effects == 0), left, replace=False)
    effects[single] = rng.choice([-1.0, 1.0], left) * _sizes(rng, left)
    return effects


def _sizes(rng: np.random.Generator, count: int) -> Floats:
    return rng.gamma(EFFECT_SHAPE, EFFECT_MEAN / EFFECT_SHAPE, count)


def _blocks(genes: int) -> int:
    return genes // 2 // BLOCK_GENES


def _residuals(rng: np.random.Generator, samples: int, genes: int, share: float) -> Floats:
    """Return what neither trait, batch nor covariates explain, samples x genes."""
    weights = rng.standard_normal((len(FACTOR_WEIGHTS), genes)) * np.array(FACTOR_WEIGHTS)[:, None]
    weights /= np.sqrt((weights**2).sum(axis=0))
    factor = np.clip(rng.beta(2.0, 2.0 * (1 - share) / share, genes), 0, 1 - BLOCK_SHARE)
    block = np.zeros(genes)
    blocks = _blocks(genes)
    block[: blocks * BLOCK_GENES] = BLOCK_SHARE
    values = rng.standard_normal((samples, genes))
    values *= np.sqrt(1 - factor - block)
    values += rng.standard_normal((samples, len(FACTOR_WEIGHTS))) @ (weights * np.sqrt(factor))
    together = np.repeat(rng.standard_normal((samples, blocks)), BLOCK_GENES, axis=1)
    values[:, : together.shape[1]] += np.sqrt(BLOCK_SHARE) * together
    values *= PRIOR_SD * np.sqrt(PRIOR_DF / rng.chisquare(PRIOR_DF, genes))
    return values


def _some(rng: np.random.Generator, genes: int, share: float, deviation: float) -> Floats:
    """Draw normal amounts for a share of the genes, 0 for the others."""
    return np.where(rng.random(genes) < share, rng.normal(0, deviation, genes), 0.0)
