"""Unpacking: every byte comes out, in pieces, and no more than the limits allow."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.errors import FileLimitError, FormatError, TruncatedFileError
from genotex.outside import Gauge, Limits, read_document, unpack, zstd_size
from tests.attacks.files import zstd_of_runs

TEXT = "".join(f"gene{i}\t{i * 7919 % 1000}\n" for i in range(20_000)).encode()


def unpacked(data: bytes, limits: Limits | None = None) -> bytes:
    handle = io.BytesIO(data)
    return b"".join(unpack(handle, Path("f"), Gauge(len(data), Path("f"), limits)))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_what_was_packed_comes_out(pack: Callable[[bytes], bytes]) -> None:
    assert unpacked(pack(TEXT)) == TEXT
    if pack is not bytes:
        assert unpacked(pack(TEXT[:500]) + pack(TEXT[500:])) == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_data_that_are_cut_or_damaged(pack: Callable[[bytes], bytes]) -> None:
    data = pack(TEXT)
    with pytest.raises(TruncatedFileError, match="end too early"):
        unpacked(data[:-20])
    middle = len(data) // 2
    with pytest.raises(TruncatedFileError, match="damaged"):
        unpacked(data[:middle] + bytes(200) + data[middle + 200 :])


def test_bytes_behind_the_last_stream_of_bzip2_and_xz_are_passed_over() -> None:
    for pack in (bz2.compress, lzma.compress):
        assert unpacked(pack(TEXT) + b"behind") == TEXT


def test_sparse_counts_that_pack_well_are_read() -> None:
    rows = np.zeros((500, 4000), dtype=int)
    rng = np.random.default_rng(1)
    rows[rng.integers(0, 500, 4000), rng.integers(0, 4000, 4000)] = rng.integers(1, 50, 4000)
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist()).encode() * 18
    packed = gzip.compress(text, 6)
    assert len(text) > Limits().free and 100 < len(text) / len(packed) < 250
    assert len(unpacked(packed)) == len(text)


def test_nothing_more_is_unpacked_than_is_allowed() -> None:
    taken = 0
    data = bz2.compress(bytes(3 << 20)) * 40
    limits = Limits(free=4 << 20)
    with pytest.raises(FileLimitError, match="limit 'ratio'"):
        for piece in unpack(io.BytesIO(data), Path("f"), Gauge(len(data), Path("f"), limits)):
            taken += len(piece)
    assert taken <= 4 << 20


@pytest.mark.parametrize("size", [0, 1, 1000, 131_072, 131_073, 700_000])
@pytest.mark.parametrize("kind", ["random", "repeated", "text"])
def test_zstd_states_no_less_than_it_unpacks_to(tmp_path: Path, size: int, kind: str) -> None:
    data = {
        "random": random.Random(size).randbytes(size).hex().encode()[:size],
        "repeated": b"A" * size,
        "text": (TEXT * 3)[:size],
    }[kind]
    path = tmp_path / "t.zst"
    # As polars writes a single column of text.
    pl.DataFrame({"x": [data.decode()]}).lazy().sink_csv(
        path, compression="zstd", include_header=False, quote_style="never"
    )
    packed = path.read_bytes()
    assert packed.startswith(b"\x28\xb5\x2f\xfd")
    found = zstd_size(io.BytesIO(packed), path)
    assert len(data) <= found <= len(data) + (1 << 17) + 10


def test_zstd_of_runs_states_what_it_is() -> None:
    assert zstd_size(io.BytesIO(zstd_of_runs(12)), Path("f")) == 12 * 131_072
    skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
    assert zstd_size(io.BytesIO(skipped + zstd_of_runs(2)), Path("f")) == 2 * 131_072
    for data in (zstd_of_runs(2)[:-3], zstd_of_runs(2) + b"more", b"\x28\xb5\x2f\xfd"):
        with pytest.raises(TruncatedFileError, match="damaged"):
            zstd_size(io.BytesIO(data), Path("f"))


def test_a_document_has_a_size(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"1234567890")
    assert read_document(path, limits=Limits(document=10)) == b"1234567890"
    with pytest.raises(FileLimitError, match=r"limit 'document'.* is 9 bytes"):
        read_document(path, limits=Limits(document=9))


def test_a_pipe_without_end_is_no_document(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FormatError, match="is not a plain file"):
        read_document(pipe)
