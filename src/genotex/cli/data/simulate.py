"""`genotex simulate` and `genotex demo`: studies and benchmarks with known answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.preprocess import show_outcomes
from genotex.cli.genes.results import show_result
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, Option

_SEED = "The same seed gives the same files."
Seed = Annotated[int, Option(_SEED, "--seed", least=0)]

_STUDY = {"samples": 80, "genes": 4000}
_BENCHMARK = {"samples": 100, "genes": 1200, "traits": 12, "cohorts": 44}
_SMALL = {"samples": 24, "genes": 400, "traits": 4, "cohorts": 8}
_STUDY_STEPS = 8


@dataclass(frozen=True)
class _Content:
    """What is simulated; sizes that are None have defaults by kind."""

    world: Annotated[
        bool, Option("Write a whole benchmark: traits, tasks, reference.", "--world")
    ] = False
    small: Annotated[bool, Option("A small benchmark for quick tests.", "--small")] = False
    seed: Annotated[
        int | None, Option(f"{_SEED} With --world a secret one.", "--seed", default="1", least=0)
    ] = None
    answers: Annotated[
        Path | None, Option("Where --world writes the true answers.", default="DIR-answers")
    ] = None
    samples: Annotated[
        int | None, Option("Samples of the largest cohort: 80; with --world 100, with --small 24.")
    ] = None
    genes: Annotated[
        int | None, Option("Number of genes: 4000; with --world 1200, with --small 400.")
    ] = None
    traits: Annotated[int | None, Option("Traits of a benchmark: 12; with --small 4.")] = None
    cohorts: Annotated[int | None, Option("Cohorts of a benchmark: 44; with --small 8.")] = None
    shared_genes: Annotated[
        float | None,
        Option(
            "Share of planted genes that traits have in common two by two, with --world.",
            default="0",
            least=0,
            most=1,
        ),
    ] = None
    rna_seq: Annotated[
        bool, Option("Add a cohort with an empty matrix and NCBI's counts.", "--rna-seq")
    ] = False

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that were given."""
        asked = {"samples": self.samples, "genes": self.genes}
        asked |= {"traits": self.traits, "cohorts": self.cohorts}
        return {name: number for name, number in asked.items() if number is not None}


@with_options
def simulate(
    folder: Annotated[Path, o.argument("DIR", "Folder for the files; new or empty.")],
    content: _Content,
    overwrite: Annotated[
        bool, Option("Replace an earlier simulated study or benchmark.", "--overwrite")
    ] = False,
    json: o.Json = False,
) -> None:
    """Write a simulated study in true GEO and TCGA format, with planted genes.

    It holds two cohorts of one trait on different platforms, a cohort of a
    condition, a TCGA-like study, cohorts that must be rejected and one with
    shifted characteristics; truth.json records what was planted. With --world
    it is a whole benchmark: many traits and cohorts, task_info.json with
    problems of all kinds, and in DIR-answers the true answers, to score an
    output folder by. Its seed is secret, so that nobody can make the answers
    again; name one for practice.

    Examples:
      genotex simulate study

      genotex solve study results --trait "Simulated Arthritis"

      genotex simulate study --rna-seq

      genotex simulate world --world

      genotex preprocess world output

      genotex analyze output --task-info world/task_info.json
    """
    given = content.sizes
    if content.world:
        if content.rna_seq:
            msg = "--rna-seq: a simulated benchmark has no such cohort; leave out one of them"
            raise UsageError(msg)
        sizes = (_SMALL if content.small else _BENCHMARK) | given
        _simulate_benchmark(folder, content, sizes, overwrite, json)
        return
    alone = ["--small"] * content.small + ["--answers"] * (content.answers is not None)
    alone += ["--shared-genes"] * (content.shared_genes is not None)
    alone += [f"--{name}" for name in given if name not in _STUDY]
    if alone:
        msg = f"{', '.join(alone)}: only for a benchmark; add --world, or leave them out"
        raise UsageError(msg)
    seed = 1 if content.seed is None else content.seed
    _simulate_study(folder, seed, _STUDY | given, content.rna_seq, overwrite, json)


def _simulate_study(
    folder: Path, seed: int, sizes: dict[str, int], rna_seq: bool, overwrite: bool, json: bool
) -> None:
    from genotex.simulate import simulate_study

    with screen.progress("simulating") as step:
        study = simulate_study(
            folder,
            seed=seed,
            samples=sizes["samples"],
            genes=sizes["genes"],
            rna_seq=rna_seq,
            overwrite=overwrite,
            progress=lambda what: step(what, _STUDY_STEPS + rna_seq),
        )
    truth = study.truth
    if json:
        screen.print_json({"folder": str(folder), "trait": truth.trait, "seed": seed})
        return
    planted = len(truth.planted[truth.trait])
    screen.show(
        f"{folder}: {len(truth.cohorts)} cohorts; {planted} genes planted for {truth.trait}\n"
        f"next: genotex solve {folder} results --trait {truth.trait}"
    )


def _simulate_benchmark(
    folder: Path, content: _Content, sizes: dict[str, int], overwrite: bool, json: bool
) -> None:
    from genotex.bench.simulated import simulate_benchmark

    with screen.progress("simulating") as step:
        simulated = simulate_benchmark(
            folder,
            answers=content.answers,
            seed=content.seed,
            traits=sizes["traits"],
            cohorts=sizes["cohorts"],
            samples=sizes["samples"],
            genes=sizes["genes"],
            shared_genes=content.shared_genes or 0.0,
            overwrite=overwrite,
            progress=lambda what: step(what, sizes["cohorts"]),
        )
    figures = simulated.summary()
    if json:
        answers = str(simulated.reference)
        screen.print_json({"folder": str(folder), "answers": answers, **figures})
        return
    kinds = ", ".join(f"{number} {kind}" for kind, number in figures["problems"].items())
    screen.show(
        f"{folder}: {figures['traits']} traits, {figures['cohorts']} cohorts "
        f"({figures['usable_cohorts']} usable), problems: {kinds}; "
        f"{figures['answered']} can be answered\n"
        f"next: genotex preprocess {folder} output\n"
        f"      genotex analyze output --task-info {simulated.task_info}\n"
        f"true answers and seed: {simulated.reference}; keep them from agents"
    )


@with_options
def demo(
    folder: Annotated[Path, o.argument("DIR", "Folder for the demonstration.")] = Path("demo"),
    seed: Seed = 1,
    jobs: o.Jobs = 1,
) -> None:
    """Run the whole pipeline on a simulated study whose answer is known.

    Everything is written to one folder; no network is needed.

    Examples:
      genotex demo

      genotex demo elsewhere --seed 7
    """
    from genotex.problems import Problem
    from genotex.simulate import score_against_truth, simulate_study
    from genotex.workflows import SolveRequest, solve

    with screen.progress("simulating a study") as step:
        study = simulate_study(
            folder / "study", seed=seed, overwrite=True, progress=lambda what: step(what, 8)
        )
    truth, results = study.truth, folder / "results"
    request = SolveRequest(
        study.folder,
        OutputFolder(results),
        Problem(truth.trait),
        AnalysisOptions(),
        every=False,
        report=folder / "report.html",
        jobs=jobs,
    )
    with screen.work() as progress:
        solved = solve(request, progress)
    show_outcomes(solved.cohorts)
    outcome, report = solved.outcome, solved.report
    if outcome.result is None:
        screen.notify(f"the demonstration failed: {outcome.why}", "error", "red")
        raise typer.Exit(screen.NOTHING_USABLE)
    screen.out.print()
    show_result(outcome.result)
    screen.show(f"\nreport: {report} (open it in a browser)")
    score = score_against_truth(truth, outcome.result.significant["Variable"])
    screen.show(
        f"planted found: {score.found}/{score.planted}, FDP {score.false_discovery_proportion:.3f}"
    )
