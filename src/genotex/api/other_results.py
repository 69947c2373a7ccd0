"""Results of DESeq2, edgeR and limma in Python: read, combined with ours, tested for gene sets."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from genotex.analysis import AnalysisResult, result_of_other_tool, result_table
from genotex.api.data import as_pandas
from genotex.cohorts import read_gene_results
from genotex.formats import GeneResults


class OtherResult:
    """The genes of a table that another tool wrote; `meta` and `enrich` take it as our own.

    Attributes
    ----------
    table : pandas.DataFrame
        Genes by p-value, indexed by official symbol, in the columns of `Result.table` that the
        tool has: ``log2_fold_change``, ``mean``, ``t``, ``p``, ``q``, and ``hedges_g`` where the
        sizes of the groups are known.
    name, tool : str
        Of the cohort, and ``DESeq2``, ``edgeR``, ``limma`` or ``genotex``.
    notes : tuple of str
        What was recognised.
    """

    def __init__(self, read: GeneResults, analysis: AnalysisResult) -> None:
        self.name, self.tool, self.notes = read.name, read.tool, read.notes
        self.contrast = read.name
        self.analysis = analysis

    @cached_property
    def table(self) -> pd.DataFrame:
        """The genes by p-value, indexed by symbol."""
        shown = result_table(self.analysis)
        filled = [name for name in shown.columns if shown[name].null_count() < shown.height]
        return as_pandas(shown.select(filled), "gene")

    @property
    def significant(self) -> pd.DataFrame:
        """The genes whose q-value is below the cut."""
        return self.table.loc[self.analysis.significant["Variable"].to_list()]

    def __repr__(self) -> str:
        """Return whose results these are, and how many genes differ."""
        number = self.analysis.significant.height
        return (
            f"{self.name}: results of {self.tool}\n{len(self.table):,} genes, {number:,} "
            f"significant at q < {self.analysis.method['options']['q_cut']:g}"
        )


def read_results(
    table: Any,
    *,
    cases: int | None = None,
    controls: int | None = None,
    name: str | None = None,
    q: float = 0.05,
    gene_table: str | Path | None = None,
) -> OtherResult:
    r"""Read a table of genes that DESeq2, edgeR (``topTags``), limma (``topTable``) tested.

    Parameters
    ----------
    table : path or data frame
        A row for each gene, named by symbol, Ensembl or Entrez id.
    cases, controls : int, optional
        Sizes of the groups compared, by which effects become Hedges' g; `meta` needs them.
    name : str, optional
        Name of the cohort; by default that of the file.
    q : float
        Genes with a smaller q-value are significant.
    gene_table : path, optional
        The genes; the packaged table by default.

    Returns
    -------
    OtherResult

    Raises
    ------
    FormatError
        If the file cannot be read or lacks the columns of all these tools.
    UsageError
        If the same holds for a data frame, or a size is missing or too small.

    Examples
    --------
    >>> import genotex as gx
    >>> from pathlib import Path
    >>> rows = ["gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj"]
    >>> rows += ["TP53,210,1.5,.3,5,5.7e-07,1.7e-06", "EGFR,80,-.2,.4,-.5,.62,.62"]
    >>> _ = Path("theirs.csv").write_text("\n".join(rows))
    >>> theirs = gx.read_results("theirs.csv", cases=6, controls=6)
    >>> theirs.significant.index.tolist()
    ['TP53']
    """
    read = read_gene_results(table, name=name, gene_table=gene_table)
    return OtherResult(read, result_of_other_tool(read, cases, controls, q_cut=q))
