"""How large an uploaded file is when unpacked, found out before any reader opens it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl

from genotex.errors import FormatError
from genotex.formats import is_gzip, read_chunks

__all__ = ["check_unpacked"]

MOST_UNPACKED = 2 << 30
"""Bytes of an unpacked file."""
_PARQUET, _HDF5 = b"PAR1", b"\x89HDF\r\n\x1a\n"


def check_unpacked(path: Path, most: int | None = None) -> None:
    """Refuse an empty file, and one that has more bytes than `most` when unpacked."""
    most = MOST_UNPACKED if most is None else most
    if not path.stat().st_size:
        msg = "is empty"
        raise FormatError(msg, path=path)
    if _unpacked(path, most) > most:
        msg = f"has more than {most // 2**20:,} MiB when unpacked"
        hint = "put it in the folder and use the commands"
        raise FormatError(msg, path=path, hint=hint)


def _unpacked(path: Path, most: int) -> int:
    """Return the bytes of a file when unpacked; of gzip no more than what exceeds the limit."""
    with path.open("rb") as file:
        start = file.read(len(_HDF5))
    if is_gzip(path):
        size = 0
        for chunk in read_chunks(path):
            size += len(chunk)
            if size > most:
                break
        return size
    if start.startswith(_PARQUET):
        return _cells_of_parquet(path) * 8
    if start == _HDF5:
        return _bytes_of_hdf5(path)
    if zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive:
                return sum(part.file_size for part in archive.infolist())
        except zipfile.BadZipFile as error:
            msg = f"is a damaged archive: {error}"
            raise FormatError(msg, path=path) from error
    return path.stat().st_size


def _cells_of_parquet(path: Path) -> int:
    # Runs of the same value take no space: a few bytes can state billions of rows.
    try:
        columns = len(pl.read_parquet_schema(path))
        return columns * int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        # The reader reports what is wrong with it.
        return 0


def _bytes_of_hdf5(path: Path) -> int:
    try:
        import h5py
    except ImportError:
        return 0
    total = 0

    def add(_: str, found: object) -> None:
        nonlocal total
        if isinstance(found, h5py.Dataset):
            total += int(found.size or 0) * found.dtype.itemsize

    try:
        with h5py.File(path) as file:
            file.visititems(add)
    except (OSError, RuntimeError, ValueError):
        return 0
    return total
