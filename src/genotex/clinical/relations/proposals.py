"""Pairs and exclusions that a sample sheet proposes for the relations of the samples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from genotex.clinical.relations.find import SampleRelations
from genotex.features import FEWEST_PAIRS

_FEWEST = 2
"""A group with fewer samples cannot be compared."""


def propose_exclusions(
    relations: SampleRelations, codes: Mapping[str, float], excluded: Collection[str]
) -> dict[str, str]:
    """Return the samples to leave out, with the reason: pools, and repeats of the same RNA.

    `codes` are those of the samples in a group; nothing is proposed that empties a group.
    """
    found: dict[str, str] = {}
    first: dict[str, str] = {}
    for sample, stem in relations.values("technical replicate").items():
        if sample in excluded or (codes and sample not in codes):
            continue
        if stem in first and codes.get(sample) == codes.get(first[stem]):
            found[sample] = f"technical replicate of {first[stem]}"
        first.setdefault(stem, sample)
    found |= dict.fromkeys(relations.values("pool"), "a pool")
    left = Counter(code for s, code in codes.items() if s not in found and s not in excluded)
    if any(left[code] < _FEWEST for code in set(codes.values())):
        return {}
    return {sample: why for sample, why in found.items() if sample not in excluded}


def propose_pairs(
    relations: SampleRelations, codes: Mapping[str, float], excluded: Collection[str]
) -> dict[str, str]:
    """Return the pairs or people with several samples, where the analysis can block on them."""
    used = {sample: code for sample, code in codes.items() if sample not in excluded}
    for values in (relations.values("pair"), relations.values("donor")):
        members: dict[str, list[str]] = defaultdict(list)
        for sample, value in values.items():
            if sample in used or (not codes and sample not in excluded):
                members[value].append(sample)
        several = {value: found for value, found in members.items() if len(found) > 1}
        varying = [v for v, found in several.items() if len({used.get(s) for s in found}) > 1]
        if not several:
            continue
        if len(varying) >= FEWEST_PAIRS or not codes:
            return {sample: value for value, found in several.items() for sample in found}
        # Repeats are averaged; samples of unknown people would be left out.
        people = Counter(used[found[0]] for found in members.values())
        whole = used.keys() <= values.keys() and min(people.values()) >= _FEWEST
        if not varying and whole:
            return {sample: value for value, found in members.items() for sample in found}
    return {}
