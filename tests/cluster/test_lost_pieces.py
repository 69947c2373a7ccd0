"""No piece is lost, and none is waited for in vain, whatever the scheduler or a worker does."""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="pip install 'genotex[cluster]'")

from genotex.cluster import Address, DaskExecutor, PieceReply, SharedCall, TaskProcess
from genotex.cluster import executor as module
from genotex.cluster.worker import MEMORY
from genotex.errors import UsageError
from genotex.parallel import Piece

from . import work

GB = 10**9


class Future:
    """A future of the scheduler below."""

    def __init__(self, key: str, number: int, memory: int) -> None:
        self.key, self.number, self.memory = key, number, memory
        self.status, self.reply = "pending", PieceReply()
        self._callbacks: list[Callable[[Future], object]] = []

    def add_done_callback(self, callback: Callable[["Future"], object]) -> None:
        self._callbacks.append(callback)
        if self.status != "pending":
            callback(self)

    def end(self, status: str, reply: PieceReply | None = None) -> None:
        if self.status == "pending":
            self.status, self.reply = status, reply or PieceReply()
            for callback in self._callbacks:
                callback(self)

    def finish(self) -> None:
        self.end("finished", PieceReply(pickle.dumps(self.number), seconds=0.01))

    def cancelled(self) -> bool:
        return self.status == "cancelled"


class Scheduler:
    """Stands in for a connected client; a test decides what becomes of each submitted piece."""

    def __init__(self, workers: Mapping[str, int]) -> None:
        self.status = "running"
        self.workers = dict(workers)
        self.submitted: list[Future] = []
        self.handle: Callable[[Future], None] = Future.finish
        self.looked: Callable[[], None] = lambda: None

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        self.looked()
        return {
            "workers": {
                at: {"nthreads": 1, "resources": {MEMORY: size}}
                for at, size in self.workers.items()
            }
        }

    def processing(self) -> dict[str, list[str]]:
        return {next(iter(self.workers)): [each.key for each in self.submitted]}

    def submit(self, function: object, call: object, key: str) -> Future:
        return Future(key, -1, 0)

    def map(
        self, function: object, shared: object, works: Any, memory: Any, **options: Any
    ) -> list[Future]:
        if options["workers"] is not None:
            assert options["allow_other_workers"]
        made = [
            Future(key, pickle.loads(content), size)
            for key, content, size in zip(options["key"], works, memory, strict=True)
        ]
        self.submitted += made
        for each in made:
            self.handle(each)
        return made

    def gather(self, futures: Sequence[Future]) -> list[PieceReply]:
        return [each.reply for each in futures]

    def cancel(self, futures: Sequence[Future], force: bool) -> None:
        for each in futures:
            each.end("cancelled")

    def times(self, number: int) -> int:
        return sum(each.number == number for each in self.submitted)


class Connected(DaskExecutor):
    """An executor on such a scheduler, which is running again when it is connected again."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(Address("at", "tcp://127.0.0.1:9"))
        self._scheduler: Any = scheduler

    def client(self) -> Any:
        return self._scheduler

    def reconnect(self) -> Any:
        self._scheduler.status = "running"
        return self._scheduler


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the workers in every turn; a piece is slow after a moment."""
    for name in ("_LOOK", "_LEAST_SLOW", "_SLOW", "_TURN"):
        monkeypatch.setattr(module, name, 0.0 if name != "_TURN" else 0.01)
    monkeypatch.setattr(module, "_ENOUGH", 1)


def results(scheduler: Scheduler, number: int, memory: int = GB) -> Iterator[int | None]:
    pieces = [Piece(i, memory) for i in range(number)]
    return (each.result for each in Connected(scheduler).run(work.double, 2, pieces))


def test_piece_whose_copy_was_under_way_when_the_scheduler_was_lost_is_done() -> None:
    scheduler = Scheduler({"a": 4 * GB, "b": 4 * GB, "c": 4 * GB})
    held: list[Future] = []

    def handle(future: Future) -> None:
        if future.number != 2 or scheduler.times(2) > 2:
            future.finish()
            return
        held.append(future)
        if len(held) == 2:
            # The copy is under way when the first attempt fails; then the scheduler is lost.
            held[0].end("finished", PieceReply(lost="its process ended"))
            scheduler.looked = lose

    def lose() -> None:
        scheduler.looked = lambda: None
        scheduler.status = "connecting"
        held[1].end("cancelled")

    scheduler.handle = handle
    assert sorted(map(int, filter(None, results(scheduler, 3)))) == [1, 2]
    assert scheduler.times(2) == 3


def test_piece_that_its_copy_has_done_is_not_repeated() -> None:
    scheduler = Scheduler(dict.fromkeys("abcde", 4 * GB))
    looks: list[int] = []

    def handle(future: Future) -> None:
        if future.number in (0, 1) or (future.number == 2 and scheduler.times(2) > 1):
            future.finish()

    def looked() -> None:
        looks.append(scheduler.times(2))
        if len(looks) == 40:
            for each in list(scheduler.submitted):
                if each.number == 3:
                    each.finish()

    scheduler.handle, scheduler.looked = handle, looked
    assert sorted(results(scheduler, 4), key=lambda x: x or 0) == [0, 1, 2, 3]
    assert scheduler.times(2) == 2


@pytest.mark.parametrize("repeats, times", [(True, 2), (False, 1)])
def test_slow_piece_is_copied_unless_only_one_worker_may_do_it(repeats: bool, times: int) -> None:
    scheduler = Scheduler(dict.fromkeys("abc", 4 * GB))
    looks: list[int] = []

    def handle(future: Future) -> None:
        if future.number != 2:
            future.finish()

    def looked() -> None:
        looks.append(scheduler.times(2))
        if len(looks) == 20:
            for each in list(scheduler.submitted):
                each.finish()

    scheduler.handle, scheduler.looked = handle, looked
    pieces = [Piece(i, GB, repeats) for i in range(3)]
    assert len(list(Connected(scheduler).run(work.double, 2, pieces))) == 3
    assert scheduler.times(2) == times


def test_piece_that_needs_the_worker_that_left_goes_to_another() -> None:
    scheduler = Scheduler({"small": GB, "large": 4 * GB})

    def handle(future: Future) -> None:
        if future.memory > GB:
            del scheduler.workers["large"]
        else:
            future.finish()

    scheduler.handle = handle
    assert list(results(scheduler, 1, 3 * GB)) == [0]
    assert [each.memory > GB for each in scheduler.submitted] == [True, False]
    assert scheduler.submitted[0].cancelled()


def test_connection_that_is_lost_while_pieces_are_submitted_loses_none() -> None:
    scheduler = Scheduler({"a": 4 * GB})
    failed: list[Future] = []

    def handle(future: Future) -> None:
        if not failed:
            failed.append(future)
            scheduler.status = "closed"
            msg = "Client is closed."
            raise RuntimeError(msg)
        future.finish()

    scheduler.handle = handle
    assert sorted(results(scheduler, 5), key=lambda x: x or 0) == [0, 1, 2, 3, 4]


def test_error_that_is_not_of_the_connection_is_raised() -> None:
    scheduler = Scheduler({"a": 4 * GB})

    def handle(future: Future) -> None:
        msg = "too large a graph"
        raise RuntimeError(msg)

    scheduler.handle = handle
    with pytest.raises(RuntimeError, match="too large"):
        list(results(scheduler, 2))


def test_scheduler_that_leaves_at_once_is_an_error_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []

    class Leaving:
        def __init__(self, *_: object, **__: object) -> None:
            self.status = "running"

        def get_versions(self, packages: object) -> object:
            msg = "Stream is closed"
            raise OSError(msg)

        def close(self, timeout: float) -> None:
            closed.append(timeout)

    monkeypatch.setattr(module, "Client", Leaving)
    executor = DaskExecutor(Address("at", "tcp://127.0.0.1:9"))
    for _ in range(2):
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            list(executor.run(work.double, 2, [Piece(1)]))
    assert len(closed) == 2


def test_process_that_leaves_another_behind_is_reported(tmp_path: Path) -> None:
    process = TaskProcess(1, str(tmp_path))
    content = pickle.dumps((work.leave_a_process_behind, tmp_path / "pid"))
    call = SharedCall("a", content, str(tmp_path), (), ())
    replies: list[PieceReply] = []

    def do() -> None:
        replies.append(process.do(call, pickle.dumps(0), lambda used: ""))

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    thread.join(60)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert [reply.lost for reply in replies] == ["its process ended with exit code 7"]


def test_address_that_dask_cannot_connect_to_is_an_error_with_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def connect(*_: object, **__: object) -> None:
        msg = "TLS expects a certificate"
        raise TypeError(msg)

    monkeypatch.setattr(module, "Client", connect)
    executor = DaskExecutor(Address("at", "tls://127.0.0.1:9"))
    with pytest.raises(UsageError, match=r"--scheduler tls://127\.0\.0\.1:9: TLS expects"):
        list(executor.run(work.double, 2, [Piece(1)]))
