"""Which file or part of a series is used: the largest, those of a platform, or several joined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from genotex.errors import FormatError, SuperSeriesError, UsageError
from genotex.formats.geo.family_soft import read_family_soft
from genotex.formats.geo.series import Cells, ExpressionMatrix, Series
from genotex.formats.geo.series_matrix import read_series_matrix
from genotex.layout import GeoCohortFiles

NO_SERIES = "does not state its series"
_SERIES = re.compile(r"GSE\d+", re.IGNORECASE)


def choose_parts(
    files: GeoCohortFiles, platforms: Sequence[str] = ()
) -> tuple[Series, list[tuple[Path, str]], list[str]]:
    """Choose the part of a series on some platforms; several parts are joined.

    `files`, `platforms`: the series, and GPL accessions; none for the part with most samples
    (`choose_series`). Returns joined with its expression; of a single matrix without it; the files
    that were read, and for what; what was joined, and what was not used.
    """
    if not platforms:
        series, used, notes = choose_series(files)
        return series, used, [*notes, *_check_accession(series, files.cohort)]
    parts = _headers(files) if files.matrices else _of_family_soft(files)
    wanted = [name.strip().upper() for name in platforms]
    chosen = [part for part in parts if (part.platform or "").upper() in wanted]
    there = {(part.platform or "").upper() for part in parts}
    if len(there) == 1 and not chosen:
        series, used, notes = choose_series(files)
        only = series.platform or "an unknown platform"
        notes += _check_accession(series, files.cohort)
        return series, used, [*notes, f"the series is on {only} alone, which is used"]
    missing = [name for name in wanted if name not in there]
    if missing:
        known = ", ".join(f"{p.platform} ({len(p.samples)} samples)" for p in parts)
        msg = f"{files.cohort} has no samples on {', '.join(missing)}; it has {known}"
        raise UsageError(msg)
    rest = [part for part in parts if not any(part is one for one in chosen)]
    notes = [f"{_names(chosen)} chosen by a person"]
    if rest:
        notes[0] += f"; not used: {_names(rest)}"
    notes += dict.fromkeys(n for part in chosen for n in _check_accession(part, files.cohort))
    used = [(path, "matrix") for path in dict.fromkeys(part.path for part in chosen)]
    if len(chosen) == 1:
        return chosen[0], used, notes
    whole = [part if part.expression else read_series_matrix(part.path) for part in chosen]
    joined = _join_series(whole)
    return joined, used, [*notes, f"{len(chosen)} parts of the same array were joined"]


def choose_series(files: GeoCohortFiles) -> tuple[Series, list[tuple[Path, str]], list[str]]:
    """Choose the matrix with the most samples, or the family SOFT file if there is no matrix."""
    # Ties are broken by the lowest GPL number. A matrix gives its header only, SOFT the expression.
    if not files.matrices:
        return _from_family_soft(files)
    headers = _headers(files)
    best, *others = headers
    notes = [
        f"{len(headers)} matrices: {best.path.name} has the most samples ({len(best.samples)}) and "
        "is used; not used: " + ", ".join(f"{s.path.name} ({len(s.samples)})" for s in others)
    ]
    return best, [(best.path, "matrix")], notes if others else []


def _headers(files: GeoCohortFiles) -> list[Series]:
    """Return the matrices without expression, that of most samples first."""
    found: list[Series] = []
    for path in files.matrices:
        try:
            found.append(read_series_matrix(path, expression=False))
        except SuperSeriesError:
            if path == files.matrices[-1] and not found:
                raise
    return sorted(found, key=lambda s: (-len(s.samples), _gpl_number(s.platform), s.path.name))


def _from_family_soft(files: GeoCohortFiles) -> tuple[Series, list[tuple[Path, str]], list[str]]:
    parts = _of_family_soft(files)
    path = files.family_soft[0]
    notes = [f"no series matrix: samples and expression were read from {path.name}"]
    if len(parts) > 1:
        rest = ", ".join(f"{s.platform} ({len(s.samples)})" for s in parts[1:])
        notes.append(
            f"{len(parts)} platforms: {parts[0].platform} with {len(parts[0].samples)} samples is "
            f"used; not used: {rest}"
        )
    return parts[0], [(path, "matrix")], notes


def _of_family_soft(files: GeoCohortFiles) -> list[Series]:
    if not files.family_soft:
        message = "no series matrix and no family SOFT file in the folder"
        hint = "put GSE..._series_matrix.txt.gz there, and GSE..._family.soft.gz if probes need it"
        raise FormatError(message, path=files.folder, hint=hint)
    return read_family_soft(files.family_soft[0])


def _gpl_number(platform: str | None) -> int:
    digits = re.search(r"\d+", platform or "")
    return int(digits.group()) if digits else 10**9


def _check_accession(series: Series, cohort: str) -> list[str]:
    """Refuse a series in the folder of another one; return a note where it names none."""
    return check_series_of(series.path, series.accession, cohort)


def check_series_of(path: Path, accession: str, cohort: str) -> list[str]:
    """Refuse a file of another series than its folder's; return a note where it names none.

    `accession`: the GSE accession that it states; empty if none. `cohort`: name of the folder. One
    that does not begin with an accession may hold any series.
    """
    folder = _SERIES.match(cohort)
    if folder is None:
        return []
    if not accession:
        return [f"{path.name} {NO_SERIES}; {folder.group()} is taken from its folder"]
    if accession.strip().upper() == folder.group().upper():
        return []
    msg = f"is a file of the series {accession.strip()[:20]}, in the folder of {folder.group()}"
    hint = f"move it to a folder {accession.strip()[:20]}, and fetch {folder.group()} again"
    raise FormatError(msg, path=path, hint=hint)


def _names(parts: Sequence[Series]) -> str:
    return ", ".join(f"{part.platform} ({len(part.samples)} samples)" for part in parts)


def _join_series(parts: Sequence[Series]) -> Series:
    """Join parts of a series that are measured by the same array, sample after sample."""
    first = parts[0]
    seen: set[str] = set()
    keep = []
    for part in parts:
        keep.append([i for i, name in enumerate(part.samples) if name not in seen])
        seen.update(part.samples)
    names = dict.fromkeys(name for part in parts for name in part.sample_fields)
    return replace(
        first,
        samples=tuple(p.samples[i] for p, kept in zip(parts, keep, strict=True) for i in kept),
        sample_fields={name: _joined_rows(name, parts, keep) for name in names},
        expression=_joined_expression(parts, keep),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _joined_rows(
    name: str, parts: Sequence[Series], keep: Sequence[Sequence[int]]
) -> tuple[Cells, ...]:
    rows = max(len(part.sample_fields.get(name, ())) for part in parts)
    joined = []
    for number in range(rows):
        cells: list[str | None] = []
        for part, kept in zip(parts, keep, strict=True):
            own = part.sample_fields.get(name, ())
            cells += [own[number][i] if number < len(own) else None for i in kept]
        joined.append(tuple(cells))
    return tuple(joined)


def _joined_expression(
    parts: Sequence[Series], keep: Sequence[Sequence[int]]
) -> ExpressionMatrix | None:
    tables = [part.expression for part in parts]
    first = tables[0]
    if first is None:
        return None
    blocks, samples = [], []
    for part, table, kept in zip(parts, tables, keep, strict=True):
        if table is None or set(table.ids) != set(first.ids):
            rows = 0 if table is None else len(table.ids)
            shared = 0 if table is None else len(set(table.ids) & set(first.ids))
            msg = (
                f"{parts[0].platform} and {part.platform} are not the same array ({len(first.ids)} "
                f"and {rows} rows, {shared} in common), so their samples cannot be joined; name "
                "one of them with --series-platform"
            )
            raise UsageError(msg)
        place = {name: i for i, name in enumerate(table.ids)}
        order = [place[name] for name in first.ids]
        column = {name: i for i, name in enumerate(table.samples)}
        wanted = [part.samples[i] for i in kept if part.samples[i] in column]
        blocks.append(table.values[np.ix_(order, [column[name] for name in wanted])])
        samples += wanted
    return ExpressionMatrix(first.ids, tuple(samples), np.hstack(blocks))
