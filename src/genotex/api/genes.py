"""Beyond one result: several cohorts combined, gene sets, and agreement with a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from genotex.analysis import (
    METHODS,
    AnalysisResult,
    PeopleTable,
    combine_results,
    contrast_name,
    design_effects,
    people_table,
    read_sets,
)
from genotex.analysis import enrich as test_sets
from genotex.analysis.meta import MetaResult
from genotex.api.choices import as_path, nearest, options_of
from genotex.api.data import as_pandas
from genotex.api.other_results import OtherResult
from genotex.api.result import Result
from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.bench.evaluation.gene_metrics import compare_genes
from genotex.errors import AnalysisError, UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, EnrichmentOptions, RankBy, SetCollection
from genotex.problems import Problem
from genotex.reports.cohorts.genes import meta_csv_frame

_OTHER_NAMES = {"q": "q_cut"}


AnyResult = Result | OtherResult


def meta(
    results: Sequence[AnyResult] | Mapping[str, AnyResult],
    *,
    combine: str = "common",
    q: float = 0.05,
    rank_by: RankBy = "replication",
    next_cohort: int | None = None,
) -> pd.DataFrame:
    """Combine the results of several cohorts gene by gene.

    Hedges' g of two groups is combined as it is, partial correlations with a measured column as
    Fisher's z; random effects for genes of three cohorts or more. Of two cohorts with the same
    people, by their samples' names or their expression, the smaller is left out.

    Parameters
    ----------
    results : sequence of Result, or mapping of name to Result
        The same contrast in different cohorts; of those that others analysed with DESeq2, edgeR or
        limma `read_results`.
    combine : str
        Which p-value ranks the genes: a name in `genotex.analysis.METHODS`.
    q : float
        Genes with a smaller q-value are significant.
    rank_by : str
        Order of the significant genes: ``replication``, the chance that the next cohort shows them
        again, or ``p``.
    next_cohort : int, optional
        Samples of that cohort, in two equal groups; as large as these on average by default.

    Returns
    -------
    pandas.DataFrame
        Significant genes first, by their chance in the next cohort (``replication``), then by
        p-value: combined ``effect`` with ``ci_low`` and ``ci_high``, ``p``, ``q``, ``i2``,
        ``tau2``, ``agreeing``, ``replicates``, a line of ``story`` and more, then effect and error
        in each cohort.
        ``attrs`` has ``warnings``, ``left_out`` and ``method``.

    Raises
    ------
    AnalysisError
        If fewer than two cohorts can be combined; the message gives the reason for each.

    See Also
    --------
    genotex.analysis.combine_effects : The statistics.

    Examples
    --------
    >>> import genotex as gx
    >>> results = []
    >>> for name in ("GSE90000001", "GSE90000002"):
    ...     folder = f"study/GEO/Simulated_Arthritis/{name}"
    ...     adata = gx.read_geo(folder, trait="Simulated Arthritis")
    ...     results.append(gx.de(adata, design="~ group", contrast="group: case - control"))
    >>> both = gx.meta(results)
    >>> both[["cohorts", "samples"]].iloc[0].tolist()
    [2, 38]
    """
    named = _named(results)
    if len(named) < 2:
        msg = f"{len(named)} result was given; two cohorts are needed to combine"
        raise AnalysisError(msg)
    if combine not in METHODS:
        msg = f"unknown method {combine!r}{nearest(combine, list(METHODS))}"
        raise UsageError(msg)
    first = next(iter(named.values()))
    found = combine_results(
        Problem(contrast_name(first.contrast)),
        {name: _analysis(result) for name, result in named.items()},
        AnalysisOptions(q_cut=q, rank_by=rank_by, next_cohort=next_cohort),
        combine=combine,
        people=lambda name: _people(named[name]),
    )
    return combined_table(found)


def combined_table(found: MetaResult) -> pd.DataFrame:
    """Return the genes of several cohorts together, with the columns of `meta`."""
    table = as_pandas(meta_csv_frame(found), "gene")
    table.attrs = {
        "warnings": list(found.warnings),
        "left_out": dict(found.left_out),
        "method": dict(found.method),
    }
    return table


def _analysis(result: AnyResult) -> AnalysisResult:
    return result.analysis if isinstance(result, OtherResult) else result.found.result


def _people(result: AnyResult) -> PeopleTable | None:
    """Return the expression of a cohort; None where only a result is known."""
    if isinstance(result, OtherResult):
        return None
    found = result.found
    return people_table(found.result, found.data.linked(found.result.trait))


def _named(results: Sequence[AnyResult] | Mapping[str, AnyResult]) -> dict[str, AnyResult]:
    """Return results by the name of their cohort, made different where two are the same."""
    if isinstance(results, Mapping):
        return dict(results)
    named: dict[str, AnyResult] = {}
    for result in results:
        if not isinstance(result, AnyResult):
            msg = f"a {type(result).__name__} cannot be combined; give results of de"
            raise UsageError(msg)
        name, number = result.name, 2
        while name in named:
            name, number = f"{result.name} ({number})", number + 1
        named[name] = result
    return named


def enrich(
    result: AnyResult,
    gmt: str | Path | None = None,
    *,
    sets: SetCollection = "go-bp",
    **options: Any,
) -> pd.DataFrame:
    r"""Test gene sets for association with what was compared.

    fry (Wu and others 2010) asks whether a set changes at all, camera (Wu and Smyth 2012) whether
    it changes more than the other genes; both allow for correlation between genes. Significant sets
    by fry come first, those that change most against the other genes on top.

    Parameters
    ----------
    result : Result
        Of `de`; or of `read_results`, along whose statistic sets are described, since the tests
        need expression.
    gmt : str or Path, optional
        File of gene sets with official symbols, plain or gzip.
    sets : {"go-bp", "go-mf", "go-cc"}
        Packaged sets where no file is given: Gene Ontology, biological process, molecular function
        or cellular component.
    **options
        ``q``, ``min_size``, ``max_size``, ``test`` ("fry", "camera" or "fry-mixed"),
        ``permutations`` and ``seed``, as in ``genotex enrich --help``.

    Returns
    -------
    pandas.DataFrame
        Gene sets, the significant ones first: ``fry_p``, ``fry_q``, ``direction``, ``p``, ``q``
        (these of camera), ``leading_edge`` and more. ``attrs`` has ``notes`` and ``record``.

    Raises
    ------
    AnalysisError
        If no set has a fitting size, or several coefficients were tested together.
    FormatError
        If the file is not what it should be.

    Examples
    --------
    >>> import genotex as gx
    >>> from pathlib import Path
    >>> folder = "study/GEO/Simulated_Arthritis/GSE90000001"
    >>> adata = gx.read_geo(folder, trait="Simulated Arthritis")
    >>> res = gx.de(adata, design="~ group", contrast="group: case - control")
    >>> genes = "\t".join(res.table.index[:12])
    >>> _ = Path("own.gmt").write_text(f"STRONGEST\t\t{genes}\n")
    >>> gx.enrich(res, "own.gmt")["tested_genes"].to_dict()
    {'STRONGEST': 12}
    """
    settings: EnrichmentOptions = options_of(EnrichmentOptions, options, _OTHER_NAMES)
    chosen, source = read_sets(sets if gmt is None else as_path(gmt))
    effects = None if isinstance(result, OtherResult) else design_effects(result.found)
    found = test_sets(_analysis(result), chosen, settings, effects)
    found.record["gene_sets"] |= source
    short = {name: name.lower().replace(" ", "_").replace("-", "_") for name in found.sets.columns}
    filled = [
        name for name in found.sets.columns if found.sets[name].null_count() < found.sets.height
    ]
    table = as_pandas(found.sets.select(filled).rename({n: short[n] for n in filled}), "gene_set")
    table.attrs = {"notes": list(found.record["notes"]), "record": dict(found.record)}
    return table


def evaluate_genes(
    genes: Sequence[str],
    problem: str | tuple[str, str | None],
    reference: str | Path,
    *,
    universe: Sequence[str] | None = None,
) -> pd.Series[Any]:
    """Compare a ranked list of genes with the answer of the benchmark's reference.

    Parameters
    ----------
    genes : sequence of str
        Symbols, the most important first.
    problem : str or (str, str or None)
        Trait, or trait and condition.
    reference : str or Path
        Output folder of the reference, in the benchmark's layout.
    universe : sequence of str, optional
        All genes that could have been found; about 20,000 by default.

    Returns
    -------
    pandas.Series
        ``precision``, ``recall``, ``f1`` (percent), ``auroc``, ``auprc``, ``gsea_es``; NaN where a
        figure is undefined.

    Raises
    ------
    UsageError
        If the reference has no answer to the problem.
    FormatError
        If its answer cannot be read.
    """
    if isinstance(genes, str):
        msg = "the genes are one text; give a list of symbols"
        raise UsageError(msg)
    trait, condition = (problem, None) if isinstance(problem, str) else problem
    asked = Problem(trait, condition)
    folder = OutputFolder(as_path(reference))
    path = folder.significant_genes(asked.trait, asked.condition)
    if not path.is_file():
        there = sorted(p.name for p in (folder.root / "regress").glob("*") if p.is_dir())
        known = nearest(asked.trait, there) if there else "; it has no answers in regress/"
        msg = f"{reference} has no answer to {asked}{known}"
        raise UsageError(msg)
    agreement = compare_genes(list(genes), read_gene_list(path).genes, universe)
    return pd.Series(vars(agreement), dtype=float, name=str(asked))
