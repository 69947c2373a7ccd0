"""What a value can mean, on what ground, and the words of values that decide it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from genotex.clinical.words.lexicon import load_lexicon
from genotex.clinical.words.trait_names import TraitWords
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.clinical.words.wording import Negation, Terms, ends_like_tumour, mask
from genotex.features import simplify
from genotex.formats import Role


class Ground(IntEnum):
    """On what a judgement rests; the number is its rank, the more direct the higher."""

    # A rank is for order alone ("at least a form of the trait"), the name is what was seen.

    NOTHING = 0
    """Nothing was seen."""
    BY_COMPANY = 1
    """Open by itself; decided by the other values of the row."""
    OTHER_CODE = 2
    """A short code that is known for another disease."""
    OTHER_DISEASE = 3
    """Names another disease, without any denial."""
    FREE_ORGAN = 4
    """Names the organ of a cancer and no tumour."""
    BESIDE_CONTROLS = 5
    """Occurs with controls in a series about the trait, and is none of them."""
    HEALTHY = 6
    """A word for healthy, normal, control or tissue next to the tumour."""
    CONTEXT = 7
    """A word for patient or lesion, in a series about the trait."""
    BY_LETTERS = 8
    """A short code whose letters fit the trait's name, in a series about the trait."""
    LINE = 9
    """Names a cell line of the trait."""
    BROADER = 10
    """A wider word for the trait, or tumour in a series about the cancer."""
    INCLUDED = 11
    """Names a form of the trait."""
    DENIED = 12
    """Denies the trait, or names the controls of a study of it."""
    NAMED = 13
    """Names the trait, or answers a key that asks for it."""


Meaning = Literal[
    "case", "healthy control", "other disease", "control without known health", "unknown", "missing"
]
"""What a value means: the four roles of a record, and two that a record calls unknown.

A *control without known health* occurs with cases and is none of them, but whether these people
are healthy is not recorded: it is coded 0 although its role is unknown. *Missing* is a word for
"nothing is known" ("N/A"), which no other value of the row can change; *unknown* has a meaning, but
none for the trait.
"""

_RECORDED: Mapping[Meaning, tuple[Role, float | None]] = {
    "case": ("case", 1.0),
    "healthy control": ("healthy control", 0.0),
    "other disease": ("other disease", 0.0),
    "control without known health": ("unknown", 0.0),
    "unknown": ("unknown", None),
    "missing": ("unknown", None),
}


@dataclass(frozen=True)
class Judgement:
    """What one value means."""

    meaning: Meaning  # What it means
    ground: Ground  # On what that rests
    why: str  # The reason in words

    @classmethod
    def case(cls, why: str, ground: Ground) -> Judgement:
        """Return that a value means a case, and why."""
        return cls("case", ground, why)

    @classmethod
    def healthy(cls, why: str, ground: Ground = Ground.HEALTHY) -> Judgement:
        """Return that a value means a healthy control, and why."""
        return cls("healthy control", ground, why)

    @classmethod
    def other(cls, why: str, ground: Ground = Ground.OTHER_DISEASE) -> Judgement:
        """Return that a value names another disease, and why."""
        return cls("other disease", ground, why)

    @classmethod
    def control(cls, why: str) -> Judgement:
        """Return that a value means a control by its company, whose health is not known."""
        return cls("control without known health", Ground.BY_COMPANY, why)

    @property
    def role(self) -> Role:
        """The role that a record has."""
        return _RECORDED[self.meaning][0]

    @property
    def code(self) -> float | None:
        """Case 1, control 0, None for missing."""
        return _RECORDED[self.meaning][1]

    @property
    def is_open(self) -> bool:
        """Whether nothing was found out, although the value has a meaning."""
        return self.meaning == "unknown"


Judgements = Mapping[str, Judgement]
"""Raw cell -> what it means."""

UNKNOWN = Judgement("unknown", Ground.NOTHING, "has no information about the trait")


def leave_open(why: str) -> Judgement:
    """Return the judgement that a value may or may not mean the trait, and why."""
    return Judgement("unknown", Ground.NOTHING, why)


def best_ground(judgements: Iterable[Judgement]) -> Ground:
    """Return the most direct ground among judgements, `Ground.NOTHING` without any."""
    return max((j.ground for j in judgements), default=Ground.NOTHING)


_BESIDE_CONTROL = re.compile(r"\b(?:group|sample|subject|donor|matched|age|sex|number|no|\d+)\b")
_MALIGNANT = re.compile(
    r"cancer|carcinoma|malignan|sarcoma|leukemia|lymphoma|melanoma|blastoma|myeloma|mesothelioma"
)
# "E285A", "p.Arg528*", "c.120C>A", "m-/p+", "+/-", "-/-", "del exon 46-51", "d32/d32".
_MUTATION = re.compile(
    r"(?<![A-Za-z0-9])(?:p\.)?[A-Z][a-z]{0,2}\d{1,5}(?:[A-Z*][a-z]{0,2}|X|fs)(?![A-Za-z0-9])"
    r"|c\.\S*\d|[-+]\s*/\s*[pm]?-|-\s*/\s*[pm]?[-+]|\bd(?:el)?[A-Z]?\d+[A-Z]?\b|/\s*\+$|\+\s*/\s*[A-Z]"
)
_NO_ILLNESS = re.compile(
    r"\b(?:no|without|free of|free from)(?: \w+){0,3} (?:illness|disease|disorder|diagnosis|"
    r"abnormality|pathology|symptom|complaint)$"
)
_BOTH_ALLELES = re.compile(r"\+\s*/\s*\+|\b(?:wt|WT|N)\s*/\s*(?:wt|WT|N)\b")
# "Normouricemic", "normozoospermia"; not "normoxia".
_NORMAL = re.compile(r"(?<!non )(?<!not )\bnormo(?!x|bar)[a-z]{4,}")
_LONGEST_CODE = 6
_NUMBER = re.compile(r"[0-9][0-9.,%\s]*")
_EMPTY_WORDS = frozenset(
    ["metastatic", "primary", "tumor", "tissue", "patient", "human", "the", "of", "and", "sample"]
)


class ValueWords:
    """Answers questions about the words of values, under any key."""

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary) -> None:
        self.trait = trait
        self.negation = Negation(vocabulary.groups, vocabulary.diseases)
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups

    def has(self, value: str, *groups: str) -> bool:
        """Return whether a value has a word of one of the groups."""
        return any(value in self._terms[group] for group in groups)

    def names_only_control(self, value: str) -> bool:
        """Return whether a value is a word for controls, people and numbers aside."""
        rest = mask(simplify(value), self._terms["healthy"].spans(value))
        rest = mask(rest, self._terms["person"].spans(rest))
        return not re.sub(r"\b(?:no|group|sample|age|sex|matched|and|the|\d+)\b", "", rest).strip()

    def is_mere_number(self, value: str) -> bool:
        """Return whether a value is a number that is no name and no answer, as 1 is."""
        known = self._vocabulary
        return bool(_NUMBER.fullmatch(value)) and value.strip() not in known.yes | known.no

    def is_missing(self, plain: str) -> bool:
        """Return whether each word of a value means that nothing is known ("UNK/UNK")."""
        missing = self._vocabulary.missing
        words = set(plain.split())
        return plain in missing or (words <= missing | {"other"} and not words.isdisjoint(missing))

    def is_unaffected(self, value: str) -> bool:
        """Return whether a value is tissue of patients that their disease spares."""
        if value in self._terms["unlesional"]:
            return True
        named = value in self.trait.terms or value in self.trait.includes
        spared = value in self._terms["unaffected_tissue"] or self.says_healthy(value)
        return named and spared and not self.has(value, "relative")

    def is_healthy_person(self, value: str) -> bool:
        """Return whether a value calls a person healthy: "healthy individual, non-inflamed"."""
        plain = simplify(value)
        before = (plain[:start].split()[-1:] for start, _ in self._terms["person"].spans(value))
        return any(word in self._terms["healthy"] for words in before for word in words)

    def is_test_result(self, plain: str) -> bool:
        """Return whether a value answers a test, be it of a virus, a marker or the trait."""
        return plain in {"positive", "pos", "negative", "neg"}

    def is_vague(self, value: str) -> bool:
        """Return whether a value leaves open whether it is the trait."""
        if self.is_test_result(simplify(value)):
            return True
        return self.has(value, "uncertain", "mixture", "patient")

    def says_only(self, value: str, *names: Terms) -> bool:
        """Return whether a value is one of the names and otherwise words that add nothing."""
        plain = simplify(value)
        rests = [mask(plain, each.spans(value)) for each in names]
        return any(rest != plain and not set(rest.split()) - _EMPTY_WORDS for rest in rests)

    def without(self, value: str, *groups: str) -> str:
        """Return what is left of a value without the words of some groups."""
        plain = simplify(value)
        for group in groups:
            plain = mask(plain, self._terms[group].spans(value))
        return " ".join(plain.split())

    def without_excluded(self, value: str) -> str:
        """Return a value with blanks where it names what only looks like the trait."""
        return mask(simplify(value), self.trait.excludes.spans(value))

    def is_in_other_name(self, span: tuple[int, int], value: str) -> bool:
        """Return whether a name of the trait is part of the name of another organ's disease."""
        if not (self.trait.is_cancer and self.is_of_other_organ(value)):
            return False
        names = self._vocabulary.diseases.spans(value)
        return any(a <= span[0] and span[1] <= b and (a, b) != span for a, b in names)

    def is_mutation(self, value: str) -> bool:
        """Return whether a value means mutated, deleted, or names a mutation ("E285A", "+/-")."""
        return value in self._terms["mutation"] or _MUTATION.search(value) is not None

    def is_wild_type(self, value: str) -> bool:
        """Return whether a value means that a gene is not mutated."""
        return value in self._terms["wild_type"] or _BOTH_ALLELES.search(value) is not None

    def is_cancer(self, value: str) -> bool:
        """Return whether a value names a cancer."""
        return value in self._terms["cancer"] or ends_like_tumour(value)

    def is_benign(self, value: str) -> bool:
        """Return whether a value that names a tumour of the organ is benign all the same."""
        terms = self._terms
        malign = _MALIGNANT.search(simplify(self.trait.name)) or self.trait.sites
        if not malign or not self.asserts(value, terms["benign"]) or value in terms["malignant"]:
            return False
        return "benign" in simplify(value).split() or not _MALIGNANT.search(simplify(value))

    def is_of_other_organ(self, value: str) -> bool:
        """Return whether a value names an organ that is none of the trait's."""
        return value in self._terms["organs"] and value not in self.trait.sites

    def says_healthy(self, text: str) -> bool:
        """Return whether a text means healthy, "normal weight" and the like aside."""
        plain = self.without_norms(text)
        return _NORMAL.search(simplify(plain)) is not None or self.asserts(
            plain, self._terms["healthy"]
        )

    def without_norms(self, text: str) -> str:
        """Return a text with blanks in the place of "normal karyotype" and the like."""
        spans = self._terms["not_healthy"].spans(text)
        return mask(simplify(text), spans) if spans else text

    def names_trait(self, text: str) -> bool:
        """Return whether a text names the trait, a form of it, or a cancer of the trait's organ."""
        trait = self.trait
        organ = trait.is_cancer and text in trait.sites and self.is_cancer(text)
        return text in trait.terms or text in trait.includes or organ

    def names_control_group(self, plain: str, spans: list[tuple[int, int]]) -> bool:
        """Return whether a value is "asthma control": the control group of a study of the trait."""
        behind = plain[spans[-1][1] :]
        rest = mask(mask(plain, spans), self._terms["healthy"].spans(plain))
        return behind in self._terms["control_group"] and not _BESIDE_CONTROL.sub("", rest).strip()

    def asserts(self, value: str, names: Terms) -> bool:
        """Return whether a value has one of the names without a denial in front."""
        return value in names and not self.negation.directly_before(value, names)

    def affirmed(self, value: str, names: Terms) -> bool:
        """Return whether a value has one of the names and denies none."""
        return value in names and self.negation.of(value, names) is None

    def is_without_illness(self, value: str) -> bool:
        """Return whether a value is of someone without any illness ("no neurological disease")."""
        return _NO_ILLNESS.search(simplify(value)) is not None

    def is_denied(self, value: str, names: Terms) -> bool:
        """Return whether a value denies every name it mentions."""
        return self.negation.of(value, names) == "denied"

    def other_disease(self, value: str) -> Judgement | None:
        """Judge a value by any diseases it names."""
        name = self._vocabulary.diseases.find(value)
        if name is None or self.is_denied(value, self._vocabulary.diseases):
            return None
        ground = Ground.OTHER_DISEASE
        if name in self._vocabulary.disease_codes:
            written = re.search(rf"\b{re.escape(name)}\b", value, re.IGNORECASE)
            if written and sum(letter.isupper() for letter in written[0]) < 2:
                return None
            ground = Ground.OTHER_CODE
        return Judgement.other(f"{value!r} names another disease ({name!r})", ground)

    def unrelated_disease(self, value: str) -> Judgement | None:
        """Judge a value by a disease that has no form in common with the trait."""
        name = self._vocabulary.diseases.find(value)
        if name is None or (0, len(name)) in self.trait.broader.spans(name):
            return None
        # The lexicon alone may miss that two names are of one disease: eczema, atopic dermatitis.
        if not (self.trait.is_cancer or self.trait.is_listed):
            return None
        if load_lexicon().overlap(self.trait.name, name):
            return None
        return self.other_disease(value)

    def other_disease_with(self, value: str, key: str) -> Judgement | None:
        """Judge a value that names another disease together with its key: "diabetes: type 1"."""
        words = set(simplify(value).split())
        for text in (f"{value} {key}", f"{key} {value}"):
            name = self._vocabulary.diseases.find(text)
            if name is None or self.names_trait(name):
                continue
            if words and words < set(name.split()):
                return Judgement.other(f"{value!r} under {key!r} names another disease ({name!r})")
        return None
