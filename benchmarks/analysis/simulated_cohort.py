"""Simulated cohorts whose affected genes are known, on residuals of real arrays.

Residuals are real expression without the means of the groups (`real_residuals`), so genes keep
their distributions and the many factors that they share; `factor_residuals` draws residuals with a
spectrum as flat as that of the two synovial cohorts (GSE55457, GSE55235), for use without files.
A cohort is made in units of each gene's residual standard deviation (SD):

    residual of a drawn array, times `spread` in cases
    + effect_g * trait         for the affected genes; |effect| ~ gamma(shape 2, mean `effect`)
    + shift_g * late batch     for 30 % of the genes; shift ~ N(0, 1)
    + `cells` * loading_g * trait    a cell type that cases have more of: a factor of the residuals

A batch holds the share `batch` of the cases and 1 - `batch` of the controls. A continuous trait is
standard normal, half an effect per SD of the trait; its batch is drawn with probability `batch`
above the mean. Genes that a difference in cells moves by more than 0.25 SD count as affected: they
do differ between the groups.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.formats import LinkedTable, read_linked_parquet

__all__ = [
    "Drawing",
    "Residuals",
    "Scenario",
    "SimulatedCohort",
    "factor_residuals",
    "read_cohort",
    "real_residuals",
    "simulate_cohort",
]

Floats = NDArray[np.float64]
Drawing = Literal["resampled", "factors"]

TRAIT = "Simulated_Trait"
BATCH_GENES = 0.30
MOVED = 0.25
"""Shift by cells, in SD, from which a gene counts as affected."""
FACTORS = 20
"""Factors of the residuals that the drawing "factors" keeps; the rest becomes independent noise."""
FLAT_SPECTRUM = 0.083, 0.55
"""Share of the largest factor, and the power by which the others fall (both cohorts together)."""


@dataclass(frozen=True, eq=False)
class Residuals:
    """Arrays without the means of their groups.

    Attributes
    ----------
    values : ndarray of float64, shape (n, p)
    df : int
        Samples less groups.
    """

    values: Floats
    df: int

    def choose(self, rng: np.random.Generator, genes: int) -> Residuals:
        """Return some of the genes."""
        chosen = rng.choice(self.values.shape[1], genes, replace=False)
        return Residuals(self.values[:, chosen], self.df)

    @property
    def deviation(self) -> Floats:
        """Return the standard deviation of each gene, shape (p,)."""
        return np.sqrt((self.values**2).sum(axis=0) / self.df)

    def draw(self, rng: np.random.Generator, samples: int, how: Drawing) -> Floats:
        """Draw arrays: real ones (again, when there are too few), or new ones from factors."""
        own = len(self.values)
        if how == "resampled":
            return self.values[rng.choice(own, samples, replace=samples > own)]
        left, size, right = np.linalg.svd(self.values, full_matrices=False)
        top = size[:FACTORS, None] * right[:FACTORS] / np.sqrt(self.df)
        rest = self.values - left[:, :FACTORS] * size[:FACTORS] @ right[:FACTORS]
        noise = np.sqrt((rest**2).sum(axis=0) / self.df)
        factors: Floats = rng.standard_normal((samples, FACTORS)) @ top
        return factors + rng.standard_normal(factors.shape) * noise


@dataclass(frozen=True)
class Scenario:
    """What kind of cohort to draw.

    Parameters
    ----------
    controls, cases : int
        Samples.
    affected : float
        Share of the genes that the trait affects.
    effect : float
        Mean |effect|, in SD.
    up : float
        Share of the effects that are positive.
    batch : float
        Share of the cases in the late batch; 0 for no batch.
    spread : float
        Deviation of the cases relative to that of the controls.
    continuous : bool
        The trait is a measurement.
    cells : float
        Difference in cells, in SD of the factor.
    factor : int
        Which factor of the residuals the cells are, 1 is the largest.
    genes : int
    """

    controls: int
    cases: int
    affected: float = 0.0
    effect: float = 1.3
    up: float = 0.5
    batch: float = 0.0
    spread: float = 1.0
    continuous: bool = False
    cells: float = 0.0
    factor: int = 1
    genes: int = 2_000


@dataclass(frozen=True, eq=False)
class SimulatedCohort:
    """A cohort and its truth.

    Attributes
    ----------
    table : LinkedTable
        Trait and expression, nothing missing.
    affected : ndarray of bool, shape (p,)
        The genes that differ.
    late : ndarray of float64, shape (n,)
        1 for the samples of the late batch; all 0 without a batch.
    """

    table: LinkedTable
    affected: NDArray[np.bool_]
    late: Floats


def read_cohort(folder: Path, series: str) -> tuple[LinkedTable, dict[str, str]]:
    """Read a cohort that `genotex preprocess` wrote, and the role of each sample."""
    evidence = json.loads((folder / "evidence" / f"{series}.json").read_text(encoding="utf-8"))
    return read_linked_parquet(folder / "linked" / f"{series}.parquet"), evidence["roles"]


def real_residuals(folder: Path, series: Sequence[str]) -> Residuals:
    """Read cohorts that `genotex preprocess` wrote, and take the mean of each group away.

    Parameters
    ----------
    folder : Path
        Of one trait, with the folders ``linked`` and ``evidence``.
    series : sequence of str
        The cohorts; genes that all of them measured completely are kept.
    """
    cohorts = {}
    groups = 0
    for name in series:
        table, roles = read_cohort(folder, name)
        values = table.expression.copy()
        role = np.array([roles[sample] for sample in table.samples])
        for group in set(roles.values()):
            values[role == group] -= values[role == group].mean(axis=0)
        groups += len(set(role))
        whole = np.isfinite(values).all(axis=0) & (np.ptp(values, axis=0) > 0)
        cohorts[name] = {g: values[:, i] for i, g in enumerate(table.genes) if whole[i]}
    common = sorted(set.intersection(*(set(genes) for genes in cohorts.values())))
    stacked = np.vstack([np.column_stack([genes[g] for g in common]) for genes in cohorts.values()])
    return Residuals(stacked, len(stacked) - groups)


def factor_residuals(samples: int, genes: int, seed: int) -> Residuals:
    """Draw residuals with many factors and variances from an inverse chi-square distribution."""
    rng = np.random.default_rng(seed)
    first, power = FLAT_SPECTRUM
    share = first * np.arange(1, FACTORS + 1) ** -power
    share *= min(1.0, 0.75 / share.sum())
    loadings = rng.standard_normal((FACTORS, genes)) * np.sqrt(share)[:, None]
    noise = np.sqrt(1 - share.sum())
    values: Floats = rng.standard_normal((samples, FACTORS)) @ loadings
    values += noise * rng.standard_normal(values.shape)
    return Residuals(values * np.sqrt(0.8 / rng.chisquare(4, genes)), samples)


def simulate_cohort(
    scenario: Scenario, residuals: Residuals, seed: int | Sequence[int], how: Drawing = "resampled"
) -> SimulatedCohort:
    """Draw one cohort; the same arguments give the same cohort.

    Parameters
    ----------
    scenario : Scenario
    residuals : Residuals
    seed : int or sequence of int
        Seed of everything that is drawn.
    how : {"resampled", "factors"}
        See `Residuals.draw`.
    """
    rng = np.random.default_rng(seed)
    pool = residuals.choose(rng, scenario.genes)
    deviation = pool.deviation
    samples = scenario.controls + scenario.cases
    values = pool.draw(rng, samples, how).copy()
    trait = np.repeat([0.0, 1.0], [scenario.controls, scenario.cases])
    if scenario.continuous:
        trait = rng.standard_normal(samples)
    values[trait == 1] *= scenario.spread
    effects = _effects(rng, scenario)
    values += np.outer(trait / 2 if scenario.continuous else trait, effects * deviation)
    affected = effects != 0
    if scenario.cells:
        _, size, right = np.linalg.svd(pool.values, full_matrices=False)
        loading = size[scenario.factor - 1] * right[scenario.factor - 1] / np.sqrt(pool.df)
        moved = scenario.cells * rng.choice([-1, 1]) * loading
        values += np.outer(trait, moved)
        affected |= np.abs(moved) > MOVED * deviation
    late = np.zeros(samples)
    if scenario.batch:
        shift = np.zeros(scenario.genes)
        chosen = rng.choice(scenario.genes, round(BATCH_GENES * scenario.genes), replace=False)
        shift[chosen] = rng.standard_normal(len(chosen))
        late = _late(rng, trait, scenario)
        values += np.outer(late, shift * deviation)
    values += rng.uniform(4, 12, scenario.genes)
    table = LinkedTable(
        TRAIT,
        tuple(f"SAMPLE{i}" for i in range(samples)),
        trait,
        {},
        tuple(f"GENE{j}" for j in range(scenario.genes)),
        values,
    )
    return SimulatedCohort(table, affected, late)


def _effects(rng: np.random.Generator, scenario: Scenario) -> Floats:
    effects = np.zeros(scenario.genes)
    count = round(scenario.affected * scenario.genes)
    chosen = rng.choice(scenario.genes, count, replace=False)
    sign = np.where(rng.random(count) < scenario.up, 1.0, -1.0)
    effects[chosen] = rng.gamma(2, scenario.effect / 2, count) * sign
    return effects


def _late(rng: np.random.Generator, trait: Floats, scenario: Scenario) -> Floats:
    """Return which samples the late batch holds, 0 or 1."""
    if scenario.continuous:
        probability = np.where(trait > 0, scenario.batch, 1 - scenario.batch)
        return (rng.random(len(trait)) < probability).astype(np.float64)
    late = np.zeros(len(trait))
    for group, share in ((1, scenario.batch), (0, 1 - scenario.batch)):
        members = rng.permutation(np.flatnonzero(trait == group))
        late[members[: round(share * len(members))]] = 1
    return late
