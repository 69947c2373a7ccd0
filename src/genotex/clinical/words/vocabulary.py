"""The vocabulary of the built-in rules, from ``data/vocabulary.toml``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from genotex.clinical.words.lexicon import load_lexicon
from genotex.clinical.words.trait_names import (
    NamedTrait,
    TraitNames,
    TraitWords,
    adjectives,
    full_table,
    table_of_name,
    trait_words,
)
from genotex.clinical.words.vocabulary_file import (
    lay_over,
    read_vocabulary_file,
    refuse_contradictions,
    trait_table,
)
from genotex.clinical.words.wording import Spelling, Terms
from genotex.errors import UsageError
from genotex.features import packaged_table, simplify

_HOW_TO_USE = """\
# Edit these words, then give the file back: genotex solve ... --vocabulary FILE
# With the line 'replace = true' these words replace the built-in ones: what you remove is gone,
# also the words of the trait's own name. Without it they are added to them. See docs/clinical.md.
"""
_MADE = "# The built-in words do not list this trait: this is what its name and the lexicon give.\n"
_NO_DISEASES = (
    "cancer", "benign", "patient", "healthy", "detail", "uncertain", "lesional", "person",
)  # fmt: skip


class Vocabulary:
    """All known words.

    `data`: The parsed vocabulary file: tables ``words`` and ``traits``. `packaged`: Names of the
    traits whose words come with the package; all of them by default. `own`: Names of the tables in
    a user's own file, which `data` holds already.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        packaged: Collection[str] | None = None,
        own: Collection[str] = (),
    ) -> None:
        self._words: Mapping[str, list[str]] = data["words"]
        self._traits: Mapping[str, Mapping[str, Any]] = data["traits"]
        self._packaged = self._traits if packaged is None else packaged
        self._own = own
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
        groups["person_control"] = self._person_control
        groups["no_lesion"] = Terms(
            set(self._words["unaffected_tissue"]) - set(self._words["only_under_keys"])
        )
        return groups

    @property
    def _person_control(self) -> Terms:
        """Words of controls that are healthy people or tissue, also in titles."""
        # All control words but those that may be the control of an experiment.
        not_these = {
            simplify(word)
            for group in ("open_control", "open_control_acronyms", "only_under_keys")
            for word in self._words[group]
        }
        words, acronyms = (
            [
                word
                for group in ("healthy", "unaffected_tissue", "person_control")
                for word in self._words.get(group + ending, ())
                if simplify(word) not in not_these
            ]
            for ending in ("", "_acronyms")
        )
        return Terms(words, acronyms)

    @cached_property
    def missing(self) -> frozenset[str]:
        """Values that mean that nothing is known, simplified; the empty text is one."""
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
        """Every disease of the file, for any trait."""
        # Single words of forms ("sporadic", "compensated") are no diseases by themselves.
        terms = set(self._words["other_diseases"])
        acronyms: set[str] = set()
        for entry in self._traits.values():
            for kind in ("terms", "near_misses"):
                terms.update(entry.get(kind, ()))
            terms.update(form for form in entry.get("includes", ()) if " " in form)
            for kind in ("acronyms", "include_acronyms", "near_miss_acronyms"):
                acronyms.update(entry.get(kind, ()))
        terms.update(adjectives(sorted(terms)))
        known = load_lexicon().phrases
        return Terms(terms, acronyms, known.filter(~known.is_in(self._no_diseases)).to_list())

    @property
    def _no_diseases(self) -> frozenset[str]:
        """Words of the vocabulary that are no diseases by themselves."""
        return frozenset(simplify(word) for kind in _NO_DISEASES for word in self._words[kind])

    @cached_property
    def disease_codes(self) -> frozenset[str]:
        """Abbreviations of diseases, simplified, that are no words: "read", but not "gout"."""
        kinds = ("acronyms", "include_acronyms", "near_miss_acronyms")
        codes = {
            a for entry in self._traits.values() for kind in kinds for a in entry.get(kind, ())
        }
        terms = {t for entry in self._traits.values() for t in entry.get("terms", ())}
        return frozenset(map(simplify, codes)) - frozenset(map(simplify, terms))

    @cached_property
    def spelling(self) -> Spelling:
        """Mends slips in the words of the file."""
        lists = (
            words
            for entry in (self._words, *self._traits.values())
            for key, words in entry.items()
            if isinstance(words, list) and key != "aliases"
        )
        return Spelling(
            (word for words in lists for word in words), load_lexicon().phrases.to_list()
        )

    @cached_property
    def names(self) -> TraitNames:
        """Finds listed traits by what people call them."""
        return TraitNames(self._traits)

    def named(self, name: str) -> NamedTrait:
        """Return what the name of a trait means, and its words.

        `name`: Name of a trait, or an alias. Raises UsageError if it is not a name (no letter a-z
        or digit), or an alias of several traits.
        """
        if not simplify(name):
            msg = f"{name!r} is not a trait name; use letters of the English alphabet"
            raise UsageError(msg)
        listed = self.names.listed(name)
        if listed is not None:
            return NamedTrait(name, listed)
        table = unlisted_table(name)
        lists = (table.get(key, []) for key in ("terms", "acronyms", "levels"))
        words = dict.fromkeys(word for words in lists for word in words)
        number = load_lexicon().find(name)
        disease = None if number is None else load_lexicon().name(number)
        return NamedTrait(name, None, tuple(words), self.names.near(name), disease)

    def is_measured(self, name: str) -> bool:
        """Return whether certainties were measured for such a trait: listed, or in the lexicon."""
        listed = self.names.listed(name)
        return listed in self._packaged if listed else load_lexicon().find(name) is not None

    def unused_tables(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the traits of the user's own file that none of the names means."""
        asked = {trait for name in names for trait in self.names.meant(name)}
        return tuple(name for name in self._own if asked.isdisjoint(self.names.meant(name)))

    def trait(self, name: str) -> TraitWords:
        """Return the words of a trait, made from its name when the vocabulary does not list it."""
        key = self.names.listed(name) or name
        if key not in self._cache:
            title, table, listed = self.entry(key)
            words = trait_words(title, table, self._words)
            self._cache[key] = replace(words, is_listed=listed)
        return self._cache[key]

    def entry(self, name: str) -> tuple[str, Mapping[str, Any], bool]:
        """Return the words of a trait as the table of a vocabulary file."""
        # Name of the table, all its words, and whether the vocabulary lists it.
        listed = self.names.listed(name)
        if listed is None:
            return name, unlisted_table(name), False
        entry = self._traits[listed]
        table, whole = full_table(listed, entry), entry.get("replace") or entry.get("quantity")
        number = None if whole else load_lexicon().find(listed)
        known = [] if number is None else load_lexicon().cell_lines(number)
        lines = list(dict.fromkeys([*table.get("cell_lines", ()), *known]))
        return listed, {**table, **({"cell_lines": lines} if lines else {})}, True


@lru_cache(maxsize=256)
def unlisted_table(name: str) -> Mapping[str, Any]:
    """Return the words of an unlisted trait, by its name and the disease lexicon."""
    table = table_of_name(name)
    number = None if table.get("quantity") else load_lexicon().find(name)
    if number is None:
        return table
    known = load_lexicon().table(number)
    return {
        **known,
        **table,
        **{
            kind: list(dict.fromkeys([*table.get(kind, ()), *known.get(kind, ())]))
            for kind in ("terms", "acronyms")
        },
        "cancer": bool(table.get("cancer") or known.get("cancer")),
    }


def load_vocabulary(path: Path | None = None) -> Vocabulary:
    """Return the packaged vocabulary, with the words of a file of the user's own laid over it.

    `path`: A vocabulary file (docs/clinical.md). Its words are added to the packaged ones; a trait
    table with ``replace = true`` takes the packaged table's place. Raises VocabularyFileError if
    the file cannot be read or has a mistake; it names the line or the table.
    """
    if path is None:
        return _packaged_vocabulary()
    packaged = packaged_table("genotex.clinical", "vocabulary")
    own = read_vocabulary_file(path, words=packaged["words"])
    together = lay_over(packaged, own)
    refuse_contradictions(path, own, together)
    return Vocabulary(together, packaged["traits"], own["traits"])


def vocabulary_text(vocabulary: Vocabulary, trait: str) -> str:
    """Return the words of a trait as the text of a vocabulary file, with how to use it.

    `vocabulary`: The words there are. `trait`: Name of the trait, or an alias. Raises UsageError if
    it is not a name (no letter a-z or digit), or an alias of several traits.
    """
    vocabulary.named(trait)
    name, table, listed = vocabulary.entry(trait)
    return _HOW_TO_USE + ("" if listed else _MADE) + trait_table(name, table)


@lru_cache(maxsize=1)
def _packaged_vocabulary() -> Vocabulary:
    return Vocabulary(packaged_table("genotex.clinical", "vocabulary"))
