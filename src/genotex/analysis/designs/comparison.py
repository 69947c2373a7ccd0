"""What is compared in the procedure ``sound``: samples, what is adjusted for, and the design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from genotex.analysis.designs.blocks import (
    Blocks,
    average_repeats,
    block_detected,
    block_samples,
    correlate_samples,
)
from genotex.analysis.designs.contrast import Contrast, choose_contrast, name_controls, with_levels
from genotex.analysis.designs.matrix import Design, build_design
from genotex.analysis.designs.own import OwnDesign, other_characteristics, own_design, with_offset
from genotex.analysis.designs.request import DesignRequest
from genotex.analysis.gene_tests.libraries import Libraries, gather_libraries
from genotex.analysis.hidden.adjustment import Adjustment, gather_adjustment
from genotex.analysis.panel.condition_predictor import PredictedCondition, predict_condition
from genotex.analysis.problem_data import CohortData, ConditionCohort
from genotex.analysis.samples.facts import (
    DETECTED,
    INDEPENDENT,
    FactChecks,
    SampleFacts,
    check_sample_facts,
)
from genotex.analysis.samples.quality import (
    SampleQuality,
    check_samples,
    leave_out_outliers,
    with_outliers_left_out,
)
from genotex.analysis.samples.relations import add_relations, relation_facts
from genotex.analysis.shared_work import once
from genotex.arrays import Floats
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions, Controls
from genotex.problems import Problem, ProblemKind

_VARIANCE_DEPENDS = {"reads": "normalised reads", "proteins": "intensities of proteins"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """The samples compared and the regression, before any gene is tested."""

    cohort: CohortData  # As given
    # Its table; repeated samples averaged and the condition predicted where requested
    table: LinkedTable
    contrast: Contrast
    blocks: Blocks  # Pairs; without columns and record when there are none
    predicted: PredictedCondition | None  # Of a two-step problem
    adjustment: Adjustment
    design: Design  # Without surrogate variables
    facts: FactChecks
    quality: SampleQuality  # Checks of the samples, before any was left out
    libraries: Libraries | None = None  # Of a cohort whose expression was counted
    condition_column: str | None = None  # The condition's column of the design
    own: OwnDesign | None = None  # The user's formula and contrast, where there are such

    @property
    def condition(self) -> ConditionCohort | None:
        """The cohort of the condition of a two-step problem."""
        return self.cohort.condition

    @property
    def samples(self) -> tuple[str, ...]:
        """Ids of the samples compared, shape (n,)."""
        return tuple(self.table.samples[i] for i in self.contrast.rows)

    @property
    def covariates(self) -> tuple[str, ...]:
        """Columns of the design that are adjusted for, without those of pairs and condition."""
        if self.own is not None:
            return self.own.covariates
        held = (*self.blocks.columns, self.condition_column)
        return tuple(name for name in self.design.adjusted if name not in held)

    @property
    def ordered_design(self) -> Design:
        """The design with its covariates as the table has them, whichever is the condition."""
        return self.design.in_order(self.cohort.table.covariates)

    @cached_property
    def expression(self) -> Floats:
        """All genes of the samples compared, shape (n, p); those of the table where it is all."""
        values, rows = np.asarray(self.table.expression, dtype=np.float64), self.contrast.rows
        every = np.array_equal(rows, np.arange(len(values)))
        return values if every and values.flags.c_contiguous else values[rows]

    @property
    def variance_depends(self) -> str:
        """The kind of values whose variance depends on their level, in words; empty for others.

        Counts have weights by which it does not.
        """
        if self.libraries is not None:
            return "" if self.libraries.sizes is not None else "counts without voom's weights"
        return _VARIANCE_DEPENDS.get(self.cohort.kind, "")

    @property
    def library_sizes(self) -> Floats | None:
        """Effective library sizes, shape (n,), where the tests weigh by them."""
        return None if self.libraries is None else self.libraries.sizes

    @property
    def regressors(self) -> tuple[str, ...]:
        """Genes that predict the condition of a two-step problem."""
        return () if self.condition is None else self.condition.regressors

    @property
    def repeated(self) -> bool:
        """Whether some of the people compared seem to be there with several samples."""
        if self.blocks.record:
            return self.blocks.correlated is not None or self.facts.repeated
        return self.facts.repeated or bool(self.quality.detected_blocks)


def set_up_comparison(cohort: CohortData, problem: Problem, options: AnalysisOptions) -> Comparison:
    """Choose samples, pairs, condition and covariates, and build the design."""
    if cohort.design is not None:
        return _set_up_own_design(
            cohort, cohort.design, options.controls, exclude_outliers=options.exclude_outliers
        )
    table, roles, facts = cohort.table, cohort.roles, cohort.sample_facts
    unaffected = name_controls(roles, cohort.sample_texts)
    controls = _controls(options.controls, options.pair)
    contrast = choose_contrast(table, roles, controls, unaffected)
    given = (table, contrast, cohort.sample_facts, cohort.sample_texts)
    quality = once("samples", lambda: check_samples(*given), *given)
    if options.exclude_outliers:
        table, contrast, quality = leave_out_outliers(table, roles, contrast, quality)
    offered = relation_facts(cohort.relations, facts)
    blocks = _blocks(table, contrast, offered, options.pair, quality)
    table, contrast = blocks.table, with_levels(blocks.table, blocks.contrast, options.levels)
    blocks = replace(blocks, contrast=contrast)
    libraries = gather_libraries(cohort.counts, blocks)
    predicted, condition = None, cohort.condition
    if condition is not None:
        predicted = predict_condition(
            condition.table, table, contrast.rows, condition.regressors, seed=options.seed
        )
        table = _with_condition(table, contrast, problem.condition, predicted)
    adjustment = gather_adjustment(
        table, contrast, offered, blocks, options.covariates,
        batch=options.batch, condition=problem.condition, recorded=facts,
    )  # fmt: skip
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
    checked = _check_facts(cohort, table, contrast, adjustment, blocks.record.get("key"))
    if blocks.record.get("key") == DETECTED:
        quality = quality.with_blocks_used()
    elif checked.repeated or blocks.record:
        quality = quality.with_known_donors()
    return Comparison(
        cohort, table, contrast, blocks, predicted, adjustment, design, checked, quality,
        libraries, problem.condition,
    )  # fmt: skip


def _set_up_own_design(
    cohort: CohortData, request: DesignRequest, controls: Controls, *, exclude_outliers: bool
) -> Comparison:
    """Build the comparison of a formula and its contrast."""
    table, facts = cohort.table, cohort.sample_facts
    own = own_design(request, table, controls)
    quality = check_samples(table, own.contrast, facts, cohort.sample_texts)
    if exclude_outliers and quality.outliers:
        own = own_design(request, table, controls, without=tuple(quality.outliers))
        quality = with_outliers_left_out(quality, len(table.samples))
    table = with_offset(table, own)
    blocks = Blocks(table, own.contrast, {}, {}, ())
    if own.people is not None:
        blocks = correlate_samples(table, own.contrast, str(request.block), own.people)
    tested = own.tested.weights.shape[1]
    design = Design(own.names, own.matrix, None, dict(own.filled), own.warnings, tested=tested)
    others = other_characteristics(facts, request, own)
    alone = own.design.formula.variables == (own.tested.text.strip(),)
    measured = own.contrast.members or (alone and not own.tested.several)
    checked = FactChecks()
    if measured:
        checked = check_sample_facts(others, table.samples, own.contrast, table.trait, (), None)
    if request.block is not None or _holds_blocks(request, own, quality.detected_blocks):
        quality = quality.with_known_donors()
    return Comparison(
        replace(cohort, sample_facts=others),
        table,
        own.contrast,
        blocks,
        None,
        Adjustment({}, (), own.sources, None, (), {}, dict(own.filled), ()),
        design,
        checked,
        quality,
        gather_libraries(cohort.counts, blocks),
        own=own,
    )


def _holds_blocks(request: DesignRequest, own: OwnDesign, blocks: Mapping[str, str]) -> bool:
    """Return whether a factor of the design has a level of its own for each block of samples."""
    repeated = {sample: block for sample, block in blocks.items() if sample != block}
    for name in own.design.formula.variables:
        levels = dict(zip(request.samples, request.table[name].to_list(), strict=True))
        pairs = {(block, levels.get(sample)) for sample, block in repeated.items()}
        if pairs and len({*repeated.values()}) == len(pairs) == len({level for _, level in pairs}):
            return True
    return False


def _check_facts(
    cohort: CohortData,
    table: LinkedTable,
    contrast: Contrast,
    adjustment: Adjustment,
    paired: str | None,
) -> FactChecks:
    facts, used = cohort.sample_facts, adjustment.keys
    checked = check_sample_facts(facts, table.samples, contrast, table.trait, used, paired)
    return add_relations(checked, cohort.relations, facts, table, contrast, used, paired)


def _controls(controls: Controls, pair: str | None) -> Controls:
    # The control of a pair is often tissue next to the disease, not that of a healthy person.
    paired = pair not in (None, DETECTED, INDEPENDENT) and controls == "auto"
    return "all" if paired else controls


def _blocks(
    table: LinkedTable,
    contrast: Contrast,
    facts: SampleFacts,
    key: str | None,
    quality: SampleQuality,
) -> Blocks:
    if key == INDEPENDENT:
        return Blocks(table, contrast, {}, {}, ())
    if key is None:
        people = quality.detected_blocks if quality.repeats.are_people else {}
        return average_repeats(table, contrast, facts, people)
    if key == DETECTED:
        return block_detected(table, contrast, quality.detected_blocks, quality.why_no_blocks)
    return block_samples(table, contrast, facts, key)


def _with_condition(
    table: LinkedTable, contrast: Contrast, name: str | None, predicted: PredictedCondition
) -> LinkedTable:
    column = np.full(len(table.samples), np.nan)
    column[contrast.rows] = predicted.values
    return replace(table, covariates={**table.covariates, str(name): column})
