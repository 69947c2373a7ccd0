"""Bytes of a file, unpacked piece by piece and counted: plain, gzip, bzip2, xz, zstd."""

from __future__ import annotations

import bz2
import lzma
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NoReturn

from isal import igzip_lib

from genotex.errors import FormatError, TruncatedFileError
from genotex.outside.limits import Gauge, Limits, current_limits

CHUNK = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
PARQUET_MAGIC = b"PAR1"
ZIP_MAGIC = b"PK\x03\x04"
FETCH_AGAIN = "the download may have been cut short or damaged: fetch the file again"

_XZ_MEMORY = 256 << 20
"""Bytes for the dictionary of xz; the strongest preset of the program needs 65 MiB."""
_ZSTD_BLOCK = 128 << 10
"""Bytes that a block of zstd unpacks to at most (RFC 8878, section 3.1.1.2.4)."""
_ZSTD_WINDOW = 128 << 20


class Packing(Enum):
    """How a file is packed, by its first bytes."""

    GZIP = GZIP_MAGIC
    BZIP2 = b"BZh"
    XZ = b"\xfd7zXZ"
    ZSTD = b"\x28\xb5\x2f\xfd"


def packing_of(first: bytes) -> Packing | None:
    """Return how a file is packed, None where it is not."""
    return next((each for each in Packing if first.startswith(each.value)), None)


def unpack(
    handle: BinaryIO, path: Path, gauge: Gauge, packings: tuple[Packing, ...] = tuple(Packing)
) -> Iterator[bytes]:
    """Yield the contents of an open file in pieces of at most 1 MiB, none of them empty.

    `handle`: read from where it is. `path`: Named in errors; not opened. `gauge`: Counts the pieces
    and refuses too many. `packings`: what is unpacked; the bytes of other files are given as they
    are. zstd never is: polars unpacks it (see `zstd_size`).
    """
    first = handle.read(CHUNK)
    packing = packing_of(first)
    pieces = _plain(first, handle)
    if packing in packings:
        if packing is Packing.GZIP:
            pieces = _gunzip(first, handle, path)
        elif packing in (Packing.BZIP2, Packing.XZ):
            pieces = _decompress(packing, first, handle, path, gauge)
    for piece in pieces:
        gauge.add(len(piece))
        yield piece


def _plain(piece: bytes, handle: BinaryIO) -> Iterator[bytes]:
    while piece:
        yield piece
        piece = handle.read(CHUNK)


def _gunzip(data: bytes, handle: BinaryIO, path: Path) -> Iterator[bytes]:
    while data:
        member = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
        while not member.eof:
            try:
                out = member.decompress(data, max_length=CHUNK)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # stub names an instance
                msg = f"the gzip data are damaged: {error}"
                raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN) from error
            if out:
                yield out
            data = b""
            if member.needs_input and not member.eof:
                data = handle.read(CHUNK)
                if not data:
                    msg = "the gzip data end too early"
                    raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)
        data = member.unused_data or handle.read(CHUNK)
        while data and not (data := data.lstrip(b"\0")):
            data = handle.read(CHUNK)
        if data and not data.startswith(GZIP_MAGIC[: len(data)]):
            msg = "other bytes follow the gzip data"
            raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)


def _decompress(
    packing: Packing, data: bytes, handle: BinaryIO, path: Path, gauge: Gauge
) -> Iterator[bytes]:
    """Unpack bzip2 or xz, of which several streams may follow one another."""
    # Bytes behind the last stream that begin no other are passed over, as bz2 and lzma do.
    unpacked = False
    while data and not (unpacked and not data.startswith(packing.value[: len(data)])):
        stream = _decompressor(packing)
        while not stream.eof:
            try:
                out = stream.decompress(data, max_length=CHUNK)
            except (OSError, ValueError, lzma.LZMAError) as error:
                if "emory usage limit" in str(error):
                    what = f"needs more than {_XZ_MEMORY >> 20} MiB of memory to be unpacked"
                    gauge.limits.refuse("memory", what, path, _XZ_MEMORY)
                _refuse(error, path)
            if out:
                yield out
            data = b""
            if stream.needs_input and not stream.eof and not (data := handle.read(CHUNK)):
                _refuse("they end too early", path)
        unpacked = True
        data = stream.unused_data or handle.read(CHUNK)
        if packing is Packing.XZ:
            while data and not (data := data.lstrip(b"\0")):
                data = handle.read(CHUNK)


def _decompressor(packing: Packing) -> bz2.BZ2Decompressor | lzma.LZMADecompressor:
    if packing is Packing.BZIP2:
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _refuse(why: object, path: Path) -> NoReturn:
    msg = f"the compressed data are damaged: {why}"
    raise TruncatedFileError(msg, path=path, hint=FETCH_AGAIN)


def zstd_size(handle: BinaryIO, path: Path) -> int:
    """Return a number of bytes that zstd data do not exceed when unpacked.

    Only the headers of the blocks are read (RFC 8878): plain and repeated blocks state their size,
    packed ones have at most 128 KiB, which most of them have.
    """
    size = 0
    while magic := handle.read(4):
        if len(magic) == 4 and 0x50 <= magic[0] <= 0x5F and magic[1:] == b"\x2a\x4d\x18":
            handle.seek(int.from_bytes(handle.read(4), "little"), os.SEEK_CUR)
            continue
        if magic != Packing.ZSTD.value:
            _refuse("other bytes follow the zstd data", path)
        checksum = _zstd_frame_header(handle, path)
        last = False
        while not last:
            header = handle.read(3)
            if len(header) < 3:
                _refuse("they end too early", path)
            block = int.from_bytes(header, "little")
            last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
            size += length if kind < 2 else _ZSTD_BLOCK
            handle.seek(1 if kind == 1 else length, os.SEEK_CUR)
        handle.seek(4 if checksum else 0, os.SEEK_CUR)
    return size


def _zstd_frame_header(handle: BinaryIO, path: Path) -> bool:
    """Read the header of a frame; return whether the frame ends with a checksum."""
    descriptor = (handle.read(1) or b"\0")[0]
    single, dictionary = descriptor & 0x20, (0, 1, 2, 4)[descriptor & 3]
    if not single:
        window = (handle.read(1) or b"\0")[0]
        base = 1 << (10 + (window >> 3))
        if base + base // 8 * (window & 7) > _ZSTD_WINDOW:
            _refuse(f"their window is larger than {_ZSTD_WINDOW >> 20} MiB", path)
    content = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    handle.seek(dictionary + content, os.SEEK_CUR)
    return bool(descriptor & 4)


def unreadable(path: Path, error: OSError, kind: type[FormatError] = FormatError) -> FormatError:
    """Return the error for a file that the system does not let us read."""
    msg = f"cannot be read: {error.strerror or error}"
    return kind(msg, path=path, hint="check the path and its permissions")


def read_document(path: Path, most: str = "document", limits: Limits | None = None) -> bytes:
    """Return the bytes of a file as they are, and no more than a limit allows.

    `most`: the limit of its size, one of `Limits`. `limits`: Those of the process by default.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        msg = "is not a plain file"
        raise FormatError(msg, path=path)
    with path.open("rb") as handle:
        size = os.fstat(handle.fileno()).st_size
        return read_whole(handle, size, Gauge(size, path, limits, most))


def read_whole(handle: BinaryIO, size: int, gauge: Gauge) -> bytes:
    """Return the rest of an open file as it is; `size` is what it should have, about."""
    # A read of so many bytes takes the memory for them first, whatever the file has.
    pieces = []
    wanted = min(size, gauge.most) + 1
    while piece := handle.read(wanted):
        gauge.add(len(piece))
        pieces.append(piece)
        wanted = CHUNK
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


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
