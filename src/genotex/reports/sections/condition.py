"""The condition: its prediction in a two-step problem, and its interaction with the trait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.problem.records import ConditionModel
from genotex.reports.sections import ReportSection, Section
from genotex.words import counted, readable, sentence

_WEAK = {"AUROC": 0.6, "R2": 0.1}
_CHANCE = {"AUROC": "0.5 is chance", "R2": "0 is chance"}
_SCORES = {"R2": "R\N{SUPERSCRIPT TWO}"}


def _condition(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the predicted condition; None when the condition was measured."""
    del genes
    found = findings.predicted
    if found is None:
        return None
    condition = readable(found.condition)
    constant = (
        [f"{counted(len(found.constant), 'more gene')} did not vary and were of no use."]
        if found.constant
        else []
    )
    return Section(
        key="condition",
        link="Condition",
        title=f"How {condition} was predicted",
        lead=_condition_lead(found, findings.result.cohort),
        remarks=(*_quality(found), _genes_left_out(found), *constant),
        genes=found.regressors,
        genes_title=f"Genes that predict {condition}",
    )


def _condition_lead(found: ConditionModel, cohort: str) -> str:
    condition, genes = readable(found.condition), counted(len(found.regressors), "gene")
    samples = f" ({counted(found.samples, 'sample')})" if found.samples else ""
    if found.cohort == cohort:
        return (
            f"{condition} is known for samples of this cohort{samples} too: there it was learnt "
            f"from {genes}, and predicted for the samples compared. The training samples of the "
            "prediction are among those that it is used for."
        )
    where = f"cohort {found.cohort}" if found.cohort else "another cohort"
    return (
        f"{condition} was learnt in {where}{samples} from {genes} and predicted for the samples "
        "compared here; the prediction takes the place of the condition."
    )


def _model(found: ConditionModel) -> str:
    """Return "logistic regression, L2" as words that fit into a sentence."""
    name, _, penalty = (found.model or "a regression").partition(", ")
    return f"{name} with an {penalty} penalty" if penalty in ("L1", "L2") else found.model or name


def _score(found: ConditionModel) -> str:
    return f"{_SCORES.get(found.score_name, found.score_name)} {found.score:.2f}"


def _quality(found: ConditionModel) -> list[str]:
    model = f"Model: {_model(found)}." if found.model else ""
    if found.score is None:
        unknown = "How well it predicts was not measured: this procedure does not score it."
        return [f"{model} {unknown}".strip()]
    weak = found.score < _WEAK.get(found.score_name, 0.0)
    source = f" ({found.score_source})" if found.score_source else ""
    verdict = (
        "That is hardly better than chance, so adjusting for the prediction means little."
        if weak
        else "Errors of the prediction are not in the p-values, which hold given it."
    )
    chance = _CHANCE.get(found.score_name)
    scale = f"; {chance}" if chance else ""
    return [
        f"{model} On samples that it had not seen it reached {_score(found)}{scale}{source}. "
        f"{verdict}".strip()
    ]


def _genes_left_out(found: ConditionModel) -> str:
    if found.tested:
        return "These genes stay among those that the Lasso may select."
    return (
        "The condition is made of these genes, so they were not tested: the CSV file has them with "
        "the status \N{LEFT DOUBLE QUOTATION MARK}regressor\N{RIGHT DOUBLE QUOTATION MARK}."
    )


def _remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the line under the answer on the predicted condition; empty without one."""
    del genes
    found = findings.predicted
    if found is None:
        return ""
    score = "" if found.score is None else f", with a cross-validated {_score(found)}"
    source = f" learnt in {found.cohort}" if found.cohort else ""
    return (
        f"{readable(found.condition)} is a prediction from "
        f"{counted(len(found.regressors), 'gene')}{source}{score}."
    )


def condition_methods(findings: Findings) -> str:
    """Return how the condition was predicted, for the methods paragraph; empty without one."""
    found = findings.predicted
    if found is None:
        return ""
    rule = " and no related gene of the trait" if found.rule == "exclusive" else ""
    trained = f"trained on {counted(found.samples, 'sample')}" if found.samples else "trained"
    where = f" of {found.cohort}" if found.cohort else ""
    score = "" if found.score is None else f" (cross-validated {_score(found)})"
    tested = "" if found.tested else " These genes were not tested."
    return sentence(
        f"{readable(found.condition)} was predicted from "
        f"{counted(len(found.regressors), 'gene')} (known related genes of the condition{rule} "
        f"that both cohorts measured) by {_model(found)} {trained}{where}{score}; "
        f"genes were z-scored in each cohort, and the prediction entered as the condition.{tested}"
    )


SECTIONS = (ReportSection("condition", 50, _condition, _remark),)

_ROWS = 10


@dataclass(frozen=True, eq=False)
class InteractionView:
    """The first genes by the q-value of the interaction; none when it could not be tested."""

    title: str
    sentence: str
    meaning: str
    rows: list[dict[str, Any]]
    cut: float


def view_interaction(findings: Findings, genes: pl.DataFrame) -> InteractionView | None:
    """Return the short table of the interaction; None without a condition."""
    if not findings.record("interaction") or findings.result.condition is None:
        return None
    known = genes.drop_nulls("Interaction q")
    order = ["Interaction q", "Interaction p", "Variable"]
    return InteractionView(
        title=f"Interaction with {readable(findings.result.condition)}",
        sentence=findings.interaction_sentence,
        meaning=sentence(f"inter. b: {findings.interaction_meaning}"),
        rows=known.sort(order, nulls_last=True).head(_ROWS).to_dicts(),
        cut=findings.cut,
    )
