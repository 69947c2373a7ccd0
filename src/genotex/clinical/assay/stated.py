"""Signs of other assays and species, from ``data/assay.toml``, in GEO's fields and in texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from genotex.clinical.description import SeriesDescription
from genotex.features import packaged_table


@dataclass(frozen=True)
class AssaySign:
    """What one rule found."""

    rule: str  # Name of the rule: a key of the certainty table
    available: bool  # Whether it speaks for human gene expression
    reason: str  # The finding in words
    evidence: str  # What was seen, and where
    human: bool = True  # Whether the samples are human, as far as this rule shows


@dataclass(frozen=True)
class Kind:
    """What a sign means: another species, another assay, or human gene expression."""

    species: str = ""
    measures: str = ""
    every: bool = False  # Whether it counts only if all row ids are such

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Kind:
        """Return what a table of the file means."""
        return cls(*(entry.get(name, default) for name, default in vars(cls()).items()))

    @property
    def human(self) -> bool:
        """Whether it means human gene expression."""
        return not self.species and not self.measures


_EntryAndPattern = tuple[dict[str, Any], re.Pattern[str]]


class _Signs:
    """All known signs."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}
        self._entries: dict[tuple[str, ...], list[_EntryAndPattern]] = {}

    def entries(self, *path: str) -> list[dict[str, Any]]:
        """Return the tables of an array of tables."""
        found: list[dict[str, Any]] = self.value(*path)
        return found

    def with_patterns(self, *path: str) -> list[_EntryAndPattern]:
        """Return the tables of an array of tables, each with its ``patterns`` as one pattern."""
        if path not in self._entries:
            self._entries[path] = [(e, compile_any(e["patterns"])) for e in self.entries(*path)]
        return self._entries[path]

    def value(self, *path: str) -> Any:
        """Return the value under a dotted name."""
        found: Any = self._data
        for name in path:
            found = found[name]
        return found

    def pattern(self, *path: str) -> re.Pattern[str]:
        """Return the alternatives under a dotted name as one pattern; case is ignored."""
        if path not in self._patterns:
            self._patterns[path] = compile_any(self.value(*path))
        return self._patterns[path]

    def certainty(self, rule: str) -> float:
        """Return how often a verdict by this rule is right."""
        return float(self._data["certainty"][rule])


def compile_any(alternatives: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for all alternatives; case is ignored."""
    return re.compile("|".join(f"(?:{text})" for text in alternatives), re.IGNORECASE)


@lru_cache(maxsize=1)
def load_signs() -> _Signs:
    """Return the packaged signs."""
    return _Signs(packaged_table("genotex.clinical", "assay"))


_NOT_HUMAN = "the organism is not human"
"""How the reason of a verdict begins when the samples are not human."""


def not_human(rule: str, who: str, evidence: str) -> AssaySign:
    """Return the finding that the samples are of another species."""
    reason = f"{_NOT_HUMAN}: {who}" if who else _NOT_HUMAN
    return AssaySign(rule, False, reason, evidence, human=False)


def not_expression(rule: str, reason: str, evidence: str) -> AssaySign:
    """Return the finding that something else than gene expression was measured."""
    return AssaySign(rule, False, reason, evidence)


def known_ids(first_ids: Sequence[str]) -> list[str]:
    """Return the row ids without control probes and empty ones."""
    controls = load_signs().pattern("row_ids", "controls")
    return [i for i in first_ids if i and not controls.fullmatch(i)]


_HUMAN = "Homo sapiens"
_HUMAN_TAXID = "9606"

_RULE = "stated"
_OTHER_MOLECULES = {"genomic dna", "protein"}
_OPEN_TYPES = {"other", "third-party reanalysis"}
_EXPRESSION_LIBRARIES = {"rna-seq", "ssrna-seq", "est", "fl-cdna", "other"}


def is_all_human(description: SeriesDescription) -> bool:
    """Return whether GEO states that all samples are human."""
    return set(description.organisms) == {_HUMAN}


def by_organism(description: SeriesDescription) -> AssaySign | None:
    """Judge by the samples' organisms; a series' taxonomy ids count where these are missing."""
    # A SuperSeries' taxonomy ids are those of all its parts, so they do not apply to samples whose
    # own lines name other organisms only.
    names = ", ".join(description.organisms)
    if names:
        human = _HUMAN in description.organisms
        return None if human else not_human(_RULE, names, f"organism of the samples: {names}")
    taxids = ", ".join(description.taxids)
    if taxids and _HUMAN_TAXID not in description.taxids:
        return not_human(_RULE, f"taxid {taxids}", f"taxonomy ids: {taxids}")
    return None


def by_stated_assay(description: SeriesDescription) -> AssaySign | None:
    """Judge by the samples' molecule and library strategy, where all agree."""
    # A series that GEO calls expression profiling and nothing else is left alone: submitters choose
    # the wrong molecule more often than GEO's curators the wrong type.
    types = description.series_type
    if types and all(map(_is_expression, types)):
        return None
    for name, values in (
        ("molecule", description.molecule),
        ("library strategy", description.library_strategy),
    ):
        if not values:
            continue
        stated = "; ".join(values)
        other = {v.casefold() for v in values}
        if name == "molecule":
            speaks_against = other <= _OTHER_MOLECULES
        else:
            speaks_against = not other & _EXPRESSION_LIBRARIES
        if speaks_against:
            reason = f"the series is not gene expression: {stated}"
            return not_expression(_RULE, reason, f"{name} of the samples: {stated}")
    return None


def by_series_type(description: SeriesDescription) -> AssaySign | None:
    """Judge by ``!Series_type``; any kind of expression profiling is expression."""
    types = description.series_type
    if not types:
        return None
    stated = "; ".join(types)
    expression = [t for t in types if _is_expression(t)]
    if expression:
        # Of a SuperSeries with other types too, this part need not be the expression.
        rule = _RULE if len(expression) == len(types) else "nothing against it"
        return AssaySign(rule, True, "human gene expression", f"series type: {stated}")
    if all(t.casefold() in _OPEN_TYPES for t in types):
        return None
    circular = "circ" in description.title.casefold() and "rna" in description.title.casefold()
    what = "circular RNA" if circular else stated
    return not_expression(
        _RULE, f"the series is not gene expression: {what}", f"series type: {stated}"
    )


def _is_expression(series_type: str) -> bool:
    return series_type.casefold().startswith("expression profiling")


_SPECIES = "species of the samples"
_ASSAY = "what the samples were measured by"

_Row = tuple[str, list[str], bool]


def by_sample_species(description: SeriesDescription) -> AssaySign | None:
    """Judge by species and strain; None when they do not decide."""
    # A strain may be the host of a human tumour, so words for xenografts forbid the verdict. One
    # that only some samples have counts only in a series whose texts mention no people.
    signs, rows = load_signs(), list(_rows(description))
    texts = [description.text, *(value for _, values, _ in rows for value in values)]
    xenograft = any(map(signs.pattern("samples", "xenograft").search, texts))
    named = _by_species_row([r for r in rows if not (xenograft and r[0].startswith("host"))])
    if named is not None or xenograft:
        return named
    people = bool(signs.pattern("texts", "human_words").search(description.text))
    findings = (_strain(key, values) for key, values, complete in rows if complete or not people)
    return next(filter(None, findings), None)


def by_sample_assay(description: SeriesDescription) -> AssaySign | None:
    """Judge by rows such as ``molecule: miRNA`` or ``library strategy: ChIP-seq``."""
    # All values of the row must name something other than messenger RNA.
    signs = load_signs()
    keys = signs.pattern("samples", "assay_keys")
    for key, values, complete in _rows(description):
        if not complete or not keys.fullmatch(key):
            continue
        for entry, pattern in signs.with_patterns("samples", "assays"):
            if all(pattern.fullmatch(v) for v in values):
                reason = f"the samples were measured for {entry['measures']}"
                return not_expression(_ASSAY, reason, f"characteristics: {key}: {values[0]}")
    return None


def _rows(description: SeriesDescription) -> Iterator[_Row]:
    """Yield each row's key, its values, and whether every sample has this key."""
    for cells in description.characteristics:
        known = [c for c in cells if c and c.strip()]
        if not known:
            continue
        keys = {c.partition(":")[0].strip().casefold() for c in known if ":" in c}
        if len(keys) == 1:
            values = [c.partition(":")[2].strip() for c in known if ":" in c]
            complete = len(values) == len(cells)
            yield keys.pop(), values, complete
        else:
            yield "", [c.partition(":")[2].strip() or c for c in known], False


def _by_species_row(rows: Sequence[_Row]) -> AssaySign | None:
    signs = load_signs()
    keys = signs.pattern("samples", "species_keys")
    animals = signs.pattern("samples", "animals")
    human = signs.pattern("samples", "human")
    for key, values, complete in rows:
        if not complete or not keys.fullmatch(key):
            continue
        if all(animals.search(v) and not human.search(v) for v in values):
            return not_human(_SPECIES, values[0], f"characteristics: {key}: {values[0]}")
    return None


def _strain(key: str, values: Sequence[str]) -> AssaySign | None:
    signs = load_signs()
    strains, short = (signs.pattern("samples", n) for n in ("strains", "short_strains"))
    under_strain = signs.pattern("samples", "strain_keys").fullmatch(key)
    hits = [v for v in values if strains.search(v) or (under_strain and short.search(v))]
    if not hits or not (under_strain or len(hits) == len(values)):
        return None
    return not_human(_SPECIES, "", f"characteristics name a strain: {key}: {hits[0]}")


_TEXTS = "texts"


def of_primates(description: SeriesDescription) -> AssaySign | None:
    """Judge by apes and monkeys in title or design, for they are measured on human arrays."""
    text = f"{description.title} {description.overall_design}"
    primate = load_signs().pattern("texts", "primates").search(text)
    if primate is None:
        return None
    return not_human(_TEXTS, "", f"title or design mention {primate[0]}")


def by_species_words(description: SeriesDescription) -> AssaySign | None:
    """Judge by sentences that say the samples are an animal's, in texts without people.

    An animal that carries a human tumour, or gave an antibody, serum or feeder cells, is none of
    the samples; nor is one of which a sentence speaks without saying what was sampled or measured.
    """
    signs = load_signs()
    if any(signs.pattern(*path).search(description.text) for path in _PEOPLE):
        return None
    helpers = signs.pattern("texts", "animals_as_helpers")
    animals, sampled = (signs.pattern("texts", name) for name in ("other_species", "sampled"))
    for sentence in (description.title, *_sentences(description)):
        plain = helpers.sub(" ", sentence)
        other = animals.search(plain)
        if other and (sentence == description.title or sampled.search(plain)):
            return not_human(_TEXTS, "", f"the texts mention {other[0]}: {sentence.strip()[:100]}")
    return None


_PEOPLE = (("texts", "human_words"), ("samples", "xenograft"))
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n+")


def _sentences(description: SeriesDescription) -> list[str]:
    texts = (description.summary, description.overall_design)
    return [sentence for text in texts for sentence in _SENTENCE.split(text)]


def by_assay_words(description: SeriesDescription) -> AssaySign | None:
    """Judge by the assays that sentences say were made, where row ids and platform are silent.

    An assay counts where it was made ("circRNA expression profile", "sequencing of miRNAs"), not
    where a text is only about it ("chromatin accessibility governs"), and not next to gene
    expression. Without row ids or a platform, one that is only named counts where the texts say
    nothing of expression.
    """
    signs = load_signs()
    kinds, expression = signs.with_patterns("texts", "kinds"), signs.pattern("texts", "expression")
    titled, title = _made_in(description.title)
    designed, design = _made_in(description.overall_design)
    both = signs.pattern("texts", "expression_too").search(description.text)
    if both or expression.search(title) or expression.search(design):
        return None
    if titled:
        return _about(*titled[0])
    summarised, summary = _made_in(description.summary)
    silent = not (known_ids(description.first_ids) and description.annotation_columns)
    if not silent or expression.search(summary):
        return None
    for what, words in (*designed, *summarised):
        return _about(what, words)
    for entry, pattern in kinds:
        if hit := pattern.search(description.title) or pattern.search(description.text):
            return _about(entry["measures"], hit[0])
    return None


def _made_in(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the assays that a text says were made, with its words, and the text without these."""
    found = list[tuple[str, str]]()
    for entry, pattern in load_signs().with_patterns("texts", "kinds"):
        made = _made(pattern)
        found += [(entry["measures"], hit[0]) for hit in made.finditer(text)]
        text = made.sub(" ", text)
    return found, text


def _about(measures: str, words: str) -> AssaySign:
    shown = f"the texts mention {' '.join(words.split())!r}"
    return not_expression(_TEXTS, f"the series is about {measures}", shown)


@lru_cache(maxsize=64)
def _made(kind: re.Pattern[str]) -> re.Pattern[str]:
    """Return the pattern of an assay that was made: its name next to a word for measuring."""
    names, before, after = (
        kind.pattern, *("|".join(load_signs().value("texts", n)) for n in ("made_of", "made"))
    )  # fmt: skip
    return re.compile(
        rf"(?:{names})[a-z]*(?:[\s-]+(?!genes?\b|m?rnas?\b|transcript)[\w-]+){{0,2}}?[\s-]+"
        rf"(?:{after})"
        rf"|(?:{before})\s+(?:[\w-]+\s+){{0,3}}?(?:{names})",
        re.IGNORECASE,
    )


def word_for_expression(description: SeriesDescription) -> str | None:
    """Return the first words of the texts that speak of gene expression."""
    hit = load_signs().pattern("texts", "expression").search(description.text)
    return hit[0] if hit else None
