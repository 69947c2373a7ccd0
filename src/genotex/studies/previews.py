"""Designs of own tables, checked in a process with limits of time and memory.

A formula is text that somebody typed. Whatever it makes the computation do, the server goes on: the
process that works on it is ended, and the page says so.
"""

from __future__ import annotations

import logging
import math
import resource
import threading
import traceback
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection

import numpy as np
from pydantic import BaseModel, ValidationError

from genotex.analysis import check_survival
from genotex.cohorts import OwnTables, enough_samples, keep_expressed
from genotex.errors import GenotexError, UsageError
from genotex.parallel import Child, start_child
from genotex.studies.records import TablesRecord
from genotex.workflows import DesignInput, of_survival, prepare_designs

_log = logging.getLogger(__name__)

SECONDS, MEMORY = 10.0, 1536 << 20
"""Of one design: 10,000 samples from fifty centres take a second and 400 MiB."""
_LONGEST_START = 60.0
_LONGEST_ANSWER = 4 << 20


class Compared(BaseModel):
    """What one contrast compares, in words; `trait` is its name as a result."""

    contrast: str
    samples: int | None
    text: str
    trait: str
    group_size: float | None = None


class CheckedDesign(BaseModel):
    """A design that can be tested: its contrasts, and what a reader should know."""

    rows: list[Compared]
    notes: list[str] = []
    warnings: list[str] = []


class _Answer(BaseModel):
    """What the process found, or why it found nothing; `trouble` is for the log."""

    found: CheckedDesign | None = None
    refused: str = ""
    trouble: str = ""


class Previews:
    """Checks designs one after the other, in a process that is kept as long as it behaves."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._closed = False

    def check(self, tables: OwnTables, record: TablesRecord) -> CheckedDesign:
        """Return what a design compares.

        Raises
        ------
        UsageError
            If there is a mistake in the design, or it goes beyond a limit.
        """
        if not self._lock.acquire(timeout=self._seconds):
            msg = "another design is still being checked; try again in a moment"
            raise UsageError(msg)
        try:
            answered = self._ask(_without_genes(tables), record)
        finally:
            self._lock.release()
        if answered.trouble:
            _log.error(
                "a design could not be checked: %r\n%s", record.asked.design, answered.trouble
            )
        if answered.found is None:
            raise UsageError(answered.refused)
        return answered.found

    def close(self) -> None:
        """End the process, also while it works; who waits for it is told that it ended."""
        self._closed = True
        if self._child is not None:
            self._child.process.kill()

    def _ask(self, tables: OwnTables, record: TablesRecord) -> _Answer:
        """Let the process check a design; one that takes too long or too much is ended."""
        child = self._started()
        late = threading.Event()

        def stop() -> None:
            late.set()
            child.process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            child.messages.send((tables, record, self._seconds))
            answered = _Answer.model_validate_json(child.messages.recv_bytes(_LONGEST_ANSWER))
        except (EOFError, OSError, ValidationError):
            self._drop()
            return _Answer(refused=self._stopped(late.is_set()))
        finally:
            timer.cancel()
        if late.is_set() or answered.trouble:
            self._drop()
        return answered

    def _stopped(self, late: bool) -> str:
        if late:
            return f"the check of this design took more than {self._seconds:g} s; {_SIMPLER}"
        return f"the check of this design {_needs(self._memory)}, or failed; {_SIMPLER}"

    def _started(self) -> Child:
        """Return the process, ready for a design."""
        if self._child is not None and self._child.process.is_alive():
            return self._child
        self._drop()
        if self._closed:
            msg = "the workbench is ending"
            raise UsageError(msg)
        try:
            child = start_child("genotex.studies.previews:answer", memory=self._memory)
        except OSError as error:
            msg = f"no process could be started to check the design: {error.strerror or error}"
            raise UsageError(msg) from error
        self._child = child
        try:
            if child.messages.poll(_LONGEST_START) and child.messages.recv_bytes(_LONGEST_ANSWER):
                return child
        except (EOFError, OSError):
            pass
        self._drop()
        msg = "the process that checks designs did not start; is there enough memory?"
        raise UsageError(msg)

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.messages.close()
            self._child = None


_SIMPLER = "simplify it, or use 'genotex de', which has no such limit"


def _needs(memory: int) -> str:
    return f"needs more than {memory >> 20:,} MiB of memory"


def _without_genes(tables: OwnTables) -> OwnTables:
    """Return the samples alone, which is all that a design is about."""
    nothing = np.zeros((len(tables.samples), 0))
    return replace(
        tables, genes=(), expression=nothing, notes=(), warnings=(), record={}, raw_counts=None
    )


def genes_left_out(tables: OwnTables, sizes: Sequence[float]) -> list[str]:
    """Say how many genes with few counts contrasts of groups of these sizes leave out."""
    kept = [keep_expressed(tables, enough_samples(size)) for size in sizes]
    return [note for each in kept for note in each.notes[len(tables.notes) :]]


def answer(messages: Connection) -> None:
    """Check the designs that are sent; runs in the process with the limits."""
    messages.send_bytes(b"ready")
    while True:
        try:
            tables, record, seconds = messages.recv()
        except EOFError:
            return
        _limit_processor_time(seconds)
        found = _answer_of(tables, record)
        messages.send_bytes(found.model_dump_json().encode("utf-8"))


def _limit_processor_time(seconds: float) -> None:
    """Let the kernel end this process if it outlives a server that was killed while it works."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
    highest = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if highest == resource.RLIM_INFINITY or until < highest:
        resource.setrlimit(resource.RLIMIT_CPU, (until, highest))


def _answer_of(tables: OwnTables, record: TablesRecord) -> _Answer:
    try:
        return _Answer(found=_checked(tables, record))
    except GenotexError as error:
        return _Answer(refused=str(error))
    except MemoryError:
        memory = resource.getrlimit(resource.RLIMIT_DATA)[0]
        text = f"the check of this design {_needs(memory)}; {_SIMPLER}"
        return _Answer(refused=text, trouble="out of memory")
    except Exception:
        text = "this design could not be checked; the log of genotex serve says why"
        return _Answer(refused=text, trouble=traceback.format_exc())


def _checked(tables: OwnTables, record: TablesRecord) -> CheckedDesign:
    asked, options = record.asked, record.options
    if asked.survival is not None:
        given = of_survival(DesignInput.of_tables(tables), options)
        text, warnings = check_survival(given.data, asked)
        trait = asked.survival.partition(",")[2]
        row = Compared(contrast=f"time to {trait}", samples=None, text=text, trait=trait)
        return CheckedDesign(rows=[row], warnings=list(warnings))
    prepared, _ = prepare_designs(tables, asked, options)
    rows, warnings_of = [], []
    for contrast, one in zip(asked.contrasts, prepared, strict=True):
        own = one.fitted()
        text = str(own.contrast.summary.get("text", ""))
        row = Compared(
            contrast=contrast,
            samples=len(own.rows),
            text=text,
            trait=one.trait,
            group_size=own.group_size,
        )
        rows.append(row)
        warnings_of += [*own.warnings, *own.contrast.warnings]
    return CheckedDesign(rows=rows, warnings=list(dict.fromkeys(warnings_of)))
