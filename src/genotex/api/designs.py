"""Differential expression under any design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, overload

import pandas as pd

from genotex.analysis import contrast_name, fit_request, fit_survival
from genotex.api.choices import options_of, shows_options
from genotex.api.data import TABLE_OPTIONS, as_pandas, gather_data
from genotex.api.result import Result, Results
from genotex.errors import UsageError
from genotex.layout import trait_folder_name
from genotex.options import AnalysisOptions, DesignOptions, MissingValues
from genotex.workflows import DesignInput, contrasts_of, of_survival

OTHER_NAMES = {"q": "q_cut", "test": "model", "filter": "filter_low"}
"""Names of arguments, as on the command line, whose option has another name."""


@overload
def de(
    data: Any,
    samples: Any = None,
    *,
    design: str,
    contrast: str,
    block: str | None = None,
    missing: MissingValues = "error",
    order: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Result: ...
@overload
def de(
    data: Any,
    samples: Any = None,
    *,
    design: str,
    contrast: list[str] | tuple[str, ...],
    block: str | None = None,
    missing: MissingValues = "error",
    order: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Results: ...
@shows_options(AnalysisOptions, OTHER_NAMES, panel=False)
def de(
    data: Any,
    samples: Any = None,
    *,
    design: str,
    contrast: str | list[str] | tuple[str, ...],
    block: str | None = None,
    missing: MissingValues = "error",
    order: Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> Result | Results:
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
    contrast : str or list of str
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
    >>> res.table.columns.tolist()[:8]
    ['log2_fold_change', 'ci_low', 'ci_high', 'mean', 't', 'p', 'q', 'grade']
    """
    reading = {name: options.pop(name) for name in TABLE_OPTIONS if name in options}
    # Designs are fitted without the panel unless it is asked for: it takes most of the time.
    settings: AnalysisOptions = options_of(
        AnalysisOptions, {"panel": False, **options}, OTHER_NAMES
    )
    if order is not None and not isinstance(order, Mapping):
        msg = "order is a mapping of a column to its levels, the reference first"
        raise UsageError(msg)
    asked = [contrast] if isinstance(contrast, str) else list(contrast)
    given = gather_data(data, samples, reading, " ".join([design, *asked, block or ""]))
    levels = {name: tuple(known) for name, known in (order or {}).items()}
    results = Results()
    for kept, cohort in contrasts_of(
        given, design, asked, settings, partial(_trait, given),
        block=block, missing=missing, order=levels,
    ):  # fmt: skip
        found = fit_request(cohort.data, cohort.request, cohort.trait, settings)
        results[cohort.request.contrast] = Result(found, kept)
    if not results:
        msg = "no contrast was given; name one, such as 'group: case - control'"
        raise UsageError(msg)
    return results[asked[0]] if isinstance(contrast, str) else results


def _trait(given: DesignInput, contrast: str) -> str:
    """Return what a result is about: the trait, where its cases and controls are compared."""
    trait = str(given.record.get("trait") or "")
    plain = contrast.replace(" ", "") == "group:case-control"
    return trait_folder_name(trait) if trait and plain else contrast_name(contrast)


def survival(
    data: Any,
    samples: Any = None,
    *,
    time: str,
    event: str,
    design: str = "",
    missing: MissingValues = "error",
    **options: Any,
) -> pd.DataFrame:
    """Test every gene for association with the time to an event.

    Score tests in Cox models (Efron's ties), given the covariates of a design.

    Parameters
    ----------
    data, samples
        As for `de`.
    time, event : str
        Columns of the samples: the time, and whether it ended with the event (1 and 0, yes and
        no, dead and alive).
    design : str
        Covariates, such as ``"~ age + stage"``; none by default.
    missing : {"error", "drop", "fill"}
        What becomes of samples without a value.
    **options
        ``q`` and ``filter``; for expression tables also those of `read_tables`.

    Returns
    -------
    pandas.DataFrame
        Genes by p-value: ``log_hazard_ratio`` per unit of log2 expression with its 95 % interval,
        ``hazard_ratio``, ``mean``, ``z``, ``p``, ``q``. ``attrs`` has ``warnings`` and ``method``.

    Raises
    ------
    UsageError
        If columns are not there.
    AnalysisError
        If times or events make no sense, are missing, or are too few.

    Examples
    --------
    >>> import genotex as gx
    >>> adata = gx.read_geo("study/GEO/Simulated_Arthritis/GSE90000001")
    >>> adata.obs["months"] = range(1, 25)
    >>> adata.obs["died"] = [1, 0] * 12
    >>> found = gx.survival(adata, time="months", event="died")
    >>> found.attrs["method"]["events"]
    12
    """
    reading = {name: options.pop(name) for name in TABLE_OPTIONS if name in options}
    settings: AnalysisOptions = options_of(AnalysisOptions, options, OTHER_NAMES)
    asked = DesignOptions(design=design, missing=missing, survival=f"{time},{event}")
    used = " ".join((design, time, event))
    given = of_survival(gather_data(data, samples, reading, used), settings)
    found = fit_survival(given.data, asked, settings)
    table = as_pandas(found.genes, "gene")
    table.attrs = {"warnings": [*given.warnings, *found.warnings], "method": dict(found.method)}
    return table
