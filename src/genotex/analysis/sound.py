"""The procedure ``sound``: moderated t-tests of every gene, a mixed model if requested, a panel."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from genotex.analysis.adjusting import Adjustment
from genotex.analysis.checks import check_covariates, check_groups, check_p_values, check_scale
from genotex.analysis.comparison import Comparison, set_up_comparison
from genotex.analysis.design import Design
from genotex.analysis.gene_table import arrange_genes
from genotex.analysis.method_record import Steps, record_method
from genotex.analysis.mixed import mixed_warnings
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel, fit_panel
from genotex.analysis.problem_data import CohortData
from genotex.analysis.result import AnalysisResult
from genotex.analysis.testing import Tests, choose_genes, run_tests
from genotex.bench.problems import Problem

__all__ = ["analyze_sound", "carry_out"]

Floats = NDArray[np.float64]
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
        warnings=_warnings(steps),
    )


def carry_out(
    cohort: CohortData, problem: Problem, options: AnalysisOptions, *, threads: int = 1
) -> Steps:
    """Set up the comparison, test its genes and fit the panel; parameters as `analyze_sound`."""
    with threadpool_limits(limits=1):
        comparison = set_up_comparison(cohort, problem, options)
        expression = comparison.expression
        kept = choose_genes(comparison, expression, options)
        values = expression[:, kept.tested]
        tests, panel = _both(
            lambda: run_tests(comparison, values, kept, cohort.sample_facts, options),
            lambda: _fit_panel(comparison, values, options, threads),
            threads,
        )
    tested = tests.kept.tested[kept.tested]
    genes = arrange_genes(
        cohort.table.genes,
        tests.kept.status,
        {**tests.columns, **_panel_columns(panel, tested)},
        q_cut=options.q_cut,
        min_effect=options.min_effect,
        test="Mixed " if options.model == "mixed" else "",
    )
    return Steps(comparison, tests, panel, genes, options.q_cut)


def _both(
    tests: Callable[[], Tests], panel: Callable[[], Panel], threads: int
) -> tuple[Tests, Panel]:
    """Run tests and panel in parallel where there are threads: neither needs the other."""
    if threads == 1:
        return tests(), panel()
    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(panel)
        return tests(), later.result()


def _fit_panel(
    comparison: Comparison, values: Floats, options: AnalysisOptions, threads: int
) -> Panel:
    if not options.panel:
        return Panel(notes=("No panel: switched off.",))
    if comparison.blocks.columns:
        # Folds would tear pairs apart, and the pair's own level is unknown for a new person.
        return Panel(notes=("No panel: samples are compared within pairs.",))
    if comparison.contrast.factor is not None:
        return Panel(notes=("No panel: a factor of several levels is not predicted.",))
    # Surrogate variables were made with the trait in view, so they must not help to predict it.
    return fit_panel(
        values,
        comparison.design.others[:, 1:],
        comparison.contrast.values,
        binary=comparison.contrast.binary,
        seed=options.seed,
        threads=threads,
        repeated=comparison.repeated,
    )


def _panel_columns(panel: Panel, tested: NDArray[np.bool_]) -> Columns:
    """Return the columns of the panel for those of its genes that were tested."""
    # Without a panel there is no coefficient, not a coefficient of zero.
    column = np.zeros(len(tested)) if panel.record else np.full(len(tested), np.nan)
    for gene, coefficient in panel.coefficients.items():
        column[gene] = coefficient
    columns = {"Panel Coefficient": column[tested]}
    if panel.selection_frequency is not None:
        columns["Selection Frequency"] = panel.selection_frequency[tested]
    return columns


def _warnings(steps: Steps) -> tuple[str, ...]:
    comparison, tests = steps.comparison, steps.tests
    contrast, design, adjustment = comparison.contrast, comparison.design, comparison.adjustment
    predicted, mixed = comparison.predicted, tests.mixed
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
        *check_covariates(comparison.table, contrast, design, adjustment.held_by_pairs),
        *adjustment.warnings,
        *comparison.facts.warnings,
        *tests.unmeasured.warnings,
        *_many_departures(steps),
        *(() if mixed is None else mixed_warnings(mixed, contrast.binary)),
        *tests.spread.warnings,
        *check_scale(comparison.expression),
        *check_p_values(steps.tested_p, int(steps.genes["Significant"].sum())),
    )


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
    how = {"Age": "their mean", "Gender": "the more frequent one"}
    return [
        f"{name} was missing in {count} sample{'s' if count > 1 else ''} and filled with "
        f"{how.get(name, 'the mean')}."
        for name, count in {**design.filled, **adjustment.filled}.items()
        if name in design.names
    ]
