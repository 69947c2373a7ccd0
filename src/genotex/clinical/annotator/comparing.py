"""Rules and model compared by the codes of samples: what they agree on, and what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
    both = [_Compared(name, own, theirs, description, procedure) for name in FEATURES]
    agreed = tuple(each.feature for each in both if not each.differing)
    gene = own.gene.available == theirs.gene.available
    found = replace(
        own,
        by=f"rules and {theirs.by}",
        asked=theirs.asked
        and replace(theirs.asked, agrees=(*(("gene",) if gene else ()), *agreed)),
    )
    review = {} if gene else {"gene": _about_gene(own, theirs)}
    checks: dict[str, list[str]] = {}
    for each in both:
        if not each.differing:
            continue
        end = ""
        if each.feature == "trait":
            found, end = _settled(found, least_certainty)
        review[each.feature] = each.text + end
        for sample, text in each.checks():
            checks.setdefault(sample, []).append(text)
    joined = {sample: "; ".join(texts) for sample, texts in checks.items()}
    return replace(found, review=review, checks=joined)


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


@dataclass(frozen=True)
class _Compared:
    """A feature as both have it."""

    feature: Feature
    own: ClinicalAnnotation
    theirs: ClinicalAnnotation
    description: SeriesDescription
    procedure: Procedure

    @property
    def _encodings(self) -> tuple[FeatureEncoding | None, FeatureEncoding | None]:
        return self.own.features[self.feature], self.theirs.features[self.feature]

    @property
    def _codes(self) -> tuple[Codes, Codes]:
        mine, other = self._encodings
        return (
            codes_of(mine, self.description, self.procedure),
            codes_of(other, self.description, self.procedure),
        )

    @property
    def differing(self) -> tuple[str, ...]:
        """The samples, or cells, to which the two give different codes."""
        mine, other = self._codes
        return tuple(
            name
            for name in dict.fromkeys([*mine, *other])
            if not self._same(mine.get(name), other.get(name))
        )

    def _same(self, one: float | None, other: float | None) -> bool:
        if one is None or other is None:
            return one is other
        near = _SAME_AGE if self.feature == "age" else 1e-6 * max(abs(one), abs(other))
        return abs(one - other) <= near

    @property
    def text(self) -> str:
        """What each says, and of how many samples."""
        mine, other = self._codes
        which = self.differing
        every = len(self.description.samples) if self.description.cells else 0
        amount = f"{len(which)} of {every} samples" if every else f"{len(which)} values"
        one, two = self._encodings
        return (
            f"the rules and {self.theirs.by} differ in {amount}: the rules say "
            f"{self._words(mine, which)}{_place(one)}, {self.theirs.by} says "
            f"{self._words(other, which)}{_place(two)}"
        )

    def _words(self, codes: Codes, which: tuple[str, ...]) -> str:
        known = [codes[name] for name in which if name in codes]
        rest = len(which) - len(known)
        if not known:
            return "nothing"
        if self._levels:
            counts = Counter(self._word(code) for code in known)
            shown = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        else:
            shown = f"{len(known)} from {min(known):g} to {max(known):g}"
        return f"{shown}, {rest} {_UNCODED}" if rest else shown

    @property
    def _levels(self) -> Mapping[float, str]:
        """The words of the codes; empty for numbers."""
        if self.feature == "trait":
            kinds = {encoding.kind for encoding in self._encodings if encoding is not None}
            return {1.0: "case", 0.0: "control"} if "binary" in kinds else {}
        known = feature_named(self.feature)
        return {} if known is None else {code: word for word, code in known.levels.items()}

    def _word(self, code: float | None) -> str:
        return _UNCODED if code is None else self._levels.get(code, f"{code:g}")

    def checks(self) -> Iterator[tuple[str, str]]:
        """Yield each sample that the two differ on, and what each says of it."""
        mine, other = self._codes
        if not self.description.cells or (self.feature != "trait" and not (mine and other)):
            return
        for name in self.differing:
            says = f"the rules say {self._word(mine.get(name))}, {self.theirs.by} says "
            yield name, f"{self.feature}: {says}{self._word(other.get(name))}"


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
