"""Analyses in memory: the genes of a result, and the expression of its cohort."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis import AnalysisResult, read_meta, read_result
from genotex.analysis.meta import MetaResult
from genotex.analysis.results.columns import GeneColumn
from genotex.figures import Components, SampleMarks, principal_components
from genotex.formats import Evidence
from genotex.layout import OutputFolder
from genotex.reports import (
    Findings,
    csv_frame,
    evidence_of,
    linked_of,
    mark_samples,
    page_columns,
    ranked,
)
from genotex.studies.recent import FileState, Recent, state_of

_KEPT = 2
_PCA_GENES = 5000
_SMALLEST_P = 1e-300
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LoadedAnalysis:
    """A result with all that its pages show.

    Attributes
    ----------
    output : OutputFolder
    findings : Findings
        The result.
    genes : polars.DataFrame
        All genes in the order of the ranking, with ``rank_p`` and ``rank_q``.
    expression : ndarray of float32, shape (p, n)
        Genes x samples, in the order of `gene_rows` and of the samples of `marks`.
    gene_rows : dict of str to int
        Symbol -> row of `expression`.
    marks : SampleMarks
        Group or level of each sample.
    evidence : Evidence
        The record of the cohort.
    covariates : dict of str to ndarray
        ``Age`` and ``Gender`` of each sample, as far as the cohort has them.
    """

    output: OutputFolder
    findings: Findings
    genes: pl.DataFrame
    expression: NDArray[np.float32]
    gene_rows: dict[str, int]
    marks: SampleMarks
    evidence: Evidence
    covariates: dict[str, Floats]

    @classmethod
    def read(cls, output: OutputFolder, trait: str, condition: str | None) -> LoadedAnalysis:
        """Read a result and its cohort from an output folder."""
        result = read_result(output, trait, condition)
        table = linked_of(output, result)
        evidence = evidence_of(output, result)
        findings = Findings.from_result(result, table)
        return cls(
            output,
            findings,
            ranked(findings),
            np.ascontiguousarray(table.expression.T, dtype=np.float32),
            {name: row for row, name in enumerate(table.genes)},
            mark_samples(evidence, table, findings),
            evidence,
            dict(table.covariates),
        )

    @property
    def result(self) -> AnalysisResult:
        """The result."""
        return self.findings.result

    @cached_property
    def columns(self) -> tuple[GeneColumn, ...]:
        """The columns that the page shows."""
        return page_columns(self.findings, self.genes)

    @cached_property
    def rank_of(self) -> dict[str, int]:
        """Symbol in lower case -> place in the ranking."""
        return {name.lower(): row for row, name in enumerate(self.genes["Variable"])}

    @cached_property
    def meta(self) -> MetaResult | None:
        """The result over all cohorts, if there is one."""
        trait, condition = self.result.trait, self.result.condition
        if not self.output.meta_genes(trait, condition).is_file():
            return None
        return read_meta(self.output, trait, condition)

    @cached_property
    def change(self) -> Floats:
        """Change of each gene."""
        return self._numbers("Coefficient")

    @cached_property
    def mean(self) -> Floats:
        """Mean expression of each gene."""
        return self._numbers("Mean Expression")

    @cached_property
    def p(self) -> Floats:
        """The p-value that ranks."""
        return self._numbers("rank_p")

    @cached_property
    def log_p(self) -> Floats:
        """Minus its decimal logarithm."""
        return -np.log10(np.maximum(self.p, _SMALLEST_P))

    @cached_property
    def incomplete(self) -> frozenset[str]:
        """Genes with missing values among the samples compared, which tests of sets leave out."""
        compared = set(self.findings.tested)
        columns = [i for i, name in enumerate(self.marks.names) if name in compared]
        gaps = {
            row for row, values in enumerate(self.expression) if np.isnan(values[columns]).any()
        }
        return frozenset(name for name, row in self.gene_rows.items() if row in gaps)

    @cached_property
    def components(self) -> Components:
        """The first two principal components of the samples, over the most variable genes."""
        values = self.expression
        if len(values) > _PCA_GENES:
            spread = np.nan_to_num(np.nanvar(values, axis=1))
            values = values[np.sort(np.argsort(-spread, kind="stable")[:_PCA_GENES])]
        return principal_components(values.T.astype(np.float64))

    def _numbers(self, name: str) -> Floats:
        return self.genes[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def table_of_all(self) -> pl.DataFrame:
        """Return the genes under the column names of the report's CSV file."""
        return csv_frame(self.findings, self.genes)


class LoadedAnalyses:
    """The analyses that were opened last; one whose file has changed is read again."""

    def __init__(self) -> None:
        self._recent = Recent[FileState, LoadedAnalysis](_KEPT)

    def get(self, output: OutputFolder, trait: str, condition: str | None) -> LoadedAnalysis:
        """Return an analysis, read from its files the first time."""
        key = state_of(output.significant_genes(trait, condition))
        return self._recent.get(key, lambda: LoadedAnalysis.read(output, trait, condition))
