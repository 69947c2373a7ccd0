"""A large series matrix is parsed once; after that its numbers are read from the cache folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from genotex.formats import Series, read_series_matrix
from genotex.outside import Limits, use_limits

SAMPLES = [f"GSM{number}" for number in range(1, 31)]
VALUES = "\t".join(f"{number / 7:.5f}" for number in range(61, 60 + len(SAMPLES)))
GIB = 1 << 30


def write_matrix(path: Path, columns: list[str] = SAMPLES, rows: int = 20_000) -> Path:
    """Write a matrix of 5 MB with a gap in each row and a cell that is no number."""
    names = '"\t"'.join(SAMPLES)
    head = f'!Series_geo_accession\t"GSE1"\n!Sample_geo_accession\t"{names}"\n'
    table = "\t".join(["ID_REF", *columns])
    lines = (f'"{row}_at"\t{VALUES}\t{"wrong" if row == 7 else ""}\n' for row in range(rows))
    parts = [head, "!series_matrix_table_begin\n", table, "\n", *lines]
    path.write_text("".join([*parts, "!series_matrix_table_end\n"]))
    return path


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, set_limits: Callable[..., None]
) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    set_limits(kept=GIB)
    return tmp_path / "cache" / "genotex" / "matrices"


@pytest.fixture
def unparsed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Series]:
    """Read a matrix whose table must not be parsed."""

    def read(path: Path) -> Series:
        def refuse(*_: object, **__: object) -> None:
            pytest.fail("the table was parsed")

        with monkeypatch.context() as patched:
            patched.setattr("genotex.formats.geo.series_matrix._read_table", refuse)
            return read_series_matrix(path)

    return read


def same(left: Series, right: Series) -> bool:
    one, other = left.expression, right.expression
    assert one is not None and other is not None
    facts = [
        (s.samples, s.series_fields, s.sample_fields, s.notes, e.ids, e.samples, e.values.strides)
        for s, e in ((left, one), (right, other))
    ]
    bits = (each.values.view(np.uint64) for each in (one, other))
    return facts[0] == facts[1] and np.array_equal(*bits)


@pytest.mark.parametrize("columns", [SAMPLES, SAMPLES[::-1]])
def test_the_second_time_the_same_series_comes_without_parsing(
    tmp_path: Path, folder: Path, unparsed: Callable[[Path], Series], columns: list[str]
) -> None:
    path = write_matrix(tmp_path / "m.txt", columns)
    first = read_series_matrix(path)
    assert any("not numbers" in note for note in first.notes)
    moved = path.rename(tmp_path / "n.txt")
    again = unparsed(moved)
    assert same(first, again) and again.path == moved
    assert folder.stat().st_mode & 0o777 == 0o700
    moved.write_text(moved.read_text().replace("8.71429", "8.71428", 1))
    changed = read_series_matrix(moved)
    assert not same(first, changed) and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: kept[:-1],
        lambda kept: kept[: len(kept) // 2],
        lambda kept: kept[:1_000_000] + bytes([kept[1_000_000] ^ 1]) + kept[1_000_001:],
        lambda kept: kept.replace(b'"7_at"', b'"8_at"', 1),
        lambda kept: b"",
        lambda kept: b"[[], [], [], 0]\n" + kept,
        lambda kept: b"something else\n" * 1000,
    ],
)
def test_a_damaged_or_foreign_file_is_noticed_and_replaced(
    tmp_path: Path,
    folder: Path,
    unparsed: Callable[[Path], Series],
    damage: Callable[[bytes], bytes],
) -> None:
    path = write_matrix(tmp_path / "m.txt")
    first = read_series_matrix(path)
    (kept,) = folder.iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert same(first, read_series_matrix(path))
    assert same(first, unparsed(path))
    assert list(folder.iterdir()) == [kept]


def test_nothing_is_kept_of_small_files_and_uploads_or_where_it_is_off(
    tmp_path: Path, folder: Path, set_limits: Callable[..., None]
) -> None:
    read_series_matrix(write_matrix(tmp_path / "small.txt", rows=1000))
    path = write_matrix(tmp_path / "m.txt")
    with use_limits(Limits().for_uploads()):
        read_series_matrix(path)
    set_limits(kept=0)
    read_series_matrix(path)
    assert not folder.exists()


def test_the_tables_read_longest_ago_make_room(
    tmp_path: Path,
    folder: Path,
    unparsed: Callable[[Path], Series],
    set_limits: Callable[..., None],
) -> None:
    paths = [write_matrix(tmp_path / f"{rows}.txt", rows=rows) for rows in (20_000, 20_001, 20_002)]
    set_limits(kept=11_000_000)
    for path in (paths[0], paths[1], paths[0], paths[2]):
        read_series_matrix(path)
    assert sum(kept.stat().st_size for kept in folder.iterdir()) <= 11_000_000
    for path in (paths[0], paths[2]):
        unparsed(path)
    read_series_matrix(write_matrix(tmp_path / "large.txt", rows=50_000))
    assert len(list(folder.iterdir())) == 2


def test_where_nothing_can_be_kept_safely_the_file_is_read(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_matrix(tmp_path / "m.txt")
    folder.parent.parent.write_text("a file in the way")
    first = read_series_matrix(path)
    folder.parent.parent.unlink()
    folder.mkdir(parents=True, mode=0o755)
    assert same(first, read_series_matrix(path))
    folder.chmod(0o700)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=15_000_000))
    assert same(first, read_series_matrix(path))
    assert not list(folder.iterdir())


def test_processes_at_once_keep_one_whole_file(
    tmp_path: Path, folder: Path, unparsed: Callable[[Path], Series]
) -> None:
    path = write_matrix(tmp_path / "m.txt")
    code = "import sys; from genotex.formats import read_series_matrix as r; r(sys.argv[1])"
    started = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(3)]
    assert [process.wait(120) for process in started] == [0, 0, 0]
    assert len(list(folder.iterdir())) == 1
    kept = unparsed(path)
    (file,) = folder.iterdir()
    file.unlink()
    assert same(kept, read_series_matrix(path))
