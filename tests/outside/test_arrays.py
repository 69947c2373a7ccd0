"""HDF5 and NumPy files: nothing leads out of them, and what was checked is what is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from genotex.errors import FileLimitError, FormatError
from genotex.outside import open_hdf5, read_array
from tests.attacks.files import SECRET, anndata_file, h5ad


def test_what_anndata_writes_is_opened(tmp_path: Path) -> None:
    shapes: dict[str, tuple[int, ...]] = {}
    with open_hdf5(anndata_file(tmp_path), first=shapes.update) as file:
        assert {"X", "obs", "var"} <= set(file)
    # Strings of pandas 3 are a group with a mask.
    names = shapes.get("obs/_index") or shapes["obs/_index/values"]
    assert shapes["X"] == (6, 16) and names == (6,)


def test_the_file_that_was_checked_is_the_file_that_is_read(tmp_path: Path) -> None:
    path = anndata_file(tmp_path)
    with h5py.File(path) as file:
        honest = file["X"][...]
    (tmp_path / "other").mkdir()

    def change(file: Any, _: Path) -> None:
        file["X"][...] = SECRET

    hostile = h5ad(change)(tmp_path / "other")
    with open_hdf5(path) as file:
        hostile.replace(path)
        assert np.array_equal(file["X"][...], honest)


@pytest.mark.parametrize("packed", [{}, {"compression": "gzip"}, {"compression": "lzf"}])
def test_chunks_of_any_size_are_read(tmp_path: Path, packed: dict[str, str]) -> None:
    path = tmp_path / "t.h5"
    values = np.random.default_rng(1).normal(size=(3000, 400))
    with h5py.File(path, "w") as file:
        file.create_dataset("whole", data=values, chunks=values.shape, shuffle=True, **packed)
        file.create_dataset("many", data=values, chunks=(10, 10), fletcher32=True, **packed)
    with open_hdf5(path) as file:
        assert np.array_equal(file["whole"][...], values)
        assert np.array_equal(file["many"][...], values)


def test_a_large_chunk_that_is_honest_is_unpacked_to_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "t.h5"
    values = np.random.default_rng(1).integers(0, 99, (600, 2000)).astype(float)
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", data=values, chunks=values.shape, compression="gzip")
        assert made.id.get_chunk_info(0).size > 600_000
    with open_hdf5(path) as file:
        assert np.array_equal(file["x"][...], values)


def test_long_texts_next_to_many_short_ones(tmp_path: Path) -> None:
    path = tmp_path / "t.h5"
    names = [f"gene {i}" for i in range(20_000)]
    with h5py.File(path, "w") as file:
        file["long"] = "A" * (3 << 20)
        file["names"] = names
        file.attrs["order"] = names[:50]
    with open_hdf5(path) as file:
        assert file["names"].asstr()[...].tolist() == names


def test_objects_and_bytes_have_limits(tmp_path: Path, set_limits: Callable[..., None]) -> None:
    path = tmp_path / "t.h5"
    with h5py.File(path, "w") as file:
        for i in range(20):
            file[f"g/{i}"] = np.zeros(1000)
    with open_hdf5(path):
        pass
    set_limits(objects=10)
    with pytest.raises(FileLimitError, match="limit 'objects'"), open_hdf5(path):
        pass
    set_limits(unpacked=100_000)
    with pytest.raises(FileLimitError, match="limit 'unpacked'"), open_hdf5(path):
        pass


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n" + bytes(500), b"no HDF5 at all"])
def test_other_files_are_an_error_of_ours(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.h5"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="is not an HDF5 file"), open_hdf5(path):
        pass


def test_arrays_of_numbers_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(6, dtype=np.float16).reshape(2, 3))
    assert read_array(path).tolist() == [[0, 1, 2], [3, 4, 5]]
    for other in (np.array([1 + 2j]), np.array(["a"]), np.zeros(2, dtype=[("a", "f4")])):
        np.save(path, other)
        with pytest.raises(FormatError, match="holds no numbers"):
            read_array(path)
    np.savez(tmp_path / "b.npz", x=np.zeros(3))
    with pytest.raises(FormatError, match="holds no numbers"):
        read_array(tmp_path / "b.npz")
