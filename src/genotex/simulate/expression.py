"""The simulated biology: genes that vary, are correlated, and differ where planted.

log2 expression of gene g in sample i is

    mean_g + sum_k loading_kg factor_ki + age_g (age_i - 50) / 10 + sex_g male_i
           + sum_t signature_tg status_ti + batch_g late_i + noise_gi

with residual variances from a scaled inverse chi-square distribution, as the model behind the
moderated t has it (Smyth 2004, doi:10.2202/1544-6115.1027), and a few latent factors that correlate
thousands of genes, as cell composition does in tissue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.simulate.people import People

__all__ = ["Floats", "GeneModel", "draw_expression", "draw_gene_model", "effects_in_cohort"]

Floats = NDArray[np.float64]

_FACTORS = 4
_NOISE_SD = 0.40
_NOISE_DF = 8.0
_FACTOR_SD = 0.16
_WEAKEST, _STRONGEST = 0.55, 2.1
"""Range of the planted standardised differences: at 40 + 40 samples about 0.85 is found as often
as missed, so that some planted genes stay undetected, as with real power."""

_SEX_GENES = {"XIST": -4.0, "RPS4Y1": 4.5, "DDX3Y": 3.5, "KDM5D": 3.0, "EIF1AY": 3.0, "UTY": 2.5}
"""log2 difference male - female of genes every array shows to differ."""


@dataclass(frozen=True, eq=False)
class GeneModel:
    """What is the same in every cohort.

    Attributes
    ----------
    symbols : tuple of str
        Genes.
    mean, noise, age, sex : ndarray, shape (genes,)
        log2 level, residual standard deviation, change in ten years, male - female.
    loadings : ndarray, shape (genes, factors)
        Weights of the latent factors.
    signatures : mapping of str to ndarray, shape (genes,)
        Trait -> log2 difference of the cases, 0 where nothing is planted.
    """

    symbols: tuple[str, ...]
    mean: Floats
    noise: Floats
    age: Floats
    sex: Floats
    loadings: Floats
    signatures: Mapping[str, Floats]

    def standardised(self, trait: str) -> dict[str, float]:
        """Return each planted gene's difference in standard deviations, the largest first."""
        size = self.signatures[trait] / _spread(self.noise, self.loadings)
        order = sorted(np.flatnonzero(size), key=lambda g: -abs(size[g]))
        return {self.symbols[g]: float(size[g]) for g in order}

    def planted(self, trait: str) -> tuple[str, ...]:
        """Return the symbols of the genes that are planted for `trait`, sorted."""
        return tuple(sorted(self.symbols[g] for g in np.flatnonzero(self.signatures[trait])))

    def changing_with(self, effects: Floats) -> tuple[str, ...]:
        """Return the symbols of the genes with an effect, sorted."""
        return tuple(sorted(self.symbols[g] for g in np.flatnonzero(effects)))


def draw_gene_model(
    rng: np.random.Generator, symbols: Sequence[str], traits: Sequence[str], planted: int
) -> GeneModel:
    """Draw levels, variances and effects of the genes.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    symbols : sequence of str
        Genes.
    traits : sequence of str
        Each gets `planted` genes of its own.
    planted : int
        Genes that differ, half of them up, half down.
    """
    p = len(symbols)
    mean = np.clip(rng.normal(7.5, 1.9, p), 3.5, 13.5)
    noise = _NOISE_SD * np.sqrt(_NOISE_DF / rng.chisquare(_NOISE_DF, p))
    touched = rng.random((p, _FACTORS)) < 0.5
    loadings = np.where(touched, rng.normal(0, _FACTOR_SD, (p, _FACTORS)), 0.0)
    age = np.where(rng.random(p) < 0.08, rng.normal(0, 0.15, p), 0.0)
    sex = np.where(rng.random(p) < 0.02, rng.normal(0, 0.30, p), 0.0)
    place = {symbol: g for g, symbol in enumerate(symbols)}
    for symbol, shift in _SEX_GENES.items():
        if symbol in place:
            sex[place[symbol]] = shift
    free = [g for g, symbol in enumerate(symbols) if symbol not in _SEX_GENES]
    chosen = rng.choice(free, size=(len(traits), planted), replace=False)
    spread = _spread(noise, loadings)
    signatures = {}
    for trait, genes in zip(traits, chosen, strict=True):
        sign = np.where(np.arange(planted) % 2 == 0, 1.0, -1.0)
        size = rng.uniform(_WEAKEST, _STRONGEST, planted)
        signature = np.zeros(p)
        signature[genes] = sign * size * spread[genes]
        signatures[trait] = signature
        # A planted gene should sit well above the floor of the scanner and not follow age too.
        mean[genes] = np.clip(mean[genes], 6.0, 12.0)
        age[genes] = sex[genes] = 0.0
    return GeneModel(tuple(symbols), mean, noise, age, sex, loadings, signatures)


def _spread(noise: Floats, loadings: Floats) -> Floats:
    """Return the standard deviation of each gene among equal people."""
    spread: Floats = np.sqrt(noise**2 + (loadings**2).sum(axis=1))
    return spread


def effects_in_cohort(rng: np.random.Generator, model: GeneModel, trait: str) -> Floats:
    """Return the log2 differences of one cohort: those of the trait, each within about 10 %."""
    share: Floats = np.clip(rng.normal(1.0, 0.1, len(model.symbols)), 0.7, 1.3)
    return model.signatures[trait] * share


def draw_expression(
    rng: np.random.Generator,
    model: GeneModel,
    people: People,
    effects: Mapping[str, tuple[Floats, Floats]],
) -> Floats:
    """Draw log2 expression, genes x samples.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    model : GeneModel
        The genes.
    people : People
        The samples; their true age and sex act, even if the files omit them.
    effects : mapping of str to (ndarray of shape (genes,), ndarray of shape (samples,))
        Per trait the log2 differences and each person's status (see `People.status`).
    """
    p, n = len(model.symbols), len(people.age)
    batch = np.where(rng.random(p) < 0.35, rng.normal(0, 0.35, p), 0.0)
    values = model.mean[:, None] + model.noise[:, None] * rng.standard_normal((p, n))
    values += model.loadings @ rng.standard_normal((_FACTORS, n))
    values += np.outer(model.age, (people.age - 50.0) / 10.0)
    values += np.outer(model.sex, people.male)
    values += np.outer(batch, people.batch == 2)
    for difference, status in effects.values():
        values += np.outer(difference, status)
    return values
