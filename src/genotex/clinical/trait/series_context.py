"""The texts of a series, for one trait: abbreviations, and whether it is about it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from genotex.clinical.words.keys import asks_genotype
from genotex.clinical.words.name_forms import holds_all_words, in_order
from genotex.clinical.words.trait_names import TraitWords
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.clinical.words.wording import Terms, ends_like_tumour
from genotex.features import load_wording, simplify

# "HC (healthy controls)", "HC = healthy controls", "TD: typically developing".
_EXPLAINED = re.compile(
    r"(?<![\w-])(?P<short>[A-Za-z]?[\w/+-]{0,8}[A-Z])\s*"
    r"(?:\(\s*(?P<inside>[A-Za-z][^().;:\n]{3,80})\)|[=:]\s*(?P<behind>[A-Za-z][^().;:=,\n]{3,80}))"
)
_IN_WORD = re.compile(r"[^\W_]|['\u2018\u2019]")
_IN_PARENTHESES = re.compile(r"\(\s*([A-Za-z][\w/+-]{1,9})\s*[);,]")
_CLAUSE_BREAK = re.compile(r"[().;:\n]")
_SHORTEST_CLAUSE = 3
_LONGEST_CLAUSE = 160


def explained_abbreviations(text: str) -> dict[str, str]:
    """Return the abbreviations that a text explains, with their long forms."""
    # The method of Schwartz and Hearst (Pacific Symposium on Biocomputing 8, 2003, 451-462): the
    # letters of the short form, read backwards, must occur in the words before the parenthesis, its
    # first letter at the beginning of a word.
    found: dict[str, str] = {}
    for before, short in _parentheses(text):
        if short in found or not any(letter.isupper() for letter in short):
            continue
        letters = sum(letter.isalnum() for letter in short)
        words = re.findall(r"\S+", before)[-min(letters + 5, 2 * letters) :]
        long = _long_form(short, " ".join(words))
        if long is not None:
            found[short] = _with_first_words(short, long, words)
    for hit in _EXPLAINED.finditer(text):
        short, long = hit["short"], (hit["inside"] or hit["behind"]).strip()
        same_start = short[0].lower() == long[0].lower()
        if short not in found and same_start and _long_form(short, long) is not None:
            found[short] = long
    return found


def _parentheses(text: str) -> Iterator[tuple[str, str]]:
    """Yield short words in parentheses, each with what is in front of it in its clause."""
    end = 0
    for hit in _IN_PARENTHESES.finditer(text):
        start = max(end, hit.start() - _LONGEST_CLAUSE)
        before = _CLAUSE_BREAK.split(text[start : hit.start()])[-1]
        if len(before) >= _SHORTEST_CLAUSE:
            end = hit.end()
            yield before, hit[1]


def _long_form(short: str, before: str) -> str | None:
    place = len(before)
    letters = [letter.lower() for letter in short if letter.isalnum()]
    lower = before.lower()
    for number, letter in reversed(list(enumerate(letters))):
        place = lower.rfind(letter, 0, place)
        # The "s" behind an apostrophe begins no word.
        while number == 0 and place > 0 and _IN_WORD.match(lower[place - 1]):
            place = lower.rfind(letter, 0, place)
        if place < 0:
            return None
    long = before[place:].strip()
    return long if len(long) > len(short) else None


def _with_first_words(short: str, long: str, words: Sequence[str]) -> str:
    """Return a long form with words before it whose first letters fit as well ("SSPE")."""
    # Read backwards, "sclerosing panencephalitis" has all letters already.
    number = len(long.split())
    for place in range(len(words) - number - 1, -1, -1):
        initials = (word[0].lower() for word in words[place:] if word[:1].isalnum())
        if words[place][0].lower() != short[0].lower() or not in_order(initials, short.lower()):
            break
        long = " ".join(words[place:])
    return long


_CLAUSE = re.compile(r"[.,;:()\[\]\n]")


_NEAR = 3
"""Words before a tumour that may name its organ."""
_PATIENTS_WITH = re.compile(
    r"\b(?:patient|people|subject|individual|person|child|children|women|men|adult|infant|case|"
    r"donor|cohort)s?(?: \w+)? (?:with|having|suffering from|affected by|diagnosed with|who have)"
    r"(?: \w+){0,2} $"
)


_MOLECULE = re.compile(r"(?:regulator|protein|receptor|antigen|factor|kinase|gene|antibody)s?$")
"""Ends of long forms that may hold the name of a disease and are none ("CFTR")."""
_LONGEST_SENTENCE = 40
_SENTENCE = re.compile(r"[.;:](?:\s|$)|\n")
_EXCLUDED = re.compile(r"\b(?:exclu(?:ded|sion|ding)|removed|ruled out)\b", re.IGNORECASE)
_CODE = re.compile(r"[\w+-]+")
_TRIAL = re.compile(r"\b(?:randomi[sz]ed|placebo|clinical trial|phase (?:i+|[1-4])|arms?)\b", re.I)
_ALL_PATIENTS = re.compile(
    r"\ball (?:\w+ ){0,2}(?:patient|participant|subject|sample|case|individual|tumou?r|donor)s?\b",
    re.IGNORECASE,
)


# "1 = controls", "group 2 (patients)"; "patients (group 2)"; "adenoma (NF)".
_LEGEND_CODE = re.compile(r"[A-Za-z0-9+-]{1,5}")
_LONGEST_LEGEND = 8
_MEANT = re.compile(
    r"(?:\s*[=:]\s*|\s?\(\s*)([A-Za-z][^,;:=()\[\]\n]{1,80}?)"
    r"(?=\s*(?:[,;.()\n]|(?:and|or|vs\.?|versus)\s+(?:[Gg]roup\s)?\S+\s*[=:(]|$))"
)
_ENDS_PARENTHESIS = re.compile(r"\s*[);,]")
_BETWEEN_WORDS = re.compile(r"([\s_,;/()]+)")


class SeriesContext:
    """The texts of one series, read for one trait."""

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary, title: str, text: str) -> None:
        self._trait = trait
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups
        self._title = title
        self._text = text

    @cached_property
    def about(self) -> bool:
        """Whether the series is about the trait, so that "patient" or "tumour" can mean it."""
        if self.in_title or self.mentions > 1 or self.has_patients:
            return True
        trait = self._trait
        return trait.is_cancer and not trait.is_subtype and self._names_trait(self._text)

    @cached_property
    def names_trait(self) -> bool:
        """Whether title, summary or design name the trait at all."""
        return self.about or self.mentions > 0

    def names_gene(self, key: str) -> bool:
        """Whether a key asks for the genotype of a gene, where the texts name it and the trait."""
        if not (self.names_trait and asks_genotype(key)):
            return False
        words = {word for word in re.findall(r"\w+", key) if not asks_genotype(word)}
        return any(re.search(rf"\b{word}\b", self._text, re.IGNORECASE) for word in words)

    def has_disease_of(self, value: str) -> bool:
        """Return whether title, summary or design name the disease that a value names."""
        name = self._vocabulary.diseases.find(value)
        if name is None or name in load_wording()["names"]["generic"]:
            return False
        return re.search(rf"\b{re.escape(name)}\b", simplify(self._text)) is not None

    @cached_property
    def in_title(self) -> bool:
        """Whether the title of the series names the trait, a form of it or a wider word."""
        return self._names_trait(self._title)

    @cached_property
    def mentions(self) -> int:
        """How often title, summary and design name the trait, a form of it, or its abbreviation."""
        trait = self._trait
        short = self._explained(trait.terms) | self._explained(trait.includes)
        text = self._included
        words = _CODE.findall(text)
        codes = sum(word in short or word.rstrip("s") in short for word in words)
        return len(trait.terms.spans(text)) + len(trait.includes.spans(text)) + codes

    @cached_property
    def acronyms(self) -> frozenset[str]:
        """Abbreviations of the trait: those that are known, and those that the texts explain."""
        return self._trait.acronyms | self._explained(self._trait.terms)

    def _explained(self, names: Terms) -> frozenset[str]:
        return frozenset(short for short, long in self._abbreviations.items() if long in names)

    @cached_property
    def _included(self) -> str:
        """The texts without sentences about who was excluded."""
        if not _EXCLUDED.search(self._text):
            return self._text
        sentences = re.split(r"(?<=[.;])\s", self._text)
        return " ".join(s for s in sentences if not _EXCLUDED.search(s))

    @cached_property
    def all_have_it(self) -> bool:
        """Whether the texts speak of what all patients, or all samples, have."""
        return _ALL_PATIENTS.search(self._text) is not None

    @cached_property
    def is_trial(self) -> bool:
        """Whether the texts speak of a trial, whose controls are patients."""
        return _TRIAL.search(self._text) is not None

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Forms of the trait that the texts name, for which codes of values may stand."""
        plain = simplify(self._text)
        spans = self._trait.includes.spans(self._text)
        return tuple(dict.fromkeys(plain[slice(*span)] for span in spans))

    @cached_property
    def has_patients(self) -> bool:
        """Whether the texts speak of "patients with" the trait or a form of it."""
        text = self._included
        plain = simplify(text)
        spans = [s for t in (self._trait.terms, self._trait.includes) for s in t.spans(text)]
        return any(_PATIENTS_WITH.search(plain[:start]) for start, _ in spans)

    @cached_property
    def mentions_controls(self) -> bool:
        """Whether title, summary or design speak of healthy people, controls or normal tissue."""
        terms = self._terms
        return self._text in terms["healthy"] or self._text in terms["unaffected_tissue"]

    @cached_property
    def mentions_patients(self) -> bool:
        """Whether title, summary or design speak of patients, and of healthy people as well."""
        terms = self._terms
        people = self._text in terms["patient"] or self._text in terms["person"]
        return people and self.mentions_controls

    @cached_property
    def is_of_cells(self) -> bool:
        """Whether title, summary or design speak of cell lines or cultures."""
        return self._text in self._terms["cell_culture"]

    def organ_elsewhere(self, tumour: str) -> str | None:
        """Return the organ of a tumour that the texts know from another organ alone."""
        plain = simplify(self._vocabulary.spelling.mended(tumour))
        text = f" {simplify(self._text)} "
        if not (self._trait.is_cancer and ends_like_tumour(plain)):
            return None
        found = None
        for hit in re.finditer(rf" {re.escape(plain)}(?= )", text):
            before, after = text[: hit.start()], text[hit.end() :]
            found = self._organ_at_end(before) or self._organ_behind(after)
            if found is None or found in self._trait.sites:
                return None
        return found

    def _organ_at_end(self, text: str) -> str | None:
        near = " ".join(text.split()[-_NEAR:])
        spans = self._terms["organs"].spans(near)
        return near[slice(*spans[-1])] if spans and spans[-1][1] == len(near) else None

    def _organ_behind(self, text: str) -> str | None:
        hit = re.match(r" (?:of|from|in) (?:the )?(.+)", text[:100])
        spans = self._terms["organs"].spans(hit[1]) if hit else []
        return hit[1][slice(*spans[0])] if hit and spans and spans[0][0] == 0 else None

    def _names_trait(self, text: str) -> bool:
        trait = self._trait
        if text in trait.terms or text in trait.includes:
            return True
        if trait.is_subtype:
            return any(
                holds_all_words(part, trait, _LONGEST_SENTENCE) for part in _SENTENCE.split(text)
            )
        if trait.is_cancer:
            # "Adenocarcinoma" in a title leaves open of which organ; the organ has to be named.
            return text in trait.sites and text in self._terms["cancer"]
        return text in trait.broader

    def spelt_out(self, value: str) -> str | None:
        """Return a value with its abbreviations spelt out as the texts explain them."""
        if not self._abbreviations:
            return None
        pieces = _BETWEEN_WORDS.split(value)
        spelt = [self._spelt_piece(piece) for piece in pieces]
        return "".join(spelt) if spelt != pieces else None

    def _spelt_piece(self, piece: str) -> str:
        """Spell out an abbreviation, also one next to a hyphen: "FL-relapse", "NF-PNET"."""
        if piece in self._abbreviations:
            return self._abbreviations[piece]
        parts = piece.split("-")
        long = self._abbreviations.get(parts[-1], "")
        if parts[0].lower() == "non" and (name := self._trait.terms.find(long)):
            return f"no {name}"
        return "-".join(self._abbreviations.get(part, part) for part in parts)

    def spelt_key(self, key: str) -> str:
        """Return a key with its abbreviations spelt out, in any case ("pts: 1")."""
        if not self._abbreviations:
            return key
        parts = _BETWEEN_WORDS.split(key)
        return "".join(self._spelt_in_any_case.get(part.casefold(), part) for part in parts)

    @cached_property
    def _spelt_in_any_case(self) -> Mapping[str, str]:
        return {short.casefold(): long for short, long in self._abbreviations.items()}

    def legend(self, values: Collection[str]) -> Mapping[str, str]:
        """Return what the texts define the codes of a row to mean, none unless it is all of them.

        "1" and "2" of "1 = controls, 2 = patients"; without codes that are known abbreviations.
        """
        codes = {*values}
        if not 1 < len(codes) <= _LONGEST_LEGEND or not all(map(_LEGEND_CODE.fullmatch, codes)):
            return {}
        found = {code: self._defined(code) for code in codes - self._abbreviations.keys()}
        return found if all(found.values()) else {}

    def _defined(self, code: str) -> str:
        """Return the words by which the texts define a code, the empty text where they do not."""
        text, plain = self._text, len(code) > 1 and not code.isdecimal()
        for hit in re.finditer(rf"(?<![\w.=-])([Gg]roup\s)?{re.escape(code)}(?![\w-])", text):
            if meant := _MEANT.match(text, hit.end()):
                return meant[1].strip()
            before = _CLAUSE.split(text[max(0, hit.start() - _LONGEST_CLAUSE) : hit.start()])
            inside = not before[-1].strip() and _ENDS_PARENTHESIS.match(text, hit.end())
            if inside and (plain or hit[1]) and text[: hit.start()].rstrip().endswith("("):
                return before[-2].strip()
        return ""

    @cached_property
    def _abbreviations(self) -> Mapping[str, str]:
        found = explained_abbreviations(self._text)
        # A long form that holds a short form again would be spelt out for ever.
        return {
            short: long
            for short, long in found.items()
            if found.keys().isdisjoint(_BETWEEN_WORDS.split(long))
            and not _MOLECULE.search(long.lower())
        }
