"""The table of a large series matrix, kept as numbers: text takes ten times as long to read.

Files are found by the content of the series matrix, in a folder that only its owner can read.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from genotex.formats.geo.series import ExpressionMatrix, Series
from genotex.formats.lines import sha256
from genotex.io import PART
from genotex.kept import cache_folder, installed
from genotex.outside import current_limits

_LEAST = 4 << 20
"""A file of fewer bytes is read in a twentieth of a second."""
_OF_FREE = 4
"""A file takes at most one in so many of the bytes that are free: results go to the same disk."""
_DIGITS = 8
"""Of the checksum at the end of a kept file."""


def kept_matrix(path: Path) -> KeptMatrix | None:
    """Return where the table of a file is kept; None for a small file, an upload, or by setting."""
    limits = current_limits()
    with suppress(OSError, RuntimeError):
        if limits.kept and not limits.uploaded and path.stat().st_size >= _LEAST:
            # Other limits may refuse the file, another version may read it in another way.
            state = repr((sha256(path), replace(limits, kept=0), installed(), sys.byteorder))
            key = hashlib.sha256(state.encode()).hexdigest()
            return KeptMatrix(cache_folder("matrices") / key, limits.kept)
    return None


class KeptMatrix:
    """The expression of one series matrix and the notes on it, in a file of numbers.

    The file holds a line of JSON, the values as they are in memory, and a checksum of both. What
    cannot be kept or read is read from the series matrix, without a message.

    `most`: bytes of all such files together.
    """

    def __init__(self, path: Path, most: int) -> None:
        self.path, self._most = path, most

    def read(self) -> tuple[ExpressionMatrix, tuple[str, ...]] | None:
        """Return the expression and the notes; None where nothing whole was kept."""
        with suppress(OSError, ValueError):
            if not _is_own(self.path.parent):
                return None
            with self.path.open("rb") as handle:
                text = handle.readline()
                size = os.fstat(handle.fileno()).st_size - len(text) - _DIGITS
                values = np.fromfile(handle, np.float64, size // 8)
                if handle.read() != _checksum(text, values):
                    return None
            os.utime(self.path)
            ids, samples, notes, order = json.loads(text)
            values = values.reshape((len(ids), len(samples)), order=order)
            return ExpressionMatrix(tuple(ids), tuple(samples), values), tuple(notes)
        return None

    def keep(self, series: Series) -> None:
        """Keep the expression of a series where there is room; the oldest files go first."""
        matrix = series.expression
        if matrix is None or matrix.values.nbytes < _LEAST or matrix.values.dtype != np.float64:
            return
        order = "C" if matrix.values.flags.c_contiguous else "F"
        values = matrix.values if order == "C" else matrix.values.T
        text = json.dumps([matrix.ids, matrix.samples, series.notes, order]).encode() + b"\n"
        folder = self.path.parent
        with suppress(OSError):
            folder.mkdir(0o700, parents=True, exist_ok=True)
            size = len(text) + values.nbytes + _DIGITS
            enough = size <= min(self._most, shutil.disk_usage(folder).free // _OF_FREE)
            if not values.flags.c_contiguous or not enough or not _is_own(folder):
                return
            _make_room(folder, self._most - size)
            # Not flushed to the disk: a file that a crash cut off is noticed.
            with tempfile.NamedTemporaryFile(dir=folder, suffix=PART, delete=False) as part:
                try:
                    part.write(text)
                    part.write(values.data)
                    part.write(_checksum(text, values))
                    part.close()
                    Path(part.name).replace(self.path)
                except BaseException:
                    Path(part.name).unlink()
                    raise


def _checksum(text: bytes, values: NDArray[np.floating]) -> bytes:
    return b"%08x" % isal_zlib.crc32(values.data, isal_zlib.crc32(text))


def _is_own(folder: Path) -> bool:
    """Return whether only this user can read a folder and write to it."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _make_room(folder: Path, most: int) -> None:
    """Remove the files that were used longest ago until the others have at most so many bytes."""
    found = [(path.stat(), path) for path in folder.iterdir()]
    found.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
    held = 0
    for state, path in found:
        held += state.st_size
        if held > most:
            path.unlink(missing_ok=True)
