"""The disease lexicon: names, abbreviations, forms, wider terms, genes and cell lines of diseases.

Built by ``benchmarks/clinical/build_lexicon.py``, which names the sources and their licences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import polars as pl

from genotex.clinical.words.trait_names import adjectives
from genotex.features import load_wording, simplify
from genotex.outside import packaged

_COLUMNS = ("name", "parents", "phrases", "short", "genes", "lines")
_MOST_GENES = 60
_SHORTEST_WORD = 6
# Ends by which a synonym of one word surely names an illness; others include "chronic", "goldberg".
_NAMES_ILLNESS = (
    r"^\w{3,}(osis|iasis|ism|algia|plasia|cele|spasm|ectasis|megaly|phea|rrhea|edema|aneurysm)$"
)
_ANATOMY = " (tissue|ear|cell line|organ)$"
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
    """Finds diseases by name and gives the words that a trait is recognised by.

    `content`: a table with tabs, which may be packed by gzip or zstd.
    """

    def __init__(self, content: bytes) -> None:
        self._table = pl.read_csv(content, separator="\t", quote_char=None, has_header=False,
                                  new_columns=_COLUMNS, infer_schema=False,
                                  empty_string_is_null=False).with_row_index("number")  # fmt: skip
        self._found: dict[str, int | None] = {}
        self._families: dict[int, frozenset[int]] = {}

    def _disease(self, number: int) -> _LexiconEntry:
        _, name, parents, *words, _ = self._table.row(number)
        return _LexiconEntry(
            name,
            tuple(int(p) for p in parents.split(",") if p),
            *(tuple(filter(None, each.split("|"))) for each in words),
        )

    @cached_property
    def _children(self) -> Mapping[int, Sequence[int]]:
        each = self._table.select("number", parent=pl.col("parents").str.split(",")).explode(
            "parent"
        )
        known = each.filter(pl.col("parent") != "").cast({"parent": pl.UInt32})
        return dict(known.group_by("parent").agg("number").iter_rows())

    @cached_property
    def phrases(self) -> pl.Series:
        """Every name of a disease, in the form of comparison; of single words the main names."""
        every = self._table["phrases"].str.split("|")
        main, each = every.list.first(), every.explode()
        phrase = each.str.contains(" ", literal=True)
        single, phrases = each.filter(~phrase), each.filter(phrase)
        found = pl.concat(
            [
                phrases.filter(~phrases.str.contains(_ANATOMY)),
                main.filter(main.str.len_chars() >= _SHORTEST_WORD),
                single.filter(single.str.contains(_NAMES_ILLNESS)),
            ]
        )
        return found.filter(~found.is_in(_TOO_WIDE))

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
        near = self._table.filter(pl.col("phrases").str.contains_any(ways))
        for number, phrases in near.select("number", "phrases").iter_rows():
            for phrase in phrases.split("|"):
                words = {_SAME.get(word, word) for word in phrase.split()} - _FILLERS
                if wanted <= words and len(words) <= len(wanted) + 2:
                    best = min(best or (len(words), number), (len(words), number))
        return None if best is None else best[1]

    def _named(self, name: str) -> list[int]:
        """Return the diseases of a phrase or abbreviation, in file order."""
        return self._called.filter(pl.col("name") == name)["number"].sort().to_list()

    @cached_property
    def _called(self) -> pl.DataFrame:
        """Every phrase and abbreviation with its disease."""
        each = [
            self._table.select("number", name=pl.col(column).str.split("|")).explode("name")
            for column in ("phrases", "short")
        ]
        return pl.concat(each).filter(pl.col("name") != "")

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
        lines = self._table["lines"].gather(list(self._and_forms(number))).str.split("|").explode()
        return sorted(set(lines) - {""})

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
    return DiseaseLexicon(packaged("genotex.clinical", "data/diseases.tsv.zst"))
