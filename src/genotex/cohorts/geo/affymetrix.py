"""Scans of Affymetrix arrays (CEL) as one table of probe sets x samples, by RMA."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from genotex.errors import FormatError
from genotex.formats import (
    ArrayScan,
    ChipLayout,
    SeriesFile,
    TableFile,
    listed_files,
    read_cdf,
    read_cel,
    read_library,
    titled,
)
from genotex.genes import rma_values
from genotex.outside import current_limits, stored_file

_WHERE = "into the folder of the series, or into its GEO folder for all series"


def shared_layouts(folder: Path) -> list[SeriesFile]:
    """Return the layouts of chips in the folders above that of a series, for all series there."""
    near = [path for above in folder.resolve().parents[:2] for path in sorted(above.glob("*.*"))]
    found = listed_files(stored_file(path) for path in near if path.is_file())
    return [each for each in found if each.kind == "chip layout"]


def expression_of_scans(
    files: Sequence[SeriesFile],
    layouts: Sequence[SeriesFile],
    among: Callable[[Sequence[str]], int],
) -> TableFile:
    """Read CEL files, and summarise their probe sets by RMA.

    `layouts`: CDFs, or PGF, CLF and MPS; those of the chip are used. `among`: how many of some
    names are samples of the series; scans of other samples are left out where some are its own.
    Raises FormatError if scans are of several chips, or no layout of the chip is there.
    """
    scans = _one_of_each(files, among)
    first = read_cel(next(iter(scans.values())).disk_file)
    layout, name = _layout(first, layouts, files[0])
    limits, path = current_limits(), files[0].disk_file.path
    limits.check_table(len(layout.cells), len(scans), path)
    matches = np.empty((len(layout.cells), len(scans)), order="F")
    chips = Counter[str]()
    for j, file in enumerate(scans.values()):
        scan = read_cel(file.disk_file)
        chips[scan.chip] += 1
        if (scan.columns, scan.rows) != (layout.columns, layout.rows) or len(chips) > 1:
            of = [f"{each.chip} ({each.columns} x {each.rows} cells)" for each in (scan, first)]
            msg = f"{file.name} is of the chip {of[0]}, others of {of[1]}"
            hint = "keep the CEL files of one chip in the folder, without RAW.tar"
            raise FormatError(msg, path=path, hint=hint)
        matches[:, j] = scan.intensities[layout.cells]
    values = rma_values(matches, layout.sizes)
    columns = {"ID": layout.probe_sets, **dict(zip(scans, values.T, strict=True))}
    what = f"{len(scans)} arrays of {first.chip or layout.chip}"
    note = f"RMA of {what}, {len(values):,} probe sets by {name}"
    return TableFile(path, path.name, "CEL files", **titled(columns), notes=(note,))


def _one_of_each(
    files: Sequence[SeriesFile], among: Callable[[Sequence[str]], int]
) -> Mapping[str, SeriesFile]:
    """Return the scan of each sample of the series."""
    found: dict[str, SeriesFile] = {}
    for each in files:
        name = each.sample or re.sub(r"(?i)\.cel(\.gz)?$", "", Path(each.name).name)
        if other := found.get(name):
            msg = f"{name} has several scans: {other.name}, {each.name}"
            path = each.disk_file.path
            raise FormatError(msg, path=path, hint="keep one of them in the folder")
        found[name] = each
    own = {name: each for name, each in found.items() if among([name])}
    return own or found


def _layout(
    scan: ArrayScan, layouts: Sequence[SeriesFile], file: SeriesFile
) -> tuple[ChipLayout, str]:
    """Return the layout of a chip, and the name of its file."""
    wanted = _plain(scan.chip)
    named = [each for each in layouts if wanted and wanted in _plain(Path(each.name).name)]
    # HG-U133A is in the names of HG-U133A_2 as well.
    named.sort(key=lambda each: len(Path(each.name).name))
    others = _whole_layouts(layouts)
    for files in _whole_layouts(named) or (others if len(others) == 1 else ()):
        read = read_cdf if len(files) == 1 else read_library
        layout = read(*(each.disk_file for each in files))
        if (layout.columns, layout.rows) == (scan.columns, scan.rows):
            return layout, " and ".join(Path(each.name).name for each in files)
    chip = scan.chip or f"a chip of {scan.columns} x {scan.rows} cells"
    there = f" ({', '.join(each.name for each in layouts)} is not it)" if layouts else ""
    name = scan.chip or "its"
    msg = f"CEL files need the layout of their chip, {chip}{there}"
    hint = f"put {name}.cdf {_WHERE}; of gene and exon arrays {name}.pgf, .clf and .mps"
    raise FormatError(msg, path=file.disk_file.path, hint=hint)


def _whole_layouts(layouts: Sequence[SeriesFile]) -> list[tuple[SeriesFile, ...]]:
    """Return the CDFs, and PGF, CLF and MPS together; of several MPS the one of core probe sets."""
    ends: defaultdict[str, list[SeriesFile]] = defaultdict(list)
    for each in sorted(layouts, key=lambda each: "core" not in each.name):
        ends[Path(each.name.lower().removesuffix(".gz")).suffix].append(each)
    library = [ends[end][0] for end in (".pgf", ".clf", ".mps") if ends[end]]
    whole = [tuple(library)] if len(library) == 3 else []
    return [*((each,) for each in ends[".cdf"]), *whole]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
