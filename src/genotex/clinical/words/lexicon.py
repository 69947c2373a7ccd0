"""The disease lexicon: names, abbreviations, forms, wider terms, genes and cell lines of diseases.

Built by ``benchmarks/clinical/build_lexicon.py``, which names the sources and their licences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

from genotex.clinical.words.trait_names import adjectives
from genotex.features import load_wording, simplify
from genotex.outside import packaged

_MOST_GENES = 60
_SHORTEST_WORD = 6
# Ends by which a synonym of one word surely names an illness; others include "chronic", "goldberg".
_NAMES_ILLNESS = re.compile(
    r"\w{3,}(?:osis|iasis|ism|algia|plasia|cele|spasm|ectasis|megaly|phea|rrhea|edema|aneurysm)"
)
_ANATOMY = (" tissue", " ear", " cell line", " organ")
_TOO_WIDE = frozenset(
    [
        "disease", "injury", "infection", "inflammation", "metastasis", "recurrence", "bleeding",
        "trauma", "necrosis", "fibrosis", "hyperplasia", "cancer", "carcinoma", "chronic disease",
        "infectious disease", "disease progression", "acute disease", "human disease",
    ]
)  # fmt: skip
_CANCER_OF = re.compile(
    r"(?:malignant |primary )?(?:cancer|carcinoma|tumor|neoplasm) of (?:the )?(\w+(?: gland)?)"
)
_ORGAN_CANCER = re.compile(r"(?:malignant |primary )?(\w+) (?:cancer|carcinoma|tumor|neoplasm)")
_STEM = 4
_FILLERS = frozenset({"of", "the", "and", "in", "with", "malignant", "primary"})
_SAME = {
    word: words[0]
    for words in (
        ("kidney", "renal", "nephric"), ("liver", "hepatic"), ("stomach", "gastric"),
        ("heart", "cardiac"), ("lung", "pulmonary"), ("skin", "cutaneous"), ("brain", "cerebral"),
        ("bowel", "intestinal", "intestine"), ("adrenocortical", "adrenal"), ("eye", "ocular"),
        ("cancer", "carcinoma", "neoplasm", "tumor"), ("disorder", "disease", "syndrome"),
        ("use", "abuse", "dependence", "addiction"), ("ovary", "ovarian"), ("womb", "uterine"),
    )
    for word in words
}  # fmt: skip
_LEVELS_UP = 3
_TUMOURS = ("neoplasm", "cancer", "carcinoma", "tumor", "sarcoma", "lymphoma", "leukemia")


def same_word(word: str) -> str:
    """Return one word for all that mean the same in names of diseases: "renal" is "kidney"."""
    return _SAME.get(word, word)


@dataclass(frozen=True)
class _LexiconEntry:
    """One disease of the lexicon."""

    name: str
    parents: tuple[int, ...]
    phrases: tuple[str, ...]  # the name and its synonyms, in the form of comparison
    short: tuple[str, ...]  # abbreviations, as they are written
    genes: tuple[str, ...]


class DiseaseLexicon:
    """Finds diseases by name and gives the words that a trait is recognised by."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._found: dict[str, int | None] = {}
        self._families: dict[int, frozenset[int]] = {}

    def _disease(self, number: int) -> _LexiconEntry:
        name, parents, *words, _ = self._lines[number].split("\t")
        return _LexiconEntry(
            name,
            tuple(int(p) for p in parents.split(",") if p),
            *(tuple(filter(None, each.split("|"))) for each in words),
        )

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for number, line in enumerate(self._lines):
            for parent in line.split("\t", 2)[1].split(","):
                if parent:
                    children.setdefault(int(parent), []).append(number)
        return children

    @cached_property
    def _phrases(self) -> list[list[str]]:
        """The name and synonyms of each disease: each text once, whatever refers to it."""
        return [line.split("\t", 3)[2].split("|") for line in self._lines]

    @cached_property
    def phrases(self) -> frozenset[str]:
        """Every name of a disease, in the form of comparison; of single words the main names."""
        every = list(chain.from_iterable(self._phrases))
        found = {p for p in every if " " in p and not p.endswith(_ANATOMY)}
        main_names = (names[0] for names in self._phrases)
        found.update(name for name in main_names if len(name) >= _SHORTEST_WORD)
        found.update(p for p in every if " " not in p and _NAMES_ILLNESS.fullmatch(p))
        return frozenset(found - _TOO_WIDE)

    def find(self, name: str) -> int | None:
        """Return the number of the disease that a name means best, None when there is none."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> int | None:
        for form in _forms(name):
            # Of a phrase or an abbreviation, in file order.
            found = sorted({*self._named(form), *self._named(form.upper())})
            if found:
                return max(found, key=lambda number: self._closeness(number, form))
        return self._by_words(_forms(name)[0])

    def _closeness(self, number: int, form: str) -> tuple[bool, bool, int, int]:
        """Return how well a form names a disease that it may mean, for comparison."""
        disease = self._disease(number)
        initials = {"".join(word[0] for word in phrase.split()) for phrase in disease.phrases}
        own = simplify(disease.name) == form
        return own, form in initials, len(disease.phrases), -number

    def _by_words(self, plain: str) -> int | None:
        """Return the disease with the shortest phrase of all words of a name, two more at most."""
        wanted = {_SAME.get(word, word) for word in plain.split()} - _FILLERS
        if len(wanted) > 2:
            wanted -= {_SAME["disorder"]}
        if len(wanted) < 2:
            return None
        longest = max(wanted, key=len)
        ways = [longest, *(word for word, same in _SAME.items() if same == longest)]
        best: tuple[int, int] | None = None
        for number, line in enumerate(self._lines):
            if not any(word in line for word in ways):
                continue
            for phrase in line.split("\t", 3)[2].split("|"):
                words = {_SAME.get(word, word) for word in phrase.split()} - _FILLERS
                if wanted <= words and len(words) <= len(wanted) + 2:
                    best = min(best or (len(words), number), (len(words), number))
        return None if best is None else best[1]

    def _named(self, name: str) -> list[int]:
        """Return the diseases of a phrase or abbreviation."""
        first, others = self._called
        return [first[name], *others.get(name, ())] if name in first else []

    @cached_property
    def _called(self) -> tuple[Mapping[str, int], Mapping[str, list[int]]]:
        """The first disease of each phrase and abbreviation, and the others, which few have."""
        first: dict[str, int] = {}
        others: dict[str, list[int]] = {}
        for number, (line, phrases) in enumerate(zip(self._lines, self._phrases, strict=True)):
            for name in (*phrases, *line.split("\t", 4)[3].split("|")):
                if first.setdefault(name, number) != number:
                    others.setdefault(name, []).append(number)
        return first, others

    def name(self, number: int) -> str:
        """Return the name of a disease."""
        return self._disease(number).name

    def table(self, number: int) -> dict[str, Any]:
        """Return what the lexicon knows of a disease, as a trait table of a vocabulary file."""
        disease = self._disease(number)
        forms = [self._disease(n) for n in self._descendants(number)]
        ancestors = [self._disease(n) for n in self._ancestors(number)]
        own = set(disease.phrases)
        wider = {p for each in ancestors for p in each.phrases}
        genes = {gene for each in (disease, *forms) for gene in each.genes}
        sites = _organs(disease.phrases)
        above = sites or next(filter(None, (_organs(a.phrases) for a in ancestors)), [])
        # A gene under whose mutations tumours arise is mostly one that they mutate themselves.
        near = [disease, *map(self._disease, disease.parents)]
        is_tumour = any(simplify(each.name).endswith(_TUMOURS) for each in near)
        broader = [p for p in _unique(sorted(wider), own) if _is_part(p, disease.phrases)]
        table: dict[str, Any] = {
            "terms": [*disease.phrases, *adjectives(disease.phrases)],
            "acronyms": list(disease.short),
            "includes": _unique((p for each in forms for p in each.phrases), own | wider),
            "include_acronyms": _unique(
                (s for each in forms for s in each.short if len(s) > 2), set(disease.short)
            ),
            "broader": [*broader, *adjectives(broader)],
            "genes": sorted(genes) if len(genes) <= _MOST_GENES and not is_tumour else [],
            "cell_lines": self.cell_lines(number),
            "sites": above,
            "cancer": is_tumour,
            "subtype": bool(above) and not sites,
        }
        return {key: value for key, value in table.items() if value}

    def overlap(self, one: str, other: str) -> bool:
        """Return whether there can be a disease that is a form of both; true where unknown."""
        meant = self.find(one)
        named = self._named(other)
        if meant is None or not named or other in _TOO_WIDE:
            return True
        own = self._and_forms(meant)
        return not all(own.isdisjoint(self._and_forms(number)) for number in named)

    def _and_forms(self, number: int) -> frozenset[int]:
        if number not in self._families:
            self._families[number] = frozenset((number, *self._descendants(number)))
        return self._families[number]

    def cell_lines(self, number: int) -> list[str]:
        """Return the cell lines of a disease and its forms."""
        last = (self._lines[each].rpartition("\t")[2] for each in self._and_forms(number))
        return sorted({line for lines in last if lines for line in lines.split("|")})

    def _descendants(self, number: int) -> Iterator[int]:
        seen, todo = {number}, list(self._children.get(number, ()))
        while todo:
            each = todo.pop(0)
            if each not in seen:
                seen.add(each)
                todo.extend(self._children.get(each, ()))
                yield each

    def _ancestors(self, number: int) -> Iterator[int]:
        level, seen = set(self._disease(number).parents), set[int]()
        for _ in range(_LEVELS_UP):
            yield from sorted(level - seen)
            seen |= level
            level = {p for n in level for p in self._disease(n).parents}


def _forms(name: str) -> list[str]:
    """Return the forms in which a name may be listed, the most exact first."""
    plain = simplify(name.replace("_", " "))
    words = plain.split()
    generic = load_wording()["names"]["generic"]
    forms = [plain]
    if len(words) > 1 and words[-1] in generic:
        forms.append(" ".join(words[:-1]))
    forms += [f"{plain} {word}" for word in ("disease", "syndrome", "disorder")]
    inside = re.findall(r"\(([^)]*)\)", name)
    outside = simplify(re.sub(r"\([^)]*\)", " ", name).replace("_", " "))
    return [f for f in dict.fromkeys([*forms, outside, *map(simplify, inside)]) if f]


def _unique(words: Iterable[str], known: set[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word not in known]


def _organs(phrases: Iterable[str]) -> list[str]:
    """Return the organ of a cancer, noun and adjective: "pancreas", "pancreatic"."""
    nouns = {hit[1] for phrase in phrases if (hit := _CANCER_OF.fullmatch(phrase))}
    words = {hit[1] for phrase in phrases if (hit := _ORGAN_CANCER.fullmatch(phrase))}
    return sorted(nouns | {w for w in words if any(w[:_STEM] == n[:_STEM] for n in nouns)})


def _is_part(phrase: str, phrases: Iterable[str]) -> bool:
    """Return whether all words of a phrase occur in one of the phrases."""
    words = set(phrase.split())
    names = load_wording()["names"]
    if words <= {*names["generic"], *names["cancer"]}:
        return False
    return any(words <= set(each.split()) for each in phrases)


@lru_cache(maxsize=1)
def load_lexicon() -> DiseaseLexicon:
    """Return the packaged lexicon."""
    return DiseaseLexicon(packaged("genotex.clinical", "data/diseases.tsv.xz").decode())
