import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.errors import WorkerLostError
from genotex.parallel import side_by_side


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs: int) -> None:
    with side_by_side(jobs) as run:
        answers = list(run(square, range(6)))
    assert [value for value, _ in answers] == [0, 1, 4, 9, 16, 25]
    here = {pid for _, pid in answers} == {os.getpid()}
    assert here == (jobs == 1)


def test_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    before = dict(os.environ)
    with side_by_side(2) as run:
        list(run(square, [1]))
    assert dict(os.environ) == before


def end_suddenly(number: int) -> int:
    os._exit(9)


def test_worker_that_is_killed_gives_a_clear_error() -> None:
    with pytest.raises(WorkerLostError, match="use fewer --jobs"), side_by_side(2) as run:
        list(run(end_suddenly, range(4)))


PARENT = """
import os, sys, time
from genotex.parallel import side_by_side
def work(path):
    open(path, "w").write(str(os.getpid()))
    time.sleep(60)
if __name__ == "__main__":
    with side_by_side(2) as run:
        list(run(work, sys.argv[1:]))
"""


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script, marks = tmp_path / "parent.py", [tmp_path / "a", tmp_path / "b"]
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(script), *map(str, marks)])
    wait_until(lambda: all(mark.exists() and mark.read_text() for mark in marks))
    workers = [int(mark.read_text()) for mark in marks]
    parent.kill()
    parent.wait(60)
    wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers))


KILLED_AT_ONCE = """
import os
from genotex.parallel import side_by_side
if __name__ == "__main__":
    with side_by_side(2) as run:
        run(abs, range(4))
        os.kill(os.getpid(), 9)
"""


def test_workers_end_with_a_parent_that_is_killed_before_they_began(tmp_path: Path) -> None:
    script, mark = tmp_path / "parent.py", f"MARK={tmp_path}"
    script.write_text(KILLED_AT_ONCE)
    subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "MARK": str(tmp_path)},
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=300,
    )
    wait_until(lambda: not any(mark in environment for environment in environments()))


def environments() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found.append(path.read_text(errors="replace"))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


PREPARED = """
import os, sys
os.environ["ASKED_BY"] = str(os.getpid())
from genotex import parallel

parallel.os.cpu_count = lambda: 2
if sys.argv[1] != "none":
    parallel.prepare_workers("tests.prepared_work:" + sys.argv[1], 2)
from tests.prepared_work import end_elsewhere, hang_elsewhere, square
wrong = end_elsewhere
if sys.argv[3:]:
    wrong, parallel._LONGEST = hang_elsewhere, 2.0
work = [(wrong if i == int(sys.argv[2]) else square, (i,)) for i in range(5)]
answers = parallel.in_prepared_workers(work)
print([value for value, _ in answers], len({pid for _, pid in answers} - {os.getpid()}))
"""


@pytest.mark.parametrize(
    ("start", "ends_at", "elsewhere"),
    [("get_ready", -1, True), ("fail_to_get_ready", -1, False), ("none", -1, False)],
)
def test_prepared_workers_answer_in_order_and_this_process_does_what_they_cannot(
    start: str, ends_at: int, elsewhere: bool
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PREPARED, start, str(ends_at)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    values, processes = done.stdout.strip().rsplit(" ", 1)
    assert values == "[0, 1, 4, 9, 16]"
    assert (int(processes) > 0) == elsewhere
    assert done.stderr == ""


@pytest.mark.parametrize("how", [(), ("hangs",)])
def test_what_a_prepared_worker_dies_of_or_hangs_in_is_done_again_here(how: tuple[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PREPARED, "get_ready", "3", *how],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith("[0, 1, 4, -3, 16]")
