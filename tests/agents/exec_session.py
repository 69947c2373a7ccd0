"""A session in this process, for code of the rules and their seeded faults alone."""

import contextlib
import io
import os
import shutil
import traceback
from pathlib import Path

from genotex.agents import CellResult, CellStatus, Output
from tests.agents.playing import FakeSession

LOOPS = ("while not done", "while done is False", "while tries >= 0")


class ExecSession(FakeSession):
    """Runs cells with ``exec``; an endless loop is known by its words and not run."""

    def __init__(self, writable: Path) -> None:
        super().__init__(writable)
        self.folder = writable
        self.names: dict[str, object] = {}

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        self.ran.append(code)
        if any(loop in code for loop in LOOPS):
            told = "Stopped after 3 s: the time limit of a cell."
            return CellResult(CellStatus.TIMED_OUT, explanation=told, state_kept=False)
        self.cells.append(code)
        return self.really_run(code)

    def really_run(self, code: str) -> CellResult:
        printed, here = io.StringIO(), Path.cwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, "<cell>", "exec"), self.names)
        except Exception as error:
            return CellResult(
                CellStatus.ERROR,
                (Output("stdout", printed.getvalue()),),
                type(error).__name__,
                str(error),
                "".join(traceback.format_exception(error)),
            )
        finally:
            os.chdir(here)
        return CellResult(CellStatus.OK, (Output("stdout", printed.getvalue()),))

    def restore(self, step: int) -> None:
        if step == self.step:
            return
        super().restore(step)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.names = {}
        for code in self.cells:
            self.really_run(code)
