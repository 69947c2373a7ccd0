"""Files that somebody sends: judged whole, by their content, before any reader opens them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from genotex.errors import FormatError
from genotex.outside.limits import Gauge, Limits, current_limits
from genotex.outside.unpacking import (
    HDF5_MAGIC,
    PARQUET_MAGIC,
    ZIP_MAGIC,
    Packing,
    packing_of,
    unpack,
    unreadable,
    zstd_size,
)


def check_upload(path: Path, most: str = "upload") -> None:
    """Refuse an uploaded file that is empty, or larger than uploads may be when unpacked.

    The limits are those of `Limits.for_uploads`, which no setting raises.

    `most`: the limit of its size: ``upload``, or that of a kind of file.
    """
    limits = current_limits().for_uploads()
    limits = replace(limits, unpacked=min(limits.unpacked, getattr(limits, most)))
    try:
        with path.open("rb") as handle:
            _check(handle, path, limits, most)
    except OSError as error:
        raise unreadable(path, error) from error


def _check(handle: BinaryIO, path: Path, limits: Limits, most: str) -> None:
    gauge = Gauge(os.fstat(handle.fileno()).st_size, path, limits, most)
    first = handle.read(len(HDF5_MAGIC))
    handle.seek(0)
    if not first:
        msg = "is empty"
        raise FormatError(msg, path=path)
    if first.startswith(PARQUET_MAGIC):
        from genotex.outside.parquet import check_parquet

        check_parquet(handle, path, limits)
    elif first == HDF5_MAGIC:
        from genotex.outside.arrays import open_hdf5

        with open_hdf5(path, limits):
            pass
    elif first.startswith(ZIP_MAGIC):
        from genotex.outside.zips import check_zip

        check_zip(handle, path, limits)
    elif packing_of(first) is Packing.ZSTD:
        gauge.add(zstd_size(handle, path))
    else:
        for _ in unpack(handle, path, gauge):
            pass
