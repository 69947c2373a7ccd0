"""Tables in R's files, ``.rds`` and ``.RData``: read by `rdata`, which executes nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from genotex.errors import FormatError
from genotex.extras import load_extra
from genotex.formats.own_tables.frames import table_of_frame
from genotex.formats.own_tables.table_file import TableFile, TableFormat
from genotex.outside import FETCH_AGAIN, Gauge, current_limits, stored_file, unpack

_WRITE = "write it from R with write.csv(table, 'table.csv')"
_SEQUENCES = (b"compact_intseq", b"compact_realseq")
_DEEPEST = 3


def _read_r_object(path: Path, numbers: bool) -> TableFile:
    """Read the table of a file of R; of several, the one with the most cells."""
    found = list(_tables(_objects(path), path))
    if not found:
        msg = "holds no matrix and no data frame, but objects of classes that only R can read"
        raise FormatError(msg, path=path, hint=_WRITE)
    name, frame = max(found, key=lambda each: each[1].size)
    current_limits().check_table(len(frame), len(frame.columns), path)
    table = table_of_frame(frame, path.name, numbers=numbers)
    form = f"R object {name!r}" if name else "R object"
    others = [other for other, _ in found if other != name]
    notes = (f"other tables of the file were left out: {', '.join(others[:10])}",) if others else ()
    return replace(table, path=path, form=form, notes=notes)


def _objects(path: Path) -> Any:
    """Return what a file holds, as objects of NumPy, pandas and xarray."""
    conversion, parser = (
        load_extra(f"rdata.{name}", "r", path.name, f", or {_WRITE}")
        for name in ("conversion", "parser")
    )
    file = stored_file(path)
    with file.open() as handle:
        # Unpacked here, within limits; `rdata` gets plain bytes.
        data = b"".join(unpack(handle, path, Gauge(file.size, path)))
    known = parser.DEFAULT_ALTREP_MAP
    sequences = {name: _bounded(known[name], path) for name in _SEQUENCES}
    try:
        with warnings.catch_warnings():
            # Of classes that it does not know.
            warnings.simplefilter("ignore")
            parsed = parser.parse_data(data, altrep_constructor_dict={**known, **sequences})
            return conversion.convert(parsed)
    except FormatError:
        raise
    # The library raises whatever a damaged file makes it raise.
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        msg = f"is not a file of R that can be read: {reason[:200]}"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN) from error


def _bounded(expand: Any, path: Path) -> Any:
    """Return what expands a sequence, such as 1:n, of which the file has only the length."""

    def expanded(state: Any) -> Any:
        rows = int(np.ravel(state.value)[0])
        current_limits().check("rows", rows, f"has a sequence of {rows:,} numbers", path)
        return expand(state)

    return expanded


def _tables(found: Any, path: Path, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield matrices with names and data frames, also those in lists."""
    import pandas as pd

    if isinstance(found, Mapping):
        for key, each in found.items() if depth < _DEEPEST else ():
            yield from _tables(each, path, f"{name}${key}" if name else str(key), depth + 1)
    elif isinstance(found, pd.DataFrame):
        yield name, found
    elif hasattr(found, "Dimnames"):
        if (sparse := _sparse(found, path)) is not None:
            yield name, sparse
    elif getattr(found, "ndim", 0) == 2 and getattr(found, "coords", None):
        rows, columns = (found.coords.get(dim) for dim in found.dims)
        if rows is not None and columns is not None:
            yield name, pd.DataFrame(found.values, rows.values, columns.values)


def _sparse(found: Any, path: Path) -> Any:
    """Return a ``dgCMatrix`` of the package Matrix as a data frame, if it has names."""
    import pandas as pd
    from scipy.sparse import csc_matrix

    rows, columns = (np.ravel(names) for names in found.Dimnames)
    if not hasattr(found, "p") or not rows.size or not columns.size:
        return None
    current_limits().check_table(len(rows), len(columns), path)
    matrix = csc_matrix((found.x, found.i, found.p), shape=(len(rows), len(columns)))
    matrix.check_format(full_check=True)
    return pd.DataFrame(matrix.toarray(), rows, columns)


FORMATS = (TableFormat((".rds", ".rda", ".rdata"), _read_r_object, ".rds, .RData", rank=4),)
