"""Methods by name, with their options; those of other authors are a command or an entry point."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from genotex.bench.runs.built_in import (
    LASSO,
    MIXED_MODEL,
    NO_BATCH_CORRECTION,
    USUAL_NUMBER,
    FromCohorts,
    RandomGenes,
    ZeroShot,
    read_gene_answers,
)
from genotex.bench.runs.method import ChosenMethod, Context, problem_json
from genotex.bench.runs.problem_record import check_exit
from genotex.bench.runs.processes import end_with_parent
from genotex.errors import UsageError
from genotex.formats import sha256
from genotex.options import AnalysisOptions, MethodOptions, refuse_idle
from genotex.parallel import thread_numbers
from genotex.problems import Problem
from genotex.procedure import Procedure


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


def _read_command(text: str, pass_env: tuple[str, ...]) -> _ProgramMethod:
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


def _entry_point_methods() -> dict[str, EntryPoint]:
    """Return what is installed, by name; nothing of it is imported."""
    return {found.name: found for found in entry_points(group=_GROUP)}


@dataclass(frozen=True)
class _EntryPointMethod:
    """Calls a function, or the method ``solve`` of a class, with problem and context."""

    name: str
    value: str

    def solve(self, problem: Problem, context: Context) -> None:
        """Import the plug-in and let it answer."""
        found = EntryPoint(self.name, self.value, _GROUP).load()
        plug_in = found() if isinstance(found, type) else found
        getattr(plug_in, "solve", plug_in)(problem, context)


__all__ = ["MethodOptions", "choose_method"]


_COMMAND = "command"


def choose_method(options: MethodOptions) -> ChosenMethod:
    """Return the method a user asked for."""
    name = _name(options)
    built_in = BUILT_IN.get(name)
    uses = _PLUG_IN_USES if built_in is None else built_in.uses
    _refuse_unused(name, options, ("--pass-env", *uses) if name == _COMMAND else uses)
    if name == _COMMAND:
        return _command(options)
    return _entry_point(name, options) if built_in is None else built_in.make(name, options)


def _name(options: MethodOptions) -> str:
    if options.command is None:
        return options.method or "rules"
    if options.method is not None:
        msg = f"--method {options.method} and --command exclude each other; use one of them"
        raise UsageError(msg)
    return _COMMAND


def _refuse_unused(name: str, options: MethodOptions, uses: Collection[str]) -> None:
    given = {
        "--procedure": options.procedure is not None,
        "--genes": options.genes is not None,
        "--answers": options.answers is not None,
        "--pass-env": bool(options.pass_env),
        "--own-cohorts": options.own_cohorts,
    }
    idle = [option for option, is_given in given.items() if is_given and option not in uses]
    refuse_idle(idle, f"the method {name}")


def _procedure(options: MethodOptions, usual: Procedure = Procedure.SOUND) -> Procedure:
    return Procedure(options.procedure or usual)


def _rules(name: str, options: MethodOptions) -> ChosenMethod:
    procedure = _procedure(options)
    method = FromCohorts(AnalysisOptions(procedure=procedure))
    return ChosenMethod(name, method, "cohorts", procedure)


def _fixed(analysis: AnalysisOptions, *procedures: Procedure) -> _Make:
    """Return a method of fixed options, for cohorts preprocessed by one of some procedures."""

    def make(name: str, options: MethodOptions) -> ChosenMethod:
        procedure = _procedure(options, procedures[0])
        if procedure not in procedures:
            msg = (
                f"the method {name} uses the procedure {procedures[0]}; leave "
                f"--procedure {procedure} out"
            )
            raise UsageError(msg)
        return ChosenMethod(name, FromCohorts(analysis), "cohorts", procedure)

    return make


def _random(name: str, options: MethodOptions) -> ChosenMethod:
    number = USUAL_NUMBER if options.genes is None else options.genes
    return ChosenMethod(name, RandomGenes(number), "nothing", record={"genes": number})


def _zero_shot(name: str, options: MethodOptions) -> ChosenMethod:
    if options.answers is None:
        msg = "the method zero-shot reads its answers from a file; give --answers FILE"
        raise UsageError(msg)
    answers = read_gene_answers(options.answers)
    record = {"answers": {"name": options.answers.name, "sha256": sha256(options.answers)}}
    return ChosenMethod(name, ZeroShot(answers), "nothing", record=record)


_Make = Callable[[str, MethodOptions], ChosenMethod]


@dataclass(frozen=True)
class _BuiltIn:
    """How a method is made, and the options that have an effect with it."""

    make: _Make
    uses: tuple[str, ...] = ("--procedure",)


BUILT_IN: Mapping[str, _BuiltIn] = {
    "rules": _BuiltIn(_rules),
    "lasso": _BuiltIn(_fixed(LASSO, Procedure.BENCHMARK, Procedure.SOUND)),
    "mixed-model": _BuiltIn(_fixed(MIXED_MODEL, Procedure.SOUND)),
    "no-bec": _BuiltIn(_fixed(NO_BATCH_CORRECTION, Procedure.BENCHMARK)),
    "random": _BuiltIn(_random, ("--genes",)),
    "zero-shot": _BuiltIn(_zero_shot, ("--answers",)),
}
"""The methods that are always there, by name: one row adds one."""

_PLUG_IN_USES = ("--procedure", "--own-cohorts")


def _command(options: MethodOptions) -> ChosenMethod:
    command = _read_command(str(options.command), options.pass_env)
    return ChosenMethod(
        _COMMAND,
        command,
        "anything",
        _procedure(options),
        options.own_cohorts,
        options.pass_env,
        record={
            "command": options.command,
            "folder": str(command.folder),
            "pass_env": list(options.pass_env),
            "own_cohorts": options.own_cohorts,
        },
    )


def _entry_point(name: str, options: MethodOptions) -> ChosenMethod:
    installed = _entry_point_methods()
    if name not in installed:
        plug_ins = f"; plug-ins: {', '.join(sorted(installed))}" if installed else ""
        msg = (
            f"unknown method {name!r}; use {', '.join(BUILT_IN)}{plug_ins}, or --command for "
            "your own program"
        )
        raise UsageError(msg)
    found = installed[name]
    version = None if found.dist is None else f"{found.dist.name} {found.dist.version}"
    return ChosenMethod(
        name,
        _EntryPointMethod(name, found.value),
        "anything",
        _procedure(options),
        options.own_cohorts,
        record={"from": version, "object": found.value, "own_cohorts": options.own_cohorts},
    )
