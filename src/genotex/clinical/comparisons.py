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
from itertools import combinations

from genotex.clinical.cells import keys_of_samples
from genotex.clinical.description import SeriesDescription
from genotex.clinical.factors import (
    FEWEST_OF_LEVEL,
    LEVEL_WORDS,
    SampleFactor,
    find_factors,
    people_factor,
)
from genotex.features import FEWEST_PAIRS

_MOST_COMPARISONS, _MOST_ADJUSTED = 40, 3
_MOSTLY = 0.8
"""Share of the samples that adjusting for a factor must leave, and that pairs must hold."""

_APART = ("culture", "tissue", "time")
"""Kinds of factors that are not another name of what is compared."""
_PLAIN_LEVEL = re.compile(r"yes|no|true|false|positive|negative|pos|neg|[+-]|\d+|[a-z]")
"""Levels whose name says nothing without their key."""


@dataclass(frozen=True)
class SeriesComparison:
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


def find_comparisons(description: SeriesDescription) -> list[SeriesComparison]:
    """Return the comparisons that a series was made for, the most likely first.

    `description` has a cell for each sample; expression is not used. A side has at least two
    samples. Factors that are crossed with a comparison are adjusted for; people and pairs with
    samples on both sides make it a paired one.
    """
    keys = keys_of_samples(description)
    if len(keys.samples) < 2 * FEWEST_OF_LEVEL:
        return []
    factors = find_factors(description, keys)
    people = people_factor(description, keys)
    found: list[tuple[float, SeriesComparison]] = []
    seen: set[frozenset[tuple[str, ...]]] = set()
    for factor in sorted(factors, key=lambda f: -f.score):
        for case, control in _pairs(factor):
            comparison = _comparison(factor, case, control, factors, people, keys.samples)
            sides = frozenset((comparison.cases, comparison.controls))
            if min(map(len, sides)) >= FEWEST_OF_LEVEL and len(sides) == 2 and sides not in seen:
                seen.add(sides)
                likely = 0.5 * comparison.paired - 0.5 * bool(comparison.confounded)
                found.append((factor.score + likely, comparison))
    found.sort(key=lambda each: -each[0])
    return _named([comparison for _, comparison in found[:_MOST_COMPARISONS]])


def _pairs(factor: SampleFactor) -> Iterator[tuple[str, str]]:
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
    first, second = set(LEVEL_WORDS.findall(a.casefold())), set(LEVEL_WORDS.findall(b.casefold()))
    return len(first & second) / max(1, len(first | second))


def _comparison(
    factor: SampleFactor,
    case: str,
    control: str,
    factors: Iterable[SampleFactor],
    people: SampleFactor | None,
    samples: Sequence[str],
) -> SeriesComparison:
    """Return two levels with the factors that are crossed with them."""
    chosen = [i for i, value in enumerate(factor.values) if value in (case, control)]
    adjusted: list[SampleFactor] = []
    confounded: list[str] = []
    for other in factors:
        if other is factor or other.kind in ("title", "relatives") or factor.key == other.key:
            continue
        sides = _sides(factor, case, other, chosen)
        both = {level for level, found in sides.items() if len(found) == 2}
        left = [i for i in chosen if other.values[i] in both]
        cases = sum(factor.values[i] == case for i in left)
        enough = min(cases, len(left) - cases) >= FEWEST_OF_LEVEL
        strata = other.kind in (*_APART, "treatment", "genotype")
        if enough and (strata or len(left) >= _MOSTLY * len(chosen)):
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
    columns = tuple((f.key, tuple(f.values[i] for i in order)) for f in adjusted)
    return SeriesComparison(
        "", factor.key, factor.kind, case, control,
        tuple(samples[i] for i in order if factor.values[i] == case),
        tuple(samples[i] for i in order if factor.values[i] == control),
        control in factor.controls, columns, paired,
        tuple(people.values[i] for i in order) if repeated and people is not None else (),
        tuple(dict.fromkeys(confounded)),
    )  # fmt: skip


def _sides(
    factor: SampleFactor, case: str, other: SampleFactor, chosen: Iterable[int]
) -> dict[str, set[bool]]:
    sides: dict[str, set[bool]] = {}
    for i in chosen:
        if other.values[i]:
            sides.setdefault(other.values[i], set()).add(factor.values[i] == case)
    return sides


def _is_apart(factor: SampleFactor, other: SampleFactor, chosen: Iterable[int]) -> bool:
    """Return whether a factor is something else, not another name of what is compared."""
    pairs = ((factor.values[i].casefold(), other.values[i].casefold()) for i in chosen)
    same = all(a in b or b in a for a, b in pairs)
    return other.kind in _APART and factor.kind not in _APART and not same


def _estimable(factors: Sequence[SampleFactor], chosen: Sequence[int]) -> list[SampleFactor]:
    """Return the factors that still vary and leave samples to estimate the error from."""
    kept: list[SampleFactor] = []
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


def _is_paired(
    factor: SampleFactor, case: str, people: SampleFactor, chosen: Sequence[int]
) -> bool:
    sides = _sides(factor, case, people, chosen)
    both = {person for person, found in sides.items() if len(found) == 2}
    share = sum(people.values[i] in both for i in chosen) / len(chosen)
    return len(both) >= FEWEST_PAIRS and share >= _MOSTLY


def _is_repeated(people: SampleFactor, chosen: Sequence[int]) -> bool:
    """Return whether all samples are of known people, most of them with several samples."""
    names = [people.values[i] for i in chosen]
    return all(names) and 2 * FEWEST_OF_LEVEL <= len(set(names)) <= 0.7 * len(names)


def _named(found: Sequence[SeriesComparison]) -> list[SeriesComparison]:
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
