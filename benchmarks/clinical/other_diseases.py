"""Other diseases and organs, to put in the place of those of a case."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from genotex.clinical import load_vocabulary
from genotex.clinical.words.lexicon import load_lexicon
from genotex.clinical.words.name_forms import are_initials
from genotex.clinical.words.wording import ends_like_tumour
from genotex.features import simplify

FEWEST_NAMES = 5
"""A disease with fewer names in the lexicon is too rare to take the place of a common one."""

ORGANS = (
    ("pancreas", "pancreatic"), ("stomach", "gastric"), ("ovary", "ovarian"),
    ("thyroid", "thyroid"), ("esophagus", "esophageal"), ("bladder", "bladder"),
    ("breast", "breast"), ("prostate", "prostate"), ("cervix", "cervical"), ("lung", "lung"),
    ("larynx", "laryngeal"), ("gallbladder", "gallbladder"), ("liver", "hepatic"),
)  # fmt: skip
FORMS = {"breast": ("mammary",), "prostate": ("prostatic",), "lung": ("pulmonary", "bronchial"),
         "liver": ("hepatocellular",), "cervix": ("cervix uteri",)}  # fmt: skip


@dataclass(frozen=True)
class Disease:
    """A disease with its usual abbreviation."""

    name: str
    short: str


@lru_cache(maxsize=1)
def other_diseases() -> tuple[Disease, ...]:
    """Return well-known diseases of the lexicon, no cancers, with their initials."""
    lexicon, vocabulary = load_lexicon(), load_vocabulary()
    found = {}
    for number, name, _, phrases, short, *_ in lexicon._table.iter_rows():
        codes = [code for code in short.split("|") if re.fullmatch("[A-Z]{3,5}", code)]
        codes = [code for code in codes if are_initials(code, [name])]
        plain = 2 <= len(name.split()) <= 4 and re.fullmatch(r"[A-Za-z' -]+", name)
        if not plain or not codes or phrases.count("|") + 1 < FEWEST_NAMES:
            continue
        listed = vocabulary.names.with_term(name) or vocabulary.names.listed(name)
        table = lexicon.table(number)
        if listed or table.get("cancer") or ends_like_tumour(name):
            continue
        if simplify(name) not in {simplify(d) for d in found}:
            found[name] = Disease(name.lower(), codes[0])
    return tuple(found.values())


def swapped_organs(
    trait: str, rng: random.Random
) -> tuple[Callable[[str], str], tuple[str, ...]] | None:
    """Return what puts another organ in the place of that of "Breast_Cancer", and its names."""
    words = simplify(trait).split()
    if words[-1] not in {"cancer", "carcinoma"} or len(words) != 2:
        return None
    own = next((organ for organ in ORGANS if words[0] in (*organ, *FORMS.get(organ[0], ()))), None)
    if own is None:
        return None
    new = rng.choice([organ for organ in ORGANS if organ != own])
    adjectives = {own[1], *FORMS.get(own[0], ())} - {own[0]}

    def swap(text: str) -> str:
        text = re.sub(rf"(?<![A-Za-z]){own[0]}(?![A-Za-z])", _like(new[1]), text, flags=re.I)
        for adjective in adjectives:
            text = re.sub(rf"(?<![A-Za-z]){adjective}(?![A-Za-z])", _like(new[1]), text, flags=re.I)
        return text

    return swap, new


def _like(word: str) -> Callable[[re.Match[str]], str]:
    """Return what writes a word with a capital where the old one had one."""
    return lambda hit: word.capitalize() if hit[0][0].isupper() else word
