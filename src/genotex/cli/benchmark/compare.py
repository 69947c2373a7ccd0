"""`genotex compare`, `genotex bench table` and `bench leaderboard`: runs next to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.benchmark.evaluate import (
    Rules,
    ScoredProblems,
    chosen_words,
    evaluate_with_progress,
)
from genotex.cli.benchmark.score_screen import show_table
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import Option

if TYPE_CHECKING:
    from genotex.bench.comparison.paired import RunComparison
    from genotex.bench.evaluation.options import EvaluationOptions
    from genotex.bench.evaluation.scores import Scores

_RunPaths = Annotated[
    list[str],
    o.argument(
        "RUN...", "Output folders, or scores.json of 'genotex evaluate -o'; NAME=PATH names a run."
    ),
]


@dataclass(frozen=True)
class _Scoring:
    """How output folders are scored."""

    reference: Annotated[
        Path | None, Option("Score output folders against this one.", "--ref-dir", short="-r")
    ] = None
    tasks: Annotated[
        tuple[str, ...],
        Option(
            "selection, preprocessing, analysis; separated by commas.",
            short="-t",
            default="all that the reference holds",
        ),
    ] = ()
    task_info: Annotated[Path | None, Option("The problems for dataset selection.")] = None
    problems: ScoredProblems = None
    rules: Rules = "genotex"
    jobs: o.Jobs = 1

    def options(self) -> EvaluationOptions:
        """Return the options of the evaluation, at their defaults otherwise."""
        from genotex.bench.evaluation.options import TASKS, EvaluationOptions
        from genotex.problems import read_problems

        return EvaluationOptions(
            tasks=chosen_words(self.tasks, TASKS, "task"),
            task_info=self.task_info,
            problems=None if self.problems is None else read_problems(self.problems),
            rules=self.rules,
        )


@dataclass(frozen=True)
class _Comparing:
    """How runs are compared, and where the result goes."""

    baseline: Annotated[
        str | None, Option("Compare with this run.", metavar="NAME", default="the first")
    ] = None
    each_other: Annotated[
        bool, Option("Score two runs against each other, without a reference.", "--each-other")
    ] = False
    retest: Annotated[
        bool,
        Option("The runs repeat one method: add agreement and variance components.", "--retest"),
    ] = False
    output: Annotated[
        Path | None, Option("Write the results into this folder.", short="-o", metavar="FOLDER")
    ] = None
    seed: Annotated[int, Option("Seed of the bootstrap.", least=0)] = 0


@with_options
def compare(runs: _RunPaths, scoring: _Scoring, how: _Comparing, json: o.Json = False) -> None:
    r"""Compare runs: figures with intervals, and paired differences.

    Output folders are scored with the default settings; for others score them
    with 'genotex evaluate -o' first and compare what it wrote.

    Examples:
      genotex compare lasso mixed -r reference

      genotex compare rules=runs/7/output agent=runs/9/output \
          -r reference --baseline rules

      genotex compare lasso/scores.json mixed/scores.json -o comparison

      genotex compare agent_1 agent_2 agent_3 -r reference --retest

      genotex compare annotator_1 annotator_2 --each-other
    """
    from genotex.bench.comparison.run_record import name_runs
    from genotex.bench.evaluation.score_files import check_folder

    if how.output is not None:
        check_folder(how.output)
    named = name_runs(runs)
    settings = scoring.options()
    if how.each_other:
        if how.retest:
            msg = "--retest compares runs with a reference; leave --each-other out"
            raise UsageError(msg)
        _refuse_with_each_other(scoring.reference, how.baseline)
        found = _agreement(named, settings, scoring.jobs, how.seed)
    else:
        found = _compared(named, scoring, how.baseline, settings, how.seed)
        if how.retest:
            from genotex.bench.comparison.retest import with_retest

            found = with_retest(found)
    page = None
    if how.output is not None:
        from genotex.reports import write_comparison

        page = write_comparison(how.output, found)
    if json:
        from genotex.bench.comparison.tables import comparison_json

        screen.print_json(comparison_json(found))
    else:
        _show(found, page)


def _compared(
    named: Mapping[str, Path],
    scoring: _Scoring,
    baseline: str | None,
    settings: EvaluationOptions,
    seed: int,
) -> RunComparison:
    from genotex.bench.comparison.paired import compare_runs

    if len(named) < 2:
        msg = "give two runs or more; 'genotex evaluate' scores a single one"
        raise UsageError(msg)
    if baseline is not None and baseline not in named:
        # Before anything is scored, which takes time.
        msg = f"no run is called {baseline!r}; there are {', '.join(named)}"
        raise UsageError(msg)
    return compare_runs(
        _score_runs(named, scoring.reference, settings, scoring.jobs), baseline, seed=seed
    )


def _refuse_with_each_other(reference: Path | None, baseline: str | None) -> None:
    for option, value in (("-r", reference), ("--baseline", baseline)):
        if value is not None:
            msg = f"{option} does nothing with --each-other; leave one of them out"
            raise UsageError(msg)


def _agreement(
    named: Mapping[str, Path], settings: EvaluationOptions, jobs: int, seed: int
) -> RunComparison:
    from genotex.bench.comparison.paired import compare_both_ways
    from genotex.bench.comparison.run_record import holds_outputs

    if len(named) != 2 or not all(map(holds_outputs, named.values())):
        msg = "--each-other takes two output folders, which are scored against each other"
        raise UsageError(msg)
    (first, one), (second, other) = named.items()
    forward = _score_runs({first: one}, other, settings, jobs)[first]
    backward = _score_runs({second: other}, one, settings, jobs)[second]
    return compare_both_ways((first, second), forward, backward, seed=seed)


def _show(found: RunComparison, page: Path | None) -> None:
    from genotex.bench.comparison.tables import (
        agreement_tables,
        difference_tables,
        how_compared,
        side_by_side_table,
    )

    for table in (side_by_side_table(found), *agreement_tables(found)):
        show_table(table)
    for table in difference_tables(found):
        show_table(table)
    screen.out.print()
    screen.show(how_compared(found))
    for note in found.notes:
        screen.notify(note, "note")
    if page is not None:
        screen.show(f"page: {page}")


def _score_runs(
    runs: Mapping[str, Path], reference: Path | None, settings: EvaluationOptions, jobs: int
) -> dict[str, Scores]:
    """Return the scores of every run: folders with a reference are scored, files are read."""
    from genotex.bench.comparison.run_record import holds_outputs
    from genotex.bench.evaluation.score_files import SCORES_FILE, read_scores

    to_score = [
        name for name, path in runs.items() if reference is not None and holds_outputs(path)
    ]
    for name, path in runs.items():
        if name not in to_score and holds_outputs(path) and not (path / SCORES_FILE).is_file():
            msg = f"{path} is an output folder: name the folder to score it against with -r"
            raise UsageError(msg)
    scores = {name: read_scores(path) for name, path in runs.items() if name not in to_score}
    if reference is not None and to_score:
        folders = [runs[name] for name in to_score]
        found = evaluate_with_progress(folders, reference, settings, jobs)
        scores.update(zip(to_score, found, strict=True))
    return {name: scores[name] for name in runs}


@with_options
def table(
    runs: _RunPaths,
    scoring: _Scoring,
    paper: Annotated[bool, Option("Add the rows that the paper published.", "--paper")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write Markdown as well.", show_default=False
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Print runs as the paper prints its tables 2 to 5; a dash is unknown.

    Time, tokens and cost come from the run folders of 'genotex bench run'.

    Examples:
      genotex bench table lasso random -r reference --paper

      genotex bench table mine/scores.json -o table.md

      genotex bench table full no-planning -r reference \
          --problems full/run/problems.csv
    """
    from genotex.bench.comparison.paper_table import (
        paper_json,
        paper_markdown,
        paper_notes,
        paper_rows,
        paper_tables,
    )
    from genotex.bench.comparison.run_record import name_runs

    if output is not None:
        o.check_output_file(output)
    paths = name_runs(runs)
    scores = _score_runs(paths, scoring.reference, scoring.options(), scoring.jobs)
    rows = paper_rows(scores, paths, paper=paper)
    notes = paper_notes(scores, rows, paper=paper)
    if output is not None:
        o.write_text(output, paper_markdown(rows, notes))
    if json:
        screen.print_json(paper_json(rows, notes))
        return
    tables = paper_tables(rows)
    for found in tables:
        show_table(found)
    if not tables:
        screen.notify("nothing was scored: no file of the reference belongs to these tasks")
    for note in notes:
        screen.notify(note, "note")


@with_options
def leaderboard(
    runs: _RunPaths,
    scoring: _Scoring,
    output: Annotated[Path, Option("Write the page there.", short="-o", metavar="FOLDER")],
    seed: Annotated[int, Option("Seed of the bootstrap.", least=0)] = 0,
) -> None:
    r"""Build a leaderboard of runs: a page that opens without network.

    RUN is a folder, or a file of 'genotex bench submit'. Each is checked first:
    its files must have the digests that its run wrote at its end. Scores are
    computed from the files, never taken from a submission.

    Examples:
      genotex bench leaderboard rules lasso agent -r reference -o site

      genotex bench leaderboard submissions/*.zip -r output -o site \
          --rules published --task-info metadata/task_info.json
    """
    from genotex.bench.comparison.run_record import name_runs
    from genotex.bench.comparison.submission import open_runs
    from genotex.bench.evaluation.score_files import check_folder
    from genotex.reports.scores.leaderboard import build_leaderboard, write_leaderboard

    check_folder(output)
    folders = name_runs(runs)
    if scoring.reference is None:
        msg = "submissions are scored here; name the folder to score them against with -r"
        raise UsageError(msg)
    with open_runs(folders) as opened:
        scores = _score_runs(opened, scoring.reference, scoring.options(), scoring.jobs)
        board = build_leaderboard(scores, opened, seed=seed)
    page = write_leaderboard(output, board)
    for entry in board.group.entries:
        spent = entry.per_problem
        cost = "cost unknown" if spent is None else f"${spent:.4g} a problem"
        screen.show(f"{entry.label}: F1 {entry.cell('f1')}, {cost}")
    for note in board.notes:
        screen.notify(note, "note")
    screen.show(f"page: {page}")


@with_options
def submit(
    run: Annotated[Path, o.argument("RUN", "Folder of a finished run of 'genotex bench run'.")],
    file: Annotated[Path, o.argument("FILE", "The file to write, with the ending .zip.")],
    tables: Annotated[
        bool, Option("Also the tables of the cohorts, to be scored on preprocessing.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Write a run as one file that others can check and score.

    It holds the answers, which cohorts the run found available, the records
    of the run and their digests; no data, no scores, and not the folders it
    read. Its command and its errors may name others: look before you send it.

    Examples:
      genotex bench submit mine mine.zip

      genotex bench leaderboard mine.zip rules -r reference -o site
    """
    from genotex.bench.comparison.submission import submit_run

    made = submit_run(run, file, tables=tables)
    if json:
        screen.print_json({"file": str(file), "files": made.files, "sha256": made.sha256})
        return
    screen.show(f"{file}: {made.files:,} files of the run, {file.stat().st_size / 1e6:.2f} MB")
    screen.show(f"SHA-256 {made.sha256}")
