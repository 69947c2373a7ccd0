"""The executor on Dask workers: hands out pieces of work, and survives what happens to them."""

from __future__ import annotations

import logging
import pickle
import queue
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from genotex.cluster.address import Address
from genotex.cluster.task_process import PieceReply, SharedCall
from genotex.cluster.worker import (
    MEMORY,
    PACKAGES,
    DeclaredMemory,
    check_versions,
    hold,
    own_versions,
    run_piece,
)
from genotex.errors import UsageError, WorkerLostError
from genotex.parallel import Piece, PieceOutcome

Work = TypeVar("Work")
Result = TypeVar("Result")
Shared = TypeVar("Shared")

ATTEMPTS = 3
"""So many times a piece is tried whose process, or worker, was ended."""

PATIENCE = 600.0
"""Seconds that a lost scheduler is waited for."""

_TURN = 0.2
_LOOK = 2.0
"""Seconds between looks at the workers."""
_JOINING = 10.0
"""Seconds within which workers join, and declare their memory."""
_STEP = 256 * 1024**2
"""Declared memory is rounded up to a multiple, so that pieces are submitted many at a time."""
_AHEAD, _MOST_AHEAD = 4.0, 64
"""A worker's thread is given work for 4 seconds, 2 pieces at least and 64 at most."""
_SLOW, _LEAST_SLOW, _ENOUGH = 4.0, 30.0, 5
"""A piece is repeated elsewhere after 4 times the longest of at least 5, and 30 s at least."""


@dataclass(frozen=True)
class _Attempt:
    """A piece that waits for a worker or is with one."""

    number: int
    memory: int
    tries: int = 1
    elsewhere: tuple[str, ...] = ()  # only on these workers
    copy: bool = False
    began: float = 0.0


@dataclass
class _Workers:
    """What is known of the workers."""

    threads: int = 0
    memory: dict[str, int] = field(default_factory=dict)
    looked: float = -_LOOK

    @property
    def most(self) -> int:
        """The largest memory of a worker; 0 if no worker states one."""
        return max(self.memory.values(), default=0)


class _NoSchedulerError(UsageError):
    """Nothing answers at the address, or it went away at once."""


class DaskExecutor:
    """Runs pieces of work on Dask workers; a context manager that connects when it is first used.

    `address`: where the workers are. `needed`: Paths that every worker must see.
    """

    def __init__(self, address: Address, needed: Sequence[Path] = ()) -> None:
        self._address = address
        self._needed = tuple(str(path) for path in needed)
        self._client: Client | None = None
        self._cluster: Any = None

    def __enter__(self) -> DaskExecutor:
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the scheduler; end a cluster that was started for this command."""
        self._leave()
        if self._cluster is not None and not isinstance(self._cluster, str):
            self._cluster.close()

    def run(
        self,
        function: Callable[[Shared, Work], Result],
        shared: Shared,
        pieces: Sequence[Piece[Work]],
        again: Callable[[Result], bool] | None = None,
    ) -> Iterator[PieceOutcome[Result]]:
        """Call ``function(shared, work)`` on workers; report outcomes as they come."""
        if not pieces:
            return
        call = SharedCall(
            uuid.uuid4().hex,
            pickle.dumps((function, shared)),
            str(Path.cwd()),
            self._needed,
            tuple(own_versions().items()),
        )
        run = _Run(self, call, pieces, again)
        try:
            yield from run.outcomes()
        finally:
            run.close()

    def client(self) -> Client:
        """Return the connection, made when it is needed."""
        if self._client is None:
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            if self._cluster is None:
                self._cluster = self._address.open()
            try:
                self._client = Client(self._cluster, set_as_default=False)
                self._prepare(self._client)
            except (OSError, TimeoutError) as error:
                self._leave()
                where = self._address.address
                msg = f"no Dask scheduler answers at {where}; start one with: dask scheduler"
                raise _NoSchedulerError(msg) from error
            except (ValueError, TypeError) as error:
                # Of an address with a protocol, or with certificates, that Dask does not have.
                self._leave()
                msg = f"--scheduler {self._address.address}: {error}"
                raise UsageError(msg) from error
            except UsageError:
                self._leave()
                raise
        return self._client

    def keep_workers(self, number: int) -> None:
        """Start those again that have ended, of a cluster that was started for this command."""
        wanted = self._address.workers
        if number < wanted and self._cluster is not None:
            by = {"jobs": wanted} if self._address.kind == "slurm" else {"n": wanted}
            self._cluster.scale(**by)

    def reconnect(self) -> Client:
        """Wait for a scheduler that was lost, and connect again."""
        self._leave()
        if not self._address.lasts:
            msg = "the Dask scheduler of this command has ended; repeat the command to continue"
            raise WorkerLostError(msg)
        warnings.warn("the Dask scheduler is gone; waiting for it to come back", stacklevel=2)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with suppress(_NoSchedulerError):
                return self.client()
        msg = (
            f"the Dask scheduler at {self._address.address} did not come back within "
            f"{PATIENCE / 60:.0f} minutes; finished work is kept: repeat the command to continue"
        )
        raise WorkerLostError(msg)

    def _prepare(self, client: Client) -> None:
        with warnings.catch_warnings():
            # Dask warns about its own packages; those that decide about results are refused.
            warnings.simplefilter("ignore")
            reported = client.get_versions(packages=list(PACKAGES))["workers"]
        check_versions({worker: found["packages"] for worker, found in reported.items()})
        client.register_plugin(DeclaredMemory())

    def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close(timeout=2)


class _Run:
    """The pieces of one call of `DaskExecutor.run`."""

    def __init__(
        self,
        executor: DaskExecutor,
        call: SharedCall,
        pieces: Sequence[Piece[Any]],
        again: Callable[[Any], bool] | None,
    ) -> None:
        self._executor = executor
        self._call = call
        self._again = again
        self._work = [pickle.dumps(piece.work) for piece in pieces]
        self._alone = {number for number, piece in enumerate(pieces) if not piece.repeats}
        self._waiting = deque(
            _Attempt(number, -(-piece.memory // _STEP) * _STEP)
            for number, piece in enumerate(pieces)
        )
        self._under_way: dict[str, tuple[_Attempt, Future]] = {}
        self._latest = {each.number: each for each in self._waiting}
        self._left = set(range(len(pieces)))
        self._ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._seconds: list[float] = []
        self._workers = _Workers()
        self._client = executor.client()
        self._shared: Future | None = None
        self._noted = False
        self._began = self._seen = time.monotonic()

    def outcomes(self) -> Iterator[PieceOutcome[Any]]:
        """Yield the outcome of every piece as it comes."""
        while self._left:
            ended = self._next()
            if ended is None:
                self._start_again()
                continue
            for attempt, reply in ended:
                outcome = self._conclude(attempt, reply)
                if outcome is not None and outcome.number in self._left:
                    self._left.discard(outcome.number)
                    attempts = self._under_way.items()
                    self._cancel([k for k, (each, _) in attempts if each.number == outcome.number])
                    yield outcome

    def close(self) -> None:
        """Give up what is not done."""
        self._cancel(list(self._under_way))
        self._shared = None

    def _cancel(self, keys: Iterable[str]) -> None:
        """Give up some of the attempts that are under way."""
        futures = [self._under_way.pop(key)[1] for key in keys]
        if futures and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(futures, force=True)

    def _next(self) -> list[tuple[_Attempt, PieceReply]] | None:
        """Hand out pieces and return what has ended; None if the scheduler was lost meanwhile."""
        ended: list[Future] = []
        try:
            self._look()
            self._hand_out()
            ended = self._wait()
            return None if self._is_lost(ended) else self._collect(ended)
        except Exception:
            if self._is_lost(ended):
                return None
            raise

    def _is_lost(self, ended: Sequence[Future]) -> bool:
        """Return whether the connection was lost, also if the client has made another since."""
        shared = () if self._shared is None else (self._shared,)
        return self._client.status != "running" or any(f.cancelled() for f in (*shared, *ended))

    def _look(self) -> None:
        """See what workers there are."""
        now = time.monotonic()
        if now - self._workers.looked < _LOOK:
            return
        with suppress(Exception):
            found = self._client.scheduler_info(n_workers=-1)["workers"]
            self._workers.threads = sum(each["nthreads"] for each in found.values())
            self._workers.memory = {
                address: int(each["resources"].get(MEMORY, 0)) for address, each in found.items()
            }
            self._take_back()
            self._copy_stragglers()
            self._executor.keep_workers(len(found))
        self._workers.looked = now
        if self._workers.threads:
            self._seen, self._noted = now, False
        elif not self._noted and now - self._seen > _JOINING:
            self._noted = True
            warnings.warn("the Dask scheduler has no workers; waiting for some", stacklevel=2)

    def _hand_out(self) -> None:
        """Submit as much as keeps the workers busy.

        Not all at once: Dask counts the death of a worker against every piece assigned to it.
        """
        if not self._workers.threads:
            return
        if not self._workers.most and time.monotonic() - self._began < _JOINING:
            # A worker that has just joined declares its memory in a moment.
            self._workers.looked = -_LOOK
            return
        window = self._workers.threads * self._ahead()
        groups: dict[tuple[int, tuple[str, ...]], list[_Attempt]] = {}
        while self._waiting and len(self._under_way) + sum(map(len, groups.values())) < window:
            attempt = self._waiting.popleft()
            memory = min(attempt.memory, self._workers.most)
            attempt = replace(attempt, memory=memory, began=time.monotonic())
            groups.setdefault((memory, attempt.elsewhere), []).append(attempt)
        for (memory, workers), attempts in groups.items():
            self._submit(attempts, memory, list(workers) or None)

    def _ahead(self) -> int:
        """Return how many pieces each thread is given."""
        latest = self._seconds[-20:]
        usual = sum(latest) / len(latest) if latest else _AHEAD
        return round(min(max(_AHEAD / max(usual, 1e-3), 2), _MOST_AHEAD))

    def _submit(self, attempts: list[_Attempt], memory: int, workers: list[str] | None) -> None:
        if self._shared is None:
            self._shared = self._client.submit(hold, self._call, key=f"shared-{self._call.name}")
        keys = [f"piece-{uuid.uuid4().hex}" for _ in attempts]
        futures = self._client.map(
            run_piece,
            [self._shared] * len(attempts),
            [self._work[attempt.number] for attempt in attempts],
            [memory] * len(attempts),
            key=keys,
            pure=False,
            workers=workers,
            # None of them may be left when it is their turn.
            allow_other_workers=bool(workers),
            resources={MEMORY: memory} if memory else None,
        )
        for key, attempt, future in zip(keys, attempts, futures, strict=True):
            self._under_way[key] = attempt, future
            future.add_done_callback(self._ended.put)

    def _wait(self) -> list[Future]:
        """Return the futures that have ended, after a moment if there are none."""
        ended = []
        with suppress(queue.Empty):
            ended.append(self._ended.get(timeout=_TURN))
            while True:
                ended.append(self._ended.get_nowait())
        return [future for future in ended if future.key in self._under_way]

    def _collect(self, ended: Sequence[Future]) -> list[tuple[_Attempt, PieceReply]]:
        errors = {f.key: f.exception() for f in ended if f.status == "error"}
        finished = [f for f in ended if f.key not in errors]
        replies = dict(zip([f.key for f in finished], self._client.gather(finished), strict=True))
        return [
            (
                self._under_way.pop(str(future.key))[0],
                replies.get(future.key) or _lost(errors[future.key]),
            )
            for future in ended
        ]

    def _conclude(self, attempt: _Attempt, reply: PieceReply) -> PieceOutcome[Any] | None:
        """Return the outcome; None if there is none yet, or was one before."""
        if reply.refused:
            raise UsageError(reply.refused)
        if attempt.number not in self._left:
            return None
        if reply.lost:
            return (
                None if self._try_again(attempt) else PieceOutcome(attempt.number, lost=reply.lost)
            )
        self._seconds.append(reply.seconds)
        result = pickle.loads(reply.content)
        if reply.failed and not isinstance(result, MemoryError):
            raise result
        poor = reply.failed or (self._again is not None and self._again(result))
        if poor and self._try_again(attempt):
            return None
        if reply.failed:
            return PieceOutcome(attempt.number, lost="out of memory")
        return PieceOutcome(attempt.number, result)

    def _try_again(self, attempt: _Attempt) -> bool:
        """Put a piece back with twice the memory; return False after the last attempt."""
        if any(each.number == attempt.number for each, _ in self._under_way.values()):
            return True
        if attempt.tries >= ATTEMPTS:
            return False
        memory = max(2 * attempt.memory, _STEP)
        again = self._latest[attempt.number] = _Attempt(attempt.number, memory, attempt.tries + 1)
        self._waiting.append(again)
        return True

    def _take_back(self) -> None:
        """Put back what needs more memory than any worker has since the largest one left."""
        most = self._workers.most
        stuck = {
            key: attempt for key, (attempt, _) in self._under_way.items() if attempt.memory > most
        }
        if not most or not stuck:
            return
        self._waiting.extend(stuck.values())
        self._cancel(stuck)

    def _copy_stragglers(self) -> None:
        """Repeat on other workers what takes far longer than all else, once nothing waits."""
        free = self._workers.threads - len(self._under_way)
        if self._waiting or free <= 0 or len(self._seconds) < _ENOUGH:
            return
        slow = max(_LEAST_SLOW, _SLOW * max(self._seconds))
        here = {key: at for at, keys in self._client.processing().items() for key in keys}
        copied = {attempt.number for attempt, _ in self._under_way.values() if attempt.copy}
        for key, (attempt, _) in self._under_way.items():
            others = tuple(at for at in self._workers.memory if at != here.get(key))
            late = time.monotonic() - attempt.began > slow
            if late and others and attempt.number in self._left - copied - self._alone and free > 0:
                self._waiting.append(replace(attempt, elsewhere=others, copy=True))
                free -= 1

    def _start_again(self) -> None:
        """Connect again, and submit what was not done."""
        self._under_way.clear()
        self._shared = None
        self._waiting = deque(self._latest[number] for number in sorted(self._left))
        self._client = self._executor.reconnect()
        self._workers = _Workers()


def _lost(error: BaseException | None) -> PieceReply:
    """Return the reply in place of a worker that could give none."""
    if isinstance(error, KilledWorker):
        return PieceReply(lost="several workers ended while they did it (out of memory?)")
    if isinstance(error, ImportError):
        why = f"a worker lacks what this process has: {error}; install the same"
        return PieceReply(refused=why)
    return PieceReply(lost=f"its worker failed: {type(error).__name__}: {error}")
