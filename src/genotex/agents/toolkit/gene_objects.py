"""The expression of a cohort, from the rows of its file to genes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.tables import Table, listed
from genotex.agents.toolkit.tool import Made
from genotex.cohorts import CountedGenes, RawExpression, RawSeries
from genotex.formats import ExpressionMatrix, Platform
from genotex.genes import GeneMapping, RowGenes

__all__ = ["Annotation", "Expression", "Genes", "MappedRows"]


@dataclass(frozen=True, eq=False, repr=False)
class Expression(Table):
    """Expression by the rows of the file, before they are mapped to genes."""

    made_by: ClassVar[str] = "read_expression(...)"
    task: Task
    raw: RawSeries | RawExpression
    matrix: ExpressionMatrix
    counted: bool = False
    """Whether these are RNA-seq counts of NCBI, by GeneID."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Row ids: probes, gene symbols or ids of a database."""
        return self.matrix.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.matrix.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression as it stands in the file."""
        return self.matrix.values

    def __repr__(self) -> str:
        """Tell size and first row ids."""
        rows, samples = self.shape
        what = "RNA-seq counts by NCBI GeneID" if self.counted else "expression"
        return f"{what}, {rows} rows x {samples} samples; first rows: {listed(self.rows, 20)}"


@dataclass(frozen=True, eq=False)
class Annotation(Made):
    """The annotation tables at hand, the series' own platform first."""

    made_by: ClassVar[str] = "read_annotation(series)"
    task: Task
    platforms: tuple[Platform, ...]
    used: tuple[tuple[Path, str], ...]
    own: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the first table."""
        return tuple(self.platforms[0].table.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Accessions (or file names) of the platforms."""
        return tuple(platform.accession or platform.path.name for platform in self.platforms)

    def __repr__(self) -> str:
        """Tell the platforms and their columns."""
        lines = (
            f"  {name}: {p.table.height} rows; columns {listed(p.table.columns, 30)}"
            for name, p in zip(self.names, self.platforms, strict=True)
        )
        return "\n".join([f"annotation; the series' own platform is {self.own}", *lines])


@dataclass(frozen=True, eq=False)
class MappedRows(Made):
    """Expression with the names of the genes found for each row."""

    made_by: ClassVar[str] = "map_probes(expression, ...)"
    task: Task
    expression: Expression
    found: RowGenes
    annotation: Annotation | None = None

    def __repr__(self) -> str:
        """Tell how many rows found a gene."""
        named = sum(map(bool, self.found.names))
        genes = len({name for names in self.found.names for name in names})
        return f"{named} of {len(self.found.names)} rows name a gene, {genes} different names"


@dataclass(frozen=True, eq=False, repr=False)
class Genes(Table):
    """Expression by official gene symbol, genes x samples."""

    made_by: ClassVar[str] = "normalise_symbols(...)"
    task: Task
    expression: Expression
    mapping: GeneMapping
    annotation: Annotation | None = None
    counted: CountedGenes | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """Official symbols, sorted."""
        return self.mapping.expression.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.mapping.expression.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression."""
        return self.mapping.expression.values

    def __repr__(self) -> str:
        """Tell size, first genes and what was left out."""
        rows, samples = self.shape
        lines = [f"{rows} genes x {samples} samples; first genes: {listed(self.rows, 10)}"]
        return "\n".join([*lines, *(f"  {note}" for note in self.mapping.notes)])
