"""Methods by name, with their options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from genotex.bench.runs.methods.built_in import (
    LASSO,
    MIXED_MODEL,
    NO_BATCH_CORRECTION,
    USUAL_NUMBER,
    FromCohorts,
    RandomGenes,
    ZeroShot,
    read_gene_answers,
)
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.methods.plug_ins import EntryPointMethod, entry_point_methods, read_command
from genotex.errors import UsageError
from genotex.formats import sha256
from genotex.options import AnalysisOptions, MethodOptions, refuse_idle
from genotex.procedure import Procedure

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
    command = read_command(str(options.command), options.pass_env)
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
    installed = entry_point_methods()
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
        EntryPointMethod(name, found.value),
        "anything",
        _procedure(options),
        options.own_cohorts,
        record={"from": version, "object": found.value, "own_cohorts": options.own_cohorts},
    )
