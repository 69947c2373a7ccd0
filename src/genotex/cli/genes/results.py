"""Results of an analysis on the screen, of one cohort and of several combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import screen
from genotex.layout import OutputFolder

if TYPE_CHECKING:
    from genotex.analysis import AnalysisResult
    from genotex.analysis.meta import MetaResult
    from genotex.options import AnalysisOptions
    from genotex.problems import Problem, TaskInfo
    from genotex.workflows import Combined

TOP_GENES = 10
_RANKING = (
    "p and q: an effect in common, allowing for effects that differ between cohorts as far as "
    "those of all genes do; replication q: at least two cohorts have it; next cohort: chance that "
    "it shows the gene again"
)


def show_result(result: AnalysisResult) -> None:
    """Print the answer: contrast, number of genes, the top ones, warnings."""
    if result.procedure.tests_genes:
        _show_tested(result)
    else:
        _show_selected(result)
    screen.show_warnings(result.warnings, result.trait, result.condition)


def _show_tested(result: AnalysisResult) -> None:
    method = result.method
    screen.show(
        f"{result.significant.height} of {method['filter']['tested']} genes significant "
        f"at q < {method['options']['q_cut']:g}{_beyond(method['options'])} in {result.cohort}: "
        f"{method['contrast']['text']}"
    )
    for sentence in _sentences(result):
        screen.show(sentence)
    test = method["ranked_by"].removesuffix("p")
    factor = method["contrast"]["kind"] == "factor"
    names = {
        "Variable": "gene",
        "Coefficient": "largest difference" if factor else "effect",
        f"{test}p": f"{test.lower()}p",
        f"{test}q": f"{test.lower()}q",
    }
    more = {"Replication": "replication", "Grade": "grade", "Departure q": "departure q"}
    names |= {
        name: label
        for name, label in more.items()
        if result.genes[name].null_count() < result.genes.height
    }
    if method["options"]["model"] == "all":
        names["Mixed q"] = "mixed q"
    _table(result, names)


def show_figures(paths: Sequence[Path]) -> None:
    """Print where the figures were written, if any were."""
    for folder in dict.fromkeys(path.parent for path in paths):
        screen.show(f"figures: {folder}")


def _beyond(options: dict[str, Any]) -> str:
    smallest = options.get("min_effect", 0.0)
    return f" for effects beyond {smallest:g}" if smallest else ""


def _sentences(result: AnalysisResult) -> Iterator[str]:
    from genotex.analysis import formula_of

    method = result.method
    design = formula_of(result)
    if design is not None and "formula" not in method:
        yield f"Design: {design.design}; contrast: {design.contrast}"
    if result.counts_summary:
        yield result.counts_summary
    if result.trend_summary:
        yield result.trend_summary
    if result.panel_summary:
        yield result.panel_summary
    if result.levels_summary:
        yield result.levels_summary
    if two_step := method.get("two_step"):
        yield (
            f"{str(two_step['condition']).replace('_', ' ')} is predicted from "
            f"{len(two_step['regressors'])} genes of {two_step['cohort']} "
            f"({two_step['score_name']} {two_step['score']:.2f}); they are not tested."
        )
    if result.hidden_summary:
        yield result.hidden_summary
    if result.covariates_summary:
        yield result.covariates_summary
    if result.interaction_summary:
        yield result.interaction_summary


def _show_selected(result: AnalysisResult) -> None:
    method = result.method
    solver = method["solver"]
    screen.show(
        f"{result.significant.height} of {method['filter']['tested']} genes selected by the "
        f"{'rotated Lasso' if method['rotated'] else 'Lasso'} at lambda {solver['lambda']:g} in "
        f"{result.cohort}: {method['contrast']['text']}"
    )
    _table(result, {"Variable": "gene", "Coefficient": "coefficient"})


def _table(result: AnalysisResult, names: dict[str, str]) -> None:
    rows = result.genes.head(TOP_GENES).to_dicts()
    screen.table(
        list(names.values()), [{label: row[name] for name, label in names.items()} for row in rows]
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
    """Combine the cohorts of each problem, print what was found, and return the summaries."""
    from genotex.workflows import combine

    summaries = []
    with screen.work() as progress:
        for each in combine(OutputFolder(output), problems, settings, tasks, progress, jobs=jobs):
            summaries.append(each.summary())
            if not quiet:
                show_combined(each)
    return summaries


def show_combined(combined: Combined) -> None:
    """Print what all cohorts together show, or why they were not combined."""
    from genotex.analysis.meta import gene_stories

    result = combined.result
    if result is None:
        screen.notify(combined.why, "not combined")
        return
    names = ", ".join(cohort.name for cohort in result.cohorts)
    screen.out.print()
    screen.show(
        f"{len(result.cohorts)} cohorts together ({names}): {result.replicating.height} of "
        f"{result.genes.height} genes replicate, {result.significant.height} are significant at "
        f"q < {result.method['options']['q_cut']:g}"
    )
    for cohort in result.cohorts:
        if cohort.counts:
            screen.show(f"{cohort.name}: {cohort.counts}")
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
            "next cohort": row["Replication"],
        }
        for row in result.genes.head(TOP_GENES).to_dicts()
    ]
    known = result.genes["Replication"].null_count() < result.genes.height
    without = {"strict p": result.random, "next cohort": known}
    screen.table([name for name in rows[0] if without.get(name, True)], rows)
    for gene, story in list(zip(result.genes["Variable"], gene_stories(result), strict=True))[:5]:
        screen.show(f"{gene}: {story}")
    screen.show(_what_is_shown(result))
    screen.show_warnings(result.warnings, result.trait, result.condition)
    screen.show(f"\nreport over all cohorts: {combined.report}")


def _what_is_shown(result: MetaResult) -> str:
    if not result.random:
        return f"effect and interval: fixed effect, the average of two cohorts; {_RANKING}"
    return (
        "effect, interval and strict p: random effects (Knapp and Hartung, on t), or fixed effect "
        f"for genes of two cohorts; {_RANKING}"
    )
