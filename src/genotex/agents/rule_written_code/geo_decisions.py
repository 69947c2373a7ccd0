"""What the built-in rules decide about a GEO series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from genotex.agents.task import Task
from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    apply_encoding,
    cells_to_code,
    describe_series,
    encode_with_role,
    rule_expert,
    simple_key,
)
from genotex.cohorts.geo import no_table, rows_need_mapping, takes_counts
from genotex.cohorts.geo_files import RawSeries, read_raw_series
from genotex.cohorts.rna_seq import count_genes
from genotex.errors import FormatError
from genotex.formats import Role, Series
from genotex.genes import (
    GeneTable,
    IdVerdict,
    RowGenes,
    check_rows,
    genes_of_rows,
    identify_ids,
)
from genotex.layout import GeoCohortFiles, Procedure, geo_cohort_files

__all__ = ["Coded", "GeoDecisions", "coded", "decide_geo", "read_geo"]

GenesEnd = Literal["", "series", "table", "mapping"]


@dataclass(frozen=True)
class Coded:
    """How one feature is coded.

    Attributes
    ----------
    encoding : FeatureEncoding
        Where it stands, and why.
    codes : mapping of str to float or None
        Raw cell -> code, for all cells that a written function will see.
    roles : mapping of str to Role
        Raw cell -> role, for the controls of a binary trait.
    """

    encoding: FeatureEncoding
    codes: Mapping[str, float | None]
    roles: Mapping[str, Role]


@dataclass(frozen=True)
class GeoDecisions:
    """Everything that the code of a series depends on.

    Attributes
    ----------
    reading : ClinicalAnnotation
        How the rules read the series.
    trait, age, gender : Coded or None
        The features; None where they are not told.
    genes_end : str
        Where it turns out that there are no genes: ``series`` (its texts), ``table`` (it is
        empty), ``mapping`` (nothing tells the genes of its rows); empty where there are genes.
    why_no_genes : str
        Why.
    ids : IdVerdict or None
        What the row ids are; None without rows.
    first_ids : tuple of str
        Some of them.
    id_column, gene_column, platform : str or None
        Columns of the annotation, and whose it is; None where none is needed.
    own_platform : str or None
        First platform at hand.
    map_notes : tuple of str
        Why these columns.
    procedure : {"sound", "benchmark"}
        Which procedure.
    counted : bool
        Whether the rows are RNA-seq counts of NCBI.
    """

    reading: ClinicalAnnotation
    trait: Coded | None
    age: Coded | None
    gender: Coded | None
    genes_end: GenesEnd
    why_no_genes: str
    ids: IdVerdict | None
    first_ids: tuple[str, ...]
    id_column: str | None
    gene_column: str | None
    platform: str | None
    own_platform: str | None
    map_notes: tuple[str, ...]
    procedure: Procedure
    counted: bool


def decide_geo(task: Task) -> GeoDecisions:
    """Read a series as the direct road does, and return what it decides.

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    """
    return _decide(task, _state_of(task.input_folder))


def _state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what tells whether the files of a folder are still the same."""
    found = sorted(path for path in folder.iterdir() if path.is_file())
    stats = [(path.name, path.stat()) for path in found]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@lru_cache(maxsize=8)
def _decide(task: Task, state: tuple[tuple[str, int, int], ...]) -> GeoDecisions:
    table = GeneTable.load()
    files = geo_cohort_files(task.trait, task.input_folder)
    raw, reading = _read(task, files, table)
    counted = reading.gene.available and takes_counts(files, raw.series, task.procedure)
    if counted:
        rows, end, why = _counts(files, raw.series, reading, table)
    else:
        rows, end, why = _genes(raw, reading, task.procedure, table)
    ids = raw.series.expression.ids if raw.series.expression is not None else ()
    verdict = identify_ids(ids, table) if ids and rows is None else None
    first = raw.platforms[0] if raw.platforms else None
    return GeoDecisions(
        reading=reading,
        trait=coded(reading.trait, raw.series, task.procedure),
        age=coded(reading.age, raw.series, task.procedure),
        gender=coded(reading.gender, raw.series, task.procedure),
        genes_end=end,
        why_no_genes=why,
        ids=verdict if rows is None else rows.verdict,
        first_ids=tuple(ids[:3]),
        id_column=None if rows is None else rows.id_column,
        gene_column=None if rows is None else rows.gene_column,
        platform=None if rows is None else rows.platform,
        own_platform=None if first is None else first.accession or first.path.name,
        map_notes=() if rows is None else rows.notes,
        procedure=task.procedure,
        counted=counted,
    )


def read_geo(task: Task) -> ClinicalAnnotation:
    """Read what a series says of the trait, age and gender, as the direct road does.

    Raises
    ------
    FormatError
        If a file that is needed cannot be read.
    """
    files = geo_cohort_files(task.trait, task.input_folder)
    return _read(task, files, GeneTable.load())[1]


def _read(
    task: Task, files: GeoCohortFiles, table: GeneTable
) -> tuple[RawSeries, ClinicalAnnotation]:
    """Read a series but for its numbers, on which nothing of what is decided depends."""
    raw = read_raw_series(
        files, needs_mapping=lambda series: rows_need_mapping(series, table), numbers=False
    )
    description = describe_series(raw.series, raw.platforms)
    return raw, rule_expert(task.procedure).annotate(description, task.trait)


def _counts(
    files: GeoCohortFiles, series: Series, reading: ClinicalAnnotation, table: GeneTable
) -> tuple[None, GenesEnd, str]:
    codes = None
    if reading.trait is not None:
        codes = apply_encoding(reading.trait, series, procedure="sound").codes
    binary = reading.trait is not None and reading.trait.kind == "binary"
    found = count_genes(files, series, codes, binary=binary, table=table)
    return (None, "mapping" if found.genes is None else "", found.why_no_genes)


def _genes(
    raw: RawSeries, reading: ClinicalAnnotation, procedure: Procedure, table: GeneTable
) -> tuple[RowGenes | None, GenesEnd, str]:
    if not reading.gene.available:
        return None, "series", reading.gene.reason
    matrix = raw.series.expression
    if matrix is None or not matrix.ids:
        return None, "table", no_table(procedure)
    try:
        rows = genes_of_rows(
            matrix.ids,
            raw.platforms,
            procedure=procedure,
            table=table,
            own=raw.series.platform,
        )
        check_rows(rows, procedure=procedure, table=table)
    except FormatError as error:
        return None, "mapping", f"rows cannot be mapped to genes: {error}"
    return rows, "", ""


def coded(encoding: FeatureEncoding | None, series: Series, procedure: Procedure) -> Coded | None:
    """Return how every cell of a feature is coded; None where none has a code."""
    if encoding is None:
        return None
    listed = {simple_key(cell) for cell in encoding.values}
    codes: dict[str, float | None] = {}
    roles: dict[str, Role] = {}
    for cell, first_choice in cells_to_code(encoding, series, procedure).items():
        code, role = encode_with_role(encoding, cell, procedure)
        codes[cell] = code if first_choice or simple_key(cell) in listed else None
        if encoding.feature == "trait" and encoding.kind == "binary" and codes[cell] == 0:
            roles[cell] = role
    known = any(code is not None for code in codes.values())
    return Coded(encoding, codes, roles) if known else None
