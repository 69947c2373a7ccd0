"""Unmeasured confounding: the surrogate variables, the decision, and what they change."""

from __future__ import annotations

import polars as pl

from genotex.reports.comparing import Comparison, Ranking, compare
from genotex.reports.findings import Findings
from genotex.reports.sections import Section, SectionTable
from genotex.reports.steps import Surrogates
from genotex.reports.words import change_label, counted, listed, number, readable, sentence

__all__ = [
    "unmeasured_methods",
    "unmeasured_note",
    "unmeasured_remark",
    "view_unmeasured",
]

_ESTIMATES = {
    "auto": "Unmeasured factors were estimated from all genes: their number by parallel analysis "
    "without permutations (Dobriban and Owen 2019), and their share of the trait by an "
    "empirical-Bayes regression of the genes' association with the trait on their loadings "
    "(after Wang et al. 2017; Gerard and Stephens 2020)",
    "sva": "Surrogate variables were estimated by the iteratively reweighted algorithm of sva "
    "(Leek and Storey 2008), and their number by the permutation test of Buja and Eyuboglu (1992)",
    "two-step": "Surrogate variables were estimated by the two-step algorithm of sva (Leek and "
    "Storey 2007), and their number by the permutation test of Buja and Eyuboglu (1992)",
}
NOTABLE_INFLATION = 1.005


def view_unmeasured(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on unmeasured confounding; None without a surrogate variable.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    found = findings.surrogates
    if found is None or not found.used:
        return None
    tables = [table for table in (_associations(findings, found),) if table is not None]
    compared = _compared(findings, found, genes)
    remarks = []
    if compared is not None:
        remarks.append(_change(found, compared))
        tables.append(compared.table)
    if findings.mixed_ranks:
        remarks.append(
            "This concerns the moderated t: the mixed model, which ranks the genes here, has no "
            "surrogate variables; its background takes their place."
        )
    remarks += [_explained(found), *_unknown(found), *map(sentence, found.notes)]
    return Section(
        key="unmeasured",
        link="Unmeasured confounding",
        title="Unmeasured confounding",
        lead=_lead(findings, found),
        tables=tuple(tables),
        remarks=tuple(remarks),
    )


def _count(found: Surrogates) -> str:
    return counted(found.used, "surrogate variable")


def _lead(findings: Findings, found: Surrogates) -> str:
    """Return the decision in two sentences."""
    text = (
        f"{counted(found.used, 'unmeasured factor')} (batches, cell composition and the like) "
        f"{'explains' if found.used == 1 else 'explain'} {_percent(found.trait_share)} of the "
        f"differences in the trait (chance alone: about {_percent(found.by_chance)})."
    )
    subject = (
        "The moderated t, shown alongside the ranking,"
        if findings.mixed_ranks
        else ("Every gene's test")
    )
    if found.adjusts:
        return f"{text} {subject} is adjusted for {'it' if found.used == 1 else 'them'}."
    if found.dense:
        reason = f"about {_percent(found.affected)} of the genes are affected"
        return (
            f"{text} As {reason}, the factors are probably the trait's own signal, so the genes "
            "are ranked without adjusting for them, and the adjusted analysis is shown alongside."
        )
    return f"{text} The genes are ranked without adjusting for them."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _explained(found: Surrogates) -> str:
    text = (
        "A surrogate variable is a pattern over the samples that many genes share and that neither "
        "the trait nor a covariate explains, such as a batch or the mixture of cells."
    )
    if found.shares:
        text += (
            f" Together they take {_percent(sum(found.shares))} of the variance that trait and "
            "covariates leave."
        )
    if found.inflation > NOTABLE_INFLATION:
        text += (
            f" Estimating them costs precision: the variance of adjusted coefficients is "
            f"{_percent(found.inflation - 1)} larger than least squares claims, and the tests "
            "allow for it."
        )
    return text


def _unknown(found: Surrogates) -> list[str]:
    if found.associations:
        return []
    return [
        "None of them is associated with the trait, a covariate or any other recorded "
        "characteristic of the samples."
    ]


def _associations(findings: Findings, found: Surrogates) -> SectionTable | None:
    if not found.associations:
        return None
    shares = {f"SV{i + 1}": share for i, share in enumerate(found.shares)}
    rows = tuple(
        (
            each.surrogate,
            _percent(shares[each.surrogate]) if each.surrogate in shares else "",
            _partner(findings, each.partner),
            each.measure,
            number(each.size, "plain"),
            number(each.p, "p"),
        )
        for each in found.associations
    )
    head = ("Variable", "Share", "Associated with", "Measure", "Size", "p")
    return SectionTable("What the surrogate variables are associated with", head, rows, words=4)


def _partner(findings: Findings, partner: str) -> str:
    return readable(findings.trait) if partner in ("trait", findings.trait) else readable(partner)


def _compared(findings: Findings, found: Surrogates, genes: pl.DataFrame) -> Comparison | None:
    other = "without_sv" if found.adjusts else "with_sv"
    if genes[f"{other}_p"].null_count() == genes.height:
        return None
    words = ("with", "without") if found.adjusts else ("without", "with")
    return compare(
        genes,
        Ranking(words[0], "estimate", "p", "q"),
        Ranking(words[1], other, f"{other}_p", f"{other}_q"),
        change=change_label(findings.trait_kind),
        cut=findings.cut,
        minimal_change=findings.minimal_change,
    )


def _change(found: Surrogates, compared: Comparison) -> str:
    ranking, alternative, both = compared.significant
    words = ("with", "without") if found.adjusts else ("without", "with")
    text = (
        f"{counted(ranking, 'gene')} {'is' if ranking == 1 else 'are'} significant {words[0]} "
        f"adjustment for them, {alternative:,} {words[1]}, {both:,} in both analyses."
    )
    return f"{text} {compared.overlap}".strip()


def unmeasured_remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the one line that the answer has on unmeasured confounding; empty without any.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    found = findings.surrogates
    if found is None or not found.used or findings.mixed_ranks:
        return ""
    compared = _compared(findings, found, genes)
    other = ""
    if compared is not None:
        how = "without" if found.adjusts else "with"
        other = f"; {how} this, {counted(compared.significant[1], 'gene')} would be significant"
    done = "adjusted" if found.adjusts else "not adjusted"
    return f"The tests are {done} for unmeasured confounding ({_count(found)}){other}."


def unmeasured_note(found: Surrogates | None) -> str:
    """Return why there is no section on unmeasured confounding; empty when there is one."""
    if found is None or found.used:
        return ""
    if found.mode == "none":
        return "Unmeasured confounding: not examined, as asked."
    if found.notes:
        return f"Unmeasured confounding: no surrogate variable. {sentence(found.notes[0])}"
    if found.estimated:
        return (
            f"Unmeasured confounding: {counted(found.estimated, 'factor')} found, none adjusted "
            "for, as too few residual degrees of freedom would remain."
        )
    return "Unmeasured confounding: no factor stands out of the noise."


def unmeasured_methods(findings: Findings) -> str:
    """Return what was done about unmeasured confounding, for the methods paragraph.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
    found = findings.surrogates
    if found is None or found.mode == "none" or found.mode not in _ESTIMATES:
        return ""
    how = _ESTIMATES[found.mode]
    if not found.used:
        return f"{how}; none was used." if found.estimated else f"{how}; none was found."
    shares = listed([_percent(share) for share in found.shares])
    text = f"{how}. {found.used} surrogate variable{'' if found.used == 1 else 's'}"
    if shares:
        text += f", with {shares} of the residual variance,"
    if not found.adjusts:
        return (
            f"{text} did not enter the tests, as they explained {_percent(found.trait_share)} of a "
            "trait with a dense signal; the regression with them is reported alongside."
        )
    text += " entered the regression as further columns"
    if found.inflation > NOTABLE_INFLATION:
        text += (
            f"; variances of coefficients were multiplied by {found.inflation:.2f}, to allow for "
            "the estimation"
        )
    return f"{text}."
