"""The procedure ``sound``: a moderated t-test of every gene, with a second opinion beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from genotex.analysis.adjusting import Adjustment, gather_adjustment
from genotex.analysis.blocks import Blocks, block_samples
from genotex.analysis.checks import (
    check_covariates,
    check_groups,
    check_p_values,
    check_scale,
)
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.condition_predictor import PredictedCondition, predict_condition
from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.gene_filter import GeneFilter, carries_design, filter_genes
from genotex.analysis.gene_table import arrange_genes
from genotex.analysis.gene_tests import beside_columns, mixed_columns, moderated_columns
from genotex.analysis.hidden import Hidden, compare_rankings, find_hidden, set_aside
from genotex.analysis.interaction import fit_interaction
from genotex.analysis.method_record import Steps, record_method
from genotex.analysis.mixed import MixedFit, fit_mixed, mixed_warnings
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel, fit_panel
from genotex.analysis.result import AnalysisResult
from genotex.analysis.sample_facts import FactChecks, SampleFacts, check_sample_facts
from genotex.analysis.spread_check import check_spread
from genotex.errors import AnalysisError
from genotex.formats.cohort_record import Controls, Role
from genotex.formats.linked import LinkedTable
from genotex.problems import Problem, ProblemKind

__all__ = ["analyze_sound"]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


def analyze_sound(
    table: LinkedTable,
    roles: Mapping[str, Role],
    problem: Problem,
    options: AnalysisOptions,
    sample_facts: SampleFacts,
    condition: ConditionCohort | None = None,
    *,
    threads: int = 1,
) -> AnalysisResult:
    """Find the genes that go with the trait of one cohort.

    Each gene's log2 expression is regressed on the covariates, the condition, surrogate variables
    and the trait; the trait's coefficient is tested by the empirical-Bayes moderated t (Smyth
    2004), q-values are those of Benjamini and Hochberg over the genes tested. Age or Gender as
    condition: the interaction of trait and condition is tested in a second regression. Another
    trait as condition: it is predicted from the regressor genes, which are not tested. A mixed
    model gives a second opinion where it is asked for; a Lasso panel is fitted on the same genes.

    Parameters
    ----------
    table : LinkedTable
        One cohort; not filled, so that genes are tested on the samples that have them.
    roles : mapping of str to Role
        Sample id to role in the contrast.
    problem : Problem
        Trait and condition.
    options : AnalysisOptions
        What the user chose.
    sample_facts : mapping
        Other characteristics of the samples; a batch among them is adjusted for, all are checked
        against the trait.
    condition : ConditionCohort, optional
        Of a two-step problem.
    threads : int
        Threads of the panel's cross-validation; the answer does not depend on them.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    UsageError
        If an option names a characteristic that the cohort does not have.
    """
    with threadpool_limits(limits=1):
        contrast = choose_contrast(table, roles, _controls(options))
        blocks = _blocks(table, contrast, sample_facts, options.pair)
        table, contrast = blocks.table, blocks.contrast
        predicted = None
        if condition is not None:
            predicted = predict_condition(
                condition.table, table, contrast.rows, condition.regressors, seed=options.seed
            )
            table = _with_condition(table, contrast, problem.condition, predicted)
        adjustment = gather_adjustment(
            table, contrast, sample_facts, blocks, options, problem.condition
        )
        design = build_design(
            table,
            contrast,
            adjustment.from_table,
            problem.condition,
            adjustment.columns,
            interaction=problem.kind is ProblemKind.ONE_STEP,
            blocks=tuple(blocks.columns),
        )
        adjustment = adjustment.within(design)
        facts = check_sample_facts(
            sample_facts,
            table.samples,
            contrast,
            table.trait,
            adjustment.keys,
            blocks.record.get("key"),
        )
        expression = np.asarray(table.expression, dtype=np.float64)[contrast.rows]
        regressors = () if condition is None else condition.regressors
        kept = _choose_genes(table, regressors, expression, contrast, design, options)
        values = expression[:, kept.tested]
        hidden = find_hidden(
            values,
            contrast,
            design,
            sample_facts,
            table.samples,
            mode=options.hidden,
            seed=options.seed,
        )
        hidden = _weigh(hidden, values, design, options)
        ranking = design.with_columns(hidden.columns) if hidden.used_for_ranking else design
        fits = carries_design(ranking.matrix, values)
        if not fits.all():
            values, kept = values[:, fits], kept.without(~fits)
        columns, fit = moderated_columns(
            values,
            ranking.matrix,
            binary=contrast.binary,
            trend=options.trend,
            base=design.matrix if hidden.used_for_ranking else None,
        )
        columns |= _other_analysis(values, design, hidden, options)
        columns |= fit_interaction(values, ranking, trend=options.trend)
        mixed = _fit_mixed(values, design, options)
        columns |= {} if mixed is None else mixed_columns(mixed)
        panel = _fit_panel(values, contrast, design, blocks, facts, options, threads)
        columns |= _panel_columns(panel, values.shape[1])
    genes = arrange_genes(
        table.genes,
        kept.status,
        columns,
        q_cut=options.q_cut,
        min_effect=options.min_effect,
        test="Mixed " if options.model == "mixed" else "",
    )
    hidden = _with_change(hidden, columns, table, kept, options)
    steps = Steps(
        contrast=contrast,
        blocks=blocks,
        condition=condition,
        predicted=predicted,
        adjustment=adjustment,
        design=design,
        ranking=ranking,
        kept=kept,
        hidden=hidden,
        fit=fit,
        mixed=mixed,
        panel=panel,
        facts=facts,
        genes=genes,
    )
    return AnalysisResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=genes,
        cv_performance={k: v for k, v in panel.quality.items() if k == "prediction"},
        method=record_method(steps, options, problem),
        warnings=_warnings(table, expression, steps),
    )


def _controls(options: AnalysisOptions) -> Controls:
    # The control of a pair is often tissue beside the disease, not that of a healthy person.
    paired = options.pair is not None and options.controls == "auto"
    return "all" if paired else options.controls


def _blocks(table: LinkedTable, contrast: Contrast, facts: SampleFacts, key: str | None) -> Blocks:
    if key is None:
        return Blocks(table, contrast, {}, {}, ())
    return block_samples(table, contrast, facts, key)


def _with_condition(
    table: LinkedTable, contrast: Contrast, name: str | None, predicted: PredictedCondition
) -> LinkedTable:
    column = np.full(len(table.samples), np.nan)
    column[contrast.rows] = predicted.values
    return replace(table, covariates={**table.covariates, str(name): column})


def _choose_genes(
    table: LinkedTable,
    regressors: tuple[str, ...],
    expression: Floats,
    contrast: Contrast,
    design: Design,
    options: AnalysisOptions,
) -> GeneFilter:
    """Filter, and leave out genes whose missing values make the design singular on the rest."""
    kept = filter_genes(expression, contrast, design.matrix.shape[1], options.filter_low)
    status = kept.status.copy()
    partial = np.flatnonzero(kept.tested & np.isnan(expression).any(axis=0))
    if len(partial):
        fits = carries_design(design.matrix, expression[:, partial])
        status[partial[~fits]] = "too few values"
    if regressors:
        status[np.isin(np.array(table.genes), regressors)] = "regressor"
    kept = kept.with_status(status)
    if not kept.record["tested"]:
        counts = ", ".join(f"{name} {n}" for name, n in kept.record.items() if name != "rule")
        msg = f"no gene of {table.trait} can be tested ({counts})"
        raise AnalysisError(msg)
    return kept


def _weigh(hidden: Hidden, values: Floats, design: Design, options: AnalysisOptions) -> Hidden:
    if not hidden.used_for_ranking:
        return hidden
    without = beside_columns(values, design.matrix, "Without SV", trend=options.trend)
    return set_aside(hidden, without["Without SV q"])


def _other_analysis(
    values: Floats, design: Design, hidden: Hidden, options: AnalysisOptions
) -> Columns:
    """Test with surrogate variables when the ranking is without them, and the other way round."""
    if not hidden.columns:
        return {}
    name = "Without SV" if hidden.used_for_ranking else "With SV"
    other = design if hidden.used_for_ranking else design.with_columns(hidden.columns)
    return beside_columns(values, other.matrix, name, trend=options.trend)


def _with_change(
    hidden: Hidden, columns: Columns, table: LinkedTable, kept: GeneFilter, options: AnalysisOptions
) -> Hidden:
    """Add to the record how the top genes change with surrogate variables."""
    if not hidden.columns:
        return hidden
    names = [table.genes[i] for i in np.flatnonzero(kept.tested)]
    other = columns["Without SV p" if hidden.used_for_ranking else "With SV p"]
    pair = (other, columns["p"]) if hidden.used_for_ranking else (columns["p"], other)
    change = compare_rankings(*pair, names, options.q_cut)
    return replace(hidden, record={**hidden.record, "change": change})


def _fit_mixed(values: Floats, design: Design, options: AnalysisOptions) -> MixedFit | None:
    if options.model == "moderated":
        return None
    return fit_mixed(values, design.matrix[:, :-1], design.matrix[:, -1])


def _fit_panel(
    values: Floats,
    contrast: Contrast,
    design: Design,
    blocks: Blocks,
    facts: FactChecks,
    options: AnalysisOptions,
    threads: int,
) -> Panel:
    if not options.panel:
        return Panel(notes=("No panel: switched off.",))
    if blocks.columns:
        # Folds would tear pairs apart, and the pair's own level is unknown for a new person.
        return Panel(notes=("No panel: samples are compared within pairs.",))
    # Surrogate variables were made with the trait in view, so they must not help to predict it.
    return fit_panel(
        values,
        design.matrix[:, 1:-1],
        contrast.values,
        binary=contrast.binary,
        seed=options.seed,
        threads=threads,
        repeated=facts.repeated,
    )


def _panel_columns(panel: Panel, genes: int) -> Columns:
    # Without a panel there is no coefficient, not a coefficient of zero.
    column = np.zeros(genes) if panel.record else np.full(genes, np.nan)
    for gene, coefficient in panel.coefficients.items():
        column[gene] = coefficient
    columns = {"Panel Coefficient": column}
    if panel.selection_frequency is not None:
        columns["Selection Frequency"] = panel.selection_frequency
    return columns


def _warnings(table: LinkedTable, expression: Floats, steps: Steps) -> tuple[str, ...]:
    contrast, design = steps.contrast, steps.design
    return (
        *contrast.warnings,
        *steps.blocks.warnings,
        *(() if steps.predicted is None else steps.predicted.warnings),
        *design.warnings,
        *_filled(design, steps.adjustment),
        *check_groups(contrast),
        *check_covariates(table, contrast, design, steps.adjustment.held_by_pairs),
        *steps.adjustment.warnings,
        *steps.facts.warnings,
        *steps.hidden.warnings,
        *(() if steps.mixed is None else mixed_warnings(steps.mixed, contrast.binary)),
        *check_spread(expression[:, steps.kept.tested], contrast),
        *check_scale(expression),
        *check_p_values(steps.fit.p, int(steps.genes["Significant"].sum())),
    )


def _filled(design: Design, adjustment: Adjustment) -> list[str]:
    how = {"Age": "their mean", "Gender": "the more frequent one"}
    return [
        f"{name} was missing in {count} samples and filled with {how.get(name, 'the mean')}."
        for name, count in {**design.filled, **adjustment.filled}.items()
        if name in design.names
    ]
