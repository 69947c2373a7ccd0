"""What a single value says about a trait: case, healthy control, other disease, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from genotex.clinical.values import simple_key
from genotex.clinical.vocabulary import TraitWords, Vocabulary
from genotex.clinical.wording import Terms, simplify
from genotex.formats.cohort_record import Role

__all__ = ["Judgement", "ValueJudge", "strength"]

NAMED = 3.0
ORGAN = 2.8
INCLUDED = 2.4
BROADER = 2.0
CONTEXT = 1.8
NOTHING = 0.0

_QUALIFIED_KEY = re.compile(
    r"family|duration|onset|severity|score|stage|type|treat|therap|medicat|activity|index|grade|"
    r"subtype|drug|course|year|age|relative|mother|father|time|date|count|number|level|lesion|risk|"
    r"response|parent|resist|method|model"
)
_EMPTY_WORDS = {"metastatic", "primary", "tumor", "tissue", "patient", "human", "the", "of", "and"}
_WORDS_BEFORE = 3
_WORDS_AFTER = 2


@dataclass(frozen=True)
class Judgement:
    """The role of one value, how strong the evidence is (0 to 3) and the reason in words."""

    role: Role
    strength: float
    why: str


UNKNOWN = Judgement("unknown", NOTHING, "says nothing about the trait")


def strength(judgements: list[Judgement]) -> float:
    """Return the strongest evidence among judgements."""
    return max((j.strength for j in judgements), default=NOTHING)


class ValueJudge:
    """Judges values for one trait in one series.

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
        self._title = title
        self._text = text

    @cached_property
    def about(self) -> bool:
        """Whether the series is about the trait, so that "patient" or "tumour" can mean it."""
        if self._names_trait(self._title):
            return True
        spans = self.trait.terms.spans(self._text)
        return len(spans) > 1 or (self.trait.is_cancer and self._names_trait(self._text))

    def _names_trait(self, text: str) -> bool:
        trait = self.trait
        if text in trait.terms or text in trait.includes or text in trait.broader:
            return True
        return text in trait.sites and text in self._terms["cancer"]

    def key_asks(self, key: str) -> bool:
        """Tell whether a key asks for the trait, as "hypertension: yes" does."""
        plain = simplify(key)
        named = key in self.trait.terms or key in self.trait.broader
        return named and not _QUALIFIED_KEY.search(plain)

    def without_context(self, value: str) -> Judgement:
        """Judge a value that could mean the trait by context, where the row names the trait."""
        if value in self._terms["patient"] and not self._vocabulary.diseases.find(value):
            return UNKNOWN
        return self._other_disease(value) or UNKNOWN

    def could_be(self, value: str) -> bool:
        """Tell whether a value is only a wider word, which may or may not mean the trait."""
        plain = simplify(value)
        rest = _mask(plain, self.trait.broader.spans(value)) if self.trait.broader else plain
        return rest != plain and not set(rest.split()) - _EMPTY_WORDS

    def is_vague(self, value: str) -> bool:
        """Tell whether a value leaves open whether it is the trait."""
        return value in self._terms["uncertain"] or value in self._terms["patient"]

    def key_names(self, key: str) -> bool:
        """Tell whether a key names the trait at all, as "asthma severity" does."""
        return key in self.trait.terms and "family" not in simple_key(key)

    def judge(self, value: str, key: str) -> Judgement:
        """Judge one value under its key."""
        plain = simplify(value)
        if plain in self._vocabulary.missing:
            return Judgement("unknown", NOTHING, "missing")
        for rule in (self._answer, self._named, self._organ, self._healthy, self._by_context):
            judgement = rule(value, plain, key)
            if judgement is not None:
                return judgement
        return self._other_disease(value) or UNKNOWN

    def _answer(self, value: str, plain: str, key: str) -> Judgement | None:
        if not self.key_asks(key):
            return None
        if plain in self._vocabulary.yes:
            return Judgement("case", NAMED, f"{key!r} asks for the trait, {value!r} affirms it")
        if plain in self._vocabulary.no:
            return Judgement(
                "healthy control", NAMED, f"{key!r} asks for the trait, {value!r} denies it"
            )
        return None

    def _named(self, value: str, plain: str, key: str) -> Judgement | None:
        if value in self.trait.healthy:
            return self._control(value, self.trait.healthy)
        masked = _mask(plain, self.trait.excludes.spans(value))
        for terms, weight in ((self.trait.terms, NAMED), (self.trait.includes, INCLUDED)):
            spans = [s for s in terms.spans(value) if masked[slice(*s)].strip()]
            if spans:
                return self._judge_name(value, plain, spans, weight)
        return None

    def _judge_name(
        self, value: str, plain: str, spans: list[tuple[int, int]], weight: float
    ) -> Judgement:
        name = plain[slice(*spans[0])]
        if all(self._negated(plain, span) for span in spans):
            return Judgement("healthy control", NAMED, f"{value!r} denies {name!r}")
        if value in self._terms["uncertain"]:
            return Judgement("unknown", NOTHING, f"{value!r} does not say whether it is {name!r}")
        before = plain[: spans[0][0]]
        unaffected = self._terms["unaffected_tissue"].find(value) or self._terms["unlesional"].find(
            value
        )
        healthy_first = before in self._terms["healthy"]
        if unaffected or (healthy_first and plain[slice(*spans[0])] != plain):
            return Judgement("healthy control", NAMED, f"{value!r} is tissue without the disease")
        how = "names the trait" if weight == NAMED else "names a form of the trait"
        return Judgement("case", weight, f"{value!r} {how} ({name!r})")

    def _negated(self, plain: str, span: tuple[int, int]) -> bool:
        before = " ".join(plain[: span[0]].split()[-_WORDS_BEFORE:])
        after = " ".join(plain[span[1] :].split()[:_WORDS_AFTER])
        return before in self._terms["negation_before"] or after in self._terms["negation_after"]

    def _organ(self, value: str, plain: str, key: str) -> Judgement | None:
        terms = self._terms
        if not self.trait.is_cancer or value not in self.trait.sites or value in terms["benign"]:
            return None
        span = next(iter(terms["cancer"].spans(value)), None)
        if (
            span is None
            or value in terms["unaffected_tissue"]
            or self._negated(plain, span)
            or plain[: span[0]] in terms["healthy"]
        ):
            if value in self._vocabulary.diseases and value not in terms["healthy"]:
                return None
            return Judgement("healthy control", 0.9, f"{value!r} is the organ without a tumour")
        return Judgement("case", ORGAN, f"{value!r} is a tumour of the trait's organ")

    def _healthy(self, value: str, plain: str, key: str) -> Judgement | None:
        for group in ("healthy", "unaffected_tissue"):
            if value in self._terms[group]:
                return self._control(value, self._terms[group])
        if plain in {"none", "no", "negative"} and asks_disease(key):
            return Judgement("healthy control", 1.0, f"{key!r} is {value!r}")
        return None

    def _control(self, value: str, terms: Terms) -> Judgement:
        return Judgement(
            "healthy control", 1.0, f"{value!r} names a control ({terms.find(value)!r})"
        )

    def _by_context(self, value: str, plain: str, key: str) -> Judgement | None:
        if not self.about:
            return None
        terms = self._terms
        if not self.trait.is_cancer:
            if value in terms["unlesional"]:
                return Judgement(
                    "healthy control", 1.0, f"{value!r} is skin or tissue not affected"
                )
            if value in terms["lesional"]:
                return Judgement("case", CONTEXT, f"{value!r} in a series about the trait")
        elif value in terms["cancer"] and not self._other_organ(value):
            return Judgement("case", BROADER, f"{value!r} in a series about the trait")
        rest = _mask(plain, terms["patient"].spans(value))
        if rest != plain and not re.sub(r"\d+|\bgroup\b|\bsample\b", "", rest).strip():
            return Judgement("case", CONTEXT, f"{value!r} in a series about the trait")
        return None

    def _other_organ(self, value: str) -> bool:
        return value in self._terms["organs"] and value not in self.trait.sites

    def broader(self, value: str, key: str) -> Judgement | None:
        """Judge a value by the trait's wider words, for rows without any exact name."""
        if value not in self.trait.broader or not (self.about or self.key_asks(key)):
            return None
        if value in self._terms["healthy"] or value in self._terms["unaffected_tissue"]:
            return None
        plain = simplify(value)
        if any(self._negated(plain, span) for span in self.trait.broader.spans(value)):
            return Judgement("healthy control", 1.0, f"{value!r} denies the wider disease")
        return Judgement("case", BROADER, f"{value!r} is a wider name of the trait")

    def _other_disease(self, value: str) -> Judgement | None:
        name = self._vocabulary.diseases.find(value) or disease_by_ending(value)
        if name is None:
            return None
        return Judgement("other disease", 0.8, f"{value!r} names another disease ({name!r})")


_ENDING = re.compile(r"\b[a-z]{4,}(?:itis|oma|emia|pathy|plegia|penia|trophy|sclerosis|uria)\b")
_DISEASE_KEY = re.compile(
    r"disease|diagnos|disorder|condition|patholog|status|comorbid|phenotype|illness|history"
)


def disease_by_ending(value: str) -> str | None:
    """Return a word that ends like the name of a disease."""
    hit = _ENDING.search(simplify(value))
    return hit[0] if hit else None


def asks_disease(key: str) -> bool:
    """Tell whether a key asks which disease a sample has."""
    return bool(_DISEASE_KEY.search(simple_key(key)))


def _mask(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
