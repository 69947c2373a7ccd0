"""Layout of input and output folders.

Names are those of the GenoTEX benchmark (its README, sections 2 to 4), so that any tool for the
benchmark reads our output. Files that only we write are in folders of their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from genotex.errors import UsageError
from genotex.io import PART, refuse_file_in_the_way
from genotex.records import Check, why_no_name

TCGA_COHORT = "TCGA"
"""Cohort id of a trait's TCGA cohort (older releases of the benchmark wrote ``Xena``)."""


def _why_no_cohort(text: str) -> str:
    """Return why a text is no id of a cohort, which names its files."""
    return "must not begin with '.'" if text.startswith(".") else why_no_name(text)


CohortName = Annotated[str, Check(_why_no_cohort)]
"""The id of a cohort in a record."""


def _named(cohort: str) -> str:
    """Return the id of a cohort, once it is known to stay in its folder."""
    if why := _why_no_cohort(cohort):
        msg = f"{cohort[:80]!r} cannot be the id of a cohort: it {why}"
        raise UsageError(msg)
    return cohort


def trait_folder_name(trait: str) -> str:
    """Return the trait as a folder name: no apostrophes, underscores for white space."""
    name = re.sub(r"\s+", "_", re.sub("['\N{RIGHT SINGLE QUOTATION MARK}]", "", trait).strip())
    if not name or name.startswith(".") or re.search(r"[/\\\0]", name):
        msg = f"{trait!r} cannot be a trait name: use letters, digits, '-', '_' and spaces"
        raise UsageError(msg)
    return name


def _as_spelled(trait: str, known: Collection[str]) -> str:
    """Return the one known name that differs in case alone, where none is exactly the trait's."""
    alike = [name for name in known if name.casefold() == trait.casefold()]
    return alike[0] if trait not in alike and len(alike) == 1 else trait


def _why_no_trait(text: str) -> str:
    """Return why a text is no name of a trait."""
    try:
        trait_folder_name(text)
    except UsageError as error:
        return str(error)
    return why_no_name(text)


TraitName = Annotated[str, Check(_why_no_trait)]
"""The name of a trait in a record."""


@dataclass(frozen=True)
class GeoCohortFiles:
    """The files of one GEO series for one trait."""

    trait: str
    cohort: str
    folder: Path
    matrices: tuple[Path, ...]
    family_soft: tuple[Path, ...]
    platforms: tuple[Path, ...]
    counts: tuple[Path, ...] = ()
    annotations: tuple[Path, ...] = ()
    supplementary: tuple[Path, ...] = ()

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Every file that may be read."""
        return (
            *self.matrices,
            *self.family_soft,
            *self.platforms,
            *self.counts,
            *self.annotations,
            *self.supplementary,
        )


@dataclass(frozen=True)
class TcgaCohortFiles:
    """The files of one TCGA folder as downloaded from the Xena hub."""

    name: str
    folder: Path
    clinical: Path | None
    expression: Path | None
    expression_pancan: Path | None


class InputFolder:
    """An input folder: ``GEO/<Trait>/<GSE>/`` and ``TCGA/<any name>/``, or series in any folder.

    `root`: Folder that holds ``GEO``, ``TCGA`` or both; or else folders named after series, or
    their files, or the file of one. Without ``GEO`` a series is of each trait that is asked for.
    """

    def __init__(self, root: Path | str) -> None:
        root = Path(root)
        self.root = root
        if not root.exists():
            msg = f"{root} is not a folder; give the folder that holds GEO/<Trait>/<GSE>/"
            if SERIES_ACCESSION.fullmatch(root.name):
                msg += f". To get the series: genotex fetch geo input --accession {root.name}"
            raise UsageError(msg)
        laid_out = (root / "GEO").is_dir() or (root / "TCGA").is_dir()
        self._loose = {} if laid_out else series_at(root)
        if not laid_out and not self._loose:
            msg = (
                f"{root} holds neither GEO/ nor TCGA/ nor a series of GEO; expected "
                "GEO/<Trait>/<GSE>/ inside it, folders named after series, or their series matrices"
            )
            raise UsageError(msg)

    @property
    def is_loose(self) -> bool:
        """Whether its series are in no folder of a trait."""
        return bool(self._loose)

    def series(self) -> dict[str, GeoCohortFiles]:
        """Return every series by its id; one of several traits under the first."""
        found = dict(self._loose)
        for trait in self.traits():
            for files in self.geo_cohorts(trait):
                found.setdefault(files.cohort, files)
        return found

    def traits(self) -> list[str]:
        """Return the traits that have a folder under ``GEO``, by folder name, sorted."""
        return sorted(self._geo_folders())

    def geo_cohorts(self, trait: str, names: Collection[str] | None = None) -> list[GeoCohortFiles]:
        """Return the series of a trait in the order of their accession numbers.

        A folder that differs in case alone is the trait's where none is called exactly so.
        `names`: of these alone; the folders of others are not read.
        """
        trait = trait_folder_name(trait)
        if self._loose:
            found = (replace(files, trait=trait) for files in self._loose.values())
            return [files for files in found if names is None or files.cohort in names]
        folders = self._geo_folders()
        parent = folders.get(_as_spelled(trait, folders))
        if parent is None:
            return []
        wanted = (name for name in _folders(parent) if names is None or name in names)
        order = sorted(wanted, key=_accession_order)
        return [geo_cohort_files(trait, parent / name) for name in order]

    def cohort_names(self) -> dict[str, list[str]]:
        """Return the ids of the series of each trait, in the same order; no folder is read."""
        folders = self._geo_folders()
        return {
            name: sorted(_folders(folder), key=_accession_order)
            for name, folder in sorted(folders.items())
        }

    def _geo_folders(self) -> dict[str, Path]:
        """Return the folders under ``GEO`` by trait, also if their names contain apostrophes."""
        parent = self.root / "GEO"
        return {trait_folder_name(name): parent / name for name in _folders(parent)}

    def tcga_folders(self) -> list[TcgaCohortFiles]:
        """Return every folder under ``TCGA``, sorted by name."""
        parent = self.root / "TCGA"
        return [tcga_cohort_files(parent / name) for name in _folders(parent)]


def _folders(parent: Path) -> list[str]:
    if not parent.is_dir():
        return []
    with os.scandir(parent) as entries:
        return sorted(e.name for e in entries if not e.name.startswith(".") and e.is_dir())


def _accession_order(name: str) -> tuple[str, int, str]:
    digits = re.search(r"\d+", name)
    return (re.sub(r"\d.*", "", name), int(digits.group()) if digits else -1, name)


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, without hidden and unfinished ones."""
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if not e.name.startswith(".") and e.is_file())
    return [path for path in map(folder.joinpath, names) if path.suffix != PART]


_CHECKSUMS = {".md5", ".sha1", ".sha256"}
_CDF = re.compile(r"\.(cdf|pgf|clf|mps)(\.gz)?$", re.IGNORECASE)
SERIES_ACCESSION = re.compile(r"GSE[1-9][0-9]{0,8}", re.IGNORECASE)
_NCBI_COUNTS = re.compile(r"_raw_counts_.*_NCBI\.tsv(\.gz)?$", re.IGNORECASE)
_NCBI_ANNOTATION = re.compile(r"^(Human|Mouse)\..*annot\.tsv(\.gz)?$", re.IGNORECASE)


def geo_cohort_files(trait: str, folder: Path) -> GeoCohortFiles:
    """Return the files of one series by what they are; the submitter's are supplementary."""
    return sort_geo_files(trait, folder.name, folder, _files(folder))


def series_at(root: Path, names: Collection[str] | None = None) -> dict[str, GeoCohortFiles]:
    """Return the series of a folder that is not laid out by trait, in order of their accessions.

    A folder named after a series holds its files, another file is of the series that it names.
    Where files name several, platform tables, annotation and chip layouts without one are of all.
    A file in place of the folder is of one series, with its counts and the platforms next to it.
    `names`: of these alone; the folders of others are not read.
    """
    if root.is_file():
        files = series_of([root, *_companions(root)])
        return {files.cohort: files} if _is_series(files) else {}
    pools: dict[str, list[Path]] = {}
    shared: list[Path] = []
    for path in _files(root):
        named = SERIES_ACCESSION.search(path.name)
        pools.setdefault(named.group().upper(), []).append(path) if named else shared.append(path)
    folders = {name.upper(): root / name for name in _folders(root)}
    folders = {name: path for name, path in folders.items() if SERIES_ACCESSION.fullmatch(name)}
    if SERIES_ACCESSION.fullmatch(own := root.absolute().name):
        pools = {own: [path for paths in pools.values() for path in paths]}
    elif len(pools) < 2 and not folders:
        pools = pools or {own: []}
    else:
        common = sort_geo_files("", "", root, shared)
        shared = [*common.platforms, *common.annotations]
        shared += [path for path in common.supplementary if _CDF.search(path.name)]
    wanted = {*pools, *folders} if names is None else {*pools, *folders}.intersection(names)
    for name in wanted & folders.keys():
        pools[name] = [*pools.get(name, ()), *_files(folders[name])]
    every = [
        sort_geo_files("", name, folders.get(name, root), sorted({*pools[name], *shared}))
        for name in sorted(wanted, key=_accession_order)
    ]
    return {files.cohort: files for files in every if _is_series(files)}


def series_of(paths: Sequence[Path], trait: str = "") -> GeoCohortFiles:
    """Return files as those of the series that the first one names."""
    named = SERIES_ACCESSION.search(paths[0].name)
    cohort = named.group().upper() if named else paths[0].name.split(".")[0]
    return sort_geo_files(trait, cohort, paths[0].parent, paths)


def _companions(matrix: Path) -> list[Path]:
    """Return platform tables and counts in the folder of a matrix that was named alone."""
    found = geo_cohort_files("", matrix.parent)
    named = SERIES_ACCESSION.search(matrix.name)
    own = named.group().casefold() if named else matrix.name
    counts = [path for path in found.counts if own in path.name.casefold()]
    return [
        *(p for p in found.platforms if p != matrix),
        *counts,
        *(found.annotations if counts else ()),
    ]


def _is_series(files: GeoCohortFiles) -> bool:
    """Whether files describe samples; other matrices count where a series is named."""
    if files.family_soft or any("series_matrix" in p.name.lower() for p in files.matrices):
        return True
    return bool(files.matrices) and SERIES_ACCESSION.fullmatch(files.cohort) is not None


def sort_geo_files(trait: str, cohort: str, folder: Path, paths: Sequence[Path]) -> GeoCohortFiles:
    """Return files as those of one series, by what their names state."""
    files = [p for p in paths if p.suffix.lower() not in _CHECKSUMS]
    counts = tuple(p for p in files if _NCBI_COUNTS.search(p.name))
    annotations = tuple(p for p in files if _NCBI_ANNOTATION.search(p.name))
    files = [p for p in files if p not in counts and p not in annotations]
    named = [p for p in files if "matrix" in p.name.lower()]
    # The folder may contain another count matrix besides GEO's series matrix.
    matrices = tuple(p for p in named if "series_matrix" in p.name.lower()) or tuple(named)
    rest = [p for p in files if p not in named]
    tables = (p for p in rest if not _CDF.search(p.name))
    platforms = tuple(p for p in tables if p.name.upper().startswith("GPL"))
    soft = tuple(p for p in rest if p not in platforms and "soft" in p.name.lower())
    known = {*matrices, *soft, *platforms}
    supplementary = tuple(p for p in files if p not in known)
    return GeoCohortFiles(
        trait, cohort, folder, matrices, soft, platforms, counts, annotations, supplementary
    )


def tcga_cohort_files(folder: Path) -> TcgaCohortFiles:
    """Return the files of one TCGA folder by what they hold."""
    files = _files(folder)

    def first(test: str, unless: str | None = None) -> Path | None:
        hits = (p for p in files if test in p.name and not (unless and unless in p.name))
        return next(hits, None)

    return TcgaCohortFiles(
        folder.name,
        folder,
        first("clinicalMatrix"),
        first("HiSeqV2", unless="PANCAN"),
        first("HiSeqV2_PANCAN"),
    )


class OutputFolder:
    """An output folder in the benchmark's layout, plus our own files.

    `root`: the folder; it need not exist yet.
    """

    def __init__(self, root: Path | str) -> None:
        root = Path(root)
        refuse_file_in_the_way(root)
        self.root = root

    def traits(self) -> list[str]:
        """Return the traits that have preprocessed cohorts."""
        return _folders(self.root / "preprocess")

    def trait_named(self, trait: str) -> str:
        """Return the one preprocessed trait whose name differs in case alone, else the trait's."""
        return _as_spelled(trait_folder_name(trait), self.traits())

    @property
    def annotator_calls(self) -> Path:
        """The record of all calls of a model that annotates."""
        return self.root / "annotator" / "calls.jsonl"

    def _preprocess(self, trait: str) -> Path:
        return self.root / "preprocess" / trait_folder_name(trait)

    def cohort_info(self, trait: str) -> Path:
        """Return the path of the trait's ``cohort_info.json``."""
        return self._preprocess(trait) / "cohort_info.json"

    def clinical_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the clinical features (features x samples)."""
        return self._preprocess(trait) / "clinical_data" / f"{_named(cohort)}.csv"

    def gene_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the gene expression (genes x samples)."""
        return self._preprocess(trait) / "gene_data" / f"{_named(cohort)}.csv"

    def linked_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the linked table (samples x features, missing values filled)."""
        return self._preprocess(trait) / f"{_named(cohort)}.csv"

    def linked_parquet(self, trait: str, cohort: str) -> Path:
        """Return the path of our twin of the linked table (features x samples, not filled)."""
        return self._preprocess(trait) / "linked" / f"{_named(cohort)}.parquet"

    def evidence(self, trait: str, cohort: str) -> Path:
        """Return the path of the record of every decision about a cohort."""
        return self._preprocess(trait) / "evidence" / f"{_named(cohort)}.json"

    def significant_genes(self, trait: str, condition: str | None) -> Path:
        """Return the path of a problem's result in the benchmark's format."""
        name = f"significant_genes_condition_{_condition(condition)}.json"
        return self.root / "regress" / trait_folder_name(trait) / name

    def all_genes(self, trait: str, condition: str | None) -> Path:
        """Return the path of the table of all tested genes of a problem."""
        name = f"all_genes_condition_{_condition(condition)}.parquet"
        return self.root / "regress" / trait_folder_name(trait) / name

    def meta_genes(self, trait: str, condition: str | None) -> Path:
        """Return the path of a problem's combined result over all cohorts."""
        name = f"meta_condition_{_condition(condition)}.json"
        return self.root / "regress" / trait_folder_name(trait) / name

    def meta_table(self, trait: str, condition: str | None) -> Path:
        """Return the path of the table of all genes combined over several cohorts."""
        return self.meta_genes(trait, condition).with_suffix(".parquet")

    def meta_report(self, trait: str, condition: str | None) -> Path:
        """Return the path of the report over all cohorts; its table is next to it as CSV."""
        return self.report(trait, condition).with_name(
            f"{self.report(trait, condition).stem}_cohorts.html"
        )

    def enrichment(self, trait: str, condition: str | None) -> Path:
        """Return the path of a problem's gene sets as JSON; their table is next to it as CSV."""
        name = f"enrichment_condition_{_condition(condition)}.json"
        return self.root / "regress" / trait_folder_name(trait) / name

    def figures(self, trait: str, condition: str | None) -> Path:
        """Return the folder of a problem's figures as files."""
        return self.report(trait, condition).with_suffix("")

    def report(self, trait: str, condition: str | None) -> Path:
        """Return the path of a problem's report; the gene table is next to it as CSV."""
        name = f"{trait_folder_name(trait)}_condition_{_condition(condition)}.html"
        return self.root / "report" / name


def _condition(condition: str | None) -> str:
    return "None" if condition is None else trait_folder_name(condition)
