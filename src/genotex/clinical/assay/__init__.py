"""Does a series hold human gene expression? The verdict, with its reasons and its certainty."""

from __future__ import annotations

from collections.abc import Callable

from genotex.clinical.assay.platform import by_platform, by_row_ids, by_symbols
from genotex.clinical.assay.stated import (
    AssaySign,
    by_assay_words,
    by_organism,
    by_sample_assay,
    by_sample_species,
    by_series_type,
    by_species_words,
    by_stated_assay,
    is_all_human,
    load_signs,
    of_primates,
    word_for_expression,
)
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import GeneVerdict


def judge_expression(description: SeriesDescription) -> GeneVerdict:
    """Judge whether a series holds human gene (mRNA) expression.

    The organism as GEO states it comes first; then the row ids; then species and assay of
    the samples and the platform; then the series type. The submitter's texts decide only when
    these are silent. Row ids of human arrays end the search, but for monkeys, which are measured
    on human arrays.

    The verdict has the rule's certainty (``certainty`` in
    ``data/assay.toml``): how often verdicts by this rule were right among labelled cases, (right +
    1) / (judged + 2), so that few cases do not promise much; rules that had next to no case take a
    cautious figure.
    """
    finding = _first_finding(description)
    return GeneVerdict(
        finding.available,
        finding.reason,
        (finding.evidence, *_other_samples(description, finding)),
        load_signs().certainty(finding.rule),
        human=finding.human,
    )


_Rules = tuple[Callable[[SeriesDescription], AssaySign | None], ...]
_SPECIES_RULES: _Rules = (by_sample_species, by_symbols)
_ASSAY_RULES: _Rules = (by_stated_assay, by_sample_assay, by_platform, by_series_type)
_SPECIES_WORDS: _Rules = (of_primates, by_species_words)


def _first_finding(description: SeriesDescription) -> AssaySign:
    stated = by_organism(description)
    if stated is not None:
        return stated
    # Human samples, as GEO states them, may still be on a mouse array, to see the host
    # of a xenograft; but neither strains nor words make them mice.
    human = is_all_human(description)
    rows = by_row_ids(description.first_ids)
    if rows is not None:
        monkeys = of_primates(description) if rows.available and not human else None
        return monkeys or rows
    before, after = ((), ()) if human else (_SPECIES_RULES, _SPECIES_WORDS)
    for judge in (*before, *_ASSAY_RULES, *after, by_assay_words):
        finding = judge(description)
        if finding is not None:
            return finding
    return _nothing_against(description)


def _nothing_against(description: SeriesDescription) -> AssaySign:
    words = word_for_expression(description)
    if description.first_ids:
        rule = "nothing against it"
        seen = f"row ids such as {', '.join(description.first_ids[:3])}"
    elif words:
        rule, seen = "words for expression", f"the texts mention {words!r}"
    else:
        rule, seen = "nothing to judge by", "no row ids and no platform to judge by"
    return AssaySign(rule, True, "human gene expression", f"no evidence against it: {seen}")


def _other_samples(description: SeriesDescription, finding: AssaySign) -> tuple[str, ...]:
    others = [name for name in description.organisms if name != "Homo sapiens"]
    if not finding.available or not others:
        return ()
    return (f"some samples are of other organisms: {', '.join(others)}",)
