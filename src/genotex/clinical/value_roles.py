"""What a single value says about a trait: case, healthy control, other disease, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from genotex.clinical.disease_names import disease_by_ending, ends_like_tumour
from genotex.clinical.judgement import (
    BROADER,
    CONTEXT,
    DENIED,
    HEALTHY,
    INCLUDED,
    LINE,
    NAMED,
    NOTHING,
    ORGAN,
    UNKNOWN,
    Judgement,
)
from genotex.clinical.keys import asks_disease, asks_history, asks_plainly, asks_trait
from genotex.clinical.negation import NAME, Negation
from genotex.clinical.series_context import SeriesContext
from genotex.clinical.vocabulary import TraitWords, Vocabulary, load_vocabulary
from genotex.clinical.wording import Terms, mask, simplify
from genotex.formats.cohort_record import Role

__all__ = ["ValueJudge", "control_role"]

_BESIDE_CONTROL = re.compile(r"\b(?:group|sample|subject|donor|matched|age|sex|number|no|\d+)\b")
_MALIGNANT = re.compile(
    r"cancer|carcinoma|malignan|sarcoma|leukemia|lymphoma|melanoma|blastoma|myeloma|mesothelioma"
)
_HOW_NAMED = {
    NAMED: "names the trait",
    INCLUDED: "names a form of the trait",
    LINE: "names a cell line of the trait",
}
_NO_DISEASE = {"none", "no", "negative", "neg"}
_LABORATORY = {"positive", "pos", "negative", "neg"}
_EMPTY_WORDS = frozenset(
    ["metastatic", "primary", "tumor", "tissue", "patient", "human", "the", "of", "and", "sample"]
)


class ValueJudge:
    """Judges values for one trait in one series.

    Attributes
    ----------
    trait : TraitWords
        How the trait is named.
    series : SeriesContext
        What the texts of the series say.

    Parameters
    ----------
    trait : TraitWords
        How the trait is named.
    vocabulary : Vocabulary
        All other words.
    text : str
        Title, summary and design of the series.
    title : str
        Its title.
    """

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary, title: str, text: str) -> None:
        self.trait = trait
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups
        self._negation = Negation(vocabulary.groups, vocabulary.diseases)
        self.series = SeriesContext(trait, vocabulary, title, text)

    def without_context(self, value: str) -> Judgement:
        """Judge a value that could mean the trait by context, where the row names the trait."""
        if value in self._terms["patient"] and not self._vocabulary.diseases.find(value):
            return UNKNOWN
        return self._other_disease(value) or UNKNOWN

    def could_be(self, value: str) -> bool:
        """Tell whether a value is only a wider word, which may or may not mean the trait."""
        plain = simplify(value)
        rest = mask(plain, self.trait.broader.spans(value)) if self.trait.broader else plain
        return rest != plain and not set(rest.split()) - _EMPTY_WORDS

    def is_cancer(self, value: str) -> bool:
        """Tell whether a value names a cancer."""
        return value in self._terms["cancer"] or ends_like_tumour(value)

    def is_plain_tumour(self, value: str) -> bool:
        """Tell whether a value says tumour or metastasis and no more."""
        plain = simplify(value)
        rest = mask(plain, self._terms["cancer"].spans(value))
        return rest != plain and not set(rest.split()) - _EMPTY_WORDS

    def is_vague(self, value: str) -> bool:
        """Tell whether a value leaves open whether it is the trait."""
        if simplify(value) in _LABORATORY:
            return True
        return value in self._terms["uncertain"] or value in self._terms["patient"]

    def says_only_trait(self, value: str) -> bool:
        """Tell whether a value is the trait's name and nothing else."""
        plain = simplify(value)
        rest = mask(plain, self.trait.terms.spans(value))
        return rest != plain and not set(rest.split()) - _EMPTY_WORDS

    def is_middle(self, value: str) -> bool:
        """Tell whether a value names a middle group of a level."""
        return value in self._terms["middle"]

    def denies(self, value: str, names: Iterable[str]) -> bool:
        """Tell whether a value denies other values ("without severe asthma": "severe asthma")."""
        return self._denied(value, Terms(names))

    def judge(self, value: str, key: str) -> Judgement:
        """Judge one value under its key."""
        value = self._vocabulary.spelling.mended(value)
        plain = simplify(value)
        if self._is_missing(plain):
            return Judgement("unknown", NOTHING, "missing")
        for rule in self._rules:
            judgement = rule(value, plain, key)
            if judgement is not None:
                return judgement
        judgement = self._other_disease(value)
        if judgement is None and (long := self.series.spelt_out(value)) is not None:
            spelt = self.judge(long, key)
            return replace(spelt, why=f"{spelt.why}, as the texts explain {value!r}")
        return judgement or UNKNOWN

    def _is_missing(self, plain: str) -> bool:
        """Tell whether a value says that nothing is known, in one word or in each ("UNK/UNK")."""
        missing = self._vocabulary.missing
        return plain in missing or set(plain.split()) <= missing

    @property
    def _rules(self) -> tuple[Callable[[str, str, str], Judgement | None], ...]:
        return (
            self._answer,
            self._named,
            self._other_control,
            self._organ,
            self._healthy,
            self._by_context,
        )

    def _answer(self, value: str, plain: str, key: str) -> Judgement | None:
        if not asks_trait(self.trait, key):
            return None
        if plain in _LABORATORY and not asks_plainly(self.trait, key):
            return None
        if plain in self._vocabulary.yes:
            return Judgement("case", NAMED, f"{key!r} asks for the trait, {value!r} affirms it")
        if plain in self._vocabulary.no:
            return Judgement(
                "healthy control", NAMED, f"{key!r} asks for the trait, {value!r} denies it"
            )
        return None

    def _named(self, value: str, plain: str, key: str) -> Judgement | None:
        if self._stands(value, self.trait.healthy):
            return self._control(value, self.trait.healthy)
        masked = self._without_near_misses(value, plain)
        for terms, weight in (
            (self.trait.terms, NAMED),
            (self.trait.includes, INCLUDED),
            (self.trait.cell_lines, LINE),
        ):
            spans = [s for s in terms.spans(value) if masked[slice(*s)].strip()]
            if spans:
                return self._judge_name(value, plain, spans[0], terms, weight)
        if masked != plain and value in self._terms["uncertain"]:
            return Judgement("unknown", NOTHING, f"{value!r} leaves open whether it is the trait")
        return None

    def _without_near_misses(self, value: str, plain: str) -> str:
        """Return a value with blanks where it names what only looks like the trait."""
        for terms in (self.trait.excludes, self.trait.near_misses):
            plain = mask(plain, terms.spans(value))
        return plain

    def _judge_name(
        self, value: str, plain: str, span: tuple[int, int], terms: Terms, weight: float
    ) -> Judgement:
        name = plain[slice(*span)]
        denial = self._negation.of(value, terms)
        if denial == "denied":
            return self._denial(value, plain, name, terms)
        if value in self._terms["uncertain"]:
            return Judgement("unknown", NOTHING, f"{value!r} does not say whether it is {name!r}")
        if self._without_disease(value, plain, span):
            return Judgement("healthy control", NAMED, f"{value!r} is tissue without the disease")
        if self.is_relative(value):
            return self._relative(value, name)
        if denial == "open":
            return Judgement("unknown", NOTHING, f"{value!r} may or may not deny {name!r}")
        if self._names_control_group(plain, terms.spans(value)):
            return Judgement("healthy control", DENIED, f"{value!r} names the controls of {name!r}")
        if self._is_benign(value):
            return Judgement("other disease", BROADER, f"{value!r} is benign, no cancer")
        how = _HOW_NAMED[weight]
        return Judgement("case", weight, f"{value!r} {how} ({name!r})")

    def _denial(self, value: str, plain: str, name: str, terms: Terms) -> Judgement:
        """Judge a value that denies the trait, and may name what it is instead."""
        rest = plain
        for start, end in reversed(terms.spans(value)):
            rest = rest[:start] + NAME + rest[end:]
        instead = self._other_disease(rest)
        if instead is not None and not self._healthy_in(value):
            return replace(instead, why=f"{value!r} denies {name!r}; {instead.why}")
        return Judgement("healthy control", DENIED, f"{value!r} denies {name!r}")

    def is_relative(self, value: str) -> bool:
        """Tell whether a value speaks of a patient's relative, whose own health it rarely tells."""
        return value in self._terms["relative"]

    def is_detail(self, value: str) -> bool:
        """Tell whether a value describes patients further: a karyotype, a mutation, a stage."""
        return value in self._terms["detail"]

    def is_doubtful(self, value: str) -> bool:
        """Tell whether a value must stay open whatever stands beside it."""
        return self.is_relative(value) or value in self._terms["uncertain"]

    def _relative(self, value: str, name: str) -> Judgement:
        if self._healthy_in(value):
            return Judgement("healthy control", HEALTHY, f"{value!r} is a healthy relative")
        return Judgement("unknown", NOTHING, f"{value!r} is a relative of someone with {name!r}")

    def _names_control_group(self, plain: str, spans: list[tuple[int, int]]) -> bool:
        """Tell whether a value is "asthma control": the control group of a study of the trait."""
        behind = plain[spans[-1][1] :]
        rest = mask(mask(plain, spans), self._terms["healthy"].spans(plain))
        return behind in self._terms["control_group"] and not _BESIDE_CONTROL.sub("", rest).strip()

    def _is_benign(self, value: str) -> bool:
        """Tell whether a value that names a tumour of the organ is benign all the same."""
        terms = self._terms
        malign = _MALIGNANT.search(simplify(self.trait.name)) or self.trait.sites
        if not malign or not self._stands(value, terms["benign"]) or value in terms["malignant"]:
            return False
        return "benign" in simplify(value).split() or not _MALIGNANT.search(simplify(value))

    def _without_disease(self, value: str, plain: str, span: tuple[int, int]) -> bool:
        """Tell whether a value that names the disease is tissue or a person free of it."""
        if value in self._terms["unaffected_tissue"] or value in self._terms["unlesional"]:
            return True
        return span != (0, len(plain)) and self._healthy_in(plain[: span[0]])

    def _healthy_in(self, text: str) -> bool:
        """Tell whether a text says healthy, "normal weight" and the like aside."""
        plain = simplify(text)
        masked = mask(plain, self._terms["not_healthy"].spans(text))
        return self._stands(text if masked == plain else masked, self._terms["healthy"])

    def _stands(self, value: str, names: Terms) -> bool:
        """Tell whether a value says one of the names without a denial in front."""
        return value in names and not self._negation.directly_before(value, names)

    def _affirmed(self, value: str, names: Terms) -> bool:
        return value in names and self._negation.of(value, names) is None

    def _denied(self, value: str, names: Terms) -> bool:
        return self._negation.of(value, names) == "denied"

    def _other_control(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge "osteoarthritis control": a control with another disease, unless called healthy."""
        if not self._stands(value, self._terms["control_group"]):
            return None
        rest = mask(plain, self._terms["control_group"].spans(value))
        disease = self._other_disease(rest if rest.strip() else value)
        if disease is None or self._stands(rest, self._terms["healthy"]):
            return None
        return replace(disease, why=f"{value!r} is a control with another disease")

    def _organ(self, value: str, plain: str, key: str) -> Judgement | None:
        terms = self._terms
        if not self.trait.is_cancer or value not in self.trait.sites or value in terms["benign"]:
            return None
        span = next(iter(terms["cancer"].spans(value)), None)
        denial = self._negation.of(value, terms["cancer"])
        if denial == "open":
            return Judgement("unknown", NOTHING, f"{value!r} may or may not deny a tumour")
        healthy = span and (
            value in terms["unaffected_tissue"] or self._healthy_in(plain[: span[0]])
        )
        if span and not healthy and denial is None:
            return self._tumour_of_organ(value)
        if denial is None and value in self._vocabulary.diseases and value not in terms["healthy"]:
            return None
        return Judgement("healthy control", 0.9, f"{value!r} is the organ without a tumour")

    def _tumour_of_organ(self, value: str) -> Judgement | None:
        if not self.trait.is_subtype:
            return Judgement("case", ORGAN, f"{value!r} is a tumour of the trait's organ")
        if not self.series.about:
            return Judgement("unknown", NOTHING, f"{value!r} may be another tumour of the organ")
        return Judgement(
            "case", BROADER, f"{value!r} is a tumour of the organ, in a series about the trait"
        )

    def _healthy(self, value: str, plain: str, key: str) -> Judgement | None:
        if self._healthy_in(value):
            return self._control(value, self._terms["healthy"])
        masked = mask(plain, self._terms["not_healthy"].spans(value))
        if (value if masked == plain else masked) in self._terms["unaffected_tissue"]:
            return self._control(value, self._terms["unaffected_tissue"])
        if plain in _NO_DISEASE and self._key_asks_for_disease(key, plain):
            return Judgement("healthy control", HEALTHY, f"{key!r} is {value!r}")
        return None

    def _key_asks_for_disease(self, key: str, answer: str) -> bool:
        if answer in {"negative", "neg"} and not asks_history(key):
            return asks_disease(key) and asks_plainly(self.trait, key)
        return asks_disease(key)

    def _control(self, value: str, terms: Terms) -> Judgement:
        return Judgement(
            "healthy control", HEALTHY, f"{value!r} names a control ({terms.find(value)!r})"
        )

    def _by_context(self, value: str, plain: str, key: str) -> Judgement | None:
        if not self.series.about:
            return None
        terms = self._terms
        if not self.trait.is_cancer:
            if value in terms["unlesional"]:
                return Judgement(
                    "healthy control", HEALTHY, f"{value!r} is skin or tissue not affected"
                )
            if value in terms["lesional"]:
                return Judgement("case", CONTEXT, f"{value!r} in a series about the trait")
        elif self._is_benign(value):
            return Judgement("other disease", BROADER, f"{value!r} is benign, no cancer")
        elif self._affirmed(value, terms["cancer"]) and not self._other_organ(value):
            return Judgement("case", BROADER, f"{value!r} in a series about the trait")
        rest = mask(plain, terms["patient"].spans(value))
        if rest != plain and not re.sub(r"\d+|\bgroup\b|\bsample\b", "", rest).strip():
            return Judgement("case", CONTEXT, f"{value!r} in a series about the trait")
        return None

    def _other_organ(self, value: str) -> bool:
        return value in self._terms["organs"] and value not in self.trait.sites

    def broader(self, value: str, key: str) -> Judgement | None:
        """Judge a value by the trait's wider words, for rows without any exact name."""
        if not (self.series.about or asks_trait(self.trait, key)):
            return None
        masked = self._without_near_misses(value, simplify(value))
        if not any(masked[slice(*span)].strip() for span in self.trait.broader.spans(value)):
            return None
        if value in self._terms["healthy"] or value in self._terms["unaffected_tissue"]:
            return None
        if self._denied(value, self.trait.broader):
            return Judgement("healthy control", HEALTHY, f"{value!r} denies the wider disease")
        return Judgement("case", BROADER, f"{value!r} is a wider name of the trait")

    def _other_disease(self, value: str) -> Judgement | None:
        name = self._vocabulary.diseases.find(value) or disease_by_ending(value)
        if name is None or self._denied(value, self._vocabulary.diseases):
            return None
        return Judgement("other disease", 0.8, f"{value!r} names another disease ({name!r})")


@lru_cache(maxsize=4096)
def control_role(value: str, key: str = "") -> Role:
    """Return the role of a control by its own words, whatever the trait.

    Parameters
    ----------
    value, key : str
        A cell's value and key.

    Returns
    -------
    Role
        "healthy control", "other disease", or "unknown" when the words do not tell.
    """
    vocabulary = load_vocabulary()
    role = ValueJudge(vocabulary.trait(""), vocabulary, "", "").judge(value, key).role
    return role if role in ("healthy control", "other disease") else "unknown"
