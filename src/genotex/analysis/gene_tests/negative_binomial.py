"""Wald test of a negative binomial regression of counts: DESeq2, by PyDESeq2.

Love, Huber and Anders 2014, Genome Biology 15:550; Muzellec and others 2023, Bioinformatics
39:btad547. Counts are recovered from log2 counts per million (`counts_of`). Size factors,
dispersions and Cook's distances are DESeq2's. Genes are not filtered once more by their mean, since
those with few counts were left out before.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.gene_tests.p_values import benjamini_hochberg
from genotex.analysis.gene_tests.precision import counts_of
from genotex.analysis.results.columns import HALF_INTERVAL
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError, UsageError

if TYPE_CHECKING:
    import pandas as pd

NOT_THERE = (
    "--counts deseq2 needs PyDESeq2 0.5 or newer; install it with: pip install 'genotex[deseq2]'"
)
_FEWEST_GENES = 10
"""Fewer genes show no trend of the dispersions."""


@dataclass(frozen=True, eq=False)
class WaldTest:
    """The last coefficient of the design for each gene, shape (p,); NaN for outlying counts."""

    coefficient: Floats  # log2
    standard_error: Floats
    statistic: Floats
    p: Floats

    @property
    def known(self) -> Flags:
        """Genes that have a p-value."""
        return np.asarray(np.isfinite(self.p) & np.isfinite(self.standard_error))

    def of(self, genes: Flags) -> WaldTest:
        """Return the test of some genes."""
        parts = (self.coefficient, self.standard_error, self.statistic, self.p)
        return WaldTest(*(part[genes] for part in parts))

    def columns(self) -> dict[str, Floats]:
        """Return the columns of the gene table that this test replaces."""
        half = HALF_INTERVAL * self.standard_error
        return {
            "Coefficient": self.coefficient,
            "Absolute Coefficient": np.abs(self.coefficient),
            "Standard Error": self.standard_error,
            "CI Lower": self.coefficient - half,
            "CI Upper": self.coefficient + half,
            "t": self.statistic,
            "p": self.p,
            "q": benjamini_hochberg(self.p),
        }


def check_negative_binomial(comparison: Comparison) -> None:
    """Refuse a comparison that DESeq2 cannot test.

    Raises UsageError if PyDESeq2 is not installed, expression was not counted, several coefficients
    are tested together, or samples of a person are correlated.
    """
    _load()
    why = ""
    if comparison.library_sizes is None:
        why = "it needs counts of reads, and this cohort has none"
        if comparison.libraries is not None:
            why = f"the counts cannot be recovered. {comparison.libraries.warnings[0]}"
    elif comparison.contrast.factor is not None:
        why = "it tests one coefficient; test a difference of two levels"
    elif comparison.blocks.correlated is not None:
        why = "it knows no correlation of samples; put the block into the design as a factor"
    if why:
        msg = f"--counts deseq2: {why}, or use --counts voom"
        raise UsageError(msg)


def wald_test(
    design: Floats, expression: Floats, libraries: Floats, inflation: float, min_effect: float
) -> WaldTest:
    """Test the last column of a design.

    Raises
    ------
    UsageError
        If PyDESeq2 is not installed.
    AnalysisError
        If there are too few genes, or it cannot fit them.
    """
    # Shapes: design (n, k), expression (n, p), libraries (n,).
    if expression.shape[1] < _FEWEST_GENES:
        few = f"{expression.shape[1]} genes are too few; {_FEWEST_GENES} are needed"
        msg = f"--counts deseq2: {few}"
        raise AnalysisError(msg)
    counts = np.maximum(np.rint(counts_of(expression, libraries)), 0).astype(np.int64)
    found = _fitted(design, counts, min_effect)
    error, statistic, p = (found[name].to_numpy(np.float64) for name in ("lfcSE", "stat", "pvalue"))
    coefficient = found["log2FoldChange"].to_numpy(np.float64)
    if inflation != 1:
        from scipy.special import ndtr

        error, statistic = error * np.sqrt(inflation), statistic / np.sqrt(inflation)
        p = np.where(np.isnan(p), np.nan, 2 * ndtr(-np.abs(statistic)))
    return WaldTest(coefficient, error, statistic, p)


def _load() -> tuple[Any, Any]:
    """Return the classes of PyDESeq2 that fit counts and test coefficients."""
    try:
        from pydeseq2.dds import DeseqDataSet
        from pydeseq2.ds import DeseqStats
    except ImportError as error:
        raise UsageError(NOT_THERE) from error
    return DeseqDataSet, DeseqStats


def _fitted(design: Floats, counts: NDArray[np.int64], min_effect: float) -> pd.DataFrame:
    """Return PyDESeq2's table of results."""
    import pandas as pd

    fit, test = _load()
    samples = [f"s{i}" for i in range(len(design))]
    genes = [f"g{j}" for j in range(counts.shape[1])]
    columns = [f"x{k}" for k in range(design.shape[1])]
    against: dict[str, Any] = (
        {"alt_hypothesis": "greaterAbs", "lfc_null": min_effect} if min_effect else {}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = fit(
                counts=pd.DataFrame(counts, index=samples, columns=genes),
                metadata=pd.DataFrame({"sample": samples}, index=samples),
                design=pd.DataFrame(design, index=samples, columns=columns),
                n_cpus=1,
                quiet=True,
            )
            data.deseq2()
            contrast = np.eye(len(columns))[-1]
            tests = test(data, contrast=contrast, independent_filter=False, quiet=True, **against)
            tests.summary()
        except (ValueError, np.linalg.LinAlgError) as error:
            msg = f"--counts deseq2: PyDESeq2 cannot fit these counts: {error}"
            raise AnalysisError(msg) from error
    found: pd.DataFrame = tests.results_df
    return found
