"""The Croissant description of a data set, for data set search and loaders, by mlcroissant."""

from __future__ import annotations

import glob
import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from genotex.bench.evaluation.folder_items import ANSWER
from genotex.errors import UsageError
from genotex.extras import load_extra
from genotex.options import About
from genotex.reports.datasets.cohorts import COHORT_COLUMNS, RAW_COLUMNS, Column
from genotex.reports.datasets.description import Description
from genotex.reports.datasets.files import COEFFICIENTS, FileFacts, FileKind
from genotex.words import counted

_INDEX_COLUMN = "Unnamed: 0"
"""What readers built on pandas call a first column whose header is empty."""

_CONFORMS_TO = "http://mlcommons.org/croissant/1.0"

_Make = Callable[..., Any]
"""Makes a node of mlcroissant, by the name of its class."""


def croissant_json(
    described: Description, datasheet: Mapping[str, str], folder: str
) -> dict[str, Any]:
    """Return the description as JSON-LD of Croissant 1.0; `folder` holds the files `datasheet`.

    Every file is a ``FileObject`` with its SHA-256. Where digests were not computed, which
    Croissant requires of a file, files are grouped in sets by what they hold. Paths are relative to
    the folder of the data set.
    """
    with warnings.catch_warnings():
        # rdflib, which mlcroissant writes JSON-LD with, warns of its own class.
        warnings.simplefilter("ignore", DeprecationWarning)
        mlc = installed_mlcroissant()
        context = mlc.Context(conforms_to=_CONFORMS_TO)

        def make(kind: str, **given: Any) -> Any:
            known = {name: value for name, value in given.items() if value}
            return getattr(mlc, kind)(ctx=context, **known)

        sets, records = _tables(make, described, folder)
        try:
            content: dict[str, Any] = make(
                "Metadata",
                **_about(make, described.about),
                description=_in_words(described),
                personal_sensitive_information=_people(described),
                distribution=[*_files(make, described), *_own(make, datasheet, folder), *sets],
                record_sets=records,
            ).to_json()
        except mlc.ValidationError as error:
            msg = f"the description would not be valid Croissant: {error}"
            raise UsageError(msg) from error
    # mlcroissant drops a version that is not semantic.
    version = described.about.version
    return {**content, "version": version} if version else content


def installed_mlcroissant() -> Any:
    """Return the library that builds and checks the description."""
    return load_extra("mlcroissant", "describe", "the description")


WANTED_BY_CROISSANT = {
    "license": "--license", "url": "--url", "creators": "--creator", "date": "--date",
}  # fmt: skip
"""What Croissant 1.0 requires of a published data set and files do not contain -> our option."""


def _about(make: _Make, about: About) -> dict[str, Any]:
    return {
        "name": about.name,
        "license": about.license and [about.license],
        "url": about.url,
        "version": about.version,
        "cite_as": about.citation,
        "creators": [make("Person", name=name) for name in about.creators],
        "publisher": about.publisher and [make("Organization", name=about.publisher)],
        "date_published": about.date and datetime.fromisoformat(about.date),
    }


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


def _people(described: Description) -> list[str]:
    if not (number := described.with_contacts):
        return []
    return [
        f"{counted(number, 'series file')} of GEO hold the fields for the contact of their "
        "submitters. Samples are described by characteristics such as disease, age and sex."
    ]


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


def _formats(path: str, kind: FileKind = "other") -> list[str]:
    """Return the media type; of gzip data the type of their content behind it."""
    name = PurePosixPath(path)
    zipped = name.suffix.lower() == ".gz"
    suffix = PurePosixPath(name.stem).suffix if zipped else name.suffix
    form = _FORMATS.get(suffix.lower(), "application/octet-stream")
    if kind in _TABBED:
        form = "text/tab-separated-values"
    elif kind in _TEXTS:
        form = "text/plain"
    return ["application/gzip", form] if zipped else [form]


def _files(make: _Make, described: Description) -> Iterator[Any]:
    if described.whole:
        for facts in described.files:
            # A file that could not be opened has no digest; the datasheet names it.
            if facts.sha256:
                place = facts.place
                yield _file(make, place.path, place.kind, facts.size, facts.sha256, place.kind)
        return
    groups: dict[tuple[str, ...], list[str]] = {}
    for facts in described.files:
        formats = _formats(facts.place.path, facts.place.kind)
        groups.setdefault((facts.place.kind, *formats), []).append(facts.place.path)
    for (kind, *formats), paths in sorted(groups.items()):
        name = f"{kind} ({' in '.join(reversed(formats))})"
        yield _file_set(make, f"kind/{quote(name)}", name, formats, paths)


def _own(make: _Make, datasheet: Mapping[str, str], folder: str) -> Iterator[Any]:
    for name, text in datasheet.items():
        content = text.encode()
        digest = hashlib.sha256(content).hexdigest()
        what = "figures of this data set"
        yield _file(make, f"{folder}/{name}", what, len(content), digest)


def _file(
    make: _Make, path: str, what: str, size: int, digest: str, kind: FileKind = "other"
) -> Any:
    return make(
        "FileObject",
        id=f"file/{quote(path)}",
        name=PurePosixPath(path).name,
        description=what,
        content_size=f"{size} B",
        content_url=path,
        encoding_formats=_formats(path, kind),
        sha256=digest,
    )


def _file_set(make: _Make, name: str, words: str, formats: list[str], paths: Iterable[str]) -> Any:
    includes = [glob.escape(path) for path in paths]
    return make("FileSet", id=name, name=words, encoding_formats=formats, includes=includes)


def _tables(make: _Make, described: Description, folder: str) -> tuple[list[Any], list[Any]]:
    """Return the file sets and record sets of what can be loaded: cohorts, tables, genes."""
    sets, records = [], []
    for there, name, (text, columns) in (
        (described.raw, "raw_cohorts", RAW_COLUMNS),
        (described.prepared, "cohorts", COHORT_COLUMNS),
    ):
        if there:
            table = _Table(make, name, file_object=f"file/{quote(f'{folder}/{name}.csv')}")
            records.append(table.records(text, table.columns(columns)))
    for name, files, fields, text in (*_linked_tables(described), *_results(described)):
        table = _Table(make, name, file_set=f"files/{name}")
        paths = [facts.place.path for facts in files]
        sets.append(_file_set(make, f"files/{name}", f"files/{name}", _formats(paths[0]), paths))
        records.append(table.records(text, [table.field(*each) for each in fields]))
    return sets, records


_Field = tuple[str, Column, dict[str, Any]]
"""Name, type and meaning, and where it comes from: what a node ``Extract`` takes, and a regex."""


class _Table:
    """A table that can be loaded, of a file or of a set of files."""

    def __init__(self, make: _Make, name: str, **source: str) -> None:
        self._make, self._name, self._source = make, name, source

    def columns(self, columns: Mapping[str, Column]) -> list[Any]:
        return [self.field(name, column, {"column": name}) for name, column in columns.items()]

    def field(self, key: str, column: Column, place: Mapping[str, Any]) -> Any:
        import mlcroissant as mlc

        kind, what = column
        regex = place.get("regex")
        extract = {name: value for name, value in place.items() if name != "regex"}
        if regex:
            extract["file_property"] = "fullpath"
        source = self._make(
            "Source",
            **self._source,
            extract=self._make("Extract", **extract),
            transforms=[self._make("Transform", regex=regex)] if regex else None,
        )
        return self._make(
            "Field",
            id=f"{self._name}/{key}",
            name=key,
            description=what,
            data_types=[getattr(mlc.DataType, kind)],
            source=source,
        )

    def records(self, text: str, fields: list[Any]) -> Any:
        name = self._name
        return self._make("RecordSet", id=name, name=name, description=text, fields=fields)


_Loadable = tuple[str, list[FileFacts], list[_Field], str]


def _linked_tables(described: Description) -> Iterator[_Loadable]:
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
        genes = sorted(facts.genes or 0 for facts in files)
        text = (
            f"Samples of {counted(len(files), 'linked table')} of {column}. Other columns, "
            f"{genes[0]:,} to {genes[-1]:,} in a file, are the expression of genes under their "
            "official symbols; they differ between cohorts and are not listed as fields."
        )
        name = _id("linked", part, trait, column if column != trait else "", known)
        yield name, files, list(_linked_fields(column, covariates)), text


def _linked_fields(column: str, covariates: Iterable[str]) -> Iterator[_Field]:
    place = {"regex": r".*/([^/]+)\.csv$"}
    yield "cohort", ("TEXT", "Cohort: the name of the file."), place
    what = "Sample id: the first column, which has no header."
    yield "sample", ("TEXT", what), {"column": _INDEX_COLUMN}
    what = "The trait: 1 for cases and 0 for controls, or the measured level."
    yield "trait", ("FLOAT", what), {"column": column}
    meaning = {"Age": "In years.", "Gender": "0 female, 1 male."}
    for name in covariates:
        yield name.lower(), ("FLOAT", meaning[name]), {"column": name}


def _results(described: Description) -> Iterator[_Loadable]:
    for part in sorted({answer.part for answer in described.answers}):
        files = [
            facts
            for facts in described.files
            if facts.place.kind == "result" and facts.place.part == part and not facts.problem
        ]
        if files:
            text = "One record for each gene of each list, the most important gene of a list first."
            yield _id("results", part), files, list(_result_fields(files)), text


def _result_fields(files: list[FileFacts]) -> Iterator[_Field]:
    place = {"regex": r".*/([^/]+)/[^/]+$"}
    yield "trait", ("TEXT", "Folder name of the trait."), place
    what = "Condition of the problem; None for the trait alone."
    yield "condition", ("TEXT", what), {"regex": rf".*/{re.escape(ANSWER)}(.+)\.json$"}
    place = {"json_path": "$.significant_genes.Variable[*]"}
    yield "gene", ("TEXT", "Symbol of the gene."), place
    for numbers in COEFFICIENTS:
        # A loader cannot join lists of different lengths.
        if all(numbers in facts.coefficients for facts in files):
            name = f"'{numbers}'" if " " in numbers else numbers
            place = {"json_path": f"$.significant_genes.{name}[*]"}
            column: Column = ("FLOAT", f"{numbers} of the gene in the model.")
            yield numbers.lower().replace(" ", "_"), column, place


def _id(*names: str) -> str:
    return "/".join(quote(name) for name in names if name)
