"""The tests of every gene in the procedure ``sound``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.comparison import Comparison
from genotex.analysis.design import Design
from genotex.analysis.gene_filter import GeneFilter, carries_design, filter_genes
from genotex.analysis.gene_tests import beside_columns, mixed_columns, moderated_columns
from genotex.analysis.hidden import Hidden, compare_rankings, find_hidden, set_aside
from genotex.analysis.interaction import fit_interaction
from genotex.analysis.libraries import FEWEST_READS, Libraries, few_reads
from genotex.analysis.mixed import MixedFit, fit_mixed
from genotex.analysis.moderated import ModeratedFit
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.sample_facts import SampleFacts
from genotex.errors import AnalysisError

__all__ = ["Tests", "choose_genes", "run_tests"]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


class _Test(TypedDict):
    """How the moderated t is computed, in every regression alike."""

    trend: bool
    libraries: Floats | None


@dataclass(frozen=True, eq=False)
class Tests:
    """What was found of every gene.

    Attributes
    ----------
    kept : GeneFilter
        Which genes were tested.
    values : ndarray of float64, shape (n, m)
        Expression of the m tested genes.
    columns : dict of str to ndarray of float64, shape (m,)
        Columns of `GENE_COLUMNS`.
    hidden : Hidden
        Surrogate variables.
    moderated, ranking : Design
        Regression of the moderated t, and of the test that ranks: the mixed model has no surrogate
        variables.
    p : ndarray of float64, shape (m,)
        p-values that rank, NaN where that test has none.
    fit : ModeratedFit
    mixed : MixedFit or None
    """

    kept: GeneFilter
    values: Floats
    columns: Columns
    hidden: Hidden
    moderated: Design
    ranking: Design
    p: Floats
    fit: ModeratedFit
    mixed: MixedFit | None


def choose_genes(
    comparison: Comparison, expression: Floats, options: AnalysisOptions
) -> GeneFilter:
    """Filter, and leave out genes whose missing values make the design singular on the rest.

    Parameters
    ----------
    comparison : Comparison
    expression : ndarray of float64, shape (n, p)
        All genes of the samples compared; NaN is missing.
    options : AnalysisOptions

    Raises
    ------
    AnalysisError
        If no gene is left.
    """
    design, table = comparison.design, comparison.table
    columns = design.matrix.shape[1]
    if comparison.libraries is None:
        kept = filter_genes(expression, comparison.contrast, columns, options.filter_low)
    else:
        kept = filter_genes(expression, comparison.contrast, columns, filter_low=False)
        kept = _without_few_reads(kept, comparison.libraries, expression, options)
    status = kept.status.copy()
    partial = np.flatnonzero(kept.tested & np.isnan(expression).any(axis=0))
    if len(partial):
        fits = carries_design(design.matrix, expression[:, partial])
        status[partial[~fits]] = "too few values"
    if comparison.regressors:
        status[np.isin(np.array(table.genes), comparison.regressors)] = "regressor"
    kept = kept.with_status(status)
    if not kept.record["tested"]:
        counts = ", ".join(f"{name} {n}" for name, n in kept.record.items() if name != "rule")
        msg = f"no gene of {table.trait} can be tested ({counts})"
        raise AnalysisError(msg)
    return kept


def _without_few_reads(
    kept: GeneFilter, libraries: Libraries, expression: Floats, options: AnalysisOptions
) -> GeneFilter:
    """Leave out genes that hardly any read fell on; preprocessing has judged the others."""
    if not options.filter_low or libraries.sizes is None:
        return kept
    status = kept.status.copy()
    status[kept.tested & few_reads(expression, libraries.sizes)] = "low"
    rule = (
        f"low: fewer than {FEWEST_READS} reads in the samples compared; preprocessing kept the "
        f"genes with {libraries.record['rule']}"
    )
    return GeneFilter(status, {**kept.record, "rule": rule}).with_status(status)


def run_tests(
    comparison: Comparison,
    values: Floats,
    kept: GeneFilter,
    sample_facts: SampleFacts,
    options: AnalysisOptions,
) -> Tests:
    """Look for hidden structure and test the trait's coefficient of every gene.

    Parameters
    ----------
    comparison : Comparison
    values : ndarray of float64, shape (n, m)
        Expression of the genes that are kept; NaN is missing.
    kept : GeneFilter
        Which genes of the cohort they are; those with too few values for the surrogate variables
        are left out here.
    sample_facts : mapping
        Characteristics that surrogate variables are compared with.
    options : AnalysisOptions
    """
    contrast, design = comparison.contrast, comparison.design
    test = _Test(trend=options.trend, libraries=comparison.library_sizes)
    mixed_ranks = options.model == "mixed"
    hidden = find_hidden(
        values,
        contrast,
        design,
        sample_facts,
        comparison.table.samples,
        mode=options.hidden,
        seed=options.seed,
        mixed_ranks=mixed_ranks,
    )
    hidden = _weigh(hidden, values, design, options, test)
    moderated = design.with_columns(hidden.columns) if hidden.moderated_with else design
    fits = carries_design(moderated.matrix, values)
    if not fits.all():
        values, kept = values[:, fits], kept.without(~fits)
    columns, fit = moderated_columns(
        values,
        moderated.matrix,
        binary=contrast.binary,
        base=design.matrix if hidden.moderated_with else None,
        **test,
    )
    columns |= _other_analysis(values, design, hidden, test)
    columns |= fit_interaction(values, moderated, **test)
    mixed = _fit_mixed(values, design, options)
    columns |= {} if mixed is None else mixed_columns(mixed)
    names = [comparison.table.genes[i] for i in np.flatnonzero(kept.tested)]
    return Tests(
        kept=kept,
        values=values,
        columns=columns,
        hidden=_with_change(hidden, columns, names, options),
        moderated=moderated,
        ranking=design if mixed_ranks else moderated,
        p=columns["Mixed p" if mixed_ranks else "p"],
        fit=fit,
        mixed=mixed,
    )


def _weigh(
    hidden: Hidden, values: Floats, design: Design, options: AnalysisOptions, test: _Test
) -> Hidden:
    if not hidden.moderated_with:
        return hidden
    without = beside_columns(values, design.matrix, "Without SV", **test)
    mixed = options.model == "mixed"
    return set_aside(hidden, without["Without SV q"], mixed_ranks=mixed)


def _other_analysis(values: Floats, design: Design, hidden: Hidden, test: _Test) -> Columns:
    """Test with surrogate variables when the ranking is without them, and the other way round."""
    if not hidden.columns:
        return {}
    name = "Without SV" if hidden.moderated_with else "With SV"
    other = design if hidden.moderated_with else design.with_columns(hidden.columns)
    return beside_columns(values, other.matrix, name, **test)


def _with_change(
    hidden: Hidden, columns: Columns, names: Sequence[str], options: AnalysisOptions
) -> Hidden:
    """Add to the record how the top genes change with surrogate variables."""
    if not hidden.columns:
        return hidden
    other = columns["Without SV p" if hidden.moderated_with else "With SV p"]
    pair = (other, columns["p"]) if hidden.moderated_with else (columns["p"], other)
    change = compare_rankings(*pair, names, options.q_cut)
    return replace(hidden, record={**hidden.record, "change": change})


def _fit_mixed(values: Floats, design: Design, options: AnalysisOptions) -> MixedFit | None:
    if options.model == "moderated":
        return None
    return fit_mixed(values, design.matrix[:, :-1], design.matrix[:, -1])
