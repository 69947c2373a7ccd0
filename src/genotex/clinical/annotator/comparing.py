"""Rules and model compared by the codes of samples: what they agree on, and what is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoded_features import apply_encoding, row_and_map
from genotex.clinical.encoding import FEATURES, ClinicalAnnotation, Feature, FeatureEncoding
from genotex.clinical.summary import certainty_text, place_text
from genotex.features import feature_named
from genotex.formats import Series
from genotex.procedure import Procedure

_SAME_AGE = 0.5
"""Ages that differ by no more years are the same: a range has more than one middle."""
_UNCODED = "nothing"

Codes = Mapping[str, float]
"""Sample -> code, as far as it has one; cell -> code where the samples are not known."""


def compare(
    own: ClinicalAnnotation,
    theirs: ClinicalAnnotation,
    description: SeriesDescription,
    procedure: Procedure,
    least_certainty: float = 0.0,
) -> ClinicalAnnotation:
    """Return the rules' annotation as far as it holds, and what is to be reviewed.

    What both say holds. Where they differ, that of the rules stays, for review: `review` says what
    each says, `checks` of which samples.

    `own`, `theirs`: of the rules, with any certainty, and of the model. `least_certainty`: what a
    trait that the two do not agree on needs besides.
    """
    by = theirs.by
    found, agreed = replace(own, by=f"rules and {by}"), list[str]()
    review, checks = dict[str, str](), defaultdict[str, list[str]](list)
    if own.gene.available == theirs.gene.available:
        agreed.append("gene")
    else:
        review["gene"] = _about_gene(own, theirs)
    for name in FEATURES:
        encodings = own.features[name], theirs.features[name]
        both = [codes_of(each, description, procedure) for each in encodings]
        names = dict.fromkeys(sample for codes in both for sample in codes)
        which = [n for n in names if not _are_same(name, *(codes.get(n) for codes in both))]
        if not which:
            agreed.append(name)
            continue
        words, end = _words_of_codes(name, encodings), ""
        if name == "trait":
            found, end = _settled(found, least_certainty)
        every = f"{len(which)} of {len(description.samples)} samples"
        amount = every if description.cells and description.samples else f"{len(which)} values"
        mine, other = (
            f"{_in_words(codes, which, words)}{_place(encoding)}"
            for codes, encoding in zip(both, encodings, strict=True)
        )
        review[name] = (
            f"the rules and {by} differ in {amount}: the rules say {mine}, {by} says {other}{end}"
        )
        if description.cells and (name == "trait" or all(both)):
            for n in which:
                mine, other = (_word(codes.get(n), words) for codes in both)
                checks[n].append(f"{name}: the rules say {mine}, {by} says {other}")
    asked = theirs.asked and replace(theirs.asked, agrees=tuple(agreed))
    joined = {sample: "; ".join(texts) for sample, texts in checks.items()}
    return replace(found, review=review, checks=joined, asked=asked)


def unread(own: ClinicalAnnotation, model: str, error: Exception) -> ClinicalAnnotation:
    """Return the rules' annotation, for review: the answer of a model could not be used."""
    text = f"{model} gave no answer that can be used ({error}); decided by the rules alone"
    return replace(own, review={"trait": " ".join(text.split())})


def _settled(found: ClinicalAnnotation, least: float) -> tuple[ClinicalAnnotation, str]:
    """Return the annotation without a trait that is not certain enough, and what was done."""
    if found.trait is None:
        return found, ""
    sure = found.certainty
    figure = "never measured" if sure is None else certainty_text(sure)
    if least <= 0 or (sure is not None and sure >= least):
        return found, f"; the rules' are used (certainty {figure})"
    nearest = replace(found.trait, certainty=sure)
    why = f"; not used (certainty of the rules: {figure}; {certainty_text(least)} are needed)"
    return replace(found, trait=None, runner_up=nearest, certainty=None), why


def _about_gene(own: ClinicalAnnotation, theirs: ClinicalAnnotation) -> str:
    words = {True: "human gene expression", False: "no human gene expression"}
    mine, other = own.gene, theirs.gene
    return (
        f"the rules see {words[mine.available]} ({mine.reason}), {theirs.by} "
        f"{words[other.available]} ({other.reason}); the rules' verdict is used"
    )


def _are_same(feature: Feature, one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    near = _SAME_AGE if feature == "age" else 1e-6 * max(abs(one), abs(other))
    return abs(one - other) <= near


def _words_of_codes(
    feature: Feature, encodings: Iterable[FeatureEncoding | None]
) -> Mapping[float, str]:
    """Return the words of the codes; empty for numbers."""
    if feature == "trait":
        kinds = {encoding.kind for encoding in encodings if encoding is not None}
        return {1.0: "case", 0.0: "control"} if "binary" in kinds else {}
    known = feature_named(feature)
    return {} if known is None else {code: word for word, code in known.levels.items()}


def _word(code: float | None, words: Mapping[float, str]) -> str:
    return _UNCODED if code is None else words.get(code, f"{code:g}")


def _in_words(codes: Codes, which: Sequence[str], words: Mapping[float, str]) -> str:
    """Return what codes say of the samples on which two readings differ."""
    known = [codes[name] for name in which if name in codes]
    rest = len(which) - len(known)
    if not known:
        return _UNCODED
    if words:
        counts = Counter(_word(code, words) for code in known)
        shown = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    else:
        shown = f"{len(known)} from {min(known):g} to {max(known):g}"
    return f"{shown}, {rest} {_UNCODED}" if rest else shown


def _place(encoding: FeatureEncoding | None) -> str:
    if encoding is None:
        return ""
    return f" ({place_text(encoding.row, encoding.key, encoding.sample_field)})"


def codes_of(
    encoding: FeatureEncoding | None, description: SeriesDescription, procedure: Procedure
) -> Codes:
    """Return the code of each sample that has one; of each cell where samples are not known."""
    if encoding is None:
        return {}
    if description.cells is None or not description.samples:
        found = row_and_map(encoding, description, procedure)
        cells = {} if found is None else found["map"]
        return {f"{encoding.row}: {c}": code for c, code in cells.items() if code is not None}
    codes = apply_encoding(encoding, _as_series(description), procedure=procedure).codes
    named = zip(description.samples, codes.tolist(), strict=True)
    return {sample: code for sample, code in named if code == code}


def _as_series(description: SeriesDescription) -> Series:
    lines = {
        "characteristics_ch1": description.cells or (),
        "title": (description.titles,) if description.titles else (),
        "source_name_ch1": (description.source_names,) if description.source_names else (),
        "description": description.descriptions,
    }
    fields = {name: rows for name, rows in lines.items() if rows}
    return Series(Path(description.cohort), description.samples, {}, fields)
