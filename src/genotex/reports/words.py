"""Numbers and sentences as the page writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from genotex.reports.findings import Findings
from genotex.reports.page import GroupView
from genotex.reports.steps import Pairs

__all__ = [
    "change_label",
    "contrast_sentence",
    "counted",
    "covariate_names",
    "file_size",
    "group_members",
    "headline",
    "interaction_sentence",
    "listed",
    "number",
    "question",
    "readable",
    "sentence",
    "with_names",
]

_FORMS = {
    "signed": "+.2f",
    "fine": "+.3f",
    "plain": ".2f",
    "size": ".3f",
    "count": ".0f",
    "share": ".0%",
}


def change_label(kind: str) -> str:
    """Return what a gene's change is, as short as a header."""
    labels = {"binary": "log2 FC", "factor": "largest diff."}
    return labels.get(kind, "change / SD")


def readable(name: str) -> str:
    """Return a trait folder name as words."""
    return name.replace("_", " ").strip()


def with_names(text: str, *folders: str | None) -> str:
    """Return a text in which traits are named as people do; None names nothing."""
    for folder in folders:
        text = text.replace(folder, readable(folder)) if folder else text
    return text


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def sentence(text: str) -> str:
    """Return `text` with a capital at the start and a full stop at the end."""
    text = text.strip()
    if not text:
        return ""
    end = "" if text[-1] in ".!?" else "."
    return f"{text[0].upper()}{text[1:]}{end}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return "1 gene" or "1,234 genes"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def number(value: float | None, form: str) -> str:
    """Return a value of a gene table; empty when it is missing.

    Parameters
    ----------
    value : float or None
        The value.
    form : str
        A `genotex.reports.page.Column.form`.
    """
    if value is None or not math.isfinite(value):
        return ""
    if form == "p":
        return _probability(value)
    text = format(value, _FORMS[form])
    if form == "share":
        return text.replace("%", " %")
    if value != 0 and form in ("signed", "fine", "plain", "size") and float(text) == 0:
        text = format(value, ".1e" if form in ("plain", "size") else "+.1e")
    return text.replace("-", "\N{MINUS SIGN}", 1) if value < 0 else text


def _probability(value: float) -> str:
    if value < 1e-300:
        return "<1e-300"
    if value < 0.001:
        return f"{value:.1e}"
    return f"{value:.3f}" if value >= 0.01 else f"{value:.4f}"


def file_size(size: float | None) -> str:
    """Return bytes as "12.3 MB"."""
    if size is None:
        return ""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def question(trait: str, condition: str | None, kind: str) -> str:
    """Return the problem as a question."""
    verb = (
        f"differ between {readable(trait)} cases and controls"
        if kind == "binary"
        else f"differ among the levels of {readable(trait)}"
        if kind == "factor"
        else f"change with {readable(trait)}"
    )
    if condition is None:
        return f"Which genes {verb}?"
    if condition in ("Age", "Gender"):
        return f"Which genes {verb}, given {condition.lower()}?"
    return f"Which genes {verb}, given {readable(condition)}?"


def headline(findings: Findings, up: int, down: int, tested: int, lowest: float | None) -> str:
    """Return the answer in words.

    Parameters
    ----------
    findings : Findings
        The analysis.
    up, down : int
        Significant genes of either direction.
    tested : int
        Genes tested.
    lowest : float or None
        Lowest q-value.
    """
    binary = findings.trait_kind == "binary"
    rule = f"q < {findings.cut:g}" + (" of the mixed model" if findings.mixed_ranks else "")
    if findings.minimal_change > 0:
        beyond = f"beyond {findings.minimal_change:g}"
        rule += f" and a change {beyond}" if findings.mixed_ranks else f" for changes {beyond}"
    if up + down and findings.trait_kind == "factor":
        percent = f"{100 * (up + down) / tested:.2g}" if up + down < tested else "100"
        return (
            f"Of {counted(tested, 'tested gene')}, {percent} % differ among the levels of "
            f"{readable(findings.trait)} at {rule}."
        )
    if up + down:
        percent = f"{100 * (up + down) / tested:.2g}" if up + down < tested else "100"
        sides = "higher and {} lower in cases" if binary else "rising and {} falling with the trait"
        what = "between cases and controls" if binary else f"along {readable(findings.trait)}"
        return _with_interaction(
            findings,
            f"Of {counted(tested, 'tested gene')}, {percent} % change {what} at {rule}: "
            f"{up:,} {sides.format(f'{down:,}')}.",
        )
    text = f"None of the {counted(tested, 'tested gene')} passes {rule}"
    if lowest is not None:
        text += f"; the lowest q-value is {number(lowest, 'p')}"
    return _with_interaction(
        findings,
        f"{text}. That is a result, not an error: the data do not single out any gene at this "
        "level. The ranking is still the best order of candidates, to be read as such.",
    )


def _with_interaction(findings: Findings, text: str) -> str:
    return f"{text} {interaction_sentence(findings)}".strip()


def interaction_sentence(findings: Findings) -> str:
    """Return for how many genes the change depends on the condition; empty without a condition."""
    found = findings.interaction
    if found is None or findings.condition is None:
        return ""
    condition = readable(findings.condition).lower()
    if not found.tested:
        return f"Whether the change depends on {condition} could not be tested."
    if not found.significant:
        return f"No gene passes q < {findings.cut:g} for an interaction with {condition}."
    many = counted(found.significant, "gene")
    return f"The change depends on {condition} for {many} (interaction, q < {findings.cut:g})."


def group_members(group: GroupView, count: int) -> str:
    """Return so many samples of a group, as "3 cases" or "1 sample of another disease"."""
    if group.key == "other":
        return f"{counted(count, 'sample')} of another disease"
    if group.label == "Unknown":
        return f"{counted(count, 'sample')} of unknown group"
    if group.key == "level":
        return counted(count, "other sample")
    return counted(count, group.label.lower())


def _blocked(pairs: Pairs) -> str:
    by = f"by \N{LEFT SINGLE QUOTATION MARK}{pairs.key}\N{RIGHT SINGLE QUOTATION MARK}"
    if pairs.detected:
        by = "detected by correlation"
    if pairs.averaged:
        return f"means of repeated samples {by}"
    if pairs.correlation is not None:
        return f"samples of {counted(pairs.blocks, 'person', 'people')} {by}, correlated"
    return f"{counted(pairs.blocks, pairs.noun)} {by}"


def contrast_sentence(findings: Findings, groups: Sequence[GroupView]) -> str:
    """Return who was compared with whom, and what was adjusted for."""
    tested = [group for group in groups if group.tested]
    if findings.trait_kind == "binary" and tested:
        cases = [g for g in tested if g.key == "case"]
        controls = [g for g in tested if g.key != "case"]
        left = listed([group_members(g, g.compared) for g in cases]) or "no case"
        right = listed([group_members(g, g.compared) for g in controls]) or "no control"
        text = f"{left} against {right}"
    elif findings.trait_kind == "factor":
        many = f"{len(findings.levels['samples'])} levels"
        text = f"{counted(len(findings.tested), 'sample')} in {many}"
    else:
        text = f"{counted(len(findings.tested), 'sample')} along the measured level"
    if findings.pairs is not None:
        text = f"{sentence(_blocked(findings.pairs)).rstrip('.')}: {text}"
    if findings.covariates:
        text += f", adjusted for {listed(covariate_names(findings))}"
    return f"{text}."


def covariate_names(findings: Findings) -> list[str]:
    """Return what was adjusted for, in words; a predicted condition is called so."""
    predicted = None if findings.predicted is None else findings.predicted.condition
    return [
        f"the prediction of {readable(name)}" if name == predicted else readable(name).lower()
        for name in findings.covariates
    ]
