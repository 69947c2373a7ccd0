"""`genotex evaluate`: score an output folder against a reference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from typer.core import TyperCommand

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.benchmark.score_screen import show_scores
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import Option, RegressorRule

if TYPE_CHECKING:
    from genotex.bench.evaluation.options import EvaluationOptions, GeneUniverse
    from genotex.bench.evaluation.scores import Scores

ScoredProblems = Annotated[
    Path | None,
    Option(
        "Score these problems and the cohorts of their traits alone: JSON or CSV, such as "
        "run/problems.csv of a sample run.",
        "--problems",
        default="all of the reference",
    ),
]

Rules = Annotated[
    Literal["genotex", "published"],
    Option(
        "genotex, or published: odd cases (nothing available, unreadable files, repeated "
        "names, empty tables) as the benchmark's own scorer treats them.",
        metavar="RULES",
    ),
]

Word = TypeVar("Word", bound=str)
_CohortFlag = Literal[
    "is_available", "is_usable", "is_gene_available", "is_trait_available",
    "is_biased", "has_age", "has_gender",
]  # fmt: skip


@dataclass(frozen=True)
class _What:
    """What is scored, and how."""

    tasks: Annotated[
        tuple[str, ...],
        Option(
            "selection, preprocessing, analysis; several words are fine.",
            short="-t",
            metavar="WORD...",
            default="all that the reference holds",
        ),
    ] = ()
    subtasks: Annotated[
        tuple[str, ...],
        Option(
            "Tables of the task preprocessing: gene, clinical, linked.",
            "--preprocess-subtasks",
            short="-s",
            metavar="WORD...",
            default="all",
        ),
    ] = ()
    task_info: Annotated[
        Path | None,
        Option(
            "The benchmark's task_info.json: the problems for dataset selection, and the "
            "related genes.",
            default="that in metadata/ next to the reference or in the working folder",
        ),
    ] = None
    problems: ScoredProblems = None
    rules: Rules = "genotex"
    metrics: Annotated[
        Literal["default", "legacy"],
        Option(
            "legacy: as in the benchmark's older code, to compare with old tables. Its AUROC "
            "never counts missed genes: random lists get 0.99."
        ),
    ] = "default"
    df_field: Annotated[
        _CohortFlag,
        Option(
            "Flag of cohort_info.json that dataset filtering is scored by: "
            f"{', '.join(get_args(_CohortFlag))}.",
            metavar="FLAG",
        ),
    ] = "is_available"
    regressors: Annotated[
        RegressorRule,
        Option(
            "inclusive, or exclusive: a pair of cohorts must share a gene that is known for "
            "the condition and not for the trait.",
            metavar="RULE",
        ),
    ] = "exclusive"
    gene_universe: Annotated[
        str | None,
        Option(
            "All genes that could have been found: a file with one symbol a line, or the word "
            "reference for those of its linked tables.",
            metavar="FILE",
            default="20,000 genes",
        ),
    ] = None
    repair_reference: Annotated[
        bool,
        Option(
            "Transpose tables of the reference that are transposed, leave out those "
            "without names, and report what they score as they are.",
            "--repair-reference",
        ),
    ] = False

    def options(self) -> EvaluationOptions:
        """Return the options of the library."""
        from genotex.bench.evaluation.options import DEFAULT_TABLES, TASKS, EvaluationOptions
        from genotex.problems import read_problems

        tables = chosen_words(self.subtasks, DEFAULT_TABLES, "preprocessing subtask")
        return EvaluationOptions(
            tasks=chosen_words(self.tasks, TASKS, "task"),
            tables=tables or DEFAULT_TABLES,
            gene_universe=_gene_universe(self.gene_universe),
            problems=None if self.problems is None else read_problems(self.problems),
            task_info=self.task_info,
            rules=self.rules,
            metrics=self.metrics,
            df_field=self.df_field,
            regressors=self.regressors,
            repair_reference=self.repair_reference,
        )


@dataclass(frozen=True)
class _Running:
    """The reference, and what comes of the scores."""

    reference: Annotated[
        Path, Option("Output folder to score it against.", "--ref-dir", short="-r")
    ] = Path("output")
    output: Annotated[
        Path | None,
        Option(
            "Also write scores.json, CSV files, Markdown and an HTML page there.",
            short="-o",
            metavar="FOLDER",
        ),
    ] = None
    jobs: o.Jobs = 1
    seed: Annotated[int, Option("Seed of the bootstrap.", least=0)] = 0
    json: o.Json = False


@with_options
def evaluate(
    prediction: Annotated[
        Path, Option("Output folder to score, of any tool.", "--pred-dir", short="-p")
    ],
    what: _What,
    how: _Running,
) -> None:
    r"""Score an output folder against a reference.

    Every file of the reference counts; a prediction that is missing scores 0.

    Examples:
      genotex evaluate -p my_output -r output

      genotex evaluate -p my_output -r output \
          -t selection preprocessing analysis -s gene clinical linked \
          --task-info metadata/task_info.json

      genotex evaluate -p my_output -r output -t analysis \
          --gene-universe reference

      genotex evaluate -p my_output -r output --rules published

      genotex evaluate -p sample_run -r output \
          --problems sample_run/run/problems.csv

      genotex evaluate -p my_output -r output -j 2 -o scores

      genotex evaluate -p my_output -r output --json
    """
    from genotex.bench.evaluation.summary import summarise, to_json

    settings = what.options()
    if how.output is not None:
        o.check_output_folder(how.output)
    (scores,) = evaluate_with_progress([prediction], how.reference, settings, how.jobs)
    summary = summarise(scores, seed=how.seed)
    if how.json:
        screen.print_json(to_json(scores, summary))
    else:
        show_scores(scores, summary)
    if how.output is not None:
        from genotex.reports.scores.page import write_scores

        screen.notify(f"scores written: {write_scores(how.output, scores, summary)}")


def evaluate_with_progress(
    predictions: Sequence[Path], reference: Path, settings: EvaluationOptions, jobs: int
) -> list[Scores]:
    """Score output folders behind a progress bar."""
    from genotex.bench.evaluation.evaluate import evaluate_all

    with screen.progress("scoring") as step:
        return evaluate_all(predictions, reference, settings, jobs, progress=step)


def chosen_words(
    given: Sequence[str] | None, known: tuple[Word, ...], what: str
) -> tuple[Word, ...] | None:
    """Return the known words that were given, also with commas; None when none was asked for."""
    if given is None:
        return None
    words = [word.strip() for text in given for word in text.split(",") if word.strip()]
    if unknown := [word for word in words if word not in known]:
        msg = f"unknown {what} {unknown[0]!r}; known are {', '.join(known)}"
        raise UsageError(msg)
    return tuple(word for word in known if word in words) or None


def _gene_universe(given: str | None) -> GeneUniverse:
    if given is None:
        return None
    return "reference" if given == "reference" else Path(given)


def _command_with_several_words(*names: str) -> type[TyperCommand]:
    """Return a class of commands whose options of these names take all words up to the next option.

    Only for a command without arguments: such words could not be distinguished from them.
    """

    class Command(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, repeat_names(args, names))

    return Command


def repeat_names(words: Sequence[str], names: Collection[str]) -> list[str]:
    """Return a command line with the option's name before each of its values."""
    spread: list[str] = []
    name = None
    has_value = False
    for word in words:
        if word.startswith("-"):
            name, has_value = _several(word, names)
        elif name is not None:
            if has_value:
                spread.append(name)
            has_value = True
        spread.append(word)
    return spread


def _several(word: str, names: Collection[str]) -> tuple[str | None, bool]:
    """Return the name of an option for several words, and whether a value is attached to it."""
    name, equals, _ = word.partition("=")
    if name in names:
        return name, bool(equals)
    short = word[:2]
    return (short, True) if short in names and short != "--" else (None, False)


EvaluateCommand = _command_with_several_words("-t", "--tasks", "-s", "--preprocess-subtasks")
