"""Judging a single value for a trait: case, healthy control, other disease, or unknown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache

from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, ValueWords, leave_open
from genotex.clinical.trait.series_context import SeriesContext
from genotex.clinical.words.keys import (
    INCIDENTAL,
    asks,
    asks_form,
    asks_genotype,
    asks_plainly,
    asks_trait,
    kind_of_key,
    lists_diseases,
    names_trait,
)
from genotex.clinical.words.name_forms import (
    are_initials,
    ends_with_acronym,
    eponym,
    fits_any,
    holds_all_words,
    prefixed_acronym,
    without_glue,
    without_number,
)
from genotex.clinical.words.trait_names import TraitWords
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.clinical.words.wording import NAME, Terms, mask
from genotex.features import simplify
from genotex.formats import Role

_HOW_NAMED = {
    Ground.NAMED: "names the trait",
    Ground.INCLUDED: "names a form of the trait",
    Ground.LINE: "names a cell line of the trait",
}
_NO_DISEASE = {"none", "no", "negative", "neg"}
_CODE_SIGN = re.compile(r"[\s_./,;()-]+")
_MOST_CODES = 3
_SHORT_KEY = 5
_DETAILS_BEHIND = re.compile(r"[,;(]")
_KARYOTYPE = re.compile(r"4[5-9], ?X\S*")
# "45 x syndrome", "trisomy 21".
_OF_CHROMOSOMES = re.compile(r"\b4[5-9] ?x|\b(?:mono|tri|tetra)somy\b|\bx\w* 4[5-9]\b")
_NORMAL_KARYOTYPE = re.compile(r"46, ?X[XY]")
_OTHER_ILLNESS = re.compile(r"other (?:\w+ ){0,2}(?:illness|disease|disorder|infection|condition)")
_LONGEST_CODE = 6
_LONGEST_PART = 3


def _is_code(word: str) -> bool:
    """Return whether a word looks like an abbreviation: short, with two capitals at least."""
    return len(word) <= _LONGEST_CODE and sum(letter.isupper() for letter in word) > 1


class ValueJudge:
    """Judges values for one trait in one series."""

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary, title: str, text: str) -> None:
        self.trait, self.text = trait, text
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups
        self.words = ValueWords(trait, vocabulary)
        self.series = SeriesContext(trait, vocabulary, title, text)

    def judge(self, value: str, key: str) -> Judgement:
        """Judge one value under its key."""
        if self.words.is_mere_number(value):
            return UNKNOWN
        # What the series' own texts define a value to mean comes before what the vocabulary
        # knows ("CD" is Canavan disease where they define it so), but for names of the trait in a
        # series about it.
        value = without_glue(self._vocabulary.spelling.mended(value), self.series.acronyms)
        if self.words.is_missing(simplify(value)) and not self.words.is_wild_type(value):
            return Judgement("missing", Ground.NOTHING, "missing")
        judgement = self._judge_words(value, key)
        long = self.series.spelt_out(value)
        if long is None:
            return judgement
        spelt = self._judge_words(long, key)
        if judgement.ground == Ground.CONTEXT and not self.words.names_trait(long):
            instead = self.words.other_disease(long)
            if instead is not None and instead.ground == Ground.OTHER_DISEASE:
                return self._as_explained(instead, value)
        if judgement.meaning == "case" and self.series.about:
            other = (
                spelt.ground == Ground.OTHER_DISEASE
                and judgement.ground == Ground.NAMED
                and not self.words.names_trait(long)
            )
            return self._as_explained(spelt, value) if other else judgement
        return judgement if spelt.meaning == "unknown" else self._as_explained(spelt, value)

    @staticmethod
    def _as_explained(spelt: Judgement, value: str) -> Judgement:
        return replace(spelt, why=f"{spelt.why}, as the texts explain {value!r}")

    def _judge_words(self, value: str, key: str) -> Judgement:
        plain = simplify(value)
        for rule in self._rules:
            judgement = rule(value, plain, key)
            if judgement is not None:
                return judgement
        return self._with_key(value, key) or self.words.other_disease(value) or UNKNOWN

    def _with_key(self, value: str, key: str) -> Judgement | None:
        """Judge a value that names the trait together with its key: "diabetes: type 2"."""
        if len(value.split()) > _LONGEST_PART or kind_of_key(key) in INCIDENTAL:
            return None
        for text in (f"{value} {key}", f"{key} {value}"):
            spans = self.trait.terms.spans(text)
            if spans and key not in self.trait.terms and value not in self.trait.terms:
                return Judgement.case(f"{value!r} under {key!r} names the trait", Ground.NAMED)
        return self.words.other_disease_with(value, key)

    @cached_property
    def _rules(self) -> tuple[Callable[[str, str, str], Judgement | None], ...]:
        return (
            self._answer,
            self._named,
            self._other_form,
            self._karyotype,
            self._genotype,
            self._other_control,
            self._organ,
            self._healthy,
            self._by_context,
            self._by_letters,
        )

    def _answer(self, value: str, plain: str, key: str) -> Judgement | None:
        if not asks_trait(self.trait, key):
            return None
        if self.words.is_test_result(plain) and not asks_plainly(self.trait, key):
            return None
        plain = simplify(_DETAILS_BEHIND.split(value)[0]) or plain
        if plain in self._vocabulary.yes or value in self._terms["high"]:
            return Judgement.case(f"{key!r} asks for the trait, {value!r} affirms it", Ground.NAMED)
        if plain in self._vocabulary.no or value in self._terms["low"]:
            return Judgement.healthy(
                f"{key!r} asks for the trait, {value!r} denies it", Ground.NAMED
            )
        return None

    def _named(self, value: str, plain: str, key: str) -> Judgement | None:
        if self.words.asserts(value, self.trait.healthy):
            return self._control(value, self.trait.healthy)
        masked = self.words.without_excluded(value)
        for terms, ground in (
            (self.trait.terms, Ground.NAMED),
            (self.trait.includes, Ground.INCLUDED),
            (self.trait.cell_lines, Ground.LINE),
        ):
            spans = [s for s in terms.spans(value) if masked[slice(*s)].strip()]
            if spans and self.words.is_in_other_name(spans[0], value):
                return self.words.other_disease(value)
            if spans:
                return self._judge_name(value, plain, spans[0], terms, ground)
        if masked != plain and value in self._terms["uncertain"]:
            return leave_open(f"{value!r} leaves open whether it is the trait")
        return None

    def _other_form(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge "cSLE", and all words of a name in another order."""
        if _OTHER_ILLNESS.fullmatch(plain):
            return Judgement.other(f"{value!r} is something else")
        acronyms = self.series.acronyms
        form = prefixed_acronym(value, acronyms) or eponym(value, self.trait.names)
        if form is None and names_trait(self.trait, key) and ends_with_acronym(value, acronyms):
            form = value
        if form is None and not holds_all_words(value, self.trait):
            return None
        words = self.words
        if words.says_healthy(value) or words.has(plain, "negation_before", "negation_after"):
            return None
        why = (
            f"{value!r} is a form of the trait" if form else f"{value!r} has all words of its name"
        )
        return Judgement.case(why, Ground.INCLUDED if form else Ground.NAMED)

    def _genotype(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge a genotype of the gene that is the disease when mutated."""
        of_gene, ground = key in self.trait.genes, Ground.INCLUDED
        if not of_gene and not asks_genotype(key):
            return None
        if not of_gene and value not in self.trait.genes:
            if self.trait.is_cancer or not self.series.names_gene(key):
                return None
            ground = Ground.CONTEXT
        if self.words.is_wild_type(value) or self.words.has(value, "repaired"):
            return Judgement.healthy(f"{value!r} is no mutation")
        if self.words.says_healthy(value) or not self.words.is_mutation(value):
            return None
        return Judgement.case(f"{value!r} is a mutation of the trait's gene", ground)

    def _karyotype(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge "46,XX" and "47,XXY" in a series about a disease of chromosomes."""
        if not _KARYOTYPE.fullmatch(value) or not self.series.names_trait:
            return None
        if not any(_OF_CHROMOSOMES.search(simplify(name)) for name in self.trait.names):
            return None
        if _NORMAL_KARYOTYPE.fullmatch(value):
            return Judgement.healthy(f"{value!r} is a normal karyotype")
        return Judgement.case(f"{value!r} is no normal karyotype", Ground.CONTEXT)

    def _judge_name(
        self, value: str, plain: str, span: tuple[int, int], terms: Terms, ground: Ground
    ) -> Judgement:
        name = plain[slice(*span)]
        denial = self.words.negation.of(value, terms)
        # "non-metastatic prostate cancer" denies the spread, not the cancer.
        rest = plain.replace(f"non {name.split()[0]} ", "")
        if denial == "denied" and self.words.affirmed(rest, terms) and rest != plain:
            return Judgement.case(f"{value!r} is a form of {terms.find(rest)!r}", ground)
        if denial == "denied":
            return self._denial(value, plain, name, terms)
        if value in self._terms["uncertain"]:
            return leave_open(f"{value!r} does not state whether it is {name!r}")
        before = span != (0, len(plain)) and self.words.says_healthy(plain[: span[0]])
        if before or self.words.has(value, "unaffected_tissue", "unlesional"):
            return Judgement.healthy(f"{value!r} is tissue without the disease", Ground.NAMED)
        if self.words.has(mask(plain, terms.spans(value)), "relative"):
            if self.words.says_healthy(value):
                return Judgement.healthy(f"{value!r} is a healthy relative")
            return leave_open(f"{value!r} is a relative of someone with {name!r}")
        if self.words.has(value, "repaired"):
            return Judgement.healthy(f"{value!r} is {name!r}, corrected", Ground.DENIED)
        if denial == "open":
            return leave_open(f"{value!r} may or may not deny {name!r}")
        if plain[: span[0]].split()[-1:] in (["pre"], ["post"]):
            return leave_open(f"{value!r} is not {name!r} yet, or no longer")
        if self.words.names_control_group(plain, terms.spans(value)):
            return Judgement.healthy(f"{value!r} names the controls of {name!r}", Ground.DENIED)
        if self.words.is_benign(value):
            return Judgement.other(f"{value!r} is benign, no cancer")
        how = _HOW_NAMED[ground]
        return Judgement.case(f"{value!r} {how} ({name!r})", ground)

    def _denial(self, value: str, plain: str, name: str, terms: Terms) -> Judgement:
        """Judge a value that denies the trait, and may name what it is instead."""
        rest = plain
        for start, end in reversed(terms.spans(value)):
            rest = rest[:start] + NAME + rest[end:]
        instead = self.words.other_disease(rest)
        if instead is not None and not self.words.says_healthy(value):
            return replace(instead, why=f"{value!r} denies {name!r}; {instead.why}")
        return Judgement.healthy(f"{value!r} denies {name!r}", Ground.DENIED)

    def _other_control(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge "osteoarthritis control": a control with another disease, unless called healthy."""
        if not self.words.asserts(value, self._terms["control_group"]):
            return None
        rest = mask(plain, self._terms["control_group"].spans(value))
        disease = self.words.other_disease(rest) or self.words.other_disease(value)
        if disease is None or self.words.asserts(rest, self._terms["healthy"]):
            return None
        return replace(disease, why=f"{value!r} is a control with another disease")

    def _organ(self, value: str, plain: str, key: str) -> Judgement | None:
        terms = self._terms
        if not self.trait.is_cancer or value not in self.trait.sites or value in terms["benign"]:
            return None
        span = next(iter(terms["cancer"].spans(value)), None)
        denial = self.words.negation.of(value, terms["cancer"])
        says_healthy = self.words.says_healthy
        spared = span and (value in terms["unaffected_tissue"] or says_healthy(plain[: span[0]]))
        tumour = span and not spared and denial is None
        disease = value in self._vocabulary.diseases and value not in terms["healthy"]
        if not tumour and denial is None and disease:
            return None
        if tumour or (asks(key, "where a tumour began") and not says_healthy(value)):
            is_open = self.trait.is_subtype and not self.series.about
            return leave_open(f"{value!r} may be another tumour of the organ") if is_open else None
        return Judgement.healthy(f"{value!r} is the organ without a tumour", Ground.FREE_ORGAN)

    def _healthy(self, value: str, plain: str, key: str) -> Judgement | None:
        without_norms = self.words.without_norms(value)
        if self.words.says_healthy(value):
            return self._control(value, self._terms["healthy"])
        kind = "unaffected_tissue" if self.trait.is_cancer else "no_lesion"
        if without_norms in self._terms[kind]:
            return self._control(value, self._terms[kind])
        if plain == "donor" or self.words.is_without_illness(value):
            return Judgement.healthy(f"{value!r} has no known disease")
        if plain not in _NO_DISEASE:
            return None
        of_test = plain in {"negative", "neg"} and not asks(key, "other diseases")
        asked = asks(key, "a disease") and (not of_test or asks_plainly(self.trait, key))
        if asked or asks_form(self.trait, key):
            return Judgement.healthy(f"{key!r} is {value!r}")
        return None

    def _control(self, value: str, terms: Terms) -> Judgement:
        return Judgement.healthy(f"{value!r} names a control ({terms.find(value)!r})")

    def _by_context(self, value: str, plain: str, key: str) -> Judgement | None:
        if not self.series.about or value in self.trait.excludes or kind_of_key(key) == "outcome":
            return None
        terms, words = self._terms, self.words
        if not self.trait.is_cancer:
            if value in terms["unlesional"]:
                return Judgement.healthy(f"{value!r} is skin or tissue not affected")
            if value in terms["lesional"]:
                return Judgement.case(f"{value!r} in a series about the trait", Ground.CONTEXT)
        elif words.is_benign(value):
            return Judgement.other(f"{value!r} is benign, no cancer")
        elif (
            plain == "ca"
            or (words.affirmed(value, terms["metastasis"]) and words.other_disease(value) is None)
            or (
                words.affirmed(value, terms["cancer"])
                and not words.is_of_other_organ(value)
                and not (self._vocabulary.diseases.find(value) or "").startswith("primary ")
            )
        ):
            return Judgement.case(f"{value!r} in a series about the trait", Ground.BROADER)
        rest = mask(plain, terms["patient"].spans(value))
        if rest != plain and not re.sub(r"\d+|\bgroup\b|\bsample\b", "", rest).strip():
            return Judgement.case(f"{value!r} in a series about the trait", Ground.CONTEXT)
        return None

    def _by_letters(self, value: str, plain: str, key: str) -> Judgement | None:
        """Judge a short code ("HCC12", "pSS_3") by whether its letters fit the trait's name."""
        named = self.series.names_trait
        if not (named or lists_diseases(key)) or self.series.spelt_out(value) is not None:
            return None
        if kind_of_key(key) in ("never", "treatment", "relatives") or asks_genotype(key):
            return None
        parts = [part for part in _CODE_SIGN.split(value) if part]
        if not 0 < len(parts) <= _MOST_CODES:
            return None
        codes = [without_number(part) for part in parts]
        of_key = next((word for word in _CODE_SIGN.split(key) if len(word) < _SHORT_KEY), "")
        if len(codes) == 1 and of_key and fits_any(f"{codes[0]}{of_key}", self.trait.names[:1]):
            why = f"{value!r} with {of_key!r} fits the letters of the trait"
            return Judgement.case(why, Ground.BY_LETTERS)
        if not _is_code(codes[0]):
            return None
        if not named and not are_initials(codes[0], self.trait.names):
            return None
        if (
            not fits_any(codes[0], (*self.trait.names, *self.series.forms))
            or codes[0] in self._terms["healthy"]
        ):
            return None
        return Judgement.case(f"{value!r} fits the letters of the trait", Ground.BY_LETTERS)

    def broader(self, value: str, key: str) -> Judgement | None:
        """Judge a value by the trait's wider words, for rows without any exact name."""
        if not (self.series.about or asks_trait(self.trait, key)):
            return None
        spans = self.trait.broader.spans(value)
        masked = self.words.without_excluded(value) if spans else ""
        if not any(masked[slice(*span)].strip() for span in spans):
            return None
        if value in self._terms["healthy"] or value in self._terms["unaffected_tissue"]:
            return None
        if self.words.is_denied(value, self.trait.broader):
            return Judgement.healthy(f"{value!r} denies the wider disease")
        return Judgement.case(f"{value!r} is a wider name of the trait", Ground.BROADER)


def control_role(value: str, key: str = "", vocabulary: Vocabulary | None = None) -> Role:
    """Return the role of a control by its own words, for any trait."""
    return _control_role(value, key, vocabulary or load_vocabulary())


@lru_cache(maxsize=4096)
def _control_role(value: str, key: str, vocabulary: Vocabulary) -> Role:
    role = ValueJudge(vocabulary.trait(""), vocabulary, "", "").judge(value, key).role
    return role if role in ("healthy control", "other disease") else "unknown"
