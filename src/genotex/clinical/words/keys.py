"""What the key of a characteristic asks: diagnosis, status, tissue, or something incidental."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from genotex.clinical.words.name_forms import are_initials
from genotex.clinical.words.trait_names import TraitWords
from genotex.clinical.words.wording import mask
from genotex.features import simple_key, simplify

KeyKind = Literal[
    "never", "identifier", "treatment", "time", "outcome", "stage", "relatives", "culture",
    "disease", "status", "tissue", "other",
]  # fmt: skip

INCIDENTAL = frozenset({"treatment", "time", "outcome", "stage", "relatives", "culture"})
"""Kinds of keys whose values describe patients, and hardly ever identify them."""

_KINDS: dict[KeyKind, re.Pattern[str]] = {
    "never": re.compile(
        r"^(?:age|sex|gender|race|ethnic\w*|batch|plate|chip|array|barcode|run|lane|slide|date|"
        r"rin|pmi|ph|bmi|strain|organism|passages?|platform|scan\w*|hyb\w* batch)(?:$|\W)|^age\b"
    ),
    "identifier": re.compile(
        r"(?:^|\W|_)(?:ids?|identifier|number|name|no|code|patient|donor|individual|subject|sample)$"
        r"|^(?:patient|donor|subject|individual|sample|animal)s?$|titles?$"
    ),
    "treatment": re.compile(
        r"treat|agent|drug|dose|dosage|compound|therap|medicat|stimul|transfect|sirna|shrna|knock"
        r"|vaccin|diet|interven|exercise|training|supplement|protocol|antibody|medium|induc"
        r"|infect(?!ions?(?: status| type)?$)|surger|surgical|operation"
    ),
    "outcome": re.compile(r"surviv|relapse|recurr|response|respond|outcome|metasta"),
    "time": re.compile(r"time|visit|follow|year|onset|duration|^(?:weeks?|days?|months?)(?:$|\W)"),
    "stage": re.compile(r"stage|grade|tnm|score|severity|\bphase\b"),
    "relatives": re.compile(r"family|father|mother|relative|smok"),
    "culture": re.compile(r"cell line|culture|passage|growth|differentiation|protein|batch"),
    "disease": re.compile(
        r"diagnos|disease|disorder|patholog|histolog|condition|phenotype|clinical status|etiolog"
        r"|case.?control|cancer|tumou?r type|\bdx\b|^infections?(?: status| type)?$|^pathogen"
    ),
    "status": re.compile(
        r"status|group|class|category|state|type|subject|cohort|history|comorbid|cause|lesion|sample"
    ),
    "tissue": re.compile(
        r"tissue|organ|biops|site|skin|specimen|source|cell|origin|location|mucosa"
    ),
}
"""The first kind whose pattern is in a key is its kind; "never" is no trait, as age or batch."""
_ASKED = {
    "a first guess": re.compile(
        r"first|initial|previous|prior|referr|admission|secondary|(?:[\W_]|[a-z]{4})\d$"
    ),
    "diagnoses": re.compile(
        r"diagnos|disease|histolog|cancer|\bdx\b|disorder|comorbid|condition|patholog|phenotype"
        r"|^tumou?rs?(?: type| entity)?$|^entity$|^pm?hx?$|^infections?(?: type)?$|^pathogens?$"
    ),
    "a disease": re.compile(
        r"disease|diagnos|disorder|condition|patholog|status|comorbid|phenotype|illness|history|etiolog|^pm?hx?$|^infections?$|^pathogens?$"
    ),
    "other diseases": re.compile(
        r"h[iy]story|^pm?hx?$|antecedent|comorbid|other (?:disease|illness|condition)"
    ),
    "where a tumour began": re.compile(
        r"primary (?:site|organ|tissue|tumou?r|cancer)|(?:site|tissue|organ) of (?:origin|primary)"
        r"|(?:tumou?r|cancer|disease) (?:site|origin|location|type)"
        r"|^(?:cancer|carcinoma|malignancy)$"
    ),
    "a cause": re.compile(r"etiolog|^cause(?! of death)"),
}
"""What a key may ask for -> pattern: a first guess or one of several numbered answers; a disease,
so that "none" is an answer; former or other diseases, so that "negative" denies them; the cause
of the disease, which every case has."""
_GENOTYPE = re.compile(r"genotyp|mutation|variant|allele")
# What makes "asthma ..." ask for something about the trait rather than for the trait.
_QUALIFIED = re.compile(
    r"family|duration|onset|severity|score|stage|type|treat|therap|medicat|activity|index|grade|"
    r"subtype|drug|course|year|age|relative|mother|father|time|date|count|number|level|lesion|risk|"
    r"response|parent|resist|method|model|maternal|paternal|sibling|"
    r"mutation|mutant|variant|genotyp|allele|receptor|antibod|antigen|factor|marker|expression"
)
# What a key may contain besides the trait for "negative" to deny the trait, and not a marker.
_PLAIN = re.compile(
    r"disease|disorder|diagnos\w*|condition|status|state|patient|subject|donor|sample|group|"
    r"infection|infected|test|tested|result|pcr|case|control|clinical|history|illness|of|or|and|"
    r"the|is|has|with|yes|no|positive|negative|current|\d+"
)
_DETAIL = re.compile(
    r"\b(?:age (?:of|at) )?(?:duration|evolution time|onset|stage|extent|extension)(?: date| of)?\b"
)
_UNITS = re.compile(r"\b(?:year|month|day|yr)s?\b|\W+")
_ILLNESS = re.compile(r"disease|illness|disorder|symptom|episode|tumou?r|cancer")
_FORM = re.compile(r"(?:sub)?(?:type|class|group)|form|variant|category")
_ASKS_FORM = re.compile(r"type|form|class|stage|grade|severity")


@lru_cache(maxsize=4096)
def kind_of_key(key: str) -> KeyKind:
    """Return what kind of thing a key asks for, for any trait."""
    plain = simple_key(key)
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(plain)), "other")


def asks(key: str, what: str) -> bool:
    """Return whether a key asks for one of `_ASKED`, for any trait."""
    return bool(_ASKED[what].search(simple_key(key)))


def lists_diseases(key: str) -> bool:
    """Return whether the values under a key are diagnoses, so that an unknown one is another."""
    return asks(key, "diagnoses") and kind_of_key(key) not in INCIDENTAL


@lru_cache(maxsize=4096)
def asks_genotype(key: str) -> bool:
    """Return whether a key asks for an inherited genotype, so that "wild type" is an answer."""
    plain = simple_key(key)
    return bool(_GENOTYPE.search(plain)) and "somatic" not in plain


def asks_detail(trait: TraitWords, key: str) -> bool:
    """Return whether a key asks since when, how long or how far someone has the trait."""
    plain = simple_key(key)
    rest = _DETAIL.sub("", plain)
    what = _UNITS.sub(" ", rest).strip()
    if rest == plain or not what:
        return rest != plain and "duration" not in plain  # That may be of a treatment
    return bool(_ILLNESS.search(what)) or what in trait.terms or is_code_of(trait, what)


def names_gene(trait: TraitWords, key: str) -> bool:
    """Return whether a key asks for the gene that the trait is named by ("dmd genotype")."""
    return key in trait.genes or (key in trait.terms and asks_genotype(key))


def lists_tissues(key: str) -> bool:
    """Return whether the values under a key are tissues or cells, so that another is no case."""
    plain = simple_key(key)
    return bool(_KINDS["tissue"].search(plain)) and kind_of_key(key) in ("tissue", "status")


@lru_cache(maxsize=4096)
def asks_trait(trait: TraitWords, key: str) -> bool:
    """Return whether a key asks for the trait, as "hypertension: yes" does."""
    named = key in trait.terms or key in trait.broader or is_code_of(trait, key)
    return named and not _QUALIFIED.search(simplify(key))


def is_code_of(trait: TraitWords, key: str) -> bool:
    """Return whether a key is a short code that fits the trait's name ("dcm", "HCC status")."""
    codes = [
        word
        for word in re.findall(r"[A-Za-z0-9]+", key)
        if not (_PLAIN.fullmatch(word.lower()) or _FORM.fullmatch(word.lower()))
    ]
    if len(codes) != 1 or kind_of_key(key) in ("never", "identifier"):
        return False
    long_enough = len(codes[0]) > 2 or codes[0].isupper() or codes[0] == key
    return long_enough and are_initials(codes[0], trait.names)


def asks_plainly(trait: TraitWords, key: str) -> bool:
    """Return whether a key asks for the trait or disease alone, without a marker."""
    plain = simplify(key)
    for terms in (trait.terms, trait.broader):
        plain = mask(plain, terms.spans(key))
    if is_code_of(trait, key):
        return True
    return all(_PLAIN.fullmatch(word) for word in plain.split())


def asks_form(trait: TraitWords, key: str) -> bool:
    """Return whether a key asks for the form of the trait, as "hemophilia type" does."""
    return names_trait(trait, key) and bool(_ASKS_FORM.search(simple_key(key)))


@lru_cache(maxsize=4096)
def names_trait(trait: TraitWords, key: str) -> bool:
    """Return whether a key names the trait at all, as "asthma severity" does."""
    return key in trait.terms and "family" not in simple_key(key)
