"""Pieces of work on Dask workers, and what may happen to them."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="pip install 'genotex[cluster]'")

import dask

from genotex.cluster import DaskExecutor, read_address
from genotex.cluster import executor as module
from genotex.errors import UsageError
from genotex.parallel import Piece, Processes
from tests.bench.runs.conftest import is_alive, wait_until

from . import work
from .conftest import ROOT, Machines, kill, pause, started

# A busy machine takes its time to start a worker.
pytestmark = pytest.mark.filterwarnings("ignore:the Dask scheduler has no workers")

GB = 10**9


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskExecutor]:
    """An executor with two workers that stay alive."""
    with started(tmp_path_factory.mktemp("dask")) as machines:
        machines.add()
        machines.add()
        machines.wait_for(2)
        with DaskExecutor(read_address(machines.address)) as executor:
            yield executor


def pieces(number: int, memory: int = 0) -> list[Piece[int]]:
    return [Piece(i, memory) for i in range(number)]


def attempts(folder: Path, number: int) -> int:
    return len(list(folder.glob(f"{number}.*")))


def test_outcomes_are_those_of_one_machine(run: DaskExecutor) -> None:
    there = {each.number: each.result for each in run.run(work.double, 3, pieces(40))}
    here = {each.number: each.result for each in Processes().run(work.double, 3, pieces(40))}
    assert there == here
    # A second list of the same command, by the same connection.
    assert [each.result for each in run.run(work.double, 2, [Piece(21)])] == [42]
    assert not list(run.run(work.double, 2, []))


def test_work_is_done_in_the_folder_of_the_command(
    run: DaskExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found: set[tuple[int, str] | None] = set()
    # On a busy machine one worker may do all pieces before the other has its process.
    for _ in range(20):
        found |= {each.result for each in run.run(work.where, None, [Piece(0.3)] * 8)}
        if len(found) > 1:
            break
    assert {folder for _, folder in filter(None, found)} == {str(tmp_path)}
    assert len(found) == 2


def test_error_of_the_function_is_raised_here(run: DaskExecutor) -> None:
    with pytest.raises(ValueError, match="0 cannot be done"):
        list(run.run(work.fail, None, pieces(1)))


def test_process_that_is_killed_is_tried_again(run: DaskExecutor, tmp_path: Path) -> None:
    found = {each.number: each for each in run.run(work.end_at_first, tmp_path, pieces(3))}
    assert [found[i].result for i in range(3)] == [0, 1, 2]
    assert [attempts(tmp_path, i) for i in range(3)] == [2, 2, 2]


def test_process_that_is_always_killed_is_reported_with_the_reason(
    run: DaskExecutor, tmp_path: Path
) -> None:
    (outcome,) = run.run(work.end_suddenly, tmp_path, pieces(1))
    assert outcome.result is None
    assert "SIGKILL" in outcome.lost
    assert "out of memory?" in outcome.lost
    assert attempts(tmp_path, 0) == module.ATTEMPTS


def test_poor_result_is_tried_again_and_then_kept(run: DaskExecutor) -> None:
    (outcome,) = run.run(work.double, 2, [Piece(4)], lambda result: result == 8)
    assert outcome.result == 8


def test_worker_out_of_memory_ends_the_task_and_a_larger_one_does_it(
    machines: Machines, tmp_path: Path
) -> None:
    machines.add("--memory-limit", "700MB")
    machines.wait_for(1)
    machines.add("--memory-limit", "3GB")
    machines.wait_for(2)
    with DaskExecutor(read_address(machines.address)) as executor:
        # Declared too low, so that either worker may get it at first.
        found = list(executor.run(work.fill_memory, tmp_path, [Piece(800, 600 * 10**6)] * 2))
    assert [each.result for each in found] == [800 * 10**6] * 2


def test_more_memory_than_any_worker_has_is_a_failure_with_the_reason(
    machines: Machines, tmp_path: Path
) -> None:
    machines.add("--memory-limit", "500MB")
    machines.wait_for(1)
    with DaskExecutor(read_address(machines.address)) as executor:
        (outcome,) = executor.run(work.fill_memory, tmp_path, [Piece(700, 4 * GB)])
    assert outcome.lost.startswith("out of memory: it needed 0.")
    assert outcome.lost.endswith("its worker has 0.5 GB")


@pytest.mark.parametrize("memory, most", [(10**8, 4), (8 * 10**8, 2)])
def test_declared_memory_limits_what_runs_at_a_time(
    machines: Machines, tmp_path: Path, memory: int, most: int
) -> None:
    machines.add("--nthreads", "4", "--memory-limit", "2GB")
    machines.wait_for(1)
    with DaskExecutor(read_address(machines.address)) as executor:
        found = list(executor.run(work.at_a_time, tmp_path, pieces(8, memory)))
    assert max(each.result or 0 for each in found) == most


def test_resource_given_by_hand_counts(machines: Machines, tmp_path: Path) -> None:
    machines.add("--nthreads", "2", "--memory-limit", "2GB", "--resources", "memory=1e9")
    machines.wait_for(1)
    with DaskExecutor(read_address(machines.address)) as executor:
        found = list(executor.run(work.at_a_time, tmp_path, pieces(4, 9 * 10**8)))
    assert {each.result for each in found} == {1}


def test_worker_without_a_memory_limit_is_used(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_JOINING", 0.5)
    machines.add("--memory-limit", "0")
    machines.wait_for(1)
    with DaskExecutor(read_address(machines.address)) as executor:
        assert [each.result for each in executor.run(work.double, 2, [Piece(1, GB)])] == [2]


@pytest.mark.everyday
def test_killed_worker_costs_time_alone(two: Machines, tmp_path: Path) -> None:
    with DaskExecutor(read_address(two.address)) as executor:
        outcomes = executor.run(work.slow, tmp_path, pieces(30))
        found = [next(outcomes)]
        kill(two.workers[0])
        two.add()
        found += outcomes
    assert sorted(each.result or 0 for each in found) == list(range(30))


def test_scheduler_that_is_restarted_is_waited_for(two: Machines, tmp_path: Path) -> None:
    def restart() -> None:
        for worker in two.workers:
            kill(worker)
        two.restart_scheduler()
        pause(1)
        two.add()

    with DaskExecutor(read_address(two.address)) as executor:
        outcomes = executor.run(work.slow, tmp_path, pieces(24))
        found = [next(outcomes)]
        thread = threading.Thread(target=restart)
        thread.start()
        with pytest.warns(UserWarning) as notes:
            found += outcomes
        thread.join()
    assert "waiting for it to come back" in str(notes[0].message)
    assert sorted(each.result or 0 for each in found) == list(range(24))
    assert len(found) == 24


def test_straggler_is_repeated_on_another_worker(
    run: DaskExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_SLOW", 1.0)
    found = {each.number: each.result for each in run.run(work.slow_on_one, tmp_path, pieces(8))}
    assert found == {i: i for i in range(8)}
    assert attempts(tmp_path, 7) == 2
    # The other attempt does not keep its worker from what comes next.
    pids = [int(path.name.split(".")[1]) for path in tmp_path.glob("7.*")]
    wait_until(lambda: sum(map(is_alive, pids)) < 2)


def test_what_nobody_waits_for_is_stopped(run: DaskExecutor, tmp_path: Path) -> None:
    outcomes = run.run(work.slow_on_one, tmp_path, [Piece(7), Piece(1)])
    assert next(outcomes).result == 1
    wait_until(lambda: attempts(tmp_path, 7) == 1)
    outcomes.close()
    (pid,) = (int(path.name.split(".")[1]) for path in tmp_path.glob("7.*"))
    wait_until(lambda: not is_alive(pid))
    assert len(list(run.run(work.double, 2, pieces(8)))) == 8


def other_version(folder: Path) -> str:
    """Make a folder that states another version of genotex."""
    info = folder / "genotex-9.9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: genotex\nVersion: 9.9.9\n")
    return str(folder)


def test_worker_with_another_version_is_refused(machines: Machines, tmp_path: Path) -> None:
    path = f"{other_version(tmp_path / 'site')}:{ROOT / 'src'}:{ROOT}"
    machines.add(PYTHONPATH=path)
    machines.wait_for(1)
    with (
        DaskExecutor(read_address(machines.address)) as executor,
        pytest.raises(UsageError, match=r"genotex 9\.9\.9 there, .* here"),
    ):
        list(executor.run(work.double, 2, pieces(2)))


def test_worker_with_another_version_that_joins_later_is_refused(
    machines: Machines, tmp_path: Path
) -> None:
    first = machines.add()
    machines.wait_for(1)
    with DaskExecutor(read_address(machines.address)) as executor:
        assert list(executor.run(work.double, 2, pieces(2)))
        machines.add(PYTHONPATH=f"{other_version(tmp_path / 'site')}:{ROOT / 'src'}:{ROOT}")
        machines.wait_for(2)
        kill(first)
        with pytest.raises(UsageError, match=r"genotex 9\.9\.9 there, .* here"):
            list(executor.run(work.double, 2, pieces(2)))


def test_worker_that_does_not_see_the_files_is_refused(two: Machines, tmp_path: Path) -> None:
    with (
        DaskExecutor(read_address(two.address), [tmp_path / "gone"]) as executor,
        pytest.raises(UsageError, match=r"does not see .*gone; all workers need the folders"),
    ):
        list(executor.run(work.double, 2, pieces(2)))


def test_no_scheduler_is_an_error_that_names_the_command() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        DaskExecutor(read_address("tcp://127.0.0.1:9")) as executor,
        pytest.raises(UsageError, match="start one with: dask scheduler"),
    ):
        list(executor.run(work.double, 2, pieces(2)))
