"""What words a value says: plain questions about one value, for one trait."""

from __future__ import annotations

import re
from collections.abc import Iterable

from genotex.clinical.trait.judgement import Ground, Judgement
from genotex.clinical.words.disease_names import disease_by_ending, ends_like_tumour
from genotex.clinical.words.negation import Negation
from genotex.clinical.words.vocabulary import TraitWords, Vocabulary
from genotex.clinical.words.wording import Terms, mask, simplify

__all__ = ["ValueWords"]

_BESIDE_CONTROL = re.compile(r"\b(?:group|sample|subject|donor|matched|age|sex|number|no|\d+)\b")
_MALIGNANT = re.compile(
    r"cancer|carcinoma|malignan|sarcoma|leukemia|lymphoma|melanoma|blastoma|myeloma|mesothelioma"
)
# "E285A", "p.Arg528*", "c.120C>A", "m-/p+", "+/-", "-/-", "del exon 46-51", "d32/d32".
_MUTATION = re.compile(
    r"(?<![A-Za-z0-9])(?:p\.)?[A-Z][a-z]{0,2}\d{1,5}(?:[A-Z*][a-z]{0,2}|X|fs)(?![A-Za-z0-9])"
    r"|c\.\S*\d|[-+]\s*/\s*[pm]?-|-\s*/\s*[pm]?[-+]|\bd(?:el)?\d+\b|/\s*\+$|\+\s*/\s*[A-Z]"
)
_BOTH_ALLELES = re.compile(r"\+\s*/\s*\+")
_TEST_RESULTS = {"positive", "pos", "negative", "neg"}
_EMPTY_WORDS = frozenset(
    ["metastatic", "primary", "tumor", "tissue", "patient", "human", "the", "of", "and", "sample"]
)


class ValueWords:
    """Answers questions about the words of values, whatever key they stand under.

    Parameters
    ----------
    trait : TraitWords
        How the trait is named.
    vocabulary : Vocabulary
        All other words.
    """

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary) -> None:
        self.trait = trait
        self.negation = Negation(vocabulary.groups, vocabulary.diseases)
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups

    def is_missing(self, plain: str) -> bool:
        """Tell whether a value says that nothing is known, in each word ("UNK/UNK", "other/NA")."""
        missing = self._vocabulary.missing
        words = set(plain.split())
        return plain in missing or (words <= missing | {"other"} and not words.isdisjoint(missing))

    def is_relative(self, value: str) -> bool:
        """Tell whether a value speaks of a patient's relative, whose own health it rarely tells."""
        return value in self._terms["relative"]

    def is_detail(self, value: str) -> bool:
        """Tell whether a value describes patients further: a karyotype, a mutation, a stage."""
        return value in self._terms["detail"]

    def is_doubtful(self, value: str) -> bool:
        """Tell whether a value must stay open whatever stands beside it."""
        return self.is_relative(value) or value in self._terms["uncertain"]

    def is_test_result(self, plain: str) -> bool:
        """Tell whether a value answers a test, be it of a virus, a marker or the trait."""
        return plain in _TEST_RESULTS

    def is_vague(self, value: str) -> bool:
        """Tell whether a value leaves open whether it is the trait."""
        if self.is_test_result(simplify(value)):
            return True
        groups = ("uncertain", "mixture", "patient")
        return any(value in self._terms[group] for group in groups)

    def is_middle(self, value: str) -> bool:
        """Tell whether a value names a middle group of a level."""
        return value in self._terms["middle"]

    def could_be(self, value: str) -> bool:
        """Tell whether a value is only a wider word, which may or may not mean the trait."""
        return _says_only(value, self.trait.broader)

    def says_only_trait(self, value: str) -> bool:
        """Tell whether a value is the trait's name and nothing else."""
        return _says_only(value, self.trait.terms)

    def without_near_misses(self, value: str, plain: str) -> str:
        """Return a value with blanks where it names what only looks like the trait."""
        for terms in (self.trait.excludes, self.trait.near_misses):
            plain = mask(plain, terms.spans(value))
        return plain

    def is_repaired(self, value: str) -> bool:
        """Tell whether a value says that a mutation was corrected."""
        return value in self._terms["repaired"]

    def is_mutation(self, value: str) -> bool:
        """Tell whether a value says mutated, deleted, or writes a mutation ("E285A", "+/-")."""
        return value in self._terms["mutation"] or _MUTATION.search(value) is not None

    def is_wild_type(self, value: str) -> bool:
        """Tell whether a value says that a gene is not mutated."""
        return value in self._terms["wild_type"] or _BOTH_ALLELES.search(value) is not None

    def is_cancer(self, value: str) -> bool:
        """Tell whether a value names a cancer."""
        return value in self._terms["cancer"] or ends_like_tumour(value)

    def is_plain_tumour(self, value: str) -> bool:
        """Tell whether a value says tumour or metastasis and no more."""
        return _says_only(value, self._terms["cancer"])

    def is_benign(self, value: str) -> bool:
        """Tell whether a value that names a tumour of the organ is benign all the same."""
        terms = self._terms
        malign = _MALIGNANT.search(simplify(self.trait.name)) or self.trait.sites
        if not malign or not self.stands(value, terms["benign"]) or value in terms["malignant"]:
            return False
        return "benign" in simplify(value).split() or not _MALIGNANT.search(simplify(value))

    def is_of_other_organ(self, value: str) -> bool:
        """Tell whether a value names an organ that is none of the trait's."""
        return value in self._terms["organs"] and value not in self.trait.sites

    def says_healthy(self, text: str) -> bool:
        """Tell whether a text says healthy, "normal weight" and the like aside."""
        return self.stands(self.without_norms(text), self._terms["healthy"])

    def without_norms(self, text: str) -> str:
        """Return a text with blanks where it says "normal karyotype" and the like."""
        spans = self._terms["not_healthy"].spans(text)
        return mask(simplify(text), spans) if spans else text

    def names_trait(self, text: str) -> bool:
        """Tell whether a text names the trait, a form of it, or a cancer of the trait's organ."""
        trait = self.trait
        organ = trait.is_cancer and text in trait.sites and self.is_cancer(text)
        return text in trait.terms or text in trait.includes or organ

    def names_control_group(self, plain: str, spans: list[tuple[int, int]]) -> bool:
        """Tell whether a value is "asthma control": the control group of a study of the trait."""
        behind = plain[spans[-1][1] :]
        rest = mask(mask(plain, spans), self._terms["healthy"].spans(plain))
        return behind in self._terms["control_group"] and not _BESIDE_CONTROL.sub("", rest).strip()

    def stands(self, value: str, names: Terms) -> bool:
        """Tell whether a value says one of the names without a denial in front."""
        return value in names and not self.negation.directly_before(value, names)

    def affirmed(self, value: str, names: Terms) -> bool:
        """Tell whether a value says one of the names and denies none."""
        return value in names and self.negation.of(value, names) is None

    def is_denied(self, value: str, names: Terms) -> bool:
        """Tell whether a value denies every name it mentions."""
        return self.negation.of(value, names) == "denied"

    def denies(self, value: str, names: Iterable[str]) -> bool:
        """Tell whether a value denies other values ("without severe asthma": "severe asthma")."""
        return self.is_denied(value, Terms(names))

    def other_disease(self, value: str) -> Judgement | None:
        """Judge a value by the diseases it names, whichever they are."""
        name = self._vocabulary.diseases.find(value) or disease_by_ending(value)
        if name is None or self.is_denied(value, self._vocabulary.diseases):
            return None
        return Judgement(
            "other disease", Ground.OTHER_DISEASE, f"{value!r} names another disease ({name!r})"
        )


def _says_only(value: str, names: Terms) -> bool:
    """Tell whether a value is one of the names and, beside it, only words that add nothing."""
    plain = simplify(value)
    rest = mask(plain, names.spans(value))
    return rest != plain and not set(rest.split()) - _EMPTY_WORDS
