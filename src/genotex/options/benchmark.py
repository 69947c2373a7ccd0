"""Options of gene set tests and of methods in benchmark runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from genotex.errors import UsageError
from genotex.options.fields import PLUG_IN, Option, SetTest, check_q
from genotex.procedure import Procedure


@dataclass(frozen=True)
class EnrichmentOptions:
    """Options of gene set tests; the fields are described by their help texts.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    q_cut: Annotated[
        float,
        Option(
            "Sets with a smaller q-value are significant.",
            "--q",
            above=0,
            most=1,
            label="Significant at q below",
            common=True,
        ),
    ] = 0.05
    min_size: Annotated[
        int, Option("Fewest tested genes of a set.", least=1, label="Smallest set", common=True)
    ] = 10
    max_size: Annotated[
        int, Option("Most tested genes of a set.", least=1, label="Largest set", common=True)
    ] = 500
    permutations: Annotated[int, Option("Random sets of each size, to normalise scores.")] = 1000
    seed: Annotated[int, Option("Seed of the random sets.")] = 42
    test: Annotated[
        SetTest,
        Option(
            "Test whose q-values decide which sets are significant. fry: does a set change at all, "
            "in one direction? Those that shift most against the other genes come first. "
            "fry-mixed: in either? camera: does it change more than the other genes?",
            common=True,
        ),
    ] = "fry"

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        check_q(self.q_cut)
        if not 1 <= self.min_size <= self.max_size:
            msg = f"no set has {self.min_size} to {self.max_size} genes; use sizes from 1 upwards"
            raise UsageError(msg)
        if self.permutations < 100:
            msg = f"{self.permutations} permutations are too few to normalise by; use 100 or more"
            raise UsageError(msg)
        if not 0 <= self.seed < 2**32:
            msg = f"seed {self.seed} is out of range; use 0 to {2**32 - 1}"
            raise UsageError(msg)
        if self.test not in get_args(SetTest):
            msg = f"test {self.test!r} is not known; use {', '.join(get_args(SetTest))}"
            raise UsageError(msg)


@dataclass(frozen=True)
class MethodOptions:
    """The method of a benchmark run, and its options; the fields are described by their help."""

    method: Annotated[
        str | None,
        Option(
            "rules, lasso, mixed-model, no-bec, random, zero-shot, or the name of an installed "
            "plug-in.",
            default="rules",
        ),
    ] = None
    command: Annotated[
        str | None,
        Option("A program that receives each problem as JSON on standard input.", panel=PLUG_IN),
    ] = None
    procedure: Annotated[
        Procedure | None,
        Option(
            "Procedure that preprocesses the cohorts and, with rules, analyses them.",
            default="that of the method, else sound",
        ),
    ] = None
    genes: Annotated[int | None, Option("random: number of genes.", default="300")] = None
    answers: Annotated[
        Path | None, Option('zero-shot: lines of {"trait", "condition", "genes"}.')
    ] = None
    pass_env: Annotated[
        tuple[str, ...],
        Option(
            "Give the command this environment variable; repeat. It gets no other.",
            panel=PLUG_IN,
            metavar="NAME",
        ),
    ] = ()
    own_cohorts: Annotated[
        bool, Option("The plug-in preprocesses the cohorts itself.", "--own-cohorts", panel=PLUG_IN)
    ] = False
