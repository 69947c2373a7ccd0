"""L1-penalised regressions of many training sets, all genes at hand, covariates unpenalised.

The training sets go down their penalties in step. At every penalty each of them is solved on the
few genes in use, and then the genes that the optimality conditions ask for are found for all of
them (`TrainingSets.steep`); what was found is solved again until no gene is missed. So each fit is
the optimum over all genes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from genotex.analysis.panel.active_set import ActiveFit, Work
from genotex.analysis.panel.gene_screen import (
    ChosenGenes,
    GeneScreen,
    Slopes,
    TrainingSets,
    standardise,
)
from genotex.arrays import Flags, Floats, Rows, gene_parts

PENALTIES = 40
SATURATED = 0.9
LOOK_EVERY = 3
"""Penalties after which the cross-validated deviance is checked."""
WORSE_FOR = 6
"""A path ends when so many penalties in a row were worse than the best by a standard error."""
MISSED = 1e-4
"""A gene is missed when its slope exceeds the penalty by more than this share."""
LIKELY = 0.6
"""A gene is tried at once at the next penalty when its slope is this far beyond it."""
ROUNDS = 50
"""Searches for missed genes at one penalty; two or three are usual."""
ROWS_TOGETHER = 50_000
"""Samples of all training sets that go in step: so many numbers for each gene in use."""
LADDER = 2.0
ROUGH = 0.3
"""Largest slope left, in units of the penalty, on the way to the penalty that is asked for."""


class PanelData:
    """Genes, covariates and target of all samples."""

    def __init__(
        self,
        genes: Floats | ChosenGenes,
        covariates: Floats,
        target: Floats,
        binary: bool,
        pool: Executor | None = None,
        work: Work | None = None,
    ) -> None:
        self.work = work
        self.covariates = covariates
        self.target = target
        self.binary = binary
        self.screen = GeneScreen(genes, pool)

    def with_one(self, training: Rows, samples: Rows | None = None) -> Floats:
        """Return 1 and the covariates standardised by the training rows, one row per sample."""
        columns = standardise(self.covariates.T, training, samples).T
        return np.column_stack([np.ones(len(columns)), columns])


@dataclass(frozen=True, eq=False)
class PanelPath:
    """Fits of one training set along the penalties."""

    training: Rows  # (n,): rows of the training set
    penalties: Floats  # (m,): descending
    genes: Rows  # (a,): genes in use at any penalty
    coefficients: Floats  # (m, a): coefficients of the z-scored genes
    covariates: Floats  # (m, k): intercept, then the coefficients of the standardised covariates

    def linear_predictor(self, data: PanelData, samples: Rows) -> Floats:
        """Return the linear predictor of other samples, shape (m, samples)."""
        predictor = self.covariates @ data.with_one(self.training, samples).T
        for part in gene_parts(len(self.genes), 4 * len(data.target)):
            genes = data.screen.fetch(self.genes[part])
            predictor += self.coefficients[:, part] @ standardise(genes, self.training, samples)
        return predictor


class _Lockstep:
    """Fits of several training sets, each at its current penalty."""

    def __init__(self, data: PanelData, training: Sequence[Rows]) -> None:
        self.sets = TrainingSets(data.screen, training)
        self.fits = [
            ActiveFit(data.with_one(rows), data.target[rows], data.binary, data.work)
            for rows in training
        ]
        for fit in self.fits:
            fit.solve(0.0)
        nothing = np.zeros(0, dtype=np.intp)
        self.waiting = [nothing for _ in training]
        """Genes of each training set to be tried at once at the next penalty."""

    def top(self) -> Floats:
        """Return the smallest penalty of each training set that selects no gene."""
        # A hair above, so that rounding lets no gene in.
        residuals = [fit.residual() for fit in self.fits]
        return np.maximum(self.sets.largest(residuals), 1e-12) * (1 + 1e-6)

    def solve(self, columns: Rows, penalties: Floats, following: Floats) -> None:
        """Go to the next penalty, and see which genes may come in at the following one."""
        # Shapes: columns (c,), penalties (c,), following (c,).
        self._advance(columns, penalties)
        limits = penalties * (1 + MISSED)
        likely = following + LIKELY * (penalties - following)
        todo = np.arange(len(columns))
        for _ in range(ROUNDS):
            found = self._steep(columns[todo], likely[todo], limits[todo])
            todo = self._solve_missed(todo, columns, penalties, found)
            if not len(todo):
                break

    def approach(self, columns: Rows, penalties: Floats, following: Floats) -> None:
        """Go roughly to a penalty on the way, as `solve` does exactly."""
        # Genes that are missed here are found at the following penalty.
        self._advance(columns, penalties, ROUGH)
        likely = following + LIKELY * (penalties - following)
        self._steep(columns, likely, likely)

    def _advance(self, columns: Rows, penalties: Floats, tolerance: float | None = None) -> None:
        """Bring in the genes that wait, and solve at the penalty."""
        for column, penalty in zip(columns, penalties, strict=True):
            if len(genes := self.waiting[column]):
                self.fits[column].add(genes, self.sets.columns(column, genes))
            self.fits[column].solve(penalty, tolerance)

    def _steep(self, columns: Rows, likely: Floats, limits: Floats) -> list[Slopes]:
        """Return the genes not in use that are likely to come in next, which then wait."""
        fits = [self.fits[column] for column in columns]
        residuals, in_use = [fit.residual() for fit in fits], [fit.genes for fit in fits]
        found = self.sets.steep(columns, residuals, likely, limits, in_use)
        for column, slopes in zip(columns, found, strict=True):
            self.waiting[column] = slopes.genes
        return found

    def _solve_missed(
        self, todo: Rows, columns: Rows, penalties: Floats, found: Sequence[Slopes]
    ) -> Rows:
        """Solve again where genes are missed, and return where."""
        again = []
        for i, slopes in zip(todo, found, strict=True):
            missed = np.flatnonzero(slopes.sizes > penalties[i] * (1 + MISSED))
            if len(missed):
                missed = missed[self._bring_in(columns[i], slopes.genes[missed], penalties[i])]
            if len(missed):
                self.waiting[columns[i]] = np.delete(slopes.genes, missed)
                self.fits[columns[i]].solve(penalties[i])
                again.append(i)
        return np.array(again, dtype=np.intp)

    def _bring_in(self, column: int, genes: Rows, penalty: float) -> Flags:
        """Add genes that are missed in double precision too, and return which are."""
        fit = self.fits[column]
        scaled = self.sets.columns(column, genes)
        slopes = np.abs(scaled @ fit.residual()) / scaled.shape[1]
        missed: Flags = slopes > penalty * (1 + MISSED)
        fit.add(genes[missed], scaled[missed])
        return missed


def _parts(families: Sequence[Sequence[Rows]]) -> Iterator[list[Sequence[Rows]]]:
    """Cut families into parts whose genes in use fit into memory together."""
    part: list[Sequence[Rows]] = []
    for family in families:
        rows = sum(len(each) for other in (*part, family) for each in other)
        if part and rows > ROWS_TOGETHER:
            yield part
            part = []
        part.append(family)
    yield part


def fit_paths(data: PanelData, families: Sequence[Sequence[Rows]]) -> list[list[PanelPath]]:
    """Fit families of training sets along descending penalties."""
    # The first set of a family gives its penalties: from the smallest that selects no gene down to
    # a fiftieth of it, or to where nine tenths of its deviance are explained. The other sets are it
    # without one fold each; a family also ends where its cross-validated deviance has risen for
    # good.
    # Returns In the same order.
    return [paths for part in _parts(families) for paths in _fit_together(data, part)]


def _fit_together(data: PanelData, families: Sequence[Sequence[Rows]]) -> list[list[PanelPath]]:
    training = [rows for family in families for rows in family]
    family_of = np.repeat(np.arange(len(families)), [len(family) for family in families])
    first = np.searchsorted(family_of, np.arange(len(families)))
    lockstep = _Lockstep(data, training)
    grids = np.array([np.geomspace(top, top / 50, PENALTIES) for top in lockstep.top()[first]])
    saturated = np.array([(1 - SATURATED) * lockstep.fits[i].loss() for i in first])
    running = np.ones(len(families), dtype=bool)
    errors = [np.empty((len(family) - 1, 0)) for family in families]
    found: list[list[tuple[Rows, Floats]]] = [[] for _ in training]
    for step in range(PENALTIES):
        columns = np.flatnonzero(running[family_of])
        now = grids[family_of[columns], step]
        after = grids[family_of[columns], min(step + 1, PENALTIES - 1)]
        lockstep.solve(columns, now, after)
        for column in columns:
            fit = lockstep.fits[column]
            found[column].append((fit.genes, fit.coefficients))
        for family in np.flatnonzero(running):
            running[family] = lockstep.fits[first[family]].loss() >= saturated[family]
        if step % LOOK_EVERY == LOOK_EVERY - 1:
            for family in np.flatnonzero(running):
                members = np.flatnonzero(family_of == family)
                last = grids[family, step + 1 - LOOK_EVERY : step + 1]
                new = [_collect(training[i], last, found[i][-LOOK_EVERY:]) for i in members]
                errors[family] = np.hstack([errors[family], fold_errors(data, new)])
                running[family] = not _past_best(errors[family])
        if not running.any():
            break
    paths = iter(
        _collect(rows, grids[family], fits)
        for rows, family, fits in zip(training, family_of, found, strict=True)
    )
    return [[next(paths) for _ in family] for family in families]


def fold_errors(data: PanelData, family: Sequence[PanelPath]) -> Floats:
    """Return the mean deviance of each fold left out at each penalty, shape (folds, m)."""
    whole, *folds = family
    errors = []
    for fold in folds:
        left_out = np.zeros(len(data.target), dtype=np.bool_)
        left_out[whole.training] = True
        left_out[fold.training] = False
        test = np.flatnonzero(left_out)
        predictor = fold.linear_predictor(data, test)
        errors.append(_deviance(data.target[test], predictor, data.binary).mean(axis=1))
    return np.array(errors).reshape(len(folds), len(whole.penalties))


def best_of(errors: Floats) -> tuple[int, Floats, float]:
    """Return the best penalty, the mean error at each, and the standard error at the best."""
    mean = errors.mean(axis=0)
    best = int(np.argmin(mean))
    return best, mean, float(errors[:, best].std(ddof=1) / np.sqrt(len(errors)))


def _past_best(errors: Floats) -> bool:
    if len(errors) < 2 or errors.shape[1] <= WORSE_FOR:
        return False
    best, mean, spread = best_of(errors)
    return bool((mean[-WORSE_FOR:] > mean[best] + spread).all())


def _collect(rows: Rows, grid: Floats, found: list[tuple[Rows, Floats]]) -> PanelPath:
    genes = np.unique(np.concatenate([used for used, _ in found]))
    fixed = len(found[0][1]) - len(found[0][0])
    coefficients = np.zeros((len(found), len(genes)))
    for step, (used, fitted) in enumerate(found):
        coefficients[step, np.searchsorted(genes, used)] = fitted[fixed:]
    covariates = np.array([fitted[:fixed] for _, fitted in found])
    return PanelPath(rows, grid[: len(found)], genes, coefficients, covariates)


def fit_single(data: PanelData, training: Sequence[Rows], penalty: float) -> Iterator[Rows]:
    """Yield the genes that each training set selects at one penalty."""
    for part in _parts([[rows] for rows in training]):
        yield from _fit_single_together(data, [rows for (rows,) in part], penalty)


def _fit_single_together(
    data: PanelData, training: Sequence[Rows], penalty: float
) -> Iterator[Rows]:
    lockstep = _Lockstep(data, training)
    everyone = np.arange(len(training))
    tops = np.maximum(lockstep.top(), penalty)
    # A few penalties on the way: coming from above, few genes come in at a time.
    steps = 1 + int(np.ceil(np.log(tops.max() / penalty) / np.log(LADDER)))
    ladder = np.geomspace(tops, penalty, steps)
    for step in range(steps - 1):
        lockstep.approach(everyone, ladder[step], ladder[step + 1])
    lockstep.solve(everyone, ladder[-1], ladder[-1])
    for fit in lockstep.fits:
        yield fit.genes


def _deviance(target: Floats, predictor: Floats, binary: bool) -> Floats:
    """Return the deviance of each prediction; `predictor` may have leading axes."""
    # Shapes: target (n,), predictor (..., n).
    if not binary:
        return np.asarray((target - predictor) ** 2, dtype=np.float64)
    # Predictions of exactly 0 or 1 would cost infinity for one wrong sample.
    p = np.clip(expit(predictor), 1e-5, 1 - 1e-5)
    return np.asarray(-2 * (xlogy(target, p) + xlogy(1 - target, 1 - p)), dtype=np.float64)
