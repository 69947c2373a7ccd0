"""The Croissant description of a data set: JSON-LD that data set search and loaders read."""

from __future__ import annotations

import glob
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import quote

from genotex.bench.evaluation.folder_items import ANSWER
from genotex.reports.datasets.description import About, Description
from genotex.reports.datasets.files import COEFFICIENTS, FileFacts, FileKind
from genotex.words import counted

DataType = Literal["sc:Text", "sc:Integer", "sc:Float", "sc:Boolean"]
INDEX_COLUMN = "Unnamed: 0"
"""What readers built on pandas call a first column whose header is empty."""


@dataclass(frozen=True)
class _RecordSet:
    """A table that can be loaded."""

    files_id: str
    paths: tuple[str, ...]
    as_json: dict[str, Any]


def _record_sets(described: Description, folder: str) -> list[_RecordSet]:
    """Return the tables: cohorts, linked tables of each trait, and lists of genes."""
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
    "is_trait_available": ("sc:Boolean", "Whether the trait of its samples is recorded."),
    "is_available": ("sc:Boolean", "Both of these."),
    "is_biased": ("sc:Boolean", "Whether the trait is too one-sided to be studied."),
    "has_age": ("sc:Boolean", "Whether age is recorded."),
    "has_gender": ("sc:Boolean", "Whether gender is recorded."),
    "sample_size": ("sc:Integer", "Samples of the linked table, by its record."),
    "linked_samples": ("sc:Integer", "Rows of the linked table."),
    "linked_genes": ("sc:Integer", "Genes of the linked table."),
}


def _of_datasheet(
    path: str, name: str, text: str, columns: dict[str, tuple[DataType, str]]
) -> _RecordSet:
    file = {"fileObject": {"@id": f"file/{quote(path)}"}}
    fields = [
        _field(name, column, kind, what, {**file, "extract": {"column": column}})
        for column, (kind, what) in columns.items()
    ]
    return _RecordSet("", (), _set(name, text, fields))


def _linked_tables(described: Description) -> Iterator[_RecordSet]:
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
) -> _RecordSet:
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
    return _RecordSet(f"files/{name}", _paths(files), _set(name, text, fields))


def _cohort_field(name: str, source: dict[str, Any]) -> dict[str, Any]:
    return _from_path(name, "cohort", r".*/([^/]+)\.csv$", "Cohort: the name of the file.", source)


def _results(described: Description) -> Iterator[_RecordSet]:
    parts = sorted({answer.part for answer in described.answers})
    for part in parts:
        files = [
            facts
            for facts in described.files
            if facts.place.kind == "result" and facts.place.part == part and not facts.problem
        ]
        if files:
            yield _result(_id("results", part), files)


def _result(name: str, files: list[FileFacts]) -> _RecordSet:
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
    return _RecordSet(f"files/{name}", _paths(files), _set(name, text, fields))


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


CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
WANTED_BY_CROISSANT = {
    "license": "--license",
    "url": "--url",
    "creator": "--creator",
    "datePublished": "--date",
}
"""What Croissant 1.0 requires of a published data set and files do not contain -> our option."""

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the specification, https://docs.mlcommons.org/croissant/docs/croissant-spec.html"""

_FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
}
_TABBED: tuple[FileKind, ...] = (
    "platform table", "RNA-seq counts", "annotation of counts", "TCGA clinical matrix",
    "TCGA expression",
)  # fmt: skip
_TEXTS: tuple[FileKind, ...] = ("series matrix", "family SOFT")


def croissant_json(
    described: Description, datasheet: Mapping[str, str], folder: str
) -> dict[str, Any]:
    """Return the description as JSON-LD of Croissant 1.0.

    Every file is a ``FileObject`` with its SHA-256. Where digests were not computed, which
    Croissant requires of a file, files are grouped in sets by what they hold. Paths are relative to
    the folder of the data set.
    """
    sets = _record_sets(described, folder)
    files: Iterable[Any]
    if described.whole:
        # A file that could not be opened has no digest; the datasheet names it.
        files = (_file_object(facts) for facts in described.files if facts.sha256)
    else:
        files = _sets_by_kind(described.files)
    own = (_own_file(f"{folder}/{name}", text) for name, text in datasheet.items())
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        **_about(described.about),
        "description": _in_words(described),
        **_people(described),
        "distribution": [*files, *own, *(_file_set(s) for s in sets if s.paths)],
        "recordSet": [found.as_json for found in sets],
    }


def _about(about: About) -> dict[str, Any]:
    known: dict[str, Any] = {
        "name": about.name,
        "license": about.license,
        "url": about.url,
        "version": about.version,
        "citeAs": about.citation,
        "creator": [{"@type": "sc:Person", "name": name} for name in about.creators],
        "publisher": about.publisher and {"@type": "sc:Organization", "name": about.publisher},
        "datePublished": about.date,
    }
    return {name: value for name, value in known.items() if value}


def _in_words(described: Description) -> str:
    found = (
        (len(described.raw), "raw cohort"),
        (len(described.prepared), "preprocessed cohort"),
        (len(described.answers), "list of genes for a problem", "lists of genes for problems"),
    )
    contents = [counted(*item) for item in found if item[0]]
    return (
        "Gene expression data in the layout of the GenoTEX benchmark: "
        f"{', '.join(contents) or 'no cohorts'}, in {counted(len(described.files), 'file')}."
    )


def _people(described: Description) -> dict[str, str]:
    number = sum(1 for facts in described.files if facts.contacts)
    if not number:
        return {}
    return {
        "rai:personalSensitiveInformation": (
            f"{counted(number, 'series file')} of GEO hold the fields for the contact of their "
            "submitters. Samples are described by characteristics such as disease, age and sex."
        )
    }


def _file_object(facts: FileFacts) -> dict[str, Any]:
    path = PurePosixPath(facts.place.path)
    return {
        "@type": "cr:FileObject",
        "@id": f"file/{quote(facts.place.path)}",
        "name": path.name,
        "description": facts.place.kind,
        "contentSize": f"{facts.size} B",
        "contentUrl": facts.place.path,
        "encodingFormat": _formats(path, facts.place.kind),
        "sha256": facts.sha256,
    }


def _own_file(path: str, text: str) -> dict[str, Any]:
    content = text.encode()
    return {
        "@type": "cr:FileObject",
        "@id": f"file/{quote(path)}",
        "name": PurePosixPath(path).name,
        "description": "figures of this data set",
        "contentSize": f"{len(content)} B",
        "contentUrl": path,
        "encodingFormat": _formats(PurePosixPath(path), "other"),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _file_set(records: _RecordSet) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": records.files_id,
        "name": records.files_id,
        "encodingFormat": _formats(PurePosixPath(records.paths[0]), "other"),
        "includes": [glob.escape(path) for path in records.paths],
    }


def _sets_by_kind(files: Iterable[FileFacts]) -> Iterator[dict[str, Any]]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for facts in files:
        formats = _formats(PurePosixPath(facts.place.path), facts.place.kind)
        groups.setdefault((facts.place.kind, *formats), []).append(facts.place.path)
    for (kind, *formats), paths in sorted(groups.items()):
        name = f"{kind} ({' in '.join(reversed(formats))})"
        yield {
            "@type": "cr:FileSet",
            "@id": f"kind/{quote(name)}",
            "name": name,
            "encodingFormat": formats,
            "includes": [glob.escape(path) for path in paths],
        }


def _formats(path: PurePosixPath, kind: FileKind) -> list[str]:
    """Return the media type; of gzip data the type of their content behind it."""
    zipped = path.suffix.lower() == ".gz"
    suffix = PurePosixPath(path.stem).suffix if zipped else path.suffix
    form = _FORMATS.get(suffix.lower(), "application/octet-stream")
    if kind in _TABBED:
        form = "text/tab-separated-values"
    elif kind in _TEXTS:
        form = "text/plain"
    return ["application/gzip", form] if zipped else [form]
