"""What a series compares when no trait is asked: treatments, genotypes, times, tissues, people.

Groups are read from the characteristics, else from what titles and source names share. The control
of a factor is found by its words ("vehicle", "wild type", "0 h"); where no level is a control, the
levels are compared in pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations

from genotex.clinical.cells import NO_KEY, SampleKeys, keys_of_samples
from genotex.clinical.description import SeriesDescription
from genotex.clinical.relations import relations_of
from genotex.clinical.words.keys import kind_of_key
from genotex.features import (
    FEWEST_PAIRS,
    MISSING,
    age_rank,
    control_group,
    names_laboratory,
    parse_number,
    sex_rank,
)

_FEWEST = 2
"""Samples on each side."""
_MOST_LEVELS, _MOST_COMPARISONS, _MOST_ADJUSTED = 30, 40, 3
_COVERED = 0.8
"""Share of the samples that a factor must divide."""
_PAIRED_SHARE = 0.8

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
_APART = ("culture", "tissue", "time")
"""Kinds of factors that are not another name of what is compared."""
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
_PLAIN_LEVEL = re.compile(r"yes|no|true|false|positive|negative|pos|neg|[+-]|\d+|[a-z]")
"""Levels whose name says nothing without their key."""
_WORDS = re.compile(r"[^\s_,;|()\[\]{}:]+")
_ENDING = re.compile(r"(?:(?<=[a-z])[.#-]?\d{1,3}|[-.]\d{1,3}|[-.][a-d]?)+$")


@dataclass(frozen=True)
class Comparison:
    """Two groups of samples that a series compares."""

    name: str
    """Of the two levels, unique in the series: ``vemurafenib_vs_vehicle``."""
    key: str
    """Characteristic that has the groups; ``title``, ``source`` or ``description``."""
    kind: str
    """``treatment``, ``genotype``, ``disease``, ``time``, ``tissue`` and the like."""
    case: str
    control: str
    cases: tuple[str, ...]
    """Sample ids."""
    controls: tuple[str, ...]
    has_control: bool
    """Whether the control is one by its words; otherwise two levels stand side by side."""
    columns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Other factors to adjust for: name, and value of each sample, cases first."""
    paired: bool = False
    """Whether one of them holds pairs or people with samples on both sides."""
    repeated: tuple[str, ...] = ()
    """The person of each sample, where people have several samples on one side."""
    confounded: tuple[str, ...] = ()
    """Factors that differ between the sides and cannot be told from them."""

    @property
    def text(self) -> str:
        """The comparison in a line."""
        sizes = f"{len(self.cases)} against {len(self.controls)} samples"
        parts = [f"{self.case} - {self.control} ({sizes}; {self.key})"]
        if self.columns:
            parts.append(f"adjusted for {', '.join(name for name, _ in self.columns)}")
        if self.repeated:
            parts.append(f"{len(set(self.repeated))} people, with several samples each")
        if self.confounded:
            parts.append(f"also different in {', '.join(self.confounded)}")
        return "; ".join(parts)


@dataclass(frozen=True)
class _Factor:
    """A division of the samples."""

    key: str
    kind: str
    values: tuple[str, ...]  # By sample, empty where unknown

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The values with enough samples, the most frequent first."""
        counts = Counter(value for value in self.values if value)
        return tuple(value for value, number in counts.most_common() if number >= _FEWEST)

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


def find_comparisons(description: SeriesDescription) -> list[Comparison]:
    """Return the comparisons that a series was made for, the most likely first.

    `description` has a cell for each sample; expression is not used. A side has at least two
    samples. Factors that are crossed with a comparison are adjusted for; people and pairs with
    samples on both sides make it a paired one.
    """
    keys = keys_of_samples(description)
    if len(keys.samples) < 2 * _FEWEST:
        return []
    factors = _factors(description, keys)
    people = _people(description, keys)
    found: list[tuple[float, Comparison]] = []
    seen: set[frozenset[tuple[str, ...]]] = set()
    for factor in sorted(factors, key=lambda f: -f.score):
        for case, control in _pairs(factor):
            comparison = _comparison(factor, case, control, factors, people, keys.samples)
            sides = frozenset((comparison.cases, comparison.controls))
            if min(map(len, sides)) >= _FEWEST and len(sides) == 2 and sides not in seen:
                seen.add(sides)
                likely = 0.5 * comparison.paired - 0.5 * bool(comparison.confounded)
                found.append((factor.score + likely, comparison))
    found.sort(key=lambda each: -each[0])
    return _named([comparison for _, comparison in found[:_MOST_COMPARISONS]])


def _pairs(factor: _Factor) -> Iterator[tuple[str, str]]:
    """Give case and control levels."""
    controls = factor.controls
    for level in factor.levels:
        if controls and level not in controls:
            yield level, max(controls, key=lambda c: _likeness(c, level))
    if not controls:
        several = len(factor.levels) > 3
        pairs = combinations(factor.levels, 2)
        yield from ((b, a) for a, b in pairs if not several or a == factor.levels[0])


def _likeness(a: str, b: str) -> float:
    first, second = set(_WORDS.findall(a.casefold())), set(_WORDS.findall(b.casefold()))
    return len(first & second) / max(1, len(first | second))


def _factors(description: SeriesDescription, keys: SampleKeys) -> list[_Factor]:
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


def _divides(factor: _Factor) -> bool:
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


def _of_key(key: str, column: Sequence[Sequence[str]]) -> _Factor | None:
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
    return _Factor(key, kind, values)


def _only_value(cells: Sequence[str]) -> str:
    value = cells[0].strip() if len(cells) == 1 else ""
    return "" if value.casefold() in MISSING else value


def _of_texts(place: str, row: Sequence[str | None]) -> list[_Factor]:
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
    factors = [] if _SEXES.issuperset(whole) else [_Factor(place, "title", whole)]
    lengths = {len(found) for found in words}
    if len(lengths) == 1 and lengths != {0}:
        for column in zip(*words, strict=True):
            if 1 < len(set(column)) < len(set(whole)) and not _SEXES.issuperset(column):
                times = sum(_TIME.fullmatch(word) is not None for word in column)
                kind = "time" if times >= 0.5 * len(column) else "title"
                factors.append(_Factor(place, kind, column))
    return factors


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text without replicates and bare numbers; times keep theirs."""
    plain = _REPLICATE.sub(" ", text.casefold().replace("_", " "))
    plain = _TIME.sub(lambda hit: hit.group().replace(" ", "").replace("-", ""), plain)
    found = _WORDS.findall(plain)
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


def _people(description: SeriesDescription, keys: SampleKeys) -> _Factor | None:
    stated = relations_of(description, keys)
    for kind in ("pair", "donor"):
        values = stated.values(kind)
        if values:
            return _Factor(kind, "donor", tuple(values.get(sample, "") for sample in keys.samples))
    return None


def _comparison(
    factor: _Factor,
    case: str,
    control: str,
    factors: Iterable[_Factor],
    people: _Factor | None,
    samples: Sequence[str],
) -> Comparison:
    """Return two levels with the factors that are crossed with them."""
    chosen = [i for i, value in enumerate(factor.values) if value in (case, control)]
    adjusted: list[_Factor] = []
    confounded: list[str] = []
    for other in factors:
        if other is factor or other.kind in ("title", "relatives") or factor.key == other.key:
            continue
        sides = _sides(factor, case, other, chosen)
        both = {level for level, found in sides.items() if len(found) == 2}
        left = [i for i in chosen if other.values[i] in both]
        cases = sum(factor.values[i] == case for i in left)
        enough = min(cases, len(left) - cases) >= _FEWEST
        strata = other.kind in (*_APART, "treatment", "genotype")
        if enough and (strata or len(left) >= _COVERED * len(chosen)):
            # Without levels of the other factor that have one side alone.
            chosen = left
            if len(both) > 1 and len(adjusted) < _MOST_ADJUSTED:
                adjusted.append(other)
        elif _is_apart(factor, other, chosen) and len(sides) > 1 and not both:
            confounded.append(other.key)
    adjusted = _estimable(adjusted, chosen)
    paired = people is not None and _is_paired(factor, case, people, chosen)
    if paired and people is not None:
        # People differ in all that does not change between their samples.
        adjusted = [people]
    repeated = people is not None and not paired and _is_repeated(people, chosen)
    order = sorted(chosen, key=lambda i: factor.values[i] != case)
    ids = {case: [samples[i] for i in order if factor.values[i] == case]}
    columns = tuple((f.key, tuple(f.values[i] for i in order)) for f in adjusted)
    return Comparison(
        "", factor.key, factor.kind, case, control, tuple(ids[case]),
        tuple(samples[i] for i in order if factor.values[i] == control),
        control in factor.controls, columns, paired,
        tuple(people.values[i] for i in order) if repeated and people is not None else (),
        tuple(dict.fromkeys(confounded)),
    )  # fmt: skip


def _sides(
    factor: _Factor, case: str, other: _Factor, chosen: Iterable[int]
) -> dict[str, set[bool]]:
    sides: dict[str, set[bool]] = {}
    for i in chosen:
        if other.values[i]:
            sides.setdefault(other.values[i], set()).add(factor.values[i] == case)
    return sides


def _is_apart(factor: _Factor, other: _Factor, chosen: Iterable[int]) -> bool:
    """Return whether a factor is something else, not another name of what is compared."""
    pairs = ((factor.values[i].casefold(), other.values[i].casefold()) for i in chosen)
    same = all(a in b or b in a for a, b in pairs)
    return other.kind in _APART and factor.kind not in _APART and not same


def _estimable(factors: Sequence[_Factor], chosen: Sequence[int]) -> list[_Factor]:
    """Return the factors that still vary and leave samples to estimate the error from."""
    kept: list[_Factor] = []
    used = 2
    groups = set[tuple[int, ...]]()
    for factor in factors:
        levels = len({factor.values[i] for i in chosen})
        alike = _numbered([factor.values[i] for i in chosen])
        if levels > 1 and used + levels - 1 <= len(chosen) - 2 and alike not in groups:
            groups.add(alike)
            kept.append(factor)
            used += levels - 1
    return kept


def _numbered(values: Iterable[str]) -> tuple[int, ...]:
    """Return groups as numbers, which are equal for factors that divide alike."""
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(value, len(numbers)) for value in values)


def _is_paired(factor: _Factor, case: str, people: _Factor, chosen: Sequence[int]) -> bool:
    sides = _sides(factor, case, people, chosen)
    both = {person for person, found in sides.items() if len(found) == 2}
    share = sum(people.values[i] in both for i in chosen) / len(chosen)
    return len(both) >= FEWEST_PAIRS and share >= _PAIRED_SHARE


def _is_repeated(people: _Factor, chosen: Sequence[int]) -> bool:
    """Return whether all samples are of known people, most of them with several samples."""
    names = [people.values[i] for i in chosen]
    return all(names) and 2 * _FEWEST <= len(set(names)) <= 0.7 * len(names)


def _named(found: Sequence[Comparison]) -> list[Comparison]:
    """Give each comparison a name of its own, made of its two levels."""
    used: Counter[str] = Counter()
    named = []
    for each in found:
        name = f"{_slug(each.case)}_vs_{_slug(each.control)}"
        if _PLAIN_LEVEL.fullmatch(each.case.casefold()):
            name = f"{_slug(each.key)}_{name}"
        used[name] += 1
        named.append(replace(each, name=name if used[name] == 1 else f"{name}_{used[name]}"))
    return named


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "_", text).strip("_.")[:40] or "none"
