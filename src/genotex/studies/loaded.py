"""Analyses in memory: one with its cohort, and two side by side."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis import AnalysisResult, read_meta, read_result
from genotex.analysis.meta import MetaResult
from genotex.analysis.results.columns import GeneColumn
from genotex.arrays import Floats
from genotex.figures import Components, Figure, GeneResult, SampleMarks, principal_components
from genotex.formats import Evidence
from genotex.layout import OutputFolder
from genotex.reports import (
    Findings,
    csv_frame,
    evidence_of,
    gene_result,
    linked_of,
    mark_samples,
    page_columns,
    ranked,
)
from genotex.studies.apart import Apart

_KEPT, _FIGURES = 2, 6
_PCA_GENES, _AT_ONCE = 5000, 1000


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
    def subject(self) -> GeneResult:
        """What figures need of the genes."""
        return gene_result(self.findings, self.genes, None, self.marks)

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
    def figures(self) -> Recent[Hashable, Figure | None]:
        """The figures that were drawn last."""
        return Recent(_FIGURES)

    @cached_property
    def components(self) -> Components:
        """The first two principal components of the samples, over the most variable genes."""
        values = self.expression
        if len(values) > _PCA_GENES:
            rows = range(0, len(values), _AT_ONCE)
            parts = [np.nanvar(values[row : row + _AT_ONCE], axis=1) for row in rows]
            spread = np.nan_to_num(np.concatenate(parts))
            values = values[np.sort(np.argsort(-spread, kind="stable")[:_PCA_GENES])]
        return principal_components(values.T.astype(np.float64))

    def table_of_all(self, significant: pl.Series | None = None) -> pl.DataFrame:
        """Return the genes under the column names of the report's CSV file.

        `significant` takes the place of what the analysis says of each gene.
        """
        own = self.genes["Significant"] if significant is None else significant
        return csv_frame(self.findings, self.genes.with_columns(own.alias("Significant")))


class LoadedAnalyses:
    """The analyses that were opened last; one whose file has changed is read again."""

    def __init__(self, apart: Apart | None = None) -> None:
        self._recent = Recent[FileState, LoadedAnalysis](_KEPT)
        self._apart = apart or Apart()

    def get(self, output: OutputFolder, trait: str, condition: str | None) -> LoadedAnalysis:
        """Return an analysis, read from its files the first time."""
        key = state_of(output.significant_genes(trait, condition))
        asked = LoadedAnalysis.read, output, trait, condition
        return self._recent.get(key, lambda: self._apart.run(*asked))


FileState = tuple[Path, int, int]
"""A file, the time of its last change (ns), and its size (bytes)."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """At most `number` values, by keys that change when what they were made of does."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Key) -> Value | None:
        """Return the value of a key; None where it was not made."""
        return self._kept.get(key)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made the first time."""
        # Two tabs that ask for the same make it once.
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= self._number:
                    self._kept.popitem(last=False)
                self._kept[key] = make()
            self._kept.move_to_end(key)
            return self._kept[key]


def state_of(path: Path) -> FileState:
    """Return what changes when a file is written again."""
    state = path.stat()
    return path, state.st_mtime_ns, state.st_size


BOTH, FIRST, SECOND, NEITHER = "both", "first only", "second only", "neither"
"""In which of the two a gene is significant."""
_COMPARED = {"effect": "Coefficient", "t": "t", "p": "rank_p", "q": "rank_q",
          "significant": "Significant"}  # fmt: skip


def compared(first: LoadedAnalysis, second: LoadedAnalysis) -> pl.DataFrame:
    """Return the genes that both analyses have, side by side, by the smaller p-value."""
    one, two = (_side(each, f" {number}") for number, each in enumerate((first, second), 1))
    genes = one.join(two, on="Variable", how="inner", maintain_order="left")
    in_one, in_two = pl.col("significant 1"), pl.col("significant 2")
    same = pl.col("effect 1").sign() == pl.col("effect 2").sign()
    return genes.with_columns(
        pl.when(in_one & in_two)
        .then(pl.lit(BOTH))
        .when(in_one)
        .then(pl.lit(FIRST))
        .when(in_two)
        .then(pl.lit(SECOND))
        .otherwise(pl.lit(NEITHER))
        .alias("significant in"),
        pl.when(same).then(pl.lit("same")).when(~same).then(pl.lit("opposite")).alias("direction"),
    ).sort(pl.min_horizontal("p 1", "p 2"), nulls_last=True, maintain_order=True)


def _side(analysis: LoadedAnalysis, number: str) -> pl.DataFrame:
    genes = analysis.genes.unique("Variable", keep="first", maintain_order=True)
    parts = [pl.col(name).alias(part + number) for part, name in _COMPARED.items()]
    return genes.select("Variable", *parts).with_columns(
        pl.col(f"significant{number}").fill_null(False)
    )


def rank_correlation(genes: pl.DataFrame, part: str) -> float | None:
    """Return Spearman's correlation of the two effects or t; None where it is not defined."""
    known = genes.select(f"{part} 1", f"{part} 2").drop_nulls()
    values = known.cast(pl.Float64).to_numpy()
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) < 3 or (np.ptp(values, axis=0) == 0).any():
        return None
    ranks = pl.from_numpy(values).select(pl.all().rank()).to_numpy()
    return float(np.corrcoef(ranks.T)[0, 1])
