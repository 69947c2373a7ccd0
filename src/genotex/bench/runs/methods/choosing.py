"""Methods by name, with their options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.analysis import AnalysisOptions
from genotex.bench.runs.methods.built_in import (
    LASSO,
    MIXED_MODEL,
    NO_BATCH_CORRECTION,
    USUAL_NUMBER,
    FromCohorts,
    RandomGenes,
    ZeroShot,
    read_answers,
)
from genotex.bench.runs.methods.method import ChosenMethod
from genotex.bench.runs.methods.plug_ins import EntryPointMethod, entry_point_methods, read_command
from genotex.errors import UsageError
from genotex.formats.raw import sha256
from genotex.layout import Procedure

__all__ = ["BUILT_IN", "COMMAND", "MethodOptions", "choose_method", "refuse_idle"]


def refuse_idle(idle: Sequence[str], given: str) -> None:
    """Refuse options that would do nothing.

    Parameters
    ----------
    idle : sequence of str
        Those that were given, as they are written; may be empty.
    given : str
        Next to what they would have no effect.

    Raises
    ------
    UsageError
        If there is one.
    """
    if idle:
        has, it = ("has", "it") if len(idle) == 1 else ("have", "them")
        msg = f"{', '.join(idle)} {has} no effect with {given}; leave {it} out"
        raise UsageError(msg)


COMMAND = "command"

_ANALYSES: dict[str, tuple[AnalysisOptions, tuple[Procedure, ...]]] = {
    "lasso": (LASSO, ("benchmark", "sound")),
    "mixed-model": (MIXED_MODEL, ("sound",)),
    "no-bec": (NO_BATCH_CORRECTION, ("benchmark",)),
}
"""Fixed options, and the procedures by which cohorts may be preprocessed for them."""

BUILT_IN = ("rules", *_ANALYSES, "random", "zero-shot")
"""Names of the methods that are always there."""


@dataclass(frozen=True)
class MethodOptions:
    """What a user chose about the method; None and empty: nothing.

    Attributes
    ----------
    method : str or None
        One of `BUILT_IN` or the name of an entry point.
    command : str or None
        A command line in place of a method.
    procedure : {"sound", "benchmark"} or None
    genes : int or None
        How many genes ``random`` draws.
    answers : Path or None
        The file of ``zero-shot``.
    pass_env : tuple of str
        Environment variables for a command.
    own_cohorts : bool
        The plug-in preprocesses the cohorts itself.
    """

    method: str | None = None
    command: str | None = None
    procedure: Procedure | None = None
    genes: int | None = None
    answers: Path | None = None
    pass_env: tuple[str, ...] = ()
    own_cohorts: bool = False


def choose_method(options: MethodOptions) -> ChosenMethod:
    """Return the method a user asked for.

    Raises
    ------
    UsageError
        If there is no such method, or an option has no effect with it.
    FormatError
        If the file of answers is none.
    """
    name = _name(options)
    _refuse_unused(name, options)
    if name == COMMAND:
        return _command(options)
    if name == "rules":
        procedure = options.procedure or "sound"
        method = FromCohorts(AnalysisOptions(procedure=procedure))
        return ChosenMethod(name, method, "cohorts", procedure)
    if name in _ANALYSES:
        fixed, procedures = _ANALYSES[name]
        return ChosenMethod(
            name, FromCohorts(fixed), "cohorts", _procedure(name, options, procedures)
        )
    if name == "random":
        number = USUAL_NUMBER if options.genes is None else options.genes
        return ChosenMethod(name, RandomGenes(number), "nothing", record={"genes": number})
    if name == "zero-shot":
        return _zero_shot(options)
    return _entry_point(name, options)


def _name(options: MethodOptions) -> str:
    if options.command is None:
        return options.method or "rules"
    if options.method is not None:
        msg = f"--method {options.method} and --command exclude each other; use one of them"
        raise UsageError(msg)
    return COMMAND


def _refuse_unused(name: str, options: MethodOptions) -> None:
    """Refuse options that have no effect with the method."""
    plug_in = name not in BUILT_IN
    uses = {
        "--procedure": (options.procedure is not None, name not in ("random", "zero-shot")),
        "--genes": (options.genes is not None, name == "random"),
        "--answers": (options.answers is not None, name == "zero-shot"),
        "--pass-env": (bool(options.pass_env), name == COMMAND),
        "--own-cohorts": (options.own_cohorts, plug_in),
    }
    idle = [option for option, (given, useful) in uses.items() if given and not useful]
    refuse_idle(idle, f"the method {name}")


def _procedure(name: str, options: MethodOptions, procedures: tuple[Procedure, ...]) -> Procedure:
    if options.procedure is None:
        return procedures[0]
    if options.procedure not in procedures:
        msg = (
            f"the method {name} uses the procedure {procedures[0]}; leave "
            f"--procedure {options.procedure} out"
        )
        raise UsageError(msg)
    return options.procedure


def _zero_shot(options: MethodOptions) -> ChosenMethod:
    if options.answers is None:
        msg = "the method zero-shot reads its answers from a file; give --answers FILE"
        raise UsageError(msg)
    answers = read_answers(options.answers)
    record = {"answers": {"name": options.answers.name, "sha256": sha256(options.answers)}}
    return ChosenMethod("zero-shot", ZeroShot(answers), "nothing", record=record)


def _command(options: MethodOptions) -> ChosenMethod:
    command = read_command(str(options.command), options.pass_env)
    return ChosenMethod(
        COMMAND,
        command,
        "anything",
        options.procedure or "sound",
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
        options.procedure or "sound",
        options.own_cohorts,
        record={"from": version, "object": found.value, "own_cohorts": options.own_cohorts},
    )
