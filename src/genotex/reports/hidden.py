"""Hidden structure: what the surrogate variables are, and what they do to the answer."""

from __future__ import annotations

import polars as pl

from genotex.analysis.robust_surrogates import GENES_MOVED
from genotex.analysis.surrogate import SMALLEST_RESIDUAL_DF
from genotex.reports.comparing import Comparison, Ranking, compare
from genotex.reports.findings import Findings
from genotex.reports.sections import Section, SectionTable
from genotex.reports.steps import HiddenStructure
from genotex.reports.words import change_label, counted, listed, number, readable, sentence

__all__ = ["hidden_methods", "hidden_note", "hidden_remark", "view_hidden"]


def view_hidden(findings: Findings, genes: pl.DataFrame) -> Section | None:
    """Return the section on hidden structure; None when no surrogate variable was made.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    hidden = findings.hidden
    if hidden is None or not hidden.used:
        return None
    tables = [table for table in (_associations(findings, hidden),) if table is not None]
    remarks = []
    compared = _compared(findings, hidden, genes)
    if compared is not None:
        remarks.append(_change(hidden, compared))
        tables.append(compared.table)
    if findings.mixed_ranks:
        remarks.append(
            "This is about the moderated t: the mixed model, which ranks here, has no surrogate "
            "variables; its background takes their place."
        )
    remarks += [_explained(hidden), *_unknown(hidden), *_limited(hidden, len(findings.tested))]
    return Section(
        key="hidden",
        link="Hidden structure",
        title="Hidden structure",
        lead=_lead(findings, hidden),
        tables=tuple(tables),
        remarks=tuple(remarks),
    )


def _surrogates(hidden: HiddenStructure) -> str:
    return counted(hidden.used, "surrogate variable")


def _lead(findings: Findings, hidden: HiddenStructure) -> str:
    was, adjusts = ("was", "it") if hidden.used == 1 else ("were", "them")
    if findings.mixed_ranks:
        adjusted = "is adjusted" if hidden.adjusts else "is not adjusted"
        return (
            f"{_surrogates(hidden)} {was} found. The moderated t, which stands beside the ranking, "
            f"{adjusted} for {adjusts}."
        )
    if hidden.adjusts:
        return (
            f"{_surrogates(hidden)} {was} found, and every gene's test is adjusted for {adjusts}."
        )
    why = (
        "with so many affected genes hidden structure cannot be told from the trait"
        if hidden.many_genes
        else "in a cohort this small that can do as much harm as good"
    )
    return (
        f"{_surrogates(hidden)} {was} found, but the ranking is not adjusted for {adjusts}: {why}. "
        "Both analyses stand side by side."
    )


def _explained(hidden: HiddenStructure) -> str:
    text = (
        "A surrogate variable is a pattern over the samples that many genes share beyond trait and "
        "covariates, such as a batch or the mix of cells."
    )
    if not hidden.shares:
        return text
    share = f"{sum(hidden.shares):.0%}".replace("%", " %")
    return f"{text} Together they take {share} of the variance that trait and covariates leave."


def _unknown(hidden: HiddenStructure) -> list[str]:
    if hidden.associations:
        return []
    return [
        "They go with nothing that the samples' descriptions tell: neither the trait, nor a "
        "covariate, nor another characteristic."
    ]


def _limited(hidden: HiddenStructure, samples: int) -> list[str]:
    if hidden.estimated <= hidden.used:
        return [sentence(note) for note in hidden.notes]
    return [_stand_out(hidden, samples)]


def _stand_out(hidden: HiddenStructure, samples: int) -> str:
    """Return how many components there are and why not all of them gave a surrogate variable."""
    two_step = hidden.mode == "sva"
    few = [note for note in hidden.notes if "genes go with" in note]
    if not two_step and len(hidden.notes) > 1:
        few = []  # What is used is then not what moves enough genes: the notes say it one by one.
    text = (
        f"{counted(hidden.estimated, 'component')} "
        f"{'stands' if hidden.estimated == 1 else 'stand'} out by the permutation test"
    )
    others = [note for note in hidden.notes if note not in few]
    if few:
        # Behind the last for which there was room, no component was looked at.
        all_seen = two_step and not hidden.limited
        enough = hidden.estimated - len(few) if all_seen else hidden.used
        least = f"{samples:,} or more each, as many as there are samples"
        if not two_step:
            least = f"{100 * GENES_MOVED:g} % of all or more each"
        who = "it does not" if hidden.estimated == 1 else f"{enough or 'none'} of them"
        moves = "moves" if enough == 1 else "move"
        text += f"; {who} {moves} enough genes ({least}) to be estimated"
    elif not others:
        text += f"; {hidden.used or 'none'} of them {'serves' if hidden.used == 1 else 'serve'}"
    return sentence("; ".join([text, *others]))


def _associations(findings: Findings, hidden: HiddenStructure) -> SectionTable | None:
    if not hidden.associations:
        return None
    shares = {f"SV{i + 1}": share for i, share in enumerate(hidden.shares)}
    rows = tuple(
        (
            found.surrogate,
            f"{shares[found.surrogate]:.0%}".replace("%", " %")
            if found.surrogate in shares
            else "",
            _partner(findings, found.partner),
            found.measure,
            number(found.size, "plain"),
            number(found.p, "p"),
        )
        for found in hidden.associations
    )
    head = ("Variable", "Share", "Goes with", "Measure", "Size", "p")
    return SectionTable("What they go with", head, rows, words=4)


def _partner(findings: Findings, partner: str) -> str:
    return readable(findings.trait) if partner in ("trait", findings.trait) else readable(partner)


def _compared(
    findings: Findings, hidden: HiddenStructure, genes: pl.DataFrame
) -> Comparison | None:
    other = "without_sv" if hidden.adjusts else "with_sv"
    if genes[f"{other}_p"].null_count() == genes.height:
        return None
    words = ("with", "without") if hidden.adjusts else ("without", "with")
    return compare(
        genes,
        Ranking(words[0], "estimate", "p", "q"),
        Ranking(words[1], other, f"{other}_p", f"{other}_q"),
        change=change_label(findings.trait_kind),
        cut=findings.cut,
        minimal_change=findings.minimal_change,
    )


def _change(hidden: HiddenStructure, compared: Comparison) -> str:
    ranking, beside, both = compared.significant
    words = ("with", "without") if hidden.adjusts else ("without", "with")
    text = (
        f"{counted(ranking, 'gene')} {'is' if ranking == 1 else 'are'} significant {words[0]} "
        f"them, {beside:,} {words[1]} them, {both:,} in both analyses."
    )
    return f"{text} {compared.overlap}".strip()


def hidden_remark(findings: Findings, genes: pl.DataFrame) -> str:
    """Return the one line that the answer has on hidden structure; empty without any.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    hidden = findings.hidden
    if hidden is None or not hidden.used or findings.mixed_ranks:
        return ""
    compared = _compared(findings, hidden, genes)
    other = ""
    if compared is not None:
        count = compared.significant[1]
        beside = "without them" if hidden.adjusts else "with them"
        other = f"; {beside} {counted(count, 'gene')} would be significant"
    done = "adjusted" if hidden.adjusts else "not adjusted"
    return f"The tests are {done} for hidden structure ({_surrogates(hidden)}){other}."


def hidden_note(hidden: HiddenStructure | None, samples: int) -> str:
    """Return why there is no section on hidden structure; empty when there is one.

    Parameters
    ----------
    hidden : HiddenStructure or None
        What is known of it.
    samples : int
        Samples compared.
    """
    if hidden is None or hidden.used:
        return ""
    if hidden.mode == "none":
        return "Hidden structure: not looked for, as asked."
    if hidden.estimated and hidden.notes:
        return f"Hidden structure: no surrogate variable. {_stand_out(hidden, samples)}"
    if hidden.notes:
        return f"Hidden structure: no surrogate variable. {sentence(hidden.notes[0])}"
    if hidden.estimated:
        return (
            f"Hidden structure: {counted(hidden.estimated, 'surrogate variable')} found, none "
            "used, as too few residual degrees of freedom would remain."
        )
    return "Hidden structure: the permutation test found no surrogate variable."


def hidden_methods(findings: Findings) -> str:
    """Return what was done about hidden structure, for the methods paragraph.

    Parameters
    ----------
    findings : Findings
        The analysis.
    """
    hidden = findings.hidden
    if hidden is None or hidden.mode == "none":
        return ""
    if not hidden.used and not hidden.estimated and hidden.notes:
        return ""
    if hidden.mode == "sva":
        algorithm = "the two-step algorithm of Leek and Storey (2007)"
        least = "as many genes as there were samples"
    else:
        algorithm = "robust regression over all genes (Wang et al. 2017)"
        least = f"{100 * GENES_MOVED:g} % of the genes"
    how = (
        f"Surrogate variables were estimated by {algorithm}, with the trait among the variables of "
        "the model, and their number by the permutation test of Buja and Eyuboglu (1992); a "
        f"component counted when at least {least} went with it (F test, local false discovery rate "
        f"below 0.1), and at least {SMALLEST_RESIDUAL_DF} residual degrees of freedom were left"
    )
    if not hidden.used:
        none = f"none of the {hidden.estimated} components found gave one"
        return f"{how}; {none if hidden.estimated else 'none was found'}."
    shares = listed([f"{100 * share:.0f} %" for share in hidden.shares])
    told = f", with {shares} of the residual variance," if shares else ""
    of = f" of {hidden.estimated}" if hidden.estimated > hidden.used else ""
    found = f"{how}. {hidden.used}{of}{told}"
    if hidden.adjusts:
        return f"{found} entered the regression as further columns."
    why = "so many genes are affected" if hidden.many_genes else "the cohort is small"
    return (
        f"{found} were estimated; as {why} they did not enter the tests, and the regression with "
        "them is reported beside it."
    )
