import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import TextIO

import polars as pl
import pytest

from genotex.errors import UsageError
from genotex.io import atomic_write, lock, make_folder


def test_atomic_write_replaces_whole_and_keeps_the_usual_mode(tmp_path: Path) -> None:
    target = tmp_path / "new" / "table.csv"
    for text in ("first", "second"):
        with atomic_write(target) as part:
            part.write_text(text)
        assert target.read_text() == text
    assert [p.name for p in target.parent.iterdir()] == ["table.csv"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_full_disk_of_a_table_is_an_error_of_the_system_that_names_the_file(
    tmp_path: Path, kind: str
) -> None:
    frame = pl.DataFrame({"a": [1, 2, 3]})
    write = frame.write_parquet if kind == "parquet" else frame.write_csv
    target = tmp_path / "table"
    with pytest.raises(OSError, match="No space left") as error, atomic_write(target):
        write(Path("/dev/full"))
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(target))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_atomic_write_that_fails_leaves_the_old_file(
    tmp_path: Path, how: type[BaseException]
) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(how), atomic_write(target) as part:
        part.write_text("half")
        raise how
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("place", ["in_the_way/x.csv", "in_the_way/deeper/x.csv"])
def test_file_where_a_folder_is_needed_is_named(tmp_path: Path, place: str) -> None:
    file = tmp_path / "in_the_way"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="in_the_way is a file, where a folder is needed"):
        make_folder((tmp_path / place).parent)
    for opened in (atomic_write(tmp_path / place), lock(tmp_path / place)):
        with pytest.raises(UsageError, match="in_the_way is a file"), opened:
            pass
    assert file.read_text(encoding="utf-8") == "mine"


def test_lock_is_held_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "cohort_info.json"
    with lock(path), (tmp_path / ".cohort_info.json.lock").open("w") as other:
        assert not can_lock(other)
    with (tmp_path / ".cohort_info.json.lock").open("w") as other:
        assert can_lock(other)


def test_lock_that_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    in_use = pytest.raises(UsageError, match="in use by another process")
    with lock(path, wait=False), in_use, lock(path, wait=False):
        pytest.fail("both hold it")
    with lock(path, wait=False):
        pass


def test_the_lock_file_of_another_user_is_as_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Path.open

    def read_only(path: Path, mode: str = "r") -> object:
        if mode != "r":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return plain(path, mode)

    path = tmp_path / "run.json"
    with lock(path):
        monkeypatch.setattr(Path, "open", read_only)
        with pytest.raises(UsageError, match="in use by another process"), lock(path, wait=False):
            pytest.fail("both hold it")
    with lock(path, wait=False):
        pass
    (tmp_path / ".run.json.lock").unlink()
    with pytest.raises(PermissionError), lock(path):
        pytest.fail("there is no file to lock")


def can_lock(handle: TextIO) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
