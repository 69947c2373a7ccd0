"""Words, panels and checks that options share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from genotex.errors import UsageError
from genotex.options.fields import Option
from genotex.procedure import Procedure

__all__ = [
    "BENCHMARK",
    "CONTROLS",
    "GROUPS",
    "LIMITS",
    "MODELS",
    "PLUG_IN",
    "SOUND",
    "TWO_STEP",
    "WAYS",
    "ChosenProcedure",
    "Controls",
    "Hidden",
    "LevelsMode",
    "MissingValues",
    "Model",
    "RegressorRule",
    "SampleWeights",
    "Scale",
    "SetTest",
    "Solver",
    "check_q",
    "groups",
    "refuse_idle",
    "refuse_unknown",
    "sound",
]


Controls = Literal["auto", "healthy", "all"]
"""Which controls cases are compared with."""
RegressorRule = Literal["inclusive", "exclusive"]
"""Which genes predict the condition of a two-step problem."""
Scale = Literal["auto", "log2", "linear", "counts"]
"""Scale of expression values as they are in the file."""
Model = Literal["moderated", "mixed", "all"]
Hidden = Literal["auto", "none", "sva", "two-step"]
SampleWeights = Literal["auto", "none", "group", "sample", "array"]
LevelsMode = Literal["auto", "line", "factor", "ordered"]
Solver = Literal["scikit-learn", "exact"]
SetTest = Literal["camera", "fry", "fry-mixed"]

SOUND, BENCHMARK = "Procedure sound", "Procedure benchmark"
GROUPS = "Samples and groups"
TWO_STEP = "Another trait as condition"
PLUG_IN = "Plug-ins"
MODELS, WAYS, LIMITS = "Models", "Ways of the team", "Limits"


ChosenProcedure = Annotated[
    Procedure,
    # The benchmark needs its list of related genes, a file on the server.
    Option(
        "Sound statistics, or the steps of the published benchmark.", browser=False, designs=False
    ),
]
MissingValues = Literal["error", "drop", "fill"]
"""What becomes of samples without a value that a design needs."""


CONTROLS = Option(
    "Compare cases with healthy controls, or with all. auto: healthy controls if there are at "
    "least five.",
    "--controls",
    label="Compared with",
)


def sound(help: str, name: str = "", panel: str = SOUND, **others: Any) -> Option:
    """Return an option of the procedure ``sound``."""
    return Option(help, name, panel, Procedure.SOUND, **others)


def groups(help: str, name: str = "", **others: Any) -> Option:
    """Return an option that says which samples are compared."""
    return Option(help, name, GROUPS, **others)


def refuse_unknown(options: object, known: dict[str, tuple[str, ...]]) -> None:
    """Refuse a word that is not among the known ones of its field."""
    for name, words in known.items():
        value = getattr(options, name)
        if value not in words:
            msg = f"{name} {value!r} is not known; use {', '.join(words[:-1])} or {words[-1]}"
            raise UsageError(msg)


def check_q(q_cut: float) -> None:
    """Refuse a number that is no q-value."""
    if not 0 < q_cut <= 1:
        msg = f"q_cut {q_cut} is not a q-value; use a number above 0 and at most 1"
        raise UsageError(msg)


def refuse_idle(idle: Sequence[str], given: str) -> None:
    """Refuse options that would do nothing."""
    if idle:
        has, it = ("has", "it") if len(idle) == 1 else ("have", "them")
        msg = f"{', '.join(idle)} {has} no effect with {given}; leave {it} out"
        raise UsageError(msg)
