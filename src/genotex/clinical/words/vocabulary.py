"""The words that the built-in rules know, from ``data/vocabulary.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from genotex.clinical.words.spelling import Spelling
from genotex.clinical.words.vocabulary_file import lay_over, read_vocabulary_file, trait_table
from genotex.clinical.words.wording import Terms, simplify
from genotex.errors import UsageError

__all__ = ["TraitWords", "Vocabulary", "load_vocabulary", "vocabulary_text"]

_HOW_TO_USE = """\
# Edit these words, then give the file back: genotex solve ... --vocabulary FILE
# The words of the trait's own name always count. Without the line 'replace = true' words are
# added to the built-in ones; with it these words stand alone. All keys: docs/clinical.md.
"""
_MADE = "# The built-in words do not list this trait: this is what its name alone gives.\n"

_GENERIC = {"disease", "disorder", "syndrome", "level", "deficiency", "condition", "phenomenon"}
_TOO_WIDE = {
    "kidney", "heart", "liver", "lung", "brain", "skin", "blood", "bone", "chronic", "acute",
    "cardiac", "renal", "muscle", "eye", "bowel", "infectious", "genetic", "mental", "rare",
}  # fmt: skip
_CANCER_WORDS = {"cancer", "carcinoma", "tumor", "neoplasm", "adenocarcinoma", "malignancy"}
_SHORTEST_INITIALS = 3


@dataclass(frozen=True)
class TraitWords:
    """How one trait is named.

    Attributes
    ----------
    name : str
        The trait's name in words.
    terms : Terms
        Names of the trait itself.
    includes : Terms
        Narrower conditions that count as the trait.
    broader : Terms
        Wider words, for rows that say nothing more exact.
    excludes : Terms
        Phrases that look like the trait and are not.
    sites : Terms
        Organs of a cancer; empty otherwise.
    near_misses : Terms
        Other conditions that stand beside the trait in such series.
    cell_lines : Terms
        Cell lines that stand for the disease.
    genes : Terms
        Genes whose inherited mutation is the disease.
    levels : Terms
        Keys of a measured level; empty when the trait is no quantity.
    scales : Terms
        Keys of symptom scores that measure the trait in people.
    low, high : Terms
        Words of low and high groups of a level.
    unit : str
        Usual unit of the level; empty when not told.
    low_is_case : bool
        Whether the low end of the level is the trait, as in osteoporosis.
    healthy : Terms
        Words of this trait's own controls.
    is_cancer : bool
        Whether tumour against normal tissue tells the trait.
    is_subtype : bool
        Whether the trait is one of several tumours of its organ, so that "kidney tumour" leaves
        open whether it is meant.
    is_level : bool
        Whether the trait is a quantity and no disease.
    """

    name: str
    terms: Terms
    includes: Terms
    broader: Terms
    excludes: Terms
    sites: Terms
    near_misses: Terms
    cell_lines: Terms
    genes: Terms
    levels: Terms
    scales: Terms
    low: Terms
    high: Terms
    unit: str
    low_is_case: bool
    healthy: Terms
    is_cancer: bool
    is_subtype: bool
    is_level: bool


class Vocabulary:
    """All known words.

    Parameters
    ----------
    data : mapping
        The parsed vocabulary file: tables ``words`` and ``traits``.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._words: Mapping[str, list[str]] = data["words"]
        self._traits: Mapping[str, Mapping[str, list[str]]] = data["traits"]
        self._cache: dict[str, TraitWords] = {}

    @cached_property
    def groups(self) -> Mapping[str, Terms]:
        """The word groups of the file as terms, with their acronyms, and all organs."""
        groups = {
            name: Terms(words, self._words.get(f"{name}_acronyms", ()))
            for name, words in self._words.items()
        }
        sites = {site for entry in self._traits.values() for site in entry.get("sites", ())}
        groups["organs"] = Terms(sites | set(self._words["organs"]))
        return groups

    @cached_property
    def missing(self) -> frozenset[str]:
        """Values that say that nothing is known, simplified; the empty text is one."""
        return frozenset({simplify(word) for word in self._words["missing"]} | {""})

    @cached_property
    def yes(self) -> frozenset[str]:
        """Values that affirm what the key asks."""
        return frozenset(simplify(word) for word in self._words["yes"])

    @cached_property
    def no(self) -> frozenset[str]:
        """Values that deny what the key asks."""
        return frozenset(simplify(word) for word in self._words["no"])

    @cached_property
    def diseases(self) -> Terms:
        """Every disease the file knows of, whichever trait is asked.

        Single words of forms ("sporadic", "compensated") are no diseases by themselves.
        """
        terms = set(self._words["other_diseases"])
        acronyms: set[str] = set()
        for entry in self._traits.values():
            for kind in ("terms", "near_misses", "cell_lines"):
                terms.update(entry.get(kind, ()))
            terms.update(form for form in entry.get("includes", ()) if " " in form)
            for kind in ("acronyms", "include_acronyms", "near_miss_acronyms"):
                acronyms.update(entry.get(kind, ()))
        return Terms(terms, acronyms)

    @cached_property
    def spelling(self) -> Spelling:
        """Mends slips in the words of the file."""
        lists = (
            words
            for entry in (self._words, *self._traits.values())
            for words in entry.values()
            if isinstance(words, list)
        )
        return Spelling(word for words in lists for word in words)

    @cached_property
    def by_any_name(self) -> Mapping[str, str]:
        """Name or unambiguous synonym, simplified, to the name of the trait in the file."""
        names = {simplify(name): name for name in self._traits}
        for name, entry in self._traits.items():
            for word in (*entry.get("terms", ()), *entry.get("acronyms", ())):
                names.setdefault(simplify(word), name)
        return names

    def trait(self, name: str) -> TraitWords:
        """Return the words of a trait, made from its name when the file does not list it."""
        if name not in self._cache:
            listed = self.by_any_name.get(simplify(name))
            self._cache[name] = _trait_words(name, self._traits.get(listed or "", {}), self._words)
        return self._cache[name]

    def entry(self, name: str) -> tuple[str, Mapping[str, Any], bool]:
        """Return the table by which a trait is read, as a vocabulary file has it.

        Parameters
        ----------
        name : str
            Name of the trait, or a synonym.

        Returns
        -------
        name : str
            Name of the table.
        table : mapping of str to list of str, str or bool
            Its keys; made from the name of the trait when the vocabulary does not list it.
        listed : bool
            Whether the vocabulary lists it.
        """
        listed = self.by_any_name.get(simplify(name))
        if listed is not None:
            return listed, self._traits[listed], True
        terms, acronyms, sites = _words_of_name(name)
        lists = {
            "terms": terms, "acronyms": acronyms, "sites": sites, "levels": _level_of_name(name)
        }  # fmt: skip
        made = {key: list(dict.fromkeys(filter(None, words))) for key, words in lists.items()}
        return name, {key: words for key, words in made.items() if words}, False


def _trait_words(
    name: str, entry: Mapping[str, list[str]], words: Mapping[str, list[str]]
) -> TraitWords:
    own_terms, own_acronyms, own_sites = _words_of_name(name)
    is_level = bool(entry.get("quantity", not entry and _level_of_name(name)))
    sites = entry.get("sites", own_sites)
    terms = [*entry.get("terms", ()), *([] if is_level else own_terms)]
    acronyms = entry.get("acronyms", own_acronyms if not entry else ())
    return TraitWords(
        name=name.replace("_", " "),
        terms=Terms(terms, acronyms),
        includes=Terms(entry.get("includes", ()), entry.get("include_acronyms", ())),
        broader=Terms(entry.get("broader", ())),
        excludes=Terms(entry.get("excludes", ())),
        sites=Terms(sites),
        near_misses=Terms(entry.get("near_misses", ()), entry.get("near_miss_acronyms", ())),
        cell_lines=Terms(entry.get("cell_lines", ())),
        genes=Terms((), entry.get("genes", ())),
        levels=Terms(entry.get("levels", _level_of_name(name) if not entry else ())),
        scales=Terms(entry.get("scales", ())),
        low=Terms([*entry.get("low", ()), *words["low"]]),
        high=Terms([*entry.get("high", ()), *words["high"]]),
        unit=str(entry.get("unit", "")),
        low_is_case=str(entry.get("direction")) == "low" and not is_level,
        healthy=Terms(entry.get("healthy", ()), entry.get("healthy_acronyms", ())),
        is_cancer=bool(sites) or any(w in simplify(name).split() for w in _CANCER_WORDS)
        or simplify(name).endswith(("oma", "omas")),
        is_subtype=bool(entry.get("subtype", False)),
        is_level=is_level,
    )  # fmt: skip


def _words_of_name(name: str) -> tuple[list[str], list[str], list[str]]:
    """Return terms, acronyms and cancer sites that a trait's name alone gives."""
    inside = re.findall(r"\(([^)]*)\)", name)
    words = simplify(re.sub(r"\([^)]*\)", " ", name).replace("_", " ")).split()
    terms = [" ".join(words), *(p for p in inside if len(p.split("_")) > 1)]
    acronyms = [p for p in inside if len(p.split("_")) == 1]
    core = words[:-1] if len(words) > 1 and words[-1] in _GENERIC else words
    if len(core) == 1 and core[0] in _TOO_WIDE:
        core = words
    terms.append(" ".join(core))
    if len(words) >= _SHORTEST_INITIALS:
        acronyms.append("".join(word[0] for word in words).upper())
    sites = words[:-1] if len(words) > 1 and words[-1] in _CANCER_WORDS else []
    return terms, acronyms, [" ".join(sites)] if sites else []


def _level_of_name(name: str) -> list[str]:
    words = simplify(name.replace("_", " ")).split()
    quantities = {"level", "length", "rate", "density", "count", "index", "concentration"}
    if not words or words[-1] not in quantities:
        return []
    return [" ".join(words), " ".join(words[:-1])] if words[-1] == "level" else [" ".join(words)]


def load_vocabulary(path: Path | None = None) -> Vocabulary:
    """Return the packaged vocabulary, with the words of a file of the user's own laid over it.

    Parameters
    ----------
    path : Path, optional
        A vocabulary file (docs/clinical.md). Its words are added to the packaged ones; a trait
        table with ``replace = true`` takes the packaged table's place.

    Raises
    ------
    VocabularyFileError
        If the file cannot be read or has a mistake; it names the line or the table.
    """
    if path is None:
        return _packaged_vocabulary()
    packaged = _packaged_tables()
    return Vocabulary(lay_over(packaged, read_vocabulary_file(path, words=packaged["words"])))


def vocabulary_text(vocabulary: Vocabulary, trait: str) -> str:
    """Return the words of a trait as the text of a vocabulary file, with how to use it.

    Parameters
    ----------
    vocabulary : Vocabulary
        The words there are.
    trait : str
        Name of the trait, or a synonym.

    Raises
    ------
    UsageError
        If it is no name: without any letter a-z or digit.
    """
    if not simplify(trait):
        msg = f"{trait!r} is no name of a trait; use letters of the English alphabet"
        raise UsageError(msg)
    name, table, listed = vocabulary.entry(trait)
    return _HOW_TO_USE + ("" if listed else _MADE) + trait_table(name, table)


@lru_cache(maxsize=1)
def _packaged_vocabulary() -> Vocabulary:
    return Vocabulary(_packaged_tables())


def _packaged_tables() -> dict[str, Any]:
    text = resources.files("genotex.clinical").joinpath("data/vocabulary.toml").read_text("utf-8")
    return tomllib.loads(text)
