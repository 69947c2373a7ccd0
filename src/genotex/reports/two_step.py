"""The condition of a two-step problem: how it was predicted, and how well that went."""

from __future__ import annotations

from genotex.reports.findings import Findings
from genotex.reports.sections import Section
from genotex.reports.steps import PredictedCondition
from genotex.reports.words import counted, readable, sentence

__all__ = ["condition_methods", "condition_remark", "view_condition"]

_WEAK = {"AUROC": 0.6, "R2": 0.1}
_CHANCE = {"AUROC": "0.5 is chance", "R2": "0 is chance"}
_SCORES = {"R2": "R\N{SUPERSCRIPT TWO}"}


def view_condition(findings: Findings) -> Section | None:
    """Return the section on the predicted condition; None when the condition was measured.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
    found = findings.predicted
    if found is None:
        return None
    condition = readable(found.condition)
    constant = (
        [f"{counted(len(found.constant), 'more gene')} did not vary and told nothing."]
        if found.constant
        else []
    )
    return Section(
        key="condition",
        link="Condition",
        title=f"How {condition} was predicted",
        lead=_lead(found, findings.cohort),
        remarks=(*_quality(found), _genes_left_out(found), *constant),
        genes=found.regressors,
        genes_title=f"Genes that predict {condition}",
    )


def _lead(found: PredictedCondition, cohort: str) -> str:
    condition, genes = readable(found.condition), counted(len(found.regressors), "gene")
    samples = f" ({counted(found.samples, 'sample')})" if found.samples else ""
    if found.cohort == cohort:
        return (
            f"{condition} is known for samples of this cohort{samples} too: there it was learnt "
            f"from {genes}, and predicted for the samples compared. Those that taught the "
            "prediction are among those it is used for."
        )
    where = f"cohort {found.cohort}" if found.cohort else "another cohort"
    return (
        f"{condition} was learnt in {where}{samples} from {genes} and predicted for the samples "
        "compared here; the prediction takes the place of the condition."
    )


def _model(found: PredictedCondition) -> str:
    """Return "logistic regression, L2" as words that fit into a sentence."""
    name, _, penalty = (found.model or "a regression").partition(", ")
    return f"{name} with an {penalty} penalty" if penalty in ("L1", "L2") else found.model or name


def _score(found: PredictedCondition) -> str:
    return f"{_SCORES.get(found.score_name, found.score_name)} {found.score:.2f}"


def _quality(found: PredictedCondition) -> list[str]:
    model = f"Model: {_model(found)}." if found.model else ""
    if found.score is None:
        told = "How well it predicts was not measured: the procedure does not ask."
        return [f"{model} {told}".strip()]
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


def _genes_left_out(found: PredictedCondition) -> str:
    if found.tested:
        return "These genes stay among those that the Lasso may select."
    return (
        "The condition is made of these genes, so they were not tested: the CSV file has them with "
        "the status \N{LEFT DOUBLE QUOTATION MARK}regressor\N{RIGHT DOUBLE QUOTATION MARK}."
    )


def condition_remark(findings: Findings) -> str:
    """Return the one line that the answer has on the predicted condition; empty without one.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
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
    """Return how the condition was predicted, for the methods paragraph; empty without one.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
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
