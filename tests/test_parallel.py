import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from genotex.errors import WorkerLostError
from genotex.parallel import side_by_side, start_child


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
from genotex.parallel import side_by_side, start_child
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
from genotex.parallel import side_by_side, start_child
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


def answer(messages: Connection, *given: object) -> None:
    messages.send(("begun", given))
    messages.recv()


def fill_memory(messages: Connection) -> None:
    try:
        bytearray(1 << 30)
    except MemoryError:
        messages.send("no memory")


def never_return(messages: Connection) -> None:
    messages.send("begun")
    # Nothing else of Python runs meanwhile: no handler of a signal, no other thread.
    sum(range(10**15))


def test_a_child_gets_what_it_is_given_and_ends_when_asked() -> None:
    child = start_child("tests.test_parallel:answer", 1, "two")
    with child.messages:
        assert child.messages.recv() == ("begun", (1, "two"))
        child.end_within(60)
        child.process.join()
    assert child.process.exitcode == 128 + 15


def end_in_a_callback(messages: Connection) -> None:
    held = threading.Thread()
    _gone = weakref.ref(held, lambda _: os.kill(os.getpid(), signal.SIGTERM))
    del held
    time.sleep(60)


def test_a_signal_where_python_ignores_exceptions_ends_a_child_quietly(
    capfd: pytest.CaptureFixture[str],
) -> None:
    child = start_child("tests.test_parallel:end_in_a_callback")
    with child.messages:
        child.process.join(30)
    assert child.process.exitcode == 128 + 15
    assert capfd.readouterr().err == ""


def test_a_child_has_no_more_memory_than_it_may_have() -> None:
    child = start_child("tests.test_parallel:fill_memory", memory=512 << 20)
    with child.messages:
        assert child.messages.recv() == "no memory"
        child.process.join()


def test_a_child_that_does_not_end_is_killed() -> None:
    child = start_child("tests.test_parallel:never_return")
    with child.messages:
        assert child.messages.recv() == "begun"
        time.sleep(0.2)
        child.end_within(0.1)
        child.process.join()
    assert child.process.exitcode == -9


CHILD_OF = """
import sys, time
from genotex.parallel import start_child
if __name__ == "__main__":
    child = start_child("tests.test_parallel:answer")
    child.messages.recv()
    print(child.process.pid, flush=True)
    time.sleep(60)
"""


def test_a_child_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(CHILD_OF)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
