"""Choice of the file in a GEO cohort's folder that describes its samples."""

from __future__ import annotations

import re
from pathlib import Path

from genotex.errors import FormatError, SuperSeriesError
from genotex.formats.series import Series
from genotex.formats.series_matrix import read_series_matrix
from genotex.formats.soft_series import read_family_soft
from genotex.layout import GeoCohortFiles

__all__ = ["choose_series"]


def choose_series(files: GeoCohortFiles) -> tuple[Series, list[tuple[Path, str]], list[str]]:
    """Choose the matrix with the most samples, or the family SOFT file if there is no matrix.

    Ties are broken by the lowest GPL number.

    Returns
    -------
    series : Series
        From a matrix: its header only. From a family SOFT file: with expression.
    used : list of (Path, str)
        The file and what it is used for.
    notes : list of str
        Names of matrices not used.

    Raises
    ------
    FormatError
        If there is no readable matrix or family SOFT, or the series is a SuperSeries.
    """
    if not files.matrices:
        return _from_family_soft(files)
    headers, super_series = [], None
    for path in files.matrices:
        try:
            headers.append(read_series_matrix(path, expression=False))
        except SuperSeriesError as error:
            super_series = error
    if not headers:
        assert super_series is not None
        raise super_series
    headers.sort(key=lambda s: (-len(s.samples), _gpl_number(s.platform), s.path.name))
    best, *others = headers
    notes = [
        f"{len(headers)} matrices: {best.path.name} has the most samples ({len(best.samples)}) and "
        "is used; not used: " + ", ".join(f"{s.path.name} ({len(s.samples)})" for s in others)
    ]
    return best, [(best.path, "matrix")], notes if others else []


def _from_family_soft(
    files: GeoCohortFiles,
) -> tuple[Series, list[tuple[Path, str]], list[str]]:
    if not files.family_soft:
        message = "no series matrix and no family SOFT file in the folder"
        hint = "put GSE..._series_matrix.txt.gz there, and GSE..._family.soft.gz if probes need it"
        raise FormatError(message, path=files.folder, hint=hint)
    path = files.family_soft[0]
    parts = read_family_soft(path)
    notes = [f"no series matrix: samples and expression were read from {path.name}"]
    if len(parts) > 1:
        rest = ", ".join(f"{s.platform} ({len(s.samples)})" for s in parts[1:])
        notes.append(
            f"{len(parts)} platforms: {parts[0].platform} with {len(parts[0].samples)} samples is "
            f"used; not used: {rest}"
        )
    return parts[0], [(path, "matrix")], notes


def _gpl_number(platform: str | None) -> int:
    digits = re.search(r"\d+", platform or "")
    return int(digits.group()) if digits else 10**9
