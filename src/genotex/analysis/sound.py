"""The procedure ``sound``: moderated t-tests of every gene, a mixed model if requested, a panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
from threadpoolctl import threadpool_limits

from genotex.analysis.designs.comparison import Comparison, set_up_comparison
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.matrix import Design
from genotex.analysis.gene_tests.gene_filter import choose_genes
from genotex.analysis.gene_tests.mixed import mixed_warnings
from genotex.analysis.gene_tests.p_values import binomial_p, excess_near_one, null_share
from genotex.analysis.gene_tests.trait_tests import TraitTests, run_tests
from genotex.analysis.hidden.adjustment import Adjustment
from genotex.analysis.hidden.confounding import associate_measured, variance_inflation
from genotex.analysis.panel.gene_screen import LARGE, ChosenGenes
from genotex.analysis.panel.selection import MOST_WORK, GenePanel, fit_panel
from genotex.analysis.problem_data import CohortData
from genotex.analysis.results.columns import arrange_genes
from genotex.analysis.results.method_record import Steps, record_method, record_regression
from genotex.analysis.results.result import AnalysisResult
from genotex.analysis.shared_work import once
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.features import table_features
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem

SMALL_GROUP = 10
HIGHEST_LOG2 = 50.0
HIGHEST_INFLATION = 4.0
EXCESS = 1.5
BY_CHANCE = 1e-3
ENOUGH_GENES = 200
"""A histogram of fewer p-values is uninformative."""
MANY_GENES = 10
"""Fewer genes do not represent the genome: most of them may well be significant."""
HIGHEST = 1e100
"""Squares of larger numbers, and their sums, leave the range of double precision."""


def check_table(table: LinkedTable) -> None:
    """Reject a linked table that cannot be analysed."""
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, but its names give {shape}"
        raise AnalysisError(msg)
    for what, names in (("samples", table.samples), ("genes", table.genes)):
        if not names:
            msg = f"{table.trait}: the table has no {what}"
            raise AnalysisError(msg)
        repeated = next((name for name, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            msg = f"{table.trait}: {repeated} occurs twice among the {what}; make them one first"
            raise AnalysisError(msg)
    for what, values in (
        ("expression", table.expression),
        ("the trait", table.trait_values),
        *table.covariates.items(),
    ):
        # NaN is missing and compares as False.
        if (
            np.fmax.reduce(values, axis=None) > HIGHEST
            or np.fmin.reduce(values, axis=None) < -HIGHEST
        ):
            kind = "infinite values" if np.isinf(values).any() else f"values above {HIGHEST:g}"
            msg = f"{table.trait}: {what} holds {kind}, which cannot be analysed"
            hint = "; take logarithms of positive values" if what == "expression" else ""
            raise AnalysisError(msg + hint)


def check_groups(contrast: Contrast) -> list[str]:
    """Warn of groups that are too small for stable results."""
    if contrast.smaller_group >= SMALL_GROUP:
        return []
    what = "The smaller group has" if contrast.two_groups else "The analysis has"
    if contrast.members and not contrast.two_groups:
        what = "The smallest level has"
    return [f"{what} {contrast.smaller_group} samples only: expect unstable genes and low power."]


def check_covariates(
    table: LinkedTable, contrast: Contrast, design: Design, held_by_pairs: Collection[str] = ()
) -> list[str]:
    """Warn of covariates that are confounded with the trait, alone or together."""
    # Decided by size (see `Association.strength`), so that three against three samples of different
    # ages are seen and a difference of two years among hundreds is not.
    warnings = []
    for name, column in table.covariates.items():
        values = column[contrast.rows]
        known = np.isfinite(values)
        trait = contrast.values[known]
        if known.sum() < 4 or len(np.unique(values[known])) < 2 or len(np.unique(trait)) < 2:
            continue
        found = associate_measured(contrast, known, values[known])
        if found.strength:
            apart = "cannot be separated" if found.complete else "are hard to separate"
            held = name in design.adjusted or name in held_by_pairs
            adjusted = "" if held else f", and {name} is not adjusted for"
            warnings.append(
                f"{table.trait} is confounded with {name} in this cohort ({found.text}): effects "
                f"of the two {apart}{adjusted}."
            )
    # Indicators of a factor inflate each other; its values alone are compared with the others.
    inflation = variance_inflation(np.column_stack([design.others, contrast.values]))
    if inflation > HIGHEST_INFLATION and not warnings:
        warnings.append(
            f"The covariates together nearly determine {table.trait} (variance inflation "
            f"{inflation:.1f}): effects of trait and covariates are hard to separate."
        )
    return warnings


def check_scale(expression: Floats) -> list[str]:
    """Warn when expression does not look like logarithms."""
    highest = float(np.nanmax(expression)) if np.isfinite(expression).any() else 0.0
    if highest <= HIGHEST_LOG2:
        return []
    return [
        f"Expression does not look like log2 values (the highest is {highest:.4g}): coefficients "
        "are not log2 fold changes, and a few strong samples may dominate the result."
    ]


def check_p_values(p: Floats, significant: int) -> list[str]:
    """Warn when the p-values do not look like those of a well-fitting model."""
    # Shapes: p (m,).
    warnings = []
    excess = excess_near_one(p)
    if len(p) >= ENOUGH_GENES and not _by_chance(p):
        if excess > EXCESS:
            warnings.append(_too_many_near_one(excess, null_share(p)))
        elif excess < 1 / EXCESS:
            warnings.append(
                "The p-value histogram still falls on the right (density near 1 is "
                f"{excess:.2f} of that below, pi0 = {null_share(p):.2f}): nearly every gene is "
                "weakly associated with the trait, as when a batch or a tissue is confounded with "
                "it; q-values are likely too small."
            )
    if len(p) >= MANY_GENES and 2 * significant > len(p):
        warnings.append(
            f"{significant} of {len(p)} genes are significant, more than half: check for a batch, "
            "a different tissue or a different scale behind the trait before using the list."
        )
    return warnings


def _by_chance(p: Floats) -> bool:
    """Return whether chance alone moves so many of the p-values above 0.5 to or from 1."""
    near, upper = int((p > 0.9).sum()), int((p > 0.5).sum())
    return upper == 0 or binomial_p(near, upper, 0.2) > BY_CHANCE


def _too_many_near_one(excess: float, share: float) -> str:
    many = (
        f"{excess:.1f} times as many p-values near 1 as below"
        if np.isfinite(excess)
        else "all p-values above 0.5 are near 1"
    )
    return (
        f"The p-value histogram is not flat on the right: {many} (pi0 = {share:.2f}). The model "
        "may miss structure in the data; q-values are likely too large."
    )


Columns = dict[str, Floats]

MANY_DEPARTURES = 10
DEPARTING_SHARE = 0.2
"""Of the number of genes with a significant trend."""


def analyze_sound(
    cohort: CohortData, problem: Problem, options: AnalysisOptions, *, threads: int = 1
) -> AnalysisResult:
    """Find the genes associated with the trait of one cohort."""
    # Each gene's log2 expression is regressed on the covariates, the condition, surrogate variables
    # and the trait; the trait's coefficient is tested by the empirical-Bayes moderated t (Smyth
    # 2004), q-values are those of Benjamini and Hochberg over the genes tested. Age or Gender as
    # condition: the interaction of trait and condition is tested in a second regression. Another
    # trait as condition: it is predicted from the regressor genes, which are not tested. A mixed
    # model is fitted in addition where requested; a Lasso panel is fitted on the same genes.
    steps = carry_out(cohort, problem, options, threads=threads)
    return AnalysisResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=steps.genes,
        cv_performance={k: v for k, v in steps.panel.quality.items() if k == "prediction"},
        method=record_method(steps, options, problem),
        warnings=_named(_warnings(steps), steps.comparison),
        regression=record_regression(steps),
    )


def carry_out(
    cohort: CohortData, problem: Problem, options: AnalysisOptions, *, threads: int = 1
) -> Steps:
    """Set up the comparison, test its genes and fit the panel; parameters as `analyze_sound`."""
    with threadpool_limits(limits=1):
        comparison = set_up_comparison(cohort, problem, options)
        expression = comparison.expression
        kept = choose_genes(comparison, expression, filter_low=options.filter_low)
        # Of a large table there is room for what the tests hold, or for what the panel holds.
        together = threads > 1 and expression.nbytes <= LARGE
        left = threads - together
        tests, panel = _both(
            lambda: run_tests(comparison, kept.of(expression), kept, options),
            lambda: _fit_panel(comparison, kept.tested, options.panel, options.seed, left),
            together=together,
        )
    tested = tests.kept.tested[kept.tested]
    genes = arrange_genes(
        cohort.table.genes,
        tests.kept.status,
        {**tests.columns, **_panel_columns(panel, tested)},
        tests.grade,
        q_cut=options.q_cut,
        min_effect=options.min_effect,
        test="Mixed " if options.model == "mixed" else "",
        by="p" if options.model == "mixed" else options.rank_by,
    )
    return Steps(tests.comparison, tests, panel, genes, options.q_cut)


def _both(
    tests: Callable[[], TraitTests], panel: Callable[[], GenePanel], *, together: bool
) -> tuple[TraitTests, GenePanel]:
    """Run tests and panel, neither of which needs the other, in parallel or one after the other."""
    if not together:
        return tests(), panel()
    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(copy_context().run, panel)
        return tests(), later.result()


def _fit_panel(
    comparison: Comparison, tested: Flags, wanted: bool | None, seed: int, threads: int
) -> GenePanel:
    if wanted is False:
        return GenePanel(notes=("No panel: switched off.",))
    if comparison.blocks.columns:
        # Folds would tear pairs apart, and the pair's own level is unknown for a new person.
        return GenePanel(notes=("No panel: samples are compared within pairs.",))
    if comparison.own is not None and not comparison.own.predictable:
        return GenePanel(notes=("No panel: this contrast of a design is not predicted.",))
    if comparison.contrast.factor is not None:
        return GenePanel(notes=("No panel: a factor of several levels is not predicted.",))
    # Surrogate variables were made with the trait in view, so they must not help to predict it.
    covariates, target = comparison.ordered_design.others[:, 1:], comparison.contrast.values
    expression = comparison.expression
    binary, repeated = comparison.contrast.binary, comparison.repeated

    def fit() -> GenePanel:
        return fit_panel(
            ChosenGenes(expression, np.flatnonzero(tested)), covariates, target,
            binary=binary, seed=seed, threads=threads, repeated=repeated,
            most_work=np.inf if wanted else MOST_WORK,
        )  # fmt: skip

    # The condition of a two-step problem is that of no other problem.
    if comparison.condition is not None:
        return fit()
    given = (expression, tested, covariates, target, binary, seed, repeated, bool(wanted))
    return once("panel", fit, *given)


def _panel_columns(panel: GenePanel, tested: Flags) -> Columns:
    """Return the columns of the panel for those of its genes that were tested."""
    # Without a panel there is no coefficient, not a coefficient of zero.
    column = np.zeros(len(tested)) if panel.record else np.full(len(tested), np.nan)
    for gene, coefficient in panel.coefficients.items():
        column[gene] = coefficient
    columns = {"Panel Coefficient": column[tested]}
    if panel.selection_frequency is not None:
        columns["Selection Frequency"] = panel.selection_frequency[tested]
    return columns


def design_warnings(comparison: Comparison) -> tuple[str, ...]:
    """Return what a reader should know of samples and design before any gene is tested."""
    contrast, design, adjustment = comparison.contrast, comparison.design, comparison.adjustment
    predicted = comparison.predicted
    return (
        *contrast.warnings,
        *comparison.quality.warnings,
        *comparison.quality.block_warnings,
        *(() if comparison.libraries is None else comparison.libraries.warnings),
        *comparison.blocks.warnings,
        *(() if predicted is None else predicted.warnings),
        *design.warnings,
        *_filled(design, adjustment),
        *check_groups(contrast),
        *_covariate_warnings(comparison),
        *adjustment.warnings,
        *comparison.facts.warnings,
    )


def _warnings(steps: Steps) -> tuple[str, ...]:
    comparison, tests = steps.comparison, steps.tests
    mixed = tests.mixed
    return (
        *design_warnings(comparison),
        *tests.unmeasured.warnings,
        *_many_departures(steps),
        *(() if mixed is None else mixed_warnings(mixed, comparison.contrast.binary)),
        *tests.spread.warnings,
        *check_scale(comparison.expression),
        *check_p_values(steps.tested_p, int(steps.genes["Significant"].sum())),
    )


def _named(warnings: tuple[str, ...], comparison: Comparison) -> tuple[str, ...]:
    """Return the warnings with what a design is about in the place of the trait."""
    names = () if comparison.own is None else comparison.own.tested_variables
    if not names:
        return warnings
    return tuple(text.replace("the trait", " and ".join(names)) for text in warnings)


def _covariate_warnings(comparison: Comparison) -> list[str]:
    contrast, design, own = comparison.contrast, comparison.design, comparison.own
    if own is None:
        held = comparison.adjustment.held_by_pairs
        return check_covariates(comparison.table, contrast, design, held)
    if not contrast.members:
        return []
    return check_covariates(comparison.table, contrast, design, own.standard_covariates)


def _many_departures(steps: Steps) -> list[str]:
    """Warn where so many genes depart from the line that the trend misses much."""
    genes, contrast = steps.genes, steps.comparison.contrast
    departing = steps.departing
    if departing < MANY_DEPARTURES or departing < DEPARTING_SHARE * int(genes["Significant"].sum()):
        return []
    values = 0 if contrast.levels is None else len(contrast.levels.values)
    return [
        f"{departing:,} genes depart from a line along the {values} levels of "
        f"{steps.comparison.table.trait} (Departure q below the cut): the trend describes them "
        "badly or misses them. Rank by any difference among the levels with --levels factor."
    ]


def _filled(design: Design, adjustment: Adjustment) -> list[str]:
    how = {
        feature.column: "the more frequent one" if feature.levels else "their mean"
        for feature in table_features()
    }
    return [
        f"{name} was missing in {count} sample{'s' if count > 1 else ''} and filled with "
        f"{how.get(name, 'the mean')}."
        for name, count in {**design.filled, **adjustment.filled}.items()
        if name in design.names
    ]
