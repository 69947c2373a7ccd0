"""Hidden factors: which are technical, what the others are, and what adjusting changes."""

from __future__ import annotations

import polars as pl

from genotex.reports.genes.findings import Findings
from genotex.reports.problem.records import Surrogates
from genotex.reports.sections import ReportSection, Section, SectionTable
from genotex.reports.sections.two_rankings import GeneRanking, RankingsCompared, compare_rankings
from genotex.words import counted, listed, number, readable, sentence

_FACTORS = (
    "Unmeasured factors were estimated from all genes: their number by parallel analysis "
    "without permutations (Dobriban and Owen 2019), and their share of the trait by an "
    "empirical-Bayes regression of the genes' association with the trait on their loadings "
    "(after Wang et al. 2017; Gerard and Stephens 2020)"
)
_ESTIMATES = {
    "auto": _FACTORS,
    "adjust": _FACTORS,
    "sva": "Surrogate variables were estimated by the iteratively reweighted algorithm of sva "
    "(Leek and Storey 2008), and their number by the permutation test of Buja and Eyuboglu (1992)",
    "two-step": "Surrogate variables were estimated by the two-step algorithm of sva (Leek and "
    "Storey 2007), and their number by the permutation test of Buja and Eyuboglu (1992)",
}
_NOTABLE_INFLATION = 1.005


def _unmeasured(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on unmeasured confounding; None without a surrogate variable."""
    found = findings.surrogates
    if found is None or not (found.used or found.technical):
        return None
    parts = (_technical(findings, found), _associations(findings, found))
    tables = [table for table in parts if table is not None]
    compared = _surrogates_compared(findings, found, genes) if found.used else None
    remarks = []
    if compared is not None:
        remarks.append(_difference(found, compared))
        tables.append(compared.table)
    if findings.mixed_ranks:
        remarks.append(
            "This concerns the moderated t: the mixed model, which ranks the genes here, has no "
            "surrogate variables; its background takes their place."
        )
    remarks += [
        *((_explained(findings, found), *_unknown(findings, found)) if found.used else ()),
        *map(sentence, found.notes),
    ]
    return Section(
        key="unmeasured",
        link="Unmeasured confounding",
        title="Unmeasured confounding",
        lead=_unmeasured_lead(findings, found),
        tables=tuple(tables),
        remarks=tuple(remarks),
    )


def _unmeasured_lead(findings: Findings, found: Surrogates) -> str:
    """Return the decision in two or three sentences."""
    technical = ""
    if names := found.technical_names:
        technical = (
            f"A hidden factor goes with {listed(names)}, which no disease moves: it is technical, "
            "and the tests are adjusted for it. "
        )
    if not found.used:
        return technical or "No hidden factor is left to grade the genes by."
    explains = "explains" if found.used == 1 else "explain"
    text = (
        f"{technical}{counted(found.used, 'unmeasured factor')} (batches, cell composition and "
        f"the like) {explains} {_percent(found.trait_share)} of the "
        f"differences in {findings.subject} (chance alone: about {_percent(found.by_chance)})."
    )
    subject = (
        "The moderated t, shown alongside the ranking,"
        if findings.mixed_ranks
        else ("Every gene's test")
    )
    if found.adjusts:
        return f"{text} {subject} is adjusted for {'it' if found.used == 1 else 'them'}."
    return (
        f"{text} In patients such factors are often the disease itself, so the genes are ranked "
        "without adjusting for them, and the grade of each tells whether it holds with adjustment."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _explained(findings: Findings, found: Surrogates) -> str:
    neither, left = "neither the trait nor a covariate explains", "trait and covariates leave"
    if findings.design is not None:
        neither, left = "the design does not explain", "the design leaves"
    text = (
        "A surrogate variable is a pattern over the samples that many genes share and that "
        f"{neither}, such as a batch or the mixture of cells."
    )
    if found.shares:
        text += f" Together they take {_percent(sum(found.shares))} of the variance that {left}."
    if found.inflation > _NOTABLE_INFLATION:
        text += (
            f" Estimating them costs precision: the variance of adjusted coefficients is "
            f"{_percent(found.inflation - 1)} larger than least squares claims, and the tests "
            "allow for it."
        )
    return text


def _unknown(findings: Findings, found: Surrogates) -> list[str]:
    known = {each.surrogate for each in found.associations}
    unknown = [name for i in range(found.used) if (name := f"SV{i + 1}") not in known]
    what = "the trait, a covariate" if findings.design is None else "a column of the design"
    rest = f"{what}, another recorded characteristic, a measure of the samples, or markers of cells"
    remarks = []
    if any(each.kind in ("cells", "programme") for each in found.associations):
        remarks.append(
            "Factors that go with cells or programmes such as proliferation are never adjusted "
            "for by default: in patients they may be the disease."
        )
    if len(unknown) == found.used:
        return [f"None of them is associated with {rest}."]
    if unknown:
        remarks.append(f"Nothing known goes with {listed(unknown)}: not {rest}.")
    return remarks


def _technical(findings: Findings, found: Surrogates) -> SectionTable | None:
    """Return the table of what is technical of the samples, and whether a factor goes with it."""
    if not found.technical:
        return None
    rows = tuple(
        (
            readable(each.evidence),
            "adjusted for" if each.adjusted else f"not adjusted for: {each.why_not}",
            number(each.share, "plain"),
            number(each.p, "p"),
            "" if each.carries is None else _percent(each.carries),
            number(each.with_trait, "plain"),
        )
        for each in found.technical
    )
    trait = readable(findings.result.trait)
    head = ("Evidence", "The factor is", "r\u00b2 with a factor", "p", "Carries", f"r with {trait}")
    return SectionTable("Whether a hidden factor is technical", head, rows, words=2)


def _associations(findings: Findings, found: Surrogates) -> SectionTable | None:
    if not found.associations:
        return None
    trait = findings.result.trait
    shares = {f"SV{i + 1}": share for i, share in enumerate(found.shares)}
    rows = tuple(
        (
            each.surrogate,
            _percent(shares[each.surrogate]) if each.surrogate in shares else "",
            readable(trait if each.partner == "trait" else each.partner),
            each.kind,
            each.measure,
            number(each.size, "plain"),
            number(each.p, "p"),
        )
        for each in found.associations
    )
    head = ("Variable", "Share", "Goes with", "Kind", "Measure", "Size", "p")
    return SectionTable("What the surrogate variables are", head, rows, words=5)


def _surrogates_compared(
    findings: Findings, found: Surrogates, genes: pl.DataFrame
) -> RankingsCompared | None:
    other = "Without SV" if found.adjusts else "With SV"
    if genes[f"{other} p"].null_count() == genes.height:
        return None
    words = ("with", "without") if found.adjusts else ("without", "with")
    return compare_rankings(
        genes,
        GeneRanking(words[0], "Coefficient", "p", "q"),
        GeneRanking(words[1], f"{other} Coefficient", f"{other} p", f"{other} q"),
        change=findings.change_label,
        cut=findings.cut,
        minimal_change=findings.minimal_change,
    )


def _difference(found: Surrogates, compared: RankingsCompared) -> str:
    ranking, alternative, both = compared.significant
    words = ("with", "without") if found.adjusts else ("without", "with")
    text = (
        f"{counted(ranking, 'gene')} {'is' if ranking == 1 else 'are'} significant {words[0]} "
        f"adjustment for them, {alternative:,} {words[1]}, {both:,} in both analyses."
    )
    return f"{text} {compared.overlap}".strip()


def _unmeasured_remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the line under the answer on unmeasured confounding; empty without any."""
    return "" if findings.mixed_ranks else findings.result.hidden_summary


def unmeasured_note(found: Surrogates | None) -> str:
    """Return why there is no section on unmeasured confounding; empty when there is one."""
    if found is None or found.used:
        return ""
    if found.mode == "none":
        return "Unmeasured confounding: not estimated, as requested."
    if found.notes:
        return f"Unmeasured confounding: no surrogate variable. {sentence(found.notes[0])}"
    if found.estimated:
        return (
            f"Unmeasured confounding: {counted(found.estimated, 'factor')} found, none adjusted "
            "for, as too few residual degrees of freedom would remain."
        )
    return "Unmeasured confounding: no factor exceeds the noise."


def unmeasured_methods(findings: Findings) -> str:
    """Return what was done about unmeasured confounding, for the methods paragraph."""
    found = findings.surrogates
    if found is None or found.mode == "none" or found.mode not in _ESTIMATES:
        return ""
    how = _ESTIMATES[found.mode]
    if findings.design is not None:
        how = how.replace("the trait", "what is tested")
    if names := found.technical_names:
        how += f"; the tests were adjusted for what goes with {listed(names)}"
    if not found.used:
        return f"{how}; none was used." if found.estimated else f"{how}; none was found."
    shares = listed([_percent(share) for share in found.shares])
    text = f"{how}. {found.used} surrogate variable{'' if found.used == 1 else 's'}"
    if shares:
        text += f", with {shares} of the residual variance,"
    if not found.adjusts:
        return (
            f"{text} did not enter the tests that rank; genes are robust where a regression with "
            "them finds the gene too, sensitive where only that without them does, and masked "
            "where only that with them does."
        )
    text += " entered the regression as further columns"
    if found.inflation > _NOTABLE_INFLATION:
        text += (
            f"; variances of coefficients were multiplied by {found.inflation:.2f}, to allow for "
            "the estimation"
        )
    return f"{text}."


SECTIONS = (ReportSection("unmeasured", 60, _unmeasured, _unmeasured_remark),)
