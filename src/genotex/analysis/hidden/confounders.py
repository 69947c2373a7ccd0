"""Unmeasured confounders: their number, how they are associated with the trait, what is left.

In coordinates of which one is the trait (as the covariates leave it) and the others are what the
design leaves, a gene is a sum over factors, plus the trait's effect, plus noise:

    rest = factors' scores x loadings + noise,      trait = shares x loadings + effect + noise

1. *How many factors* (parallel analysis without permutations, Dobriban and Owen 2019): genes are
   brought to variance 1; a factor counts when its eigenvalue is above the largest that pure noise
   gives, (1 + sqrt(n / p))^2 (Marchenko and Pastur 1967). With these out of the noise some weaker
   ones may follow, as long as they shorten intervals.
2. *The trait's share in each factor*: the genes' trait coordinate is regressed on their loadings.
   The effects of the trait are the errors of this regression, from sparse and large to dense and
   small; so their distribution is estimated along with it, as a mixture around zero of uniform
   pieces on either side (Stephens 2017; for confounders Gerard and Stephens 2020). Plain least
   squares is the limit of dense effects, a robust regression (Wang, Zhao, Hastie and Owen 2017)
   that of sparse ones.
3. *What adjusting costs*: with few samples the factors that are found fit the residuals better than
   they fit the trait's coordinate, and adjusted tests would find too much. By how much follows
   from the eigenvalues alone: a random direction of the residual space takes the trait's place,
   factors and shares are found in the rest, and the variance that is left in that direction is
   compared with what the adjusted test would claim. The average over directions inflates the
   variance of every coefficient (`SurrogateVariables.inflation`).

References
----------
Dobriban and Owen 2019, J. R. Stat. Soc. B 81:163. Wang, Zhao, Hastie and Owen 2017, Ann. Stat.
45:1863. Stephens 2017, Biostatistics 18:275. Gerard and Stephens 2020, Biostatistics 21:15. Step 3
is this project's own: docs/unmeasured-confounding.md and docs/calibration.md.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, stdtrit

from genotex.analysis.gene_tests.moderated import fit_variance_prior, shrink
from genotex.analysis.hidden.spectrum import GeneParts, Residuals
from genotex.analysis.hidden.surrogate import SurrogateVariables, too_few_left
from genotex.arrays import Floats

SMALLEST_RESIDUAL_DF = 10
"""At least so many residual degrees of freedom are left."""
SMALLEST_SHARE = 1e-6
"""Of the median variance: no gene's variance counts as less."""
DIRECTIONS = 64
BISECTIONS = 48
ROUNDING = 1e-9
"""Samples that are sums of others (repeated ones) leave eigenvalues of this size."""
MOST_MORE = 1.5
"""Weaker factors may add half as many: a flat spectrum has no end of them."""
TYPICAL_P = 1e-3
"""Intervals are compared at the level at which genes are found among thousands."""
LARGEST_DF = 1e6
WORTHWHILE = 0.02
"""Gain in squared width for which further factors are taken."""
ROUNDS = 60
SETTLED = 1e-5
PIECES = 14
SHORTEST_PIECE = 0.5
NULL_START, NULL_EXTRA = 0.7, 9.0
"""Share of genes without effect to start from, and so many more of them counted than are found."""
WIDEST_NULL = 3.0
CELLS = 4001


def estimate_confounders(genes: GeneParts, design: Floats, tested: int = 1) -> SurrogateVariables:
    """Estimate surrogate variables, protecting the trait: the last `tested` columns."""
    # Samples must have independent, equally precise errors (see `Precision.whiten`). A column is a
    # factor's scores, and its share in the trait; its `share` is of genes brought to equal noise.
    # Shapes: design (n, k), of full column rank.
    samples, columns = design.shape
    basis = np.linalg.qr(design)[0]
    of_trait = basis[:, columns - tested :]
    rest = Residuals(genes, basis)

    def enough(eigenvalues: Floats) -> int:
        clear = _above_noise(eigenvalues, genes.count)
        return max(clear, _above_noise(eigenvalues, genes.count, clear))

    # P-values change by less than 1e-8 of themselves where the noise is found from rough products.
    spread = _floor(rest.squares / max(rest.df, 1))
    eigenvalues, directions = rest.decompose(spread, enough, rough=True)
    number = _above_noise(eigenvalues, genes.count)
    first = max(0, min(number, _room(eigenvalues)))
    room = max(0, rest.df - SMALLEST_RESIDUAL_DF)
    if first == 0:
        limits = _limits(0, number, room)
        return SurrogateVariables(np.empty((samples, 0)), number, np.empty(0), *limits)
    noise, prior_df = _noise_variance(rest, directions[:, :first])
    eigenvalues, directions = rest.decompose(noise, enough, rough=True)
    used = _most_useful(eigenvalues, first, genes.count, prior_df)
    noise, _ = _noise_variance(rest, directions[:, :used])
    eigenvalues, directions = rest.decompose(noise, enough)
    scores = directions[:, :used]
    loadings = rest.onto(scores) / np.sqrt(noise)
    trait = np.concatenate([of_trait.T @ genes.read(part) for part in genes.parts()], axis=1)
    shares = np.array([_regress(row / np.sqrt(noise), loadings) for row in trait])
    left, claimed = _left_and_claimed(eigenvalues, used)
    return SurrogateVariables(
        of_trait @ shares + scores,
        number,
        eigenvalues[:used] / eigenvalues.sum(),
        *_limits(used, number, room),
        inflation=max(1.0, float(left[used] / claimed[used])),
    )


def _limits(used: int, number: int, room: int) -> tuple[bool, tuple[str, ...]]:
    """Return whether factors were left out, and the note where residuals were too few."""
    limited = used < number
    few = limited and used >= room
    return limited, (too_few_left(used, number, SMALLEST_RESIDUAL_DF),) if few else ()


def _floor(variance: Floats) -> Floats:
    """Raise variances that are next to nothing."""
    median = float(np.median(variance))
    positive = variance[variance > 0]
    least = SMALLEST_SHARE * (median or (float(np.median(positive)) if len(positive) else 1.0))
    return np.maximum(variance, least)


def _above_noise(eigenvalues: Floats, genes: int, factors: int = 0) -> int:
    """Count the eigenvalues above the largest that noise gives in addition to some factors."""
    df = len(eigenvalues) - factors
    level = eigenvalues[factors:].mean()
    return int((eigenvalues > level * (1 + np.sqrt(df / genes)) ** 2).sum())


def _room(eigenvalues: Floats) -> int:
    """Return the most factors that leave enough directions in which the genes still vary."""
    return int((eigenvalues > ROUNDING * eigenvalues[0]).sum()) - SMALLEST_RESIDUAL_DF


def _noise_variance(rest: Residuals, scores: Floats) -> tuple[Floats, float]:
    """Return the moderated variance of each gene given the factors, and the prior's df."""
    df = rest.df - scores.shape[1]
    left = rest.squares - (rest.onto(scores) ** 2).sum(axis=0)
    variance = np.maximum(left, 0.0) / df
    freedom = np.full(len(variance), float(df))
    prior = fit_variance_prior(variance, freedom)
    moderated = shrink(variance, freedom, prior.variance, np.full(len(variance), prior.df))
    return _floor(moderated), prior.df


def _most_useful(eigenvalues: Floats, first: int, genes: int, prior_df: float) -> int:
    """Return the number of factors that makes intervals shortest, `first` or up to half more."""
    # With the first factors out of the noise, weaker ones become visible; each takes variance away
    # and a degree of freedom, which counts in small cohorts. A gain too small to matter is forgone.
    df = len(eigenvalues)
    again = _above_noise(eigenvalues, genes, first)
    most = max(first, min(again, _room(eigenvalues), int(np.ceil(MOST_MORE * first))))
    number = np.arange(first, most + 1)
    left, _ = _left_and_claimed(eigenvalues, most)
    freedom = np.minimum(df - number + prior_df, LARGEST_DF)
    width = left[number] * stdtrit(freedom, 1 - TYPICAL_P / 2) ** 2
    return int(number[np.argmax(width <= (1 + WORTHWHILE) * width.min())])


def _left_and_claimed(eigenvalues: Floats, most: int) -> tuple[Floats, Floats]:
    """Return the variance left in a random direction, and what tests would claim, by factors."""
    # A direction has the squared coordinates w along the eigenvectors. The eigenvalues x of the
    # rest, without that direction, are the roots of sum w / (eigenvalue - x), one between each two,
    # and the direction's product with each eigenvector of the rest follows from the roots.
    # Returns left, claimed: Means over directions, with 0, 1, ... factors.
    rng = np.random.default_rng(0)  # only averaged over: fixed, and the same for any sample order
    weight = rng.chisquare(1, size=(DIRECTIONS, 1, len(eigenvalues)))
    weight /= weight.sum(axis=2, keepdims=True)
    number, total = len(eigenvalues), eigenvalues.sum()
    # Equal ones behind the factors, as of many samples, count as one.
    first = np.diff(eigenvalues, prepend=np.inf) != 0
    first[: most + 1] = True
    weight = np.add.reduceat(weight, np.flatnonzero(first), axis=2)
    eigenvalues = eigenvalues[first]
    low = np.broadcast_to(eigenvalues[1 : most + 1], (DIRECTIONS, most)).copy()
    high = np.broadcast_to(eigenvalues[:most], (DIRECTIONS, most)).copy()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            above = (weight / (eigenvalues - middle[:, :, None])).sum(axis=2) > 0
            high, low = np.where(above, middle, high), np.where(above, low, middle)
        root = (low + high) / 2
        product = 1 / (weight / (eigenvalues - root[:, :, None]) ** 2).sum(axis=2)
    whole = (weight[:, 0] * eigenvalues).sum(axis=1, keepdims=True)
    left = whole - _running(product / root)
    rest = total - whole - _running(root)
    freedom = number - 1 - np.arange(most + 1)
    claimed = rest / freedom * (1 + _running(product / root**2))
    return left.mean(axis=0), claimed.mean(axis=0)


def _running(terms: Floats) -> Floats:
    """Return sums of the first 0, 1, ... terms of each row."""
    return np.cumsum(np.pad(terms, ((0, 0), (1, 0))), axis=1)


def _regress(values: Floats, loadings: Floats) -> Floats:
    """Regress the genes' trait coordinates (p,) on their loadings (m, p), effects being errors."""
    # The likelihood of a residual is that of normal noise plus an effect from a mixture of 0 and
    # uniform pieces from 0 to either side (Stephens 2017). Weights of the pieces, width of the
    # noise and coefficients are estimated in turn; the likelihood is tabulated, since it depends on
    # the residual alone.
    effects = _Effects(float(np.abs(values).max()))
    coefficients: Floats = np.zeros(len(loadings))
    for _ in range(ROUNDS):
        weight = effects.learn(values - coefficients @ loadings)
        weighted = loadings * weight
        new = np.linalg.lstsq(weighted @ loadings.T, weighted @ values)[0]
        moved = float(np.abs(new - coefficients).max())
        coefficients = np.asarray(new)
        if moved < SETTLED:
            break
    return coefficients


class _Effects:
    """The distribution of residuals: normal noise, for some genes plus an effect."""

    def __init__(self, largest: float) -> None:
        reach = max(8.0, 1.2 * largest)
        longest = max(4.0, reach)
        # Fine near 0, where most residuals are; the cell of a residual follows from its arcsinh.
        self._cells_per_unit = (CELLS - 1) / 2 / np.arcsinh(reach)
        self._place = np.sinh(np.linspace(-1, 1, CELLS) * np.arcsinh(reach))
        self._step = np.diff(self._place)
        pieces = np.geomspace(SHORTEST_PIECE, longest, PIECES)
        normal = np.exp(-0.5 * self._place**2) / np.sqrt(2 * np.pi)
        height, slope = [normal], [-self._place * normal]
        for end in (*pieces, *-pieces):
            shifted = np.exp(-0.5 * (self._place - end) ** 2) / np.sqrt(2 * np.pi)
            height.append((ndtr(self._place) - ndtr(self._place - end)) / end)
            slope.append((normal - shifted) / end)
        self._height = np.maximum(np.array(height), 1e-300)
        self._slope = np.array(slope)
        self._share = np.full(len(height), (1 - NULL_START) / (len(height) - 1))
        self._share[0] = NULL_START
        self._width = 1.0

    def learn(self, residual: Floats) -> Floats:
        """Update the mixture by the residuals (p,), and return the weight of each of them."""
        scaled = residual / np.sqrt(self._width)
        cell = (np.arcsinh(scaled) * self._cells_per_unit + (CELLS + 1) / 2).astype(np.intp)
        cell = cell.clip(1, CELLS - 1)
        upper = (scaled - self._place[cell - 1]) / self._step[cell - 1]
        within = upper.clip(0.0, 1.0)

        def at(tabulated: Floats) -> Floats:
            value: Floats = tabulated[cell - 1] * (1 - within) + tabulated[cell] * within
            return value

        counts = np.bincount(cell - 1, 1 - upper, CELLS) + np.bincount(cell, upper, CELLS)
        density = self._share @ self._height
        score = -(self._share @ self._slope) / density
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(np.abs(self._place) > 1e-9, score / self._place, 1.0)
        weight = at(np.clip(ratio, 0.0, 1.0))
        found = self._share * (self._height @ (counts / density))
        found[0] += NULL_EXTRA
        null = at(self._share[0] * self._height[0] / density)
        self._share = found / found.sum()
        self._width = float(np.clip((null @ residual**2) / null.sum(), 1.0, WIDEST_NULL))
        return weight
