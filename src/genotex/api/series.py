"""GEO series and TCGA studies as AnnData: samples x official gene symbols, log2; GEO fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from genotex.analysis import counts_of
from genotex.api.choices import (
    Paths,
    as_path,
    gather_choices,
    options_of,
    series_files,
    shows_options,
)
from genotex.api.provenance import provenance, recorded_series
from genotex.clinical import describe_series, expert_of, load_vocabulary
from genotex.cohorts import (
    CohortTask,
    PreparedCohort,
    PreprocessOptions,
    check_choices,
    choose_file,
    prepare_tcga_cohort,
    read_geo_cohort,
    read_raw_clinical,
)
from genotex.errors import FetchError, FormatError, NotThereError
from genotex.extras import load_extra
from genotex.fetch import (
    GeoRequest,
    fetch_series,
    open_fetch_folder,
    open_geo_source,
    plan_values,
    read_accessions,
)
from genotex.fetch.geo import choose
from genotex.formats import Series
from genotex.genes import GeneTable
from genotex.layout import tcga_cohort_files
from genotex.options import FindOptions, GeoOptions
from genotex.workflows import (
    FOUND_COLUMNS,
    KEY,
    Annotation,
    add_age_and_sex,
    annotate_series,
    check_trait,
    find_series,
    sample_table,
)

if TYPE_CHECKING:
    from anndata import AnnData


def read_geo(
    path: Paths,
    trait: str | None = None,
    *,
    samples: str | Path | None = None,
    case: str | Sequence[str] | None = None,
    control: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    **options: Any,
) -> AnnData:
    """Read a GEO series: expression by gene symbol, and the annotation of its samples.

    The numbers are those of ``genotex preprocess`` and ``genotex solve``: rows become official
    gene symbols through the platform table, values that are not logged are log2 transformed, and
    NCBI's counts become TMM-normalised log2 counts per million.

    Parameters
    ----------
    path : str, Path or a list of them
        Folder of the series, its series matrix or family SOFT file, or a list of its files.
        Platform tables (``GPL...``) and NCBI's counts in the same folder are used.
    trait : str, optional
        The trait that makes a sample a case or a control, such as ``"Rheumatoid Arthritis"``.
        Without one only age and sex are annotated.
    samples : str or Path, optional
        Sample sheet of ``genotex clinical sheet``, with the group of each sample.
    case, control, exclude : str or sequence of str, optional
        Groups chosen by hand: ``"key=value"``, ``"key~part of the value"`` or a bare value.
    **options
        ``controls`` ("auto", "healthy" or "all"), ``scale`` ("auto", "log2" or "linear"),
        ``gene_table``, ``vocabulary``, ``series_platform``, ``pairs``, ``least_certainty``, as in
        ``genotex preprocess --help``.

    Returns
    -------
    AnnData
        ``X``: log2 expression, samples x genes, float64; missing values are NaN.
        ``obs``: title, source and characteristics of each sample, then ``group`` (case, control,
        or why the sample is neither; missing where it has no group), ``age``, ``sex`` and ``why``.
        ``var``: official symbols, with ``entrez_id``.
        ``uns["genotex"]``: files with their digests, platform, scale, notes; ``record`` is
        everything else as JSON text.
        ``layers["counts"]``: counts, where expression was counted.

    Raises
    ------
    FormatError
        If a file is not what it should be, or the series holds no gene expression.
    UsageError
        If an option is unknown or a group chosen by hand does not occur.

    See Also
    --------
    annotate : The evidence for each group.
    de : Test the genes.

    Examples
    --------
    >>> import genotex as gx
    >>> folder = "study/GEO/Simulated_Arthritis/GSE90000001"
    >>> adata = gx.read_geo(folder, trait="Simulated Arthritis")
    >>> adata.shape
    (24, 390)
    >>> adata.obs["group"].value_counts().to_dict()
    {'control': 12, 'case': 12}
    >>> adata.uns["genotex"]["scale"]
    'linear'
    """
    check_trait(trait)
    given = {"samples": samples, "case": case, "control": control, "exclude": exclude}
    settings = gather_choices({**given, **options})
    files = series_files(path, trait)
    check_choices([CohortTask(files.trait, files.cohort, geo=files)], [files.cohort], settings)
    prepared, raw = read_geo_cohort(files, expert_of(settings), settings)
    if prepared.genes is None:
        msg = f"no gene expression: {prepared.why_no_genes}"
        raise FormatError(msg, path=files.folder)
    series = raw.series
    description = replace(describe_series(series, raw.platforms), cohort=files.cohort)
    measured = set(prepared.genes.expression.samples)
    table, notes = sample_table(
        description,
        series,
        prepared.reading,
        prepared.features,
        settings,
        measured,
        trait_name=files.trait,
    )
    return _to_anndata(prepared, table, series, notes, settings)


def read_tcga(path: str | Path, trait: str | None = None, **options: Any) -> AnnData:
    """Read a TCGA study as downloaded from UCSC Xena.

    Cases are tumours and controls normal tissue, by the barcode of each sample.

    Parameters
    ----------
    path : str or Path
        Folder with the clinical matrix and the table of expression.
    trait : str, optional
        Name of the trait, for the record.
    **options
        ``gene_table`` and ``scale``, as for `read_geo`.

    Returns
    -------
    AnnData
        As of `read_geo`; ``obs`` has the columns of the clinical matrix.

    Raises
    ------
    FormatError
        If the folder lacks a file, or it is not what it should be.
    """
    check_trait(trait)
    settings = gather_choices(options)
    folder = as_path(path)
    if not folder.is_dir():
        msg = "is not a folder; give the folder of a TCGA study"
        raise FormatError(msg, path=folder)
    files = tcga_cohort_files(folder)
    why = "folder named by the caller"
    prepared = prepare_tcga_cohort(files, trait or "", why, settings)
    if prepared.genes is None:
        raise FormatError(prepared.why_no_genes, path=folder)
    clinical = read_raw_clinical(files).matrix
    table = pd.DataFrame(
        {name.replace("/", "_"): clinical.table[name].to_list() for name in clinical.table.columns},
        index=pd.Index(clinical.samples, name="sample"),
    ).drop(columns=["sample", "group", "age", "sex"], errors="ignore")
    table = table.dropna(axis=1, how="all")
    words = {"healthy control": "control", "case": "case"}
    groups = [words.get(prepared.roles[sample]) for sample in prepared.samples]
    table["group"] = pd.Categorical(groups, categories=["control", "case"])
    add_age_and_sex(table, prepared.features)
    return _to_anndata(prepared, table, None, (), settings)


def annotate(
    data: AnnData | str | Path | Sequence[str | Path], trait: str | None = None, **options: Any
) -> Annotation:
    """Annotate the samples of a series by the built-in rules, with the evidence for each value.

    Nothing is changed: assign columns of `Annotation.samples` to ``adata.obs`` to use them.

    Parameters
    ----------
    data : AnnData or path
        What `read_geo` returned, or the folder or files of a GEO series.
    trait : str, optional
        The trait whose cases and controls are wanted; without one only age and sex are annotated.
    **options
        As for `read_geo`: ``case``, ``control``, ``exclude``, ``samples``, ``vocabulary``, ...

    Returns
    -------
    Annotation

    Raises
    ------
    UsageError
        If an option is unknown, or the AnnData was not made by `read_geo`.
    FormatError
        If a file is not what it should be.

    Examples
    --------
    >>> import genotex as gx
    >>> folder = "study/GEO/Simulated_Arthritis/GSE90000001"
    >>> found = gx.annotate(folder, "Simulated Arthritis")
    >>> found.samples["group"].value_counts().to_dict()
    {'control': 12, 'case': 12}
    >>> found.age.where
    "row 1, key 'age'"
    """
    settings = gather_choices(options)
    if isinstance(data, str | Path) or (
        isinstance(data, Sequence) and all(isinstance(each, str | Path) for each in data)
    ):
        files = series_files(data, trait)
        series, cohort = choose_file(files, settings.series_platform).series, files.cohort
    else:
        series, cohort = recorded_series(data)
    return annotate_series(series, cohort, trait, settings)


def _to_anndata(
    prepared: PreparedCohort,
    table: pd.DataFrame,
    series: Series | None,
    notes: tuple[str, ...],
    options: PreprocessOptions,
) -> AnnData:
    """Return the samples with expression, in the order of the series."""
    anndata = load_extra("anndata", "anndata", "AnnData")
    assert prepared.genes is not None
    matrix = prepared.genes.expression
    column = {sample: j for j, sample in enumerate(matrix.samples)}
    kept = [sample for sample in table.index if sample in column]
    lost = [sample for sample in table.index if sample not in column]
    if lost:
        shown = ", ".join(lost[:10]) + (" ..." if len(lost) > 10 else "")
        notes = (*notes, f"{len(lost)} samples without expression left out: {shown}")
    places = [column[sample] for sample in kept]
    values = np.ascontiguousarray(matrix.values[:, places].T, dtype=np.float64)
    genes = pd.DataFrame(index=pd.Index(matrix.ids, name="gene", dtype=object))
    entrez = _entrez_ids(matrix.ids, GeneTable.load(options.gene_table))
    if any(entrez):
        genes["entrez_id"] = entrez
    found = anndata.AnnData(values, obs=table.loc[kept], var=genes)
    found.uns[KEY] = provenance(prepared, series, notes)
    sizes = prepared.counts.get("effective_library_sizes")
    if sizes:
        libraries = np.array([sizes[sample] for sample in kept], dtype=np.float64)
        found.layers["counts"] = np.maximum(np.rint(counts_of(values, libraries)), 0.0)
    return found


def _entrez_ids(symbols: Sequence[str], table: GeneTable) -> np.ndarray[Any, Any]:
    rows = table.genes.select("symbol", "gene_id").drop_nulls()
    ids = dict(zip(rows["symbol"].to_list(), map(str, rows["gene_id"].to_list()), strict=True))
    return np.array([ids.get(symbol) for symbol in symbols], dtype=object)


def fetch_geo(
    accession: str | Sequence[str],
    folder: str | Path,
    trait: str | None = None,
    *,
    platform_only: bool = False,
    values_from: str = "",
) -> Path | dict[str, Path]:
    """Fetch GEO series by accession into ``folder/GEO/<Trait>/<GSE>/``.

    Files that are there already are not fetched again; every file is checked before it is put in
    place. A key of NCBI in the environment (``NCBI_API_KEY``) is used.

    Parameters
    ----------
    accession : str or sequence of str
        ``"GSE55457"``, or several.
    folder : str or Path
        Input folder; made when missing.
    trait : str, optional
        Trait whose folder the series go to; ``Unsorted`` without one.
    platform_only : bool
        Fetch the platform table, not the family SOFT file, which can have gigabytes.
    values_from : str
        File of the series to take expression from, instead of the best one (see `plan_geo`).

    Returns
    -------
    Path, or dict of str to Path
        The folder of the series, for `read_geo`; by accession where a sequence was given.

    Raises
    ------
    FetchError
        If a series could not be fetched, or is not what genotex reads.
    """
    names = read_accessions([accession] if isinstance(accession, str) else list(accession))
    request = GeoRequest(trait, names, options=GeoOptions(platform_only, True, values_from))
    with open_geo_source() as source, open_fetch_folder(as_path(folder)) as place:
        plans = list(choose(source, request))
        for plan in plans:
            if plan.refused:
                msg = f"{plan.accession}: {plan.refused}"
                raise NotThereError(msg)
        for outcome in fetch_series(source, place, request, plans, lambda plan, name: _no_progress):
            if outcome.error is not None:
                raise outcome.error
    root = as_path(folder) / "GEO" / request.folder
    found = {plan.accession: root / plan.accession for plan in plans}
    if missing := [name for name in names if name not in found]:
        msg = f"GEO has no series {', '.join(missing)}"
        raise FetchError(msg)
    return found[names[0]] if isinstance(accession, str) else found


def plan_geo(accession: str, *, values_from: str = "") -> dict[str, Any]:
    """Show what expression of a GEO series can be taken from, before anything of it is fetched.

    Parameters
    ----------
    accession : str
        ``"GSE183947"``.
    values_from : str
        File of the series to take expression from, instead of the best one.

    Returns
    -------
    dict
        ``accession``, ``title``, ``samples``, ``best`` and ``sources``, the best first: each with
        ``kind``, ``holds`` (counts, TPM, FPKM, ..., by the names of its files), ``files``,
        ``members``, ``bytes``, ``why``, and ``refused``, why it is not used and what helps.

    Raises
    ------
    FetchError
        If GEO does not answer, or has no such series.
    """
    names = read_accessions([accession])
    with open_geo_source() as source:
        request = GeoRequest(None, names, options=GeoOptions(False, True, values_from))
        (plan,) = plan_values(source, request)
        return plan.values_json()


@shows_options(FindOptions, {})
def find(words: str = "", *, vocabulary: str | Path | None = None, **options: Any) -> pd.DataFrame:
    """Find series by words, in the index of GEO and on this disk, without a network.

    The index is built by ``genotex find --update``; without it this disk alone is searched.

    Parameters
    ----------
    words : str
        Words that a series has in its title or texts; the name of a trait counts as all that
        the vocabulary calls it. Without words, the newest series that fit.
    vocabulary : str or Path, optional
        Your own vocabulary of traits.
    **options
        ``human``, ``mouse``, ``rat``, ``kind``, ``min_samples``, ``max_samples``, ``platform``,
        ``year_from``, ``year_to``, ``max_series``, ``on_disk``, ``input`` and ``index``, as in
        ``genotex find --help``.

    Returns
    -------
    pandas.DataFrame
        The best series first: ``title``, ``samples``, ``platform``, ``species``, ``kind``,
        ``date`` and ``on disk`` by ``accession``. ``attrs`` has ``total``, the number of series
        that fit, ``asked``, the date of the index (None without one), and ``notes``.

    Raises
    ------
    UsageError
        If an option is unknown.
    FormatError
        If the index is damaged.

    Examples
    --------
    >>> import genotex as gx
    >>> gx.find("lupus whole blood", human=True, min_samples=40)  # doctest: +SKIP
    >>> gx.find(input="study", on_disk=True, max_series=1).shape
    (1, 7)
    """
    known = load_vocabulary(None if vocabulary is None else as_path(vocabulary))
    found = find_series(words, options_of(FindOptions, options, {}), known)
    table = pd.DataFrame(found.rows(), columns=FOUND_COLUMNS).set_index("accession")
    table.attrs = {"total": found.total, "asked": found.asked, "notes": list(found.notes)}
    return table


def _no_progress(done: int, total: int | None) -> None:
    """Report nothing."""
