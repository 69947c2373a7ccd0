"""The tables of a data set as Croissant knows them: which fields, from which columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from genotex.bench.evaluation.folder_items import ANSWER
from genotex.reports.datasets.description import Description
from genotex.reports.datasets.examining import COEFFICIENTS, FileFacts
from genotex.reports.words import counted

__all__ = ["RecordSet", "record_sets"]

DataType = Literal["sc:Text", "sc:Integer", "sc:Float", "sc:Boolean"]
INDEX_COLUMN = "Unnamed: 0"
"""What readers built on pandas call a first column whose header is empty."""


@dataclass(frozen=True)
class RecordSet:
    """A table that can be loaded.

    Attributes
    ----------
    files_id : str
        ``@id`` of the set of files it is read from; empty where it is read from one file.
    paths : tuple of str
        These files.
    as_json : dict
        The ``cr:RecordSet``.
    """

    files_id: str
    paths: tuple[str, ...]
    as_json: dict[str, Any]


def record_sets(described: Description, folder: str) -> list[RecordSet]:
    """Return the tables: cohorts, linked tables of each trait, and lists of genes.

    Parameters
    ----------
    described : Description
        The data set.
    folder : str
        Where the files of the datasheet lie.
    """
    found = []
    if described.raw:
        found.append(_of_datasheet(f"{folder}/raw_cohorts.csv", "raw_cohorts", _RAW_TEXT, _RAW))
    if described.prepared:
        found.append(_of_datasheet(f"{folder}/cohorts.csv", "cohorts", _COHORTS_TEXT, _COHORTS))
    return [*found, *_linked_tables(described), *_results(described)]


_RAW_TEXT = "One record for each series of GEO under a trait, and for each TCGA study."
_RAW: dict[str, tuple[DataType, str]] = {
    "part": ("sc:Text", "Folder within the data set; empty for the data set itself."),
    "source": ("sc:Text", "GEO or TCGA."),
    "trait": ("sc:Text", "Folder name of the trait; empty for TCGA."),
    "cohort": ("sc:Text", "Accession of the series, or name of the TCGA folder."),
    "platform": ("sc:Text", "GPL accession."),
    "samples": ("sc:Integer", "Number of samples."),
    "rows": ("sc:Integer", "Probes or genes of the expression table."),
    "files": ("sc:Integer", "Number of files."),
    "bytes": ("sc:Integer", "Size of the files."),
}
_COHORTS_TEXT = (
    "The records of all cohort_info.json, one for each cohort of a trait, and the size of its "
    "linked table."
)
_COHORTS: dict[str, tuple[DataType, str]] = {
    "part": ("sc:Text", "Folder within the data set; empty for the data set itself."),
    "trait": ("sc:Text", "Folder name of the trait."),
    "cohort": ("sc:Text", "Accession of the series, or TCGA."),
    "is_usable": ("sc:Boolean", "Whether genes of the trait can be studied in it."),
    "is_gene_available": ("sc:Boolean", "Whether it holds gene expression."),
    "is_trait_available": ("sc:Boolean", "Whether it tells the trait of its samples."),
    "is_available": ("sc:Boolean", "Both of these."),
    "is_biased": ("sc:Boolean", "Whether the trait is too one-sided to be studied."),
    "has_age": ("sc:Boolean", "Whether it tells age."),
    "has_gender": ("sc:Boolean", "Whether it tells gender."),
    "sample_size": ("sc:Integer", "Samples of the linked table, by its record."),
    "linked_samples": ("sc:Integer", "Rows of the linked table."),
    "linked_genes": ("sc:Integer", "Genes of the linked table."),
}


def _of_datasheet(
    path: str, name: str, text: str, columns: dict[str, tuple[DataType, str]]
) -> RecordSet:
    file = {"fileObject": {"@id": f"file/{quote(path)}"}}
    fields = [
        _field(name, column, kind, what, {**file, "extract": {"column": column}})
        for column, (kind, what) in columns.items()
    ]
    return RecordSet("", (), _set(name, text, fields))


def _linked_tables(described: Description) -> Iterator[RecordSet]:
    """Yield a set for the tables of a trait that have the same fixed columns.

    A loader reads file by file and stops at one that lacks a column.
    """
    groups: dict[tuple[str, str, str, tuple[str, ...]], list[FileFacts]] = {}
    for facts in described.files:
        place = facts.place
        if place.kind == "linked table" and facts.trait_column:
            key = (place.part, place.trait, facts.trait_column, facts.covariates)
            groups.setdefault(key, []).append(facts)
    for (part, trait, column, covariates), files in groups.items():
        known = "_".join(name.lower() for name in covariates) or "trait_only"
        own = column if column != trait else ""
        yield _linked(_id("linked", part, trait, own, known), column, covariates, files)


def _linked(
    name: str, column: str, covariates: tuple[str, ...], files: list[FileFacts]
) -> RecordSet:
    source = {"fileSet": {"@id": f"files/{name}"}}
    genes = sorted(facts.genes or 0 for facts in files)
    columns: dict[str, tuple[DataType, str]] = {
        INDEX_COLUMN: ("sc:Text", "Sample id: the first column, which has no header."),
        column: ("sc:Float", "The trait: 1 for cases and 0 for controls, or the measured level."),
        "Age": ("sc:Float", "In years."),
        "Gender": ("sc:Float", "0 female, 1 male."),
    }
    names = {"sample": INDEX_COLUMN, "trait": column, **{n.lower(): n for n in covariates}}
    fields = [_cohort_field(name, source)]
    for key, header in names.items():
        kind, what = columns[header]
        fields.append(_field(name, key, kind, what, {**source, "extract": {"column": header}}))
    text = (
        f"Samples of {counted(len(files), 'linked table')} of {column}. Other columns, "
        f"{genes[0]:,} to {genes[-1]:,} in a file, are the expression of genes under their "
        "official symbols; they differ between cohorts and are not listed as fields."
    )
    return RecordSet(f"files/{name}", _paths(files), _set(name, text, fields))


def _cohort_field(name: str, source: dict[str, Any]) -> dict[str, Any]:
    return _from_path(name, "cohort", r".*/([^/]+)\.csv$", "Cohort: the name of the file.", source)


def _results(described: Description) -> Iterator[RecordSet]:
    parts = sorted({answer.part for answer in described.answers})
    for part in parts:
        files = [
            facts
            for facts in described.files
            if facts.place.kind == "result" and facts.place.part == part and not facts.problem
        ]
        if files:
            yield _result(_id("results", part), files)


def _result(name: str, files: list[FileFacts]) -> RecordSet:
    source = {"fileSet": {"@id": f"files/{name}"}}
    fields = [
        _from_path(name, "trait", r".*/([^/]+)/[^/]+$", "Folder name of the trait.", source),
        _from_path(
            name,
            "condition",
            rf".*/{re.escape(ANSWER)}(.+)\.json$",
            "Condition of the problem; None for the trait alone.",
            source,
        ),
        _listed(name, "gene", "sc:Text", "Variable", "Symbol of the gene.", source),
    ]
    for key, numbers in zip(("coefficient", "absolute_coefficient"), COEFFICIENTS, strict=True):
        # A loader cannot join lists of different lengths.
        if all(numbers in facts.coefficients for facts in files):
            what = f"{numbers} of the gene in the model."
            fields.append(_listed(name, key, "sc:Float", numbers, what, source))
    text = "One record for each gene of each list, the most important gene of a list first."
    return RecordSet(f"files/{name}", _paths(files), _set(name, text, fields))


def _listed(
    name: str, key: str, kind: DataType, numbers: str, what: str, source: dict[str, Any]
) -> dict[str, Any]:
    path = f"$.significant_genes.'{numbers}'[*]" if " " in numbers else (
        f"$.significant_genes.{numbers}[*]"
    )  # fmt: skip
    return _field(name, key, kind, what, {**source, "extract": {"jsonPath": path}})


def _from_path(
    name: str, key: str, regex: str, what: str, source: dict[str, Any]
) -> dict[str, Any]:
    found = {**source, "extract": {"fileProperty": "fullpath"}, "transform": {"regex": regex}}
    return _field(name, key, "sc:Text", what, found)


def _field(
    name: str, key: str, kind: DataType, what: str, source: dict[str, Any]
) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{key}",
        "name": key,
        "description": what,
        "dataType": kind,
        "source": source,
    }


def _set(name: str, text: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": text,
        "field": fields,
    }


def _paths(files: list[FileFacts]) -> tuple[str, ...]:
    return tuple(facts.place.path for facts in files)


def _id(*names: str) -> str:
    return "/".join(quote(name) for name in names if name)
