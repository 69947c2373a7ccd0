"""The result of a design: a table of genes, with plots and files."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

from genotex.analysis import DesignResult
from genotex.api.choices import as_path, nearest
from genotex.api.data import as_pandas
from genotex.errors import UsageError
from genotex.figures import NAMED
from genotex.workflows import DesignInput

if TYPE_CHECKING:
    from anndata import AnnData
    from matplotlib.axes import Axes

    from genotex.figures import GeneResult, SampleMarks
_FIRST_ROWS = 10
MOST_GROUPS = 6
"""Columns of so few different whole numbers are plotted as groups."""


class Result:
    """The genes of one contrast, with plots and exports.

    Attributes
    ----------
    table : pandas.DataFrame
        Tested genes, significant ones first by their chance of replication, then by p-value
        (``rank_by="p"``: all by p-value): ``log2_fold_change`` with its 95 % interval (``ci_low``,
        ``ci_high``), ``mean`` log2 expression, moderated ``t``, ``p``, ``q`` (Benjamini and
        Hochberg), ``grade`` (robust, sensitive, masked), ``replication`` (0 to 1), and
        ``hedges_g`` or ``partial_r`` with its interval.
    contrast, design : str
        As asked for.
    name : str
        The cohort.
    """

    def __init__(self, found: DesignResult, given: DesignInput) -> None:
        self._found = found
        self._given = given
        self.contrast, self.design = found.request.contrast, found.request.formula
        self.name = found.data.name

    @cached_property
    def table(self) -> pd.DataFrame:
        """The tested genes in their order (``rank_by``), indexed by symbol."""
        return as_pandas(self._found.genes, "gene")

    @property
    def significant(self) -> pd.DataFrame:
        """The genes that are significant: q below the cut, and the change at least `min_effect`."""
        chosen = self._genes.filter(pl.col("Significant"))["Variable"].to_list()
        return self.table.loc[chosen]

    @cached_property
    def genes(self) -> pd.DataFrame:
        """Everything that was computed for every gene, also for those that were not tested."""
        from genotex.reports import Findings, csv_frame, ranked

        found = self._found
        findings = Findings.from_result(found.result, found.data.linked(found.result.trait))
        return as_pandas(csv_frame(findings, ranked(findings)), "gene")

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The annotation of the samples that took part."""
        table = self._given.samples
        rows = [self._place[sample] for sample in self._members]
        return as_pandas(
            table[rows]
            .drop("sample", strict=False)
            .insert_column(0, pl.Series("sample", self._members)),
            "sample",
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know before trusting the list."""
        return (*self._given.warnings, *self._found.warnings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was recognised when the data were read."""
        return self._given.notes

    @property
    def method(self) -> dict[str, Any]:
        """How the result came about, as plain JSON values."""
        return dict(self._found.method)

    @property
    def cut(self) -> float:
        """Genes with a smaller q-value are significant."""
        return float(self.method["options"]["q_cut"])

    def __repr__(self) -> str:
        """Return what was compared, and how many genes differ."""
        up = int((self.significant["log2_fold_change"] > 0).sum())
        down = len(self.significant) - up
        return (
            f"{self.name}: {self.contrast} in {self.design}\n"
            f"{self.method['contrast']['text']}\n"
            f"{len(self.table):,} genes tested, {len(self.significant):,} significant at "
            f"q < {self.cut:g} ({up:,} higher, {down:,} lower)"
        )

    def _repr_html_(self) -> str:
        lines = "<br>".join(html.escape(line) for line in repr(self).split("\n"))
        warnings = "".join(f"<li>{html.escape(text)}</li>" for text in self.warnings)
        shown: str = self.table.head(_FIRST_ROWS).to_html(
            notebook=True, float_format="{:.4g}".format
        )
        return f"<p>{lines}</p><ul>{warnings}</ul>{shown}"

    def volcano(self, ax: Axes | None = None, *, names: int = NAMED) -> Axes:
        """Plot change against p-value, significant genes in colour.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to; a new figure by default.
        names : int
            How many of the first genes carry their name.

        Returns
        -------
        Axes
        """
        return self._drawn("volcano", ax, names)

    def ma(self, ax: Axes | None = None, *, names: int = NAMED) -> Axes:
        """Plot change against mean expression; parameters as for `volcano`."""
        return self._drawn("ma", ax, names)

    def plot_gene(self, gene: str, ax: Axes | None = None, *, by: str | None = None) -> Axes:
        """Plot the expression of one gene in every sample that took part.

        Parameters
        ----------
        gene : str
            Symbol.
        ax : matplotlib Axes, optional
            Where to; a new figure by default.
        by : str, optional
            Column of the samples to plot it by; what was compared by default.

        Raises
        ------
        UsageError
            If there is no such gene or column; the message names the nearest.
        """
        from genotex.figures import gene_in_samples, plot

        marks = self._marks(by)
        drawn = gene_in_samples(gene, self._expression([gene])[:, 0], marks)
        axes = plot(drawn, ax)
        if gene in self.table.index:
            found = self.table.loc[gene]
            axes.set_title(f"{gene}, q = {found['q']:.2g}", loc="left", fontsize=10)
        return axes

    def heatmap(
        self, genes: int | Sequence[str] = 40, ax: Axes | None = None, *, by: str | None = None
    ) -> Axes:
        """Plot genes in all samples that took part, as z-scores.

        Parameters
        ----------
        genes : int or sequence of str
            How many of the first genes, or which.
        ax, by
            As for `plot_gene`; samples are ordered by it.
        """
        from genotex.figures import genes_in_samples, plot

        names = list(self.table.index[:genes]) if isinstance(genes, int) else list(genes)
        if not names:
            msg = "no gene to plot; name some, or ask for 1 or more"
            raise UsageError(msg)
        drawn = genes_in_samples(names, self._expression(names), self._marks(by), bar=False)
        return plot(drawn, ax)

    def pca(self, ax: Axes | None = None, *, by: str | None = None) -> Axes:
        """Plot the samples that took part on two principal components; `by` as for `plot_gene`."""
        from genotex.figures import pca, plot, principal_components

        return plot(pca(principal_components(self._values), self._marks(by)), ax)

    def figures(
        self,
        folder: str | Path,
        formats: Sequence[str] = ("pdf",),
        *,
        width: float | None = None,
        text: float = 9.0,
    ) -> list[Path]:
        """Write every figure of the result to files.

        Parameters
        ----------
        folder : str or Path
            Made if it does not exist.
        formats : sequence of str
            ``pdf``, ``svg``, ``png`` (300 dots per inch).
        width : float, optional
            Inches; the height goes with it.
        text : float
            Size of ordinary text in points.

        Returns
        -------
        list of Path
            The files written.

        Raises
        ------
        UsageError
            If a format is unknown.
        """
        from genotex.figures import declared, save_figures

        return save_figures(
            declared(self._subject()), as_path(folder), formats, width=width, text=text
        )

    def to_csv(self, path: str | Path) -> Path:
        """Write the table of tested genes as CSV."""
        from genotex.api.exports import write_csv

        return write_csv(self._found.genes, as_path(path))

    def to_rnk(self, path: str | Path, *, statistic: str = "t") -> Path:
        """Write genes and a statistic, the largest first, for GSEA Preranked and fgsea.

        Raises
        ------
        AnalysisError
            If the statistic has no direction, as an F statistic.
        """
        from genotex.api.exports import write_ranks

        return write_ranks(self.table, statistic, as_path(path))

    def to_excel(self, path: str | Path) -> Path:
        """Write a workbook with the sheets genes, samples, quality and methods."""
        from genotex.api.exports import write_workbook

        return write_workbook(self, as_path(path))

    def to_anndata(self) -> AnnData:
        """Return the samples that took part as AnnData, with the results in ``var``."""
        from genotex.api.exports import to_anndata

        return to_anndata(self)

    def to_h5ad(self, path: str | Path) -> Path:
        """Write `to_anndata` to a file."""
        from genotex.workflows import write_h5ad

        return write_h5ad(self.to_anndata(), as_path(path))

    def report(self, path: str | Path) -> Path:
        """Write a page with figures, samples, methods and the table of genes.

        Parameters
        ----------
        path : str or Path
            An ``.html`` file; the table of all genes goes next to it as CSV.
        """
        from genotex.api.exports import write_page

        return write_page(self, as_path(path))

    @property
    def found(self) -> DesignResult:
        """The result as the packages below know it."""
        return self._found

    @property
    def given(self) -> DesignInput:
        """What was tested, and what is known of its origin."""
        return self._given

    @property
    def expression(self) -> pd.DataFrame:
        """The log2 expression that was tested: samples that took part x genes."""
        return pd.DataFrame(
            self._values,
            index=pd.Index(self._members, name="sample"),
            columns=pd.Index(self._found.data.genes, name="gene"),
        )

    @property
    def _genes(self) -> pl.DataFrame:
        return self._found.result.genes

    @property
    def _tested(self) -> pl.DataFrame:
        return self._genes.filter(pl.col("Status") == "tested")

    def _drawn(self, key: str, ax: Axes | None, names: int) -> Axes:
        from genotex.figures import figures_of, plot

        subject = self._subject(expression=False)
        found = next(each for each in figures_of(type(subject)) if each.key == key)
        figure = found.declare(subject, names)
        if figure is None:
            msg = f"no gene has the numbers that a {found.label} plot shows"
            raise UsageError(msg)
        return plot(figure, ax)

    def _subject(self, *, expression: bool = True) -> GeneResult:
        """Return what figures need of the result; the `expression` is a copy."""
        from genotex.figures import NO_EXPRESSION, ChangeWords, GeneResult

        return GeneResult.of(
            self._tested,
            ChangeWords(self._change),
            self.cut,
            marks=self._marks(None),
            table=(self._found.data.genes, self._values) if expression else NO_EXPRESSION,
            p=("p", "q"),
        )

    def _marks(self, by: str | None) -> SampleMarks:
        """Return the samples that took part, marked by a column or by what was compared."""
        from genotex.figures import SampleMarks

        values, label = self._by(by)
        return SampleMarks.by_values(self._members, values, label, self._levels_first)

    @property
    def _values(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The expression of the samples that took part."""
        return self._found.data.expression[[self._place[sample] for sample in self._members]]

    @property
    def _change(self) -> str:
        words = str(self.method.get("coefficient", "change"))
        return words[:1].lower() + words[1:]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {sample: i for i, sample in enumerate(self._found.data.samples)}

    @property
    def _members(self) -> list[str]:
        return list(self.method["formula"]["samples"])

    @property
    def _levels_first(self) -> tuple[str, ...]:
        """Levels in the order of the contrast, what is compared with first."""
        compared = self.method["contrast"].get("levels_compared", {})
        return tuple(str(compared[name]) for name in ("control", "case") if name in compared)

    def _by(self, by: str | None) -> tuple[list[str | float | None], str]:
        """Return a value of each sample that took part, and what it is."""
        if by is None:
            groups = self._found.groups
            if groups:
                return [groups.get(sample) for sample in self._members], self._compared
            return [None] * len(self._members), self.contrast
        table = self._given.samples
        if by not in table.columns:
            msg = f"the samples have no column {by!r}{nearest(by, table.columns)}"
            raise UsageError(msg)
        column = table[by]
        if _names_groups(column):
            column = column.cast(pl.Int64).cast(pl.String)
        values = (
            column.cast(pl.Float64).fill_nan(None)
            if column.dtype.is_numeric()
            else column.cast(pl.String)
        ).to_list()
        return [values[self._place[sample]] for sample in self._members], by

    @property
    def _compared(self) -> str:
        return self.contrast.partition(":")[0].strip().strip("`")

    def _expression(self, genes: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the expression of some genes in the samples that took part."""
        known = {gene: j for j, gene in enumerate(self._found.data.genes)}
        for gene in genes:
            if gene not in known:
                msg = f"{self.name} has no gene {gene!r}{nearest(gene, list(known))}"
                raise UsageError(msg)
        rows = [self._place[sample] for sample in self._members]
        return self._found.data.expression[np.ix_(rows, [known[gene] for gene in genes])]


def _names_groups(column: pl.Series) -> bool:
    """Return whether numbers are few and whole, as those of batches."""
    if not column.dtype.is_numeric():
        return False
    known = column.drop_nulls().unique()
    return len(known) <= MOST_GROUPS and bool((known == known.cast(pl.Float64).round()).all())


class Results(dict[str, Result]):
    """The results of several contrasts of one design, by contrast."""

    def _repr_html_(self) -> str:
        return "".join(result._repr_html_() for result in self.values())
