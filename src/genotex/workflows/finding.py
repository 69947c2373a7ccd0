"""Find series by words: in the index of GEO, and among the series on this disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from genotex.clinical import Vocabulary, load_lexicon
from genotex.errors import FormatError, UsageError
from genotex.features import simplify
from genotex.fetch import (
    Concept,
    GeoSummary,
    IndexMatches,
    index_path,
    search_series,
    trait_phrases,
)
from genotex.formats import LineReader
from genotex.genes import packaged_maps
from genotex.layout import SERIES_ACCESSION
from genotex.options import SPECIES, FindOptions

FOUND_COLUMNS = (
    "accession", "title", "samples", "platform", "species", "kind", "date", "on disk",
)  # fmt: skip
_SERIES_FILE = re.compile(
    rf"({SERIES_ACCESSION.pattern}).*(series_matrix|family\.soft)", re.IGNORECASE
)
_FIELD = re.compile(r"!(Series|Sample|Platform)_(\w+)(?:\t| = )(.*)", re.DOTALL)
_HEAD_ENDS = ("!series_matrix_table_begin", "!platform_table_begin", "^SAMPLE")
_MOST_LINES = 20_000
"""Lines of a head; GEO's have some hundred."""
_MOST_FOLDERS, _DEEPEST = 20_000, 6
_TAXA = dict(zip(("9606", "10090", "10116"), SPECIES.values(), strict=True))
_LONGEST_NAME = 6
"""Words of the name of a trait in a search."""
_SHORTEST_WORD = 3


@dataclass(frozen=True)
class LocalSeries:
    """A series on this disk: what its files state, and its folders."""

    summary: GeoSummary
    folders: tuple[Path, ...]
    by_platform: bool = False  # whether the species is that of the platform


@dataclass(frozen=True)
class FoundSeries:
    """The series of a search, best first."""

    matches: tuple[GeoSummary, ...]
    folders: dict[str, tuple[Path, ...]]  # of all series on this disk, by accession
    total: int  # series that fit
    trait: str  # the one trait that the words name, or nothing
    indexed: int  # series of GEO that were searched
    asked: date | None  # when GEO was asked for them
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each series, by `FOUND_COLUMNS`."""
        return [
            dict(
                zip(
                    FOUND_COLUMNS,
                    (
                        each.accession,
                        each.title,
                        each.samples,
                        ", ".join(each.platforms),
                        ", ".join(each.organisms),
                        "; ".join(each.study_types),
                        each.date.replace("/", "-"),
                        ", ".join(map(str, self.folders.get(each.accession, ()))),
                    ),
                    strict=True,
                )
            )
            for each in self.matches
        ]


def find_series(words: str, options: FindOptions, vocabulary: Vocabulary) -> FoundSeries:
    """Find series that have all words; names of traits also by what the vocabulary calls them.

    Raises
    ------
    UsageError
        If there are too many words, or the folder or the index that is named is not there.
    FormatError
        If the index of GEO is damaged.
    """
    concepts = concepts_of(words, vocabulary)
    index = index_path(options.index)
    notes = []
    if options.index is not None and not index.is_file():
        msg = f"there is no index {index}; build it with: genotex find --update --index {index}"
        raise UsageError(msg)
    searched = None if options.on_disk or not index.is_file() else index
    if searched is None and not options.on_disk:
        notes.append(
            "only this disk was searched: there is no index of GEO yet; build it once with "
            "'genotex find --update'"
        )
    if not options.input.is_dir() and options.input != FindOptions().input:
        msg = f"{options.input} is not a folder; name one that holds series"
        raise UsageError(msg)
    local = _local_series(options.input)
    found = search_series(concepts, options, searched, [each.summary for each in local.values()])
    return FoundSeries(
        found.series,
        {name: each.folders for name, each in local.items()},
        found.total,
        _only_trait(concepts),
        found.indexed,
        found.asked,
        (*notes, *_notes(concepts, found), *_species_notes(found.series, local)),
    )


def _notes(concepts: Sequence[Concept], found: IndexMatches) -> Iterator[str]:
    for each in concepts:
        if each.trait:
            yield f"{each.written!r} is searched as {each.trait.replace('_', ' ')}"
    if found.series and found.found < len(concepts):
        yield f"no series has all of it; these have {found.found} of {len(concepts)} words"


def _species_notes(
    matches: Sequence[GeoSummary], local: Mapping[str, LocalSeries]
) -> Iterator[str]:
    """Give which series state no species, and whether their platform does."""
    here = [local[each.accession] for each in matches if each.accession in local]
    if found := [each.summary.accession for each in here if each.by_platform]:
        yield f"species by the platform, their files state none: {', '.join(found)}"
    if found := [each.accession for each in matches if not each.organisms]:
        yield f"of unknown species, found for any that is asked for: {', '.join(found)}"


def _only_trait(concepts: Sequence[Concept]) -> str:
    traits = [each.trait for each in concepts if each.trait]
    return traits[0] if len(traits) == 1 else ""


def concepts_of(text: str, vocabulary: Vocabulary) -> list[Concept]:
    """Return the words of a search; words that name a trait together are one concept."""
    words = simplify(text).split()
    found, at = [], 0
    while at < len(words):
        for end in range(min(len(words), at + _LONGEST_NAME), at, -1):
            phrase = " ".join(words[at:end])
            trait = _trait_named(phrase, vocabulary)
            if trait or end == at + 1:
                break
        others = map(simplify, trait_phrases(vocabulary, trait)) if trait else ()
        own = (phrase,) if len(phrase) >= _SHORTEST_WORD or not trait else ()
        found.append(Concept(phrase, tuple(dict.fromkeys((*own, *others))), trait))
        at = end
    return found


def _trait_named(phrase: str, vocabulary: Vocabulary) -> str:
    """Return the one trait that a phrase is a name of, or nothing."""
    meant = vocabulary.names.meant(phrase)
    if meant:
        return meant[0] if len(meant) == 1 else ""
    lexicon = load_lexicon()
    number = lexicon.find(phrase) if phrase in lexicon.phrases else None
    return "" if number is None else lexicon.name(number)


def _local_series(root: Path) -> dict[str, LocalSeries]:
    """Return the series in a folder and the folders below it, by accession.

    Only the heads of series matrices and family SOFT files are read; files that are none are
    passed over, as are hidden folders and all below the first 20,000 folders.
    """
    found: dict[str, LocalSeries] = {}
    for folder, files in _series_files(root):
        for accession, paths in files.items():
            there = found.get(accession)
            if there is not None:
                found[accession] = replace(there, folders=(*there.folders, folder))
            elif (summary := _summary(accession, paths)) is not None:
                known = summary.organisms or _of_platforms(summary.platforms)
                by_platform = not summary.organisms and bool(known)
                summary = replace(summary, organisms=known)
                found[accession] = LocalSeries(summary, (folder,), by_platform)
    return found


def _of_platforms(platforms: Sequence[str]) -> tuple[str, ...]:
    """Return the species of the platforms that are packaged."""
    facts = (packaged_maps().platforms.get(name) for name in platforms)
    return tuple(dict.fromkeys(SPECIES[each["species"]] for each in facts if each))


def _series_files(root: Path) -> Iterator[tuple[Path, dict[str, list[Path]]]]:
    """Yield each folder with the files of its series."""
    for number, (name, folders, files) in enumerate(os.walk(root)):
        if number >= _MOST_FOLDERS:
            return
        folder = Path(name)
        deep = len(folder.relative_to(root).parts) >= _DEEPEST
        folders[:] = [] if deep else sorted(f for f in folders if not f.startswith("."))
        series: dict[str, list[Path]] = {}
        for file in sorted(files):
            if (hit := _SERIES_FILE.match(file)) is not None:
                series.setdefault(hit[1].upper(), []).append(folder / file)
        if series:
            yield folder, series


@dataclass
class _Head:
    """The fields of a file above its tables."""

    fields: dict[str, list[str]] = field(default_factory=dict)

    def first(self, name: str) -> str:
        return next(iter(self.fields.get(name, ())), "")

    def unique(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.fields.get(name, ())))


def _read_head(path: Path) -> _Head:
    head = _Head()
    with LineReader(path) as reader:
        for _ in range(_MOST_LINES):
            line = reader.next_line()
            if line is None or line.startswith(_HEAD_ENDS):
                break
            if (hit := _FIELD.match(line)) is not None:
                cells = [cell.strip().strip('"') for cell in hit[3].split("\t")]
                head.fields.setdefault(f"{hit[1]}_{hit[2]}", []).extend(filter(None, cells))
    return head


def _summary(accession: str, paths: Sequence[Path]) -> GeoSummary | None:
    """Return what the files of a series state; None if none can be read."""
    matrices = [path for path in paths if "series_matrix" in path.name.lower()]
    heads = []
    for path in matrices or paths[:1]:
        try:
            heads.append(_read_head(path))
        except (FormatError, OSError):
            continue
    if not heads:
        return None
    first = heads[0]
    samples = sum(
        len(head.fields.get("Sample_geo_accession") or head.first("Series_sample_id").split())
        if matrices
        else len(head.fields.get("Series_sample_id", ()))
        for head in heads
    )
    taxa = [name for head in heads for name in head.unique("Series_sample_taxid")]
    named = [_TAXA.get(name, f"taxon {name}") for name in taxa]
    species = [name for head in heads for name in head.unique("Sample_organism_ch1")]
    of_platform = [name for head in heads for name in head.unique("Platform_organism")]
    texts = (*first.unique("Series_summary"), *first.unique("Series_overall_design"))
    return GeoSummary(
        accession,
        first.first("Series_title"),
        " ".join(texts),
        tuple(dict.fromkeys(species or named or of_platform)),
        first.unique("Series_type"),
        tuple(dict.fromkeys(n for head in heads for n in head.unique("Series_platform_id"))),
        samples,
        _date(first.first("Series_status")),
        tuple(title for head in heads for title in head.fields.get("Sample_title", ())),
    )


def _date(status: str) -> str:
    """Return the date of "Public on Aug 03 2011" as Entrez writes it."""
    try:
        return f"{datetime.strptime(status, 'Public on %b %d %Y'):%Y/%m/%d}"
    except ValueError:
        return ""
