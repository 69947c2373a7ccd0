"""Genes selected by a Lasso without any p-value: the procedure ``benchmark``."""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.problem.records import Selection
from genotex.reports.sections import ReportSection, Section, SectionTable
from genotex.words import counted, listed, number

_NO_CLAIM = (
    "There are no p-values here: the list reproduces the published procedure and makes no claim "
    "about false discoveries."
)
_SELECTION = ("precision", "recall", "f1", "jaccard")
_LABELS = {
    "f1": "F1",
    "r_squared": "R\N{SUPERSCRIPT TWO}",
    "nmse": "normalised squared error",
    "jaccard": "Jaccard index",
}
_FRACTIONS = frozenset({"r_squared", "nmse"})
_AT_OPTIMUM = 1e-6
_NEAR_OPTIMUM = 1e-3


def selection_headline(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the answer in words: how many genes of how many, with which sign."""
    chosen = genes.filter(pl.col("Significant"))
    lasso, penalty = _lasso(findings.selection), _penalty(findings.selection)
    if not chosen.height:
        return (
            f"{lasso} selects none of the {counted(genes.height, 'gene')}{penalty}. That is a "
            "result of the published procedure, not an error."
        )
    up = chosen.filter(pl.col("Coefficient") > 0).height
    what = "the trait" if findings.trait_kind == "continuous" else "being a case"
    return (
        f"{lasso} selects {chosen.height:,} of {counted(genes.height, 'gene')}{penalty}: {up:,} "
        f"with a positive coefficient (higher expression is associated with {what}, given the "
        f"other genes selected) and {chosen.height - up:,} with a negative one. {_NO_CLAIM}"
    )


def _lasso(selection: Selection | None) -> str:
    return "The rotated Lasso" if selection is not None and selection.rotated else "The Lasso"


def _penalty(selection: Selection | None) -> str:
    if selection is None or selection.penalty is None:
        return ""
    return f" at lambda {selection.penalty:g}"


def selection_facts(selection: Selection) -> list[tuple[str, str]]:
    """Return the facts at the top of the page."""
    facts = [("Model", _lasso(selection).removeprefix("The ").capitalize())]
    if selection.penalty is not None:
        facts.append(("Lambda", f"{selection.penalty:g}"))
    facts.append(("Solver", selection.solver))
    return facts


def _selection(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on the selection; None for other procedures."""
    del genes
    selection = findings.selection
    if selection is None:
        return None
    tables = (_trials(selection, findings), _scores(selection), _eigenvalues(selection))
    return Section(
        key="selection",
        link="Selection",
        title="How the genes were selected",
        lead=_lead(selection),
        tables=tuple(table for table in tables if table is not None),
        remarks=(_solver(selection), *_batch(selection)),
    )


def _lead(selection: Selection) -> str:
    if selection.fixed:
        return (
            "Lambda was given, so nothing was tuned; the folds only measure how well it predicts."
        )
    if not selection.informed:
        return (
            "No fold selected a gene that is already known for the trait, so nothing could choose "
            "lambda: it is the value that the procedure takes in such a case."
        )
    known = (
        "the genes already known"
        if selection.related is None
        else f"{counted(selection.related, 'gene')} already known"
    )
    return (
        f"Lambda was chosen with the help of {known} for the trait: of "
        f"{counted(len(selection.trials), 'value')} it is the one whose genes are, over five "
        "folds, most often among them. That is right for reproducing the benchmark and wrong for "
        "discovery, as what is known decides what is found."
    )


def _solver(selection: Selection) -> str:
    unit = "sweep" if selection.solver == "scikit-learn" else "round"
    effort = "" if selection.iterations is None else f" after {counted(selection.iterations, unit)}"
    if selection.gap is None:
        return f"Solver: {selection.solver}{effort}."
    if selection.gap <= _AT_OPTIMUM:
        end = "which is the optimum"
    elif selection.gap <= _NEAR_OPTIMUM:
        end = "which is close to the optimum"
    else:
        end = "so the optimum has other genes"
    return (
        f"Solver: {selection.solver}; it stopped{effort} at most {selection.gap:.2g} above the "
        f"optimum, as a share of the objective without genes, {end}."
    )


def _batch(selection: Selection) -> list[str]:
    if selection.largest_gap is None or selection.threshold is None:
        return []
    text = (
        f"Batch effect: the largest gap between neighbouring eigenvalues is "
        f"{selection.largest_gap:.3f}; above {selection.threshold:.3g} (200 over the number of "
        "samples) it counts as one."
    )
    if not selection.rotated:
        why = "It does, but was not to be corrected" if selection.batch_effect else "It does not"
        return [f"{text} {why}, so the Lasso ran on the genes as they are."]
    delta = "" if selection.ln_delta is None else f" (ln delta {selection.ln_delta:.2f})"
    return [
        f"{text} It does, so the genes were rotated first{delta}. The rotated Lasso depends on "
        "arbitrary signs and finds planted genes at the rate of chance: do not read its genes as "
        "findings."
    ]


def _trials(selection: Selection, findings: Findings) -> SectionTable | None:
    if not selection.trials:
        return None
    score = "r_squared" if findings.trait_kind == "continuous" else "f1"
    rows = tuple(
        (
            f"{trial.penalty:g}",
            _score("precision", trial.selection.get("precision")),
            _score(score, trial.prediction.get(score)),
            "" if trial.genes is None else f"{trial.genes:,.1f}",
        )
        for trial in selection.trials
    )
    head = ("Lambda", "Known among the selected", f"Prediction, {_label(score)}", "Genes")
    chosen = [
        i
        for i, trial in enumerate(selection.trials)
        if selection.penalty is not None and abs(trial.penalty / selection.penalty - 1) < 1e-9
    ]
    return SectionTable(
        "Tuning, means over five folds",
        head,
        rows,
        words=0,
        marked=chosen[0] if chosen else None,
        note="In bold: the lambda that was chosen." if chosen else "",
    )


def _scores(selection: Selection) -> SectionTable | None:
    rows = [
        (f"Selection: {_label(name)}", _score(name, selection.selection[name]))
        for name in _SELECTION
        if name in selection.selection
    ] + [
        (f"Prediction: {_label(name)}", _score(name, value))
        for name, value in selection.prediction.items()
    ]
    if not rows:
        return None
    return SectionTable(
        "Cross-validated scores",
        ("Score", "Value"),
        tuple(rows),
        note="Selection at the chosen lambda, prediction at the lambda that predicts best: the "
        "same folds chose it, so the scores flatter.",
    )


def _eigenvalues(selection: Selection) -> SectionTable | None:
    if len(selection.eigenvalues) < 2:
        return None
    shares = selection.eigenvalues
    gaps = ["", *(f"{high - low:.3f}" for high, low in pairwise(shares))]
    rows = tuple(
        (f"{i + 1}", f"{share:.3f}", gap)
        for i, (share, gap) in enumerate(zip(shares, gaps, strict=True))
    )
    head = ("Eigenvalue", "Over the largest", "Gap to the one before")
    return SectionTable("Eigenvalues of the samples", head, rows, words=0)


def _label(name: str) -> str:
    return _LABELS.get(name, name.replace("_", " "))


def _score(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return number(value, "plain") if name in _FRACTIONS else f"{value:.1f} %"


def selection_methods(findings: Findings) -> str:
    """Return what was done, in the past tense of a methods section."""
    selection = findings.selection
    if selection is None:
        return ""
    condition = (
        f" The trait was first regressed on {listed(findings.covariate_names)} by least squares, "
        "and its residual took its place."
        if findings.covariates
        else ""
    )
    return (
        "Genes were selected by the published procedure of the GenoTEX benchmark (Liu et al. "
        f"2024).{condition} {_fitted(selection)} {_tuned(selection)} {_counted(findings)}"
    )


def _fitted(selection: Selection) -> str:
    gap = (
        "gap above 200 over the number of samples between neighbouring eigenvalues of the "
        "samples' covariance"
    )
    if selection.rotated:
        return (
            f"As there was a {gap}, the z-scored genes were rotated by the eigenvectors of their "
            "kinship matrix and a Lasso (Tibshirani 1996) of the trait, which was not rotated, was "
            f"fitted to them ({_named(selection)})."
        )
    why = "Whether or not there was a" if selection.batch_effect else "As there was no"
    return (
        f"{why} {gap}, a Lasso (Tibshirani 1996) of the trait on the z-scores of all "
        f"genes was fitted ({_named(selection)})."
    )


def _named(selection: Selection) -> str:
    if selection.solver == "scikit-learn":
        return "scikit-learn's coordinate descent, tolerance 1e-4, at most 1,000 sweeps"
    return f"solver: {selection.solver}"


def _tuned(selection: Selection) -> str:
    at = "" if selection.penalty is None else f" ({selection.penalty:g})"
    if selection.fixed:
        return f"Lambda{at} was fixed beforehand."
    if not selection.informed:
        return (
            f"Lambda{at} was the procedure's default, as no fold of the cross-validation selected "
            "a gene that Open Targets relates to the trait."
        )
    return (
        f"Lambda{at} was the one of seven powers of ten whose genes had, over five folds, the "
        "highest precision against the genes that Open Targets relates to the trait."
    )


def _counted(findings: Findings) -> str:
    chosen = int(findings.result.genes["Significant"].sum())
    return (
        f"The {counted(chosen, 'gene')} with a coefficient other than zero in "
        f"{counted(len(findings.tested), 'sample')} "
        f"{'was' if chosen == 1 else 'were'} reported; no p-value was computed."
    )


SECTIONS = (ReportSection("selection", 20, _selection),)
