"""The Croissant description of a data set: JSON-LD that data set search and loaders read."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from genotex.reports.datasets.description import About, Description
from genotex.reports.datasets.examining import FileFacts
from genotex.reports.datasets.places import FileKind
from genotex.reports.datasets.record_sets import RecordSet, record_sets
from genotex.reports.words import counted

__all__ = ["CONFORMS_TO", "WANTED_BY_CROISSANT", "croissant_json"]

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
WANTED_BY_CROISSANT = {
    "license": "--license",
    "url": "--url",
    "creator": "--creator",
    "datePublished": "--date",
}
"""What Croissant 1.0 asks of a published data set and files do not tell -> our option."""

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
    Croissant requires of a file, the files are told as sets by what they hold. Paths are relative
    to the folder of the data set.

    Parameters
    ----------
    described : Description
        The data set.
    datasheet : mapping of str to str
        Name and content of the files of the datasheet, which record sets are read from.
    folder : str
        Where these lie, relative to the folder of the data set.
    """
    sets = record_sets(described, folder)
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
    told: dict[str, Any] = {
        "name": about.name,
        "license": about.license,
        "url": about.url,
        "version": about.version,
        "citeAs": about.citation,
        "creator": [{"@type": "sc:Person", "name": name} for name in about.creators],
        "publisher": about.publisher and {"@type": "sc:Organization", "name": about.publisher},
        "datePublished": about.date,
    }
    return {name: value for name, value in told.items() if value}


def _in_words(described: Description) -> str:
    found = (
        (len(described.raw), "raw cohort"),
        (len(described.prepared), "preprocessed cohort"),
        (len(described.answers), "list of genes for a problem", "lists of genes for problems"),
    )
    told = [counted(*item) for item in found if item[0]]
    return (
        "Gene expression data in the layout of the GenoTEX benchmark: "
        f"{', '.join(told) or 'no cohorts'}, in {counted(len(described.files), 'file')}."
    )


def _people(described: Description) -> dict[str, str]:
    number = sum(1 for facts in described.files if facts.contacts)
    if not number:
        return {}
    return {
        "rai:personalSensitiveInformation": (
            f"{counted(number, 'series file')} of GEO hold the fields for the contact of their "
            "submitters. Samples are told with characteristics such as disease, age and sex."
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


def _file_set(records: RecordSet) -> dict[str, Any]:
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
