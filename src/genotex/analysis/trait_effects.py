"""The effects of a comparison, for tests of gene sets: the trait's, and those of chance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import genotex
from genotex.analysis.comparison import Comparison, set_up_comparison
from genotex.analysis.linear import CHUNK
from genotex.analysis.moderated import VariancePrior
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.problem_data import DataChoice, naming_place, read_data
from genotex.analysis.result import AnalysisResult
from genotex.analysis.testing import Tests, choose_genes, run_tests
from genotex.analysis.voom import observation_weights
from genotex.errors import AnalysisError
from genotex.layout import OutputFolder
from genotex.problems import Problem

__all__ = ["TraitEffects", "effect_matrix", "read_trait_effects", "trait_effects"]

Floats = NDArray[np.float64]

FEWEST_GENES = 10
SAME = 1e-6
"""Largest difference, relative to 1 + |t|, by which rounding moves a t-statistic."""


@dataclass(frozen=True, eq=False)
class TraitEffects:
    """The regression of the genes without missing values, turned into independent effects.

    Attributes
    ----------
    genes : tuple of str, length p
        The genes.
    matrix : ndarray of float64, shape (p, 1 + d)
        The trait's effect, and the d residual effects (see `effect_matrix`).
    t, df : ndarray of float64, shape (p,)
        Moderated t of the genes, and its degrees of freedom.
    prior : VariancePrior
        What the residual variances were shrunk towards.
    left_out : int
        Tested genes that are not here, since they have missing values.
    """

    genes: tuple[str, ...]
    matrix: Floats
    t: Floats
    df: Floats
    prior: VariancePrior
    left_out: int


def effect_matrix(design: Floats, values: Floats, weights: Floats | None = None) -> Floats:
    """Turn the values of each gene into the effect of the design's last column and residual ones.

    An orthogonal transformation takes the design to upper triangular form. What the values become
    in the design's last coordinate is the trait's effect; the coordinates behind are free of the
    design. All have the gene's residual variance when the trait has no effect, and the trait's
    effect divided by the root of that variance is the t-statistic.

    Parameters
    ----------
    design : ndarray of float64, shape (n, k)
        Full column rank, the trait last, k < n.
    values : ndarray of float64, shape (n, p)
        No missing values.
    weights : ndarray of float64, shape (n,) or (n, p), optional
        Inverse variances, of samples or of single observations.

    Returns
    -------
    ndarray of float64, shape (p, 1 + n - k)
        The trait's effect first, positive where the values rise with the trait.

    References
    ----------
    Wu and Smyth 2012, Nucleic Acids Research 40:e133.
    """
    if weights is not None and weights.ndim == 2:
        return _weighted_effects(design, values, weights)
    if weights is not None:
        root = np.sqrt(weights)[:, None]
        design, values = design * root, values * root
    last = design.shape[1] - 1
    q, r = np.linalg.qr(design, mode="complete")
    effects = np.ascontiguousarray((q[:, last:].T @ values).T)
    effects[:, 0] *= np.sign(r[last, last])
    return effects


def _weighted_effects(design: Floats, values: Floats, weights: Floats) -> Floats:
    """Transform every gene by reflections of its own, many genes at a time.

    Any orthogonal basis of the residual space would do for one gene. Across genes the residual
    effects must belong together, which successive Householder reflections see to.
    """
    samples, columns = design.shape
    genes = values.shape[1]
    effects = np.empty((genes, samples - columns + 1))
    for start in range(0, genes, CHUNK):
        root = np.sqrt(weights[:, start : start + CHUNK]).T
        system = np.concatenate(
            [design * root[:, :, None], (values[:, start : start + CHUNK].T * root)[:, :, None]],
            axis=2,
        )
        for j in range(columns):
            part = system[:, j:, j:]
            mirror = part[:, :, 0].copy()
            mirror[:, 0] += np.copysign(np.linalg.norm(mirror, axis=1), mirror[:, 0])
            along = np.einsum("gn,gnk->gk", mirror, part)
            along *= 2.0 / np.einsum("gn,gn->g", mirror, mirror)[:, None]
            part -= mirror[:, :, None] * along[:, None, :]
        found = system[:, columns - 1 :, -1]
        found[:, 0] *= np.sign(system[:, columns - 1, columns - 1])
        effects[start : start + CHUNK] = found
    return effects


def read_trait_effects(output: OutputFolder, result: AnalysisResult) -> TraitEffects:
    """Set up the comparison behind a stored result again, and return its effects.

    Everything comes from the output folder: the linked table and record of the cohort, of a
    two-step problem those of the condition's cohort too, and the options, cohorts and regressor
    genes that the result names.

    Parameters
    ----------
    output : OutputFolder
        Folder with the preprocessed cohorts.
    result : AnalysisResult
        A result of the procedure ``sound`` that is ranked by the moderated t.

    Raises
    ------
    AnalysisError
        If the comparison does not give the stored t-statistics again, or all but a few genes have
        missing values.
    FormatError
        If a file of a cohort is not what it should be.
    """
    comparison, tests = _run_again(output, result)
    _check_same(result, _tested(comparison, tests), tests.fit.t)
    with naming_place(Problem(result.trait, result.condition), result.cohort):
        return trait_effects(comparison, tests)


def trait_effects(comparison: Comparison, tests: Tests) -> TraitEffects:
    """Return the effects of the very regression that gave the moderated t.

    Parameters
    ----------
    comparison : Comparison
    tests : Tests
        Of this comparison.

    Raises
    ------
    AnalysisError
        If all but a few genes have missing values.
    """
    names, sizes, design = _tested(comparison, tests), comparison.library_sizes, tests.moderated
    complete: NDArray[np.bool_] = np.asarray(~np.isnan(tests.values).any(axis=0))
    if complete.sum() < FEWEST_GENES:
        msg = (
            f"{int(complete.sum())} of {len(names):,} tested genes have no missing value; tests of "
            f"gene sets need at least {FEWEST_GENES}"
        )
        raise AnalysisError(msg)
    # Counts have no missing values, so that weights and values are of the same genes.
    weights = None if sizes is None else observation_weights(design.matrix, tests.values, sizes)
    fit = tests.fit
    return TraitEffects(
        genes=tuple(name for name, whole in zip(names, complete, strict=True) if whole),
        matrix=effect_matrix(design.matrix, tests.values[:, complete], weights),
        t=fit.t[complete],
        df=fit.df[complete],
        prior=VariancePrior(fit.prior.df, fit.prior.variance[complete]),
        left_out=int((~complete).sum()),
    )


def _tested(comparison: Comparison, tests: Tests) -> tuple[str, ...]:
    return tuple(comparison.table.genes[i] for i in np.flatnonzero(tests.kept.tested))


def _run_again(output: OutputFolder, result: AnalysisResult) -> tuple[Comparison, Tests]:
    problem, options = Problem(result.trait, result.condition), _options(result)
    data = read_data(output, problem, _cohorts(result), options)
    evidence = data.evidence
    facts = {} if evidence is None else evidence.sample_facts
    with naming_place(problem, result.cohort), threadpool_limits(limits=1):
        comparison = set_up_comparison(
            data.table,
            {} if evidence is None else evidence.roles,
            problem,
            options,
            facts,
            data.condition,
            {} if evidence is None else evidence.counts,
        )
        expression = comparison.expression
        kept = choose_genes(comparison, expression, options)
        return comparison, run_tests(comparison, expression[:, kept.tested], kept, facts, options)


def _options(result: AnalysisResult) -> AnalysisOptions:
    """Return the options that the result was made with."""
    stored: dict[str, Any] = dict(result.method.get("options", {}))
    if stored.keys() != {field.name for field in fields(AnalysisOptions)} or not result.cohort:
        made = result.method.get("versions", {}).get("genotex", "another version")
        msg = (
            f"{_place(result)}: the result does not record how it was made, or was made by another "
            f"version (genotex {made}, this is {genotex.__version__}); run analyze again"
        )
        raise AnalysisError(msg)
    # The mixed model does not rank, and takes its time.
    stored["model"] = "moderated"
    chosen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
    }
    return AnalysisOptions(**chosen)


def _cohorts(result: AnalysisResult) -> DataChoice:
    two_step = result.method.get("two_step")
    if two_step is None:
        return DataChoice(result.cohort, "", {})
    return DataChoice(result.cohort, "", {}, two_step["cohort"], tuple(two_step["regressors"]))


def _check_same(result: AnalysisResult, names: tuple[str, ...], t: Floats) -> None:
    """Refuse to go on where other genes were tested or their t-statistics differ."""
    tested = result.genes.filter(result.genes["Status"] == "tested")
    stored = dict(zip(tested["Variable"], tested["t"].to_numpy(), strict=True))
    if stored.keys() == set(names):
        before = np.array([stored[name] for name in names])
        differ = ~(np.abs(t - before) <= SAME * (1.0 + np.abs(before)))
        if not differ.any():
            return
        what = f"{int(differ.sum()):,} of {len(names):,} genes have another t-statistic"
    else:
        what = f"{len(names):,} genes are tested, not the {len(stored):,} of the result"
    made = result.method.get("versions", {}).get("genotex", "unknown")
    msg = (
        f"{_place(result)}: the analysis cannot be repeated: {what}. The cohort's tables have "
        f"changed since, or the software (result: genotex {made}, this is {genotex.__version__}); "
        "run analyze again"
    )
    raise AnalysisError(msg)


def _place(result: AnalysisResult) -> str:
    problem = Problem(result.trait, result.condition)
    return f"{problem}, {result.cohort}" if result.cohort else str(problem)
