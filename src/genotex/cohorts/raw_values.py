"""The values of a cohort as in the file that it was read from, before anything is done to them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from genotex.cohorts.geo.files import SubmittedValues, choose_file, is_empty, with_expression
from genotex.cohorts.tcga.files import read_raw_genes
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence, ExpressionMatrix, read_raw_counts
from genotex.genes import GeneTable, detect_scale
from genotex.layout import GeoCohortFiles, TcgaCohortFiles


@dataclass(frozen=True, eq=False)
class RawValues:
    """Values as in a file, rows x samples, and their scale: ``log2``, ``linear`` or ``counts``."""

    path: Path
    matrix: ExpressionMatrix
    scale: str
    changed: bool = False  # since the cohort was read from it


def raw_geo_values(files: GeoCohortFiles, evidence: Evidence) -> RawValues:
    """Read the values of a GEO cohort again from the file that its record names.

    Raises UsageError if the files hold no values. Raises FormatError if they cannot be read.
    """
    used = {file["name"] for file in evidence.files if file["used_for"] in ("counts", "expression")}
    for path in files.counts:
        if path.name in used:
            counts = read_raw_counts(path)
            matrix = ExpressionMatrix(counts.genes, counts.samples, counts.counts)
            return _described(path, matrix, evidence, "counts")
    raw = choose_file(files, evidence.options.get("series_platform", ()))
    own = tuple(path for path in files.supplementary if path.name in used)
    if own:
        from genotex.cohorts.geo.submitted import submitted_values

        how = SubmittedValues(cell_type=evidence.options.get("cell_type", ""))
        only = replace(files, supplementary=own)
        found = submitted_values(only, raw.series, GeneTable.load(), how)
        if found is not None:
            return _described(found[0][0], found[1], evidence)
    series = with_expression(raw).series
    if series.expression is None or is_empty(series):
        msg = f"{series.path.name} holds no expression table"
        raise UsageError(msg)
    return _described(series.path, series.expression, evidence)


def raw_tcga_values(files: TcgaCohortFiles, evidence: Evidence) -> RawValues:
    """Read the values of a TCGA cohort again, as `raw_geo_values`."""
    raw = read_raw_genes(files, evidence.procedure)
    if raw is None:
        msg = "holds no table of expression"
        raise FormatError(msg, path=files.folder)
    return _described(raw.path, raw.matrix, evidence)


def _described(
    path: Path, matrix: ExpressionMatrix, evidence: Evidence, scale: str = ""
) -> RawValues:
    found = scale or evidence.mapping.get("scale") or detect_scale(matrix.values).scale
    sizes = {file["name"]: file.get("size") for file in evidence.files}
    changed = sizes.get(path.name) != path.stat().st_size
    return RawValues(path, matrix, str(found), changed)
