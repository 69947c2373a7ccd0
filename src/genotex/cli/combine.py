"""`--cohorts all`: what the cohorts of a problem say together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import screen
from genotex.layout import OutputFolder

if TYPE_CHECKING:
    from genotex.analysis import AnalysisOptions
    from genotex.analysis.meta import MetaResult
    from genotex.bench.problems import Problem, TaskInfo

__all__ = ["combine_cohorts"]

TOP_GENES = 10
_RANKING = (
    "p and q: an effect in common, allowing for effects that differ between cohorts as far as "
    "those of all genes do; replication q: at least two cohorts have it"
)


def combine_cohorts(
    output: Path,
    problems: Sequence[Problem],
    settings: AnalysisOptions,
    tasks: TaskInfo | None,
    *,
    jobs: int = 1,
    quiet: bool = False,
) -> list[dict[str, Any]]:
    """Combine the cohorts of each problem, write result and page, and print what came out.

    Parameters
    ----------
    output : Path
        Folder of preprocessed cohorts.
    problems : sequence of Problem
    settings : AnalysisOptions
    tasks : TaskInfo or None
        Related genes, for two-step problems.
    jobs : int
        Number of processes.
    quiet : bool
        Print nothing.

    Returns
    -------
    list of dict
        A summary of each problem: ``solved``, and the counts or ``why`` not.
    """
    from genotex.analysis.meta import remove_meta
    from genotex.errors import AnalysisError, FormatError, UsageError

    summaries: list[dict[str, Any]] = []
    for problem in problems:
        try:
            result, page = _combine(OutputFolder(output), problem, settings, tasks, jobs)
        except (AnalysisError, FormatError, UsageError) as error:
            # An option that fits no cohort says nothing against an earlier result.
            if not isinstance(error, UsageError):
                remove_meta(OutputFolder(output), problem.trait, problem.condition)
            row = {"trait": problem.trait, "condition": problem.condition}
            summaries.append({**row, "solved": False, "why": str(error)})
            if not quiet:
                screen.tell(str(error), "not combined")
            continue
        summaries.append({**result.summary(), "report": str(page)})
        if not quiet:
            _show(result, page)
    return summaries


def _combine(
    output: OutputFolder,
    problem: Problem,
    settings: AnalysisOptions,
    tasks: TaskInfo | None,
    jobs: int,
) -> tuple[MetaResult, Path]:
    from genotex.analysis.meta import analyze_cohorts, write_meta
    from genotex.reports import write_meta_report

    with screen.progress("combining cohorts") as step:
        result = analyze_cohorts(output, problem, settings, tasks, jobs=jobs, progress=step)
    write_meta(output, result)
    return result, write_meta_report(output, problem.trait, problem.condition)


def _show(result: MetaResult, page: Path) -> None:
    names = ", ".join(cohort.name for cohort in result.cohorts)
    screen.out.print()
    screen.say(
        f"{len(result.cohorts)} cohorts together ({names}): {result.significant.height} of "
        f"{result.genes.height} genes significant at q < {result.method['options']['q_cut']:g}, "
        f"{result.replicating.height} of them replicate"
    )
    for cohort in result.cohorts:
        if cohort.counts:
            screen.say(f"{cohort.name}: {cohort.counts}")
    rows = [
        {
            "gene": row["Variable"],
            "effect": row["Combined Effect"],
            "95 % interval": f"{row['CI Lower']:.3g} to {row['CI Upper']:.3g}",
            "p": row["p"],
            "q": row["q"],
            "strict p": row["Random p"],
            "I2": row["I2"],
            "replication q": row["Replication q"],
            "replicates": row["Replicates"],
        }
        for row in result.genes.head(TOP_GENES).to_dicts()
    ]
    columns = [name for name in rows[0] if name != "strict p" or result.random]
    screen.table(columns, rows)
    screen.say(_what_is_shown(result))
    screen.tell_warnings(result.warnings, result.trait, result.condition)
    screen.say(f"\nreport over all cohorts: {page}")


def _what_is_shown(result: MetaResult) -> str:
    if not result.random:
        return f"effect and interval: fixed effect, the average of two cohorts; {_RANKING}"
    return (
        "effect, interval and strict p: random effects (Knapp and Hartung, on t), or fixed effect "
        f"for genes of two cohorts; {_RANKING}"
    )
