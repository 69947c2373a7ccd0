"""The answer to one problem, on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.analysis import AnalysisResult

__all__ = ["show_result"]

TOP_GENES = 10


def show_result(result: AnalysisResult) -> None:
    """Print the answer: contrast, number of genes, the top ones, warnings."""
    if result.method["procedure"] == "benchmark":
        _show_selected(result)
    else:
        _show_tested(result)
    screen.tell_warnings(result.warnings, result.trait, result.condition)


def _show_tested(result: AnalysisResult) -> None:
    method = result.method
    screen.say(
        f"{result.significant.height} of {method['filter']['tested']} genes significant "
        f"at q < {method['options']['q_cut']:g}{_beyond(method['options'])} in {result.cohort}: "
        f"{method['contrast']['text']}"
    )
    for sentence in _sentences(result):
        screen.say(sentence)
    test = method["ranked_by"].removesuffix("p")
    factor = method["contrast"]["kind"] == "factor"
    names = {
        "Variable": "gene",
        "Coefficient": "largest difference" if factor else "effect",
        f"{test}p": f"{test.lower()}p",
        f"{test}q": f"{test.lower()}q",
    }
    if result.genes["Departure q"].null_count() < result.genes.height:
        names["Departure q"] = "departure q"
    if method["options"]["model"] == "all":
        names["Mixed q"] = "mixed q"
    _table(result, names)


def _beyond(options: dict[str, Any]) -> str:
    smallest = options.get("min_effect", 0.0)
    return f" for effects beyond {smallest:g}" if smallest else ""


def _sentences(result: AnalysisResult) -> Iterator[str]:
    method = result.method
    if result.counts_summary:
        yield result.counts_summary
    if result.levels_summary:
        yield result.levels_summary
    if two_step := method.get("two_step"):
        yield (
            f"{str(two_step['condition']).replace('_', ' ')} is predicted from "
            f"{len(two_step['regressors'])} genes of {two_step['cohort']} "
            f"({two_step['score_name']} {two_step['score']:.2f}); they are not tested."
        )
    if adjustment := _unmeasured(method["hidden"], method["ranked_by"] == "Mixed p"):
        yield adjustment
    if result.covariates_summary:
        yield result.covariates_summary
    if result.interaction_summary:
        yield result.interaction_summary


def _unmeasured(record: dict[str, Any], mixed_ranks: bool) -> str:
    used = record.get("used", 0)
    if not used:
        return ""
    what = "1 surrogate variable" if used == 1 else f"{used} surrogate variables"
    change = record.get("change", {})
    if record.get("ranked_with"):
        other = _significant(change, "without")
        return f"Adjusted for unmeasured confounding ({what}); without this, {other}."
    if mixed_ranks:
        return f"{what} found; the mixed model, which ranks the genes, does without."
    other = _significant(change, "with")
    return (
        f"{what} found, but not adjusted for: they are probably the trait's own signal; with them, "
        f"{other}."
    )


def _significant(change: dict[str, Any], how: str) -> str:
    count = change.get(f"significant_{how}", 0)
    return f"{count} gene{'' if count == 1 else 's'} would be significant"


def _show_selected(result: AnalysisResult) -> None:
    method = result.method
    solver = method["solver"]
    screen.say(
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
