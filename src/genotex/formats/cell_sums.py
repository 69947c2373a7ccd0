"""Single cells of 10x and AnnData files, added up to a column for each sample."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.extras import load_extra
from genotex.formats.geo.value_sources import SeriesFile, cell_files
from genotex.formats.matrix_market import (
    AT_ONCE,
    no_counts,
    refuse_no_counts,
    sum_market,
    whole_lines,
)
from genotex.formats.own_tables.table_file import TableFile, titled
from genotex.outside import FETCH_AGAIN, StoredFile, current_limits, open_hdf5, tar_members

_SAMPLES = re.compile(
    r"(gsm|geo)(_?(id|accession))?|(sample|donor|patient|subject|individual|library|orig\.?ident)"
    r"[._ ]?(id|name|label)?|sample_?names?",
    re.IGNORECASE,
)
_TYPES = re.compile(
    r"(major|author|predicted|broad|final)?[._ ]?(cell[._ ]?(type|label|class|annotation)s?)"
    r"[._ ]?(\d|major|broad|main|name|label)?",
    re.IGNORECASE,
)
_GENES = "Gene Expression"
_MOST_GROUPS = 20_000
_SEPARATOR = " | "


@dataclass(frozen=True, eq=False)
class _Sums:
    """Counts of one file, added up: genes x groups."""

    ids: tuple[str, ...]
    symbols: tuple[str, ...]
    groups: tuple[str, ...]
    values: NDArray[np.float64]
    cells: int


def sum_cells(
    files: Sequence[SeriesFile],
    among: Callable[[Sequence[str]], int] = len,
    *,
    cell_type: str = "",
    by_type: bool = False,
) -> TableFile:
    """Add up the counts of single cells: a column for each sample.

    A file is read in pieces, so that memory holds the sums and little more.

    Parameters
    ----------
    files : sequence of SeriesFile
        On the disk: 10x triplets, ``.h5`` or ``.h5ad``, of any number of samples.
    among : callable
        How many of some names are samples of the series; chooses the annotation of AnnData that
        names them.
    cell_type : str
        Add up only the cells with this label.
    by_type : bool
        A column for each sample and cell type, named ``sample | type``.

    Raises
    ------
    FormatError
        If a file cannot be read, holds no counts, or names no samples.
    """
    found: list[_Sums] = []
    for name, group in cell_files(files).items():
        sample = group[0].sample or Path(name).name
        found += _sums_of(sample, group, among, cell_type=cell_type, by_type=by_type)
    path = files[0].disk_file.path
    return _joined(found, path)


def _sums_of(
    sample: str,
    group: Sequence[SeriesFile],
    among: Callable[[Sequence[str]], int],
    *,
    cell_type: str,
    by_type: bool,
) -> list[_Sums]:
    first = group[0]
    kind = first.kind
    if kind == "10x matrix" and len(group) == 1 and first.name.lower().endswith(("tar.gz", "tgz")):
        return _sums_of_archive(sample, first.disk_file, among)
    if kind == "h5ad":
        with first.disk_file.on_disk() as path:
            return [_sum_anndata(path, first, among, cell_type=cell_type, by_type=by_type)]
    if cell_type or by_type:
        msg = "has no labels of its cells, so that one type of cells cannot be chosen"
        raise FormatError(msg, path=first.disk_file.place, hint="use an .h5ad with labels")
    if kind == "10x h5":
        with first.disk_file.on_disk() as path:
            return [_sum_10x(path, sample)]
    return [_sum_triplet(sample, {_part(each.name): each.disk_file for each in group})]


def _sums_of_archive(
    sample: str, archive: StoredFile, among: Callable[[Sequence[str]], int]
) -> list[_Sums]:
    """Add up the matrix in an archive of one sample, as Cell Ranger's output is often packed."""
    with archive.on_disk() as path:
        inside = [SeriesFile(each.member, each.size, path.name, each) for each in tar_members(path)]
        groups = [g for g in cell_files(inside).values() if g[0].kind in ("10x matrix", "10x h5")]
        if len(groups) != 1:
            msg = f"holds {len(groups)} matrices of 10x, not one"
            raise FormatError(msg, path=archive.place, hint="keep the filtered matrix alone")
        return _sums_of(sample, groups[0], among, cell_type="", by_type=False)


def _part(name: str) -> str:
    found = re.search(r"matrix\.mtx|barcodes|features|genes", name, re.IGNORECASE)
    return "genes" if found and found[0].lower() == "features" else (found[0] if found else "")


def _sum_triplet(sample: str, files: Mapping[str, StoredFile]) -> _Sums:
    """Add up a matrix in Matrix Market's format, with its table of genes."""
    if missing := {"matrix.mtx", "barcodes", "genes"} - files.keys():
        names = ", ".join(sorted(missing)).replace("genes", "features.tsv")
        some = next(iter(files.values()))
        msg = f"comes without {names}"
        raise FormatError(msg, path=some.place, hint="put matrix, barcodes and features together")
    limits = current_limits()
    lines = list(islice(_lines(files["genes"]), limits.rows + 1))
    limits.check("rows", len(lines), f"has more than {limits.rows:,} lines", files["genes"].place)
    cells = sum(1 for _ in _lines(files["barcodes"]))
    rows = [(*line.split("\t"), "", "", "") for line in lines]
    summed = sum_market(files["matrix.mtx"], len(rows), cells)
    kept = [i for i, row in enumerate(rows) if row[2] in ("", _GENES)]
    return _Sums(
        tuple(rows[i][0].strip() for i in kept),
        tuple((rows[i][1] or rows[i][0]).strip() for i in kept),
        (sample,),
        summed[kept, None],
        cells,
    )


def _lines(file: StoredFile) -> Iterator[str]:
    """Yield the lines of a table without its header, which few have."""
    first = True
    for piece in whole_lines(file):
        for line in piece.decode(errors="replace").splitlines():
            header = first and re.match(r"(x|barcode|gene_?id)s?\b(?!\t\d)", line, re.I)
            if not header and line.strip():
                yield line
            first = False


@contextmanager
def _opened(path: Path, kind: str) -> Iterator[Any]:
    """Open an HDF5 file; what h5py raises of a wrong one is an error of ours."""
    with open_hdf5(path, kind=kind) as file:
        try:
            yield file
        except (KeyError, ValueError, TypeError, OSError, IndexError) as error:
            msg = f"is not {kind} that can be read: {error}"
            raise FormatError(msg, path=path, hint=FETCH_AGAIN) from error


def _sum_10x(path: Path, sample: str) -> _Sums:
    """Add up a matrix of Cell Ranger, of version 3 or, with a genome's name, of version 2."""
    with _opened(path, "a matrix of 10x") as file:
        name = "matrix" if "matrix" in file else next(iter(file), "")
        group = file[name]
        features = group.get("features", group)
        ids = _names(features["id" if "id" in features else "genes"])
        symbols = _names(features["name" if "name" in features else "gene_names"])
        cells = len(group["barcodes"])
        kinds = _names(features["feature_type"]) if "feature_type" in features else ()
        sums = np.zeros((len(ids), 1))
        for rows, _, values in _sparse(group, len(ids), path):
            sums[:, 0] += np.bincount(rows, weights=values, minlength=len(ids))
        suffixes = {name.rpartition("-")[2] for name in _names(group["barcodes"]) if "-" in name}
        if len(suffixes) > 1:
            msg = f"holds {len(suffixes)} samples together, which it does not name"
            raise FormatError(msg, path=path, hint="use the matrix of each sample, or an .h5ad")
    kept = [i for i in range(len(ids)) if not kinds or kinds[i] == _GENES]
    return _Sums(
        tuple(ids[i] for i in kept), tuple(symbols[i] for i in kept), (sample,), sums[kept], cells
    )


def _names(dataset: Any) -> tuple[str, ...]:
    return tuple(
        name.decode(errors="replace") if isinstance(name, bytes) else str(name)
        for name in dataset[:]
    )


def _sparse(group: Any, inner: int, path: Path) -> Iterator[tuple[Any, Any, NDArray[Any]]]:
    """Yield the inner indices, outer indices and values of a compressed matrix in pieces."""
    starts = group["indptr"][:]
    data, indices = group["data"], group["indices"]
    if len(data) != len(indices) or (len(starts) and int(starts[-1]) != len(data)):
        msg = "has a sparse matrix whose parts do not fit"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)
    for at in range(0, len(data), AT_ONCE):
        values, rows = data[at : at + AT_ONCE], indices[at : at + AT_ONCE]
        if len(rows) and (rows.min() < 0 or rows.max() >= inner):
            msg = "has an index outside its matrix"
            raise FormatError(msg, path=path, hint=FETCH_AGAIN)
        refuse_no_counts(values, path)
        outer = np.searchsorted(starts, np.arange(at, at + len(rows)), side="right") - 1
        yield rows, outer, values


def _sum_anndata(
    path: Path,
    file: SeriesFile,
    among: Callable[[Sequence[str]], int],
    *,
    cell_type: str,
    by_type: bool,
) -> _Sums:
    """Add up the counts of an AnnData file by the samples that its ``obs`` names."""
    read_elem = load_extra("anndata.io", "anndata", path.name).read_elem
    with _opened(path, "an AnnData file") as stored:
        obs = read_elem(stored["obs"])
        groups, codes = _groups(obs, path, file, among, cell_type=cell_type, by_type=by_type)
        place = _counts_in(stored, path)
        var = read_elem(stored["raw/var" if place.startswith("raw") else "var"])
        ids = tuple(map(str, var.index))
        sums = np.zeros((len(ids), len(groups)))
        for cells, genes, values in _cells_of(stored[place], len(ids), len(obs), path):
            known = codes[cells] >= 0
            index = genes[known] * len(groups) + codes[cells][known]
            added = np.bincount(index, weights=values[known], minlength=sums.size)
            sums += added.reshape(sums.shape)
    title = next((t for t in var.columns if re.search(r"symbol|gene_?name|feature_name", t)), None)
    symbols = ids if title is None else tuple(map(str, var[title]))
    return _Sums(ids, symbols, groups, sums, int((codes >= 0).sum()))


def _counts_in(stored: Any, path: Path) -> str:
    """Return where the counts are: a layer, raw, or X."""
    places = [f"layers/{name}" for name in ("counts", "raw_counts", "count")] + ["raw/X", "X"]
    for place in places:
        if place not in stored:
            continue
        found = stored[place]
        some = np.asarray(_values(found)[:1000]).ravel()
        if len(some) and (some >= 0).all() and (some == np.floor(some)).all():
            return place
    no_counts("no counts in X, raw or a layer", path)


def _values(matrix: Any) -> Any:
    """Return the values of a sparse matrix, or a dense one."""
    return matrix["data"] if hasattr(matrix, "keys") else matrix


def _cells_of(
    matrix: Any, genes: int, cells: int, path: Path
) -> Iterator[tuple[Any, Any, NDArray[Any]]]:
    """Yield cells, genes and values in pieces, of a sparse or a dense matrix."""
    if hasattr(matrix, "keys"):
        by_gene = matrix.attrs.get("encoding-type") == "csc_matrix"
        inner = cells if by_gene else genes
        for rows, outer, values in _sparse(matrix, inner, path):
            yield (rows, outer, values) if by_gene else (outer, rows, values)
        return
    if matrix.shape != (cells, genes):
        msg = f"has values of the shape {matrix.shape}, not {(cells, genes)}"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)
    step = max(1, AT_ONCE // max(1, genes))
    for at in range(0, cells, step):
        block = matrix[at : at + step]
        refuse_no_counts(block.ravel(), path)
        row, gene = np.nonzero(block)
        yield row + at, gene, block[row, gene]


def _groups(
    obs: Any,
    path: Path,
    file: SeriesFile,
    among: Callable[[Sequence[str]], int],
    *,
    cell_type: str,
    by_type: bool,
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the groups of cells, and the group of each cell; -1 for those left out."""
    samples = _of_each_cell(obs, path, file, among)
    if cell_type or by_type:
        title = next((str(t) for t in obs.columns if _TYPES.fullmatch(str(t))), None)
        if title is None:
            msg = f"has no labels of cell types; it has {', '.join(map(str, obs.columns))}"
            raise FormatError(msg, path=path, hint="name the column of obs cell_type")
        types = obs[title].astype(str).to_numpy()
        if by_type:
            samples = np.char.add(np.char.add(samples, _SEPARATOR), types.astype(str))
        elif cell_type not in set(types):
            msg = f"has no cells labelled {cell_type!r}; there are {', '.join(sorted(set(types)))}"
            raise FormatError(msg, path=path)
        else:
            samples = np.where(types == cell_type, samples, "")
    names, codes = np.unique(samples, return_inverse=True)
    if len(names) > _MOST_GROUPS:
        msg = f"names {len(names):,} groups of cells, more than {_MOST_GROUPS:,}"
        raise FormatError(msg, path=path)
    shift = int(bool(len(names)) and names[0] == "")
    return tuple(map(str, names[shift:])), codes - shift


def _of_each_cell(
    obs: Any, path: Path, file: SeriesFile, among: Callable[[Sequence[str]], int]
) -> NDArray[np.str_]:
    """Return the sample of each cell."""
    if file.sample:
        return np.full(len(obs), file.sample)
    matched: dict[str, int] = {}
    for title in map(str, obs.columns):
        names = [str(name) for name in obs[title].unique()]
        if 1 < len(names) <= min(_MOST_GROUPS, len(obs) / 2) and (found := among(names)):
            matched[title] = found + bool(_SAMPLES.fullmatch(title))
    best = max(matched.values(), default=0)
    titles = [title for title, count in matched.items() if count == best]
    first: dict[str, NDArray[np.str_]] = {
        title: obs[title].astype(str).to_numpy().astype(str) for title in titles
    }
    different = [t for t in titles if not _same_groups(first[t], first[titles[0]])]
    if not titles or different:
        words = f"{titles[0]!r} and {different[0]!r} both" if different else "no column of obs"
        msg = f"{words} {'name' if different else 'names'} the samples of its cells"
        hint = f"name them in a column 'sample'; it has {', '.join(map(str, obs.columns))}"
        raise FormatError(msg, path=path, hint=hint)
    return first[titles[0]]


def _same_groups(one: NDArray[np.str_], other: NDArray[np.str_]) -> bool:
    """Return whether two columns group the cells alike, and do not swap the same names."""
    names, others = set(one.tolist()), set(other.tolist())
    pairs = len(set(zip(one.tolist(), other.tolist(), strict=True)))
    alike = pairs == len(names) == len(others)
    return alike and (names != others or bool((one == other).all()))


def _joined(found: Sequence[_Sums], path: Path) -> TableFile:
    """Join the sums of files by the ids of their genes; a gene that a file lacks has no reads."""
    ids = dict.fromkeys(name for each in found for name in each.ids)
    place = {name: i for i, name in enumerate(ids)}
    symbols = {n: s for each in found for n, s in zip(each.ids, each.symbols, strict=True)}
    groups = [name for each in found for name in each.groups]
    if repeated := {name for name in groups if groups.count(name) > 1}:
        msg = f"several files are of the sample {min(repeated)}"
        raise FormatError(msg, path=path, hint="keep one matrix for each sample in the folder")
    values = np.zeros((len(ids), len(groups)))
    column = 0
    for each in found:
        rows = [place[name] for name in each.ids]
        inside = values[:, column : column + len(each.groups)]
        np.add.at(inside, np.array(rows, dtype=np.intp), each.values)
        column += len(each.groups)
    cells = sum(each.cells for each in found)
    note = f"{cells:,} cells added up to {len(groups)} columns"
    columns: dict[str, Any] = {"ID": list(ids), "Gene symbol": [symbols[name] for name in ids]}
    columns |= dict(zip(groups, values.T, strict=True))
    return TableFile(path, path.name, "single cells", **titled(columns), notes=(note,))
