"""Jobs in a background process, one at a time; each analysis has a folder of its own."""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from genotex.cohorts import OwnTables
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.io import atomic_write, remove_unfinished
from genotex.parallel import Child, start_child
from genotex.studies.apart import Kept
from genotex.studies.background import run_job
from genotex.studies.records import LONGEST_NOTES, LONGEST_TITLE, JobRecord, State, read_record
from genotex.studies.workspace import ANALYSES, Workspace

RECORD, DELETED = "analysis.json", ".deleted"
MOST_WAITING, MOST_EACH = 10, 3
"""Jobs that wait, and those of one person that wait or run."""
_PATIENCE = 3.0
"""Seconds in which a job that is asked to end must have ended; then it is killed."""
_UNEXPECTED = "the process ended unexpectedly; the log of genotex serve may say why"


@dataclass
class _RunningJob:
    """The job at work."""

    name: str
    child: Child
    cancelled: bool = False


class JobQueue:
    """Runs jobs one after the other, and keeps the records of analyses as files.

    `memory`: bytes that a job may hold; it then computes on one thread.
    """

    def __init__(self, workspace: Workspace, memory: int | None = None) -> None:
        self._workspace, self._memory = workspace, memory
        self._folder = workspace.root / ANALYSES
        self._records: dict[str, JobRecord] = {}
        self._deleted: dict[str, JobRecord] = {}
        self._tables: dict[str, Kept[OwnTables]] = {}
        self._waiting: deque[str] = deque()
        self._running: _RunningJob | None = None
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._read_records()

    def _read_records(self) -> None:
        """Read the history; what an earlier start left unfinished was interrupted."""
        if not self._folder.is_dir() or not self._workspace.holds(self._folder):
            return
        for path in sorted(self._folder.glob(f"*/{RECORD}")):
            self._read(path, self._records)
        for path in sorted(self._folder.glob(f"{DELETED}/*/{RECORD}")):
            self._read(path, self._deleted)

    def _read(self, path: Path, among: dict[str, JobRecord]) -> None:
        """Read a record; a damaged one is no analysis of ours, but its results are listed."""
        with suppress(FormatError):
            record = read_record(path)
            if record.name == path.parent.name and self._workspace.holds(path):
                interrupted = {"state": "interrupted", "step": ""} if record.open else {}
                among[record.name] = record.model_copy(update=interrupted)

    def records(self) -> list[JobRecord]:
        """Return all jobs, the newest first."""
        with self._lock:
            return sorted(self._records.values(), key=lambda each: each.created, reverse=True)

    def record(self, name: str) -> JobRecord | None:
        """Return a job by its name."""
        with self._lock:
            return self._records.get(name)

    def owner(self, name: str) -> str:
        """Return who started a job, also a deleted one; empty where that is not known."""
        with self._lock:
            record = self._records.get(name) or self._deleted.get(name)
            return "" if record is None else record.by

    def new_folder(self, trait: str) -> Path:
        """Make the folder of a new analysis; none is ever overwritten."""
        self._folder.mkdir(exist_ok=True)
        if not self._workspace.holds(self._folder):
            msg = f"{self._folder} leads out of the folder"
            raise UsageError(msg)
        used = (*self._folder.iterdir(), *self._folder.glob(f"{DELETED}/*"))
        numbers = [path.name.partition("-")[0] for path in used]
        number = max((int(n) for n in numbers if n.isascii() and n.isdigit()), default=0)
        while True:
            number += 1
            folder = self._folder / f"{number:03d}-{trait}"
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder

    def check_room(self, by: str = "") -> None:
        """Refuse another job while too many wait; a person of a group has few at a time."""
        with self._lock:
            mine = [each for each in self._records.values() if by and each.by == by and each.open]
            if len(mine) >= MOST_EACH:
                msg = f"{len(mine)} jobs of yours wait or run already; wait, or cancel one"
                raise UsageError(msg)
            if len(self._waiting) >= MOST_WAITING:
                msg = f"{MOST_WAITING} jobs are waiting already; wait, or cancel one"
                raise UsageError(msg)

    def new_name(self, kind: str, subject: str) -> str:
        """Return a name for a job that has no folder among the analyses."""
        with self._lock:
            times = sum(not record.kept for record in self._records.values())
        return f"{kind}-{times + 1}-{subject}"

    def submit(
        self, record: JobRecord, by: str = "", tables: Kept[OwnTables] | None = None
    ) -> None:
        """Let a job of a person wait for its turn; `tables` that it works on are not read again."""
        record = record.model_copy(update={"by": by})
        with self._lock:
            self._keep(record)
            if tables is not None and tables.file is not None:
                self._tables[record.name] = tables
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
                self._change(name, step="cancelling")
                self._running.child.end_within(_PATIENCE)

    def describe(self, name: str, title: str, notes: str) -> None:
        """Give an analysis a title and notes.

        Raises
        ------
        UsageError
            If there is no such analysis, or a text is too long.
        """
        if len(title) > LONGEST_TITLE or len(notes) > LONGEST_NOTES:
            msg = f"a title has at most {LONGEST_TITLE} characters, notes {LONGEST_NOTES}"
            raise UsageError(msg)
        with self._lock:
            record = self._kept(name, self._records)
            self._keep(record.model_copy(update={"title": title, "notes": notes}))

    def delete(self, name: str) -> None:
        """Put the folder of an analysis that has ended aside, from where `restore` brings it back.

        Raises
        ------
        UsageError
            If there is no such analysis, or it is under way.
        """
        with self._lock:
            record = self._kept(name, self._records)
            if record.open:
                msg = f"{name} is {record.state}; cancel it first"
                raise UsageError(msg)
            aside = self._folder / DELETED
            aside.mkdir(exist_ok=True)
            self._move(self._folder / name, aside / name)
            self._deleted[name] = self._records.pop(name)

    def restore(self, name: str) -> None:
        """Bring a deleted analysis back.

        Raises
        ------
        UsageError
            If it was not deleted here.
        """
        with self._lock:
            self._kept(name, self._deleted)
            self._move(self._folder / DELETED / name, self._folder / name)
            self._records[name] = self._deleted.pop(name)

    def deleted(self) -> list[JobRecord]:
        """Return the analyses that can be restored, the newest first."""
        with self._lock:
            return sorted(self._deleted.values(), key=lambda each: each.created, reverse=True)

    def _kept(self, name: str, among: Mapping[str, JobRecord]) -> JobRecord:
        """Return the record of an analysis; no path is made of any other name."""
        record = among.get(name)
        if record is None or not record.kept:
            msg = f"there is no analysis {name!r}"
            raise UsageError(msg)
        return record

    def _move(self, folder: Path, target: Path) -> None:
        """Move a folder inside the analyses; nothing is overwritten."""
        if folder.is_symlink() or not all(map(self._workspace.holds, (folder, target))):
            msg = f"{folder.name} leads out of the folder"
            raise UsageError(msg)
        if target.exists() or not folder.is_dir():
            msg = f"{folder.name} cannot be moved: it is gone, or there is another one"
            raise UsageError(msg)
        folder.rename(target)

    def close(self) -> None:
        """End the running analysis; nothing half-written is left."""
        with self._lock:
            self._closed = True
            if self._running is not None:
                # Python waits for its processes when it ends, however long they take.
                self._running.child.end_within(_PATIENCE)
            self._lock.notify_all()
        if self._thread is not None:
            self._thread.join(2 * _PATIENCE)

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

    def _usual(self, record: JobRecord) -> float | None:
        """Return the seconds of the last job like this one: of the same subject if there is one."""
        like = [
            each
            for each in self.records()
            if type(each) is type(record) and each.state == "done" and each.begun and each.finished
        ]
        same = [each for each in like if each.subject == record.subject]
        last = next(iter((*same, *like)), None)
        return None if last is None else (last.finished or 0.0) - (last.begun or 0.0)

    def _end(self, name: str, state: State, message: str = "", formula: str = "") -> None:
        message = self._workspace.without_places(message)
        self._tables.pop(name, None)
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
                usual = self._usual(self._records[name])
                self._change(name, state="running", step="starting", begun=time.time(), usual=usual)
                try:
                    work = "genotex.studies.queue:run_in_child"
                    child = start_child(work, *self._given(name), memory=self._memory)
                except OSError as error:
                    self._end(name, "failed", f"no process could be started: {error}")
                    continue
                running = self._running = _RunningJob(name, child)
            with child.messages:
                self._follow(running)

    def _given(self, name: str) -> tuple[object, ...]:
        """Return what the process of a job is given; the file of its tables where it has some."""
        tables = self._tables.get(name)
        return self._workspace.root, self._records[name], *([tables.file] if tables else [])

    def _follow(self, running: _RunningJob) -> None:
        """Note the steps of the running analysis until it ends."""
        ended: tuple[State, str, str] = ("failed", _UNEXPECTED, "")
        try:
            while True:
                kind, *texts = running.child.messages.recv()
                if kind == "step":
                    with self._lock:
                        self._records[running.name].step = texts[0]
                else:
                    ended = kind, texts[0], texts[1]
        except (EOFError, OSError):
            pass
        running.child.process.join(_PATIENCE)
        running.child.kill()
        if running.child.process.exitcode == -signal.SIGKILL:
            remove_unfinished(self._workspace.root, running.child.process.pid or 0)
        with self._lock:
            if running.cancelled:
                ended = "cancelled", "", ""
            elif self._closed and ended[0] != "done":
                ended = "interrupted", "", ""
            self._end(running.name, *ended)
            self._running = None


def run_in_child(
    messages: Connection, root: Path, record: JobRecord, tables: Path | None = None
) -> None:
    """Run one job in a process of its own, and send its steps and its end."""
    try:
        read = None if tables is None else Kept[OwnTables](file=tables).open(own=True)
        outcome = run_job(root, record, lambda step: messages.send(("step", step)), read)
        messages.send(("done" if outcome.solved else "failed", outcome.message, outcome.formula))
    except (GenotexError, OSError) as error:
        messages.send(("failed", str(error), ""))
    except MemoryError:
        messages.send(("failed", "needs more memory than a job may have here", ""))
