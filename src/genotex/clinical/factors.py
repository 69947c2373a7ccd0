"""Factors of a series: how characteristics, titles and source names divide its samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from genotex.clinical.cells import NO_KEY, SampleKeys
from genotex.clinical.description import SeriesDescription
from genotex.clinical.relations import relations_of
from genotex.clinical.words.keys import kind_of_key
from genotex.features import (
    MISSING,
    age_rank,
    control_group,
    names_laboratory,
    parse_number,
    sex_rank,
)

FEWEST_OF_LEVEL = 2
"""Samples of a level."""
_MOST_LEVELS = 30
_COVERED = 0.8
"""Share of the samples that a factor must divide."""
_CONTROL = re.compile(
    r"(?<![a-z0-9])(?:controls?|ctrls?|ctls?|cntrl|vehicle|veh|dmso|etoh|ethanol|pbs|saline|mock"
    r"|sham|placebo|healthy|normals?|unaffected|unchallenged|naive|baseline|before|untreated"
    r"|parental|(?:un|non-?|not )(?:treated|stimulated|infected|induced|transfected|transduced"
    r"|exposed|injured)|no (?:treatment|drug|stim\w*|dox|virus)|w[/ ]?o|none|nt|ut|us|unstim|scr"
    r"|scramb\w*|nontarget\w*|non-?target(?:ing|ed)?|non-?silencing|(?:si|sh|sg)-?(?:nc|nt|ntc|neg"
    r"|ctrl|con\w*|scr\w*|luc\w*|gfp|lacz|rna control)|empty vector|ev|plko(?:\.1)?|wt"
    r"|wild-? ?types?|hc|hv|ntc|adjacent|para-?tumou?r|non-?(?:tumou?r\w*|cancer\w*|diabetic\w*"
    r"|smokers?|malignant|neoplastic|lesional|affected|asthma\w*|demented|ibd|failing)|uninvolved"
    r"|nonfailing|day ?0|d0|t0|0 ?(?:h|hr|hrs|hours?|d|days?|min|mins?)|pre|pre-?(?:treatment"
    r"|vaccin\w*|dose|infusion|op\w*)|chow|lean|negative|neg|no|[+]/[+]|medium|media)"
    r"(?![a-z0-9])|^-$|^0$"
)
_NOT_CONTROL = re.compile(
    r"disease control|normal (?:weight|karyotype)|control diet|birth ?control"
)
_CASE = re.compile(r"(?<![a-z])(?:treated with (?!dmso|veh|pbs)|tumou?r|cancer|carcinoma)")
_GENOTYPE = re.compile(
    r"genotyp|mutat|varia(?:nt|tion)|knock|s[ih]rna|construct|vector|transfect|transduc|overexpress"
    r"|crispr|allele|modification|strain"
)
_SKIPPED_KEY = re.compile(
    r"(?:^|\W)(?:ids?|number|batch|plate|lane|rin|race|ethnic\w*|bmi|passages?|scan\w*|\w*date|barcode"
    r"|height|weight|surviv\w*|os|pfs|dfs|smok\w*|replicates?|repeat|rep|library|platform|organism"
    r"|\w*bank|cent(?:er|re)|hospital|country|site|cohort|age|gestation\w*|quality|pool|since"
    r"|concentration of rna)(?:\W|$)"
)
_WEIGHT = {
    "treatment": 1.0, "genotype": 1.0, "disease": 1.0, "status": 0.9, "other": 0.7, "time": 0.6,
    "title": 0.6, "outcome": 0.2, "stage": 0.4, "tissue": 0.3, "culture": 0.2, "relatives": 0.1,
}  # fmt: skip
_TIME = re.compile(
    r"(?<![a-z0-9.])(?:(?P<unit>days?|d|weeks?|wks?|hours?|hrs?|h|months?|t|time|visit)[ ._-]?"
    r"(?P<after>\d{1,4})|(?P<before>\d{1,4}(?:\.\d+)?)[ ._-]?(?P<unit2>minutes?|mins?|hours?|hrs?"
    r"|hr|h|days?|d|weeks?|wks?|w|months?|mo)(?:pi|p)?)(?![a-z0-9])"
)
_MINUTES = {"m": 1.0, "h": 60.0, "d": 1440.0, "w": 10080.0, "mo": 43200.0}
_REPLICATE = re.compile(
    r"(?<![a-z])(?:bio(?:l\w*)?|tech(?:n\w*)?)?[ ._-]*(?:replicates?|reps?|repeat|experiment|exp"
    r"|batch|sample|animal|mouse|rat|patient|subject|donor|individual|case|no|number|clone|array"
    r"|chip|slide)[ ._#-]*(?:\d+[a-z]?|[a-d])(?![a-z])|hg-?u\d+\w*(?: plus ?2(?:[.]0)?)?|#\s*\d+"
    r"|\((?:\d+|[a-d])\)|gsm\d+"
)
_SEXES = frozenset({"male", "female", "m", "f", "men", "women", "man", "woman"})
LEVEL_WORDS = re.compile(r"[^\s_,;|()\[\]{}:]+")
_ENDING = re.compile(r"(?:(?<=[a-z])[.#-]?\d{1,3}|[-.]\d{1,3}|[-.][a-d]?)+$")


@dataclass(frozen=True)
class SampleFactor:
    """A division of the samples."""

    key: str
    kind: str
    values: tuple[str, ...]  # By sample, empty where unknown

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The values with enough samples, the most frequent first."""
        counts = Counter(value for value in self.values if value)
        return tuple(value for value, number in counts.most_common() if number >= FEWEST_OF_LEVEL)

    @cached_property
    def controls(self) -> tuple[str, ...]:
        """The levels that are controls by their words, or the earliest time."""
        strength = {level: _control_strength(level) for level in self.levels}
        best = max(strength.values(), default=0)
        found = tuple(level for level, value in strength.items() if value and value == best)
        if found and len(found) < len(self.levels):
            return found
        times = {
            level: time for level in self.levels if (time := _minutes(level, self.key)) is not None
        }
        if self.kind == "time" and len(times) == len(self.levels) and len(set(times.values())) > 1:
            return (min(times, key=lambda level: times[level]),)
        return ()

    @property
    def score(self) -> float:
        """How likely it is that the series was made to compare these levels."""
        exact = max((_control_strength(level) for level in self.controls), default=0)
        text = 0.0 if self.kind == "title" else 0.3
        sizes = Counter(self.values)
        second = sizes[self.levels[1]] / len(self.values)
        return 0.6 * exact + 0.5 * bool(self.controls) + _WEIGHT.get(self.kind, 0.5) + text + second


@lru_cache(maxsize=8192)
def _control_strength(level: str) -> int:
    """Return 2 for a level that only says control, 1 for one that says it among others, else 0."""
    plain = " ".join(level.casefold().replace("_", " ").split())
    if _NOT_CONTROL.search(plain):
        return 0
    if control_group(plain) is not None:
        return 2
    hits = list(_CONTROL.finditer(plain))
    if not hits:
        return 0
    other = _CONTROL.sub(" ", plain)
    if len(re.sub(r"[\W\d]+", "", other)) <= 3:
        return 2
    return 0 if _CASE.search(other) and "normal" not in plain else 1


def _minutes(level: str, key: str) -> float | None:
    """Return the time that a level states, in minutes where it has a unit."""
    hit = _TIME.search(level.casefold())
    if hit is None:
        return parse_number(level) if kind_of_key(key) == "time" else None
    unit = hit["unit"] or hit["unit2"]
    scale = _MINUTES["mo" if unit.startswith("mo") else unit[0]] if unit[0] in "mhdw" else 1.0
    return float(hit["after"] or hit["before"]) * scale


def find_factors(description: SeriesDescription, keys: SampleKeys) -> list[SampleFactor]:
    """Return the factors, the most likely first."""
    texts = {"title": [description.titles], "source": [description.source_names]}
    texts["description"] = list(description.descriptions[:2])
    found = [
        factor
        for key in keys.characteristics
        for cells in _columns(key, description, keys)
        if (factor := _of_key(key, cells)) is not None
    ]
    for place, rows in texts.items():
        for row in rows:
            if len(row) == len(keys.samples):
                found += _of_texts(place, row)
    return sorted(filter(_divides, found), key=lambda factor: -factor.score)


def _divides(factor: SampleFactor) -> bool:
    named = sum(bool(value) for value in factor.values)
    grouped = sum(value in factor.levels for value in factor.values)
    return (
        1 < len(factor.levels) <= _MOST_LEVELS
        and named >= _COVERED * len(factor.values)
        and grouped >= 0.5 * len(factor.values)
    )


def _columns(
    key: str, description: SeriesDescription, keys: SampleKeys
) -> list[Sequence[Sequence[str]]]:
    """Return the values under a key; characteristics without a key are a column for each row."""
    if key != NO_KEY or all(len(cells) < 2 for cells in keys.columns[key]):
        return [keys.columns[key]]
    bare = [[c if c and ":" not in c else "" for c in row] for row in description.cells or ()]
    return [[[cell] if cell else [] for cell in row] for row in bare if any(row)]


def _of_key(key: str, column: Sequence[Sequence[str]]) -> SampleFactor | None:
    plain = key.casefold().replace("_", " ")
    if age_rank(key) is not None or sex_rank(key) is not None or names_laboratory(key):
        return None
    if _SKIPPED_KEY.search(plain):
        return None
    kind = "genotype" if _GENOTYPE.search(plain) else kind_of_key(key)
    if kind in ("never", "identifier"):
        return None
    values = tuple(_only_value(cells) for cells in column)
    if len(set(values)) > len(values) / 2:
        # "Control subject 1" is one of several controls.
        values = tuple(" ".join(_REPLICATE.sub(" ", v.casefold()).split()) for v in values)
    spelled: dict[str, str] = {}
    values = tuple(spelled.setdefault(value.casefold(), value) for value in values)
    numbers = [parse_number(value) is not None for value in set(values) if value]
    if kind != "time" and len(numbers) > 3 and sum(numbers) > 0.8 * len(numbers):
        return None
    return SampleFactor(key, kind, values)


def _only_value(cells: Sequence[str]) -> str:
    value = cells[0].strip() if len(cells) == 1 else ""
    return "" if value.casefold() in MISSING else value


def _of_texts(place: str, row: Sequence[str | None]) -> list[SampleFactor]:
    """Return what the texts of samples share, as one factor, or one for each place in them."""
    words = _without_numbers([_words(text or "") for text in row])
    counts = Counter(word for found in words for word in set(found))
    words = [
        tuple(word for word in found if counts[word] > 1 or _TIME.fullmatch(word))
        for found in words
    ]
    everywhere = {word for word in counts if counts[word] == len(row)}
    whole = tuple(
        " ".join(w for w in found if w not in everywhere) or " ".join(found) for found in words
    )
    factors = [] if _SEXES.issuperset(whole) else [SampleFactor(place, "title", whole)]
    lengths = {len(found) for found in words}
    if len(lengths) == 1 and lengths != {0}:
        for column in zip(*words, strict=True):
            if 1 < len(set(column)) < len(set(whole)) and not _SEXES.issuperset(column):
                times = sum(_TIME.fullmatch(word) is not None for word in column)
                kind = "time" if times >= 0.5 * len(column) else "title"
                factors.append(SampleFactor(place, kind, column))
    return factors


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text without replicates and bare numbers; times keep theirs."""
    plain = _REPLICATE.sub(" ", text.casefold().replace("_", " "))
    plain = _TIME.sub(lambda hit: hit.group().replace(" ", "").replace("-", ""), plain)
    found = LEVEL_WORDS.findall(plain)
    return tuple(w for w in found if _TIME.fullmatch(w) or re.search(r"[a-z+]", w))


def _without_numbers(texts: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Take off the numbers that count samples: of ctrl1 and ctrl2, but not of JQ1."""
    counts = Counter(word for words in texts for word in set(words) if not _TIME.fullmatch(word))
    ends: dict[str, set[str]] = {}
    once: dict[str, bool] = {}
    for word, count in counts.items():
        stem = _ENDING.sub("", word)
        if stem != word:
            ends.setdefault(stem, set()).add(word[len(stem) :])
            once[stem] = once.get(stem, True) and count == 1
    shared = Counter(frozenset(found) for found in ends.values())
    counting = {
        stem
        for stem, found in ends.items()
        if len(found) > 1 and (once[stem] or shared[frozenset(found)] > 1)
    }
    return [
        tuple(stem if (stem := _ENDING.sub("", w)) in counting else w for w in words)
        for words in texts
    ]


def people_factor(description: SeriesDescription, keys: SampleKeys) -> SampleFactor | None:
    """Return the pairs or people that samples are of, None where nothing states them."""
    stated = relations_of(description, keys)
    for kind in ("pair", "donor"):
        values = stated.values(kind)
        if values:
            return SampleFactor(
                kind, "donor", tuple(values.get(sample, "") for sample in keys.samples)
            )
    return None
