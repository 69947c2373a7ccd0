"""Work in a process of its own: the same results, errors and files as in this one."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.studies import Apart, JobQueue, Workspace
from tests.app.conftest import wait
from tests.app.test_previews import asked, own_tables

LARGE = 300_000


def numbers(size: int) -> dict[str, object]:
    """Return a large array, a small one, and the process that made them."""
    return {"large": np.arange(size, dtype=float), "small": np.ones(3), "by": os.getpid()}


def total(made: dict[str, np.ndarray], factor: int) -> float:
    return float(made["large"].sum() * factor)


def end_at_once() -> None:
    os._exit(9)


_HELD: list[bytes] = []


def grow() -> int:
    """Hold 800 MiB, and return the process that does."""
    _HELD.append(b"x" * (800 << 20))
    return os.getpid()


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    apart = Apart()
    apart.begin()
    yield apart
    apart.close()


def folder_of(apart: Apart) -> Path:
    assert apart._folder is not None
    return apart._folder


def test_without_other_processes_everything_is_done_in_this_one() -> None:
    apart = Apart()
    made = apart.run(numbers, LARGE)
    assert made["by"] == os.getpid()
    assert apart.run(total, apart.keep(numbers, 4), 2) == 12.0
    apart.close()


@pytest.mark.everyday
def test_large_arrays_come_back_as_files_without_a_name(apart: Apart) -> None:
    made = apart.run(numbers, LARGE)
    assert made["by"] != os.getpid()
    large, small = made["large"], made["small"]
    assert isinstance(large, np.ndarray) and isinstance(small, np.ndarray)
    assert np.array_equal(large, np.arange(LARGE)) and np.array_equal(small, np.ones(3))
    # What is mapped cannot be changed by mistake; what is small is a copy.
    assert not large.flags.writeable and small.flags.writeable
    assert list(folder_of(apart).iterdir()) == []
    Apart.release()
    assert large[LARGE - 1] == LARGE - 1


@pytest.mark.everyday
def test_what_is_kept_is_a_file_until_it_is_forgotten(apart: Apart) -> None:
    kept = apart.keep(numbers, LARGE)
    assert kept.value is None and kept.file is not None and kept.file.is_file()
    assert folder_of(apart).stat().st_mode & 0o077 == 0
    assert apart.run(total, kept, 2) == 2 * sum(range(LARGE))
    del kept
    gc.collect()
    assert list(folder_of(apart).iterdir()) == []


@pytest.mark.everyday
def test_a_job_works_on_own_tables_as_they_were_read(apart: Apart, tmp_path: Path) -> None:
    queue = JobQueue(Workspace(tmp_path))
    record = asked("~ group").model_copy(update={"name": queue.new_folder("own").name})
    # The folder holds no such tables: they would be missed where they are read again.
    queue.submit(record, tables=apart.keep(own_tables))
    (ended,) = wait(queue)
    assert ended.state == "done", ended.message
    gc.collect()
    assert not [*folder_of(apart).glob("kept-*")]
    queue.close()


def test_errors_are_those_of_the_function(apart: Apart, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{")
    with pytest.raises(FormatError) as here:
        read_json_object(path)
    with pytest.raises(FormatError) as there:
        apart.run(read_json_object, path)
    assert str(there.value) == str(here.value) and there.value.path == path
    with pytest.raises(OSError, match="No such file"):
        apart.run(os.stat, tmp_path / "nothing")
    # A mistake of ours is one there, too, and the next work is done.
    with pytest.raises(ZeroDivisionError):
        apart.run(divmod, 1, 0)
    assert apart.run(divmod, 7, 2) == (3, 1)


@pytest.mark.everyday
def test_a_process_that_ends_or_has_grown_is_replaced(apart: Apart) -> None:
    with pytest.raises(UsageError, match="is there enough memory"):
        apart.run(end_at_once)
    grown = apart.run(grow)
    assert apart.run(numbers, 3)["by"] != grown
    with pytest.raises(ProcessLookupError):
        os.kill(grown, 0)


@pytest.mark.everyday
def test_after_its_end_nothing_is_left(tmp_path: Path) -> None:
    apart = Apart()
    apart.begin()
    process = apart.run(os.getpid)
    folder = folder_of(apart)
    apart.close()
    assert not folder.exists()
    until = time.monotonic() + 20.0
    while process in {child.pid for child in multiprocessing.active_children()}:
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.everyday
def test_its_end_does_not_wait_for_what_is_under_way() -> None:
    apart = Apart()
    apart.begin()
    apart.run(os.getpid)
    with ThreadPoolExecutor() as threads:
        long = threads.submit(apart.run, time.sleep, 300)
        while not apart._busy:
            time.sleep(0.02)
        apart.close()
        with pytest.raises(UsageError, match="ended"):
            long.result(20.0)
