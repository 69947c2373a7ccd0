"""Differential expression under any design: `de` and its result."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import polars as pl

from genotex.analysis import (
    DesignCohort,
    DesignRequest,
    DesignResult,
    contrast_name,
    fit_design,
    typed_columns,
)
from genotex.api.choices import as_path, nearest, options_of
from genotex.api.data import TABLE_OPTIONS, GivenData, as_pandas, gather_data, with_expressed_genes
from genotex.errors import UsageError
from genotex.layout import trait_folder_name
from genotex.options import AnalysisOptions

if TYPE_CHECKING:
    from anndata import AnnData
    from matplotlib.axes import Axes

__all__ = ["Result", "Results", "de"]

_OTHER_NAMES = {"q": "q_cut", "test": "model", "filter": "filter_low"}
"""Names of arguments, as on the command line, whose option has another name."""
_FIRST_ROWS = 10
Missing = Literal["error", "drop", "fill"]


class Result:
    """The genes of one contrast, with plots and exports.

    Attributes
    ----------
    table : pandas.DataFrame
        Tested genes by p-value: ``log2_fold_change`` with its 95 % interval (``ci_low``,
        ``ci_high``), ``mean`` log2 expression, moderated ``t``, ``p``, and ``q`` (Benjamini and
        Hochberg).
    contrast, design : str
        As asked for.
    name : str
        The cohort.
    """

    def __init__(self, found: DesignResult, given: GivenData) -> None:
        self._found = found
        self._given = given
        self.contrast, self.design, self.name = found.contrast, found.design, found.data.name

    @cached_property
    def table(self) -> pd.DataFrame:
        """The tested genes by p-value, indexed by symbol."""
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

    def volcano(self, ax: Axes | None = None, *, names: int = 14) -> Axes:
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
        from genotex.api.plots import volcano

        return volcano(self._tested, self._change, self.cut, ax, names)

    def ma(self, ax: Axes | None = None, *, names: int = 14) -> Axes:
        """Plot change against mean expression; parameters as for `volcano`."""
        from genotex.api.plots import plot_ma

        return plot_ma(self._tested, self._change, self.cut, ax, names)

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
        from genotex.api.plots import plot_gene

        values, label = self._by(by)
        expression = self._expression([gene])[:, 0]
        axes = plot_gene(gene, expression, values, label, self._levels_first, ax)
        if gene in self.table.index:
            found = self.table.loc[gene]
            axes.set_title(f"{gene}, q = {found['q']:.2g}", loc="left", fontsize=10)
        return axes

    def heatmap(
        self,
        genes: int | Sequence[str] = 40,
        ax: Axes | None = None,
        *,
        by: str | None = None,
    ) -> Axes:
        """Plot genes in all samples that took part, as z-scores.

        Parameters
        ----------
        genes : int or sequence of str
            How many of the first genes, or which.
        ax, by
            As for `plot_gene`; samples are ordered by it.
        """
        from genotex.api.plots import plot_heatmap

        names = list(self.table.index[:genes]) if isinstance(genes, int) else list(genes)
        if not names:
            msg = "no gene to plot; name some, or ask for 1 or more"
            raise UsageError(msg)
        values, label = self._by(by)
        return plot_heatmap(names, self._expression(names), values, label, self._levels_first, ax)

    def pca(self, ax: Axes | None = None, *, by: str | None = None) -> Axes:
        """Plot the samples that took part on two principal components; `by` as for `plot_gene`."""
        from genotex.api.plots import plot_pca

        values, label = self._by(by)
        rows = [self._place[sample] for sample in self._members]
        expression = self._found.data.expression[rows]
        return plot_pca(expression, values, label, self._levels_first, ax)

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
        from genotex.api.exports import write_h5ad

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
    def given(self) -> GivenData:
        """What was tested, and what is known of its origin."""
        return self._given

    @property
    def expression(self) -> pd.DataFrame:
        """The log2 expression that was tested: samples that took part x genes."""
        rows = [self._place[sample] for sample in self._members]
        return pd.DataFrame(
            self._found.data.expression[rows],
            index=pd.Index(self._members, name="sample"),
            columns=pd.Index(self._found.data.genes, name="gene"),
        )

    @property
    def _genes(self) -> pl.DataFrame:
        return self._found.result.genes

    @property
    def _tested(self) -> pl.DataFrame:
        return self._genes.filter(pl.col("Status") == "tested")

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


class Results(dict[str, Result]):
    """The results of several contrasts of one design, by contrast."""

    def _repr_html_(self) -> str:
        return "".join(result._repr_html_() for result in self.values())


def de(
    data: Any,
    samples: Any = None,
    *,
    design: str,
    contrast: str | Sequence[str],
    block: str | None = None,
    missing: Missing = "error",
    order: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Any:
    """Test every gene for a contrast of a design.

    Linear models with moderated variances (limma), voom's weights for counts, and surrogate
    variables for unmeasured confounding, as in ``genotex solve``.

    Parameters
    ----------
    data : AnnData, data frame or path
        What `read_geo` or `read_tables` returned, or an expression table in memory or in a file:
        log2 values, intensities or counts; genes x samples or samples x genes.
    samples : data frame or path, optional
        A row for each sample; not needed for AnnData, whose ``obs`` is used.
    design : str
        Formula over columns of the samples, such as ``"~ group + age + sex"``,
        ``"~ group * sex"`` or ``"~ group + ns(age, 3)"``.
    contrast : str or sequence of str
        ``"group: case - control"``, ``"group: (B + C)/2 - A"``,
        ``"group: case - control | sex = female"``, ``"stage: trend"``, or a term or coefficient of
        the design. Several give `Results`.
    block : str, optional
        Column of the samples; those with the same value are of one person and are correlated.
    missing : {"error", "drop", "fill"}
        What becomes of samples without a value that the design needs.
    order : mapping of str to sequence of str, optional
        Factor to its levels, the reference first.
    **options
        As in ``genotex solve --help``: ``q``, ``min_effect``, ``hidden``, ``weights``, ``trend``,
        ``filter``, ``test``, ``robust``, ``exclude_outliers``, ``controls``, ``seed``; for
        expression tables also ``platform``, ``scale``, ``gene_table`` and ``name``.

    Returns
    -------
    Result or Results

    Raises
    ------
    UsageError
        If design, contrast or an option names what is not there; the message says what there is.
    AnalysisError
        If the design cannot be estimated, values are missing, or groups are too small.
    FormatError
        If a file is not what it should be.

    References
    ----------
    Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3:3; Law and others 2014, Genome Biol. 15:R29.

    Examples
    --------
    >>> import genotex as gx
    >>> folder = "study/GEO/Simulated_Arthritis/GSE90000001"
    >>> adata = gx.read_geo(folder, trait="Simulated Arthritis")
    >>> res = gx.de(adata, design="~ group + batch", contrast="group: case - control")
    >>> res.table.columns.tolist()
    ['log2_fold_change', 'ci_low', 'ci_high', 'mean', 't', 'p', 'q']
    """
    reading = {name: options.pop(name) for name in TABLE_OPTIONS if name in options}
    # Designs are fitted without the panel unless it is asked for: it takes most of the time.
    settings: AnalysisOptions = options_of(
        AnalysisOptions, {"panel": False, **options}, _OTHER_NAMES
    )
    asked = [contrast] if isinstance(contrast, str) else list(contrast)
    given = gather_data(data, samples, reading, " ".join([design, *asked, block or ""]))
    results = Results()
    for each in asked:
        levels = {name: tuple(known) for name, known in (order or {}).items()}
        request = DesignRequest(
            design,
            each,
            given.data.samples,
            typed_columns(given.data.table),
            block,
            missing,
            levels,
        )
        results[each] = _fit(request, given, settings)
    if not results:
        msg = "no contrast was given; name one, such as 'group: case - control'"
        raise UsageError(msg)
    return results[asked[0]] if isinstance(contrast, str) else results


def _fit(request: DesignRequest, given: GivenData, options: AnalysisOptions) -> Result:
    name = _trait(request.contrast, given)
    if options.filter_low:
        cohort = DesignCohort(name, given.data, request)
        given = with_expressed_genes(given, cohort.fitted(options.controls).least_samples)
    (found,) = fit_design(
        given.data,
        request.formula,
        [request.contrast],
        options,
        trait=name,
        block=request.block,
        missing=request.missing,
        order=request.order,
    )
    return Result(found, given)


def _trait(contrast: str, given: GivenData) -> str:
    """Return what a result is about: the trait, where its cases and controls are compared."""
    trait = str(given.record.get("trait") or "")
    plain = contrast.replace(" ", "") == "group:case-control"
    return trait_folder_name(trait) if trait and plain else contrast_name(contrast)
