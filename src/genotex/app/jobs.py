"""Jobs in a background process, one at a time; each analysis has a folder of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

from genotex.app.background import run_job
from genotex.app.job_records import AnalysisRecord, JobRecord, State, read_record
from genotex.app.workspace import ANALYSES, Workspace
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.io import atomic_write

__all__ = ["AnalysisRecord", "JobQueue"]

RECORD = "analysis.json"
MOST_WAITING = 10
_PATIENCE = 10.0
"""Seconds in which a job that is asked to end must have ended; then it is killed."""


@dataclass
class _JobProcess:
    """The process at work."""

    name: str
    process: multiprocessing.process.BaseProcess
    cancelled: bool = False


class JobQueue:
    """Runs jobs one after the other, and keeps the records of analyses as files."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folder = workspace.root / ANALYSES
        self._records: dict[str, JobRecord] = {}
        self._waiting: deque[str] = deque()
        self._running: _JobProcess | None = None
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._read_records()

    def _read_records(self) -> None:
        """Read the history; what an earlier start left unfinished was interrupted."""
        if not self._folder.is_dir() or not self._workspace.holds(self._folder):
            return
        for path in sorted(self._folder.glob(f"*/{RECORD}")):
            try:
                record = read_record(path)
            except FormatError:
                # A damaged record is no analysis of ours; its results are listed all the same.
                continue
            if record.name != path.parent.name:
                continue
            if record.open:
                record = record.model_copy(update={"state": "interrupted", "step": ""})
            self._records[record.name] = record

    def records(self) -> list[JobRecord]:
        """Return all jobs, the newest first."""
        with self._lock:
            return sorted(self._records.values(), key=lambda each: each.created, reverse=True)

    def record(self, name: str) -> JobRecord | None:
        """Return a job by its name."""
        with self._lock:
            return self._records.get(name)

    def new_folder(self, trait: str) -> Path:
        """Make the folder of a new analysis; none is ever overwritten."""
        self._folder.mkdir(exist_ok=True)
        if not self._workspace.holds(self._folder):
            msg = f"{self._folder} leads out of the folder"
            raise UsageError(msg)
        numbers = [path.name.partition("-")[0] for path in self._folder.iterdir()]
        number = max((int(n) for n in numbers if n.isascii() and n.isdigit()), default=0)
        while True:
            number += 1
            folder = self._folder / f"{number:03d}-{trait}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder

    def check_room(self) -> None:
        """Refuse another job while too many wait."""
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                msg = f"{MOST_WAITING} jobs are waiting already; wait, or cancel one"
                raise UsageError(msg)

    def new_name(self, kind: str, subject: str) -> str:
        """Return a name for a job that has no folder among the analyses."""
        with self._lock:
            times = sum(not record.kept for record in self._records.values())
        return f"{kind}-{times + 1}-{subject}"

    def submit(self, record: JobRecord) -> None:
        """Let a job wait for its turn."""
        with self._lock:
            self._keep(record)
            self._waiting.append(record.name)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._lock.notify_all()

    def cancel(self, name: str) -> None:
        """Stop a job that waits or runs; others are left as they are."""
        with self._lock:
            if name in self._waiting:
                self._waiting.remove(name)
                self._end(name, "cancelled")
            elif self._running is not None and self._running.name == name:
                self._running.cancelled = True
                self._running.process.terminate()

    def close(self) -> None:
        """End the running analysis; nothing half-written is left."""
        with self._lock:
            self._closed = True
            running = self._running
            if running is not None:
                running.process.terminate()
            self._lock.notify_all()
        if self._thread is None:
            return
        self._thread.join(_PATIENCE)
        if self._thread.is_alive() and running is not None:
            # Python waits for its processes when it ends, however long they take.
            running.process.kill()
            self._thread.join(_PATIENCE)

    def _keep(self, record: JobRecord) -> None:
        """Write the record of a job, then know it: a job that cannot be kept is not begun."""
        if record.kept:
            with atomic_write(self._folder / record.name / RECORD) as part:
                part.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")
        self._records[record.name] = record

    def _change(self, name: str, **changes: object) -> None:
        """Change the record of a job under way, in memory at least: who waits for it sees that."""
        record = self._records[name].model_copy(update=changes)
        try:
            self._keep(record)
        except (GenotexError, OSError):
            # Its folder is gone, or the disk is full; the job must not stay open for ever.
            self._records[name] = record

    def _end(self, name: str, state: State, message: str = "", formula: str = "") -> None:
        self._change(
            name, state=state, step="", finished=time.time(), message=message, formula=formula
        )

    def _work(self) -> None:
        """Run what waits, one after the other."""
        while True:
            with self._lock:
                while not self._waiting and not self._closed:
                    self._lock.wait()
                if self._closed:
                    return
                name = self._waiting.popleft()
                self._change(name, state="running", step="starting")
                try:
                    running, messages = self._start(name)
                except OSError as error:
                    self._end(name, "failed", f"no process could be started: {error}")
                    continue
                self._running = running
            with messages:
                self._follow(running, messages)

    def _start(self, name: str) -> tuple[_JobProcess, Connection]:
        """Start the process of a job; returns the connection that its messages come from."""
        # Spawned, since threads of the table engine do not survive a fork.
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        arguments = theirs, self._workspace.root, self._records[name]
        process = spawn.Process(target=_in_process, args=arguments, daemon=False)
        try:
            with theirs:
                process.start()
        except BaseException:
            ours.close()
            raise
        return _JobProcess(name, process), ours

    def _follow(self, running: _JobProcess, messages: Connection) -> None:
        """Note the steps of the running analysis until it ends."""
        ended: tuple[State, str, str] = ("failed", "the process ended unexpectedly", "")
        try:
            while True:
                kind, *texts = messages.recv()
                if kind == "step":
                    with self._lock:
                        self._records[running.name].step = texts[0]
                else:
                    ended = kind, texts[0], texts[1]
        except (EOFError, OSError):
            pass
        running.process.join(_PATIENCE)
        if running.process.is_alive():
            running.process.kill()
            running.process.join()
        with self._lock:
            if running.cancelled:
                ended = "cancelled", "", ""
            elif self._closed and ended[0] != "done":
                ended = "interrupted", "", ""
            self._end(running.name, *ended)
            self._running = None


def _in_process(messages: Connection, root: Path, record: JobRecord) -> None:
    """Run one job in a process of its own, and send its steps and its end."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        outcome = run_job(root, record, lambda step: messages.send(("step", step)))
        messages.send(("done" if outcome.solved else "failed", outcome.message, outcome.formula))
    except (GenotexError, OSError) as error:
        messages.send(("failed", str(error), ""))


def _leave(number: int, frame: FrameType | None) -> None:
    # Through every open `with`, so that unfinished files are removed.
    sys.exit(128 + number)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
