"""Methods of other authors: a command line, or a Python entry point."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from genotex.bench.runs.children.processes import end_with_parent
from genotex.bench.runs.methods.method import Context, problem_json
from genotex.bench.runs.problem_record import check_exit
from genotex.errors import UsageError
from genotex.parallel import thread_numbers
from genotex.problems import Problem


@dataclass(frozen=True)
class _ProgramMethod:
    """Runs a program for each problem, without a shell."""

    words: tuple[str, ...]
    folder: Path
    pass_env: tuple[str, ...] = ()

    def solve(self, problem: Problem, context: Context) -> None:
        """Run the program; what it prints goes where this process prints."""
        question = json.dumps(problem_json(problem, context))
        done = subprocess.run(
            self.words,
            input=question.encode(),
            cwd=self.folder,
            env=self._environment(context),
            # This process has no other thread that could hold a lock.
            preexec_fn=end_with_parent,
            check=False,
        )
        check_exit(done.returncode, "the command")

    def _environment(self, context: Context) -> dict[str, str]:
        temporary = context.scratch / "tmp"
        temporary.mkdir()
        threads = str(context.threads)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(context.scratch),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            **dict.fromkeys(thread_numbers(1), threads),
            **{name: os.environ[name] for name in self.pass_env if name in os.environ},
        }


def read_command(text: str, pass_env: tuple[str, ...]) -> _ProgramMethod:
    """Split a command line as a shell would, and check that it can be run."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        msg = f"--command {text!r} cannot be read: {error}"
        raise UsageError(msg) from error
    if not words:
        msg = "--command is empty; give a program and its arguments"
        raise UsageError(msg)
    if shutil.which(words[0]) is None:
        msg = f"--command: program {words[0]!r} not found; the command is run without a shell"
        raise UsageError(msg)
    unset = [name for name in pass_env if name not in os.environ]
    if unset:
        msg = f"--pass-env {', '.join(unset)}: not set in the environment"
        raise UsageError(msg)
    return _ProgramMethod(tuple(words), Path.cwd(), pass_env)


_GROUP = "genotex.methods"


def entry_point_methods() -> dict[str, EntryPoint]:
    """Return what is installed, by name; nothing of it is imported."""
    return {found.name: found for found in entry_points(group=_GROUP)}


@dataclass(frozen=True)
class EntryPointMethod:
    """Calls a function, or the method ``solve`` of a class, with problem and context."""

    name: str
    value: str

    def solve(self, problem: Problem, context: Context) -> None:
        """Import the plug-in and let it answer."""
        found = EntryPoint(self.name, self.value, _GROUP).load()
        plug_in = found() if isinstance(found, type) else found
        getattr(plug_in, "solve", plug_in)(problem, context)
